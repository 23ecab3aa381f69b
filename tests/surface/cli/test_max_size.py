#!/usr/bin/env python3
"""`tacit run --max-size`: the recording never takes more, and the report's sums are those of the recording without a limit."""
import json
import os
import shlex
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

TACIT = os.environ["COMMAND_FILE"]
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])
PROGRAM = os.environ["CHANGING_PROGRAM"]
RANKS = int(os.environ.get("MAX_SIZE_RANKS", "3"))  # MPICH wants a core for each


def recording_bytes(folder):
    total = 0
    for pattern in ("*.rec", "*.tail"):
        for path in folder.glob(pattern):
            try:
                total += path.stat().st_size
            except FileNotFoundError:  # a tail that has just gone
                pass
    return total


class Limit(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def record(self, name, ranks, arguments, limit=None):
        """Runs the program; its report, and the most that the recording took at any moment that was seen."""
        out = self.folder / name
        words = [TACIT, "run", "-o", str(out)] + (["--max-size", limit] if limit else [])
        most, ended = [0], threading.Event()

        def watch():
            while not ended.wait(0.002):
                most[0] = max(most[0], recording_bytes(out))

        watcher = threading.Thread(target=watch)
        watcher.start()
        done = subprocess.run([*words, "--", *LAUNCHER, "-n", str(ranks), PROGRAM, *arguments], cwd=self.folder,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        ended.set()
        watcher.join()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.said = done.stderr
        report = out / "report.json"
        return (json.loads(report.read_text()) if report.exists() else None), max(most[0], recording_bytes(out))

    def assert_same_sums(self, whole, part, with_sites=True):
        for what in ("calls", "messages", "bytes", "unmatched_sends", "unmatched_receives", "cancelled", "unmodelled_calls"):
            self.assertEqual(whole["totals"][what], part["totals"][what], what)
        if with_sites:
            def calls(report):
                return sorted((s["call"], s["offset"], s["calls"]) for s in report["sites"])

            self.assertEqual(calls(whole), calls(part))
            self.assertEqual(whole["matrix"], part["matrix"])

            def collectives(report):
                return sorted((c["call"], c["calls"], c["bytes"]) for c in report["collectives"])

            self.assertEqual(collectives(whole), collectives(part))
        in_cards = sum(a["messages"] for a in part["activities"]) + part["totals"]["messages_without_example"]
        self.assertEqual(in_cards, part["totals"]["messages"])
        self.assertGreater(part["totals"]["counted_calls"], part["totals"]["calls"] // 4)
        self.assertEqual(whole["totals"]["counted_calls"], 0)

    def test_sums_are_exact_and_the_limit_holds(self):
        whole, unlimited = self.record("whole", RANKS, ["1500"])
        for limit, kib in ((f"{200 * RANKS} KiB", 200 * RANKS), (f"{110 * RANKS}K", 110 * RANKS)):
            with self.subTest(limit=limit):
                part, most = self.record("part" + str(kib), RANKS, ["1500"], limit)
                self.assertGreater(unlimited, most)
                self.assertLessEqual(most, kib * 1024)
                self.assert_same_sums(whole, part)
                self.assertIn("The recording reached its limit", " ".join(self.said.split()))
                self.assertIn("TACIT-121", [p["code"] for p in part["problems"]])

    def test_the_smallest_limit_gives_totals(self):
        whole, _ = self.record("whole", 2, ["2000"])
        part, most = self.record("part", 2, ["2000"], "130KiB")
        self.assertLessEqual(most, 130 * 1024)
        self.assert_same_sums(whole, part, with_sites=False)

    def test_threads(self):
        whole, _ = self.record("whole", 2, ["800", "threads"])
        part, most = self.record("part", 2, ["800", "threads"], "400KiB")
        self.assertLessEqual(most, 400 * 1024)
        self.assert_same_sums(whole, part)

    def test_a_limit_that_is_not_reached_changes_nothing(self):
        whole, _ = self.record("whole", 2, ["20"])
        part, _ = self.record("part", 2, ["20"], "1GiB")
        self.assertEqual(part["totals"]["counted_calls"], 0)
        self.assertEqual(whole["totals"]["messages"], part["totals"]["messages"])

    def test_a_limit_that_cannot_be_kept_is_refused(self):
        report, most = self.record("small", 2, ["20"], "10KiB")
        self.assertIsNone(report)
        self.assertEqual(most, 0)
        self.assertEqual(self.said.count("TACIT-121"), 1, self.said)
        wrong = subprocess.run([TACIT, "run", "--max-size", "much", "--", "true"], capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("much is no amount such as 512MiB", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
