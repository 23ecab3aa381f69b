#!/usr/bin/env python3
"""Writes random MPI programs in C for the overlap pass: complete, deterministic, and free of deadlock with any buffering.

Each program is one function over an arena of integers. All ranks run the same statements on a ring; exchanges are of forms
that cannot deadlock (a receive is posted before a blocking send, or the calls are combined, or the ring is cut). Between the
post and the wait of an operation only memory that no message uses is touched; before and after, anything is: other parts of
the arena through aliasing pointers, the buffers themselves, helper routines that are inlined, not inlined, or in another file.
So the original is right under every MPI, and a wait that was moved too far shows in the checksum of all memory.

Usage: generate_program.py SEED COUNT > programs.c
"""
import random
import sys

ARENA = 4096
HEAD = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum {{ arena_size = {arena} }};
typedef unsigned long word;
word arena[arena_size], apart[512];
static word other[2048];
void touch_elsewhere(word* at, int count);
static __attribute__((noinline)) void touch_here(word* at, int count) {{
  for (int i = 0; i < count; i++)
    at[i] = at[i] * 3 + (word)i;
}}
static inline void touch_inlined(word* at, int count, word by) {{
  for (int i = 0; i < count; i++)
    at[i] ^= by + (word)i;
}}
static void start(int program, int me) {{
  for (int i = 0; i < arena_size; i++)
    arena[i] = (word)(program * 7919 + me * 104729 + i) * 2654435761ul;
  for (int i = 0; i < 2048; i++)
    other[i] = arena[i % arena_size] ^ 5;
  memset(apart, 0, sizeof apart);
}}
static void finish(int program, int me) {{
  word sum = 1469598103934665603ul;
  for (int i = 0; i < arena_size; i++)
    sum = (sum ^ arena[i]) * 1099511628211ul;
  for (int i = 0; i < 2048; i++)
    sum = (sum ^ other[i]) * 1099511628211ul;
  for (int i = 0; i < 512; i++)
    sum = (sum ^ apart[i]) * 1099511628211ul;
  // One rank prints for all: launchers may mix what several ranks print.
  word sums[64];
  int p;
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Gather(&sum, 1, MPI_UNSIGNED_LONG, sums, 1, MPI_UNSIGNED_LONG, 0, MPI_COMM_WORLD);
  for (int rank = 0; me == 0 && rank < p; rank++)
    printf("routine %d rank %d: %lx\\n", program, rank, sums[rank]);
}}
"""


class Program:
    def __init__(self, rng, number):
        self.rng, self.number, self.lines, self.depth, self.tag = rng, number, [], 1, 0
        self.requests = 0
        self.slots = []

    def emit(self, text):
        self.lines.append("  " * self.depth + text)

    def size(self):
        return self.rng.choice([1, 7, 64, 200, 511, 600, 900])

    def place(self, count):
        """A pointer to `count` words, and which memory it is in."""
        kind = self.rng.choice(["arena", "arena", "a", "b", "other", "heap", "local"])
        room = {"arena": ARENA, "a": 1500, "b": 1500, "other": 2048, "heap": 2048, "local": 1024}[kind]
        offset = self.rng.randrange(0, room - count + 1)
        if self.rng.random() < 0.5:
            offset = min(offset // 64 * 64, room - count)
        return f"{kind} + {offset}", kind, offset

    def absolute(self, place):
        """Where a place is, so that buffers in flight together can be kept apart."""
        _, kind, offset = place
        base = {"arena": ("arena", 0), "a": ("arena", self.a), "b": ("arena", self.b)}.get(kind, (kind, 0))
        return base[0], base[1] + offset

    def apart(self, first, count, second, other_count):
        (one, at), (two, there) = self.absolute(first), self.absolute(second)
        return one != two or at + count <= there or there + other_count <= at

    def two_places(self, count, other_count):
        while True:
            first, second = self.place(count), self.place(other_count)
            if self.apart(first, count, second, other_count):
                return first, second

    # --- computation ---
    def compute(self):
        rng = self.rng
        count = rng.choice([1, 5, 64, 300, 600])
        target, source = self.place(count)[0], self.place(count)[0]
        form = rng.randrange(9)
        if form == 0:
            self.emit(f"for (int i = 0; i < {count}; i++) ({target})[i] = ({source})[i] * {rng.randrange(3, 99)} + {rng.randrange(9)};")
        elif form == 1:
            self.emit(f"for (int i = {count - 1}; i >= 0; i--) ({target})[i] += ({source})[i];")
        elif form == 2:
            self.emit(f"for (int i = 0; i < {count}; i += {rng.choice([2, 3, 8])}) ({target})[i] ^= x;")
        elif form == 3:
            self.emit(f"x += ({source})[{rng.randrange(count)}];")
        elif form == 4:
            self.emit(f"({target})[{rng.randrange(count)}] = x;")
        elif form == 5:
            self.emit(f"for (int i = 0; i < {count}; i++) ({target})[(i * 17 + (int)(x % 5)) % {count}] += x + i;")
        elif form == 6:
            self.emit(f"{rng.choice(['touch_elsewhere', 'touch_here'])}({target}, {count});")
        elif form == 7:
            self.emit(f"touch_inlined({target}, {count}, x);")
        else:
            rows = rng.choice([2, 5])
            self.emit(f"for (int j = 0; j < {rows}; j++) for (int i = 0; i < {max(count // rows, 1)}; i++) "
                      f"({target})[j * {max(count // rows, 1)} + i] = ({source})[i] + j;")

    def aside(self):
        """Work on memory that no message uses, for the time in which operations are in flight."""
        if self.rng.random() < 0.6:
            self.emit(f"for (int i = 0; i < {self.rng.choice([3, 100, 512])}; i++) apart[i] = apart[i] * 5 + x;")

    # --- exchanges ---
    def send(self, place, count):
        return f"({place[0]}, {count}, MPI_UNSIGNED_LONG, right, {self.tag}, MPI_COMM_WORLD"

    def receive(self, place, count):
        return f"({place[0]}, {count}, MPI_UNSIGNED_LONG, left, {self.tag}, MPI_COMM_WORLD"

    def status(self):
        return self.rng.choice(["MPI_STATUS_IGNORE", "MPI_STATUS_IGNORE", "&status"])

    def exchange(self):
        self.tag += 1
        count = self.size()
        out, into = self.two_places(count, count)
        form = self.rng.randrange(11)
        if form == 0:
            self.emit(f"MPI_Irecv{self.receive(into, count)}, &r[0]);")
            self.emit(f"MPI_Send{self.send(out, count)});")
            self.aside()
            self.emit(f"MPI_Wait(&r[0], {self.status()});")
        elif form == 1:
            self.emit(f"MPI_Isend{self.send(out, count)}, &r[1]);")
            self.aside()
            self.emit(f"MPI_Recv{self.receive(into, count)}, {self.status()});")
            self.emit(f"MPI_Wait(&r[1], {self.status()});")
        elif form == 2:
            self.emit(f"MPI_Sendrecv({out[0]}, {count}, MPI_UNSIGNED_LONG, right, {self.tag}, {into[0]}, {count}, MPI_UNSIGNED_LONG, "
                      f"left, {self.tag}, MPI_COMM_WORLD, {self.status()});")
        elif form == 3:
            self.emit(f"MPI_Irecv{self.receive(into, count)}, &r[0]);")
            self.emit(f"MPI_Isend{self.send(out, count)}, &r[1]);")
            self.aside()
            waits = [f"MPI_Wait(&r[{k}], MPI_STATUS_IGNORE);" for k in (0, 1)]
            self.rng.shuffle(waits)
            for text in self.rng.choice([waits, ["MPI_Waitall(2, r, MPI_STATUSES_IGNORE);"]]):
                self.emit(text)
        elif form == 4:  # the ring is cut: a pipeline
            self.emit("if (me > 0)")
            self.emit(f"  MPI_Recv{self.receive(into, count)}, {self.status()});")
            self.compute()
            self.emit("if (me < p - 1)")
            self.emit(f"  MPI_Send{self.send(out, count)});")
        elif form == 5:  # several at once, the requests in an array
            many, each = self.rng.choice([2, 3]), min(count, 200)
            out, into = self.two_places(many * each, many * each)
            self.emit(f"for (int k = 0; k < {many}; k++)")
            self.emit(f"  MPI_Irecv({into[0]} + k * {each}, {each}, MPI_UNSIGNED_LONG, left, {self.tag}, MPI_COMM_WORLD, &r[k]);")
            self.emit(f"for (int k = 0; k < {many}; k++)")
            self.emit(f"  MPI_Isend({out[0]} + k * {each}, {each}, MPI_UNSIGNED_LONG, right, {self.tag}, MPI_COMM_WORLD, &r[{many} + k]);")
            self.aside()
            self.emit(f"MPI_Waitall({2 * many}, r, MPI_STATUSES_IGNORE);")
        elif form == 6:  # posted on one of two ways, waited for behind them
            self.emit(f"MPI_Irecv{self.receive(into, count)}, &r[0]);")
            second = self.place(count)
            while not self.apart(second, count, into, count):
                second = self.place(count)
            self.emit("if (x & 1)")
            self.emit(f"  MPI_Isend{self.send(out, count)}, &r[1]);")
            self.emit("else")
            self.emit(f"  MPI_Isend{self.send(second, count)}, &r[1]);")
            self.emit("MPI_Wait(&r[1], MPI_STATUS_IGNORE);")
            self.aside()
            self.emit("MPI_Wait(&r[0], MPI_STATUS_IGNORE);")
        elif form == 8:  # posted in one loop, waited for one by one in another
            many, each = 3, min(count, 200)
            out, into = self.two_places(many * each, many * each)
            self.emit(f"for (int k = 0; k < {many}; k++) {{")
            self.emit(f"  MPI_Irecv({into[0]} + k * {each}, {each}, MPI_UNSIGNED_LONG, left, {self.tag}, MPI_COMM_WORLD, &r[k]);")
            self.emit(f"  MPI_Isend({out[0]} + k * {each}, {each}, MPI_UNSIGNED_LONG, right, {self.tag}, MPI_COMM_WORLD, &r[4 + k]);")
            self.emit("}")
            self.emit(f"for (int k = 0; k < {many}; k++) {{")
            self.emit(f"  MPI_Wait(&r[{self.rng.choice(['k', '4 + k'])}], MPI_STATUS_IGNORE);")
            self.depth += 1
            self.aside()
            self.depth -= 1
            self.emit("}")
            self.emit("MPI_Waitall(3, r, MPI_STATUSES_IGNORE);")
            self.emit("for (int k = 0; k < 3; k++) {")
            self.emit("  MPI_Wait(&r[4 + k], MPI_STATUS_IGNORE);")
            if self.rng.random() < 0.7:
                self.emit(f"  for (int i = 0; i < {each}; i++) ({out[0]} + k * {each})[i] += x + k;")
            self.emit("}")
        elif form == 9:  # two buffers in turn, waited for in the next iteration
            each = min(count, 400)
            out, into = self.two_places(2 * each, each)
            self.emit("{")
            self.emit("  MPI_Request last = MPI_REQUEST_NULL;")
            self.emit(f"  for (int k = 0; k < {self.rng.choice([2, 3, 5])}; k++) {{")
            self.emit(f"    word* mine = {out[0]} + (k % 2) * {each};")
            self.emit(f"    MPI_Irecv{self.receive(into, each)}, &r[0]);")
            self.emit("    MPI_Request now;")
            self.emit(f"    MPI_Isend(mine, {each}, MPI_UNSIGNED_LONG, right, {self.tag}, MPI_COMM_WORLD, &now);")
            self.emit("    MPI_Wait(&last, MPI_STATUS_IGNORE);")
            self.emit(f"    for (int i = 0; i < {each}; i++) ({out[0]} + (1 - k % 2) * {each})[i] += x + k;")
            self.emit("    last = now;" if self.rng.random() < 0.5 else "    MPI_Wait(&now, MPI_STATUS_IGNORE);")
            self.emit("    MPI_Wait(&r[0], MPI_STATUS_IGNORE);")
            self.emit("  }")
            self.emit("  MPI_Wait(&last, MPI_STATUS_IGNORE);")
            self.emit("}")
        elif form == 10:  # a blocking send whose buffer moves on with the iterations, part of it written again later
            each = min(count, 200)
            out, into = self.two_places(4 * each, each)
            self.emit("for (int k = 0; k < 4; k++) {")
            self.emit(f"  MPI_Irecv{self.receive(into, each)}, &r[0]);")
            self.emit(f"  MPI_Send({out[0]} + k * {each}, {each}, MPI_UNSIGNED_LONG, right, {self.tag}, MPI_COMM_WORLD);")
            self.emit("  MPI_Wait(&r[0], MPI_STATUS_IGNORE);")
            self.emit(f"  for (int i = 0; i < {each}; i++) ({out[0]})[(k > 0 ? k - 1 : 3) * {each} + i] ^= x + {self.rng.randrange(9)};")
            self.emit("}")
        else:  # waited for in the next iteration
            self.emit("{")
            self.emit("  MPI_Request last = MPI_REQUEST_NULL;")
            self.emit(f"  for (int k = 0; k < {self.rng.choice([1, 3])}; k++) {{")
            self.depth += 2
            self.emit("MPI_Wait(&last, MPI_STATUS_IGNORE);")
            self.compute()
            self.emit(f"MPI_Irecv{self.receive(into, count)}, &r[0]);")
            self.emit(f"MPI_Isend{self.send(out, count)}, &last);")
            self.emit("MPI_Wait(&r[0], MPI_STATUS_IGNORE);")
            self.depth -= 2
            self.emit("  }")
            self.emit("  MPI_Wait(&last, MPI_STATUS_IGNORE);")
            self.emit("}")

    # --- rows, of which one or two are received ---
    def rows(self):
        """A loop over the rows of a block follows, up or down, that needs the received ones in some of its iterations."""
        self.tag += 1
        rng = self.rng
        width, rows = rng.choice([(5, 7), (40, 12), (64, 14), (130, 6)])
        block, out = self.two_places(width * rows, 2 * width)
        first, second = sorted(rng.sample(range(rows), 2))
        wide = rng.choice([1, 1, 2]) if first + 2 <= second else 1
        one, two = (f"{block[0]} + {row * width}" for row in (first, second))
        message = f"{width}, MPI_UNSIGNED_LONG"
        right, left = (f"{side}, {self.tag}, MPI_COMM_WORLD" for side in ("right", "left"))
        form = rng.randrange(4)
        if form == 0:
            self.emit(f"MPI_Isend({out[0]}, {wide * width}, MPI_UNSIGNED_LONG, {right}, &r[1]);")
            self.emit(f"MPI_Recv({one}, {wide * width}, MPI_UNSIGNED_LONG, {left}, MPI_STATUS_IGNORE);")
            self.emit("MPI_Wait(&r[1], MPI_STATUS_IGNORE);")
        else:
            self.emit(f"MPI_Irecv({one}, {message}, {left}, &r[0]);")
            self.emit(f"MPI_Irecv({two}, {message}, {left}, &r[1]);")
            self.emit(f"MPI_Isend({out[0]}, {message}, {right}, &r[2]);")
            self.emit(f"MPI_Isend({out[0]} + {width}, {message}, {right}, &r[3]);")
            self.aside()
            if form == 1:
                self.emit("MPI_Waitall(4, r, MPI_STATUSES_IGNORE);")
            else:
                waits = [f"MPI_Wait(&r[{k}], MPI_STATUS_IGNORE);" for k in range(4)]
                rng.shuffle(waits)
                for text in waits:
                    self.emit(text)
        self.over_rows(block, width, rows)
        if rng.random() < 0.3:
            self.over_rows(block, width, rows)

    def all_rows(self):
        """A message for each row of a block, so many as are known only when the program runs, and a loop over the rows."""
        self.tag += 1
        width, rows = self.rng.choice([(5, 7), (40, 12), (64, 14), (130, 6)])
        block, out = self.two_places(width * rows, width * rows)
        arguments = f"{width}, MPI_UNSIGNED_LONG, %s, {self.tag}, MPI_COMM_WORLD"
        self.emit("{")
        self.depth += 1
        self.emit(f"const int many = {self.rng.randrange(1, rows - 1)} + turn % 3;")
        self.emit("MPI_Request* q = malloc(sizeof *q * 2 * (unsigned)many);")
        self.emit(f"for (int k = 0; k < many; k++) MPI_Irecv({block[0]} + k * {width}, {arguments % 'left'}, &q[k]);")
        self.emit(f"for (int k = 0; k < many; k++) MPI_Isend({out[0]} + k * {width}, {arguments % 'right'}, &q[many + k]);")
        self.aside()
        self.emit("MPI_Waitall(2 * many, q, MPI_STATUSES_IGNORE);")
        if self.rng.random() < 0.5:
            self.emit("free(q);")
            self.over_rows(block, width, rows)
        else:
            self.over_rows(block, width, rows)
            self.over_rows(out, width, rows)
            self.emit("free(q);")
        self.depth -= 1
        self.emit("}")

    def over_rows(self, block, width, rows):
        rng = self.rng
        other = self.place(width * rows)[0]
        reach_down, reach_up = rng.choice([0, 0, 1]), rng.choice([0, 0, 1])
        low, high = reach_down, rows - reach_up
        step = rng.choice([1, 1, 1, 2, 3])
        head = rng.choice([f"for (int j = {low}; j < {high}; j += {step})", f"for (int j = {high} - 1; j >= {low}; j -= {step})"])
        body = rng.choice([
            f"({other})[j * {width} + i] += ({block[0]})[(j - {reach_down}) * {width} + i] * 3"
            f" + ({block[0]})[(j + {reach_up}) * {width} + i];",
            f"x += ({block[0]})[(j + {reach_up}) * {width} + i] ^ (word)(j + i);",
            f"({block[0]})[j * {width} + i] = ({block[0]})[(j - {reach_down}) * {width} + i] + x;",
            f"({block[0]})[j * {width} + i] ^= ({other})[i] + j;"])
        inner = f"for (int i = 0; i < {width}; i++)" if rng.random() < 0.7 else f"for (int i = 1; i < {width} - 1; i++)"
        if rng.random() < 0.25:
            body = "{ if (x % 7 == 3) continue; " + body + " }"
        elif rng.random() < 0.15:
            self.emit(f"{head} {inner} {{ if (x % 97 == 3) goto stop_{self.tag}_{len(self.lines)}; {body} }} "
                      f"stop_{self.tag}_{len(self.lines)}:;")
            return
        if rng.random() < 0.2:  # one loop over all
            self.emit(f"for (int i = 0; i < {width * (high - low)}; i++) x += ({block[0]})[i + {low * width}];")
        else:
            self.emit(f"{head} {inner} {body}")

    # --- collectives ---
    def collective(self):
        """At most four ranks: a block of `each` words per rank."""
        rng = self.rng
        each = rng.choice([1, 16, 64, 130])
        type_, comm = "MPI_UNSIGNED_LONG", "MPI_COMM_WORLD"
        root = rng.choice(["0", "p - 1", "turn % p"])
        op = rng.choice(["MPI_SUM", "MPI_BXOR", "MPI_MAX"])
        out, into = self.two_places(4 * each, 4 * each)
        one = f"{each}, {type_}"
        form = rng.randrange(12)
        if form == 0:
            self.emit(f"MPI_Bcast({into[0]}, {one}, {root}, {comm});")
        elif form == 1:  # different calls on different ranks make one collective
            self.emit(f"if (me == {root})")
            self.emit(f"  MPI_Bcast({out[0]}, {one}, {root}, {comm});")
            self.emit("else {")
            self.depth += 1
            self.compute()
            self.emit(f"MPI_Bcast({into[0]}, {one}, {root}, {comm});")
            self.depth -= 1
            self.emit("}")
        elif form == 2:
            self.emit(f"MPI_Allreduce({rng.choice([out[0], 'MPI_IN_PLACE'])}, {into[0]}, {one}, {op}, {comm});")
        elif form == 3:
            self.emit(f"MPI_Reduce({out[0]}, {into[0]}, {one}, {op}, {root}, {comm});")
        elif form == 4:
            self.emit(f"MPI_Alltoall({rng.choice([out[0], 'MPI_IN_PLACE'])}, {one}, {into[0]}, {one}, {comm});")
        elif form == 5:
            self.emit(f"MPI_Allgather({out[0]}, {one}, {into[0]}, {one}, {comm});")
        elif form == 6:
            self.emit(f"MPI_Gather({out[0]}, {one}, {into[0]}, {one}, {root}, {comm});")
        elif form == 7:
            self.emit(f"MPI_Scatter({out[0]}, {one}, {into[0]}, {one}, {root}, {comm});")
        else:
            self.emit("{")
            self.depth += 1
            self.emit("int counts[4], displs[4];")
            # Blocks of different length, in turned order, between them words that nobody sends.
            self.emit(f"for (int k = 0; k < p; k++) counts[k] = {each} - k % 2 * {each // 2}, displs[k] = (p - 1 - k) * {each};")
            self.emit({8: f"MPI_Allgatherv({out[0]}, counts[me], {type_}, {into[0]}, counts, displs, {type_}, {comm});",
                       9: f"MPI_Gatherv({out[0]}, counts[me], {type_}, {into[0]}, counts, displs, {type_}, {root}, {comm});",
                       10: f"MPI_Scatterv({out[0]}, counts, displs, {type_}, {into[0]}, counts[me], {type_}, {root}, {comm});",
                       11: f"{{ int mine[4]; for (int k = 0; k < p; k++) mine[k] = counts[me]; "
                           f"MPI_Alltoallv({out[0]}, counts, displs, {type_}, {into[0]}, mine, displs, {type_}, {comm}); }}"}[form])
            if rng.random() < 0.5:
                self.compute()
            self.emit("x += (word)(counts[0] + displs[0]);")
            self.depth -= 1
            self.emit("}")

    def block(self, statements, level=0):
        for _ in range(statements):
            what = self.rng.random()
            if what < 0.08:
                self.collective()
            elif what < 0.18:
                self.rng.choice([self.rows, self.rows, self.all_rows])()
            elif what < 0.5:
                self.exchange()
            elif what < 0.85 or level == 2:
                self.compute()
            else:
                head = self.rng.choice([f"for (int s{level} = 0; s{level} < {self.rng.choice([1, 2, 4])}; s{level}++) {{",
                                        "if (turn % 2) {", "if (turn % 3 == 1) {"])
                self.emit(head)
                self.depth += 1
                self.block(self.rng.randrange(1, 4), level + 1)
                self.depth -= 1
                self.emit("}")
            if self.rng.random() < 0.03:
                self.emit(f"if (turn == {self.rng.choice([1, 2, 7])}) goto out;")

    def text(self):
        rng = self.rng
        self.a, self.b = rng.randrange(0, 2500), rng.randrange(0, 2500)
        self.block(rng.randrange(3, 9))
        # The compiler knows where the pointers of a static function point to.
        known = rng.choice(["static ", ""])
        head = [f"{known}__attribute__((noinline)) void program_{self.number}(int me, int p, int turn, word* a, word* b, word* heap) {{",
                "  const int left = (me + p - 1) % p, right = (me + 1) % p;",
                "  word local[1024], x = (word)turn;",
                "  MPI_Request r[8];", "  MPI_Status status;",
                "  memset(&status, 0, sizeof status);",
                "  for (int i = 0; i < 1024; i++) local[i] = (word)(i * me);", "  (void)left; (void)right; (void)status; (void)r;"]
        tail = ["out:", "  for (int i = 0; i < 1024; i++) apart[i % 512] += local[i];", "  apart[0] += x;", "}"]
        return "\n".join(head + self.lines + tail) + "\n"


def make(seed, count):
    made = [Program(random.Random(f"{seed}/{k}"), k) for k in range(count)]
    text = [HEAD.format(arena=ARENA), *(program.text() for program in made),
            "int main(int argc, char** argv) {\n  int me, p;\n  MPI_Init(&argc, &argv);\n  MPI_Comm_rank(MPI_COMM_WORLD, &me);\n"
            "  MPI_Comm_size(MPI_COMM_WORLD, &p);\n  word* heap = malloc(2048 * sizeof *heap);"]
    for program in made:
        text.append(f"  start({program.number}, me);\n  for (int i = 0; i < 2048; i++) heap[i] = (word)i;\n"
                    f"  for (int turn = 0; turn < 3; turn++) program_{program.number}(me, p, turn, arena + {program.a}, "
                    f"arena + {program.b}, heap);\n"
                    f"  for (int i = 0; i < 2048; i++) other[i] += heap[i];\n  finish({program.number}, me);")
    text.append("  free(heap);\n  MPI_Finalize();\n  if (me == 0)\n    puts(\"ok\");\n  return 0;\n}\n")
    return "\n".join(text)


def main():
    print(make(int(sys.argv[1]), int(sys.argv[2])), end="")


if __name__ == "__main__":
    main()
