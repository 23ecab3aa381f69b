#!/usr/bin/env python3
"""CMake configures and builds projects in C, C++ and Fortran with tacit-cc, tacit-cxx and tacit-fc as its compilers."""
import os
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["COMMAND_FILE"]).parent
BUILD = Path(os.environ["BUILD_FOLDER"])
LAUNCHER = shlex.split(os.environ["MPI_LAUNCHER"])

C = """#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank = 0, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0)
    printf("sum %d\\n", sum);
  MPI_Finalize();
  return 0;
}
"""
WAIT = """#include <mpi.h>
void receive(int* into) {
  MPI_Request request;
  MPI_Irecv(into, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
"""
FORTRAN = """program main
  use mpi
  implicit none
  integer :: rank, total, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a,1x,i0)', 'sum', total
  call MPI_Finalize(error)
end program
"""
LANGUAGES = {"C": ("main.c", C, "tacit-cc"), "CXX": ("main.cpp", C, "tacit-cxx"), "Fortran": ("main.f90", FORTRAN, "tacit-fc")}


class Wrappers(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_all(self, *words):
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=900)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def build(self, language, folder):
        name, text, compiler = LANGUAGES[language]
        project = self.folder / language
        project.mkdir()
        (project / name).write_text(text)
        (project / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(ring {language})\nadd_executable(program {name})\n")
        self.run_all("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_{language}_COMPILER={folder / compiler}")
        self.run_all("cmake", "--build", project / "build")
        self.assertEqual(self.run_all(*LAUNCHER, "-n", "2", project / "build" / "program").strip(), "sum 1")

    def test_from_the_build_tree(self):
        for language in LANGUAGES:
            self.build(language, BIN)

    def test_a_language_named_for_all_files_holds_for_the_programs_only(self):
        source = self.folder / "main.text"
        source.write_text(C)
        for compiler, language in [("tacit-cc", ("-x", "c")), ("tacit-cxx", ("-xc++",))]:
            program = self.folder / compiler
            self.run_all(BIN / compiler, "-O2", *language, source, "-o", program)
            self.assertEqual(self.run_all(*LAUNCHER, "-n", "2", program).strip(), "sum 1")

    def test_the_pass_runs_once_where_the_project_asks_for_it_too(self):
        plugin = BUILD / "lib" / "TacitPass.so"
        if not plugin.exists():
            self.skipTest("built without LLVM")
        source = self.folder / "wait.c"
        source.write_text(WAIT)
        for words in ([], [f"-fpass-plugin={plugin}"]):
            done = subprocess.run([BIN / "tacit", "cc", "--overlap=report", *words, "-O2", "-c", source, "-o", self.folder / "wait.o"],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr.count("remark:")), (0, 1), done.stderr)

    def test_installed(self):
        prefix = self.folder / "prefix"
        # What the wrappers need; the whole installation is tested elsewhere.
        for part in ("src/surface/cli", "src/compiler"):
            self.run_all("cmake", "--install", BUILD / part, "--prefix", prefix)
        (prefix / "bin").mkdir(exist_ok=True)
        self.run_all("cmake", "-E", "copy", BIN / "tacit", prefix / "bin" / "tacit")
        for language in LANGUAGES:
            self.build(language, prefix / "bin")
        for page in ("share/man/man1/tacit.1", "share/man/man1/tacit-cc.1", "share/bash-completion/completions/tacit",
                     "share/zsh/site-functions/_tacit", "share/fish/vendor_completions.d/tacit.fish"):
            self.assertTrue((prefix / page).exists(), page)


if __name__ == "__main__":
    unittest.main()
