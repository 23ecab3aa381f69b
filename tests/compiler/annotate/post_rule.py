#!/usr/bin/env python3
"""Annotated messages are posted earlier (step 7 of Figure 8) under conditions, and each is needed: without it a program goes wrong.

Each case of the program (rules/posts.c) is named after a condition. Transformed as always it must print what it prints as written;
transformed with that condition taken to hold (the word --assume of tacit-transform) it must not.

Usage: post_rule.py --transform FILE --mpicc FILE --launcher "MPIEXEC FLAGS" PROGRAM
"""
import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def called(command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def folder_of_mpi(mpicc):
    """Where the compiler finds mpi.h."""
    done = subprocess.run([mpicc, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True, check=True)
    return Path(re.search(r'^# \d+ "(/.*)/mpi\.h"', done.stdout, re.MULTILINE)[1])


def transformed(asked, include, condition, target):
    assume = [f"--assume={condition}"] if condition else []
    done = called([asked.transform, "print", "--quiet", *assume, asked.program, "--", "-idirafter", include])
    if done.returncode:
        raise SystemExit(f"tacit-transform, without {condition}: {done.stderr}")
    target.write_text(done.stdout)


def compiled(asked, source, program):
    done = called([asked.mpicc, "-O1", "-Wno-unknown-pragmas", source, "-lm", "-o", program])
    if done.returncode:
        raise SystemExit(f"{source.name} does not compile:\n{done.stderr}")


def seen(asked, program, case):
    done = called([*shlex.split(asked.launcher), "-n", "2", program, case])
    return f"exit {done.returncode}" if done.returncode else done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transform", required=True)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("program", type=Path)
    asked = parser.parse_args()
    text = asked.program.read_text()
    cases = re.findall(r'^    \{"(\w+)",', text, re.MULTILINE)
    include, failed = folder_of_mpi(asked.mpicc), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compiled(asked, asked.program, folder / "plain")
        for condition in ["", *dict.fromkeys(case.split("_")[0] for case in cases)]:
            source = folder / f"assumed_{condition}.c"
            transformed(asked, include, condition, source)
            compiled(asked, source, folder / f"assumed_{condition}")
        for case in cases:
            condition = case.split("_")[0]
            plain = seen(asked, folder / "plain", case)
            right, wrong = (seen(asked, folder / f"assumed_{c}", case) for c in ("", condition))
            if not re.match(r"^\S+ \S+\n$", plain) or right != plain:
                print(f"{case}: {right!r} instead of {plain!r}", file=sys.stderr)
                failed += 1
            if wrong == plain:
                print(f"{case}: without the condition `{condition}` nothing goes wrong", file=sys.stderr)
                failed += 1
            print(f"{case}: {plain.strip()}; without {condition}: {wrong.strip()}")
    print(f"{len(cases)} cases, {failed} problems")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
