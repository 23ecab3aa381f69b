#!/usr/bin/env python3
"""Neighborhood collectives taken over in programs that know nothing of it: applied.c, applied.F90, applied_mpi4py.py, and
the conformance suite, which asks the MPI library and gets us. Plain runs show that the programs themselves are right.
One class is one test of ctest: `test_applied.py Fortran`."""
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])
INTERPOSER = os.environ["INTERPOSER"]
PROGRAM = os.environ["APPLIED_PROGRAM"]
HARD = os.environ["HARD_PROGRAM"]
EXAMPLE = os.environ["EXAMPLE_PROGRAM"]
SESSIONS = os.environ["SESSIONS_PROGRAM"]
MEMORY = os.environ["MEMORY_PROGRAM"]
WORN = os.environ["WORN_PROGRAM"]
PROFILING = os.environ["PROFILING_PROGRAM"]
FORTRAN = [word for word in os.environ["FORTRAN_PROGRAMS"].split(",") if word]
DEVICE = os.environ["DEVICE_PROGRAM"]
FAKE_DEVICE = os.environ["FAKE_DEVICE"]
SELFTEST = os.environ["SELFTEST"]
SANITIZERS = os.environ.get("SANITIZERS", "")
SANITIZER_RUNTIME = os.environ["SANITIZER_RUNTIME"]  # of an instrumented interposer, for programs that have none
FAMILY = os.environ["MPI_FAMILY"]
HERE = Path(__file__).parent
WHEEL = HERE.parents[1] / "build" / "wheels" / "mpich"  # tools/setup --wheels
# Debian's, which python3-mpi4py is for, wherever the one that runs this comes from.
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
# MPICH polls without giving cores away, so that more ranks than cores take minutes.
RANKS = [1, 3] if FAMILY == "openmpi" else [1, 2]
SOME = ["--every", "1000", "--graphs", "4", "--dimensions", "2"]
if FAMILY != "openmpi":
    SOME = ["--every", "4000", "--graphs", "1", "--iterations", "2", "--dimensions", "1"]
ASKED = "mpi" if FAMILY == "openmpi" else "mpi,mpi-large"
PERSISTENT = os.environ["HAS_PERSISTENT"] == "1"
BLOCKERS = ["recv", "probe", "ssend", "wait", "barrier", "allreduce", "fence", "split", "dup"]


def launch(ranks, words, *variables, apply=True):
    settings = [f"LD_PRELOAD={INTERPOSER}", "TACIT_APPLY=1"] if apply else []
    return subprocess.run([*LAUNCHER, "-n", str(ranks), "env", *settings, *variables, *words], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


def machine_model():
    """A description such as `tacit platform` keeps; times in nanoseconds, as quartiles."""
    times = [900, 1000, 1100]
    message = {"one_way": times, "send": times, "receive": times, "gap": times}
    return {"tacit": "machine model", "format": 1, "machine": {"host": "any", "cpu": "any", "cores": 2, "mpi": "any"}, "one_host": True,
            "measured": "2026-11-27", "core_share_percent": 100, "eager_limit": 4096, "eager_always": False, "flag": [90, 100, 110],
            "window": "unified", "progress_percent": [0, 0, 0], "messages": [{"bytes": 8, **message}, {"bytes": 4096, **message}],
            "memory": [{"bytes": 64, "copy": times, "fetch": times}], "puts": []}


class Programs(unittest.TestCase):
    def check(self, done, *expected):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("done", done.stdout, done.stderr)
        for text in expected:
            self.assertIn(text, done.stderr)

    def taken(self, done):
        """What the summary says: name of a call -> how often it was taken over."""
        self.check(done, "TACIT-086")
        line = next(text for text in done.stderr.splitlines() if "TACIT-086" in text)
        return {name: int(count) for count, name in re.findall(r"(\d+) (MPI_\w+)", line)}

    def everything_taken(self, done):
        counts = self.taken(done)
        self.assertTrue(counts, done.stderr)
        self.assertNotIn("left to", done.stderr)
        return counts


class Requests(Programs):
    def test_completion_in_mixed_arrays(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                counts = self.everything_taken(launch(ranks, [PROGRAM, "mixed"]))
                self.assertEqual(counts["MPI_Ineighbor_alltoall"], 3 * 10 * ranks)
                self.assertEqual(counts["MPI_Neighbor_alltoall"], 3 * ranks)

    def test_queries_of_several_requests(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                counts = self.everything_taken(launch(ranks, [PROGRAM, "queries"]))
                self.assertEqual(counts["MPI_Ineighbor_alltoall"], 3 * 2 * ranks)

    @unittest.skipUnless(PERSISTENT, "this MPI has no persistent neighborhood collectives")
    def test_persistent(self):
        for ranks in RANKS:
            for more in [], ["TACIT_SHM=off"], ["TACIT_DRIVER=p2p"]:
                with self.subTest(ranks=ranks, more=more):
                    counts = self.everything_taken(launch(ranks, [PROGRAM, "persistent"], *more))
                    self.assertEqual(counts["MPI_Neighbor_alltoall_init"], 3 * 3 * ranks)

    @unittest.skipUnless(PERSISTENT, "this MPI has no persistent neighborhood collectives")
    def test_more_persistent_operations_than_tags(self):
        for ranks in RANKS:
            for more in [], ["TACIT_SHM=off"]:
                with self.subTest(ranks=ranks, more=more):
                    counts = self.everything_taken(launch(ranks, [WORN], *more))
                    self.assertEqual(counts["MPI_Neighbor_alltoall_init"], 40 * ranks)

    def test_ends_early(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                done = launch(ranks, [PROGRAM, "ended"])
                self.assertEqual(self.taken(done)["MPI_Ineighbor_alltoall"], (4 + 1600) * ranks)
                self.assertIn(f"left to the MPI library: {ranks} MPI_Ineighbor_alltoall: a nonblocking call must", done.stderr)

    def test_threads(self):
        done = launch(2, [PROGRAM, "threads"])
        if "no threads" in done.stdout:
            self.skipTest("this MPI does not offer MPI_THREAD_MULTIPLE")
        self.assertEqual(self.everything_taken(done), {"MPI_Neighbor_alltoall": 600, "MPI_Ineighbor_alltoall": 600})


    @unittest.skipUnless(PERSISTENT, "this MPI has no persistent neighborhood collectives")
    @unittest.skipUnless(Path(SELFTEST).exists(), "the conformance suite was not built")
    def test_what_native_calls_do_is_counted_apart(self):
        if FAMILY == "mpich":
            self.skipTest("MPICH 4.0.2 itself never ends MPI_Waitall over inactive persistent collectives, as the program has it")
        ours = launch(3, [PROGRAM, "persistent"])
        self.everything_taken(ours)
        starts = int(re.search(r"starts of prepared operations: (\d+) by tacit, 0 by MPI's native calls", ours.stderr).group(1))
        self.assertGreater(starts, 0)
        with tempfile.TemporaryDirectory() as cache:
            variables = ["TACIT_DRIVER=mpi", f"XDG_CACHE_HOME={cache}"]
            where = re.search(r"there is no (\S+\.json);", launch(3, [PROGRAM, "persistent"], *variables).stderr).group(1)
            Path(where).parent.mkdir(parents=True, exist_ok=True)
            verdict = {"tacit": "selftest", "format": 1, "mpi": {"version": "none"}, "ranks": [1, 3], "cells": [
                {"implementation": "mpi", "topology": "cart-periodic", "mode": "nonblocking", "call": "alltoall", "verdict": "right",
                 "cases": 7, "wrong": 0}]}
            Path(where).write_text(json.dumps(verdict))
            other = launch(3, [PROGRAM, "persistent"], *variables).stderr
            verdict["mpi"]["version"] = re.search(r"another library \(none, not ([^)]*)\)", other).group(1)
            Path(where).write_text(json.dumps(verdict))
            native = launch(3, [PROGRAM, "persistent"], *variables)
        self.assertNotIn("MPI_Neighbor_alltoall_init", self.taken(native), native.stderr)
        self.assertRegex(native.stderr, r"left to the MPI library: \d+ MPI_Neighbor_alltoall_init: MPI's native call was asked for")
        self.assertIn(f"starts of prepared operations: 0 by tacit, {starts} by MPI's native calls", native.stderr)


class Blocked(Programs):
    def test_blocked_elsewhere_while_others_need_the_data(self):
        for where in BLOCKERS:
            with self.subTest(where=where):
                self.everything_taken(launch(2, [PROGRAM, "blocked-" + where]))


class Agreement(Programs):
    def test_left_to_the_library(self):
        done = launch(2, [PROGRAM, "others"])
        self.taken(done)
        self.assertIn("left to the MPI library: 2 MPI_Neighbor_alltoall: the communicator has no topology", done.stderr)
        self.assertIn("left to the MPI library: 2 MPI_Neighbor_alltoall: an argument is wrong", done.stderr)

    def test_of_communicators_that_nobody_uses_nothing_is_said(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                done = launch(ranks, [PROGRAM, "unused"])
                self.assertEqual(self.everything_taken(done), {"MPI_Ineighbor_alltoall": ranks})
                self.assertEqual(done.stderr.count("TACIT-"), 1, done.stderr)

    def test_blocking_calls_are_tried_both_ways_where_the_library_is_right(self):
        for more in [], ["TACIT_DRIVER=p2p"]:
            with self.subTest(more=more):
                done = launch(2, [PROGRAM, "tried"], *more)
                taken, left = self.taken(done), re.search(r"left to the MPI library: (\d+) MPI_Neighbor_alltoall:", done.stderr)
                by_library = int(left.group(1)) if left else 0
                self.assertEqual(taken["MPI_Neighbor_alltoall"] + by_library, 2 * 1400)
                # 16 blocks of 16 calls in the trial; after it, 760 more if the library is faster here.
                self.assertIn(by_library, [0] if more else [2 * 256, 2 * (256 + 760)])
                # On a ring of two MPICH 4.0.2 does only the first of them rightly.
                version = subprocess.run([LAUNCHER[0], "--version"], capture_output=True, text=True).stdout
                right = not more and (FAMILY != "mpich" or "4.0.2" not in version)
                by_library = 2 * 700 - taken["MPI_Neighbor_alltoallv"]
                self.assertIn(by_library, [2 * 256, 2 * (256 + 60)] if right else [0])

    def test_a_call_that_is_not_seen_forbids_it_on_all_ranks(self):
        mixed = [*LAUNCHER, "-n", "1", "env", f"LD_PRELOAD={INTERPOSER}", "TACIT_APPLY=1", PROGRAM, "once", ":", "-n", str(RANKS[-1] - 1),
                 "env", f"LD_PRELOAD={INTERPOSER}", "TACIT_APPLY=1", PROFILING, "once"]
        done = subprocess.run(mixed, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.check(done, "TACIT-085", "another rank")
        self.assertNotIn("TACIT-086", done.stderr)

    @unittest.skipUnless(SESSIONS, "this MPI has no sessions")
    def test_sessions(self):
        for what, rounds, more in ("only", 3, {}), ("made", 8, {}), ("leaked", 3, {"MPI_Neighbor_alltoall_init": 1}):
            with self.subTest(what=what):
                done = launch(2, [SESSIONS, what])
                counts = self.everything_taken(done)  # of rank 0
                self.assertEqual(counts, {"MPI_Neighbor_alltoall": rounds, "MPI_Ineighbor_alltoall": rounds, **more})
                self.assertEqual(done.stderr.count("TACIT-086"), 1, done.stderr)
        counts = self.everything_taken(launch(2, [SESSIONS, "both"]))
        self.assertEqual(counts, {"MPI_Neighbor_alltoall": 6, "MPI_Ineighbor_alltoall": 6})

    @unittest.skipUnless(SESSIONS, "this MPI has no sessions")
    def test_sessions_of_a_program_that_is_not_seen(self):
        one = ["-n", "1", "env", f"LD_PRELOAD={INTERPOSER}", "TACIT_APPLY=1"]
        for programs in [SESSIONS, SESSIONS + "_gap"], [SESSIONS + "_gap", SESSIONS]:
            with self.subTest(programs=programs):
                done = subprocess.run([*LAUNCHER, *one, programs[0], "only", ":", *one, programs[1], "only"],
                                      capture_output=True, text=True, stdin=subprocess.DEVNULL)
                self.check(done)
                self.assertNotRegex(done.stderr, r"taken over on .*\d MPI_")
                if programs[0] == SESSIONS:
                    self.assertIn("left to the MPI library: 3 MPI_Neighbor_alltoall: the program on some rank", done.stderr)
                else:
                    self.assertIn("TACIT-085: no wrapper sees PMPI_Send", done.stderr)

    @unittest.skipUnless(SESSIONS, "this MPI has no sessions")
    def test_a_session_after_the_last(self):
        if launch(2, [SESSIONS, "again"], apply=False).returncode != 0:
            self.skipTest("this MPI cannot begin anew")
        done = launch(2, [SESSIONS, "again"])
        self.assertEqual(self.taken(done), {"MPI_Neighbor_alltoall": 3, "MPI_Ineighbor_alltoall": 3})

    @unittest.skipUnless(PERSISTENT, "this MPI has no persistent neighborhood collectives")
    def test_the_example_computes_the_same(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                plain, applied = (launch(ranks, [EXAMPLE, "8", "100"], apply=apply) for apply in (False, True))
                self.assertIn("heat", plain.stdout, plain.stderr)
                self.assertEqual(applied.stdout, plain.stdout)
                self.assertIn(f"{2 * ranks} MPI_Neighbor_alltoallw_init", applied.stderr)

    @unittest.skipUnless(FAMILY == "openmpi", "MPICH does not set the statuses of its nonblocking collectives")
    def test_the_programs_are_right_without_us(self):
        # Open MPI 4.1 leaves the statuses of nonblocking collectives as malloc gave them, which ASan fills; else they are empty.
        unfilled = f"ASAN_OPTIONS={os.environ.get('ASAN_OPTIONS', '')}:max_malloc_fill_size=0"
        for words in [[PROGRAM, "mixed"], [PROGRAM, "blocked-barrier"], *[[program] for program in FORTRAN]]:
            with self.subTest(words=words):
                self.check(launch(3, words, unfilled, apply=False))


class Errors(Programs):
    """Each rank says at most one thing; errors go to the communicator's handler as those of the library do."""

    def test_sizes_that_do_not_fit(self):
        for part in "blocking", "nonblocking", "several", "handler":
            for surplus in "1", "-1":
                with self.subTest(part=part, surplus=surplus):
                    done = launch(2, [HARD, "misfit-" + part, surplus])
                    self.check(done, "TACIT-087: rank 1: MPI_", "receive from rank 0", "16 B",
                               "Counts and datatypes on both ends of an edge must describe equally many bytes")
                    self.assertEqual(done.stderr.count("TACIT-087"), 1, done.stderr)

    def test_sizes_that_do_not_fit_are_fatal_by_default(self):
        # Errors go to a file: MPICH's launcher may end before it has passed on what a rank that aborts has written.
        with tempfile.TemporaryDirectory() as folder:
            errors = Path(folder) / "errors"
            done = launch(2, ["sh", "-c", f'exec "$@" 2>>{shlex.quote(str(errors))}', "sh", HARD, "misfit-fatal"])
            self.assertNotEqual(done.returncode, 0)
            # MPICH ends the program in its own wait, by the handler of MPI_COMM_WORLD, before anybody can say more.
            said = "TACIT-087: rank 1: MPI_Neighbor_alltoallv: receive from rank 0" if FAMILY == "openmpi" else "Fatal error in"
            self.assertIn(said, errors.read_text())

    @unittest.skipUnless(PERSISTENT, "this MPI has no persistent neighborhood collectives")
    def test_persistent_operations_that_do_not_fit_are_left_to_the_library(self):
        for surplus, sent in ("1", "12 B"), ("-1", "4 B"):
            with self.subTest(surplus=surplus):
                done = launch(2, [HARD, "misfit-init", surplus])
                self.check(done, f"incoming edge 0: 8 B expected, but rank 0 sends {sent}", "the ranks contradict each other")
                self.assertEqual(done.stderr.count("8 B expected"), 1, done.stderr)

    def test_options_that_differ(self):
        one = ["-n", "1", "env", f"LD_PRELOAD={INTERPOSER}", "TACIT_APPLY=1"]
        done = subprocess.run([*LAUNCHER, *one, PROGRAM, "once", ":", *one, "TACIT_DRIVER=nonsense", PROGRAM, "once"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.check(done, "TACIT-082: rank 1: ", 'TACIT_DRIVER is "nonsense", but must be', "Nothing is taken over on any rank")
        self.assertEqual(done.stderr.count("TACIT-"), 1, done.stderr)
        done = subprocess.run([*LAUNCHER, *one, PROGRAM, "once", ":", *one, "TACIT_DRIVER=p2p", PROGRAM, "once"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.check(done, "TACIT_ variables differ between the ranks", "Nothing is taken over on any rank")

    def test_a_misspelled_value_is_no_contradiction_between_ranks(self):
        done = launch(2, [PROGRAM, "once"], "TACIT_DRIVER=smh")
        self.check(done, 'TACIT_DRIVER is "smh", but must be', "Nothing is taken over on any rank")
        self.assertNotIn("contradict", done.stderr)

    def test_a_rank_that_dies_ends_the_job(self):
        for part in ["blocking", "nonblocking"] + ["persistent"] * PERSISTENT:
            with self.subTest(part=part):
                done = launch(2, [HARD, "death-" + part])
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("rank 1 dies", done.stderr)

    def test_cancelling_is_refused(self):
        self.everything_taken(launch(2, [HARD, "cancelled"]))

    def test_many_at_once(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.everything_taken(launch(ranks, [HARD, "many"]))

    def test_a_communicator_that_is_freed_first(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                self.taken(launch(ranks, [HARD, "outlived"]))

    def test_communicators_made_from_communicators(self):
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                counts = self.everything_taken(launch(ranks, [HARD, "copies"]))
                self.assertEqual(counts, {"MPI_Neighbor_alltoall": 55 * ranks, "MPI_Ineighbor_alltoall": ranks})

    @unittest.skipUnless(PERSISTENT, "this MPI has no persistent neighborhood collectives")
    def test_threads_that_share_a_communicator(self):
        for more in [], ["TACIT_SHM=off"]:
            with self.subTest(more=more):
                done = launch(2, [HARD, "shared"], *more)
                if "no threads" in done.stdout:
                    self.skipTest("this MPI does not offer MPI_THREAD_MULTIPLE")
                self.everything_taken(done)

    @unittest.skipUnless(PERSISTENT, "this MPI has no persistent neighborhood collectives")
    @unittest.skipIf(SANITIZERS, "the program has an allocator of its own, which the sanitizer replaces")
    def test_no_rank_waits_for_one_without_memory(self):
        for ranks, kept_model in itertools.product(RANKS[1:], (False, True)):
            with self.subTest(ranks=ranks, kept_model=kept_model), tempfile.TemporaryDirectory() as cache:
                model = f"{cache}/model.json" if kept_model else "default"
                if kept_model:
                    Path(model).write_text(json.dumps(machine_model()))
                done = launch(ranks, [MEMORY], f"XDG_CACHE_HOME={cache}", f"TACIT_PLATFORM={model}")
                self.check(done, "left to the MPI library", "out of memory")
                self.assertGreater(int(re.search(r"(\d+) refusals", done.stdout).group(1)), 40)
                taken = re.search(r"calls taken over on \d+ ranks: (\d+) MPI_Neighbor_alltoall_init", done.stderr).group(1)
                self.assertGreater(int(taken), 40 * ranks)


class Fortran(Programs):
    def test_all_interfaces(self):
        if not FORTRAN:
            self.skipTest("no Fortran compiler for this MPI")
        for program in FORTRAN:
            for ranks in RANKS:
                with self.subTest(program=program, ranks=ranks):
                    counts = self.everything_taken(launch(ranks, [program]))
                    self.assertEqual(len(counts), 15 if PERSISTENT else 10)

    def test_sections_in_device_memory(self):
        """The program ends if the interposer touches them (guarded_device.c)."""
        if not DEVICE:
            self.skipTest("no Fortran compiler for this MPI")
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                done = launch(ranks, [DEVICE], f"FAKE_DEVICE={FAKE_DEVICE}")
                counts = self.everything_taken(done)
                self.assertEqual(counts["MPI_Neighbor_alltoall"], 3 * ranks)
                reach = "sections reach MPI" in done.stdout
                self.assertEqual(counts.get("MPI_Ineighbor_alltoall", 0), 3 * ranks if reach else 0)
                self.assertEqual("TACIT-051" in done.stderr, reach, done.stderr)


class Python(Programs):
    def test_mpi4py(self):
        if FAMILY != "openmpi":
            self.skipTest("Debian's mpi4py is made for Open MPI")
        if subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True).returncode != 0:
            self.skipTest("python3-mpi4py is not installed")
        # What Python has not freed when it ends is not ours.
        sanitized = [f"LD_PRELOAD={SANITIZER_RUNTIME}:{INTERPOSER}",
                     f"ASAN_OPTIONS={os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0"] if SANITIZER_RUNTIME else []
        for ranks in RANKS:
            with self.subTest(ranks=ranks):
                counts = self.everything_taken(launch(ranks, [PYTHON, str(HERE / "applied_mpi4py.py")], *sanitized))
                self.assertGreaterEqual(len(counts), 6)

    def test_mpi4py_4_with_mpich_5(self):
        """It asks for every function of MPI-5.0, by weak references."""
        if FAMILY != "mpich":
            self.skipTest("for the interposer of MPICH")
        if not (WHEEL / "bin" / "mpiexec").exists():
            self.skipTest("tools/setup --wheels has not been run")
        done = subprocess.run([WHEEL / "bin" / "mpiexec", "-n", "2", "env", f"LD_PRELOAD={INTERPOSER}", "TACIT_APPLY=1",
                               WHEEL / "bin" / "python", HERE / "applied_mpi4py.py"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        self.assertGreaterEqual(len(self.taken(done)), 3)
        self.assertIn("queried", done.stdout)
        self.assertNotIn("TACIT-085", done.stderr)


class Conformance(Programs):
    def test_suite_that_asks_the_library(self):
        with tempfile.TemporaryDirectory() as folder:
            for ranks in RANKS[1:]:
                with self.subTest(ranks=ranks):
                    output = Path(folder) / f"{ranks}.json"
                    done = launch(ranks, [SELFTEST, "--implementations", ASKED, *SOME, "--output", str(output)])
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("TACIT-086", done.stderr)
                    self.assertNotIn("left to", done.stderr)
                    result = json.loads(output.read_text())
                    self.assertEqual({cell["implementation"] for cell in result["cells"]}, set(ASKED.split(",")))
                    self.assertGreaterEqual(sum(cell["cases"] for cell in result["cells"]), 100)
                    self.assertEqual([cell for cell in result["cells"] if cell["wrong"]], [])

    def test_datatypes_of_too_many_pieces(self):
        """Here: of more than two. What is prepared needs the list and is left to the library, by all ranks."""
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "result.json"
            done = launch(2, [SELFTEST, "--implementations", "mpi", *SOME, "--only", "alltoallw", "--iterations", "1",
                              "--output", str(output)], "TACIT_PIECES=2")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(output.read_text())
        for mode, expected in ("blocking", []), ("nonblocking", []):
            cells = [cell for cell in result["cells"] if cell["mode"] == mode]
            self.assertGreater(sum(cell["cases"] for cell in cells), 20)
            self.assertEqual([cell for cell in cells if cell["wrong"]], expected)
        left = [line for line in done.stderr.splitlines() if "left to the MPI library" in line]
        self.assertEqual(bool(left), PERSISTENT, done.stderr)
        for line in left:
            self.assertRegex(line, r"_init.*(too many pieces|more than 2 separate pieces|as prepared)")

if __name__ == "__main__":
    unittest.main(verbosity=2)
