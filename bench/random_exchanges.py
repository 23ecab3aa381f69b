#!/usr/bin/env python3
"""Random exchanges (bench/random_exchanges.c) as the program's own loop of messages and as compiled graphs: graphs that no model was fitted
to. Writes one result file: machine, commit, command, and of each exchange how many times as fast it is as the loop.

    bench/random_exchanges.py                     seeds 1 to 200 on 2 ranks and 1 to 60 on 4, bench/results/random-exchanges-<machine>.json
    bench/random_exchanges.py --ranks 2 --last 50 --stdout
    bench/random_exchanges.py --mpi mpich --ranks 2

Settings of Open MPI in the environment do not count, as in other benchmarks: ranks read each other's memory where the system lets them.
"""
import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import ROOT, git, machine, user_environment, write_result

LAUNCHERS = {"openmpi": ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"], "mpich": ["mpiexec.mpich"]}
PRESETS = {"openmpi": "release", "mpich": "release-mpich"}
NAMES = {"openmpi": "random-exchanges", "mpich": "random-exchanges-mpich"}
LAST = {2: 200, 4: 60}
SLOWER = 0.97


def build(folder, mpi, libraries):
    program = Path(folder) / "random_exchanges"
    subprocess.run([f"mpicc.{mpi}", "-O2", f"-I{ROOT / 'include'}", str(ROOT / "bench/random_exchanges.c"), "-o", str(program),
                    f"-L{libraries}", "-ltacit", f"-Wl,-rpath,{libraries}"], check=True)
    return program


def measure(launcher, program, ranks, first, last):
    done = subprocess.run([*launcher, "-n", str(ranks), str(program), str(first), str(last)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=user_environment(), check=False)
    if done.returncode != 0:
        sys.exit(f"{ranks} ranks failed: {done.stderr[-2000:]}")
    for line in done.stdout.splitlines():
        seed, messages, size, loop, graph, runs = line.split(" ", 5)
        yield {"ranks": ranks, "seed": int(seed), "messages": int(messages), "bytes": int(size), "loop_us": float(loop),
               "graph_us": float(graph), "times_as_fast": round(float(loop) / float(graph), 3), "runs": runs}


def summary(rows):
    ratios = sorted(row["times_as_fast"] for row in rows)
    return {"exchanges": len(ratios), "median": round(statistics.median(ratios), 2), "lowest": ratios[0],
            "slower": sum(ratio < SLOWER for ratio in ratios), "slower_than": SLOWER}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=LAUNCHERS, default="openmpi")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--last", type=int, metavar="SEED")
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    libraries = ROOT / "build" / PRESETS[arguments.mpi] / "lib"
    if not (libraries / "libtacit.so").exists():
        sys.exit(f"{libraries}/libtacit.so does not exist: build the preset {PRESETS[arguments.mpi]} first")
    result = {"benchmark": "random exchanges", "machine": machine(), "commit": git("rev-parse", "HEAD"),
              "command": " ".join(["bench/random_exchanges.py", *sys.argv[1:]]), "summary": {}, "cases": []}
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        program = build(folder, arguments.mpi, libraries)
        for ranks in arguments.ranks:
            rows = list(measure(LAUNCHERS[arguments.mpi], program, ranks, arguments.first, arguments.last or LAST.get(ranks, 60)))
            result["summary"][f"{ranks} ranks"] = summary(rows)
            result["cases"] += rows
            print(f"{ranks} ranks: {summary(rows)}", file=sys.stderr)
    write_result(NAMES[arguments.mpi], result, arguments.stdout)


if __name__ == "__main__":
    main()
