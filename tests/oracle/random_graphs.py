#!/usr/bin/env python3
"""Compare the analysis with the byte simulator on very many random graphs, with reductions and lists of pieces.

    tests/oracle/random_graphs.py --program build/release/bin/test_oracle --graphs 1000000 --json bench/results/random-graphs.json

Runs the tests named by --tests in batches of seeds, one process each, and prints the seeds, how far it is and what failed. With --json
the seeds that are done are kept in that file, of one commit: the same command goes on where it was interrupted, or where --minutes were
over, until all graphs are compared. A seed that fails is printed by the test together with its graph:
TACIT_FUZZ_SEED=SEED TACIT_FUZZ_COUNT=1 repeats it alone.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from measured import dirty, git, machine  # noqa: E402

TESTS = ["oracle.reductions_equal_the_bytes_of_an_execution", "oracle.what_reductions_touch_is_told_apart",
         "terms.equal_what_elements_were_made_of", "oracle.transfers_equal_the_bytes_of_an_execution",
         "oracle.what_ranks_receive_once_equals_the_bytes_of_an_execution"]

COMPARED = ["src/vocabulary/base", "src/graphs/graph", "src/graphs/match", "src/graphs/flow", "tests/oracle"]


def begun(asked: argparse.Namespace) -> dict:
    """What the file says, if it is about the same code, tests and first seed; else nothing is done yet."""
    commit = git("log", "-1", "--format=%h", "--", *COMPARED)
    fresh = {
        "what": "Random graphs with reductions and lists of pieces: what the analysis says of every byte against a byte simulator.",
        "machine": machine(), "last_commit_of_what_is_compared": commit, "dirty": dirty(),
        "tests": asked.tests, "first_seed": asked.seed, "graphs": 0,
        "seconds": 0.0, "failed": [],
    }
    file = Path(asked.json) if asked.json else None
    if not file or not file.exists():
        return fresh
    kept = json.loads(file.read_text())
    same = all(kept.get(key) == fresh[key] for key in ("last_commit_of_what_is_compared", "tests", "first_seed"))
    return kept if same else fresh


def compare(asked: argparse.Namespace, first: int, count: int) -> str:
    """The output of the tests that failed on these seeds, or nothing."""
    environment = os.environ | {"TACIT_FUZZ_SEED": str(first), "TACIT_FUZZ_COUNT": str(count)}
    done = subprocess.run([asked.program, f"--gtest_filter={':'.join(asked.tests)}", "--gtest_brief=1"], env=environment,
                          capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, help="test_oracle of a build")
    parser.add_argument("--graphs", type=int, default=1_000_000, help="for each of the tests")
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", default=TESTS)
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no batch when they are over")
    parser.add_argument("--json", default="", help="keep what is done in this file")
    asked = parser.parse_args()

    result = begun(asked)
    result["command"] = shlex.join(["tests/oracle/random_graphs.py", *sys.argv[1:]])
    end = time.monotonic() + 60 * asked.minutes
    while result["graphs"] < asked.graphs and time.monotonic() < end:
        first = asked.seed + result["graphs"]
        count = min(asked.batch, asked.graphs - result["graphs"])
        start = time.monotonic()
        failure = compare(asked, first, count)
        result["seconds"] = round(result["seconds"] + time.monotonic() - start, 1)
        result["graphs"] += count
        if failure:
            result["failed"].append({"seeds": [first, first + count - 1], "output": failure.replace(f"{ROOT}/", "")[:4000]})
        print(f"seeds {first} to {first + count - 1}: {'FAILED' if failure else 'equal'}; "
              f"{result['graphs']} of {asked.graphs} graphs in {result['seconds']:.0f} s", flush=True)
        print(failure, end="")
        if asked.json:
            Path(asked.json).write_text(json.dumps(result, indent=1) + "\n")
    print(f"{result['graphs']} random graphs, seeds {asked.seed} to {asked.seed + result['graphs'] - 1}, "
          f"{len(asked.tests)} tests each: {len(result['failed'])} batches failed")
    return bool(result["failed"])


if __name__ == "__main__":
    sys.exit(main())
