#!/usr/bin/env python3
"""Runs annotated programs plain and transformed; all must print the same.

The first line of a program says on how many ranks (`ranks=3`). Each is compiled as it is, transformed (`tacit cc --annotations`),
and transformed with the overlap pass behind; and `tacit transform` must change it, once: what it writes, it leaves alone.

Usage: run_programs.py --tacit FILE --launcher "MPIEXEC FLAGS" [--environment NAME=VALUE]... PROGRAM...
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILERS = {".c": "cc", ".cpp": "cxx"}
WAYS = {"plain": ["--overlap=off"], "transformed": ["--overlap=off", "--annotations"],
        "transformed, with overlap": ["--overlap=apply", "--annotations"]}


def called(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)


def run(asked, ranks, program):
    environment = dict(os.environ, **dict(pair.split("=", 1) for pair in asked.environment))
    done = called([*shlex.split(asked.launcher), "-n", ranks, program], env=environment)
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stdout}{done.stderr}"


def changed_once(asked, source, folder):
    copy = folder / source.name
    text = source.read_text()
    once = called([asked.tacit, "transform", source])
    if once.returncode or once.stdout == text:
        return f"tacit transform: exit {once.returncode}, changed: {once.stdout != text}\n{once.stderr}"
    copy.write_text(once.stdout)
    twice = called([asked.tacit, "transform", copy])
    return "" if twice.stdout == once.stdout else f"transforming twice changes it again:\n{twice.stdout}"


def problems_of(source, asked, folder):
    ranks = asked.ranks or re.search(r"ranks=(\d+)", source.read_text())[1]
    seen = {}
    for way, words in WAYS.items():
        program = folder / way.replace(" ", "_").replace(",", "")
        done = called([asked.tacit, COMPILERS[source.suffix], *words, "-O2", "-Wall", "-Werror", "-Wno-unknown-pragmas", source, "-lm",
                       "-o", program])
        if done.returncode:
            return [f"does not compile ({way}):\n{done.stderr}"]
        seen[way] = run(asked, ranks, program)
    if not seen["plain"] or seen["plain"].startswith("exit"):
        return [f"the program itself: {seen['plain'] or 'prints nothing'}"]
    found = [f"{way}: {text[:2000]!r} instead of {seen['plain']!r}" for way, text in seen.items() if text != seen["plain"]]
    again = changed_once(asked, source, folder)
    return found + ([again] if again else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tacit", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--environment", action="append", default=[])
    parser.add_argument("--ranks", help="instead of what the programs say")
    parser.add_argument("programs", nargs="+", type=Path)
    asked = parser.parse_args()
    failed = 0
    for source in asked.programs:
        with tempfile.TemporaryDirectory() as folder:
            problems = problems_of(source, asked, Path(folder))
        for problem in problems:
            print(f"{source.name}: {problem}", file=sys.stderr)
        failed += bool(problems)
    print(f"{len(asked.programs)} programs, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
