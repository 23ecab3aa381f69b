#!/usr/bin/env python3
"""What running as tasks adds to a step of N-body: beside the same step by hand in plain MPI, in one run.

    bench/papers/s3/nbody_overhead.py                 two ranks under Open MPI and MPICH, writes the result file
    bench/papers/s3/nbody_overhead.py --mpi openmpi --ranks 1 2 --repetitions 3 --stdout

A case is a number of bodies (24 bytes each, of which every rank sends its part to all others) and how long each of the two
kernels of a step computes. A run alternates rounds of tasks and of the twin (nbody_overhead.cpp); its ratio is the median of
the rounds'. The row of a case is the run with the median ratio; `tasks_least_us` and `hand_least_us` are the least of its rounds,
which other programs of a busy machine disturb least. The MPI libraries run with their own defaults. First build:
cmake --build --preset release --target s3_nbody_overhead, the same for release-mpich.
"""
import argparse
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from measured import dirty, machine, output, rows_of, write_cases  # noqa: E402

CASES = [  # bodies, microseconds of a kernel, steps of a round
    (8, 0, 200), (1024, 0, 200), (4096, 0, 100), (16384, 0, 100), (65536, 0, 50), (262144, 0, 20), (1048576, 0, 5),
    (1024, 100, 100), (1024, 1000, 20)]


def words(row: dict) -> str:
    return (f"{row['mpi']:8} {row['ranks']} ranks {row['bodies']:8} bodies {row['kernel_us']:5} us: tasks {row['tasks_us']:9.2f} "
            f"(least {row['tasks_least_us']:.2f}), by hand {row['hand_us']:9.2f} (least {row['hand_least_us']:.2f}) us a step, "
            f"ratio {row['ratio']:.3f}")


def median_of(library: str, ranks: int, case: tuple, rounds: int, repetitions: int) -> dict:
    arguments = [str(case[0]), str(case[1]), str(case[2]), str(rounds)]
    rows = [row for _ in range(repetitions) for row in rows_of("s3_nbody_overhead", library, ranks, arguments, words)]
    return sorted(rows, key=lambda row: row["ratio"])[len(rows) // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", default=["openmpi", "mpich"], choices=["openmpi", "mpich"])
    parser.add_argument("--ranks", nargs="+", type=int, default=[2])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--add", action="store_true", help="keep the cases of other libraries and numbers of ranks")
    parser.add_argument("--stdout", action="store_true", help="print the rows only, write no file")
    options = parser.parse_args()
    result = {"command": shlex.join(["bench/papers/s3/nbody_overhead.py", *sys.argv[1:]]),
              "commit": output("git", "rev-parse", "--short", "HEAD"), "dirty": dirty(), "machine": machine()}
    rows = [median_of(library, ranks, case, options.rounds, options.repetitions)
            for library in options.mpi for ranks in options.ranks for case in CASES]
    if not options.stdout:
        write_cases("papers-s3-nbody-overhead", result, rows, add=options.add)


if __name__ == "__main__":
    main()
