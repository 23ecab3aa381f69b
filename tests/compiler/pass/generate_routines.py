#!/usr/bin/env python3
"""Writes random MPI programs in C or Fortran: many test routines to a file, each a program of its own.

The second of two independent generators (the other, generate_program.py, writes straight lines over one arena): this one has
control flow, requests that outlive blocks, carried and persistent requests, columns, and the Fortran interface.

Every routine is deterministic and free of deadlock under any buffering. All ranks take the same branches (but for
red-black and pipeline steps, which are safe by construction); blocking sends meet receives that do not depend on them;
each step has its own tag unless it posts its messages in the same order on both sides. The generator follows which bytes
are in flight and never touches them against MPI's rules, so that a transformed program has to give the same output. What is
random: buffers (local, global, heap, pieces of one array behind pointers, columns), requests (variables and array elements,
used again), where waits stand, helper routines, loops, branches, early returns, and what is read and written in between.

Usage: generate_routines.py --seed N --routines K --language c|fortran > file
"""
import argparse
import random

LENGTH = 1200   # of each buffer, in integers: 4.8 kB, on both sides of Open MPI's eager limit of 4 kB
ROWS, COLUMNS = 40, 12
KNOBS = 8       # values that the compiler cannot know


class View:
    """A name for a piece of an object."""

    def __init__(self, name, object_, offset, length):
        self.name, self.object, self.offset, self.length = name, object_, offset, length

    def bytes(self, low, n):
        return (self.object, self.offset + low, self.offset + low + n)


VIEWS = [View("g0", "g0", 0, LENGTH), View("g1", "g1", 0, LENGTH), View("l0", "l0", 0, LENGTH), View("l1", "l1", 0, LENGTH),
         View("h0", "h0", 0, LENGTH), View("h1", "h1", 0, LENGTH), View("p0", "big", 0, LENGTH),
         View("p1", "big", LENGTH // 2, LENGTH), View("p2", "big", LENGTH, LENGTH), View("big", "big", 0, 3 * LENGTH)]
OBJECTS = {"g0": LENGTH, "g1": LENGTH, "l0": LENGTH, "l1": LENGTH, "h0": LENGTH, "h1": LENGTH, "big": 3 * LENGTH,
           "m": ROWS * COLUMNS}


def meet(a, b):
    return a[0] == b[0] and a[1] < b[2] and b[1] < a[2]


class Routine:
    """Makes one routine as a list of statements (tuples), which the languages below write down."""

    def __init__(self, rng, avoid=()):
        self.rng, self.avoid = rng, avoid
        self.flight = []   # (bytes, receives)
        self.open = []     # (requests, bytes entries, conditional knob or None): posted, not yet waited for
        self.free_requests = [f"q{i}" for i in range(4)] + [f"r{i}" for i in range(6)]
        self.next_tag = rng.randrange(3)
        self.depth = 0

    # --- choosing
    def tag(self):
        self.next_tag += 1
        return self.next_tag

    def place(self, n, writes, also=()):
        """A view and a start so that n integers may be written (or read) now."""
        for _ in range(60):
            view = self.rng.choice(VIEWS)
            low = self.rng.choice([0, self.rng.randrange(view.length - n + 1), view.length - n])
            bytes_ = view.bytes(low, n)
            if all(not meet(bytes_, other) or not (writes or receives) for other, receives in list(self.flight) + list(also)):
                return view.name, low, bytes_
        return None

    def size(self):
        return self.rng.choice([1, 7, 100, 100, 400, 1100, self.rng.randrange(1, 600)])

    def take_requests(self, count):
        if len(self.free_requests) < count:
            return None
        if count > 1 and self.rng.random() < 0.6:
            for start in range(7 - count):
                names = [f"r{start + i}" for i in range(count)]
                if all(name in self.free_requests for name in names):
                    for name in names:
                        self.free_requests.remove(name)
                    return names
        names = self.rng.sample(self.free_requests, count)
        for name in names:
            self.free_requests.remove(name)
        return names

    # --- computing
    def compute(self):
        r = self.rng
        n = self.size()
        kind = r.choice(["mix", "mix", "set", "sum", "cell", "shift"])
        if kind == "sum":
            source = self.place(n, False)
            return [("sum", source[0], source[1], n)] if source else []
        dest = self.place(n if kind != "cell" else 1, True)
        if not dest:
            return []
        k = r.randrange(1, 99)
        if kind == "set":
            return [("set", dest[0], dest[1], n, r.randrange(1, 9), k)]
        if kind == "cell":
            return [("set", dest[0], dest[1], 1, 1, k)]
        source = self.place(n, False)
        if not source or (source[2][0] == dest[2][0] and meet(source[2], dest[2])):
            return [("set", dest[0], dest[1], n, 3, k)]
        return [("mix", dest[0], dest[1], source[0], source[1], n, r.randrange(2, 7), k, r.choice(["loop", "loop", "call", "far"]))]

    def computing(self, most=3):
        return [s for _ in range(self.rng.randrange(most + 1)) for s in self.compute()]

    # --- communicating
    def pair(self, n):
        """Buffers for sending and receiving n integers."""
        out = self.place(n, False)
        if not out:
            return None
        into = self.place(n, True, [(out[2], False)])
        return (out, into) if into else None

    def waits(self, requests):
        r = self.rng
        names = list(requests)
        in_array = all(name[0] == "r" for name in names) and len(names) > 1 and \
            [int(x[1:]) for x in names] == list(range(int(names[0][1:]), int(names[0][1:]) + len(names)))
        if in_array and r.random() < 0.7:
            return [(r.choice(["waitall", "waitall", "waitall", "waitany", "testall"]), int(names[0][1:]), len(names))]
        r.shuffle(names)
        result = []
        for name in names:
            result.append(("wait", name, r.choice(["ignore", "ignore", "dead", "test"])))
            if r.random() < 0.3:
                result += self.computing(1)
        return result

    def close(self, index):
        requests, entries, knob = self.open.pop(index)
        code = self.waits(requests)
        for entry in entries:
            self.flight.remove(entry)
        self.free_requests += requests
        if knob is not None and self.rng.random() < 0.5:
            code = [("if", knob, code, [])]
        return code

    def close_all(self, since=0):
        code = []
        while len(self.open) > since:
            code += self.close(self.rng.randrange(since, len(self.open)))
        return code

    def nonblocking(self):
        """Irecv and Isend around the ring, one or two pairs; waited for at once, later, or at the end."""
        count = self.rng.choice([1, 1, 2])
        entries = []
        requests = self.take_requests(2 * count)
        if not requests:
            return []
        tag = self.tag()
        receives, sends = [], []
        for i in range(count):
            n = self.size()
            both = self.pair(n)
            if not both:
                break
            out, into = both
            side = self.rng.choice(["left", "right"]) if count == 1 else ["left", "right"][i]
            other = "right" if side == "left" else "left"
            mine = self.tag() if count == 2 else tag
            receives.append(("irecv", into[0], into[1], n, side, mine, requests[2 * i]))
            sends.append(("isend", out[0], out[1], n, other, mine, requests[2 * i + 1]))
            for entry in ((into[2], True), (out[2], False)):
                self.flight.append(entry)
                entries.append(entry)
        unused = requests[2 * len(receives):]
        self.free_requests += unused
        requests = requests[:2 * len(receives)]
        if not receives:
            return []
        made = receives + sends if self.rng.random() < 0.7 else sends + receives
        knob = None
        if self.rng.random() < 0.25:
            knob = self.rng.randrange(KNOBS)
            made = [("null", name) for name in requests] + [("if", knob, made, [])]
        self.open.append((requests, entries, knob))
        if self.rng.random() < 0.6:
            made += self.computing(2) + self.close(len(self.open) - 1)
        return made

    def half_blocking(self):
        n = self.size()
        both = self.pair(n)
        requests = self.take_requests(1)
        if not both or not requests:
            self.free_requests += requests or []
            return []
        (out, into), tag, form = both, self.tag(), self.rng.choice(["send", "recv"])
        first = ("irecv", into[0], into[1], n, "left", tag, requests[0]) if form == "send" else \
            ("isend", out[0], out[1], n, "right", tag, requests[0])
        second = ("send", out[0], out[1], n, "right", tag) if form == "send" else \
            ("recv", into[0], into[1], n, "left", tag, self.rng.choice(["ignore", "dead", "read"]))
        entry = (into[2], True) if form == "send" else (out[2], False)
        self.flight += [entry]
        self.open.append((requests, [entry], None))
        return [first, second] + self.computing(1) + self.close(len(self.open) - 1)

    def combined(self):
        n = self.size()
        both = self.pair(n)
        if not both:
            return []
        out, into = both
        return [("sendrecv", out[0], out[1], into[0], into[1], n, self.tag(), self.rng.choice(["ignore", "dead", "read"]))]

    def red_black(self):
        n = self.size()
        both = self.pair(n)
        if not both:
            return []
        (out, into), tag = both, self.tag()
        status = self.rng.choice(["ignore", "dead", "read"])
        send, receive = ("send", out[0], out[1], n, "right", tag), ("recv", into[0], into[1], n, "left", tag, status)
        return [("even", [send, receive], [receive, send])]

    def pipeline(self):
        """LU's wavefront: receive from below, compute, send on."""
        n = self.size()
        into = self.place(n, True)
        if not into:
            return []
        tag = self.tag()
        inner = self.computing(1)
        out = into if self.rng.random() < 0.5 else self.place(n, False)
        return [("above", [("recv", into[0], into[1], n, "down", tag, "ignore")])] + inner + \
            [("below", [("send", out[0], out[1], n, "up", tag)])]

    def helper(self):
        n = self.size()
        both = self.pair(n)
        if not both:
            return []
        out, into = both
        return [("exchange", into[0], into[1], out[0], out[1], n, self.tag(), self.rng.choice(["near", "far"]))]

    def column(self):
        """A column of the matrix out, another one in; other columns are used meanwhile."""
        a, b, c = self.rng.sample(range(COLUMNS), 3)
        requests = self.take_requests(2)
        if not requests or any(entry[0][0] == "m" for entry in self.flight):
            self.free_requests += requests or []
            return []
        tag = self.tag()
        made = [("column", "irecv", a, tag, requests[0]), ("column", "isend", b, tag, requests[1])]
        made += [("set_column", c, self.rng.randrange(50))] if self.rng.random() < 0.5 else []
        made += self.waits(requests)
        self.free_requests += requests
        late = self.computing(2)
        return made + [("set_column", self.rng.choice([a, b, c]), self.rng.randrange(50))] + late

    def carried(self):
        """BT's solve: the wait for the send of the last iteration stands in this one."""
        n = self.size()
        out = self.place(n, True)
        into = out and self.place(n, True, [(out[2], True)])
        requests = self.take_requests(2)
        if not into or not requests:
            self.free_requests += requests or []
            return []
        tag = self.tag()
        send, receive = requests
        kept = [(into[2], True), (out[2], False)]
        self.flight += kept
        meanwhile = self.computing(2)
        self.flight.remove(kept[0])
        after_receive = self.computing(1)
        self.flight.remove(kept[1])
        last = self.computing(1)
        k = self.rng.randrange(99)
        body = [("irecv", into[0], into[1], n, "left", tag, receive)] + meanwhile
        wait_send = ("later", [("wait", send, "ignore")]) if self.rng.random() < 0.5 else ("wait", send, "ignore")
        before = self.rng.random() < 0.5
        body += ([wait_send] if before else [])
        if before:
            body += [("set", out[0], out[1], n, 3, k), ("isend", out[0], out[1], n, "right", tag, send), ("wait", receive, "ignore")]
            body += after_receive
            final = [("wait", send, "ignore")]
        else:
            body += [wait_send, ("set", out[0], out[1], n, 2, k), ("isend", out[0], out[1], n, "right", tag, send),
                     ("wait", receive, "ignore"), ("sum", into[0], into[1], n)]
            final = [("wait", send, "ignore")]
        self.free_requests += requests
        return [("null", send), ("loop", self.rng.randrange(KNOBS), body)] + final + last

    def double_buffered(self):
        """Two halves of one buffer and two requests take turns."""
        n = self.rng.choice([1, 50, 300, 600])
        view = next((v for v in self.rng.sample(VIEWS, len(VIEWS))
                     if all(not meet(v.bytes(0, 2 * n), other) for other, _ in self.flight) and 2 * n <= v.length), None)
        requests = ["r0", "r1"]
        if not view or any(name not in self.free_requests for name in requests):
            return []
        kept = (view.bytes(0, 2 * n), True)
        self.flight.append(kept)
        into = self.place(n, True)
        meanwhile = self.computing(1)
        self.flight.remove(kept)
        if not into:
            return []
        return [("turns", view.name, n, into[0], into[1], self.tag(), self.rng.randrange(KNOBS), meanwhile)]

    def persistent(self):
        n = self.size()
        both = self.pair(n)
        requests = self.take_requests(2)
        if not both or not requests:
            self.free_requests += requests or []
            return []
        (out, into), tag = both, self.tag()
        kept = [(into[2], True), (out[2], False)]
        self.flight += kept
        meanwhile = self.computing(1)
        for entry in kept:
            self.flight.remove(entry)
        after = self.computing(2)
        self.free_requests += requests
        a, b = requests
        body = [("start", a), ("start", b)] + meanwhile + [("wait", a, "ignore"), ("wait", b, "ignore")] + after
        return [("recv_init", into[0], into[1], n, "left", tag, a), ("send_init", out[0], out[1], n, "right", tag, b),
                ("loop", self.rng.randrange(KNOBS), body), ("free", a), ("free", b)]

    def collective(self):
        n = self.rng.choice([1, 16, 150])
        into = self.place(8 * n, True)
        out = into and self.place(n, False, [(into[2], True)])
        form = self.rng.choice(["bcast", "add_up", "maximum", "everybody", "barrier"])
        if not out or form == "barrier":
            return [("barrier",)]
        one_buffer = form in ("bcast", "maximum")
        made = (form, into[0], into[1], n) if one_buffer else (form, out[0], out[1], into[0], into[1], n)
        request = self.take_requests(1) if self.rng.random() < 0.7 and "i" + form not in self.avoid else None
        if not request:
            return [made]
        entries = [(into[2], True)] + ([] if one_buffer else [(out[2], False)])
        self.flight += entries
        self.open.append((request, entries, None))
        started = [("i" + form, *made[1:], request[0])]
        if self.rng.random() < 0.6:
            started += self.computing(2) + self.close(len(self.open) - 1)
        return started

    # --- structure
    def branch(self):
        sides = []
        for _ in range(2):
            before = (list(self.flight), list(self.open), list(self.free_requests))
            hidden, self.open = self.open, []
            code = self.block(self.rng.randrange(1, 4)) + self.close_all()
            self.open = hidden
            self.flight, self.open, self.free_requests = before
            sides.append(code)
        return [("if", self.rng.randrange(KNOBS), sides[0], sides[1] if self.rng.random() < 0.6 else [])]

    def loop(self):
        hidden, self.open = self.open, []
        body = self.block(self.rng.randrange(1, 5)) + self.close_all()
        self.open = hidden
        return [("loop", self.rng.randrange(KNOBS), body)]

    def early_return(self):
        waits = [("wait", name, "ignore") for requests, _, _ in self.open for name in requests]
        return [("leave", self.rng.randrange(KNOBS), waits)]

    def statement(self):
        r = self.rng
        choices = [(self.nonblocking, 6), (self.half_blocking, 3), (self.combined, 3), (self.red_black, 3), (self.pipeline, 3),
                   (self.helper, 2), (self.column, 2), (self.carried, 2), (self.double_buffered, 1),
                   (self.persistent, int("persistent" not in self.avoid)), (self.collective, 4), (lambda: self.computing(3), 8)]
        if self.depth < 2:
            choices += [(self.branch, 2), (self.loop, 3)]
        if self.open:
            choices += [(lambda: self.close(r.randrange(len(self.open))), 5)]
        if self.depth == 0:
            choices += [(self.early_return, 1)]
        makers, weights = zip(*choices)
        return r.choices(makers, weights)[0]()

    def block(self, length):
        self.depth += 1
        code = [s for _ in range(length) for s in self.statement()]
        self.depth -= 1
        return code

    def whole(self):
        code = []
        for _ in range(self.rng.randrange(4, 12)):
            code += self.statement()
        return code + self.close_all()


# --- C
C_HEAD = """#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { LENGTH = %d, ROWS = %d, COLUMNS = %d, KNOBS = %d };
static int rank, size, left, right, only = -1;
static int knobs[KNOBS];
static int g0[LENGTH], g1[LENGTH], big[3 * LENGTH], m[ROWS * COLUMNS];
static MPI_Datatype column;
#define FAR __attribute__((noinline))
static void mix_near(int* a, const int* b, int n, int f, int k) { for (int j = 0; j < n; ++j) a[j] = (a[j] * f + b[j] + k) & 65535; }
static FAR void mix_far(int* a, const int* b, int n, int f, int k) { for (int j = 0; j < n; ++j) a[j] = (a[j] * f + b[j] + k) & 65535; }
static void exchange_near(int* in, int* out, int n, int tag) {
  MPI_Request r[2];
  MPI_Irecv(in, n, MPI_INT, left, tag, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, n, MPI_INT, right, tag, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}
static FAR void exchange_far(int* in, int* out, int n, int tag) {
  MPI_Request a;
  MPI_Irecv(in, n, MPI_INT, left, tag, MPI_COMM_WORLD, &a);
  MPI_Send(out, n, MPI_INT, right, tag, MPI_COMM_WORLD);
  MPI_Wait(&a, MPI_STATUS_IGNORE);
}
static unsigned hash(unsigned h, const int* a, int n) { for (int j = 0; j < n; ++j) h = (h ^ (unsigned)a[j]) * 16777619u; return h; }
static void fill(int* a, int n, int k) { for (int j = 0; j < n; ++j) a[j] = (j * 7 + k * 131 + rank * 1009) & 65535; }
"""

C_TAIL = """
// One rank prints for all: launchers may mix what several ranks print.
static void print_all(int k, unsigned value) {
  unsigned values[64];
  MPI_Gather(&value, 1, MPI_UNSIGNED, values, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) printf("routine %%d rank %%d: %%08x\\n", k, i, values[i]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  left = (rank + size - 1) %% size;
  right = (rank + 1) %% size;
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_INT, &column);
  MPI_Type_commit(&column);
  const unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : %d;
  if (argc > 2) only = atoi(argv[2]);
  for (int k = 0; k < %d; ++k) {
    if (only >= 0 && k != only) continue;
    for (int i = 0; i < KNOBS; ++i) knobs[i] = (int)((seed + 1) * (unsigned)(k * 31 + i * 17 + 5) >> 3 & 3);
    fill(g0, LENGTH, 1); fill(g1, LENGTH, 2); fill(big, 3 * LENGTH, 3); fill(m, ROWS * COLUMNS, 4);
    print_all(k, routines[k]());
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  if (rank == 0) puts("ok");
  return 0;
}
"""


class C:
    def __init__(self):
        self.lines = []

    def put(self, depth, text):
        self.lines.append("  " * depth + text)

    @staticmethod
    def request(name):
        return f"&{name}" if name[0] == "q" else f"&r[{name[1:]}]"

    @staticmethod
    def peer(name):
        return {"left": "left", "right": "right", "down": "rank - 1", "up": "rank + 1"}[name]

    @staticmethod
    def at(name, low):
        return f"&{name}[{low}]" if low else name

    def status(self, how):
        return "MPI_STATUS_IGNORE" if how == "ignore" else "&status"

    def write(self, code, depth=1):
        for s in code:
            getattr(self, "do_" + s[0])(depth, *s[1:])

    def do_set(self, d, a, low, n, f, k):
        if n == 1:
            self.put(d, f"{a}[{low}] = ({a}[{low}] + {k}) & 65535;")
        else:
            self.put(d, f"for (int j = 0; j < {n}; ++j) {a}[{low} + j] = (j * {f} + {k}) & 65535;")

    def do_mix(self, d, a, low, b, from_, n, f, k, how):
        if how == "loop":
            self.put(d, f"for (int j = 0; j < {n}; ++j) {a}[{low} + j] = ({a}[{low} + j] * {f} + {b}[{from_} + j] + {k}) & 65535;")
        else:
            name = "mix_near" if how == "call" else "mix_far"
            self.put(d, f"{name}({self.at(a, low)}, {self.at(b, from_)}, {n}, {f}, {k});")

    def do_sum(self, d, a, low, n):
        self.put(d, f"for (int j = 0; j < {n}; ++j) sum = (sum * 3 + {a}[{low} + j]) & 65535;")

    def post(self, d, call, a, low, n, peer, tag, extra):
        self.put(d, f"MPI_{call}({self.at(a, low)}, {n}, MPI_INT, {self.peer(peer)}, {tag}, MPI_COMM_WORLD{extra});")

    def do_irecv(self, d, a, low, n, peer, tag, q): self.post(d, "Irecv", a, low, n, peer, tag, ", " + self.request(q))
    def do_isend(self, d, a, low, n, peer, tag, q): self.post(d, "Isend", a, low, n, peer, tag, ", " + self.request(q))
    def do_recv_init(self, d, a, low, n, peer, tag, q): self.post(d, "Recv_init", a, low, n, peer, tag, ", " + self.request(q))
    def do_send_init(self, d, a, low, n, peer, tag, q): self.post(d, "Send_init", a, low, n, peer, tag, ", " + self.request(q))
    def do_send(self, d, a, low, n, peer, tag): self.post(d, "Send", a, low, n, peer, tag, "")
    def do_start(self, d, q): self.put(d, f"MPI_Start({self.request(q)});")
    def do_free(self, d, q): self.put(d, f"MPI_Request_free({self.request(q)});")
    def do_null(self, d, q): self.put(d, f"{self.request(q)[1:]} = MPI_REQUEST_NULL;")

    def count(self, d, how):
        if how == "read":
            self.put(d, "{ int count; MPI_Get_count(&status, MPI_INT, &count); sum = (sum + count) & 65535; }")

    def do_recv(self, d, a, low, n, peer, tag, how):
        self.post(d, "Recv", a, low, n, peer, tag, ", " + self.status(how))
        self.count(d, how)

    def do_sendrecv(self, d, a, low, b, to, n, tag, how):
        self.put(d, f"MPI_Sendrecv({self.at(a, low)}, {n}, MPI_INT, right, {tag}, {self.at(b, to)}, {n}, MPI_INT, left, {tag}, "
                    f"MPI_COMM_WORLD, {self.status(how)});")
        self.count(d, how)

    def do_wait(self, d, q, how):
        if how == "test":
            self.put(d, f"for (int flag = 0; !flag;) MPI_Test({self.request(q)}, &flag, MPI_STATUS_IGNORE);")
        else:
            self.put(d, f"MPI_Wait({self.request(q)}, {self.status(how)});")

    def do_waitall(self, d, first, n): self.put(d, f"MPI_Waitall({n}, &r[{first}], MPI_STATUSES_IGNORE);")

    def do_waitany(self, d, first, n):
        self.put(d, f"for (int j = 0, index; j < {n}; ++j) MPI_Waitany({n}, &r[{first}], &index, MPI_STATUS_IGNORE);")

    def do_testall(self, d, first, n):
        self.put(d, f"for (int flag = 0; !flag;) MPI_Testall({n}, &r[{first}], &flag, MPI_STATUSES_IGNORE);")

    def do_exchange(self, d, a, low, b, from_, n, tag, how):
        self.put(d, f"exchange_{how}({self.at(a, low)}, {self.at(b, from_)}, {n}, {tag});")

    def do_column(self, d, call, c, tag, q):
        name, peer = ("Irecv", "left") if call == "irecv" else ("Isend", "right")
        self.put(d, f"MPI_{name}(&m[{c}], 1, column, {peer}, {tag}, MPI_COMM_WORLD, {self.request(q)});")

    def do_set_column(self, d, c, k):
        self.put(d, f"for (int j = 0; j < ROWS; ++j) m[j * COLUMNS + {c}] = (m[j * COLUMNS + {c}] * 3 + {k}) & 65535;")

    def do_barrier(self, d): self.put(d, "MPI_Barrier(MPI_COMM_WORLD);")
    def collective(self, d, name, arguments, q):
        name = f"I{name.lower()}" if q else name
        self.put(d, f"MPI_{name}({arguments}, MPI_COMM_WORLD{', ' + self.request(q) if q else ''});")

    def do_bcast(self, d, a, low, n, q=None): self.collective(d, "Bcast", f"{self.at(a, low)}, {n}, MPI_INT, 0", q)

    def do_maximum(self, d, a, low, n, q=None):
        self.collective(d, "Allreduce", f"MPI_IN_PLACE, {self.at(a, low)}, {n}, MPI_INT, MPI_MAX", q)

    def do_add_up(self, d, a, low, b, to, n, q=None):
        self.collective(d, "Allreduce", f"{self.at(a, low)}, {self.at(b, to)}, {n}, MPI_INT, MPI_SUM", q)

    def do_everybody(self, d, a, low, b, to, n, q=None):
        self.collective(d, "Allgather", f"{self.at(a, low)}, {n}, MPI_INT, {self.at(b, to)}, {n}, MPI_INT", q)

    do_ibcast, do_imaximum, do_iadd_up, do_ieverybody = do_bcast, do_maximum, do_add_up, do_everybody

    def block(self, d, head, code, other=()):
        self.put(d, head + " {")
        self.write(code, d + 1)
        if other:
            self.put(d, "} else {")
            self.write(other, d + 1)
        self.put(d, "}")

    def do_if(self, d, knob, then, other): self.block(d, f"if (knobs[{knob}] & 1)", then, other)
    def do_even(self, d, then, other): self.block(d, "if (rank % 2 == 0)", then, other)
    def do_above(self, d, code): self.block(d, "if (rank > 0)", code)
    def do_below(self, d, code): self.block(d, "if (rank < size - 1)", code)
    def do_later(self, d, code): self.block(d, "if (i > 0)", code)

    def do_loop(self, d, knob, code):
        self.block(d, f"for (int i = 0; i < knobs[{knob}] + 1; ++i)", code)

    def do_turns(self, d, a, n, b, to, tag, knob, meanwhile):
        self.put(d, f"for (int i = 0; i <= knobs[{knob}] + 2; ++i) {{")
        self.put(d + 1, f"if (i < knobs[{knob}] + 2) {{")
        self.put(d + 2, f"MPI_Irecv(&{a}[i % 2 * {n}], {n}, MPI_INT, left, {tag}, MPI_COMM_WORLD, &r[i % 2]);")
        self.put(d + 2, f"MPI_Send({self.at(b, to)}, {n}, MPI_INT, right, {tag}, MPI_COMM_WORLD);")
        self.put(d + 1, "}")
        self.put(d + 1, "if (i > 0) {")
        self.put(d + 2, "MPI_Wait(&r[(i + 1) % 2], MPI_STATUS_IGNORE);")
        self.write(meanwhile, d + 2)
        self.put(d + 2, f"for (int j = 0; j < {n}; ++j) {b}[{to} + j] = ({b}[{to} + j] + {a}[(i + 1) % 2 * {n} + j]) & 65535;")
        self.put(d + 1, "}")
        self.put(d, "}")

    def do_leave(self, d, knob, waits):
        self.put(d, f"if (knobs[{knob}] == 3) {{")
        self.write(waits, d + 1)
        self.put(d + 1, "goto out;")
        self.put(d, "}")

    def routine(self, index, code):
        self.put(0, f"static unsigned routine_{index}(void) {{")
        self.put(1, "int l0[LENGTH], l1[LENGTH], sum = 0;")
        self.put(1, "int *h0 = malloc(sizeof l0), *h1 = malloc(sizeof l0), *p0 = big, *p1 = big + LENGTH / 2, *p2 = big + LENGTH;")
        self.put(1, "MPI_Request q0, q1, q2, q3, r[6];")
        self.put(1, "MPI_Status status;")
        self.put(1, "unsigned h = 2166136261u;")
        self.put(1, "q0 = q1 = q2 = q3 = MPI_REQUEST_NULL;")
        self.put(1, "for (int j = 0; j < 6; ++j) r[j] = MPI_REQUEST_NULL;")
        self.put(1, "fill(l0, LENGTH, 5); fill(l1, LENGTH, 6); fill(h0, LENGTH, 7); fill(h1, LENGTH, 8);")
        self.write(code)
        self.put(0, "  goto out;\nout:")
        for name, n in OBJECTS.items():
            self.put(1, f"h = hash(h, {name}, {n});")
        self.put(1, "(void)p0, (void)p1, (void)p2, (void)status;")
        self.put(1, "free(h0);\n  free(h1);\n  return (h ^ (unsigned)sum) * 16777619u;")
        self.put(0, "}")


def c_program(routines, seed):
    out = C()
    for index, code in enumerate(routines):
        out.routine(index, code)
    table = "static unsigned (*const routines[])(void) = {" + ", ".join(f"routine_{i}" for i in range(len(routines))) + "};"
    return C_HEAD % (LENGTH, ROWS, COLUMNS, KNOBS) + "\n".join(out.lines) + "\n" + table + C_TAIL % (seed % 1000, len(routines))


def make(seed, count, language, avoid=()):
    """What to avoid: persistent requests ("persistent"), MPI_Iallreduce in place ("imaximum")."""
    routines = [Routine(random.Random(f"{seed}/{i}"), avoid).whole() for i in range(count)]
    if language == "c":
        return c_program(routines, seed)
    from fortran_program import fortran_program
    return fortran_program(routines, seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--routines", type=int, default=20)
    parser.add_argument("--language", choices=["c", "fortran"], default="c")
    asked = parser.parse_args()
    print(make(asked.seed, asked.routines, asked.language), end="")


if __name__ == "__main__":
    main()
