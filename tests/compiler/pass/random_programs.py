#!/usr/bin/env python3
"""Compares random MPI programs as they are with what the overlap pass makes of them: every bit of memory, on every rank.

Batches of programs in C and Fortran (program_batch.py) are compiled plain and transformed in several ways, every window taken, and
run with messages sent eagerly and by rendezvous, and in check mode, in which buffers in flight hold other bytes than the
program would see. With --smpirun all this happens in simulation, where the order of events is the same each time and a
deadlock is seen at once. Batch k has seed S + k; the seed is printed, and a source that differs is kept.

With --plant, a plugin that makes the pass believe what is not true, or --assume, a condition of docs/soundness.md that it takes
to hold, mismatches must be found instead: with --plant, check mode has to report them with rank and line.

Usage: random_programs.py --tacit FILE --mpicc FILE --launcher "MPIEXEC FLAGS" [--rendezvous FLAGS] [--programs N] [--seed S]
       random_programs.py --tacit FILE --smpirun FILE ...
"""
import argparse
import concurrent.futures
import json
import os
import platform
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from program_batch import HERE, IDIOMS, KINDS, LINKED, WAYS, Batch, Real, Simulated, Trouble

ROOT = HERE.parents[2]
ALWAYS = ("conservative", "aggressive")


OF_IDIOMS = ("aggressive", "aggressive, no copies", LINKED + "aggressive", "for check mode", "conservative",
             LINKED + "aggressive, no copies")


def ways_of(kind, number, asked):
    """The ways in which a batch is compiled: two always, the others in a share of the batches; idioms in one after the other."""
    if asked.every:
        return list(WAYS)
    if kind in IDIOMS:
        return [OF_IDIOMS[number // len(asked.kinds) % len(OF_IDIOMS)]]
    return ["conservative", "for check mode"] if number % 5 == 3 else \
        ["conservative", "with collectives"] if number % 3 == 2 else \
        [*ALWAYS, "aggressive, no copies"] if number % 6 == 1 else list(ALWAYS)


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def machine():
    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {"cpu": model.group(1) if model else platform.processor(), "cores": os.cpu_count(), "system": platform.platform()}


class Worker:
    """A folder and what was built in it; one to a process."""

    def __init__(self, asked):
        self.asked = asked
        self.platform = (Simulated if asked.smpirun else Real)(asked, Path(tempfile.mkdtemp(dir=asked.folder)))

    def batch(self, number):
        asked, before = self.asked, processor_seconds()
        kind = asked.kinds[number % len(asked.kinds)]
        made = Batch(self.platform, kind, asked.seed + number,
                     min(asked.batch, asked.programs - number * asked.batch), asked.ranks[number % len(asked.ranks)])
        done = {"kind": kind, "seed": made.seed, "programs": 0, "ways": [], "runs": {}, "places": 0, "found": [], "trouble": []}
        try:
            expected = made.plain()
        except Trouble as trouble:
            print(trouble, flush=True)
            return done | {"trouble": [str(trouble)[:600]], "left_out": 0, "seconds": processor_seconds() - before}
        modes = [mode for mode in self.platform.modes if "check" not in mode or number % asked.check_every == 0]
        done["programs"] = made.count
        for way in asked.ways or ways_of(kind, number, asked):
            if not self.platform.can(way, kind):
                continue
            changed, differences = made.compare(expected, way, modes)
            done["ways"].append(way)
            done["runs"] |= {mode: done["runs"].get(mode, 0) + made.count for mode in modes}
            done["places"] += changed
            for mode, difference in differences:
                self.complain(made, way, mode, difference)
                done["found"].append({"kind": made.kind, "seed": made.seed, "programs": made.count, "ranks": made.ranks, "way": way,
                                      "mode": mode, "difference": difference})
        if made.left_out:
            print(f"{made.kind}, seed {made.seed}: left out, because they say something else at another level of optimization as "
                  f"they are: {sorted(made.left_out)}", flush=True)
        return done | {"left_out": len(made.left_out or ()), "seconds": processor_seconds() - before}

    def complain(self, batch, way, mode, difference):
        text = f"{batch.kind}, seed {batch.seed}, {batch.count} programs, {batch.ranks} ranks, {way}, {mode}: {difference}"
        if not (self.asked.plant or self.asked.assume):
            kept = Path(f"failed_{batch.kind}_{batch.seed}{batch.source.suffix}").absolute()
            shutil.copy(batch.source, kept)
            text += f"\nkept as {kept}"
        print(text, flush=True)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


worker = None  # of this process


def begin(asked):
    global worker
    worker = Worker(asked)


def work(number):
    """Nothing, once the time is up."""
    return worker.batch(number) if time.time() < worker.asked.ends else None


class House:
    """What came of all batches."""

    def __init__(self, asked):
        self.asked, self.begun = asked, time.time()
        self.programs = dict.fromkeys(asked.kinds, 0)
        self.transformed = {}   # way: programs
        self.runs = {}          # mode: programs
        self.places = self.seconds = self.left_out = 0
        self.found, self.trouble = [], []
        self.last_seed = asked.seed

    def add(self, done):
        self.programs[done["kind"]] += done["programs"]
        for way in done["ways"]:
            self.transformed[way] = self.transformed.get(way, 0) + done["programs"]
        for mode, programs in done["runs"].items():
            self.runs[mode] = self.runs.get(mode, 0) + programs
        self.last_seed = max(self.last_seed, done["seed"])
        self.places += done["places"]
        self.seconds += done["seconds"]
        self.left_out += done["left_out"]
        self.found += done["found"]
        self.trouble += done["trouble"]

    def summary(self):
        return (f"{sum(self.programs.values())} programs ({', '.join(f'{count} {kind}' for kind, count in self.programs.items())}), "
                f"{self.places} places changed: {len(self.found)} mismatches"
                + (f", {self.left_out} programs left out" if self.left_out else ""))

    def result(self):
        asked = self.asked
        return {"what": "Random MPI programs, plain (-O1) against transformed (even seeds -O2, odd ones -O1): all memory of all "
                        "ranks. arena and routines are in C.",
                "machine": machine(), "last_commit_of_pass_and_hooks": asked.commit,
                "command": shlex.join(["tests/compiler/pass/random_programs.py", *sys.argv[1:]]),
                "first_seed": asked.seed, "last_seed": self.last_seed,
                "programs_per_seed": asked.batch, "ranks": [2] if set(asked.kinds) <= set(IDIOMS) else asked.ranks,
                "programs": self.programs,
                "transformed": self.transformed, "run": self.runs, "places_changed": self.places,
                "programs_left_out_because_unsteady_as_they_are": self.left_out, "mismatches": self.found,
                "plain_programs_that_do_not_run": self.trouble,
                "minutes": round((time.time() - self.begun) / 60, 1),
                "processor_minutes": round(self.seconds / 60, 1)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tacit", required=True)
    parser.add_argument("--mpicc", default="mpicc")
    parser.add_argument("--launcher", default="mpiexec", help="with its flags")
    parser.add_argument("--rendezvous", default="", help="flags of the launcher that send small messages by rendezvous")
    parser.add_argument("--smpirun", default="", help="simulate, instead")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--batch", type=int, default=50, help="programs to a binary")
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS, *IDIOMS], default=list(KINDS), help="in turn")
    parser.add_argument("--ways", nargs="+", choices=[*WAYS, *OF_IDIOMS], help="for each batch; else they change")
    parser.add_argument("--every", action="store_true", help="each batch in every way")
    parser.add_argument("--ranks", nargs="+", type=int, default=[3], help="in turn")
    parser.add_argument("--jobs", type=int, default=1, help="batches at a time (1)")
    parser.add_argument("--plant", default="", help="a plugin that plants an error, which check mode has to find")
    parser.add_argument("--check-every", type=int, default=1, help="check mode for every n-th batch (1)")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no batch when they are over")
    parser.add_argument("--assume", default="", help="a condition that the pass takes to hold (-tacit-overlap-assume), for all programs")
    parser.add_argument("--json", default="", help="write what was done and seen to this file")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**7))
    asked = parser.parse_args()
    found = shutil.which(asked.tacit)
    if not found:
        parser.error(f"there is no command {asked.tacit}")
    asked.tacit = os.path.abspath(found)  # it is called in other folders
    asked.ends = time.time() + 60 * asked.minutes
    tested = ("--", "src/compiler", "src/vocabulary/calls")
    asked.commit = git("log", "-1", "--format=%h", *tested) + (" and changes" if git("status", "--porcelain", *tested) else "")
    return asked


def write_whole(path, text):
    """Never half a file."""
    aside = path.with_name(path.name + ".new")
    aside.write_text(text)
    aside.replace(path)


def main():
    asked = arguments()
    house = House(asked)
    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        asked.folder = folder
        with concurrent.futures.ProcessPoolExecutor(asked.jobs, initializer=begin, initargs=(asked,)) as pool:
            for done in pool.map(work, range(-(-asked.programs // asked.batch))):
                if done is None:
                    break
                house.add(done)
                if asked.json:
                    write_whole(Path(asked.json), json.dumps(house.result(), indent=1) + "\n")
    print(house.summary())
    if asked.plant:
        wrong = {one["seed"] for one in house.found}
        reported = {one["seed"] for one in house.found
                    if "check" in one["mode"] and re.search(r"rank \d+: \S+:\d+:\d+: .*\[TACIT-118\]", one["difference"], re.DOTALL)}
        print(f"batches with wrong programs: {sorted(wrong)}; reported with rank and line: {sorted(reported)}")
        return 0 if wrong and wrong == reported else 1
    if asked.assume:
        return 0 if house.found else 1
    return 1 if house.found or house.trouble else 0


if __name__ == "__main__":
    sys.exit(main())
