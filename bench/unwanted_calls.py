#!/usr/bin/env python3
"""What `tacit run --apply` adds to calls that it does not take over: bench/unwanted_calls.c with and without the interposer,
alternating in one run, without and with a persistent neighborhood operation alive. Writes one result file: machine, commit,
command, and nanoseconds a call.

    bench/unwanted_calls.py                10 rounds at 1 and 2 ranks, bench/results/unwanted-calls-<machine>.json
    bench/unwanted_calls.py --mpi mpich    the same with the preset release-mpich, unwanted-calls-mpich-<machine>.json
    bench/unwanted_calls.py --rounds 3 --stdout

Of each case the fastest block of all rounds counts: whatever disturbs a machine only adds. The exchange with MPI_PROC_NULL, and the
one of a single rank with itself, wait for nobody, so that they can be trusted beside other work; two ranks want two free cores.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import ROOT, git, machine, write_result

LAUNCHERS = {"openmpi": ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"], "mpich": ["mpiexec.mpich"]}
PRESETS = {"openmpi": "release", "mpich": "release-mpich"}
NAMES = {"openmpi": "unwanted-calls", "mpich": "unwanted-calls-mpich"}
GOAL_NS = 5.0


def run(launcher: list[str], program: Path, ranks: int, library: Path | None, alive: bool) -> dict[str, float]:
    settings = ["env", f"LD_PRELOAD={library}", "TACIT_APPLY=1"] if library else []
    done = subprocess.run([*launcher, "-n", str(ranks), *settings, str(program), *["alive"] * alive], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=True)
    return {name: float(ns) for name, ns in re.findall(r"^(\w+) ([\d.]+)$", done.stdout, re.MULTILINE)}


def measure(launcher: list[str], program: Path, library: Path, ranks: int, rounds: int) -> list[dict]:
    best: dict[tuple[str, bool, bool], float] = {}
    for _ in range(rounds):
        for alive in (False, True):
            for applied in (False, True):
                for name, ns in run(launcher, program, ranks, library if applied else None, alive).items():
                    best[name, alive, applied] = min(best.get((name, alive, applied), ns), ns)
    return [{"ranks": ranks, "peer": name, "persistent_operation_alive": alive, "plain_ns": best[name, alive, False],
             "applied_ns": best[name, alive, True], "added_ns": round(best[name, alive, True] - best[name, alive, False], 2)}
            for name in ("nobody", "next_rank") for alive in (False, True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=LAUNCHERS, default="openmpi")
    parser.add_argument("--build", type=Path, help="default: that of the preset for this MPI")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    preset = PRESETS[arguments.mpi]
    library = ((arguments.build or ROOT / "build" / preset) / "lib/libtacit-interpose.so").resolve()
    if not library.exists():
        sys.exit(f"{library} does not exist: build the preset {preset} first")
    result = {"benchmark": "calls that nobody wants", "machine": machine(), "commit": git("rev-parse", "HEAD"),
              "command": " ".join(["bench/unwanted_calls.py", *sys.argv[1:]]), "goal_ns": GOAL_NS, "cases": []}
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        program = Path(folder) / "unwanted_calls"
        subprocess.run([f"mpicc.{arguments.mpi}", "-O2", "-w", str(ROOT / "bench/unwanted_calls.c"), "-o", str(program)], check=True)
        for ranks in arguments.ranks:
            result["cases"] += measure(LAUNCHERS[arguments.mpi], program, library, ranks, arguments.rounds)
    write_result(NAMES[arguments.mpi], result, arguments.stdout)


if __name__ == "__main__":
    main()
