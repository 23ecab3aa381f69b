#!/usr/bin/env python3
"""Checks the code that the overlap pass makes, function by function: what remarks do not show.

Pokes (calls that let MPI progress) stand between chunks of a loop, which is vectorized all the same, and never in code that
OpenMP runs on several threads. A call whose splitting gains nothing stays the call it was. Tests of slots stand outside
loops in which the slot cannot be filled, and inside those in which it can.

Usage: check_code.py PLUGIN MPI_FAMILY
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = """
#include <mpi.h>
enum { n = 1 << 20, few = 4096 };

void long_loop(double* restrict in, double* restrict w, int peer) {
  MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++)
    w[i] = w[i] * 1.5 + 2;
  w[0] += in[0];
}
void unknown_length(double* restrict in, double (*restrict w)[n], int peer, int rows) {
  MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < n; i++)
      w[j][i] = w[j][i] * 1.5 + 2;
  w[0][0] += in[0];
}
void short_loop(double* restrict in, double* restrict w, int peer) {
  MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; i++)
    w[i] = w[i] * 1.5 + 2;
  w[0] += in[0];
}
void used_at_once(double* restrict in, double* restrict w, int peer) {
  MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  w[0] = in[0];
  for (int i = 0; i < n; i++)
    w[i] = w[i] * 1.5 + 2;
}
void on_threads(double* restrict in, double* restrict w, int peer) {
#pragma omp parallel
  {
    MPI_Recv(in, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      w[i] = w[i] * 1.5 + 2;
    w[0] += in[0];
  }
}
void lines_behind(double* a, double* b, double** lines, int rows, int length, int peer) {
  MPI_Send(a, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  MPI_Send(b, few, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < length; i++)
      lines[j][i] = lines[j][i] * 1.5 + i;
}
void lines_beside(double* a, double** lines, int rows, int length, int peer) {
  for (int j = 0; j < rows; j++) {
    MPI_Send(a, few, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
    for (int i = 0; i < length; i++)
      lines[j][i] = lines[j][i] * 1.5 + i;
  }
}
"""


def functions(plugin, family, **settings):
    """The text of every function, by name."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder) / "source.c", Path(folder) / "source.ll"
        source.write_text(SOURCE)
        environment = dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19", TACIT_OVERLAP="apply", TACIT_OVERLAP_RENAME="off")
        environment |= {f"TACIT_OVERLAP_{name.upper()}": value for name, value in settings.items()}
        done = subprocess.run([f"mpicc.{family}", "-O2", "-march=x86-64" if os.uname().machine == "x86_64" else "-O2", "-fopenmp",
                               "-fno-discard-value-names", f"-fpass-plugin={plugin}", "-S", "-emit-llvm", str(source), "-o", str(made)],
                              env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"does not compile:\n{done.stderr}")
        return {match[1]: match[0] for match in re.finditer(r"^define [^@]*@([\w.]+)\(.*?^}", made.read_text(), re.M | re.S)}


def vectorized(text):
    return re.search(r"<\d+ x double>", text) is not None


def main():
    plugin, family = sys.argv[1:]
    code = functions(plugin, family)
    plain = functions(plugin, family, poke="off")
    strict = functions(plugin, family, window="1000000000")
    threads = next(text for name, text in code.items() if name.startswith("on_threads.omp_outlined"))
    conditions = {
        "a long loop is poked in chunks": "__tacit_poke" in code["long_loop"] and "tacit.chunk" in code["long_loop"],
        "and vectorized": vectorized(code["long_loop"]),
        "as without pokes": vectorized(plain["long_loop"]) and "__tacit_poke" not in plain["long_loop"],
        "a nest is poked, and vectorized": "__tacit_poke" in code["unknown_length"] and vectorized(code["unknown_length"]),
        "a short loop is split for, but not poked": "__tacit_recv" in code["short_loop"] and "__tacit_poke" not in code["short_loop"],
        "what is used at once stays a blocking call":
            "@MPI_Recv(" in code["used_at_once"] and "__tacit_" not in code["used_at_once"],
        "what gains less than asked for stays a blocking call": "@MPI_Recv(" in strict["short_loop"]
        and "__tacit_" not in strict["short_loop"],
        "threads of OpenMP split": "__tacit_recv" in threads,
        "but never poke": "__tacit_poke" not in threads and "tacit.chunk" not in threads,
        "slots are tested together in front of loops": re.search(r"%tacit\.any\S* = icmp", code["lines_behind"]) is not None
            and code["lines_behind"].count("__tacit_wait_overlap") >= 2,
        "but not where they are filled": "__tacit_wait_overlap" in code["lines_beside"] and "tacit.any" not in code["lines_beside"],
    }
    for name, true in conditions.items():
        print(f"{'yes' if true else 'NO '}  {name}")
    if not all(conditions.values()):
        for name in ("long_loop", "lines_behind", "lines_beside"):
            print(code[name])
    return 0 if all(conditions.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
