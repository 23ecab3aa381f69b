#!/usr/bin/env python3
"""What blocks cost between two cores that share a cache and between two that share none (decision 52): bench/shared_cache.cpp,
which takes the distance and the times in one run. Writes one result file: machine, commit, command, and per distance, size and way
the number of windows, the least and the median of microseconds an exchange.

    bench/shared_cache.py                     60 runs, 4 seconds apart: the cores of a virtual machine move every few seconds
    bench/shared_cache.py --runs 3 --stdout

Where both are at hand, what stands beside "apart" is what the cores cost when they share no cache. A machine whose cores do not
move gives one of the two.
"""
import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measured import ROOT, dirty, git, machine, write_result


def build(folder: Path) -> Path:
    program = folder / "shared_cache"
    subprocess.run(["c++", "-std=c++20", "-O2", "-I", str(ROOT / "src"), str(ROOT / "bench/shared_cache.cpp"),
                    str(ROOT / "src/runtime/channel/shared_cache.cpp"), "-o", str(program)], check=True)
    return program


def windows(program: Path, rounds: int) -> list[tuple[str, int, str, float]]:
    lines = subprocess.run([program, str(rounds)], capture_output=True, text=True, check=True, timeout=120).stdout.splitlines()
    return [(distance, int(size), way, float(ns)) for distance, size, way, ns in map(str.split, lines)]


def rows(seen: list[tuple[str, int, str, float]]) -> list[dict]:
    of: dict[tuple[str, int, str], list[float]] = {}
    for distance, size, way, ns in seen:
        of.setdefault((distance, size, way), []).append(ns / 1000)
    return [{"distance": distance, "bytes": size, "way": way, "windows": len(us), "least_us": round(min(us), 3),
             "median_us": round(statistics.median(us), 3)} for (distance, size, way), us in sorted(of.items())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3, help="of each run")
    parser.add_argument("--pause", type=float, default=4, help="seconds between runs")
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    result = {"benchmark": "blocks between cores that share a cache and between cores that share none", "machine": machine(),
              "commit": git("rev-parse", "--short", "HEAD"), "dirty": dirty(),
              "command": " ".join(["bench/shared_cache.py", *sys.argv[1:]])}
    seen = []
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        program = build(Path(folder))
        for run in range(arguments.runs):
            time.sleep(arguments.pause if run else 0)
            seen += windows(program, arguments.rounds)
    result["rows"] = rows(seen)
    write_result("shared-cache", result, arguments.stdout)


if __name__ == "__main__":
    main()
