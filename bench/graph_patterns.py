#!/usr/bin/env python3
"""Patterns written by hand (bench/graph_patterns.c): the program's own loop of messages, MPI's blocking collective, and the
compiled graph by default, as written and tuned (TACIT_TUNE). Writes one result file: machine, commit, command, load, microseconds.

    bench/graph_patterns.py                       5 rounds on 2 and on 4 ranks, bench/results/graph-patterns-<machine>.json
    bench/graph_patterns.py --ranks 2 --rounds 3 --stdout
    bench/graph_patterns.py --fresh               buffers written before each run and read behind it: graph-patterns-fresh-<machine>.json

Processes of the ways alternate. Of each case the lowest 10th percentile of all rounds counts: whatever disturbs a machine only adds.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import ROOT, git, machine, user_environment, write_result

LAUNCHER = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]
WAYS = ["loop", "mpi", "graph", "written", "tuned"]


def run(program, ranks, way, fresh):
    done = subprocess.run([*LAUNCHER, "-n", str(ranks), str(program), way, *(["fresh"] if fresh else [])], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=user_environment(), check=False)
    if done.returncode != 0:
        sys.exit(f"{way} on {ranks} ranks failed: {done.stderr[-2000:]}")
    for line in done.stdout.splitlines():
        pattern, size, us = line.split()
        yield (pattern, int(size)), float(us)


def build(folder, libraries):
    program = Path(folder) / "graph_patterns"
    subprocess.run(["mpicc.openmpi", "-O2", f"-I{ROOT / 'include'}", str(ROOT / "bench/graph_patterns.c"), "-o", str(program),
                    f"-L{libraries}", "-ltacit", f"-Wl,-rpath,{libraries}"], check=True)
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    libraries = (arguments.build / "lib").resolve()
    if not (libraries / "libtacit.so").exists():
        sys.exit(f"{libraries}/libtacit.so does not exist: build the preset release first")
    result = {"benchmark": "patterns written by hand", "machine": machine(), "commit": git("rev-parse", "HEAD"),
              "command": " ".join(["bench/graph_patterns.py", *sys.argv[1:]]), "cases": []}
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        program = build(folder, libraries)
        for ranks in arguments.ranks:
            best = {}
            for _ in range(arguments.rounds):
                for way in WAYS:
                    for case, us in run(program, ranks, way, arguments.fresh):
                        best.setdefault(case, {})[way] = min(best.get(case, {}).get(way, us), us)
            for (pattern, size), us in best.items():
                over = {way: round(us["loop"] / us[way], 2) for way in WAYS[1:]}
                result["cases"].append({"ranks": ranks, "pattern": pattern, "bytes": size, "us": us, "loop_over": over})
                print(f"{ranks} {pattern:9} {size:8} B  loop {us['loop']:8.2f} us  loop over " +
                      "  ".join(f"{way} {x:.2f}" for way, x in over.items()), file=sys.stderr)
    write_result("graph-patterns-fresh" if arguments.fresh else "graph-patterns", result, arguments.stdout)


if __name__ == "__main__":
    main()
