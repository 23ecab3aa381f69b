#!/usr/bin/env python3
"""Blocking neighborhood collectives of a program (bench/blocking_calls.c) as the MPI library does them and under
`tacit run --apply`, alternating in one run. Writes one result file: machine, commit, command, load, and microseconds a call.

    bench/blocking_calls.py                      10 rounds on 2 ranks, bench/results/blocking-calls-<machine>.json
    bench/blocking_calls.py --rounds 3 --stdout
    bench/blocking_calls.py --before FILE        the interposer of another build, too

Processes alternate, since an interposer changes its process for good (Open MPI's progress loop gets longer with the first
nonblocking collective). Of each case the lowest 10th percentile of all rounds counts: whatever disturbs a machine only adds.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import ROOT, git, machine, write_result

LAUNCHER = ["mpiexec.openmpi", "--allow-run-as-root", "--mca", "mpi_yield_when_idle", "0"]
LINE = re.compile(r"^(MPI_\w+) (\d) (\d+) ([\d.]+) ([\d.]+)$", re.MULTILINE)


def run(program: Path, ranks: int, library: Path | None) -> dict[tuple, float]:
    settings = ["env", f"LD_PRELOAD={library}", "TACIT_APPLY=1"] if library else []
    done = subprocess.run([*LAUNCHER, "-n", str(ranks), *settings, str(program)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=True)
    return {(call, int(d), int(b)): float(us) for call, d, b, _, us in LINE.findall(done.stdout)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--before", type=Path, help="an interposer of an earlier commit")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    interposers = {"plain": None, "applied": (arguments.build / "lib/libtacit-interpose.so").resolve()}
    if arguments.before:
        interposers["before"] = arguments.before.resolve()
    for file in interposers.values():
        if file and not file.exists():
            sys.exit(f"{file} does not exist: build the preset release first")
    result = {"benchmark": "blocking neighborhood collectives of a program", "machine": machine(), "commit": git("rev-parse", "HEAD"),
              "command": " ".join(["bench/blocking_calls.py", *sys.argv[1:]]), "ranks": arguments.ranks, "cases": []}
    best: dict[tuple, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        program = Path(folder) / "blocking_calls"
        subprocess.run(["mpicc.openmpi", "-O2", str(ROOT / "bench/blocking_calls.c"), "-o", str(program)], check=True)
        for _ in range(arguments.rounds):
            for name, library in interposers.items():
                for case, us in run(program, arguments.ranks, library).items():
                    best.setdefault(case, {})[name] = min(best.get(case, {}).get(name, us), us)
    for (call, dimensions, size), us in best.items():
        result["cases"].append({"call": call, "dimensions": dimensions, "bytes": size, "us": us,
                                "plain_over_applied": round(us["plain"] / us["applied"], 2)})
        print(f"{call:24} {dimensions}D {size:5} B  " + "  ".join(f"{name} {t:.3f} us" for name, t in us.items())
              + f"  {us['plain'] / us['applied']:.2f}x", file=sys.stderr)
    write_result("blocking-calls", result, arguments.stdout)


if __name__ == "__main__":
    main()
