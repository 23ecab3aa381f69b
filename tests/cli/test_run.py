#!/usr/bin/env python3
"""`tacit run` around a real MPI program: output, input, exit code, results, killed ranks."""
import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

TACIT = os.environ["COMMAND_FILE"]
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])
PROGRAM = os.environ["RING_PROGRAM"]


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_tacit(self, *words, **more):
        return subprocess.run([TACIT, "run", *words], cwd=self.folder, capture_output=True, text=True, timeout=150, **more)

    def ring(self, ranks, *arguments):
        return ["--", *LAUNCHER, "-n", str(ranks), PROGRAM, *arguments]

    def test_records_analyses_and_stays_out_of_the_way(self):
        done = self.run_tacit(*self.ring(4), input="hello\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("heard hello", done.stdout)
        self.assertNotIn("tacit", done.stdout)
        results = self.folder / "ring_program.tacit"
        report = json.loads((results / "report.json").read_text())
        self.assertEqual(report["ranks"], 4)
        self.assertEqual(report["totals"]["messages"], 30)
        self.assertEqual(report["outcome"], "exit code 0")
        broadcasts = [a for a in report["activities"] if a["pattern"] == "bcast"]
        self.assertEqual([(a["episodes"], a["roots"]) for a in broadcasts], [(10, [0])])
        self.assertLess((results / "report.html").stat().st_size, 1_000_000)
        summary = (results / "summary.txt").read_text()
        self.assertLessEqual(summary.count("\n"), 15)
        self.assertIn(summary, done.stderr)

    def test_passes_on_the_exit_code_and_never_overwrites(self):
        first = self.run_tacit(*self.ring(2, "0"), input="")
        second = self.run_tacit(*self.ring(2, "7"), input="")
        self.assertEqual((first.returncode, second.returncode), (0, 7), second.stderr)
        self.assertTrue((self.folder / "ring_program.2.tacit" / "report.html").exists())
        (self.folder / "ring_program.tacit" / "mine.txt").write_text("keep")
        forced = self.run_tacit("--force", *self.ring(2, "0"), input="")
        self.assertEqual(forced.returncode, 0, forced.stderr)
        self.assertTrue((self.folder / "ring_program.tacit" / "mine.txt").exists())
        self.assertFalse((self.folder / "ring_program.3.tacit").exists())

    def test_a_killed_program_is_still_analysed(self):
        done = self.run_tacit(*self.ring(2, "0", "kill"), input="")
        self.assertNotEqual(done.returncode, 0)
        report = json.loads((self.folder / "ring_program.tacit" / "report.json").read_text())
        self.assertFalse(report["complete"])
        self.assertEqual(report["totals"]["messages"], 10)

    def test_record_only_then_analyze(self):
        done = self.run_tacit("--record-only", "-o", "out", *self.ring(2), input="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertFalse((self.folder / "out" / "report.html").exists())
        for form in ("text", "json", "html", "dot"):
            shown = subprocess.run([TACIT, "analyze", "out", "--format", form], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertTrue(shown.stdout)

    def test_a_program_without_launcher(self):
        done = self.run_tacit("--", PROGRAM, "3", input="")
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_doctor_finds_the_program_covered(self):
        done = subprocess.run([TACIT, "doctor", PROGRAM], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("all well", done.stdout)


if __name__ == "__main__":
    unittest.main()
