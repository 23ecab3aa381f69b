#!/usr/bin/env python3
"""Check mode reports what goes wrong when a condition of docs/soundness.md is left out, with rank and line.

Each program is compiled for check mode with a condition taken to hold (the hidden option -tacit-overlap-assume), and run in check
mode, which has to say where. (That it is silent with all conditions is what run_programs.py looks at.) The pass has had
all of these faults, or could.

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

from run_programs import assuming, compile_program, run, settings_of

PLANTED = {
    "data": ["user_functions.c", "mirror.c", "several_pieces.c", "error_code_in_message.f90"],
    "bytes": ["bytes.c", "alltoallw.c"],
    "variables": ["move_alloc.f90"],
    "user_code": ["user_functions.c", "callback_waits.c", "returned_request.c", "pcontrol.c",
                  "interrupted.c"],
    "calls": ["bytes.c", "absf.c", "move_alloc.f90"],
    "control": ["returns_early.c", "exits_of_a_switch.c"],
    "ordering": ["told.c", "told_by_ssend.c", "cancelled.c", "size_of_a_file.c", "characters.f90"],
    "waiting": ["waiting.c", "waiting_for_a_file.cpp", "waiting_for_input.f90", "parked.c"],
    "status": ["looked_at_status.c", "looked_at_statuses.c", "status_in_common.f90"],
    "errors": ["looked_at_error.c", "thrown_errors.cpp"],
}
# Run once with each argument; those of MPI 4 are not everywhere.
ARGUMENTS = {"several_pieces.c": "ibcast ireduce iallreduce in_place iscan iexscan ireduce_scatter ireduce_scatter_block iallgather "
                                 "iallgatherv ialltoall ialltoallv igather igatherv iscatter iscatterv isendrecv".split()}
NOT_HERE = "not here"


def problems_of(asked, condition, name):
    source = asked.programs / name
    settings = settings_of(source)
    ranks = settings.pop("ranks", "2")
    environment = settings_of(source, "environment:") | {"TACIT_OVERLAP_CHECK": "1"}
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        if problem := compile_program(asked.tacit, source, program, "apply", settings | {"check": "1"},
                                      ["-g", *assuming(asked, source, condition)]):
            return [f"without {condition}, {name}: {problem}"]
        for arguments in [[one] for one in ARGUMENTS.get(name, [])] or [[]]:
            # Open MPI 4.1.4's launcher crashes or hangs now and then after MPI_Abort, on its own way out: what counts is what was said.
            said = run(asked.launcher, ranks, program, 60, arguments, **environment)
            if NOT_HERE in said:
                continue
            if not re.search(r"tacit: rank \d+: .*\b[\w.]+:\d+:\d+\b", said) or "TACIT-118" not in said:
                problems.append(f"without {condition}, {name} {' '.join(arguments)}: nothing reported:\n{said[-1500:]}")
    return problems


def problems_of_watching(asked, check):
    """A run in check mode says where a file is not compiled for it, and only there."""
    source = asked.programs / "returns_early.c"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        if problem := compile_program(asked.tacit, source, program, "apply", settings_of(source) | {"check": check}, ["-g"]):
            return [problem]
        done = subprocess.run([*shlex.split(asked.launcher), "-n", "2", str(program)], capture_output=True, text=True, timeout=60,
                              env=dict(os.environ, TACIT_OVERLAP_CHECK="1"))
    said = bool(re.search(r"tacit: rank \d+: .* at \S*returns_early\.c:\d+:\d+ .*\[TACIT-122\]", done.stderr))
    return [] if said == (check == "0") else [f"compiled with check={check}: {done.stderr[-1500:]}"]


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
    planted = [(condition, name) for condition, names in PLANTED.items() for name in names
               if condition not in asked.left_out and (asked.fortran or not name.endswith(".f90"))]
    with ThreadPoolExecutor(asked.jobs) as pool:
        problems = [problem for found in pool.map(lambda row: problems_of(asked, *row), planted) for problem in found]
    problems += problems_of_watching(asked, "0") + problems_of_watching(asked, "1")
    for problem in problems:
        print(problem)
    tried, failed = len(planted), len(problems)
    print(f"{tried} faults, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
