#!/usr/bin/env python3
"""Runs annotated programs plain and transformed; all must print the same.

The first line of a program says on how many ranks (`ranks=3`). Each is compiled as it is, transformed (`tacit cc --annotations`),
and transformed with the overlap pass behind; and `tacit transform` must change it, once: what it writes, it leaves alone.

Usage: run_programs.py --tacit FILE --launcher "MPIEXEC FLAGS" [--environment "NAME=VALUE …"…] [--ranks N…] --programs PROGRAM...

A program is compiled once and run in each environment (an empty one is that of the caller) on each number of ranks.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMPILERS = {".c": "cc", ".cpp": "cxx"}
WAYS = {"plain": ["--overlap=off"], "transformed": ["--overlap=off", "--annotations"],
        "transformed, with overlap": ["--overlap=apply", "--annotations"]}


def called(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)


def run(asked, ranks, words, program):
    environment = dict(os.environ, **dict(pair.split("=", 1) for pair in words.split()))
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


def compiled(source, asked, folder, way):
    """The program made in a way, and what is wrong with that."""
    program = folder / way.replace(" ", "_").replace(",", "")
    done = called([asked.tacit, COMPILERS[source.suffix], *WAYS[way], "-O2", "-Wall", "-Werror", "-Wno-unknown-pragmas", source, "-lm",
                   "-o", program])
    return program, f"does not compile ({way}):\n{done.stderr}" if done.returncode else ""


def differences(asked, ranks, words, programs):
    seen = {way: run(asked, ranks, words, program) for way, program in programs.items()}
    where = f"on {ranks} ranks{', ' + words if words else ''}: "
    if not seen["plain"] or seen["plain"].startswith("exit"):
        return [f"{where}the program itself: {seen['plain'] or 'prints nothing'}"]
    return [f"{where}{way}: {text[:2000]!r} instead of {seen['plain']!r}" for way, text in seen.items() if text != seen["plain"]]


def problems_of(source, asked, folder):
    made = {way: compiled(source, asked, folder, way) for way in WAYS}
    problems = [problem for _, problem in made.values() if problem]
    if problems:
        return problems
    programs = {way: program for way, (program, _) in made.items()}
    for ranks in asked.ranks or [re.search(r"ranks=(\d+)", source.read_text())[1]]:
        for words in asked.environment or [""]:
            problems += differences(asked, ranks, words, programs)
    again = changed_once(asked, source, folder)
    return problems + ([again] if again else [])


def problems_in_a_folder(source, asked):
    with tempfile.TemporaryDirectory() as folder:
        return problems_of(source, asked, Path(folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tacit", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--environment", nargs="+", default=[])
    parser.add_argument("--ranks", nargs="+", help="instead of what the programs say")
    parser.add_argument("--programs", nargs="+", type=Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    failed = 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        for source, problems in zip(asked.programs, pool.map(lambda source: problems_in_a_folder(source, asked), asked.programs)):
            for problem in problems:
                print(f"{source.name}: {problem}", file=sys.stderr)
            failed += bool(problems)
    print(f"{len(asked.programs)} programs, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
