#!/usr/bin/env python3
"""Run the micro benchmarks and write one result file: machine, commit, command, numbers.

    bench/run.py                 configure and build the preset `bench`, run everything, write bench/results/micro-<machine>.json
    bench/run.py --filter REGEX  only the benchmarks whose name matches
    bench/run.py --stdout        print the result instead of writing it

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
from pathlib import Path

from measured import ROOT, dirty, machine, output

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default=".*")
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--stdout", action="store_true")
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
        "benchmarks": [row for program in programs for row in run(program, arguments.filter, arguments.repetitions)],
    }
    text = json.dumps(result, indent=1) + "\n"
    if arguments.stdout:
        print(text, end="")
        return 0
    name = re.sub(r"[^a-z0-9]+", "-", f"{result['machine']['cpu']}-{result['machine']['cores']}-cores".lower()).strip("-")
    path = ROOT / "bench" / "results" / f"micro-{name}.json"
    path.write_text(text)
    print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
