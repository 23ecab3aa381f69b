#!/usr/bin/env python3
"""Hold the micro benchmarks against bench/micro/thresholds.json: bench/thresholds.py [--rounds N] [--json] [--measured FILE]

Every row compares two numbers of one run on one machine (or bounds bytes, which do not depend on the machine), so that a
slow or busy machine changes both. What still exceeds its bound is measured again, up to --rounds times; the least ratio counts,
because others on the machine only add. Exits 1 if one is above its bound then, and says which and by how much.

--measured FILE judges a result file of bench/run.py instead of measuring.
"""
import argparse
import json
import sys
from pathlib import Path

import run as micro
from measured import ROOT

THRESHOLDS = ROOT / "bench" / "micro" / "thresholds.json"


def value(rows: dict[str, dict], what: str) -> float:
    """The counter of a benchmark, written as `benchmark:counter`."""
    name, counter = what.rsplit(":", 1)
    if name not in rows:
        raise SystemExit(f"thresholds: the run has no benchmark {name}")
    if counter not in rows[name]:
        raise SystemExit(f"thresholds: {name} has no counter {counter}, only {', '.join(rows[name])}")
    return rows[name][counter]


def ratio(rows: dict[str, dict], threshold: dict) -> float:
    of = value(rows, threshold["of"])
    return of / value(rows, threshold["to"]) if "to" in threshold else of


def names(thresholds: list[dict]) -> set[str]:
    return {row[side].rsplit(":", 1)[0] for row in thresholds for side in ("of", "to") if side in row}


def by_name(rows: list[dict]) -> dict[str, dict]:
    return {micro.base_name(row): row for row in rows}


def measure(wanted: set[str]) -> dict[str, dict]:
    pattern = "|".join(micro.exactly(name) for name in sorted(wanted))
    programs = sorted((micro.BUILD / "bin").glob("bench_*"))
    return by_name([row for program in programs for row in micro.run(program, pattern, 3)])


def least_ratios(thresholds: list[dict], rounds: int) -> list[float]:
    least = [float("inf")] * len(thresholds)
    for _ in range(rounds):
        over = [i for i, row in enumerate(thresholds) if least[i] > row["at_most"]]
        if not over:
            break
        rows = measure(names([thresholds[i] for i in over]))
        for i in over:
            least[i] = min(least[i], ratio(rows, thresholds[i]))
    return least


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often at most a row is measured (3)")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--measured", type=Path, metavar="FILE")
    parser.add_argument("--thresholds", type=Path, metavar="FILE", default=THRESHOLDS)
    arguments = parser.parse_args()
    thresholds = json.loads(arguments.thresholds.read_text())["rows"]
    if arguments.measured:
        rows = by_name(json.loads(arguments.measured.read_text())["benchmarks"])
        least = [ratio(rows, row) for row in thresholds]
    else:
        micro.build()
        least = least_ratios(thresholds, arguments.rounds)
    judged = [row | {"measured": round(number, 3)} for row, number in zip(thresholds, least, strict=True)]
    over = [row for row in judged if row["measured"] > row["at_most"]]
    if arguments.json:
        print(json.dumps(judged, indent=1))
    else:
        for row in judged:
            mark = "OVER" if row in over else "    "
            print(f"{mark} {row['measured']:12.3f}  at most {row['at_most']:10g}  {row['of']}" +
                  (f"  to  {row['to']}" if "to" in row else ""))
    for row in over:
        print(f"thresholds: {row['of']} is {row['measured']:g}, at most {row['at_most']:g} is allowed: {row['why']}",
              file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
