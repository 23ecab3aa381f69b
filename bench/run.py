#!/usr/bin/env python3
"""Run the micro benchmarks and write one result file: machine, commit, command, numbers.

    bench/run.py                 configure and build the preset `bench`, run everything, write bench/results/micro-<machine>.json
    bench/run.py --filter REGEX  only the benchmarks whose name matches
    bench/run.py --stdout        print the result instead of writing it
    bench/run.py --seconds N     begin no benchmark after N seconds, and leave out those that the file has of this commit already

All of them take a quarter of an hour, for which nobody can keep a shared machine quiet. With --seconds the file grows: each benchmark is
written when it is done, so that a run may be killed, and the next one goes on with what is missing. Exits 3 while something is. A file of
another commit is begun anew, and nothing is measured of sources that differ from their commit.

Numbers are medians of several repetitions on one thread. Compare two files with bench/compare.py.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measured import ROOT, dirty, machine, output, result_file

BUILD = ROOT / "build" / "bench"


def build(target: str = "micro_benchmarks") -> None:
    subprocess.run(["cmake", "--preset", "bench"], cwd=ROOT, check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", "--preset", "bench", "--target", target], cwd=ROOT, check=True, stdout=sys.stderr)


def run(program: Path, pattern: str, repetitions: int, *options: str) -> list[dict]:
    with tempfile.NamedTemporaryFile(suffix=".json") as result:
        subprocess.run(
            [program, f"--benchmark_filter={pattern}", f"--benchmark_repetitions={repetitions}", *options,
             "--benchmark_report_aggregates_only=true", f"--benchmark_out={result.name}", "--benchmark_out_format=json"],
            check=True, stdout=sys.stderr)
        text = Path(result.name).read_text()
    rows = json.loads(text)["benchmarks"] if text.strip() else []
    bookkeeping = {"family_index", "per_family_instance_index", "run_type", "repetitions", "threads", "aggregate_name",
                   "aggregate_unit", "iterations", "run_name"}
    return [{key: value for key, value in row.items() if key not in bookkeeping}
            for row in rows if row.get("aggregate_name") == "median"]


def names_of(program: Path, pattern: str) -> list[str]:
    return subprocess.run([program, f"--benchmark_filter={pattern}", "--benchmark_list_tests=true"],
                          check=True, capture_output=True, text=True).stdout.split()


def exactly(name: str) -> str:
    """The pattern of one benchmark. Google benchmark's are extended regular expressions."""
    return "^" + re.sub("([+.])", r"[\1]", name) + "$"


def base_name(row: dict) -> str:
    return row["name"].removesuffix("_median")


def with_rows(kept: dict, new: dict) -> dict:
    """The older result with the rows of the newer one: those of equal names are replaced. Both must be of one commit."""
    measured = {base_name(row) for row in new["benchmarks"]}
    commands = kept["command"].split("; ")
    return kept | {
        "command": "; ".join(commands + [new["command"]] * (new["command"] not in commands)),
        "benchmarks": [row for row in kept["benchmarks"] if base_name(row) not in measured] + new["benchmarks"],
    }


def may_grow(kept: dict, new: dict) -> bool:
    return kept["commit"] == new["commit"] and not kept["dirty"] and not new["dirty"]


def write(path: Path, result: dict) -> None:
    """All or nothing, whenever it is killed."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(result, indent=1) + "\n")
    unfinished.replace(path)


def measure_what_is_missing(path: Path, result: dict, programs: list[Path], arguments) -> int:
    if path.exists() and may_grow(kept := json.loads(path.read_text()), result):
        result = with_rows(kept, result)
    there = {base_name(row) for row in result["benchmarks"]}
    missing = [(program, name) for program in programs for name in names_of(program, arguments.filter) if name not in there]
    end = time.monotonic() + arguments.seconds
    while missing and time.monotonic() < end:
        program, name = missing.pop(0)
        result["benchmarks"] += run(program, exactly(name), arguments.repetitions)
        write(path, result)
    print(f"{path.name}: {len(result['benchmarks'])} benchmarks, {len(missing)} are missing")
    return 3 if missing else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default=".*")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--stdout", action="store_true")
    parser.add_argument("--seconds", type=float)
    arguments = parser.parse_args()
    build()
    programs = sorted(p for p in (BUILD / "bin").glob("bench_*") if os.access(p, os.X_OK))
    if not programs:
        print("bench: no benchmark program was built", file=sys.stderr)
        return 1
    result = {
        "machine": machine(),
        "commit": output("git", "rev-parse", "--short", "HEAD"),
        "dirty": dirty(),
        "command": shlex.join(["bench/run.py", *sys.argv[1:]]),
        "benchmarks": [],
    }
    path = result_file("micro", result["machine"])
    if arguments.seconds is not None:
        if result["dirty"]:
            print("bench: sources differ from their commit, so that the next portion might be of others", file=sys.stderr)
            return 1
        return measure_what_is_missing(path, result, programs, arguments)
    result["benchmarks"] = [row for program in programs for row in run(program, arguments.filter, arguments.repetitions)]
    if arguments.stdout:
        print(json.dumps(result, indent=1))
        return 0
    write(path, result)
    print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
