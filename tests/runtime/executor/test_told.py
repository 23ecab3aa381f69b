#!/usr/bin/env python3
"""What is told about a program of tasks: dry runs, explanations in files, progress, and errors of all three."""
import json
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["TOLD_PROGRAM"]
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])


def run(*arguments, ranks=0, **settings):
    launch = [*LAUNCHER, "-n", str(ranks)] if ranks else []
    environment = {k: v for k, v in os.environ.items() if not k.startswith("TACIT_")}
    return subprocess.run([*launch, PROGRAM, *arguments], capture_output=True, text=True, timeout=550,
                          env={**environment, **settings})


class DryRun(unittest.TestCase):
    def test_plans_for_ranks_that_do_not_exist(self):
        done = run("50", TACIT_DRY_RUN_RANKS="65536")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "x[1] = 0\n")  # no kernel has run
        said = [line for line in done.stderr.splitlines() if line.startswith("tacit: ")]
        self.assertEqual(len(said), 1, done.stderr)
        for words in ("dry run of rank 0 of 65536", "102 tasks", "51 allgather", "50 halo", "us a task"):
            self.assertIn(words, said[0])

    def test_one_task_is_one(self):
        self.assertRegex(run("0", "alone", TACIT_DRY_RUN_RANKS="4").stderr, r"rank 0 of 4: 1 task, \d+ commands \(")

    def test_plans_as_any_of_them(self):
        first, last = (run(TACIT_DRY_RUN_RANKS="4", TACIT_DRY_RUN_RANK=rank).stderr for rank in "03")
        self.assertIn("rank 0 of 4", first)
        self.assertIn("rank 3 of 4", last)
        self.assertIn("receives 23.5 KiB", first)  # 24,024 B: four times 750 elements by all-gather, three times one from the neighbor

    def test_without_collectives_all_is_messages(self):
        said = run(TACIT_DRY_RUN_RANKS="4", TACIT_TASK_DISCOVER="0").stderr
        self.assertNotIn("allgather", said)
        self.assertRegex(said, r"\b\d+ await_push\b")

    def test_wrong_numbers_are_refused(self):
        for name, value, words in (("RANKS", "0", "1 to 65536"), ("RANKS", "many", "1 to 65536"), ("RANKS", "65537", "1 to 65536"),
                                   ("RANK", "-1", "0 to 65535"), ("RANK", "4", "below TACIT_DRY_RUN_RANKS, which is 4")):
            done = run(**{"TACIT_DRY_RUN_RANKS": "4", f"TACIT_DRY_RUN_{name}": value})
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(f"TACIT_DRY_RUN_{name} is", done.stdout)
            self.assertIn(words, done.stdout)

    def test_several_processes_are_refused(self):
        done = run(ranks=2, TACIT_DRY_RUN_RANKS="4")
        self.assertIn("TACIT_DRY_RUN_RANKS is set, but the program runs on 2 processes", done.stdout)

    def test_wrong_programs_are_named(self):
        done = run("1", "unwritten", TACIT_DRY_RUN_RANKS="4")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("reads [0,1) of buffer 2 'sum'", done.stdout)
        self.assertIn("dry run of rank 0 of 4 failed: ", done.stderr)


class Explained(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_every_rank_writes_its_commands_and_the_first_the_tasks(self):
        done = run("2", ranks=2, TACIT_TASK_EXPLAIN=str(self.folder / "new" / "plans"))
        self.assertEqual(done.returncode, 0, done.stderr)
        plans = self.folder / "new" / "plans"
        self.assertEqual(sorted(f.name for f in plans.iterdir()),
                         ["commands-0.dot", "commands-0.txt", "commands-1.dot", "commands-1.txt", "tasks.dot", "tasks.json", "tasks.txt"])
        words = (plans / "tasks.txt").read_text()
        self.assertIn("task 2 'smooth' needs [0,1000) of buffer 0 'x' from task 1 'fill': halo 0", words)
        self.assertIn("from task 2 'smooth': allgather 1", words)
        told = json.loads((plans / "tasks.json").read_text())
        self.assertEqual([b["name"] for b in told["buffers"]], ["x", "y", "sum"])
        self.assertEqual({e.get("collective") for e in told["exchanges"]}, {"halo", "allgather"})
        self.assertEqual(told["left_out"], 0)
        self.assertIn("execute [500,1000), for task 1", (plans / "commands-1.txt").read_text())
        self.assertIn("color=blue", (plans / "commands-1.dot").read_text())

    def test_reasons_stand_where_there_is_no_collective(self):
        done = run("1", ranks=2, TACIT_TASK_EXPLAIN=str(self.folder), TACIT_TASK_DISCOVER="0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("messages, TACIT-3", (self.folder / "tasks.txt").read_text())
        self.assertIn("push", (self.folder / "commands-0.txt").read_text())

    def test_a_failing_program_is_explained_too(self):
        # It ends in the middle, with all it has: no leak for a sanitizer to complain of.
        options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        done = run("1", "unwritten", TACIT_TASK_EXPLAIN=str(self.folder), ASAN_OPTIONS=options)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("(rejected)", (self.folder / "tasks.json").read_text())

    def test_dry_runs_are_explained(self):
        done = run("1", TACIT_DRY_RUN_RANKS="9", TACIT_DRY_RUN_RANK="4", TACIT_TASK_EXPLAIN=str(self.folder))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "tasks.json").read_text())["rank"], 4)
        self.assertTrue((self.folder / "commands-4.txt").exists())

    def test_what_cannot_be_written_is_named_and_not_there(self):
        place = self.folder / "plans"
        place.mkdir()
        done = run("200", "full", TACIT_TASK_EXPLAIN=str(place))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"tacit: could not write .*/plans/[a-z0-9.-]+: File too large")
        for file in place.iterdir():  # only what is small enough to be whole
            self.assertLess(file.stat().st_size, 1024)
        file = self.folder / "file"
        file.write_text("")
        done = run("1", TACIT_TASK_EXPLAIN=str(file / "below"))
        self.assertIn(f"could not write {file}/below/", done.stderr)
        self.assertEqual(done.returncode, 0)


class End(unittest.TestCase):
    def test_says_what_nobody_has_waited_for_and_fails(self):
        done = run("1", "unheard")
        self.assertEqual(done.stderr.count("tacit: "), 1, done.stderr)
        self.assertRegex(done.stderr, r"tacit: task \d+ 'last' reads \[0,1\) of buffer 2 'sum' .*nobody has written")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "x[1] = 997.5\n")  # nothing of what the program printed is lost

    def test_fails_on_several_ranks_and_in_a_dry_run(self):
        self.assertNotEqual(run("1", "unheard", ranks=2).returncode, 0)
        self.assertEqual(run("1", "unheard", TACIT_DRY_RUN_RANKS="4").returncode, 1)

    def test_leaves_a_program_its_own_status(self):
        self.assertEqual(run("1", "unheard", "7").returncode, 7)
        self.assertEqual(run("1", "", "7").returncode, 7)
        self.assertEqual(run("1", "unwritten", "7").returncode, 3)  # it has heard

    def test_says_nothing_twice(self):
        self.assertNotIn("nobody has written", run("1", "unwritten").stderr)


class Progress(unittest.TestCase):
    def test_is_silent_unless_asked_for(self):
        self.assertNotIn("tacit", run("20000").stderr)

    def test_says_how_far_the_run_is(self):
        done = run("150000", TACIT_TASK_PROGRESS="1")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"tacit: \d+ tasks submitted, \d+ have run\n")
        self.assertEqual(run("1", TACIT_TASK_PROGRESS="yes").returncode, 3)


if __name__ == "__main__":
    unittest.main()
