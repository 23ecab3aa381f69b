#!/usr/bin/env python3
"""Compare two result files of bench/run.py: bench/compare.py OLD NEW [--worse RATIO].

Prints old, new and ratio of every benchmark in both files; with --worse, exits 1 if any got slower than that ratio.
Absolute times of shared machines move by up to 2x: compare files made on the same machine, one after the other.
"""
import argparse
import json
import sys
from pathlib import Path


def times(path: str) -> dict[str, float]:
    rows = json.loads(Path(path).read_text())["benchmarks"]
    return {row["name"]: row["cpu_time"] for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--worse", type=float, metavar="RATIO")
    arguments = parser.parse_args()
    old, new = times(arguments.old), times(arguments.new)
    shared = [name for name in old if name in new]
    if not shared:
        print("compare: the files have no benchmark in common", file=sys.stderr)
        return 2
    width = max(map(len, shared))
    for name in shared:
        print(f"{name:{width}}  {old[name]:12.4g}  {new[name]:12.4g}  {new[name] / old[name]:6.2f}x")
    worse = [name for name in shared if arguments.worse and new[name] > arguments.worse * old[name]]
    for name in worse:
        print(f"slower than {arguments.worse}x: {name}", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
