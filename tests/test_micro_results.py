#!/usr/bin/env python3
"""bench/run.py --seconds: portions become one file, of one commit, in which each benchmark stands once."""
import json
import os
import sys
import tempfile
import unittest
from argparse import Namespace
from pathlib import Path
from unittest import mock

ROOT = Path(os.environ["ROOT"])
sys.path.insert(0, str(ROOT / "bench"))
import run as micro  # noqa: E402

# Of Google benchmark's options, those that are used: lists names, and writes a median for each, which takes a second of the clock below.
PROGRAM = '''#!/usr/bin/env python3
import json, re, sys
options = dict(a.lstrip("-").split("=", 1) for a in sys.argv[1:])
names = [n for n in ["match/a+b/8", "match/a/8", "sort/8"] if re.search(options["benchmark_filter"], n)]
if "benchmark_list_tests" in options:
    print("\\n".join(names))
else:
    rows = [{"name": n + "_median", "aggregate_name": "median", "cpu_time": 1.0} for n in names]
    open(options["benchmark_out"], "w").write(json.dumps({"benchmarks": rows}))
'''


class Portions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name, "micro.json")
        self.program = Path(folder.name, "bench_some")
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def measure(self, seconds, commit="abc", pattern=".*"):
        """Each look at the clock is half a second, and there are two for a benchmark."""
        fresh = {"commit": commit, "dirty": False, "command": f"bench/run.py --filter {pattern}", "benchmarks": []}
        with mock.patch("time.monotonic", side_effect=[i / 2 for i in range(100)]):
            return micro.measure_what_is_missing(self.file, fresh, [self.program],
                                                 Namespace(filter=pattern, seconds=seconds, repetitions=1))

    def names(self):
        return [micro.base_name(row) for row in json.loads(self.file.read_text())["benchmarks"]]

    def test_portions_go_on_with_what_is_missing(self):
        self.assertEqual(self.measure(0.7), 3)
        self.assertEqual(self.names(), ["match/a+b/8"])
        self.assertEqual(self.measure(0.7), 3)
        self.assertEqual(self.measure(9), 0)
        self.assertEqual(self.names(), ["match/a+b/8", "match/a/8", "sort/8"])

    def test_a_file_of_another_commit_is_begun_anew(self):
        self.measure(9)
        self.measure(0.7, commit="def")
        self.assertEqual(self.names(), ["match/a+b/8"])
        self.assertEqual(json.loads(self.file.read_text())["commit"], "def")

    def test_the_commands_of_all_portions_stand_in_the_file(self):
        self.measure(9, pattern="sort")
        self.measure(0.7)
        self.measure(0.7)
        self.assertEqual(json.loads(self.file.read_text())["command"], "bench/run.py --filter sort; bench/run.py --filter .*")

    def test_sources_that_differ_from_their_commit_do_not_grow_a_file(self):
        clean = {"commit": "abc", "dirty": False}
        self.assertTrue(micro.may_grow(clean, clean))
        self.assertFalse(micro.may_grow(clean | {"dirty": True}, clean))
        self.assertFalse(micro.may_grow(clean, clean | {"dirty": True}))

    def test_rows_of_equal_names_are_replaced(self):
        old = {"command": "a", "benchmarks": [{"name": "x_median", "t": 1}, {"name": "y_median", "t": 1}]}
        new = {"command": "b", "benchmarks": [{"name": "x_median", "t": 2}]}
        both = micro.with_rows(old, new)["benchmarks"]
        self.assertEqual(both, [{"name": "y_median", "t": 1}, {"name": "x_median", "t": 2}])


if __name__ == "__main__":
    unittest.main()
