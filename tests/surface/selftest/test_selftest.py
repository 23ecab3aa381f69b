#!/usr/bin/env python3
"""`tacit selftest`: the naive reference is right, planted faults are found by name, and the command behaves."""
import json
import os
import shlex
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

TACIT = os.environ["COMMAND_FILE"]
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])
PATIENT = os.environ["MPI_FAMILY"] == "openmpi"  # more ranks than cores are usable


class Selftest(unittest.TestCase):
    def setUp(self):
        self.cache = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_tacit(self, *words, launcher=LAUNCHER):
        return subprocess.run([TACIT, "selftest", *words, *(["--", *launcher] if launcher else [])], capture_output=True,
                              text=True, env={**os.environ, "XDG_CACHE_HOME": str(self.cache)})

    def cells(self, *words):
        done = self.run_tacit("--json", *words)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)["cells"], done

    def faults(self, cells):
        return {(c["mode"], c["call"], c["topology"]): c["verdict"] for c in cells if c["verdict"] not in ("right", "not offered")}

    def assert_all_right(self, cells):
        self.assertEqual([c for c in cells if c["verdict"] not in ("right", "not offered")], [])

    def test_the_naive_reference_is_right(self):
        cells, done = self.cells("--np", "1,2,4" if PATIENT else "1,2", "--dimensions", "2", "--every", "2",
                                 "--implementations", "sends")
        self.assert_all_right(cells)
        self.assertEqual({c["topology"] for c in cells},
                         {"cart-open", "cart-periodic-2", "cart-periodic-1", "graph", "graph-multi", "dist-graph",
                          "dist-graph-multi"} | ({"cart-periodic"} if PATIENT else set()))
        self.assertEqual(len({(c["call"], c["mode"]) for c in cells}), 18)
        self.assertEqual(done.returncode, 0)

    def test_ours_is_right(self):
        cells, done = self.cells("--np", "1,2,4" if PATIENT else "1,2", "--dimensions", "2", "--every", "2",
                                 "--implementations", "tacit,tacit-topology")
        self.assert_all_right(cells)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len({(c["implementation"], c["call"], c["mode"]) for c in cells}), 36)

    @unittest.skipUnless(PATIENT, "more ranks than cores take minutes")
    def test_ours_is_right_on_many_ranks(self):
        cells, _ = self.cells("--np", "16", "--dimensions", "3", "--every", "67", "--graphs", "1", "--iterations", "2",
                              "--only", "alltoallv,alltoallw,mixture", "--implementations", "tacit")
        self.assert_all_right(cells)

    def test_finds_planted_faults_and_goes_on_after_hangs_and_crashes(self):
        cells, _ = self.cells("--np", "2", "--dimensions", "1", "--timeout", "8", "--implementations",
                              "faulty")
        found = self.faults(cells)
        expected = {("nonblocking", "alltoall", "cart-periodic-2"): "wrong",
                    ("persistent", "alltoallv", "dist-graph-multi"): "dies",
                    ("persistent", "allgather", "graph"): "dies"}
        expected |= {("blocking", "allgatherv", c["topology"]): "wrong" for c in cells}
        self.assertEqual({k: v for k, v in found.items() if k[1] != "mixture"}, expected)
        first = {(c["mode"], c["call"], c["topology"]): c.get("first", "") for c in cells}
        self.assertRegex(first["nonblocking", "alltoall", "cart-periodic-2"],
                         r"slot \d+, element 0: expected slot \d of rank \d, got slot \d of rank \d")
        self.assertIn("byte -1 of the receive buffer", first["blocking", "allgatherv", "cart-open"])
        self.assertIn("no end within 8 s in persistent (faulty) on distributed graph",
                      first["persistent", "alltoallv", "dist-graph-multi"])
        self.assertIn("crash", first["persistent", "allgather", "graph"])

    def test_shows_a_short_table_and_keeps_the_verdict(self):
        done = self.run_tacit("--np", "2", "--dimensions", "1", "--iterations", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertLessEqual(done.stdout.count("\n"), 15)
        self.assertIn("cart-periodic-2", done.stdout)
        kept = list((self.cache / "tacit").glob("selftest-*.json"))
        self.assertEqual(len(kept), 1, done.stderr)
        self.assertEqual(json.loads(kept[0].read_text())["ranks"], [2])

    def test_only_what_is_asked_for_is_run_and_not_kept(self):
        cells, _ = self.cells("--np", "1", "--only", "alltoallw,blocking", "--implementations", "sends")
        self.assertEqual({(c["call"], c["mode"]) for c in cells}, {("alltoallw", "blocking")})
        self.assertFalse((self.cache / "tacit").exists())

    def test_a_signal_ends_it_without_a_verdict(self):
        mark = self.cache / "launched"
        launcher = ["sh", "-c", f'touch {shlex.quote(str(mark))}; exec "$@"', "sh", *LAUNCHER]
        process = subprocess.Popen([TACIT, "selftest", "--np", "1", "--graphs", "1000", "--implementations", "sends", "--",
                                    *launcher], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        while not mark.exists() and process.poll() is None:  # it is under way once something has been launched
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGTERM)  # as `timeout` and batch systems do
        out, err = process.communicate()
        self.assertEqual((process.returncode, out), (128 + signal.SIGTERM, ""), err)
        self.assertIn("stopped by a signal", err)

    def test_says_what_is_wrong_with_the_command(self):
        for words, message in ((("--mpi", "nothing"), "no suite for 'nothing'"), (("--program", "/no/where"), "no program"),
                               (("--only", "blocking,everything"), "'everything' is no call (allgather, "),
                               (("--implementations", "sends,openmpi"), "'openmpi' is none of mpi, ")):
            # a launcher that leaves a mark: nothing is started
            mark = self.cache / "started"
            done = self.run_tacit("--np", "1", *words, launcher=["touch", str(mark)])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)
            self.assertFalse(mark.exists())
        done = self.run_tacit("--np", "1", launcher=["false"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("could not be run", done.stderr)


if __name__ == "__main__":
    unittest.main()
