#!/usr/bin/env python3
"""What transforming an annotated file costs against clang's own parse of it. Writes one result file: machine, commit, command, numbers.

    bench/transform_time.py                    25 rounds; bench/results/transform-time-<machine>.json
    bench/transform_time.py --rounds 60 --stdout

A file of 2,000 lines has stencils after Figure 7 of seed 003 and functions without communication. Of the stencils none, every sixth or
each is annotated: without annotations there is only the parse, and what is changed is also formatted. Other files have small functions
after its Figure 9, of which 50 or all are annotated with `rma`, on one window or on three, or on one and a name that nobody has declared,
of which each is warned. Compared are user and system seconds of `clang-19 -fsyntax-only` and of tacit-transform, in turns, the least of
all rounds, because others on the machine only add.

Needs clang 19, Open MPI and the built command (cmake --preset release, target tacit_transform).
"""
import argparse
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import ROOT, dirty, git, machine, output, write_result

LINES = 2000
HEAD = "#include <math.h>\n#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
STENCIL = """
static void stencil_NUMBER(double* new_grid, double* old, double* ns_buf, double* ew_buf, double* x_buf, int nx, int ny,
                           int nz, int left, int right, int up, int down, MPI_Comm ns, MPI_Comm ew) {
PRAGMA cco MPI_SendRecv(ns, ew)
  {
    if (up != MPI_PROC_NULL)
      MPI_Send(ns_buf, ny * nz, MPI_DOUBLE, up, 0, ns);
    if (down != MPI_PROC_NULL)
      MPI_Recv(ns_buf + ny * nz, ny * nz, MPI_DOUBLE, down, 0, ns, MPI_STATUS_IGNORE);
    MPI_Send(ew_buf, nx * nz, MPI_DOUBLE, left, 1, ew);
    MPI_Recv(x_buf, nx * nz, MPI_DOUBLE, right, 1, ew, MPI_STATUS_IGNORE);
PRAGMA indep MPI_SendRecv(ns, ew)
    for (int i = 1; i < nx - 1; ++i)
      for (int j = 1; j < ny - 1; ++j)
        for (int k = 1; k < nz - 1; ++k) {
          const int here = (i * ny + j) * nz + k;
          new_grid[here] = 0.5 * old[here] + 0.1 * (old[here - 1] + old[here + 1]) +
                           0.1 * (old[here - nz] + old[here + nz]) + 0.1 * (old[here - ny * nz] + old[here + ny * nz]);
        }
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k)
        new_grid[j * nz + k] += ns_buf[ny * nz + j * nz + k] * 0.25;
    for (int i = 0; i < nx; ++i)
      for (int k = 0; k < nz; ++k)
        new_grid[i * ny * nz + k] += x_buf[i * nz + k] * 0.25;
  }
}

static double compute_NUMBER(double* v, int n, const int* order) {
  double sum = 0, largest = 0;
  for (int i = 0; i < n; ++i) {
    const double x = v[order[i]];
    if (x > largest)
      largest = x;
    sum += x * x + NUMBER;
    v[i] = sqrt(fabs(x)) / (1.0 + i);
  }
  while (sum > 10.0 * largest) {
    sum *= 0.5;
    if (n > 3 && order[n / 2] == 7)
      break;
  }
  switch (n % 4) {
  case 0:
    return sum;
  case 1:
    return largest;
  default:
    return sum + largest;
  }
}
"""
PUTS = """
static void puts_NUMBER(WINDOWS, int* b, int n, int to) {
PRAGMA rma LISTED
  {
BODY  }
}
"""
PUTS_ON_ONE = """    MPI_Win_lock(MPI_LOCK_SHARED, to, 0, WINDOW);
    for (int j = 0; j < n; ++j)
      MPI_Put(b + j, 1, MPI_INT, to, j, 1, MPI_INT, WINDOW);
    MPI_Win_unlock(to, WINDOW);
"""
EVERY = {"none": 0, "every sixth": 6, "each": 1}  # of the stencils that is annotated
FIRST = {"50 with rma": (50, 1, []), "all with rma": (LINES, 1, []), "50 with rma of three windows": (50, 3, []),
         "all with rma of three windows": (LINES, 3, []),
         "all with rma, each with an undeclared name": (LINES, 1, ["nobody"])}  # functions, windows of each, other names


def puts_on(windows, undeclared):
    names = [f"w{i}" for i in range(windows)]
    return (PUTS.replace("WINDOWS", ", ".join(f"MPI_Win {w}" for w in names))
            .replace("LISTED", " ".join(f"({w}, b, int, MPI_INT)" for w in names + undeclared))
            .replace("BODY", "".join(PUTS_ON_ONE.replace("WINDOW", w) for w in names)))


def file_of(function, is_annotated):
    text, number = HEAD, 0
    while text.count("\n") + function.count("\n") <= LINES:
        pragma = "#pragma mpi" if is_annotated(number) else "#pragma of_others"
        text += function.replace("NUMBER", str(number)).replace("PRAGMA", pragma)
        number += 1
    return text + "\n" * (LINES - text.count("\n"))


def files():
    made = {name: file_of(STENCIL, lambda i, every=every: every and i % every == 0) for name, every in EVERY.items()}
    return made | {name: file_of(puts_on(windows, names), lambda i, first=first: i < first)
                   for name, (first, windows, names) in FIRST.items()}


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)}: {done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure(transform, rounds, folder):
    flags = ["-w", *shlex.split(output("mpicc.openmpi", "--showme:compile"))]
    kinds = {}
    for name, text in files().items():
        source = folder / f"{name.replace(' ', '_')}.c"
        source.write_text(text)
        kinds[name] = (source, {"clang": ["clang-19", "-fsyntax-only", *flags, str(source)],
                                "transform": [str(transform), "print", "--quiet", str(source), "--", *flags]})
    best = {}
    for _ in range(rounds):
        for name, (_, commands) in kinds.items():
            for program, command in commands.items():
                best[name, program] = min(best.get((name, program), 1e9), seconds(command))
    return {name: {"lines": source.read_text().count("\n"), "annotated statements": len(re.findall("mpi (cco|rma)", source.read_text())),
                   "seconds of clang": round(best[name, "clang"], 4), "seconds of transform": round(best[name, "transform"], 4),
                   "ratio": round(best[name, "transform"] / best[name, "clang"], 2)} for name, (source, _) in kinds.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--transform", type=Path, default=ROOT / "build" / "release" / "bin" / "tacit-transform")
    parser.add_argument("--stdout", action="store_true", help="print the result instead of writing it")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measured = measure(asked.transform.resolve(), asked.rounds, Path(folder))
    result = {"what": "user and system seconds to transform a file of 2,000 lines, against `clang-19 -fsyntax-only`; least of all rounds",
              "machine": machine(), "commit": git("rev-parse", "--short", "HEAD"), "dirty": dirty(),
              "command": f"bench/transform_time.py --rounds {asked.rounds}", "annotated": measured}
    write_result("transform-time", result, asked.stdout)
    print(", ".join(f"{kind} {of['ratio']}x" for kind, of in measured.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
