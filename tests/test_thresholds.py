#!/usr/bin/env python3
"""bench/thresholds.py: a ratio above its bound is an error that names it, and a missing number is one, too."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(os.environ["ROOT"]) / "bench" / "thresholds.py"
COMMITTED = Path(os.environ["ROOT"]) / "bench" / "micro" / "thresholds.json"


class Thresholds(unittest.TestCase):
    def judge(self, rows, thresholds):
        with tempfile.TemporaryDirectory() as folder:
            measured, bounds = Path(folder, "measured.json"), Path(folder, "bounds.json")
            measured.write_text(json.dumps({"benchmarks": rows}))
            bounds.write_text(json.dumps({"rows": thresholds}))
            return subprocess.run([sys.executable, SCRIPT, "--measured", measured, "--thresholds", bounds],
                                  capture_output=True, text=True)

    rows = [{"name": "match/a/8_median", "ns/op": 30.0}, {"name": "sort_median", "ns/key": 10.0}]

    def bound(self, at_most):
        return [{"of": "match/a/8:ns/op", "to": "sort:ns/key", "at_most": at_most, "why": "it is linear"}]

    def test_a_ratio_within_its_bound_passes(self):
        self.assertEqual(self.judge(self.rows, self.bound(3.0)).returncode, 0)

    def test_a_ratio_above_its_bound_is_named(self):
        done = self.judge(self.rows, self.bound(2.9))
        self.assertEqual(done.returncode, 1)
        self.assertIn("match/a/8:ns/op is 3, at most 2.9 is allowed: it is linear", done.stderr)

    def test_a_benchmark_that_is_gone_is_an_error(self):
        done = self.judge(self.rows[1:], self.bound(3.0))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no benchmark match/a/8", done.stderr)

    def test_every_committed_bound_has_a_reason(self):
        for row in json.loads(COMMITTED.read_text())["rows"]:
            self.assertGreater(row["at_most"], 0)
            self.assertTrue(row["why"])


if __name__ == "__main__":
    unittest.main()
