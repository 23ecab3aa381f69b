#!/usr/bin/env python3
"""Writes random MPI programs in C or C++ that touch message buffers in hidden ways: many programs to a file.

The third of three independent generators. A program is a function of a few steps. Each step posts and waits for messages in
one of the usual forms, and then touches their buffers by a way that no load or store of the function shows: functions of the
user that MPI, the C library or the language runs (attributes, error handlers, generalized requests, operators, qsort, signals,
destructors), memory behind a stream, bytes outside the pointer (negative displacements, absolute datatypes), pointers that
changed places, system calls; or it waits outside MPI, by input, for a file or in a function that MPI runs, until the other rank answers
what it received; or a message says more than its data: that a file is there or has grown, that another message has been matched.

Every program is legal MPI for two ranks: no buffer is touched between post and wait, blocking sends meet receives that do not
depend on them, and who waits outside MPI has no message pending that the answer depends on. What a hidden way reads, and what
it writes, does not depend on how often it runs. So a program says the same under every MPI, and a transformed one, too.

Some ways forbid the pass much in the whole file (error handlers, callbacks of datatypes, shared memory, MPI_Cancel, functions that the
program puts in MPI's place), or are dear (files of MPI, sessions): a file has those that its seed chooses, most have none.

Usage: generate_idioms.py SEED COUNT c|c++ > programs.c
"""
import random
import sys

LARGEST = 12000
HEAD = """#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#define APART __attribute__((noinline)) static
typedef unsigned long word;
#define WORD MPI_UNSIGNED_LONG
static int packed_bytes;
/* MPICH 4.0.2 takes MPI_BOTTOM for a mistake in MPI_Pack, and ignores the displacement in MPI_Allgatherv on one rank. */
#ifdef MPICH_NAME
#define ALLGATHERV(...) MPI_Gatherv(__VA_ARGS__, 0, MPI_COMM_SELF)
#define PACK(at, type, count) MPI_Sendrecv(at, 1, type, 0, 1, packed, count, WORD, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE)
#define UNPACK(at, type, count) MPI_Sendrecv(packed, count, WORD, 0, 1, at, 1, type, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE)
#else
#define ALLGATHERV(...) MPI_Allgatherv(__VA_ARGS__, MPI_COMM_SELF)
#define PACK(at, type, count) packed_bytes = 0, MPI_Pack(at, 1, type, packed, sizeof packed, &packed_bytes, MPI_COMM_SELF)
#define UNPACK(at, type, count) packed_bytes = 0, MPI_Unpack(packed, sizeof packed, &packed_bytes, at, 1, type, MPI_COMM_SELF)
#endif
enum { largest = 12000 };
static word inbox[largest + 64], outbox[largest + 64], memory[4 * largest + 64], apart[512], packed[largest + 64];
word others[2 * largest + 64];
static char folder[400], text[64];
static FILE* answers;
static int hear, tell, local_pipe[2];

/* What functions of the user do, each time the same: they read `reads` and write `writes`. */
static word *reads, *writes, seen;
static int reads_count, writes_count, touching, greeting, hearing;
static word number(const char* line);
static void listen(void) {
  if (!hearing)
    return;
  hearing = 0;
  memset(text, 0, sizeof text);
  if (read(hear, text, sizeof text - 1) <= 0)
    abort();
  seen = number(text);
}
static void touch(void) {
  listen();
  if (!touching)
    return;
  word sum = 1;
  for (int i = 0; i < reads_count; i++)
    sum = sum * 31 + reads[i];
  seen = sum;
  for (int i = 0; i < writes_count; i++)
    writes[i] = (word)i * 7 + 5;
}
APART int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  touch();
  return *flag = 0;
}
APART int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  touch();
  return MPI_SUCCESS;
}
APART int query_request(void* extra, MPI_Status* status) {
  (void)extra;
  MPI_Status_set_cancelled(status, 0);
  MPI_Status_set_elements(status, MPI_INT, 0);
  touch();
  return MPI_SUCCESS;
}
APART int free_request(void* extra) {
  (void)extra;
  touch();
  return MPI_SUCCESS;
}
APART int cancel_request(void* extra, int complete) {
  (void)extra, (void)complete;
  touch();
  return MPI_SUCCESS;
}
APART void operate(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; i++)
    ((int*)inout)[i] += ((int*)in)[i];
  touch();
}
APART int compare(const void* a, const void* b) {
  touch();
  return *(const int*)a - *(const int*)b;
}
APART void on_signal(int number) {
  (void)number;
  touch();
}
APART void* in_thread(void* nothing) {
  touch();
  return nothing;
}
static void (*volatile by_pointer)(void) = touch;
static int comm_key, old_key;
static MPI_Comm mine;
static MPI_Op op;
static MPI_Request general = MPI_REQUEST_NULL;

/* The handles are made and dropped while nothing is to be touched. */
static void prepare(void) {
  touching = 0;
  MPI_Comm_set_attr(mine, comm_key, 0);
  MPI_Attr_put(mine, old_key, 0);
}
static void begin_general(void) {
  touching = greeting = 0;
  MPI_Grequest_start(query_request, free_request, cancel_request, 0, &general);
}
static void greet(void) {
  if (!greeting)
    MPI_Grequest_complete(general);
  greeting = 1;
}
static void end_general(void) {
  touching = 0;
  if (general == MPI_REQUEST_NULL)
    return;
  greet();
  MPI_Wait(&general, MPI_STATUS_IGNORE);
}
APART void watch(word* in, int count_in, word* out, int count_out) {
  reads = in, reads_count = count_in, writes = out, writes_count = count_out;
  seen = 0;
  touching = 1;
}
APART MPI_Datatype absolute(void* at, int count) {
  MPI_Datatype made, kind[1] = {WORD};
  MPI_Aint where[1];
  int length[1];
  length[0] = count;
  MPI_Get_address(at, where);
  MPI_Type_create_struct(1, length, where, kind, &made);
  MPI_Type_commit(&made);
  return made;
}
/* `count` words that end where the pointer is. */
APART MPI_Datatype below(int count) {
  MPI_Datatype made;
  MPI_Aint where[1];
  int length[1];
  length[0] = count, where[0] = -(MPI_Aint)(count * sizeof(word));
  MPI_Type_create_hindexed(1, length, where, WORD, &made);
  MPI_Type_commit(&made);
  return made;
}
APART MPI_Datatype backwards(int count) {
  MPI_Datatype made;
  MPI_Type_vector(count, 1, -1, WORD, &made);
  MPI_Type_commit(&made);
  return made;
}
APART void touch_list(int count, ...) {
  va_list list;
  va_start(list, count);
  word* in = va_arg(list, word*);
  int many = va_arg(list, int);
  seen = 1;
  for (int i = 0; i < many; i++)
    seen = seen * 31 + in[i];
  word* out = va_arg(list, word*);
  many = va_arg(list, int);
  for (int i = 0; i < many; i++)
    out[i] = (word)i * 3 + 1;
  va_end(list);
}
/* Lets the other rank get into its wait, or its buffer into use, before the message comes. */
APART void lag(int is_late) {
  if (is_late)
    usleep(60);
}
APART word mixed(const word* at, int count) {
  word sum = 7;
  for (int i = 0; i < count; i++)
    sum = sum * 33 + at[i];
  return sum;
}
APART void answer(word value) {
  char line[64];
  const int length = snprintf(line, sizeof line, "%lu\\n", value);
  if (write(tell, line, (size_t)length) != length)
    abort();
}
APART void file_name(int program, int turn, int step) {
  snprintf(text, 0, " ");
  snprintf(folder + strlen(folder) - 12, 13, "%04d%04d%04d", program, turn, step);
}
__attribute__((noinline)) static word number(const char* line) {
  return strtoul(line, 0, 10);
}
static void start(int program, int me) {
  for (int i = 0; i < 4 * largest; i++)
    memory[i] = (word)(program * 7919 + me * 104729 + i) * 2654435761ul;
  for (int i = 0; i < largest + 64; i++)
    inbox[i] = memory[i] ^ 5, outbox[i] = memory[i] ^ 9, packed[i] = memory[i] ^ 11;
  for (int i = 0; i < 2 * largest; i++)
    others[i] = memory[i] ^ 77;
  for (int i = 0; i < 512; i++)
    apart[i] = (word)i;
}
static word sums[2], called; /* wrappers count how often */
static void finish(int program, int me, word sum) {
  sum = sum * 31 + called;
  sum = sum * 31 + mixed(memory, 4 * largest);
  sum = sum * 31 + mixed(inbox, largest + 64);
  sum = sum * 31 + mixed(outbox, largest + 64);
  sum = sum * 31 + mixed(packed, largest + 64);
  sum = sum * 31 + mixed(others, 2 * largest);
  sum = sum * 31 + mixed(apart, 512);
  MPI_Gather(&sum, 1, WORD, sums, 1, WORD, 0, MPI_COMM_WORLD);
  for (int rank = 0; me == 0 && rank < 2; rank++)
    printf("routine %d rank %d: %lx\\n", program, rank, sums[rank]);
}
"""
ERROR_HANDLER = """APART void handle_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  touch();
}
"""
TYPE_KEY = """APART int copy_of_type(MPI_Datatype type, int key, void* extra, void* in, void* out, int* flag) {
  (void)type, (void)key, (void)extra, (void)in, (void)out;
  touch();
  return *flag = 0;
}
APART int delete_of_type(MPI_Datatype type, int key, void* value, void* extra) {
  (void)type, (void)key, (void)value, (void)extra;
  touch();
  return MPI_SUCCESS;
}
static int type_key;
static MPI_Datatype keyed;
"""
CPLUSPLUS = """#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <thread>
#include <vector>
static std::vector<word> cells(largest), spare(largest);
static std::ifstream* stream_of_answers;
// A stream whose memory is somebody's buffer.
struct over : std::streambuf {
  over(word* at, int count) {
    char* begin = reinterpret_cast<char*>(at);
    setp(begin, begin + count * sizeof(word));
    setg(begin, begin, begin + count * sizeof(word));
  }
};
struct toucher {
  virtual void go() { touch(); }
  virtual ~toucher() {}
};
struct quiet : toucher {
  void go() override {}
};
static toucher loud_one;
static quiet quiet_one;
static toucher* volatile someone = &loud_one;
struct guard {
  ~guard() { touch(); }
};
APART void may_throw(int really) {
  if (really)
    throw std::runtime_error("as asked");
}
static std::function<void()> stored = [] { touch(); };
"""
# What the program puts in MPI's place: each is called as often as it is written, and may touch the message.
WRAPPERS = {
    "Send": """int MPI_Send(const void* at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
  MPI_Request sent;
  called++;
  if (count % 2 == 0)
    return PMPI_Send(at, count, type, peer, tag, comm);
  PMPI_Isend(at, count, type, peer, tag, comm, &sent);
  return PMPI_Wait(&sent, MPI_STATUS_IGNORE);
}
""",
    "Recv": """int MPI_Recv(void* at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status* status) {
  const int error = PMPI_Recv(at, count, type, peer, tag, comm, status);
  called += 1 + (type == WORD && count > 0 ? *(word*)at % 8 : 0);
  return error;
}
""",
    "Isend": """int MPI_Isend(const void* at, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* request) {
  called++;
  return PMPI_Isend(at, count, type, peer, tag, comm, request);
}
""",
    "Wait": """int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  int flag = 0, error = 0;
  called++;
  while (!flag && error == 0)
    error = PMPI_Test(request, &flag, status);
  return error;
}
""",
    "Waitall": """int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  called++;
  return PMPI_Waitall(count, requests, statuses);
}
""",
    "Sendrecv": """int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  called++;
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}
"""}
# A communicator of a session, where the library has them.
SESSION = """static MPI_Comm session_comm = MPI_COMM_NULL;
#if MPI_VERSION >= 4
static MPI_Session session;
APART void begin_session(void) {
  MPI_Group all;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Comm_create_from_group(all, "tacit.idioms", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session_comm);
  MPI_Group_free(&all);
}
APART void end_session(void) {
  MPI_Comm_free(&session_comm);
  MPI_Session_finalize(&session);
}
#else
APART void begin_session(void) {
  MPI_Comm_dup(MPI_COMM_WORLD, &session_comm);
}
APART void end_session(void) {
  MPI_Comm_free(&session_comm);
}
#endif
"""
# A file of MPI's that grows by a word at a time; both ranks know how long it has to be.
COMMON_FILE = """static MPI_File common;
static MPI_Offset grown;
APART void grow(word value) {
  MPI_File_write_at(common, grown - (MPI_Offset)sizeof value, &value, 1, WORD, MPI_STATUS_IGNORE);
}
"""
SHARED = """#include <semaphore.h>
#include <sys/mman.h>
static struct shared_page { sem_t heard; volatile word round; } *page;
"""


def ways(*languages):
    def mark(function):
        function.languages = languages or ("c", "c++")
        return function
    return mark


class Program:
    """A function, as lines."""

    def __init__(self, rng, number, language, has):
        self.rng, self.number, self.language, self.has = rng, number, language, has
        self.lines, self.depth, self.tag, self.step, self.names = [], 1, 0, 0, 0

    def emit(self, *texts):
        for text in texts:
            self.lines.append("  " * self.depth + text)

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    # --- buffers: two of different memory
    def buffers(self, count):
        """Where a message comes in and where one goes out from: expressions of type word*."""
        places = [f"inbox + {self.rng.choice([0, 0, 8])}", f"outbox + {self.rng.choice([0, 0, 16])}",
                  f"memory + {self.rng.choice([0, 512, 40])}", f"memory + {2 * LARGEST + self.rng.choice([0, 512])}", "a", "b",
                  "heap", f"heap + {LARGEST}"]
        if count <= 700:
            places += ["local", "local + 700"]
        if self.language == "c++":
            places += ["cells.data()", "&cells[0]"]
        memory_of = {"a": "memory + 0", "b": f"others + {LARGEST}"}
        while True:
            into, out = self.rng.sample(places, 2)
            where = [memory_of.get(one, one).replace("&cells[0]", "cells.data()") for one in (into, out)]
            parts = [(one.split(" + ")[0], int(one.split(" + ")[1]) if " + " in one else 0) for one in where]
            (first, low), (second, high) = parts
            if first != second or abs(low - high) >= count:
                return into, out

    def ring(self, into, out, count):
        comm = "session_comm" if "session" in self.has and self.rng.random() < 0.5 else "MPI_COMM_WORLD"
        return (f"({out}, {count}, WORD, right, {self.tag}, {comm}", f"({into}, {count}, WORD, left, {self.tag}, {comm}")

    # --- work
    def aside(self, chance=0.6):
        """Computing on memory that no message uses."""
        if self.rng.random() < chance:
            self.emit(f"for (int i = 0; i < {self.rng.choice([64, 300, 512])}; i++) apart[i] = apart[i] * 5 + x;")

    def lag(self):
        if self.rng.random() < 0.7:
            self.emit(f"lag((me + turn + {self.rng.randrange(2)}) % 2);")

    # --- posting and waiting
    def exchange(self, into, out, count):
        """Round the ring; both buffers are free again behind it."""
        rng = self.rng
        self.tag += 1
        send, receive = self.ring(into, out, count)
        status = rng.choice(["MPI_STATUS_IGNORE", "MPI_STATUS_IGNORE", "&status"])
        form = rng.randrange(9)
        if form == 0:
            self.emit(f"MPI_Irecv{receive}, &r[0]);", f"MPI_Send{send});")
            self.aside()
            self.emit(f"MPI_Wait(&r[0], {status});")
        elif form == 1:
            self.emit(f"MPI_Isend{send}, &r[1]);")
            self.aside(0.3)
            self.emit(f"MPI_Recv{receive}, {status});", f"MPI_Wait(&r[1], {status});")
        elif form == 2:
            self.emit(f"MPI_Sendrecv({out}, {count}, WORD, right, {self.tag}, {into}, {count}, WORD, left, {self.tag}, "
                      f"MPI_COMM_WORLD, {status});")
        elif form in (3, 4):
            posts = [f"MPI_Irecv{receive}, &r[0]);", f"MPI_Isend{send}, &r[1]);"]
            rng.shuffle(posts)
            self.emit(*posts)
            self.aside()
            waits = [f"MPI_Wait(&r[{k}], MPI_STATUS_IGNORE);" for k in (0, 1)]
            rng.shuffle(waits)
            self.emit(*(waits if form == 3 else ["MPI_Waitall(2, r, MPI_STATUSES_IGNORE);"]))
        elif form == 5:  # red and black
            self.emit(f"if (me % 2) {{ MPI_Send{send}); MPI_Recv{receive}, {status}); }}",
                      f"else {{ MPI_Recv{receive}, {status}); MPI_Send{send}); }}")
        elif form == 6:  # persistent
            self.emit(f"MPI_Recv_init{receive}, &r[2]);", f"MPI_Send_init{send}, &r[3]);", "MPI_Startall(2, r + 2);")
            self.aside()
            self.emit("MPI_Waitall(2, r + 2, MPI_STATUSES_IGNORE);", "MPI_Request_free(&r[2]);", "MPI_Request_free(&r[3]);")
        elif form == 7:  # by absolute addresses
            self.emit("{", f"  MPI_Datatype tin = absolute({into}, {count}), tout = absolute({out}, {count});",
                      f"  MPI_Irecv(MPI_BOTTOM, 1, tin, left, {self.tag}, MPI_COMM_WORLD, &r[0]);",
                      f"  MPI_{rng.choice(['Send(', 'Ssend('])}MPI_BOTTOM, 1, tout, right, {self.tag}, MPI_COMM_WORLD);",
                      f"  MPI_Wait(&r[0], {status});", "  MPI_Type_free(&tin), MPI_Type_free(&tout);", "}")
        else:  # from where the pointer is downwards
            kind, at = rng.choice([("below", count), ("backwards", count - 1)])
            self.emit("{", f"  MPI_Datatype down = {kind}({count});",
                      f"  MPI_Irecv({into} + {at}, 1, down, left, {self.tag}, MPI_COMM_WORLD, &r[0]);",
                      f"  MPI_Isend({out} + {at}, 1, down, right, {self.tag}, MPI_COMM_WORLD, &r[1]);",
                      "  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);", "  MPI_Type_free(&down);", "}")

    def step_of_exchange(self):
        rng = self.rng
        count = rng.choice([1, 17, 300, 700, 700, 3000]) if rng.random() < 0.93 else LARGEST
        into, out = self.buffers(count)
        way = rng.choice([one for one in TOUCHES if self.language in one.languages and
                          getattr(one, "needs", "") in ("", *self.has)])
        before, after, behind = way(self, into, out, count)
        self.emit("{")
        self.depth += 1
        self.lag()
        self.emit(*before)
        self.exchange(into, out, count)
        self.emit(*after)
        self.aside(0.8)
        self.emit(*behind)
        self.use(into, out, count)
        self.depth -= 1
        self.emit("}")

    def use(self, into, out, count):
        """In plain sight."""
        self.emit("x = x * 31 + seen;")
        form = self.rng.randrange(5)
        if form == 0:
            self.emit(f"x += mixed({into}, {count});")
        elif form == 1:
            self.emit(f"for (int i = 0; i < {count}; i++) ({out})[i] = ({into})[i] * 3 + x;")
        elif form == 2:
            self.emit(f"for (int i = 0; i < {count}; i++) ({out})[i] += (word)i;")
        elif form == 3:
            self.emit(f"({into})[{self.rng.randrange(count)}] ^= x;")

    # --- waiting outside MPI
    def step_of_waiting(self):
        rng = self.rng
        self.tag += 1
        self.step += 1
        count = rng.choice([1, 300, 700, 3000, LARGEST])
        into, out = self.buffers(count)
        way = rng.choice([one for one in WAITS if self.language in one.languages and getattr(one, "needs", "") in ("", *self.has)])
        before, ask, reply = way(self)
        asker = f"(me + turn) % 2 == {rng.randrange(2)}"
        self.emit(f"seen = 0; if ({asker}) {{")
        self.depth += 1
        self.emit(*before)
        self.emit(*rng.choice([[f"MPI_Send({out}, {count}, WORD, right, {self.tag}, MPI_COMM_WORLD);"],
                               [f"MPI_Isend({out}, {count}, WORD, right, {self.tag}, MPI_COMM_WORLD, &r[0]);",
                                "MPI_Wait(&r[0], MPI_STATUS_IGNORE);"],
                               [f"MPI_Send({out}, {count}, WORD, right, {self.tag}, MPI_COMM_WORLD);",
                                f"for (int i = 0; i < {count}; i++) ({out})[i] = (word)i * x;"]]))
        self.aside(0.7)
        self.emit(*ask)
        self.aside(0.3)
        self.depth -= 1
        self.emit("} else {")
        self.depth += 1
        self.emit(*before)
        self.emit("lag(1);")
        self.emit(*rng.choice([[f"MPI_Recv({into}, {count}, WORD, left, {self.tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"],
                               [f"MPI_Irecv({into}, {count}, WORD, left, {self.tag}, MPI_COMM_WORLD, &r[1]);",
                                "MPI_Wait(&r[1], MPI_STATUS_IGNORE);"]]))
        self.emit(*[line.replace("VALUE", rng.choice(["4711", f"mixed({into}, {count})", f"({into})[{count - 1}]"])) for line in reply])
        self.aside(0.5)
        self.depth -= 1
        self.emit("}")
        self.emit("x = x * 31 + seen;", "MPI_Barrier(MPI_COMM_WORLD);")
        if "remove" in getattr(way, "leaves", ""):  # as in step_of_telling
            self.emit(f"if (!({asker})) unlink(folder);")

    # --- input between the post and the wait, of what the other rank says before it sends
    def step_of_input_first(self):
        rng = self.rng
        self.tag += 1
        count = rng.choice([17, 700, 3000])
        into, out = self.buffers(count)
        self.emit(f"if ((me + turn) % 2 == {rng.randrange(2)}) {{",
                  f"  MPI_Irecv({into}, {count}, WORD, left, {self.tag}, MPI_COMM_WORLD, &r[0]);",
                  "  if (fgets(text, sizeof text, answers)) x += number(text);",
                  "  MPI_Wait(&r[0], MPI_STATUS_IGNORE);")
        self.depth += 1
        self.aside()
        self.use(into, out, count)
        self.depth -= 1
        self.emit("} else {", f"  answer({rng.choice(['x', '17'])});",
                  f"  MPI_{rng.choice(['Send', 'Ssend'])}({out}, {count}, WORD, right, {self.tag}, MPI_COMM_WORLD);",
                  f"  for (int i = 0; i < {count}; i++) ({out})[i] ^= x;", "}")

    # --- what a message says beside its data
    def step_of_telling(self):
        """That a file is there, and what it has; that a message which was sent before has been matched. Who makes a file removes it:
        the other rank might remove the next one of that name."""
        rng = self.rng
        self.tag += 2
        self.step += 1
        count = rng.choice([64, 700, 3000])
        into, out = self.buffers(count)
        forms = [self.by_its_name] * 2 + [self.by_named_message] * 2 + [self.by_size] * 3 * ("file" in self.has) + \
            [self.by_cancelling] * 3 * ("cancel" in self.has)
        before, ask, tell, after = rng.choice(forms)(into, out, count)
        send, receive = self.ring(into, out, count)
        asker = f"(me + turn) % 2 == {rng.randrange(2)}"
        self.emit("seen = 0;", *before, f"if ({asker}) {{")
        self.depth += 1
        first = ask[:-1]
        self.emit(*first)
        if rng.random() < 0.5:
            self.emit(f"MPI_Irecv{receive}, &r[0]);")
            self.aside(0.3)
            self.emit("MPI_Wait(&r[0], MPI_STATUS_IGNORE);")
        else:
            self.emit(f"MPI_Recv{receive}, MPI_STATUS_IGNORE);")
        self.aside(0.3)
        self.emit(ask[-1])
        self.aside(0.8)
        if "strcpy" not in tell[-1]:  # no folder is like another
            self.emit(f"x += mixed({into}, {count});")
        self.depth -= 1
        self.emit("} else {")
        self.depth += 1
        self.emit("lag(1);", *tell, f"MPI_Send{send});")
        self.aside(0.5)
        self.depth -= 1
        self.emit("}", "MPI_Barrier(MPI_COMM_WORLD);", *[line.replace("TELLER", f"!({asker})") for line in after],
                  "x = x * 31 + seen;")

    def by_its_name(self, into, out, count):
        ask = self.rng.choice(["seen = access(folder, R_OK) == 0;", "{ struct stat about; seen = stat(folder, &about) == 0; }",
                               '{ FILE* file = fopen(folder, "r"); seen = file != 0; if (file) fclose(file); }'])
        return [f"file_name({self.number}, turn, {self.step});"], [ask], ['fclose(fopen(folder, "w"));'], ["if (TELLER) unlink(folder);"]

    def by_named_message(self, into, out, count):
        """The message is the name."""
        ask = self.rng.choice([f"seen = access((char*)({into}), R_OK) == 0;",
                               f"{{ const int file = open((char*)({into}), O_RDONLY); seen = file >= 0; if (file >= 0) close(file); }}",
                               f'{{ FILE* file = fopen((char*)({into}), "r"); seen = file != 0; if (file) fclose(file); }}'])
        return [f"file_name({self.number}, turn, {self.step});"], [ask], \
            ['fclose(fopen(folder, "w"));', f"memset({out}, 0, sizeof folder); strcpy((char*)({out}), folder);"], \
            [f"memset({into}, 0, sizeof folder); memset({out}, 0, sizeof folder);", "if (TELLER) unlink(folder);"]

    def by_size(self, into, out, count):
        ask = self.rng.choice(["{ MPI_Offset size; MPI_File_get_size(common, &size); seen = (word)size; }",
                               "{ word last = 0; MPI_File_read_at(common, grown - 8, &last, 1, WORD, MPI_STATUS_IGNORE); seen = last; }"])
        return ["grown += 8;"], [ask], ["grow(17);"], []

    def by_cancelling(self, into, out, count):
        """The second message says that the synchronous send of the first has been matched."""
        one, flag = self.name("one"), self.name("flag")
        return [f"word {one} = x; int {flag} = 0;"], \
            [f"MPI_Irecv(&{one}, 1, WORD, left, {self.tag - 1}, MPI_COMM_WORLD, &r[4]);",
             f"MPI_Cancel(&r[4]); MPI_Wait(&r[4], &status); MPI_Test_cancelled(&status, &{flag}); seen = {one} * 2 + (word){flag};"], \
            [f"MPI_Ssend(&{one}, 1, WORD, right, {self.tag - 1}, MPI_COMM_WORLD);"], []

    # --- buffers that change places between the post and the wait
    def step_of_rotation(self):
        rng = self.rng
        self.tag += 1
        count = rng.choice([17, 300, 700, 3000])
        into, out = self.buffers(count)
        other = f"others + {rng.choice([0, 100])}" if "b" not in (into, out) else "packed"
        first, second, third = (self.name(stem) for stem in ("now", "next", "old"))
        self.emit("{")
        self.depth += 1
        self.emit(f"word *{first} = {into}, *{second} = {out}, *{third} = {other};")
        if self.language == "c" or rng.random() < 0.5:
            turn = f"word* t = {first}; {first} = {second}; {second} = {third}; {third} = t;"
        else:
            turn = f"std::swap({first}, {second}); std::swap({second}, {third});"
        rounds = rng.choice([1, 2, 3])
        self.emit(f"for (int k = 0; k < {rounds}; k++) {{")
        self.depth += 1
        send, receive = self.ring(first, second, count)
        self.emit(f"MPI_Irecv{receive}, &r[0]);", f"MPI_Isend{send}, &r[1]);", f"{{ {turn} }}")
        self.aside(0.4)
        self.emit(rng.choice(["MPI_Waitall(2, r, MPI_STATUSES_IGNORE);",
                              "MPI_Wait(&r[1], MPI_STATUS_IGNORE); MPI_Wait(&r[0], MPI_STATUS_IGNORE);"]))
        for pointer in rng.sample([first, second, third], 2):
            self.emit(f"for (int i = 0; i < {count}; i++) {pointer}[i] = {pointer}[i] * 3 + (word)k;")
        self.aside(0.4)
        self.depth -= 1
        self.emit("}")
        self.depth -= 1
        self.emit("}")

    def step_of_reallocation(self):
        """What the pointer pointed to is gone when the message is complete."""
        rng = self.rng
        self.tag += 1
        count = rng.choice([17, 300, 3000])
        one, two = self.name("one"), self.name("two")
        if self.language == "c" or rng.random() < 0.4:
            make = [f"word* {one} = (word*)malloc({count} * sizeof(word));", f"word* {two} = (word*)malloc({count} * sizeof(word));"]
            at = (one, two)
            again = [f"{one} = (word*)realloc({one}, {2 * count} * sizeof(word));",
                     f"free({two}); {two} = (word*)calloc({count}, sizeof(word));"]
            end = [f"free({one}), free({two});"]
        else:
            make = [f"std::vector<word> {one}({count}), {two}({count});"]
            at = (f"{one}.data()", f"{two}.data()")
            again = [f"{one}.swap(spare); {one}.swap(spare);", f"{two} = {one};", f"{one}.resize({2 * count});",
                     f"std::vector<word>({two}).swap({two});", f"{two}.assign({count}, 3);"]
            end = []
        self.emit("{")
        self.depth += 1
        self.emit(*make)
        self.emit(f"for (int i = 0; i < {count}; i++) {one}[i] = {two}[i] = (word)i + x;")
        self.lag()
        self.exchange(*at, count)
        self.emit(*rng.sample(again, rng.randrange(1, len(again) + 1)))
        self.aside()
        self.emit(f"x += mixed({at[0]}, {count}) + mixed({at[1]}, {count});")
        self.emit(*end)
        self.depth -= 1
        self.emit("}")

    def text(self):
        rng = self.rng
        steps = [self.step_of_exchange] * 6 + [self.step_of_waiting] * 3 + [self.step_of_rotation] + [self.step_of_reallocation] + \
            [self.step_of_input_first] + [self.step_of_telling] * 2
        for _ in range(rng.randrange(1, 4)):
            around = rng.random()
            if around < 0.15:
                self.emit("for (int s = 0; s < 2; s++) {")
            elif around < 0.3:
                self.emit(rng.choice(["if (turn % 2) {", "if (x % 16 != 77) {"]))
            self.depth += around < 0.3
            rng.choice(steps)()
            self.depth -= around < 0.3
            if around < 0.3:
                self.emit("}")
        head = [f"{rng.choice(['APART', '__attribute__((noinline))'])} word program_{self.number}"
                "(int me, int turn, word* a, word* b, word* heap) {",
                "  const int left = 1 - me, right = left;", "  word local[1400], x = (word)turn;",
                "  MPI_Request r[8];", "  MPI_Status status;", "  memset(&status, 0, sizeof status);",
                "  for (int i = 0; i < 1400; i++) local[i] = (word)(i * me);",
                "  (void)status, (void)r, (void)a, (void)b, (void)heap, (void)right;"]
        return "\n".join([*head, *self.lines, "  return x * 31 + mixed(local, 1400);", "}"]) + "\n"


# --- hidden ways to the buffers: lines in front of the messages, behind them, and when all is done ---
def shown(rng, into, out, count):
    """What functions of the user are to read and to write: never the same words."""
    half = max(count // 2, 1)
    return rng.choice([f"watch({into}, {count}, {out}, {count});", f"watch({into}, {count}, {out}, 0);",
                       f"watch({into}, 0, {out}, {count});", f"watch({into}, {half}, {into} + {half}, {count - half});"])


@ways()
def attributes(program, into, out, count):
    rng, copy = program.rng, program.name("copy")
    call = rng.choice(["MPI_Comm_delete_attr(mine, comm_key);", "MPI_Comm_set_attr(mine, comm_key, 0);", "MPI_Attr_put(mine, old_key, 0);",
                       "MPI_Attr_delete(mine, old_key);",
                       f"MPI_Comm {copy}; MPI_Comm_dup(mine, &{copy}); touching = 0; MPI_Comm_free(&{copy});",
                       "MPI_Comm_free(&mine); touching = 0; MPI_Comm_dup(MPI_COMM_SELF, &mine);"])
    return ["prepare();", shown(rng, into, out, count)], [call], ["touching = 0;"]


@ways()
def general_requests(program, into, out, count):
    rng = program.rng
    call = rng.choice(["greet(); MPI_Wait(&general, MPI_STATUS_IGNORE);",
                       "greet(); { int flag; MPI_Test(&general, &flag, MPI_STATUS_IGNORE); }",
                       "greet(); MPI_Request_free(&general);", "MPI_Cancel(&general);",
                       "greet(); { int flag; MPI_Request_get_status(general, &flag, MPI_STATUS_IGNORE); }",
                       "greet(); r[5] = general, general = MPI_REQUEST_NULL, r[6] = MPI_REQUEST_NULL; "
                       "MPI_Waitall(2, r + 5, MPI_STATUSES_IGNORE);",
                       "greet(); { int which; r[5] = general, general = MPI_REQUEST_NULL; "
                       "MPI_Waitany(1, r + 5, &which, MPI_STATUS_IGNORE); }"])
    return ["begin_general();", shown(rng, into, out, count)], [call], ["end_general();"]


@ways()
def operators(program, into, out, count):
    rng, y, z = program.rng, program.name("y"), program.name("z")
    call = rng.choice([f"MPI_Reduce_local(&{y}, &{z}, 1, MPI_INT, op);"] * 2 +
                      [f"MPI_Allreduce(&{y}, &{z}, 1, MPI_INT, op, MPI_COMM_WORLD);"])
    return [shown(rng, into, out, count)], [f"int {y} = 3, {z} = 4;", call, f"x += (word){z};"], ["touching = 0;"]


@ways()
def later_operators(program, into, out, count):
    y, z = program.name("y"), program.name("z")
    return [f"int {y} = 3, {z} = 4;", shown(program.rng, into, out, count)], \
        [f"MPI_Iallreduce(&{y}, &{z}, 1, MPI_INT, op, MPI_COMM_WORLD, &r[4]);", "MPI_Wait(&r[4], MPI_STATUS_IGNORE);"], ["touching = 0;"]


later_operators.needs = "later"


@ways()
def error_handlers(program, into, out, count):
    return [shown(program.rng, into, out, count)], ["MPI_Comm_call_errhandler(handled, MPI_ERR_OTHER);"], ["touching = 0;"]


error_handlers.needs = "handler"


@ways()
def keys_of_types(program, into, out, count):
    rng, copy = program.rng, program.name("copy")
    call = rng.choice(["MPI_Type_free(&keyed);", "MPI_Type_set_attr(keyed, type_key, 0);", "MPI_Type_delete_attr(keyed, type_key);",
                       f"MPI_Datatype {copy}; MPI_Type_dup(keyed, &{copy}); touching = 0; MPI_Type_free(&{copy});"])
    return ["touching = 0;", "MPI_Type_contiguous(3, MPI_INT, &keyed);", "MPI_Type_set_attr(keyed, type_key, 0);",
            shown(rng, into, out, count)], [call], ["touching = 0;", "if (keyed != MPI_DATATYPE_NULL) MPI_Type_free(&keyed);"]


keys_of_types.needs = "type"


@ways()
def library_calls_back(program, into, out, count):
    rng, few, thread = program.rng, program.name("few"), program.name("thread")
    call = rng.choice([f"int {few}[4] = {{4, 2, 3, 1}}; qsort({few}, 4, sizeof(int), compare); x += (word){few}[0];",
                       f"int {few}[4] = {{1, 2, 3, 4}}; x += bsearch(&{few}[2], {few}, 4, sizeof(int), compare) != 0;",
                       "raise(SIGUSR1);", "by_pointer();",
                       f"pthread_t {thread}; pthread_create(&{thread}, 0, in_thread, 0); pthread_join({thread}, 0);"])
    return [shown(rng, into, out, count)], [call], ["touching = 0;"]


@ways()
def argument_lists(program, into, out, count):
    return ["seen = 0;"], [f"touch_list(2, {into}, {count}, {out}, {program.rng.choice([0, count])});"], []


@ways()
def streams_written(program, into, out, count):
    """The memory of the stream is what was sent."""
    rng, stream = program.rng, program.name("stream")
    size = f"{count} * sizeof(word)"
    call = rng.choice([f'fputs("this lies in the message then", {stream});', f'fprintf({stream}, "%lu and more", x);',
                       f"fwrite(apart, sizeof(word), {min(count, 64)}, {stream});", f"putc('x', {stream});"])
    if rng.random() < 0.6:
        return [f'FILE* {stream} = fmemopen({out}, {size}, "r+");', "seen = 0;"] + \
            ([f"setvbuf({stream}, 0, _IONBF, 0);"] if rng.random() < 0.5 else []), \
            [call] + ([f"fflush({stream});"] if rng.random() < 0.5 else []), [f"fclose({stream});"]
    return [f'FILE* {stream} = fopen("/dev/null", "w");', f"setvbuf({stream}, (char*)({out}), _IOFBF, {size});", "seen = 0;"], [call], \
        [f"fclose({stream});", f"for (int i = 0; i < {count}; i++) ({out})[i] = (word)i ^ x;"]


@ways()
def streams_read(program, into, out, count):
    """The memory of the stream is what was received. (Its length is that of the text in it when it is opened.)"""
    rng, stream, got = program.rng, program.name("stream"), program.name("got")
    call = rng.choice([f"{got} = fread(packed, 1, {count} * sizeof(word), {stream});", f"{got} = (size_t)getc({stream});",
                       f"{got} = (size_t)fscanf({stream}, \"%*5c\"); {got} = (size_t)getc({stream});"])
    return [f"memset({into}, 85, {count} * sizeof(word));", f'FILE* {stream} = fmemopen({into}, {count} * sizeof(word), "r");',
            f"size_t {got} = 0;", f"setvbuf({stream}, 0, _IONBF, 0);", "seen = 0;"], [call], [f"fclose({stream});", f"seen = {got};"]


@ways()
def displacements(program, into, out, count):
    """A call on one rank that writes what was sent, or reads what was received, from behind it."""
    rng = program.rng
    at, back, type_ = program.name("at"), program.name("back"), program.name("type")
    calls = [f"MPI_Gatherv(packed, {count}, WORD, {out} + {count}, {at}, {back}, WORD, 0, MPI_COMM_SELF);",
             f"ALLGATHERV(packed, {count}, WORD, {out} + {count}, {at}, {back}, WORD);",
             f"MPI_Scatterv({into} + {count}, {at}, {back}, WORD, packed, {count}, WORD, 0, MPI_COMM_SELF);",
             f"MPI_Alltoallv(packed, {at}, {back} + 1, WORD, {out} + {count}, {at}, {back}, WORD, MPI_COMM_SELF);",
             f"MPI_Alltoallv({into} + {count}, {at}, {back}, WORD, packed, {at}, {back} + 1, WORD, MPI_COMM_SELF);"]
    types = [f"MPI_Sendrecv({into} + {count}, 1, {type_}, 0, 1, packed, {count}, WORD, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);",
             f"MPI_Sendrecv(packed, {count}, WORD, 0, 1, {out} + {count}, 1, {type_}, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);",
             f"{{ int position = 0; MPI_Pack({into} + {count}, 1, {type_}, packed, sizeof packed, &position, MPI_COMM_SELF); }}",
             f"{{ int position = 0; MPI_Unpack(packed, sizeof packed, &position, {out} + {count}, 1, {type_}, MPI_COMM_SELF); }}"]
    if rng.random() < 0.5:
        return [f"const int {at}[1] = {{{count}}}, {back}[2] = {{-{count}, 0}};", "seen = 0;"], [rng.choice(calls)], []
    return [f"MPI_Datatype {type_} = below({count});", "seen = 0;"], [rng.choice(types)], [f"MPI_Type_free(&{type_});"]


@ways()
def addresses(program, into, out, count):
    rng, tin, tout, base = program.rng, program.name("tin"), program.name("tout"), program.name("base")
    bottom = rng.choice(["MPI_BOTTOM", base])
    calls = [f"MPI_Sendrecv({bottom}, 1, {tin}, 0, 1, packed, {count}, WORD, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);",
             f"MPI_Sendrecv(packed, {count}, WORD, 0, 1, {bottom}, 1, {tout}, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);",
             f"PACK({bottom}, {tin}, {count});", f"UNPACK({bottom}, {tout}, {count});"]
    return [f"MPI_Datatype {tin} = absolute({into}, {count}), {tout} = absolute({out}, {count});",
            f"void* {base} = x == 99 ? (void*)packed : MPI_BOTTOM;", f"(void){base};", "seen = 0;"], \
        [rng.choice(calls)], [f"MPI_Type_free(&{tin}), MPI_Type_free(&{tout});"]


@ways()
def system_calls(program, into, out, count):
    rng, file, bytes_ = program.rng, program.name("file"), min(count, 500) * 8
    if rng.random() < 0.5:
        return ["seen = 0;"], [f"if (write(local_pipe[1], {into}, {bytes_}) != {bytes_}) abort();"], \
            [f"if (read(local_pipe[0], packed, {bytes_}) != {bytes_}) abort();"]
    how = rng.choice([f"read(local_pipe[0], {out}, {bytes_})", f"readv(local_pipe[0], &{file}, 1)"])
    return [f"struct iovec {file} = {{{out}, {bytes_}}}; (void){file};", "seen = 0;",
            f"if (write(local_pipe[1], apart, {bytes_}) != {bytes_}) abort();"], [f"if ({how} != {bytes_}) abort();"], []


@ways("c++")
def streams_over(program, into, out, count):
    rng, buffer = program.rng, program.name("over")
    if rng.random() < 0.5:
        return [f"over {buffer}({out}, {count});", "seen = 0;"], [f"{{ std::ostream to(&{buffer}); to << x << ' ' << turn; }}"], []
    return [f"over {buffer}({into}, {count});", "seen = 0;"], \
        [f"{{ std::istream from(&{buffer}); char c = 0; from.get(c); seen = (word)c; from.read((char*)packed, {count * 4}); }}"], []


@ways("c++")
def language_calls_back(program, into, out, count):
    rng = program.rng
    call = rng.choice(["someone->go();", "stored();", "{ guard one; x += 3; }", "{ std::thread one([] { touch(); }); one.join(); }",
                       "try { guard one; may_throw(turn % 2); } catch (const std::exception& one) { x += one.what()[0]; }",
                       "{ std::vector<int> few{3, 1, 2}; std::sort(few.begin(), few.end(), [](int a, int b) { touch(); "
                       "return a < b; }); }"])
    return [shown(rng, into, out, count)], [call], ["touching = 0;"]


@ways("c++")
def algorithms(program, into, out, count):
    call = program.rng.choice([f"std::fill({out}, {out} + {count}, x);", f"std::iota({out}, {out} + {count}, x);",
                               f"x += std::accumulate({into}, {into} + {count}, word(1));", f"std::reverse({into}, {into} + {count});",
                               f"std::copy({into}, {into} + {count}, packed);", f"std::swap_ranges({into}, {into} + {count}, packed);",
                               f"{{ std::string said({min(count, 300)}, 'y'); std::copy(said.begin(), said.end(), (char*)({out})); }}"])
    return ["seen = 0;"], [call], []


TOUCHES = [attributes, attributes, general_requests, general_requests, operators, operators, later_operators, error_handlers, keys_of_types,
           library_calls_back, library_calls_back, argument_lists, streams_written, streams_written, streams_read, displacements,
           displacements, addresses, addresses, system_calls, streams_over, language_calls_back, language_calls_back, algorithms]


# --- waiting outside MPI: lines before, how one rank waits, how the other answers ---
@ways()
def by_stream(program):
    ask = program.rng.choice(["if (fgets(text, sizeof text, answers)) seen = number(text);",
                              'if (fscanf(answers, "%lu%*c", &seen) != 1) abort();',
                              "{ char* line = 0; size_t length = 0; if (getline(&line, &length, answers) > 0) seen = number(line); "
                              "free(line); }",
                              "for (int c; (c = getc(answers)) != '\\n';) seen = seen * 10 + (word)(c - '0');"])
    return [], [ask], ["answer(VALUE);"]


@ways()
def by_system_call(program):
    ready = program.rng.choice(["", "{ struct pollfd one = {hear, POLLIN, 0}; poll(&one, 1, -1); }",
                                "{ fd_set set; FD_ZERO(&set); FD_SET(hear, &set); select(hear + 1, &set, 0, 0, 0); }"])
    ask = ["memset(text, 0, sizeof text);", ready, "if (read(hear, text, sizeof text - 1) > 0) seen = number(text);"]
    return [], ask, ["answer(VALUE);"]


@ways()
def by_file(program):
    name = f"file_name({program.number}, turn, {program.step});"
    ask = program.rng.choice(["{ struct stat about; while (stat(folder, &about) != 0) sched_yield(); }",
                              "while (access(folder, R_OK) != 0) usleep(20);",
                              '{ FILE* file; while (!(file = fopen(folder, "r"))) sched_yield(); fclose(file); }'])
    return [name], [ask], ['fclose(fopen(folder, "w"));']


by_file.leaves = "remove"


@ways("c++")
def by_filesystem(program):
    name = f"file_name({program.number}, turn, {program.step});"
    ask = program.rng.choice(["while (!std::filesystem::exists(folder)) ;",
                              "{ std::error_code no; while (std::filesystem::file_size(folder, no) == std::uintmax_t(-1)) sched_yield(); }",
                              "{ std::error_code no; while (!std::filesystem::is_regular_file(folder, no)) ; }",
                              "while (!std::ifstream(folder)) sched_yield();"])
    return [name], [ask], ["std::ofstream(folder) << VALUE;"]


by_filesystem.leaves = "remove"


@ways("c++")
def by_iostream(program):
    ask = program.rng.choice(["*stream_of_answers >> seen; stream_of_answers->get();",
                              "{ std::string line; std::getline(*stream_of_answers, line); seen = number(line.c_str()); }",
                              "{ std::string line; std::thread one([&] { std::getline(*stream_of_answers, line); }); one.join(); "
                              "seen = number(line.c_str()); }"])
    return [], [ask], ["answer(VALUE);"]


@ways()
def by_shared_memory(program):
    ask = program.rng.choice(["sem_wait(&page->heard);", "while (page->round != at) ;", "while (page->round != at && MPI_Wtime() < 1e30) ;",
                              "while (page->round != at) sched_yield();"])
    posts = "sem_post(&page->heard);" if "sem" in ask else "page->round = at;"
    return [f"const word at = {program.number} * 1000 + (word)turn * 100 + {program.step}; (void)at;"], [ask], [posts]


by_shared_memory.needs = "shared"


@ways()
def by_callback(program):
    """A function of the user that MPI runs waits."""
    call = program.rng.choice(["MPI_Comm_delete_attr(mine, comm_key);", "MPI_Comm_set_attr(mine, comm_key, 0);",
                               "MPI_Attr_delete(mine, old_key);",
                               "greet(); MPI_Wait(&general, MPI_STATUS_IGNORE);",
                               "greet(); { int flag; MPI_Test(&general, &flag, MPI_STATUS_IGNORE); }",
                               "{ int one = 3, other = 4; MPI_Reduce_local(&one, &other, 1, MPI_INT, op); x += (word)other; }"])
    if "general" in call:
        return ["begin_general();"], ["hearing = 1;", call, "end_general();"], ["answer(VALUE);", "end_general();"]
    return ["prepare();"], ["hearing = 1;", call], ["answer(VALUE);"]


@ways()
def by_growing_file(program):
    ask = "{ MPI_Offset size = 0; while (size != grown) MPI_File_get_size(common, &size); seen = (word)size; }"
    return ["grown += 8;"], [ask], ["grow(VALUE);"]


by_growing_file.needs = "file"
WAITS = [by_stream, by_stream, by_system_call, by_file, by_filesystem, by_iostream, by_shared_memory, by_callback, by_callback,
         by_growing_file, by_growing_file]


def beginning(has, language):
    """Of main: the folder, the pipes, the handles."""
    lines = ["int main(int argc, char** argv) {", "  int me, level;",
             "  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);", "  MPI_Comm_rank(MPI_COMM_WORLD, &me);",
             "  char name[2][440];",
             '  snprintf(folder, 200, "%s/tacit_XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");',
             "  if (me == 0 && !mkdtemp(folder)) MPI_Abort(MPI_COMM_WORLD, 2);",
             "  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);",
             "  for (int i = 0; i < 2; i++) {", '    snprintf(name[i], sizeof name[i], "%s/pipe%d", folder, i);',
             "    if (me == 0 && mkfifo(name[i], 0600) != 0) MPI_Abort(MPI_COMM_WORLD, 2);", "  }",
             "  MPI_Barrier(MPI_COMM_WORLD);", "  hear = open(name[me], O_RDWR), tell = open(name[1 - me], O_RDWR);",
             '  answers = fdopen(dup(hear), "r");']
    if language == "c++":
        lines.append("  stream_of_answers = new std::ifstream(name[me]);")
    lines += ["  if (pipe(local_pipe) != 0) MPI_Abort(MPI_COMM_WORLD, 2);", '  strcat(folder, "/file000000000000");',
              "  signal(SIGUSR1, on_signal);", "  MPI_Comm_dup(MPI_COMM_SELF, &mine);",
              "  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &comm_key, 0);",
              "  MPI_Keyval_create(copy_attribute, delete_attribute, &old_key, 0);", "  MPI_Op_create(operate, 1, &op);"]
    if "handler" in has:
        lines += ["  MPI_Errhandler handler;", "  MPI_Comm_dup(MPI_COMM_SELF, &handled);",
                  "  MPI_Comm_create_errhandler(handle_error, &handler);", "  MPI_Comm_set_errhandler(handled, handler);"]
    if "type" in has:
        lines.append("  MPI_Type_create_keyval(copy_of_type, delete_of_type, &type_key, 0);")
    if "shared" in has:
        lines += ['  folder[strlen(folder) - 1] = \'p\';', "  const int file = open(folder, O_CREAT | O_RDWR, 0600);",
                  "  if (ftruncate(file, 4096) != 0) MPI_Abort(MPI_COMM_WORLD, 2);",
                  "  page = (struct shared_page*)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);",
                  "  if (me == 0) sem_init(&page->heard, 1, 0);", "  MPI_Barrier(MPI_COMM_WORLD);", "  if (me == 0) unlink(folder);"]
    if "file" in has:
        lines += ["  folder[strlen(folder) - 1] = 'f';",
                  "  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;",
                  "  MPI_File_open(MPI_COMM_WORLD, folder, mode, MPI_INFO_NULL, &common);",
                  "  MPI_File_set_atomicity(common, 1);"]
    if "session" in has:
        lines.append("  begin_session();")
    return [*lines, "  MPI_Barrier(MPI_COMM_WORLD);", f"  word* heap = (word*)malloc({2 * LARGEST} * sizeof *heap);"]


ENDING = ["  free(heap);", "  touching = 0;", "  MPI_Comm_free(&mine);", "  MPI_Barrier(MPI_COMM_WORLD);",
          "  if (me == 0) {", "    unlink(name[0]), unlink(name[1]);", "    name[0][strlen(name[0]) - 6] = 0;",
                           "    rmdir(name[0]);", "  }",
          "  MPI_Finalize();", '  if (me == 0) puts("ok");', "  return 0;", "}"]


def make(seed, count, language="c"):
    rng = random.Random(f"idioms/{seed}")
    has = {one for one, share in (("handler", 0.06), ("type", 0.06), ("later", 0.06), ("shared", 0.08)) if rng.random() < share}
    more = random.Random(f"idioms/{seed}/more")
    has |= {one for one, share in (("cancel", 0.2), ("file", 0.2), ("session", 0.15)) if more.random() < share}
    wrapped = more.sample(sorted(WRAPPERS), more.randrange(1, 4)) if more.random() < 0.15 else []
    made = [Program(random.Random(f"idioms/{seed}/{k}"), k, language, has) for k in range(count)]
    text = [HEAD]
    text += [CPLUSPLUS] if language == "c++" else []
    text += [ERROR_HANDLER, "static MPI_Comm handled;"] if "handler" in has else []
    text += [TYPE_KEY] if "type" in has else []
    text += [SHARED] if "shared" in has else []
    text += [COMMON_FILE] if "file" in has else []
    text += [SESSION] if "session" in has else []
    text += [WRAPPERS[name] for name in wrapped]
    text += [program.text() for program in made]
    text.append("static word (*const programs[])(int, int, word*, word*, word*) = {"
                + ", ".join(f"program_{k}" for k in range(count)) + "};")
    text += beginning(has, language)
    text += [f"  for (int k = 0; k < {count}; k++) {{", "    word sum = 0;", "    start(k, me);",
             f"    for (int i = 0; i < {2 * LARGEST}; i++) heap[i] = (word)i;",
             "    for (int turn = 0; turn < 2; turn++)", f"      sum = sum * 31 + programs[k](me, turn, memory, others + {LARGEST}, heap);",
             f"    finish(k, me, sum * 31 + mixed(heap, {2 * LARGEST}));", "  }"]
    text += ["  MPI_File_close(&common);"] * ("file" in has) + ["  end_session();"] * ("session" in has)
    return "\n".join([*text, *ENDING]) + "\n"


def main():
    print(make(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]), end="")


if __name__ == "__main__":
    main()
