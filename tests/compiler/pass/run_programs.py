#!/usr/bin/env python3
"""Runs the programs of tests/compiler/pass/programs plain and transformed; both must print the same.

The first line of a program may give settings of the pass and the number of ranks: `// options: mode=conservative ranks=3`
(2 ranks otherwise; `//` or `!`), a file of the folder `elsewhere` that belongs to it (`with=absf.c`), or variables with which it runs:
`// environment: OMPI_MCA_btl=self,tcp`. Every program
runs plain, transformed, and compiled for check mode and in it. Where the second line names conditions of docs/soundness.md
(`// assume: ordering`), the program transformed with one of these taken to hold must print something else: it is worth its time.

Usage: run_programs.py --tacit FILE --pass FILE --launcher "MPIEXEC FLAGS" PROGRAM...
"""
import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import takewhile
from pathlib import Path

COMPILERS = {".c": "cc", ".cpp": "cxx", ".f90": "fc"}


def settings_of(source, word="options:"):
    first = source.read_text().split("\n", 1)[0]
    words = first.split(word)[1].split() if word in first else []
    return dict(pair.split("=") for pair in takewhile(lambda pair: not pair.endswith(":"), words))


def assumed_by(source):
    lines = source.read_text().split("\n", 2)
    return lines[1].split("assume:")[1].split() if "assume:" in lines[1] else []


def assuming(asked, source, condition):
    """Flags for the compiler: the condition is taken to hold. (Clang knows options of a plugin that it has loaded.)"""
    load = ["-Xflang", "-load", "-Xflang", asked.plugin] if source.suffix == ".f90" else [f"-fplugin={asked.plugin}"]
    return [*load, "-mllvm", f"-tacit-overlap-assume={condition}"]


def compile_program(tacit, source, program, overlap, settings, assumed=()):
    environment = dict(os.environ, TACIT_OVERLAP=overlap)
    environment |= {f"TACIT_OVERLAP_{name.upper()}": value for name, value in settings.items() if name != "with"}
    others = [str(source.parent.parent / "elsewhere" / settings["with"])] if "with" in settings else []
    flags = [*assumed, *(["-fopenmp"] if "pragma omp" in source.read_text() else [])]
    command = [tacit, COMPILERS[source.suffix], "-O2", "-w", *flags, str(source), *others, "-o", str(program)]
    done = subprocess.run(command, cwd=program.parent, env=environment, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"does not compile ({overlap}):\n{done.stderr}"


def run(launcher, ranks, program, limit=900, arguments=(), **environment):
    command = [*shlex.split(launcher), "-n", ranks, str(program), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit,
                              env=dict(os.environ, **environment))
    except subprocess.TimeoutExpired as late:  # what it has are bytes, whatever was asked for
        return "hangs: " + "".join((part or b"").decode(errors="replace") for part in (late.stdout, late.stderr))
    if done.returncode:
        return f"exit {done.returncode}: {done.stdout}{done.stderr}"
    return "".join(sorted(done.stdout.splitlines(keepends=True)))  # launchers mix the lines of several ranks


def problems_of(source, asked, folder):
    settings = settings_of(source)
    ranks = settings.pop("ranks", "2")
    environment = settings_of(source, "environment:")
    plain, moved, checked = folder / "plain", folder / "moved", folder / "checked"
    for program, overlap, check in ((plain, "off", {}), (moved, "apply", {}), (checked, "apply", {"check": "1"})):
        if problem := compile_program(asked.tacit, source, program, overlap, settings | check):
            return [problem]
    begun = time.monotonic()
    plain = run(asked.launcher, ranks, plain, **environment)
    hangs = 1 + 5 * (time.monotonic() - begun)  # what may have to hang is waited for no longer than that
    if not plain or plain.startswith(("exit", "hangs")):
        return [f"the program itself: {plain or 'prints nothing'}"]
    seen = {"transformed": run(asked.launcher, ranks, moved, **environment),
            "in check mode": run(asked.launcher, ranks, checked, TACIT_OVERLAP_CHECK="1", **environment)}
    found = [f"{how}: {text[:2000]!r} instead of {plain!r}" for how, text in seen.items() if text != plain]
    for condition in assumed_by(source):
        wrong = folder / f"without_{condition}"
        if problem := compile_program(asked.tacit, source, wrong, "apply", settings, assuming(asked, source, condition)):
            found.append(problem)
        # Whether a message comes before its wrongly placed wait is a matter of time, so that one run may be right by luck.
        elif all(run(asked.launcher, ranks, wrong, limit=hangs, **environment) == plain for _ in range(5)):
            found.append(f"taking {condition} to hold changes nothing that it prints")
    return found


def problems_in_a_folder(source, asked):
    with tempfile.TemporaryDirectory() as folder:
        return problems_of(source, asked, Path(folder))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tacit", required=True, type=lambda name: str(Path(name).resolve()))
    parser.add_argument("--pass", dest="plugin", required=True, type=lambda name: str(Path(name).resolve()))
    parser.add_argument("--launcher", required=True)
    parser.add_argument("programs", nargs="+", type=lambda name: Path(name).resolve())
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    failed = 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        for source, problems in zip(asked.programs, pool.map(lambda source: problems_in_a_folder(source, asked), asked.programs)):
            failed += len(problems)
            for problem in problems:
                print(f"{source.name}: {problem}")
    print(f"{len(asked.programs)} programs, {failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
