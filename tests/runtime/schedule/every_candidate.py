#!/usr/bin/env python3
"""Execute every candidate for many random graphs on several ranks, compare all bytes, and keep what was seen.

    tests/runtime/schedule/every_candidate.py --library openmpi --ranks 3 4 5 --graphs 2000 --json bench/results/every-candidate.json

Runs test_every_candidate of a build in batches of seeds, for each number of ranks in turn. With --json what was executed is kept in that
file by library and ranks, of one commit: the same command goes on where it was interrupted, or where --minutes were over.
TACIT_FUZZ_SEED=SEED TACIT_FUZZ_COUNT=1 repeats one graph alone.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench"))
from measured import PRESETS, dirty, git, machine  # noqa: E402

COMPARED = ["src/vocabulary", "src/graphs", "src/neighbors", "src/runtime"]
NAME = "test_every_candidate"
LAUNCHERS = {"openmpi": ["mpiexec.openmpi", *shlex.split("--allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 --mca pml ob1")],
             "mpich": ["mpiexec.mpich", "-genv", "UCX_TLS", "posix,sysv,cma,self"]}


def begun(file: Path | None) -> dict:
    """What the file says, if it is about the same code; else nothing is done yet."""
    fresh = {
        "what": "Random graphs: every plan that is compared for one, by every driver it is compared with, and in short pieces, executed; "
                "all bytes against those that the graph's operations leave one after the other.",
        "machine": machine(), "last_commit_of_what_is_compared": git("log", "-1", "--format=%h", "--", *COMPARED), "dirty": dirty(),
        "runs": {}, "executed_by_plan": {}, "failed": [], "commands": [],
    }
    if not file or not file.exists():
        return fresh
    kept = json.loads(file.read_text())
    return kept if kept.get("last_commit_of_what_is_compared") == fresh["last_commit_of_what_is_compared"] else fresh


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=list(PRESETS), required=True)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--graphs", type=int, default=2000, help="for each number of ranks")
    parser.add_argument("--batch", type=int, default=250)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=int, default=600, help="seconds for a batch")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no batch of a number of ranks when it had that many")
    parser.add_argument("--json", default="", help="keep what is done in this file")
    asked = parser.parse_args()

    file = Path(asked.json) if asked.json else None
    result = begun(file)
    command = shlex.join(["tests/runtime/schedule/every_candidate.py", *sys.argv[1:]])
    if command not in result["commands"]:
        result["commands"].append(command)
    program = str(ROOT / "build" / PRESETS[asked.library] / "bin" / NAME)
    plans, failed = Counter(result["executed_by_plan"]), 0
    for ranks in asked.ranks:
        so_far = result["runs"].setdefault(f"{asked.library}, {ranks} ranks",
                                           {"first_seed": asked.seed, "graphs": 0, "executed": 0, "wrong": 0, "seconds": 0.0})
        while so_far["graphs"] < asked.graphs and so_far["seconds"] < 60 * asked.minutes:
            first, count = asked.seed + so_far["graphs"], min(asked.batch, asked.graphs - so_far["graphs"])
            environment = os.environ | {"TACIT_FUZZ_SEED": str(first), "TACIT_FUZZ_COUNT": str(count), "TACIT_EXPECTED_RANKS": str(ranks)}
            start = time.monotonic()
            try:
                job = subprocess.run([*LAUNCHERS[asked.library], "-n", str(ranks), program], env=environment, capture_output=True,
                                     text=True, timeout=asked.patience)
                said, code = job.stdout + job.stderr, job.returncode
            except subprocess.TimeoutExpired as late:
                said, code = f"not done after {asked.patience} s\n{late.stdout or ''}{late.stderr or ''}", 1
            so_far["seconds"] = round(so_far["seconds"] + time.monotonic() - start, 1)
            so_far["graphs"] += count
            if tally := re.search(r"(\d+) executed, (\d+) wrong", said):
                so_far["executed"] += int(tally[1])
                so_far["wrong"] += int(tally[2])
            for times, plan in re.findall(r"^ +(\d+) (.+ by \w+)$", said, re.MULTILINE):
                plans[plan] += int(times)
            result["executed_by_plan"] = dict(sorted(plans.items()))
            print(f"{asked.library}, {ranks} ranks, seeds {first} to {first + count - 1}: {'FAILED' if code else 'equal'}; "
                  f"{so_far['executed']} executed in {so_far['seconds']:.0f} s", flush=True)
            if code:
                failed += 1
                result["failed"].append({"run": f"{asked.library}, {ranks} ranks", "seeds": [first, first + count - 1],
                                         "output": said.replace(f"{ROOT}/", "")[:4000]})
                print(said, flush=True)
            if file:
                file.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{failed} batches failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
