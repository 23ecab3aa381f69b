#!/usr/bin/env python3
"""Programs of `tacit cc --annotations=check`: claims that are not true are said with rank and line, those that are true are not.

A program has its cases in a table {"name", function}; `/* said NAME RANK: words */` stands in front of the line that check mode must
name for a case, with the words that must follow it. A case without such a comment claims what is true, and must compute what it expects.

Usage: check_claims.py --tacit FILE --launcher "MPIEXEC FLAGS" [--environment NAME=VALUE]... [--flag=WORD]... [--case NAME]... PROGRAM...
"""
import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def expectations(text):
    """Of each case: what must be said of it, as pairs of (rank, line, words)."""
    found = {name: [] for name in re.findall(r'\{"(\w+)", \w+\}', text)}
    waiting = []
    for number, line in enumerate(text.splitlines(), 1):
        if said := re.match(r"\s*/\* said (\w+) (\d+): (.*?) \*/$", line):
            waiting.append(said.groups())
            continue
        for name, rank, words in waiting:
            found[name].append((rank, number, words))
        waiting = []
    return found


def problem_of(asked, source, program, ranks, name, expected):
    environment = dict(os.environ, **dict(pair.split("=", 1) for pair in asked.environment))
    command = [*shlex.split(asked.launcher), "-n", ranks, str(program), name]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    said = [line for line in done.stderr.splitlines() if "TACIT-" in line]
    if f"ran {name}, " not in done.stdout or (not expected and done.returncode):
        return f"exit {done.returncode}: {done.stdout}{done.stderr[-1500:]}"
    for rank, number, words in expected:
        place = rf"tacit: rank {rank}: \S*{re.escape(source.name)}:{number}: "
        if not any(re.match(place, line) and words in line for line in said):
            return f"does not say of rank {rank}, line {number} that {words!r}; it says {said}"
    if not expected and said:
        return f"says of true claims: {said}"
    if any(said.count(line) > 3 for line in said):
        return f"says the same again and again: {said}"
    if expected and len({re.sub(r"rank \d+: ", "", line) for line in said}) > 4:
        return f"says too much: {said}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tacit", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--environment", action="append", default=[])
    parser.add_argument("--flag", action="append", default=[], help="of the compiler")
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("programs", nargs="+", type=Path)
    asked = parser.parse_args()
    failed, count = 0, 0
    for source in asked.programs:
        text = source.read_text()
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / source.stem
            done = subprocess.run([asked.tacit, "cc", "--overlap=off", "--annotations=check", "-O2", "-Wall", "-Werror",
                                   "-Wno-unknown-pragmas", *asked.flag, str(source), "-o", str(program)], capture_output=True, text=True)
            if done.returncode:
                print(f"{source.name} does not compile:\n{done.stderr}", file=sys.stderr)
                return 1
            for name, expected in expectations(text).items():
                if asked.case and name not in asked.case:
                    continue
                count += 1
                problem = problem_of(asked, source, program, re.search(r"ranks=(\d+)", text)[1], name, expected)
                if problem:
                    failed += 1
                    print(f"{source.name}, {name}: {problem}", file=sys.stderr)
    print(f"{count} cases, {failed} wrong")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
