#!/usr/bin/env python3
"""Up to which length repeated messages of tasks go through the memory of the node (`longest_in_channel` in
src/runtime/executor/node_channels.cpp): steps of N-body with empty kernels, through channels and, with TACIT_SHM=off, by MPI.

    bench/papers/s3/channels.py                  two ranks under Open MPI and MPICH, writes the result file
    bench/papers/s3/channels.py --mpi openmpi --rounds 3 --stdout

A round runs each way once, in changing order. `ratio` is the median over the rounds of (through channels / by MPI), from the least
time of a step in each run, which other programs of a busy machine disturb least. Lengths above the limit cannot be measured: both ways are
MPI's. First build: cmake --build --preset release --target s3_nbody_overhead, the same for release-mpich.
"""
import argparse
import shlex
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from measured import dirty, machine, output, rows_of, write_cases  # noqa: E402

BODIES = (8, 170, 680, 1024, 2048, 4096, 5460)  # each rank sends half of them, 24 bytes each


def least(library: str, bodies: int, channels: bool) -> tuple[float, float]:
    settings = {} if channels else {"TACIT_SHM": "off"}
    row = rows_of("s3_nbody_overhead", library, 2, [str(bodies), "0", "100", "10"], lambda _: ".", **settings)[0]
    return row["tasks_least_us"], row["hand_least_us"]


def case(library: str, bodies: int, rounds: int) -> dict:
    pairs = []
    for i in range(rounds):
        both = {way: least(library, bodies, way) for way in ((True, False) if i % 2 == 0 else (False, True))}
        pairs.append((both[True], both[False]))
    row = {"mpi": library, "ranks": 2, "bodies": bodies, "bytes": 12 * bodies, "rounds": rounds,
           "channels_us": statistics.median(c for (c, _), _ in pairs), "mpi_us": statistics.median(m for _, (m, _) in pairs),
           "hand_us": statistics.median(h for pair in pairs for _, h in pair),
           "ratio": round(statistics.median(c / m for (c, _), (m, _) in pairs), 3)}
    print(f"{library:8} {row['bytes']:6} bytes: through channels {row['channels_us']:.2f}, by MPI {row['mpi_us']:.2f}, by hand "
          f"{row['hand_us']:.2f} us a step, ratio {row['ratio']}", file=sys.stderr, flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", default=["openmpi", "mpich"], choices=["openmpi", "mpich"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--add", action="store_true", help="keep the cases of other libraries")
    parser.add_argument("--stdout", action="store_true", help="print the rows only, write no file")
    options = parser.parse_args()
    result = {"command": shlex.join(["bench/papers/s3/channels.py", *sys.argv[1:]]),
              "commit": output("git", "rev-parse", "--short", "HEAD"), "dirty": dirty(), "machine": machine()}
    rows = [case(library, bodies, options.rounds) for library in options.mpi for bodies in BODIES]
    if not options.stdout:
        write_cases("papers-s3-channels", result, rows, add=options.add)


if __name__ == "__main__":
    main()
