#!/usr/bin/env python3
"""Checks what the overlap pass says about every MPI call of the case files.

A case file states its expectations beside the calls, in comments on the same line:
    MPI_Send(...);   // moved                 it is moved, split or sent from a copy
    MPI_Wait(...);   // proved                it is moved, and nothing is left to be compared when the program runs
    MPI_Wait(...);   // guarded               it is moved, and the program compares addresses when it runs
    MPI_Send(...);   // copied                it is sent from a copy
    MPI_Wait(...);   // stays TACIT-104       it stays, for this reason (every remark of the line must name it)
The first line may give options: `// options: mode=conservative rename=off`; optimize=1 is for -O1. A call without an expectation
fails the case, unless it is of a kind the pass never speaks about. Every case is compiled in apply mode (and the module verified
by LLVM), and again in report mode, which must say the same and leave the code alone.

Usage: check_remarks.py PLUGIN MPI_FAMILY FILE...
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REMARK = re.compile(r"^(.*?):(\d+):(\d+): remark: (.*?) \[-Rpass")
EXPECTATION = re.compile(r"(?://|!)\s*(moved|proved|guarded|copied|stays)\b\s*(TACIT-\d+)?")


def compiler(path, family):
    if path.suffix == ".f90":
        include = {"openmpi": "/usr/lib/x86_64-linux-gnu/openmpi/include", "mpich": "/usr/include/x86_64-linux-gnu/mpich"}[family]
        return ["flang-new-19", f"-I{include}"]
    return [f"mpicxx.{family}" if path.suffix == ".cpp" else f"mpicc.{family}"]


def compile_case(path, plugin, family, action, options, output):
    optimize = options.get("optimize", "2")
    environment = dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19", OMPI_CXX="clang++-19", MPICH_CXX="clang++-19",
                       TACIT_OVERLAP=action)
    for key, value in options.items() - {("optimize", optimize)}:
        environment["TACIT_OVERLAP_" + key.upper()] = value
    command = compiler(path, family) + [f"-O{optimize}", "-g", f"-fpass-plugin={plugin}", "-S", "-emit-llvm", "-o", str(output), str(path)]
    command += [f"-Rpass{kind}=mpi-overlap" for kind in ("", "-missed", "-analysis")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"{path.name}: does not compile ({action}):\n{run.stderr}")
    remarks = {}
    for line in run.stderr.splitlines():
        if match := REMARK.match(line):
            remarks.setdefault(int(match[2]), []).append(match[4])
    return remarks


def outcome(texts):
    """What the remarks of one line amount to."""
    outcomes = set()
    for text in texts:
        if "not moved" in text:
            outcomes.add("stays " + re.findall(r"TACIT-\d+", text)[-1])
        elif "sent from a copy" in text:
            outcomes.add("copied")
        else:
            outcomes.add("guarded" if "if it is the same memory" in text else "proved")
    return outcomes


def fits(expected, seen):
    return seen == {expected} or expected == "moved" and seen and seen <= {"proved", "guarded"}


def check(path, plugin, family):
    source = path.read_text().splitlines()
    options = dict(pair.split("=") for pair in source[0].split("options:")[1].split()) if "options:" in source[0] else {}
    expected = {}
    for number, line in enumerate(source, 1):
        if match := EXPECTATION.search(line):
            expected[number] = match[1] + (" " + match[2] if match[2] else "")
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        texts = {}
        for action in ("apply", "report"):
            remarks = compile_case(path, plugin, family, action, options, Path(folder) / f"{action}.ll")
            seen = {line: outcome(texts_of_line) for line, texts_of_line in remarks.items()}
            for line in sorted(set(expected) | set(seen)):
                if not fits(expected.get(line), seen.get(line)):
                    problems.append(f"{path.name}:{line} ({action}): expected {expected.get(line)}, got "
                                    f"{sorted(seen.get(line, []))}: {remarks.get(line)}")
            texts[action] = (Path(folder) / f"{action}.ll").read_text()
        if "__tacit_" in texts["report"]:
            problems.append(f"{path.name}: report mode changed the program")
        if any(not value.startswith("stays") for value in expected.values()) and "__tacit_" not in texts["apply"]:
            problems.append(f"{path.name}: apply mode changed nothing")
    return problems, len(expected)


def main():
    plugin, family, *files = sys.argv[1:]
    problems, sites = [], 0
    for name in files:
        found, count = check(Path(name), plugin, family)
        problems += found
        sites += count
    print("\n".join(problems))
    print(f"{len(files)} files, {sites} expectations, {len(problems)} problems")
    return 1 if problems or sites == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
