#!/usr/bin/env python3
"""Programs with known truth under `tacit run`: nothing false is claimed of any, and what they are is found.

    test_truth.py [--each] [--ranks 3 4 6 8 9] [--write]

Without --each all programs run one after the other in one job, each on a communicator of its own; with it, each is a job of
its own. Both read the same reports. --write keeps the numbers in
bench/results/truth.json. Environment: COMMAND_FILE, MPI_LAUNCHER, TRUTH_C, and TRUTH_FORTRAN if there is one."""
import argparse
import collections
import json
import os
import shlex
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests")]
from launched import run_job  # noqa: E402  (folders of scripts, not packages)
from measured import dirty, git, machine  # noqa: E402  (a folder of scripts, not a package)
from truth_table import ALSO, AT_ONCE, C_PROGRAMS, FORTRAN_PROGRAMS, MAY_NEED, NEEDS, NEEDS_BEYOND_THREE, NO_SINGLE_CALL  # noqa: E402

TACIT = os.environ["COMMAND_FILE"]
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])
LEAST_RECALL = 0.9
PROGRAMS = {**C_PROGRAMS, **FORTRAN_PROGRAMS}


def report(program, ranks, names):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        done = run_job([TACIT, "run", "--force", "-o", out, "--", *LAUNCHER, "-n", str(ranks), program, *names])
        if done.returncode != 0:
            sys.exit(f"{program} {names} on {ranks} ranks failed:\n{done.stderr}")
        return json.loads((out / "report.json").read_text())


def functions_of(found, activity):
    places = [found["sites"][s] for s in activity["sites"]]
    places += [found["callers"][c] for path in activity["called_from"] for c in path]
    return {place["function"].lower().strip("_") for place in places}


def of_program(found, name):
    """The activities with a call in the program's function, or in functions of the library that it called."""
    return [a for a in found["activities"] if f"program_{name}" in functions_of(found, a)]


def by_chance(activity):
    """The report says of it that blocks this small look alike by chance: nothing is claimed, and nothing counts as found."""
    return any(left["code"] == "TACIT-065" for left in activity["left_alone"])


def claims_of(activities):
    """Sets of names, each claimed as one of them."""
    claims = []
    for a in activities:
        if by_chance(a):
            continue
        if a["pattern"]:
            claims.append({a["pattern"]})
        elif a["shape"]:
            claims.append(set(a["shape"]))
        elif a["kind"] == "neighbor exchange":
            claims.append({"neighbor exchange"})
    return claims


class Score:
    def __init__(self):
        self.claims = self.true = 0
        self.wanted, self.found = collections.Counter(), collections.Counter()
        self.faults, self.missed = [], []
        self.mpi = ""

    def judge(self, name, size, activities):
        truth, fits = PROGRAMS[name]
        if not fits(size):
            return
        allowed = truth | ALSO.get(name, lambda _: set())(size)
        claims = claims_of(activities)
        for claim in claims:
            self.claims += 1
            if claim & allowed:
                self.true += 1
            else:
                self.faults.append(f"{name} on {size} ranks: claimed {sorted(claim)}, is {sorted(allowed) or 'nothing'}")
        for pattern in truth:
            hit = any(pattern in claim for claim in claims)
            if not hit and any(claim & (allowed - truth) for claim in claims):
                continue  # on so few ranks it is that as well: nothing was missed, and nothing counts as found
            self.wanted[pattern] += 1
            self.found[pattern] += hit
            if not hit:
                self.missed.append(f"{name} on {size} ranks: {pattern}; said: {[a['title'] for a in activities]}")
                print(f"  missed: {self.missed[-1]}")
        for a in activities:
            if a["shape"] and a["could_become"]:
                self.faults.append(f"{name} on {size} ranks: {a['title']}, but could become {a['could_become']['call']}")
            advice = a["could_become"] if a["kind"] == "neighbor exchange" else None
            if advice and name in NO_SINGLE_CALL and size > 3:
                self.faults.append(f"{name} on {size} ranks: advised to be one call")
            if advice and name not in AT_ONCE and not advice["condition"]:
                self.faults.append(f"{name} on {size} ranks: advice without its condition")

        self.judge_memory(name, size, activities)

    def judge_memory(self, name, size, activities):
        """Advice says what memory the call needs and the messages did without, where there is such, and only there."""
        for a in activities:
            if not a["pattern"] or not a["could_become"] or a["could_become"]["call"].startswith("MPI_Bcast"):
                continue
            condition = a["could_become"]["condition"]
            needed = NEEDS.get(name) or (size > 3 and NEEDS_BEYOND_THREE.get(name))
            as_needed = needed in condition if needed else not condition or MAY_NEED.get(name, "none") in condition
            if not as_needed:
                self.faults.append(f"{name} on {size} ranks: {a['title']}, only {condition or 'without a condition'}")

    def say(self):
        for pattern in sorted(self.wanted):
            print(f"  {pattern:18} {self.found[pattern]} of {self.wanted[pattern]}")
        wanted, found = sum(self.wanted.values()), sum(self.found.values())
        print(f"{self.true} of {self.claims} claims are true; {found} of {wanted} programs' patterns are found")
        for fault in self.faults:
            print("FALSE:", fault)
        return not self.faults and found >= LEAST_RECALL * wanted

    def write(self, options):
        wanted, found = sum(self.wanted.values()), sum(self.found.values())
        result = {"what": "programs with known truth under tacit run: claims, and of each pattern in how many programs it is found",
                  "machine": machine(), "commit": git("rev-parse", "--short", "HEAD"), "dirty": dirty(),
                  "command": "ctest --preset release -C truth_results -R '^truth_results$'",
                  "arguments": " ".join(sys.argv[1:]), "mpi": self.mpi, "ranks": options.ranks,
                  "claims": self.claims, "true": self.true, "false": self.faults, "wanted": wanted, "found": found,
                  "patterns": {p: {"found": self.found[p], "of": self.wanted[p]} for p in sorted(self.wanted)},
                  "missed": self.missed}
        file = ROOT / "bench" / "results" / "truth.json"
        file.write_text(json.dumps(result, indent=1) + "\n")
        print(f"written: {file}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--each", action="store_true")
    parser.add_argument("--ranks", type=int, nargs="+", default=[3, 4])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    score = Score()
    programs = [(os.environ["TRUTH_C"], C_PROGRAMS)]
    if os.environ.get("TRUTH_FORTRAN"):
        programs.append((os.environ["TRUTH_FORTRAN"], FORTRAN_PROGRAMS))
    for ranks in options.ranks:
        for program, known in programs:
            names = [name for name in known if not options.only or name in options.only]
            if options.each:
                for name in names:
                    found = report(program, ranks, [name])
                    score.judge(name, ranks, found["activities"])
            elif names:
                found = report(program, ranks, names if options.only else [])
                for name in names:
                    score.judge(name, ranks, of_program(found, name))
            score.mpi = found["library"] if names else score.mpi
    passed = score.say()
    if options.write and passed:
        score.write(options)
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
