#!/usr/bin/env python3
"""Repeat seed 004's evaluation on real processes and write one result file.

    bench/papers/s5/real.py                        build, fetch matrices, run all, write bench/results/papers-s5-real-<machine>.json
    bench/papers/s5/real.py --libraries openmpi --ranks 2,4 --seconds 0.5 --cases sparse,weather
    bench/papers/s5/real.py --advance openmpi=DIR  with MPI Advance as a peer: DIR has include/ and lib/liblocality_aware.a
    bench/papers/s5/real.py --add …                keeps what the result file has of other libraries and numbers of ranks
    bench/papers/s5/real.py --table FILE           show a result file as a table and stop

All variants of one case run in one process, interleaved; a number is the 10th percentile over blocks of the slowest rank's
time, in microseconds (real.cpp says what an iteration is). MPICH runs on two ranks only, because it spins. More ranks
than cores measure the operating system's scheduler as well; the result says how many cores there were. MPI Advance
(github.com/mpi-advance/locality_aware) is linked only if its place is given; build it with
-DCMAKE_CXX_FLAGS="-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX".
"""
import argparse
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))
from measured import PRESETS, ROOT, dirty, machine, output, rows_of, write_cases  # noqa: E402
from real_matrices import matrices  # noqa: E402

PEERS = ("isend", "persistent", "neighbor", "neighbor init", "advance", "advance locality")


def build(library: str, advance: str | None) -> None:
    preset = PRESETS[library]
    subprocess.run(["cmake", "--preset", preset, f"-DTACIT_BENCH_MPI_ADVANCE={advance or ''}"], cwd=ROOT, check=True,
                   stdout=sys.stderr)
    subprocess.run(["cmake", "--build", "--preset", preset, "--target", "s5_real"], cwd=ROOT, check=True,
                   stdout=sys.stderr)


def describe(row: dict) -> str:
    us = row["us"]
    text = f"{row['mpi']:8} p={row['ranks']} {row['case']:22} {row['about'][:40]:40} tacit {us['tacit']:9.4g} us "
    for variant in PEERS:
        if variant in us:
            text += f" {us[variant] / us['tacit']:6.2f}x {variant}{'(!)' if variant in row['wrong'] else ''}"
    return text + ("  TACIT IS WRONG" if {"tacit", "tacit p2p"} & set(row["wrong"]) else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4,8", help="under Open MPI")
    parser.add_argument("--libraries", default="openmpi,mpich")
    parser.add_argument("--seconds", default="1", help="of each case")
    parser.add_argument("--cases", default="sparse,cartesian2,cartesian4,weather,matrix,product")
    parser.add_argument("--advance", action="append", default=[], metavar="LIBRARY=DIR")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--table", type=Path)
    arguments = parser.parse_args()
    if arguments.table:
        for row in json.loads(arguments.table.read_text())["cases"]:
            print(describe(row))
        return 0
    advance = dict(one.split("=", 1) for one in arguments.advance)
    files = matrices() if {"matrix", "product"} & set(arguments.cases.split(",")) else []
    facts = machine()
    rows = []
    for library in arguments.libraries.split(","):
        if not arguments.no_build:
            build(library, advance.get(library))
        for ranks in map(int, arguments.ranks.split(",")) if library == "openmpi" else [2]:
            rows += rows_of("s5_real", library, ranks, ["--seconds", arguments.seconds, "--cases", arguments.cases,
                                                        "--matrices", ",".join(map(str, files))], describe)
    words = [re.sub(r"=.*/", "=", word) for word in sys.argv[1:]]
    write_cases("papers-s5-real", {
        "what": "seed 004's evaluation on real processes",
        "machine": facts,
        "commit": output("git", "rev-parse", "--short", "HEAD"),
        "dirty": dirty(),
        "command": shlex.join(["bench/papers/s5/real.py", *words]),
        "unit": "microseconds, 10th percentile of interleaved blocks; 'wrong' lists variants that brought wrong bytes",
    }, rows, arguments.add)
    return 1 if any({"tacit", "tacit p2p"} & set(row["wrong"]) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
