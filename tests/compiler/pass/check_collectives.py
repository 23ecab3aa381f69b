#!/usr/bin/env python3
"""With TACIT_OVERLAP_COLLECTIVES=on no blocking collective may be left in an object, however it was called; and what cannot be
replaced must be an error. (One that is left would hang the program: nonblocking collectives do not match blocking ones.)

Usage: check_collectives.py PLUGIN MPI_FAMILY
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

EVERY_WAY = """
#include <mpi.h>
#include <setjmp.h>
int (*by_pointer)(void*, int, MPI_Datatype, int, MPI_Comm) = MPI_Bcast;
jmp_buf place;
__attribute__((optnone, noinline)) void not_optimized(int* a) { MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_WORLD); }
void returns_twice(int* a) { if (setjmp(place) == 0) PMPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
int result(int* a, int* b) { return MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS; }
void chosen(int* a, int* b, int which) {
  (which ? MPI_Gather : MPI_Scatter)(a, 1, MPI_INT, b, 1, MPI_INT, 0, MPI_COMM_WORLD);
}
"""
LARGE_COUNT = """
#include <mpi.h>
int MPI_Bcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
void f(int* a) { MPI_Bcast_c(a, 1, MPI_INT, 0, MPI_COMM_WORLD); }
"""


def compile_source(text, level, plugin, family):
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "source.c", Path(folder) / "source.o"
        source.write_text(text)
        run = subprocess.run([f"mpicc.{family}", level, f"-fpass-plugin={plugin}", "-c", str(source), "-o", str(made)],
                             env=dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19", TACIT_OVERLAP="apply",
                                      TACIT_OVERLAP_COLLECTIVES="on"), capture_output=True, text=True)
        symbols = subprocess.run(["nm", "-u", str(made)], capture_output=True, text=True).stdout.split() if made.exists() else []
    return run, symbols


def main():
    plugin, family = sys.argv[1:]
    problems = []
    for level in ("-O0", "-O1", "-O2"):
        run, symbols = compile_source(EVERY_WAY, level, plugin, family)
        left = [name for name in symbols if name.split("PI_")[-1] in ("Bcast", "Allreduce", "Alltoall", "Gather", "Scatter")]
        wanted = [f"__tacit_{name}" for name in ("bcast", "allreduce", "alltoall", "gather", "scatter")]
        if run.returncode != 0 or left or any(name not in symbols for name in wanted):
            problems.append(f"{level}: blocking: {left}, undefined: {symbols} {run.stderr}")
        run, _ = compile_source(LARGE_COUNT, level, plugin, family)
        if run.returncode == 0 or "MPI_Bcast_c has large counts" not in run.stderr or "[TACIT-117]" not in run.stderr:
            problems.append(f"{level}: no error for MPI_Bcast_c: {run.stderr}")
    print("\n".join(problems) or "every collective is started")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
