#!/usr/bin/env python3
"""Check mode reports what goes wrong when a condition of docs/soundness.md is left out, with rank and line.

Each program is compiled with a condition taken to hold (the hidden option -tacit-overlap-assume) and run in check mode,
which has to say where; and with all conditions, when it has to be silent.

Usage: check_mode.py --tacit FILE --pass FILE --launcher "MPIEXEC FLAGS" --programs FOLDER [--fortran] [--left-out CONDITION...]
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

from run_programs import COMPILERS, assuming, settings_of

# Condition, program, code of the message.
PLANTED = [("user_code", "user_functions.c", 118), ("bytes", "bytes.c", 118), ("calls", "bytes.c", 118),
           ("data", "user_functions.c", 118), ("waiting", "waiting.c", 119), ("waiting", "waiting_for_a_file.cpp", 119),
           ("variables", "move_alloc.f90", 118), ("calls", "move_alloc.f90", 118), ("waiting", "waiting_for_input.f90", 119)]


def said_by(asked, source, condition, folder):
    settings = settings_of(source)
    environment = dict(os.environ, TACIT_OVERLAP="apply", TACIT_OVERLAP_CHECK="1", **settings_of(source, "environment:"))
    environment |= {f"TACIT_OVERLAP_{name.upper()}": value for name, value in settings.items() if name != "ranks"}
    assume = assuming(asked, source, condition) if condition else []
    program = folder / "program"
    command = [asked.tacit, COMPILERS[source.suffix], "-g", "-O2", "-w", *assume, str(source), "-o", str(program)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        return f"does not compile:\n{done.stderr[-2000:]}"
    try:
        done = subprocess.run([*shlex.split(asked.launcher), "-n", "2", str(program)], capture_output=True, text=True,
                              errors="replace", timeout=900, env=environment)
    except subprocess.TimeoutExpired:
        return "hangs"
    return done.stderr


def problems_of(asked, condition, name, code):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        said = said_by(asked, asked.programs / name, condition, Path(folder))
        report = re.search(r"tacit: rank \d+: .*\b" + re.escape(name) + r":\d+:\d+\b", said)
        if not report or f"TACIT-{code}" not in said:
            problems.append(f"without {condition}, {name}: nothing reported:\n{said[-1500:]}")
        correct = said_by(asked, asked.programs / name, "", Path(folder))
        if "tacit:" in correct or correct.startswith(("hangs", "does not compile")):
            problems.append(f"{name} as it should be: {correct[-1500:]}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tacit", required=True, type=lambda name: str(Path(name).resolve()))
    parser.add_argument("--pass", dest="plugin", required=True, type=lambda name: str(Path(name).resolve()))
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--programs", required=True, type=lambda name: Path(name).resolve())
    parser.add_argument("--fortran", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--left-out", nargs="*", default=[], help="conditions")
    asked = parser.parse_args()
    planted = [row for row in PLANTED if row[0] not in asked.left_out and (asked.fortran or not row[1].endswith(".f90"))]
    with ThreadPoolExecutor(asked.jobs) as pool:
        problems = [problem for found in pool.map(lambda row: problems_of(asked, *row), planted) for problem in found]
    for problem in problems:
        print(problem)
    tried, failed = len(planted), len(problems)
    print(f"{tried} conditions, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
