#!/usr/bin/env python3
"""Measure exchanges between neighbors under both MPI libraries and write one result file.

    bench/neighbor/run.py                  build, run everything, write bench/results/neighbor-<machine>.json, and what was
                                           measured while the cores shared no cache neighbor-no-shared-cache-<machine>.json
    bench/neighbor/run.py --ranks 2        only these numbers of ranks (comma list)
    bench/neighbor/run.py --table FILE     show a result file as a table and stop

All variants of one case run in one process, interleaved; a number is the 10th percentile over blocks, in microseconds
(neighbor_bench.cpp). Both libraries run with their own defaults, so Open MPI copies between processes itself where the
system lets it. `tacit` sends one message per neighbor: what it gains on torus and stencil patterns is mostly coalescing,
which `packed` does by hand and `tacit edges` leaves out. Rows with `memory` "tacit" receive in buffers of tacit_alloc_mem
(Open MPI only: under MPICH nothing is placed there), in all variants.
"""
import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from measured import PRESETS, ROOT, dirty, machine, output, rows_of, write_cases  # noqa: E402

# What a program can do with MPI without packing by hand.
CALLS = ("isend", "persistent", "neighbor", "neighbor init")
LONG = ["--patterns", "pair,torus2d", "--bytes"]
PARTS = {"openmpi": [[], [*LONG, "262144,1048576"], ["--memory", "tacit", *LONG, "65536,262144,1048576"]],
         "mpich": [[], [*LONG, "262144,1048576"]]}

# Nanoseconds for a line there and back: far from what cores do that share a cache, and from what others do.
SHARED_BELOW = 200


def cores_share_a_cache(folder: str) -> bool:
    program = Path(folder) / "line_exchange"
    if not program.exists():
        subprocess.run(["cc", "-O2", "-pthread", str(Path(__file__).with_name("line_exchange.c")), "-o", str(program)], check=True)
    return float(output(str(program))) < SHARED_BELOW


def measured(library: str, ranks: int, arguments: list[str], folder: str) -> tuple[bool, list[dict]]:
    """Rows, and whether the cores shared a cache; once more where that changed meanwhile (virtual cores are moved)."""
    for _ in range(5):
        before = cores_share_a_cache(folder)
        rows = rows_of("neighbor_bench", library, ranks, arguments, describe)
        if cores_share_a_cache(folder) == before:
            return before, rows
        print("the cores were moved: once more", file=sys.stderr)
    raise SystemExit("the cores were moved again and again")


def describe(row: dict) -> str:
    us = row["us"]
    best = min((w for w in CALLS if w in us), key=us.get)
    text = (f"{row['mpi']:8} p={row['ranks']} {row['pattern']:10} {row['bytes']:>6} B  tacit {us['tacit']:9.3g} us  "
            f"{us[best] / us['tacit']:6.2f}x {best:13} {us['isend'] / us['tacit']:6.2f}x isend")
    if "packed" in us:
        text += f" {us['packed'] / us['tacit']:6.2f}x packed {us['tacit edges'] / us['tacit']:6.2f}x edges"
    if "flag" in us:
        text += f"  flag {us['tacit'] / us['flag']:.2f}"
    return text + f"  init {row['tacit_init_us']:.0f} us" + "  tacit's memory" * (row.get("memory") == "tacit")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--libraries", default="openmpi,mpich")
    parser.add_argument("--seconds", default="1", help="of each case")
    parser.add_argument("--add", action="store_true", help="keep the rows of other libraries and numbers of ranks")
    parser.add_argument("--table", type=Path)
    arguments = parser.parse_args()
    if arguments.table:
        for row in json.loads(arguments.table.read_text())["cases"]:
            print(describe(row))
        return 0
    cases: dict[bool, list[dict]] = {True: [], False: []}
    facts = machine()
    folder = tempfile.TemporaryDirectory()
    for library in arguments.libraries.split(","):
        subprocess.run(["cmake", "--build", "--preset", PRESETS[library], "--target", "neighbor_bench"], cwd=ROOT,
                       check=True, stdout=sys.stderr)
        for ranks in map(int, arguments.ranks.split(",")):
            for part in PARTS[library]:
                shared, rows = measured(library, ranks, ["--seconds", arguments.seconds, *part], folder.name)
                cases[shared] += rows
    for shared, name in ((True, "neighbor"), (False, "neighbor-no-shared-cache")):
        if cases[shared]:
            write_cases(name, {
                "machine": facts,
                "commit": output("git", "rev-parse", "--short", "HEAD"),
                "dirty": dirty(),
                "command": shlex.join(["bench/neighbor/run.py", *sys.argv[1:]]),
                "unit": "microseconds, 10th percentile of interleaved blocks",
            }, cases[shared], arguments.add)
    return 0


if __name__ == "__main__":
    sys.exit(main())
