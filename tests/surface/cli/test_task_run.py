#!/usr/bin/env python3
"""`tacit run` of a program of tasks: its report shows the tasks beside the messages."""
import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

TACIT = os.environ["COMMAND_FILE"]
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])
PROGRAM = os.environ["TOLD_PROGRAM"]


class TaskRun(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def tacit(self, *words):
        return subprocess.run([TACIT, *words], cwd=self.folder, capture_output=True, text=True, timeout=300)

    def test_shows_tasks_beside_messages(self):
        done = self.tacit("run", "-o", "out", "--", *LAUNCHER, "-n", "2", PROGRAM, "20")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("42 tasks on 2 ranks: what they need of each other comes by 21 allgathers, 20 halos.",
                      " ".join(done.stderr.split()))
        page = (self.folder / "out" / "report.html").read_text()
        for part in ('<h2 id="tasks">Tasks</h2>', "turn needs y", "smooth needs x", "<strong>allgather</strong>",
                     "in place of 2 messages of rank 0", '<h2 id="commands">Commands of rank 0</h2>'):
            self.assertIn(part, page)
        exchanges = json.loads((self.folder / "out" / "report.json").read_text())["tasks"]["exchanges"]
        self.assertEqual({(e["consumer"], e["buffer"], e["collective"]): e["times"] for e in exchanges if e["producer"] == "turn"},
                         {("smooth", "x", "halo"): 19, ("fence", "x", "allgather"): 1})
        again = self.tacit("analyze", "out")
        self.assertIn("turn needs y of smooth, 20 times, by allgather", again.stdout)
        # What is damaged is said; the rest is reported.
        (self.folder / "out" / "tasks.json").write_text("{")
        again = self.tacit("analyze", "out")
        self.assertIn("tasks.json is not what a program of tasks writes", again.stdout)
        self.assertEqual(self.tacit("run", "--force", "-o", "out", "--record-only", "--", *LAUNCHER, "-n", "1", "true").returncode, 0)
        self.assertFalse((self.folder / "out" / "tasks.json").exists(), "results of an earlier run go with --force")

    def test_the_tasks_respect_the_limit_of_the_recording(self):
        done = self.tacit("run", "-o", "long", "--", *LAUNCHER, "-n", "1", PROGRAM, "20000")
        self.assertEqual(done.returncode, 0, done.stderr)
        told = self.folder / "long" / "tasks.json"
        self.assertLess(told.stat().st_size, 8 << 20)
        self.assertGreater(json.loads(told.read_text())["left_out"], 20000)
        done = self.tacit("run", "-o", "small", "--max-size", "1MiB", "--", *LAUNCHER, "-n", "1", PROGRAM, "20000")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tacit: tasks.json is left out: its", done.stderr)
        self.assertFalse((self.folder / "small" / "tasks.json").exists())


if __name__ == "__main__":
    unittest.main()
