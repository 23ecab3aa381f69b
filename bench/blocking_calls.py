#!/usr/bin/env python3
"""Blocking neighborhood collectives of a program (bench/blocking_calls.c) under `tacit run --apply` and as the MPI library does
them: blocks of both take turns in the same processes; and in processes without tacit, with which those alternate. Writes one
result file: machine, commit, command, load, microseconds a call.

    bench/blocking_calls.py                            2 and 4 ranks, both MPI libraries, bench/results/blocking-calls-<machine>.json
    bench/blocking_calls.py --rounds 1 --stdout --mpi openmpi --ranks 2
    bench/blocking_calls.py --before FILE              the interposer of another build, too

`library_over_applied` is the median over all rounds of what a process found: the median of pairs of blocks, the library's time over
that of the program's call. `plain_over_applied` compares the processes: lowest 10th percentiles of all rounds, which need many rounds, as
from process to process times differ by half here. `noise` is what processes without tacit find, where both names are one function.
"""
import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import PRESETS, ROOT, dirty, git, machine, user_environment, write_result

LINE = re.compile(r"^([\w-]+) (MPI_\w+) (\d+) ([\d.]+) ([\d.]+) ([\d.]+)$", re.MULTILINE)


def run(mpi: str, program: Path, ranks: int, library: Path | None) -> dict[tuple, tuple]:
    settings = ["env", f"LD_PRELOAD={library}", "TACIT_APPLY=1"] if library else []
    environment = user_environment() | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                        "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    done = subprocess.run([f"mpiexec.{mpi}", "-n", str(ranks), *settings, str(program)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=True, env=environment)
    return {found[:3]: tuple(map(float, found[3:])) for found in LINE.findall(done.stdout)}


def measure(mpi: str, ranks: int, program: Path, interposers: dict[str, Path | None], rounds: int) -> list[dict]:
    us: dict[tuple, dict[str, float]] = {}
    ratios: dict[tuple, dict[str, list[float]]] = {}
    for _ in range(rounds):
        for name, library in interposers.items():
            for case, (of_program, of_library, ratio) in run(mpi, program, ranks, library).items():
                times = us.setdefault(case, {})
                for kind, time in [(name, of_program)] + [("library", of_library)] * (name == "applied"):
                    times[kind] = min(times.get(kind, time), time)
                ratios.setdefault(case, {}).setdefault(name, []).append(ratio)
    rows = []
    for (topology, call, size), times in us.items():
        found = {name: round(statistics.median(values), 2) for name, values in ratios[topology, call, size].items()}
        rows.append({"mpi": mpi, "ranks": ranks, "topology": topology, "call": call, "bytes": int(size), "us": times,
                     "library_over_applied": found["applied"], "plain_over_applied": round(times["plain"] / times["applied"], 2),
                     "noise": found["plain"]} | ({"library_over_before": found["before"]} if "before" in found else {}))
        print(f"{mpi} {ranks} {topology:13} {call:24} {size:>5} B  " + "  ".join(f"{name} {t:.3f} us" for name, t in times.items())
              + f"  {rows[-1]['library_over_applied']:.2f}x", file=sys.stderr)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, help="an interposer of an earlier commit")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--mpi", nargs="+", default=list(PRESETS), choices=list(PRESETS))
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    interposers = {mpi: ROOT / "build" / PRESETS[mpi] / "lib/libtacit-interpose.so" for mpi in arguments.mpi}
    for file in [*interposers.values(), *([arguments.before] if arguments.before else [])]:
        if not file.exists():
            sys.exit(f"{file} does not exist: build the presets {', '.join(PRESETS.values())} first")
    result = {"benchmark": "blocking neighborhood collectives of a program", "machine": machine(), "commit": git("rev-parse", "HEAD"),
              "dirty": dirty(), "command": " ".join(["bench/blocking_calls.py", *sys.argv[1:]]), "cases": []}
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        for mpi in arguments.mpi:
            program = Path(folder) / f"blocking_calls_{mpi}"
            subprocess.run([f"mpicc.{mpi}", "-O2", str(ROOT / "bench/blocking_calls.c"), "-o", str(program), "-ldl"], check=True)
            ways = {"plain": None, "applied": interposers[mpi]} | ({"before": arguments.before.resolve()} if arguments.before else {})
            for ranks in arguments.ranks:
                result["cases"] += measure(mpi, ranks, program, ways, arguments.rounds)
    write_result("blocking-calls", result, arguments.stdout)


if __name__ == "__main__":
    main()
