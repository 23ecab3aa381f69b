#!/usr/bin/env python3
"""launched.py: a job that its launcher lost is repeated once, which is said, and nothing else is; what is halted does not hang."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from launched import LOST, Hangs, run_job

# Counts in a file how often it has run; loses a process in the first LOSSES of them, and then ends with CODE.
JOB = f"""
import sys
count, losses, code = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
open(count, "a").write("x")
if len(open(count).read()) <= losses:
    sys.exit("mpiexec has exited due to process rank 3 with PID 0 on node vm {LOST}.")
print("answer")
sys.exit(code)
"""


class Launched(unittest.TestCase):
    def ends(self, losses, code):
        """The exit code of such a job, how often it ran, what it printed and what was said."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()) as said:
            count = Path(folder) / "count"
            done = run_job([sys.executable, "-c", JOB, count, str(losses), str(code)])
            return done.returncode, len(count.read_text()), done.stdout, said.getvalue()

    def test_a_job_that_was_lost_is_repeated_once_and_it_is_said(self):
        code, runs, printed, said = self.ends(losses=1, code=0)
        self.assertEqual((code, runs, printed), (0, 2, "answer\n"))
        self.assertIn("repeated once", said)

    def test_one_that_is_lost_twice_has_failed(self):
        code, runs, _, _ = self.ends(losses=2, code=0)
        self.assertEqual((code, runs), (1, 2))

    def test_one_that_fails_otherwise_is_not_repeated(self):
        self.assertEqual(self.ends(losses=0, code=3), (3, 1, "answer\n", ""))

    def test_one_that_passes_runs_once(self):
        self.assertEqual(self.ends(losses=0, code=0), (0, 1, "answer\n", ""))

    def test_one_that_goes_on_for_longer_than_its_limit_hangs(self):
        with self.assertRaises(Hangs):
            run_job([sys.executable, "-c", "import time; time.sleep(60)"], limit=2)

    def test_a_halted_machine_does_not_hang(self):
        """Whoever waits is halted for longer than the limit, as is all of a machine; the job goes on for less than it behind that."""
        waiter = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from launched import run_job; " \
                 "print(run_job([sys.executable, '-c', 'import time; time.sleep(6)'], limit=5).returncode)"
        with subprocess.Popen([sys.executable, "-c", waiter], stdout=subprocess.PIPE, text=True) as job:
            time.sleep(1)
            os.kill(job.pid, signal.SIGSTOP)
            time.sleep(6)
            os.kill(job.pid, signal.SIGCONT)
            self.assertEqual(job.communicate()[0], "0\n")


if __name__ == "__main__":
    unittest.main()
