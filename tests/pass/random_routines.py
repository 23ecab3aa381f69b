#!/usr/bin/env python3
"""Compares the routines of generate_routines.py as they are with what the overlap pass makes of them.

Each batch is compiled plain and transformed (aggressive with collectives, and conservative; every window taken), and run eagerly, by rendezvous
and in check mode. The plain program must not depend on buffering, so that it is run both ways, too. Prints the seed; a source
that differs is kept. The routines go through tacit cc and tacit fc.

Usage: random_routines.py --tacit FILE --launcher "MPIEXEC FLAGS" [--rendezvous FLAGS] [--routines N] [--fortran N] [--seed S]
"""
import argparse
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from generate_routines import make

BATCH = 40


class Batch:
    def __init__(self, asked, folder, seed, count, language):
        self.asked, self.folder, self.seed, self.count, self.language = asked, folder, seed, count, language
        self.source = folder / ("batch.c" if language == "c" else "batch.f90")
        self.source.write_text(make(seed, count, language))
        self.failures = 0

    def compile(self, name, **settings):
        command = [self.asked.tacit, "cc" if self.language == "c" else "fc", "-O2", "-w", str(self.source), "-o", name]
        if self.language != "c":
            command += ["-module-dir", "."]
            command.remove("-w")
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env=dict(os.environ, XDG_CACHE_HOME=str(self.folder), TACIT_OVERLAP_WINDOW="1", **settings))
        if done.returncode != 0:
            self.complain(f"{name} does not compile ({settings}): " + done.stderr[-2000:])
        return done.returncode == 0

    def run(self, name, flags="", **settings):
        command = [*shlex.split(self.asked.launcher), *shlex.split(flags), "-n", str(self.asked.ranks), f"./{name}",
                   str(self.seed % 1000)]
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120,
                                  env=dict(os.environ, **settings))
        except subprocess.TimeoutExpired:
            return ["no end after 120 s"]
        lines = sorted(line.strip() for line in done.stdout.splitlines() if line.strip().startswith("routine"))
        return lines if done.returncode == 0 else lines + [f"exit status {done.returncode}: {done.stderr[-1000:]}"]

    def complain(self, text):
        self.failures += 1
        kept = Path(f"failed_{self.seed}{self.source.suffix}").absolute()
        shutil.copy(self.source, kept)
        print(f"seed {self.seed}, {self.language}: {text}\nkept as {kept}", flush=True)

    def expect(self, expected, seen, what):
        if seen != expected:
            other = [line for line in seen if line not in expected] or ["lines are missing"]
            self.complain(f"{what} differs, first in: {other[0]}")

    def check(self):
        if not self.compile("plain", TACIT_OVERLAP="off"):
            return self.failures
        expected = self.run("plain")
        if len(expected) != self.count * self.asked.ranks:
            self.complain(f"the plain program does not run: {expected[-1:]}")
            return self.failures
        if self.asked.rendezvous:
            self.expect(expected, self.run("plain", self.asked.rendezvous), "the plain program by rendezvous")
        for mode, collectives in (("aggressive", "on"), ("conservative", "off")):
            if not self.compile("moved", TACIT_OVERLAP="apply", TACIT_OVERLAP_MODE=mode, TACIT_OVERLAP_COLLECTIVES=collectives):
                continue
            self.expect(expected, self.run("moved", TACIT_OVERLAP_EAGER="0"), f"{mode}, eager")
            if self.asked.rendezvous:
                self.expect(expected, self.run("moved", self.asked.rendezvous, TACIT_OVERLAP_EAGER="0"), f"{mode}, rendezvous")
            self.expect(expected, self.run("moved", TACIT_OVERLAP_CHECK="1"), f"{mode}, check mode")
        return self.failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tacit", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--rendezvous", default="", help="flags of the launcher that send small messages by rendezvous")
    parser.add_argument("--routines", type=int, default=80, help="in C")
    parser.add_argument("--fortran", type=int, default=40, help="routines in Fortran")
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    asked = parser.parse_args()
    print(f"seed {asked.seed}", flush=True)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for language, count in (("c", asked.routines), ("fortran", asked.fortran)):
            for first in range(0, count, BATCH):
                failures += Batch(asked, Path(folder), asked.seed + first, min(BATCH, count - first), language).check()
    print(f"{asked.routines} routines in C, {asked.fortran} in Fortran: {failures} mismatches")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
