#!/usr/bin/env python3
"""`tacit cc`, `cxx` and `fc`: what they build runs, and where there is no MPI they are as if they were not there."""
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

TACIT = os.environ["COMMAND_FILE"]
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])
FAMILY = os.environ["MPI_FAMILY"]
WRAPPER = {"openmpi": "OMPI", "mpich": "MPICH"}[FAMILY]

C_PROGRAM = """#include <mpi.h>
#include <stdio.h>
double in[2000], out[2000], other[2000];
int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Request requests[2];
  out[7] = rank;
  MPI_Irecv(in, 2000, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 2000, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < 2000; i++) other[i] = other[i] * 3 + i;
  int right = in[7] == (rank + size - 1) % size && other[5] == 5, ranks_right = 0;
  MPI_Reduce(&right, &ranks_right, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d ranks right\\n", ranks_right);
  MPI_Finalize();
}
"""
ANNOTATED_PROGRAM = """#include <mpi.h>
void count(MPI_Win win, long* counts, const long* ones, const int* places, int n) {
  MPI_Win_fence(0, win);
#pragma mpi osc_coalesce (win, counts, long, MPI_LONG)
  for (int i = 0; i < n; ++i)
    MPI_Accumulate(&ones[i], 1, MPI_LONG, 0, places[i], 1, MPI_LONG, MPI_SUM, win);
  MPI_Win_fence(0, win);
}
"""
FORTRAN_PROGRAM = """program ring
  use mpi
  implicit none
  integer :: error, rank, ranks, right, ranks_right, i, here(2000), there(2000), other(2000)
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  here = rank
  call mpi_sendrecv(here, 2000, MPI_INTEGER, mod(rank + 1, ranks), 1, there, 2000, MPI_INTEGER, &
                    mod(rank + ranks - 1, ranks), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  do i = 1, 2000
    other(i) = there(i) * 3
  end do
  here = 0
  right = merge(1, 0, other(2000) == 3 * mod(rank + ranks - 1, ranks))
  call mpi_reduce(right, ranks_right, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(i0,a)', ranks_right, ' ranks right'
  call mpi_finalize(error)
end program
"""


class Compilers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("TACIT_", "OMPI_C", "MPICH_C"))}
        self.environment["XDG_CACHE_HOME"] = self.folder.name

    def write(self, name, text):
        (self.path / name).write_text(text)

    def tacit(self, *words, code=0):
        done = subprocess.run([TACIT, *words], capture_output=True, text=True, errors="replace", cwd=self.path, env=self.environment)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def run_on_two(self, program):
        done = subprocess.run([*LAUNCHER, "-n", "2", self.path / program], capture_output=True, text=True, errors="replace",
                              env=self.environment)
        # One rank speaks for all: launchers may mix the lines of several.
        self.assertEqual(done.stdout, "2 ranks right\n", done.stderr)

    def test_paths_are_printed(self):
        self.assertTrue(Path(self.tacit("--pass").stdout.strip()).is_file())
        self.assertTrue(Path(self.tacit("--hooks").stdout.strip()).is_file())
        self.assertTrue(Path(self.tacit("--coalesce").stdout.strip()).is_file())

    def test_c_is_reported_by_default_and_transformed_on_demand(self):
        self.write("a.c", C_PROGRAM)
        remarks = ["-O2", "-Rpass=mpi-overlap", "-Rpass-analysis=mpi-overlap"]
        reported = self.tacit("cc", *remarks, "a.c", "-o", "reported")
        self.assertIn("possible: MPI_Waitall", reported.stderr)
        moved = self.tacit("cc", "--overlap=apply", *remarks, "a.c", "-o", "moved")
        self.assertRegex(moved.stderr, r"a\.c:\d+:\d+: remark: MPI_Waitall")
        self.assertNotIn("possible", moved.stderr)
        for program in ("reported", "moved"):
            self.run_on_two(program)

    def test_a_report_that_is_asked_for_is_printed(self):
        self.write("a.c", C_PROGRAM)
        self.assertRegex(self.tacit("cc", "--overlap=report", "-O2", "-c", "a.c").stderr, r"a\.c:\d+:\d+: remark: possible: MPI_Waitall")
        whole = self.tacit("cc", "--overlap=report", "-O2", "-flto", "a.c", "-o", "whole")
        self.assertRegex(whole.stdout + whole.stderr, r"a\.c:\d+:\d+: possible: MPI_Waitall")
        self.assertNotIn("remark", self.tacit("cc", "-O2", "-c", "a.c").stderr)
        self.write("ring.f90", FORTRAN_PROGRAM)
        self.assertRegex(self.tacit("fc", "--overlap=report", "-O2", "-c", "ring.f90").stderr,
                         r"(?i)ring\.f90:\d+:\d+: remark: possible: MPI_Sendrecv split")

    def test_objects_and_whole_programs_link(self):
        self.write("a.c", C_PROGRAM)
        self.tacit("cc", "--overlap=apply", "-O2", "-c", "a.c")
        self.tacit("cc", "--overlap=apply", "a.o", "-o", "linked")
        self.tacit("cc", "--overlap=apply", "-O2", "-flto", "a.c", "-o", "whole")
        self.write("words", "-O2 -c a.c -o b.o\n")
        self.tacit("cc", "--overlap=apply", "@words")
        self.assertTrue((self.path / "b.o").exists())
        for program in ("linked", "whole"):
            self.run_on_two(program)

    def test_cxx(self):
        self.write("a.cpp", C_PROGRAM)
        self.tacit("cxx", "--overlap=apply", "-O2", "a.cpp", "-o", "program")
        self.run_on_two("program")

    def test_fortran_has_use_mpi(self):
        self.write("ring.f90", FORTRAN_PROGRAM)
        moved = self.tacit("fc", "--overlap=apply", "-O2", "-Rpass=mpi-overlap", "ring.f90", "-o", "program")
        self.assertRegex(moved.stderr, r"(?i)remark: MPI_Sendrecv split")
        self.run_on_two("program")
        self.tacit("fc", "-c", "ring.f90")
        self.tacit("fc", "ring.o", "-o", "linked")
        self.run_on_two("linked")

    def test_mpi_f08_is_refused_clearly(self):
        self.write("new.f90", "program p\n  use mpi_f08\nend program\n")
        self.assertRegex(self.tacit("fc", "-c", "new.f90", code=1).stderr, r"new\.f90 uses the module mpi_f08.*TACIT-117")

    def test_probes_see_the_compiler_alone(self):
        self.write("probe.c", "int main(void) { return 0; }\n")
        self.write("broken.c", "int main(void) { return nothing; }\n")
        alone = dict(self.environment, **{f"{WRAPPER}_CC": "clang-19"})
        for words in (["--version"], ["-v"], ["-show"], ["-c", "probe.c"], ["-E", "probe.c"], ["-O2", "probe.c", "-o", "probe"],
                      ["-c", "broken.c"], ["-Werror", "-O2", "-c", "probe.c"], ["probe.o", "-o", "probe"], [], ["nothing.c"]):
            with self.subTest(words=words):
                expected = subprocess.run([f"mpicc.{FAMILY}", *words], capture_output=True, text=True, errors="replace",
                                          cwd=self.path, env=alone)
                seen = self.tacit("cc", *words, code=expected.returncode)
                # Names of temporary files differ from call to call.
                self.assertEqual(seen.stdout, expected.stdout)
                self.assertEqual(re.sub("/tmp/[^ ]*", "", seen.stderr), re.sub("/tmp/[^ ]*", "", expected.stderr))

    def test_long_options_of_the_compiler_and_values_are_its_own(self):
        self.write("probe.c", "int main(void) { return 0; }\n")
        for words in (["--target=x86_64-linux-gnu"], ["--sysroot=/"],
                      ["-Xlinker", "--overlpa", "-std=c11"], ["--param", "ssp-buffer-size=4"]):
            self.tacit("cc", *words, "-fsyntax-only", "probe.c")

    def test_help_says_what_the_wrapper_adds_before_the_help_of_the_compiler(self):
        for command, compiler in (("cc", "USAGE: clang"), ("cxx", "USAGE: clang"), ("fc", "USAGE: flang")):
            with self.subTest(command=command):
                said = self.tacit(command, "--help").stdout
                self.assertIn("--overlap=apply", said)
                self.assertIn(f"tacit was built for ({FAMILY})", said)
                self.assertLess(said.index(f"Usage: tacit {command}"), said.index(compiler))

    def test_a_compiler_that_cannot_load_the_pass_is_refused_clearly(self):
        self.write("probe.c", "int main(void) { return 0; }\n")
        self.environment[f"{WRAPPER}_CC"] = "gcc"
        said = self.tacit("cc", "-c", "probe.c", code=2).stderr
        self.assertRegex(said, rf"{WRAPPER}_CC=gcc names a compiler that cannot load the overlap pass.*; unset {WRAPPER}_CC")
        self.tacit("cc", "--overlap=off", "-c", "probe.c")

    def test_code_without_optimization_gets_one_warning(self):
        self.write("a.c", C_PROGRAM)
        self.write("ring.f90", FORTRAN_PROGRAM)
        for words in (["cc", "-c", "a.c"], ["cc", "-O0", "-c", "a.c"], ["cc", "-O0", "a.c", "-o", "a"],
                      ["cc", "-flto", "a.c", "-o", "a"], ["fc", "-O0", "-c", "ring.f90"], ["fc", "-c", "ring.f90"]):
            with self.subTest(words=words):
                said = self.tacit(words[0], "--overlap=apply", *words[1:])
                self.assertEqual((said.stdout + said.stderr).count("compiled without optimization"), 1, said.stderr)
                if words[0] == "fc":
                    self.assertIn("warning: ring.f90 is compiled without optimization", said.stderr)

    def test_checked_code_gets_no_warning_of_what_checking_does(self):
        self.write("a.c", C_PROGRAM)
        said = self.tacit("cc", "--annotations=check", "-O2", "a.c", "-o", "a")
        self.assertNotIn("without optimization", said.stdout + said.stderr)

    def test_who_asks_for_the_report_by_the_environment_is_told_that_checked_code_has_none(self):
        self.write("a.c", C_PROGRAM)
        self.environment["TACIT_OVERLAP"] = "report"
        said = self.tacit("cc", "--annotations=check", "-O2", "a.c", "-o", "a")
        self.assertIn("compiled without optimization, so that the overlap pass moves no message", said.stderr)

    def test_launch_takes_the_choices_of_annotations_in_front_of_the_compiler(self):
        self.write("a.c", ANNOTATED_PROGRAM)
        line = subprocess.run([f"mpicc.{FAMILY}", "-show"], capture_output=True, text=True, check=True).stdout
        compiler = ["clang-19", *re.findall(r"-I\S+", line), "-c", "a.c", "-o", "a.o"]
        for choices, collected in (([], True), (["--coalesce=never"], False), (["--coalesce=always", "--coalesce-factor=7"], True),
                                   (["--coherent", "--pipeline=never", "--coalesce-memory=64", "--eager-limit=0"], True)):
            with self.subTest(choices=choices):
                self.tacit("launch", *choices, *compiler)
                names = subprocess.run(["nm", str(self.path / "a.o")], capture_output=True, text=True, check=True).stdout
                self.assertEqual("tacit_accumulate" in names, collected)
        for choices, words in ((["--coalesce=sometimes"], "expected never, always"), (["--coherent", "--incoherent"], "excludes"),
                               (["--coalese=never"], "(did you mean --coalesce?)"), (["--eager-limit"], "have it behind ="),
                               (["--eager-limit=few"], "a number of at least 0"), ([], "followed by the command line")):
            with self.subTest(choices=choices):
                self.assertIn(words, self.tacit("launch", *choices, *(compiler if choices else []), code=2).stderr)

    def test_wrong_words_are_refused(self):
        self.assertIn("must be off, report or apply", self.tacit("cc", "--overlap=on", "a.c", code=2).stderr)
        for command, word, meant in (("cc", "--anotations", "--annotations"), ("cxx", "--overlpa=apply", "--overlap"),
                                     ("fc", "--over-lap=apply", "--overlap"), ("cc", "--plattform=x", "--platform"),
                                     ("cc", "--mip=mpich", "--mpi"), ("cc", "--hook=x", "--hooks")):
            said = self.tacit(command, word, "a.c", code=2).stderr
            self.assertIn(f"there is no option '{word.split('=')[0]}' (did you mean {meant}?); 'tacit {command} --help'", said)
        self.assertIn("--overlap needs a value", self.tacit("cc", "--overlap", "apply", "a.c", code=2).stderr)
        other = "mpich" if FAMILY == "openmpi" else "openmpi"
        self.write("a.c", C_PROGRAM)
        self.assertIn("do not fit", self.tacit("cc", f"--mpi={other}", "a.c", code=2).stderr)
        self.tacit("cc", f"--mpi={other}", "--overlap=off", "-c", "a.c")


if __name__ == "__main__":
    unittest.main()
