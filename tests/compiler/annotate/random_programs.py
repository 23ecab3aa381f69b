#!/usr/bin/env python3
"""Random annotated programs: plain and transformed they must compute the same.

A program has many functions, each with one annotated region and true claims: messages in a ring on two communicators between
statements that use arrays, pointers to them and calls, in loops and conditionals; or one-sided operations in epochs of all kinds, with
helpers that synchronize out of sight. Functions that claim what is not true (--lie) show what the comparison is worth: they
must be found.

Usage: random_programs.py --tacit FILE --launcher "MPIEXEC FLAGS" [--programs N] [--functions N] [--seed N] [--lie]
"""
import argparse
import os
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SIZE = 96  # elements of a message buffer: more bytes than the eager limit of the rendezvous runs

HEAD = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = %d };
static int rank, size, left, right;
static MPI_Comm comm[2];
static double *heap[4], *alias[4], global_array[2 * N], checksum;
static void fill(double* to, int n, double seed) {
  for (int i = 0; i < n; ++i)
    to[i] = seed + (double)((i * 7 + rank * 3) %% 31) / 32;
}
static void mix(double* to, const double* from, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = 0.5 * to[i] + 0.25 * from[(i * 5 + 1) %% n] + 0.125;
}
static double sum_of(const double* of, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += of[i] * (i %% 7 + 1);
  return sum;
}
/* Synchronizes where the caller does not show it. */
static __attribute__((noinline)) long synchronize(MPI_Win win, const long* base, int n) {
  long sum = 0;
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  for (int i = 0; i < n; ++i)
    sum += base[i] * (i + 1);
  MPI_Barrier(MPI_COMM_WORLD);
  return sum;
}
"""

MAIN = """
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) %% size;
  right = (rank + 1) %% size;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
  for (int i = 0; i < 4; ++i) {
    heap[i] = malloc(2 * N * sizeof(double));
    fill(heap[i], 2 * N, i);
  }
  for (int i = 0; i < 4; ++i)
    alias[i] = heap[(i + 1) %% 4];
%s
  for (int i = 0; i < 4; ++i)
    checksum += sum_of(heap[i], 2 * N);
  double* all = malloc(size * sizeof(double));
  MPI_Gather(&checksum, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i)
    printf("%%d %%.17g\\n", i, all[i]);
  MPI_Finalize();
  return 0;
}
"""


class messages:
    """One function with messages in a ring."""

    def __init__(self, number, choose, lie):
        self.number, self.choose, self.lie = number, choose, lie
        self.used = []  # (communicator, buffer that is sent, buffer that is received)
        # Different names are different memory, as `cco` claims; the aliases are known to nobody but statements.
        self.buffers = [f"heap_{i}" for i in range(4)] + [f"local_{i}" for i in range(2)] + ["global_array"]

    def part(self, buffer, half):
        return f"{buffer} + N" if half else buffer

    def plan_exchange(self):
        c = self.choose.randrange(2)
        send, receive = self.choose.sample(self.buffers, 2)
        halves = self.choose.randrange(2), self.choose.randrange(2)
        if self.choose.random() < 0.15:
            receive, halves = send, (0, 1)
        self.used.append((c, send, receive))
        return c, send, receive, halves

    def exchange(self, c, send, receive, halves):
        tag = self.choose.randrange(3)
        out = f"{self.part(send, halves[0])}, N, MPI_DOUBLE, right, {tag}"
        back = f"{self.part(receive, halves[1])}, N, MPI_DOUBLE, left, {tag}"
        status = self.choose.choice(["MPI_STATUS_IGNORE", "&status", "&dead"])
        communicator = f"comm[{c}]" if self.choose.random() < 0.5 else f"c{c}"
        post, take = f"MPI_Send({out}, {communicator});", f"MPI_Recv({back}, {communicator}, {status});"
        form = self.choose.randrange(4)
        if form == 0:
            return [f"MPI_Sendrecv({out}, {back}, {communicator}, {status});"]
        if form == 1:
            return [f"if (rank % 2 == 0) {{ {post} {self.middle(send)} {take} }}", f"else {{ {take} {post} }}"]
        if form == 2:
            return ["if (rank % 2 == 0)", f"  {post}", "else", f"  {take}", "if (rank % 2 == 0)", f"  {take}", "else", f"  {post}"]
        return ["if (rank % 2) {", f"  {take}", "}", post, "if (!(rank % 2))", f"  {take}"]

    def middle(self, send):
        return self.choose.choice(["", f"x += {send}[3];", "x += 1;"])

    def harmless(self, c, written, read):
        return all(written not in (s, r) and read != r for used, s, r in self.used if used == c)

    def call(self):
        written, read = self.choose.sample(self.buffers, 2)
        statement = f"mix({written}, {read}, 2 * N);"
        claims = [c for c in range(2) if self.lie or self.harmless(c, written, read)]
        if claims and self.choose.random() < 0.85:
            names = ", ".join(f"comm[{c}], c{c}" for c in claims)
            return ["", f"#pragma mpi indep MPI_SendRecv({names})", statement]
        return [statement]

    def statement(self):
        buffer, other = self.choose.sample(self.buffers, 2)
        at = self.choose.choice(["0", "N", "N - 1", "2 * N - 1", "i % N"])
        return self.choose.choice([
            self.call, self.call, self.call,
            lambda: ["for (int k = 0; k < N; ++k)", "  private_array[k] += x * k;"],
            lambda: ["for (int k = 0; k < 2 * N; ++k)", f"  private_array[k % N] += {buffer}[k];"],
            lambda: [f"{buffer}[{at}] += 1;"],
            lambda: [f"x += {buffer}[{at}];"],
            lambda: [f"alias_{self.choose.randrange(4)}[{at}] *= 0.5;"],
            lambda: [f"if (i == {self.choose.randrange(1, 4)}) {{", "  x *= 0.5;",
                     f"  {self.choose.choice(['continue;', 'break;', ''])}", "}"],
            lambda: ["if (status.MPI_TAG == 1)", "  x += 3;"],
            lambda: ["if (i == 1)", f"  {other}[N] = x;"],
        ])()

    def function(self):
        # All messages of the block are known before anything is claimed of them.
        exchanges = [self.plan_exchange() for _ in range(self.choose.randrange(1, 4))]
        body = []
        for exchange in exchanges:
            for _ in range(self.choose.choice([0, 0, 1, 2])):
                body += self.statement()
            body += self.exchange(*exchange)
        for _ in range(self.choose.randrange(1, 5)):
            body += self.statement()
        if self.choose.random() < 0.1:
            body += ["if (i == 2)", "  return;"]
        lines = [f"static void function_{self.number}(void) {{", "  double private_array[N], x = 1, local_0[2 * N], local_1[2 * N];",
                 "  MPI_Status status = {0}, dead;", "  MPI_Comm c0 = comm[0], c1 = comm[1];"]
        lines += [f"  double *heap_{i} = heap[{i}], *alias_{i} = alias[{i}];" for i in range(4)]
        lines += ["  fill(private_array, N, 1);", "  fill(local_0, 2 * N, 2);", "  fill(local_1, 2 * N, 3);",
                  "#pragma mpi cco MPI_SendRecv", "  for (int i = 0; i < 4; ++i) {"]
        lines += [line if line.startswith("#") else "    " + line for line in body]
        lines += ["  }", "  checksum += x + sum_of(private_array, N) + sum_of(local_0, 2 * N) + sum_of(local_1, 2 * N);",
                  "  checksum += sum_of(global_array, 2 * N);", "  (void)dead; (void)c0; (void)c1; (void)status;"]
        lines += [f"  (void)alias_{i}; (void)heap_{i};" for i in range(4)] + ["}"]
        return "\n".join(lines)


class one_sided:
    """One function with one-sided operations: adding up, taking the least, storing each in a part of its own."""

    def __init__(self, number, choose, lie):
        self.number, self.choose, self.lie = number, choose, lie

    def operation(self):
        kind = self.choose.choice(["sum", "min", "put", "put", "get"])
        if kind == "put":
            return ["MPI_Put(&stays[i], 1, MPI_LONG, (rank + i) % size, 32 + rank * 8 + i, 1, MPI_LONG, win);"]
        if kind == "get":
            return [f"MPI_Get(&got[i], 1, MPI_LONG, (rank + {self.choose.randrange(4)}) % size, i, 1, MPI_LONG, win);"]
        name, at = ("MPI_SUM", "8 + i") if kind == "sum" else ("MPI_MIN", "16 + i")
        target = f"(rank + {self.choose.randrange(4)}) % size"
        return [f"MPI_Accumulate(&stays[i], 1, MPI_LONG, {target}, {at}, 1, MPI_LONG, {name}, win);"]

    def function(self):
        annotation = self.choose.choice(["osc_coalesce(win, base, long, MPI_LONG, MPI_COMM_WORLD)",
                                         "rma(win, base, long, MPI_LONG, size, rank)"])
        fences = self.choose.random() < 0.5
        body = ["for (int i = 0; i < 8; ++i) {"]
        for _ in range(self.choose.randrange(1, 4)):
            body += ["  " + line for line in self.operation()]
        body += ["}"]
        if not fences:
            claim = ["#pragma mpi indep MPI_Win(win)"] if self.lie else []
            body += claim + ["checksum += synchronize(win, base, cells);"]
        again = ["for (int i = 0; i < 8; ++i)", "  " + self.operation()[0]]
        opened, closed = ("MPI_Win_fence(0, win);",) * 2 if fences else ("MPI_Win_lock_all(0, win);", "MPI_Win_unlock_all(win);")
        lines = [f"static void function_{self.number}(void) {{", "  long stays[8], got[8] = {0}, *base;", "  MPI_Win win;",
                 "  const int cells = 32 + 8 * size;",
                 "  MPI_Win_allocate(cells * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);",
                 "  for (int i = 0; i < cells; ++i)", "    base[i] = i * 3 + rank;", "  for (int i = 0; i < 8; ++i)",
                 "    stays[i] = i * 5 - rank * 7;", "  MPI_Barrier(MPI_COMM_WORLD);", f"#pragma mpi {annotation}", "  {", f"    {opened}"]
        lines += [line if line.startswith("#") else "    " + line for line in body + again + [closed]]
        lines += ["  }", "  MPI_Barrier(MPI_COMM_WORLD);",
                  "  MPI_Win_fence(0, win);" if fences else "  MPI_Win_lock_all(0, win); MPI_Win_unlock_all(win);",
                  "  for (int i = 0; i < cells; ++i)", "    checksum += (double)base[i] * (i + 1);", "  for (int i = 0; i < 8; ++i)",
                  "    checksum += (double)got[i] * (i + 1);", "  MPI_Barrier(MPI_COMM_WORLD);", "  MPI_Win_free(&win);", "}"]
        return "\n".join(lines)


def program(seed, functions, lie):
    choose = random.Random(seed)
    kinds = [choose.choice([messages, messages, one_sided]) for _ in range(functions)]
    texts = [kind(i, choose, lie).function() for i, kind in enumerate(kinds)]
    calls = "\n".join(f"  function_{i}();" for i in range(functions))
    return HEAD % SIZE + "\n".join(texts) + MAIN % calls


def compiled(asked, source, program_file, *words):
    command = [asked.tacit, "cc", "--overlap=off", *words, "-O1", "-Wno-unknown-pragmas", str(source), "-o", str(program_file)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def output_of(asked, program_file, ranks):
    environment = dict(os.environ, **dict(pair.split("=", 1) for pair in asked.environment))
    try:
        done = subprocess.run([*shlex.split(asked.launcher), "-n", str(ranks), str(program_file)], capture_output=True, text=True,
                              timeout=120, env=environment)
    except subprocess.TimeoutExpired:
        return "hangs"
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stderr[-500:]}"


def difference(asked, seed, folder):
    source = folder / "program.c"
    source.write_text(program(seed, asked.functions, asked.lie))
    for name, words in {"plain": [], "transformed": ["--annotations"]}.items():
        if said := compiled(asked, source, folder / name, *words):
            return "claims refused" if asked.lie and "TACIT-202" in said else f"does not compile ({name}): {said[:2000]}"
    plain, transformed = (output_of(asked, folder / name, asked.ranks) for name in ("plain", "transformed"))
    if plain.startswith(("exit", "hangs")):
        return f"the program itself: {plain}"
    return "" if plain == transformed else f"{transformed!r} instead of {plain!r}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tacit", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--environment", action="append", default=[])
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--functions", type=int, default=10)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--lie", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder for programs that differ")
    asked = parser.parse_args()
    differ = 0
    for seed in range(asked.seed, asked.seed + asked.programs):
        with tempfile.TemporaryDirectory() as folder:
            found = difference(asked, seed, Path(folder))
            if found and asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                (asked.keep / f"{seed}.c").write_text((Path(folder) / "program.c").read_text())
        if found:
            differ += 1
            if not asked.lie:
                print(f"seed {seed}: {found}", file=sys.stderr)
    print(f"{asked.programs} programs of {asked.functions} functions from seed {asked.seed}, {differ} differ")
    return int(differ == 0) if asked.lie else int(differ != 0)


if __name__ == "__main__":
    sys.exit(main())
