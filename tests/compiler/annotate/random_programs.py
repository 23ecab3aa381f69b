#!/usr/bin/env python3
"""Random annotated programs: plain and transformed they must compute the same.

A file has many functions, each a program of its own with one annotated region and true claims: messages in a ring on two communicators
between statements that use arrays, pointers to them and calls, in loops and conditionals; one-sided operations in epochs of all kinds,
with helpers that synchronize out of sight; exchanges behind the loops that compute their data, and locks around loads and stores
(random_exchanges.py). Odd seeds are C++. Functions that claim what is not true show what the comparison is worth (random_lies.py).

Usage: random_programs.py --tacit FILE --launcher "MPIEXEC FLAGS" [--programs N] [--functions N] [--seed N] [--check] [--json FILE]

A campaign: --programs 70 --functions 30 --seed N --json FILE, under nice.
"""
import argparse
import json
import os
import platform
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from random_exchanges import exchanges, locks

sys.path.append(str(Path(__file__).resolve().parents[2]))
from launched import Hangs, run_job  # noqa: E402  (a folder of scripts, not a package)

LIE = " /* not true */"  # behind a claim
SIZE = 96  # elements of a message buffer: more bytes than the eager limit of the rendezvous runs

HEAD = """#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define EACH(k, n) for (int k = 0; k < (n); ++k)
#define ADD(to, what) to += (what)
#define STORE(a, at, v) ((a)[at] = (v))
#define SEND_RIGHT(b, t, c) MPI_Send(b, N, MPI_DOUBLE, right, t, c)
#define ADD_AT(t, d, w) MPI_Accumulate(&stays[i], 1, MPI_LONG, t, d, 1, MPI_LONG, MPI_SUM, w)
#define DOUBLE_HERE(t) MPI_Accumulate(&two, 1, MPI_LONG, t, ordered + i, 1, MPI_LONG, MPI_PROD, win)
enum { N = %d, FUNCTIONS = %d };
static int rank, size, left, right;
static MPI_Comm comm[2];
static double *heap[4], *alias[4], global_array[2 * N], checksum;
static unsigned long long sums[FUNCTIONS];
static int ended;
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
/* All bits of its checksum count; for the next one, buffers begin anew. */
static void end_function(void) {
  memcpy(&sums[ended++], &checksum, sizeof checksum);
  checksum = 0;
  for (int i = 0; i < 4; ++i)
    fill(heap[i], 2 * N, i);
  fill(global_array, 2 * N, 4);
}
static double value_at(int i, int p, int round) {
  return (double)((i * 13 + p * 5 + round * 3 + rank) %% 17) / 4;
}
static double half_of(double v) {
  return 0.5 * v;
}
/* Nobody sees what it does. */
static double (*volatile unseen)(double) = half_of;
/* What is called between messages, and can be looked into. */
static double least_of(const double* of, int n) {
  double least = of[0];
  for (int i = 1; i < n; ++i)
    if (of[i] < least)
      least = of[i];
  return least;
}
static void soften(double* to, int n) {
  for (int i = 1; i < n; ++i)
    to[i] = 0.5 * (to[i] + to[i - 1]);
}
static void soften_twice(double* to, const double* like, int n) {
  soften(to, n);
  to[0] += least_of(like, n);
}
static void change_global(void) {
  global_array[5] += 1;
}
static void change_heap(int i) {
  heap[i][7] += 0.5;
}
static double* next_of(double* p) {
  return p + 1;
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

HEAD_CXX = """#include <array>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>
template <typename T>
static T half(T v) {
  return v / 2;
}
static double may_throw(int i) {
  if (i == 2)
    throw 3;
  return 0.25;
}
static double& cell_of(double* of, int i) {
  return of[i];
}
template <typename C>
static void raise(C& all, double& first) {
  for (double& v : all)
    v += 0.25;
  first += all.back();
}
template <typename C>
static double ends_of(const C& all) {
  double sum = all.front() + all.back();
  for (const double v : all)
    sum += v / 64;
  return sum;
}
static void replace(std::vector<double>& by) {
  by = std::vector<double>(by.size(), by[0]);
}
static void replace(std::array<double, 2 * N>& by) {
  by.fill(by[0]);
}
struct counted {
  explicit counted(double& of) : of_(of) {}
  ~counted() { of_ += 1; }
  double& of_;
};
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
  MPI_Type_contiguous(N, MPI_DOUBLE, &half_type);
  MPI_Type_commit(&half_type);
  for (int i = 0; i < 4; ++i) {
    heap[i] = (double*)malloc(2 * N * sizeof(double));
    fill(heap[i], 2 * N, i);
  }
  for (int i = 0; i < 4; ++i)
    alias[i] = heap[(i + 1) %% 4];
%s
  unsigned long long* all = (unsigned long long*)malloc(size * sizeof sums);
  MPI_Gather(sums, FUNCTIONS, MPI_UNSIGNED_LONG_LONG, all, FUNCTIONS, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size * FUNCTIONS; ++i)
    printf("function_%%d of rank %%d: %%llx\\n", i %% FUNCTIONS, i / FUNCTIONS, all[i]);
  MPI_Finalize();
  return 0;
}
"""


class messages:
    """One function with messages in a ring."""

    def __init__(self, number, choose, lie, cxx):
        self.number, self.choose, self.lie, self.cxx = number, choose, lie, cxx
        self.used = []  # (communicator, buffer that is sent, buffer that is received)
        # Different names are different memory, as `cco` claims; the aliases are known to nobody but statements.
        self.buffers = [f"heap_{i}" for i in range(4)] + [f"local_{i}" for i in range(2)] + ["global_array"]
        vectors, array = ("std::vector<double>", "(2 * N)"), ("std::array<double, 2 * N>", "")
        self.containers = {}
        if cxx and choose.random() < 0.7:
            self.containers = {"local_0": vectors, "local_1": choose.choice([vectors, vectors, array])}

    def pointer(self, buffer):
        return f"{buffer}.data()" if buffer in self.containers else buffer

    def part(self, buffer, half):
        if buffer in self.containers and self.choose.random() < 0.5:
            return f"&{buffer}[{'N' if half else '0'}]"
        return f"{self.pointer(buffer)} + N" if half else self.pointer(buffer)

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
        form = self.choose.randrange(12)
        if form == 0:
            return [f"MPI_Sendrecv({out}, {back}, {communicator}, {status});"]
        if form == 4:  # posted and completed by the program itself
            return ["{", "  MPI_Request requests[2];", f"  MPI_Irecv({back}, {communicator}, &requests[0]);",
                    f"  MPI_Isend({out}, {communicator}, &requests[1]);",
                    *(["  x += 1;"] if self.choose.random() < 0.5 else []), "  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
                    *("  " + line for line in self.plain()), "}"]
        if form == 5:  # nobody, or oneself, or nothing
            peer, count = self.choose.choice([("MPI_PROC_NULL", "N"), ("rank", "N"), ("right", "0"), ("rank", "zero")])
            other = {"right": "left"}.get(peer, peer)
            return [f"MPI_Sendrecv({self.part(send, halves[0])}, {count}, MPI_DOUBLE, {peer}, {tag}, {self.part(receive, halves[1])}, "
                    f"{count}, MPI_DOUBLE, {other}, {tag}, {communicator}, {status});"]
        if form == 6:  # another datatype for the same bytes
            out, back = out.replace("N, MPI_DOUBLE", "1, half_type"), back.replace("N, MPI_DOUBLE", "1, half_type")
            return [f"MPI_Sendrecv({out}, {back}, {communicator}, {status});"]
        if form >= 9:  # from one end to the other, as statements of the block, which may be posted before the work
            work = [self.choose.choice([["for (int k = 0; k < 8; ++k)", "  own[k] += x / (k + 1);"],
                                        ["for (int k = 1; k < 8; ++k)", "  own[k] = sqrt(own[k] + k) + own[0] / 8;"],
                                        ["for (int k = 0; k < N; ++k)", "  private_array[k] += x * k;"],
                                        ["for (int k = 0; k < 8; ++k)", f"  x += {send}[k] / 64;"],
                                        ["for (int k = 0; k < 8; ++k)", f"  {self.choose.choice(self.buffers)}[k] += 1;"],
                                        ["x += 1;"], ["later += 1;"], []]) for _ in range(3)]
            where = ["0" if self.choose.random() < 0.8 else "later", self.choose.choice(["tag", "0"])]
            return [*work[0], *work[1], f"MPI_Recv({self.part(receive, halves[1])}, N - {where[0]}, MPI_DOUBLE, lower, {where[1]}, "
                    f"{communicator}, {status});", *work[2],
                    f"MPI_Send({self.part(send, halves[0])}, N - {where[0]}, MPI_DOUBLE, upper, {where[1]}, {communicator});"]
        if form == 7:
            return ["if (rank % 2 == 0) {", f"  SEND_RIGHT({self.part(send, halves[0])}, {tag}, {communicator});", f"  {take}",
                    "} else {", f"  {take}", f"  {post}", "}"]
        if form == 8:
            return ["switch (rank % 2) {", "case 0:", f"  {post}", f"  {take}", "  break;", "default:", f"  {take}", f"  {post}", "}"]
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
        statement = f"mix({self.pointer(written)}, {self.pointer(read)}, 2 * N);"
        if self.lie and self.choose.random() < 0.3:  # what it uses can be seen
            statement = f"{written}[1] += {read}[2];"
        claims = [c for c in range(2) if self.lie or self.harmless(c, written, read)]
        if claims and self.choose.random() < 0.85:
            names = ", ".join(f"comm[{c}], c{c}" for c in claims)
            lie = "" if all(self.harmless(c, written, read) for c in claims) else LIE
            return ["", f"#pragma mpi indep MPI_SendRecv({names}){lie}", statement]
        return [statement]

    def plain(self):
        """What C and C++ have that may get at a buffer, or may not."""
        buffer, other = self.choose.sample(self.buffers, 2)
        at, beside = self.pointer(buffer), self.pointer(other)
        forms = [
            ["{", f"  double* p = {at} + 1;", "  *p++ += 1;", "  *p += x;", "}"],
            ["EACH(k, N)", f"  ADD(private_array[k], {buffer}[k]);"],
            ["EACH(k, 8)", "  private_array[k] += k;"], [f"ADD({buffer}[3], 1);"],
            ["for (int k = 0;; ++k) {", "  if (k > 7)", "    break;", f"  x += {buffer}[k];", "}"],
            ["{", "  int k = 0;", "  while (k < 4)", f"    {buffer}[k++] = x;", "}"], ["do {", "  x *= 0.5;", "} while (x > 8);"],
            ["{", "  int x = 3;", f"  {buffer}[x] = x;", "}"],
            [f"MPI_Allreduce(MPI_IN_PLACE, &{buffer}[2], 1, MPI_DOUBLE, MPI_SUM, comm[1]);"],
            [f"memcpy({at}, {beside}, 16);"], [f"memmove({at} + 1, {at}, 24);"], [f"x += i > 1 ? {buffer}[1] : unseen(x);"],
            ["{", f"  double** at = &heap[{self.choose.randrange(4)}];", "  (*at)[2] += 1;", "}"],
            ["{", f"  struct {{ double* to; int n; }} view = {{{at}, N}};", "  view.to[view.n - 1] += 1;", "}"],
            [f"x += least_of({at}, N) / 64;"], [f"soften({at}, 8);"], [f"soften_twice(private_array, {at}, 8);"], ["soften(own, 8);"],
            [f"soften_twice({at}, {beside}, 8);"], ["change_global();"], [f"change_heap({self.choose.randrange(4)});"],
            [f"*next_of({at}) += 1;"],
        ]
        if self.cxx:
            forms += [
                ["for (double& v : private_array)", "  v += 0.5;"], [f"[&] {{ {buffer}[4] += 1; }}();"],
                ["{", f"  auto add = [=, &x](double v) {{ x += v + {buffer}[0]; }};", "  add(1);", "}"],
                ["{", f"  double& cell = {buffer}[N - 1];", "  cell += 1;", "}"], [f"x += half<double>({buffer}[2]);"],
                ["try {", "  x += may_throw(i);", f"  {buffer}[0] += 1;", "} catch (int e) {", f"  {other}[0] += e;", "}"],
                ["{", f"  std::vector<double> copy({at}, {at} + 5);", "  x += copy[1];", "}"],
                ["{", f"  counted on({buffer}[1]);", "  x += 1;", "}"], [f"std::swap({buffer}[0], {other}[0]);"],
                ["if (const double first = private_array[0]; first > 2)", "  x += first;"],
                [f"cell_of({at}, 3) += 1;"], [f"x += cell_of({at}, N);"], [f"static_cast<double&>({buffer}[2]) = x;"],
                ["{", f"  double& cell = ({buffer}[1] += 1);", "  cell += 1;", "}"], ["x += ends_of(std::array<double, 2>{x, 1}) / 64;"],
                ["{", f"  std::span<double> view({at}, N);", "  for (double& v : view)", "    v += 0.5;", "  view[3] = x;", "}"],
                ["{", "  double pair[2] = {x, 1};", "  auto& [one, two] = pair;", "  one += two;", "  x = pair[0];", "}"],
            ]
            for name, (kind, _) in self.containers.items():
                forms += 2 * [
                    [f"for (double& v : {name})", "  v += 0.5;"], [f"for (const double v : {name})", "  x += v / 64;"],
                    [f"raise({name}, x);"], [f"x += ends_of({name}) / 64;"], [f"{name}.back() += x;"], [f"x += {name}.front();"],
                    [f"replace({name});"], ["{", f"  auto& same = {name};", "  same[4] += 1;", "}"],
                    [f"for (std::size_t k = 0; k < {name}.size(); ++k)", f"  {name}[k] += 1.0 / 64;"],
                    ["{", f"  auto copy = {name};", "  copy[0] += 1;", "  x += copy[0];", "}"],
                    [f"raise({name}, {buffer}[2]);"],
                ]
                if "vector" in kind:
                    forms += 2 * [[f"{name}.resize(2 * N + i, x);"], [f"{name}.push_back(x);"], [f"{name}.assign(2 * N, x);"],
                                  [f"std::vector<double>({name}).swap({name});"]]
            if len({kind for kind, _ in self.containers.values()}) == 1:
                forms += 4 * [["std::swap(local_0, local_1);"], ["local_0.swap(local_1);"], ["local_1 = local_0;"]]
        else:
            forms += [["{", "  double vla[i + 2];", f"  vla[i] = {buffer}[i];", "  x += vla[i];", "}"],
                      [f"x += ((double[]){{1, {buffer}[1]}})[i % 2];"],
                      ["{", "  double* restrict only = private_array;", "  only[1] = x;", "}"]]
        return self.choose.choice(forms)

    def statement(self):
        buffer, other = self.choose.sample(self.buffers, 2)
        if self.choose.random() < 0.35:
            return self.plain()
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
        if self.cxx and self.choose.random() < 0.1: # caught around the function
            body += ["if (i == 3)", "  throw std::runtime_error(\"enough\");"]
        if not self.cxx and self.choose.random() < 0.05:
            body = [f"if (i == 1)\n      goto on_{self.number};", *body, f"on_{self.number}:;"]
        kinds = {name: self.containers.get(name, ("double", "[2 * N]")) for name in ("local_0", "local_1")}
        declared = {name: f"{kind} {name}{size};" for name, (kind, size) in kinds.items()}
        own = [self.pointer(name) for name in declared]
        lines = [f"static void function_{self.number}(void) {{", "  double private_array[N], x = 1;",
                 *("  " + line for line in declared.values()),
                 "  MPI_Status status = {0}, dead;", "  MPI_Comm c0 = comm[0], c1 = comm[1];",
                 "  const int zero = 0, tag = 2, lower = rank > 0 ? left : MPI_PROC_NULL, upper = rank + 1 < size ? right : MPI_PROC_NULL;",
                 "  int later = 0;", "  double own[8] = {0};"]
        lines += [f"  double *heap_{i} = heap[{i}], *alias_{i} = alias[{i}];" for i in range(4)]
        lines += ["  fill(private_array, N, 1);", f"  fill({own[0]}, 2 * N, 2);", f"  fill({own[1]}, 2 * N, 3);",
                  "#pragma mpi cco MPI_SendRecv", "  for (int i = 0; i < 4; ++i) {"]
        lines += [line if line.startswith("#") else "    " + line for line in body]
        lines += ["  }", "  for (int k = 0; k < 8; ++k)", "    x += own[k];",
                  f"  checksum += x + sum_of(private_array, N) + sum_of({own[0]}, 2 * N) + sum_of({own[1]}, 2 * N);",
                  "  checksum += sum_of(global_array, 2 * N);", "  (void)dead; (void)c0; (void)c1; (void)status; (void)zero;",
                  "  (void)tag; (void)lower; (void)upper; (void)later;"]
        lines += [f"  (void)alias_{i}; (void)heap_{i};" for i in range(4)] + ["}"]
        return "\n".join(lines)


class one_sided:
    """One function with one-sided operations: adding up, taking the least, storing each in a part of its own; on two windows."""

    def __init__(self, number, choose, lie, cxx):
        self.number, self.choose, self.lie, self.cxx = number, choose, lie, cxx
        self.results = 0  # of operations: no two of an epoch may have a common byte, so that each has a place of its own
        self.unused = 0  # likewise; what they fetch depends on the order of processes

    def result(self):
        self.results += 1
        return f"got[{8 * (self.results - 1)} + i]"

    def unread(self):
        self.unused += 1
        return f"unused[{8 * (self.unused - 1)} + i]"

    def call(self):
        win = self.choose.choice(["win", "win", "second"])
        target = self.choose.choice([f"(rank + {self.choose.randrange(4)}) % size", "rank", "MPI_PROC_NULL"])
        kind = self.choose.choice(["sum", "min", "put", "put", "get", "fetch", "none", "pair", "ordered", "ordered"])
        if kind == "put":
            return f"MPI_Put(&stays[i], 1, MPI_LONG, (rank + i) % size, 32 + rank * 8 + i, 1, MPI_LONG, {win});"
        if kind == "get":
            return f"MPI_Get(&{self.result()}, 1, MPI_LONG, {target}, i, 1, MPI_LONG, {win});"
        if kind == "fetch":
            return f"MPI_Fetch_and_op(&stays[i], &{self.unread()}, MPI_LONG, {target}, 8 + i, MPI_SUM, {win});"
        if kind == "none":
            return f"MPI_Put(stays, 0, MPI_LONG, {target}, 0, 0, MPI_LONG, {win});"
        if kind == "ordered":  # of one process at each place, so that their order shows; also out of macros
            pair = self.choose.sample([
                f"ADD_AT((rank + i) % size, ordered + i, {win});", "DOUBLE_HERE((rank + i) % size);",
                f"MPI_Accumulate(&stays[i], 1, MPI_LONG, (rank + i) % size, ordered + i, 1, MPI_LONG, MPI_BXOR, {win});"], 2)
            return f"{{ {' '.join(pair)} }}"
        if kind == "pair":  # a derived datatype
            return f"MPI_Accumulate(&stays[i % 4 * 2], 1, pair_type, {target}, 24, 1, pair_type, MPI_SUM, {win});"
        name, at = ("MPI_SUM", "8 + i") if kind == "sum" else ("MPI_MIN", "16 + i")
        return f"MPI_Accumulate(&stays[i], 1, MPI_LONG, {target}, {at}, 1, MPI_LONG, {name}, {win});"

    def operation(self):
        call = self.call()
        forms = [[call], [call], ["if (i % 3)", "  " + call, "else", "  checksum += i;"], ["{", "  " + call, "}"],
                 ["if (i == 6)", "  continue;", call], ["if (i > 6)", "  break;", call], [f"EACH(twice, 1) {call}"]]
        if self.cxx:
            forms += [["for (int once : {0, 1})", "  if (once)", "    " + call], [f"[&] {{ {call} }}();"],
                      ["for (const long& stay : stays)", "  if (stay == stays[i]) {", "    " + call, "    break;", "  }"],
                      ["{", "  const auto twice = [&](long v) { return 2 * v + stays[0]; };", "  checksum += twice(i);", "  " + call, "}"]]
        return self.choose.choice(forms)

    def fences(self, rounds):
        last = self.choose.choice(["0", "MPI_MODE_NOSUCCEED", "MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE"])
        return (f"MPI_Win_fence({self.choose.choice(['0', 'MPI_MODE_NOPRECEDE'])}, WIN);",
                f"MPI_Win_fence({f'round + 1 < {rounds} ? 0 : {last}' if rounds > 1 else last}, WIN);")

    def function(self):
        both = " (second, base2, long, MPI_LONG, MPI_COMM_WORLD)" if self.choose.random() < 0.7 else ""
        annotation = self.choose.choice(["osc_coalesce(win, base, long, MPI_LONG, MPI_COMM_WORLD)",
                                         "rma(win, base, long, MPI_LONG, size, rank)"]) + both
        fences = self.choose.random() < 0.5
        if fences and annotation.startswith("osc_coalesce") and self.choose.random() < 0.75:
            annotation += " collective"
        rounds = self.choose.choice([1, 1, 2, 3]) if fences else 1
        body = ["for (int i = 0; i < 8; ++i) {"]
        for _ in range(self.choose.randrange(1, 4)):
            body += ["  " + line for line in self.operation()]
        body += ["}"]
        if not fences:
            claim = ["#pragma mpi indep MPI_Win(win)" + LIE] if self.lie else []
            body += claim + ["checksum += synchronize(win, base, cells);"]
        again = ["for (int i = 0; i < 8; ++i)", "  " + self.call()]
        opened, closed = self.fences(rounds) if fences else ("MPI_Win_lock_all(0, WIN);", "MPI_Win_unlock_all(WIN);")
        bare = self.choose.random() < 0.3
        opened, closed = ([line.replace("WIN", w) for w in ("win", "second")] for line in (opened, closed))
        if bare:
            closed = [f"if (size > 0)\n      {line}" for line in closed]
        lines = [f"static void function_{self.number}(void) {{",
                 f"  long stays[8], got[{8 * self.results + 8}] = {{0}}, unused[{8 * self.unused + 8}], *base, *base2;",
                 "  MPI_Win win, second;", "  MPI_Datatype pair_type;", "  MPI_Type_contiguous(2, MPI_LONG, &pair_type);",
                 "  MPI_Type_commit(&pair_type);",
                 "  const int cells = 32 + 16 * size, ordered = 32 + 8 * (size + rank);", "  const long two = 2;",
                 "  MPI_Win_allocate(cells * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);",
                 "  MPI_Win_allocate(cells * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base2, &second);",
                 "  for (int i = 0; i < cells; ++i)", "    base[i] = i * 3 + rank, base2[i] = -base[i];", "  for (int i = 0; i < 8; ++i)",
                 "    stays[i] = i * 5 - rank * 7;", "  MPI_Barrier(MPI_COMM_WORLD);", f"#pragma mpi {annotation}", "  {",
                 *("    " + line for line in opened)]
        inner = body + again + closed
        if rounds > 1:
            inner = [f"for (int round = 0; round < {rounds}; ++round) {{", *("  " + line for line in inner), "}"]
        lines += [line if line.startswith("#") else "    " + line for line in inner]
        lines += ["  }", "  MPI_Barrier(MPI_COMM_WORLD);",
                  *(f"  MPI_Win_fence(0, {w});" if fences else f"  MPI_Win_lock_all(0, {w}); MPI_Win_unlock_all({w});"
                    for w in ("win", "second")),
                  "  for (int i = 0; i < cells; ++i)", "    checksum += (double)base[i] * (i + 1) + (double)base2[i] * (i + 3);",
                  f"  for (int i = 0; i < {8 * self.results}; ++i)",
                  "    checksum += (double)got[i] * (i + 1);", "  MPI_Barrier(MPI_COMM_WORLD);", "  MPI_Win_free(&win);",
                  "  MPI_Win_free(&second);", "  MPI_Type_free(&pair_type);", "  (void)unused; (void)two; (void)ordered;", "}"]
        return "\n".join(lines)


KINDS = {"messages": messages, "one_sided": one_sided, "exchanges": exchanges, "locks": locks}


def kinds_of(seed, functions, lie, only):
    """Which kind each function is; only some know how to lie."""
    choose = random.Random(f"kinds {seed}")
    liars = ["messages", "messages", "one_sided"]
    weighted = only or (liars if lie else [*liars, "exchanges", "exchanges", "locks"])
    return [choose.choice(weighted) for _ in range(functions)]


def is_cxx(seed, lie):
    return seed % 2 == 1 and not lie


def program(seed, functions, lie, only):
    choose, cxx = random.Random(seed), is_cxx(seed, lie)
    texts = [KINDS[kind](i, choose, lie, cxx).function() for i, kind in enumerate(kinds_of(seed, functions, lie, only))]
    call = "  try {{ function_{0}(); }} catch (const std::runtime_error&) {{ checksum += {0}; }}" if cxx else "  function_{0}();"
    end = "\n  for (int i = 0; i < 4; ++i)\n    checksum += sum_of(heap[i], 2 * N);\n  end_function();"
    calls = "\n".join(call.format(i) + end for i in range(functions))
    made = [HEAD % (SIZE, functions), HEAD_CXX if cxx else "", "static MPI_Datatype half_type;\n", "\n".join(texts), MAIN % calls]
    return "".join(made)


def compiled(asked, source, program_file, *words):
    language = ["cxx", "-std=c++20"] if source.suffix == ".cpp" else ["cc"]
    command = [asked.tacit, language[0], "--overlap=off", *words, *language[1:], "-O1", "-Wno-unknown-pragmas", str(source),
               "-lm", "-o", str(program_file)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def output_of(asked, program_file, ranks, **more):
    environment = dict(os.environ, **dict(pair.split("=", 1) for pair in asked.environment), **more)
    try:
        done = run_job([*shlex.split(asked.launcher), "-n", str(ranks), str(program_file)], limit=asked.limit, env=environment)
    except Hangs:
        return "hangs"
    false = [line for line in done.stderr.splitlines() if re.search(r"TACIT-(15\d|202)", line)]
    if false:
        return f"says that claims are false: {false[:3]}"
    return done.stdout if done.returncode == 0 else f"exit {done.returncode}: {done.stderr[-500:]}"


def places_changed(asked, source):
    """What was transformed, by the words of the remarks."""
    language = ["--", "-std=c++20"] if source.suffix == ".cpp" else []
    done = subprocess.run([asked.tacit, "transform", "--json", source, *language], capture_output=True, text=True)
    findings = json.loads(done.stdout)["findings"] if done.stdout else []
    words = (re.sub(r"(;| at | where | when | during ).*", "", f["text"]) + (", posted earlier" if "posted already" in f["text"] else "")
             for f in findings if f["level"] == "remark" and not f["code"])
    return Counter(words)


def functions_that_differ(seen, expected):
    """What each printed that computed something else; the whole text of a run that printed something else."""
    seen, expected = seen.splitlines(), expected.splitlines()
    if len(seen) != len(expected):
        return [" ".join(seen)[:2000]]
    return [f"{line} instead of {other.split(': ')[1]}" for line, other in zip(seen, expected) if line != other]


def difference(asked, seed, folder):
    source = folder / ("program.cpp" if is_cxx(seed, False) else "program.c")
    source.write_text(program(seed, asked.functions, False, asked.kinds))
    ways = {"plain": [], "transformed": ["--annotations"]} | ({"checked": ["--annotations=check"]} if asked.check else {})
    for name, words in ways.items():
        if said := compiled(asked, source, folder / name, *words):
            return f"does not compile ({name}): {said[:2000]}"
    ranks = asked.ranks[seed // 2 % len(asked.ranks)]
    plain = output_of(asked, folder / "plain", ranks)
    if plain.startswith(("exit", "hangs")):
        return f"the program itself: {plain}"
    for way in ("always", "puts", "measured"):
        transformed = output_of(asked, folder / "transformed", ranks, TACIT_PIPELINE=way)
        if plain != transformed:
            return f"{ranks} ranks, {way}: {functions_that_differ(transformed, plain)}"
    if asked.check:
        checked = output_of(asked, folder / "checked", ranks)
        if checked != plain:
            return f"{ranks} ranks, checked: {functions_that_differ(checked, plain)}"
    return ""


def report(asked, differ, changed, seconds):
    seeds = range(asked.seed, asked.seed + asked.programs)
    kinds = Counter(f"{kind}, {'C++' if is_cxx(s, False) else 'C'}" for s in seeds
                    for kind in kinds_of(s, asked.functions, False, asked.kinds))
    promises = sum(program(s, asked.functions, False, asked.kinds).count(") collective\n") for s in seeds)
    commit = subprocess.run(["git", "log", "-1", "--format=%h", "--", "src/compiler"], capture_output=True, text=True,
                            cwd=Path(__file__).parents[3]).stdout.strip()
    return {"what": "Random annotated programs, plain (-O1) against transformed: checksums of all memory, of all ranks.",
            "machine": {"cpu": platform.processor() or platform.machine(), "cores": os.cpu_count(), "system": platform.platform()},
            "last_commit_of_compiler": commit, "command": " ".join(["random_programs.py", *asked.words]),
            "first_seed": seeds[0], "last_seed": seeds[-1], "programs_per_seed": asked.functions, "ranks": asked.ranks,
            "environment": asked.environment, "programs": dict(sorted(kinds.items())), "collective": promises,
            "places_changed": dict(sorted(changed.items())),
            "run": ["pipelined exchanges always", "pipelined exchanges as measured", *(["checked"] if asked.check else [])],
            "mismatches": [{"seed": seed, "found": text[:400]} for seed, text in differ], "minutes": round(seconds / 60, 1)}


def parser_for(description, programs, functions):
    """What all need who write such programs and run them; so many files and functions in each unless something else is asked for."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tacit", required=True)
    parser.add_argument("--launcher", required=True)
    parser.add_argument("--environment", action="append", default=[])
    parser.add_argument("--programs", type=int, default=programs, help="files")
    parser.add_argument("--functions", type=int, default=functions, help="programs in a file")
    return parser


def main():
    parser = parser_for(__doc__, 10, 10)
    parser.add_argument("--kinds", nargs="+", choices=list(KINDS), default=[], help="only these")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2])
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--check", action="store_true", help="also as tacit cc --annotations=check: no claim may be said to be false")
    parser.add_argument("--limit", type=float, help="seconds, but for those in which the machine is halted, after which a program is "
                        "said to hang; in ctest, which has a limit, none")
    parser.add_argument("--keep", type=Path, help="folder for programs that differ")
    parser.add_argument("--json", type=Path, help="file for what was tried and found; written anew after each program")
    asked = parser.parse_args()
    asked.words = [word if " " not in word else f"'{word}'" for word in sys.argv[1:] if "/tacit" not in word]
    differ, changed, begun, programs = [], Counter(), time.time(), asked.programs
    for seed in range(asked.seed, asked.seed + programs):
        with tempfile.TemporaryDirectory() as folder:
            found = difference(asked, seed, Path(folder))
            source = next(Path(folder).glob("program.c*"))
            if asked.json:
                changed += places_changed(asked, source)
            if found and asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                (asked.keep / f"{seed}{source.suffix}").write_text(source.read_text())
        if found:
            differ.append((seed, found))
            print(f"seed {seed}: {found}", file=sys.stderr)
        if asked.json:
            asked.programs = seed - asked.seed + 1
            asked.json.write_text(json.dumps(report(asked, differ, changed, time.time() - begun), indent=1) + "\n")
    print(f"{programs} files of {asked.functions} programs from seed {asked.seed}, {len(differ)} differ")
    return int(bool(differ))


if __name__ == "__main__":
    sys.exit(main())
