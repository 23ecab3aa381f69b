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
        return subprocess.run([TACIT, "run", *words], cwd=self.folder, capture_output=True, text=True, **more)

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
        named = self.run_tacit("-o", "ring_program.tacit", *self.ring(2, "0"), input="")
        self.assertEqual(named.returncode, 2, named.stderr)
        self.assertIn("ring_program.tacit exists; --force", named.stderr)
        self.assertEqual(named.stdout, "")  # nothing ran
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

    def test_of_a_hung_program_it_is_said_who_ended_first_and_who_waited_where(self):
        done = self.run_tacit(*self.ring(2, "0", "hang"), input="")
        self.assertNotEqual(done.returncode, 0)
        report = json.loads((self.folder / "ring_program.tacit" / "report.json").read_text())
        ends = {e["rank"]: e for e in report["ends"]}
        where = {rank: report["sites"][e["site"]] for rank, e in ends.items()}
        self.assertEqual((ends[1]["inside"], where[1]["call"]), (False, "MPI_Probe"))
        self.assertEqual((ends[0]["inside"], where[0]["call"], ends[0]["peer"]), (True, "MPI_Ssend", 1))
        self.assertEqual(where[0]["function"], "main")
        self.assertIn("Ended first, as far as is recorded: rank 1", " ".join(done.stderr.split()))

    def test_calls_outside_the_model_are_in_the_summary_with_their_time(self):
        done = self.run_tacit(*self.ring(2, "0", "file", "written"), input="")
        self.assertEqual(done.returncode, 0, done.stderr)
        totals = json.loads((self.folder / "ring_program.tacit" / "report.json").read_text())["totals"]
        self.assertGreater(totals["unmodelled_seconds"], 0)
        self.assertGreaterEqual(totals["unmodelled_calls"], 2 * 22)
        self.assertRegex(" ".join(done.stderr.split()), r"of [\d,]+ calls, [\d.]+ % of the MPI time, are outside the model")

    def test_a_program_that_never_calls_finalize_is_analysed(self):
        self.run_tacit(*self.ring(2, "0", "quit"), input="")
        report = json.loads((self.folder / "ring_program.tacit" / "report.json").read_text())
        self.assertFalse(report["complete"])
        self.assertEqual(report["totals"]["messages"], 10)

    def on_small_disk(self, size, script):
        """Runs a shell script with a file system of that size in ./disk, in a mount namespace of its own."""
        (self.folder / "disk").mkdir()
        user = [] if os.geteuid() == 0 else ["--map-root-user"]
        mount = ["unshare", "--mount", *user, "sh", "-c", f"mount -t tmpfs -o size={size} tmpfs disk || exit 99; {script}"]
        try:
            done = subprocess.run(mount, cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        except FileNotFoundError:
            self.skipTest("there is no unshare to mount a small file system with")
        if done.returncode == 99 or "unshare:" in done.stderr:
            self.skipTest(f"a small file system cannot be mounted here: {done.stderr.strip()}")
        return done

    def test_a_full_disk_stops_the_recording_and_not_the_program(self):
        # Not folded, so that a program of a second fills it.
        command = shlex.join(["env", "TACIT_FOLD=0", TACIT, "run", "-o", "disk/out", *self.ring(2, "7", "long")])
        done = self.on_small_disk("700k", f"{command}; status=$?; cp -r disk/out kept; exit $status")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertRegex(done.stdout, r"last -?\d+\n")
        self.assertEqual(done.stderr.count("TACIT-084: rank"), 1, done.stderr)
        self.assertIn("ring_program, 2 ranks", done.stderr)  # the summary is shown all the same
        self.assertIn("could not write", done.stderr)
        left = {f.name for f in (self.folder / "kept").iterdir()}
        self.assertLessEqual(left, {f"rank-0000{r}.{kind}" for r in (0, 1) for kind in ("rec", "tail")} | {"recording-stopped"})
        shown = subprocess.run([TACIT, "analyze", "kept", "--json"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        report = json.loads(shown.stdout)
        self.assertFalse(report["complete"])
        self.assertGreater(report["totals"]["messages"], 100)
        self.assertIn("TACIT-084", [p["code"] for p in report["problems"]])

    def test_a_disk_too_full_to_begin_on_leaves_nothing(self):
        command = shlex.join([TACIT, "run", "-o", "disk/out", *self.ring(2, "7")])
        done = self.on_small_disk("16k", f"{command}; status=$?; ls -A disk > kept; exit $status")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertRegex(done.stderr, r"nothing was recorded \(exit code 7\): the recorder could not write")
        self.assertEqual((self.folder / "kept").read_text(), "")

    def test_reports_are_written_whole_or_not_at_all(self):
        self.run_tacit("--record-only", "-o", "out", *self.ring(2), input="")
        formats = ("html", "json", "text", "dot")
        self.on_small_disk("12k", "echo old | tee disk/html disk/json disk/text > /dev/null; head -c 20000 /dev/zero > disk/fill; "
                           + "".join(f"{TACIT} analyze out --format {f} -o disk/{f} 2>> errors; echo $? >> codes; " for f in formats)
                           + "head -c 4 disk/html disk/json disk/text > kept; ls -A disk >> kept")
        self.assertEqual((self.folder / "codes").read_text().split(), ["1"] * 4)
        self.assertEqual((self.folder / "errors").read_text().count("No space left on device; make room"), 4)
        kept = (self.folder / "kept").read_text().split()
        self.assertEqual(kept.count("old"), 3)
        self.assertEqual([name for name in kept if "." in name or name == "dot"], [])

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

    def test_apply_says_what_became_of_it(self):
        launched = ["--", *LAUNCHER, "-n", "2"]
        none = self.run_tacit("--apply", *launched, "sh", "-c", "exit 3")
        self.assertEqual(none.returncode, 3, none.stderr)
        self.assertEqual(none.stderr.count("nothing was taken over (exit code 3): no process called MPI_Init"), 1, none.stderr)
        # a shell that starts an MPI program has not called MPI_Init, and says nothing about it
        ring = self.run_tacit("--apply", *launched, "sh", "-c", f"{PROGRAM} 0; exit 0", input="")
        self.assertNotIn("was taken over", ring.stderr)
        self.assertEqual(ring.stderr.count("calls taken over on 2 ranks: nothing: the program called no neighborhood"), 1,
                         ring.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_cannot_be_started_leaves_no_folder(self):
        done = self.run_tacit("-o", "out", "--", "mpiexec.not.here", "-n", "2", PROGRAM, input="")
        self.assertEqual(done.returncode, 127, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_killed_tacit_leaves_nothing_in_the_temporary_folder(self):
        temporary = self.folder / "temporary"
        temporary.mkdir()
        words = [TACIT, "run", "--apply", "--", *LAUNCHER, "-n", "1", PROGRAM, "0"]
        tacit = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(temporary)})
        while not Path(f"/proc/{tacit.pid}/task/{tacit.pid}/children").read_text():
            self.assertIsNone(tacit.poll(), "tacit ended before it started the program")  # which waits for its input
        tacit.kill()
        tacit.wait()
        self.assertEqual([f.name for f in temporary.iterdir() if "tacit" in f.name], [])
        tacit.stdin.close()

    def test_doctor_finds_the_program_covered(self):
        done = subprocess.run([TACIT, "doctor", PROGRAM], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("nothing speaks against recording", done.stdout)
        facts = subprocess.run([TACIT, "doctor", "--json", PROGRAM], capture_output=True, text=True)
        said = json.loads(facts.stdout)
        self.assertTrue(said["fits"])
        self.assertIn("taken over", said["conclusion"])
        self.assertEqual(said["functions"]["not wrapped"], [])
        self.assertEqual(said["functions"]["passed by"], [])
        self.assertIn("MPI_Init", said["functions"]["wrapped"])
        self.assertRegex(said["facts"]["standard ABI"], "^(not )?offered by this library|^the program uses it$")


if __name__ == "__main__":
    unittest.main()
