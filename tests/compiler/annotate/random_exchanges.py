"""Random functions with an MPI_Alltoall behind the loop that computes its data, and with locks around loads and stores.

Loops store forwards, backwards, again and again, across the ends of blocks, with memcpy, by way of pointers, under conditions; what
the transformation cannot follow, it must leave alone, and what leaves too early would be seen by the process that gets it.
"""


class exchanges:
    """One function: a few exchanges over the same buffers."""

    def __init__(self, number, choose, lie, cxx):
        self.number, self.choose, self.lie, self.cxx = number, choose, lie, cxx

    def place(self, counters):
        """Bytes of a store as a sum; most often within a block, now and then not."""
        choose = self.choose
        form = choose.randrange(8)
        if form < 4:
            return f"p * block + {counters[0]} * width + {counters[1]}"
        if form == 4:
            return f"p * block + (n - 1 - {counters[0]}) * width + {counters[1]}"
        if form == 5:
            return f"{counters[0]} * width + p * block + {choose.choice(['0', 'width - 1', 'n - 1'])}"
        if form == 6:
            return f"(p * n + {counters[0]}) * width + {counters[1]} * 1"
        return f"({counters[0]} + p) % size * block + {counters[1]}"

    def store(self, place):
        choose = self.choose
        value = choose.choice(["value_at(i, p, round)", "x + i", "i * 0.5 - p", "send[0] + 1", f"send[{place}] + 0.25"])
        return choose.choice([
            [f"send[{place}] = {value};"],
            [f"send[{place}] += {value};"],
            ["if ((i + p) % 3)", f"  send[{place}] = {value};"],
            [f"*(send + {place}) = {value};"],
            ["{", f"  double* const cell = send + {place};", f"  *cell = {value};", "}"],
            ["{", f"  double* cell = &send[{place}];", "  cell[0] = x;", f"  cell[0] += {value};", "}"],
            [f"STORE(send, {place}, {value});"] if choose.random() < 0.3 else [f"(send)[({place})] = ({value});"],
        ])

    def others(self):
        choose = self.choose
        made = ["x += i * 0.125;", "row[i % width] += x;", "if (i == 3)\n  continue;", "if (i > 5 && rank == 0)\n  break;",
                "x += sum_of(row, 3);", "if (i == 100)\n  return;", "{ int block = i; x += block; }",
                "#pragma mpi indep MPI_Alltoall(comm[1], c)\nx += unseen(x);"]
        if self.cxx:
            made += ["for (double& r : row)\n  r *= 0.5;", "x += [](double v) { return v * 0.5; }(x);", "x += half<double>(x);",
                     "{\n  double& cell = send[i];\n  cell += 1;\n}", "try {\n  x += may_throw(i);\n} catch (int e) {\n  x += e;\n}"]
        return choose.choice(made).split("\n")

    def loop(self):
        choose = self.choose
        counters = ("i", "j")
        inner = choose.choice([
            ["for (int p = 0; p < size; ++p)", "  for (int j = 0; j < width; ++j) {", *self.store(self.place(counters)), "  }"],
            ["for (int j = 0; j < width; ++j)", "  for (int p = 0; p < size; p++) {", *self.store(self.place(counters)),
             *self.store(self.place(counters)), "  }"],
            ["for (int p = 0; p < size; ++p)", "  memcpy(send + p * block + i * width, row + p % 2, width * sizeof(double));"],
            ["for (int p = 0; p < size; ++p) {", "  double* const start = send + p * block + i * width;",
             "  for (int j = 0; j < width; ++j)", "    start[j] = x + j * i;", "}"],
            ["for (int p = size - 1; p >= 0; --p) {", "  const int j = 0;", *self.store(self.place(counters)), "}"],
        ])
        head = choose.choice(["for (int i = 0; i < n; ++i) {", "for (int i = 0; i <= n - 1; i++) {", "for (int i = 0; i < n; i += 2) {",
                              "for (int i = rank % 2; i < n; ++i) {", "for (int i = 0; i < (rank == 1 ? n / 2 : n); ++i) {",
                              "for (int i = 0; i < mine; ++i) {", "for (int i = n - 1; i >= 0; --i) {",
                              "for (unsigned i = 0; i < n; ++i) {"])
        body = [*(self.others() if choose.random() < 0.4 else []), *inner, *(self.others() if choose.random() < 0.3 else [])]
        return [head, *("  " + line if not line.startswith("#") else line for line in body), "}"]

    def exchange(self):
        choose = self.choose
        form = choose.randrange(10)
        call = "MPI_Alltoall(send, block, MPI_DOUBLE, got, block, MPI_DOUBLE, c);"
        if form == 0:
            call = "MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, send, block, MPI_DOUBLE, c);"
        elif form == 1:
            call = "MPI_Alltoall(send, 0, MPI_DOUBLE, got, 0, MPI_DOUBLE, c);"
        elif form == 2:
            call = "MPI_Alltoall(send, 1, block_type, got, 1, block_type, c);"
        elif form == 3:
            call = "if (MPI_Alltoall(send, block, MPI_DOUBLE, got, block, MPI_DOUBLE, c))\n  x += 1;"
        between = ["send[1] += 1;"] if choose.random() < 0.05 else []
        check = choose.choice(["checksum += sum_of(got, size * block);",
            "for (int k = 0; k < size * block; ++k)\n  x += got[k] * (k % 5);"])
        if choose.random() < 0.3:
            return ["#pragma mpi overlap MPI_Alltoall(c)", *self.loop(), *between, *call.split("\n"), *check.split("\n")]
        return ["#pragma mpi overlap MPI_Alltoall(c)", "{", *self.loop(), *between, *call.split("\n"), "}", *check.split("\n")]

    def function(self):
        choose = self.choose
        width, n = choose.choice([1, 2, 5, 16]), choose.choice([1, 2, 6, 40])
        place = choose.choice(["double send[4 * 40 * 16 + 64];", "double* send = (double*)malloc((4 * 40 * 16 + 64) * sizeof(double));"])
        if not self.cxx and choose.random() < 0.2:
            place = "double send[size * block + 64];"
        freed = "free(send);" if "malloc" in place else ""
        lines = [f"static void function_{self.number}(void) {{", f"  const int width = {width}, n = {n}, mine = rank == 0 ? n : n / 3;",
                 "  const int block = width * n;", "  double x = rank, row[20];", f"  {place}",
                 "  double* got = (double*)malloc((4 * 40 * 16 + 64) * sizeof(double));", "  MPI_Comm c = comm[1];",
                 "  MPI_Datatype block_type;", "  MPI_Type_contiguous(block, MPI_DOUBLE, &block_type);", "  MPI_Type_commit(&block_type);",
                 "  fill(row, 20, 1);", "  fill(send, size * block + 64, 2);", "  fill(got, size * block + 64, 3);",
                 f"  for (int round = 0; round < {choose.choice([1, 3, 12])}; ++round) {{"]
        for _ in range(choose.randrange(1, 3)):
            lines += [line if line.startswith("#") else "    " + line for line in self.exchange()]
        lines += ["  }", "  checksum += x + sum_of(send, size * block) + sum_of(row, 20) + mine;", "  MPI_Type_free(&block_type);",
                  "  free(got);", f"  {freed}", "}"]
        return "\n".join(lines)


class locks:
    """One function that loads and stores a window's own memory under locks."""

    def __init__(self, number, choose, lie, cxx):
        self.number, self.choose, self.lie, self.cxx = number, choose, lie, cxx

    def access(self):
        return self.choose.choice([
            ["base[i % cells] = x + i;"], ["x += base[i % cells];"], ["base[i] = base[i] + 1;"],
            ["{", "  long* here = base + i;", "  *here += 2;", "}"],
            ["if (base[0] > 3)", "  base[1] = 4;"], ["if (i == 2)", "  continue;"], ["memset(base, 0, sizeof(long));"],
            ["x += (long)fabs((double)base[i]);"], ["checksum += unseen(1);"],
        ])

    def function(self):
        choose = self.choose
        block = ["{", f"  MPI_Win_lock({choose.choice(['MPI_LOCK_EXCLUSIVE', 'MPI_LOCK_EXCLUSIVE', 'MPI_LOCK_SHARED'])}, rank, 0, win);",
                 "  for (int i = 0; i < cells; i++) {"]
        for _ in range(choose.randrange(1, 3)):
            block += ["    " + line for line in self.access()]
        block += ["  }", "  MPI_Win_unlock(rank, win);", "}"]
        no_overlap = choose.choice([" no_overlap", " no_overlap", ""])
        once = choose.choice([["if (x > 0)"], [], ["for (int again = 0; again < 2; ++again)"]])
        inside = [f"#pragma mpi local_ldst(win, base, long, MPI_LONG, size, rank){no_overlap}", *block]
        lines = [f"static void function_{self.number}(void) {{", "  long* base;", "  MPI_Win win;", "  const int cells = 12;",
                 "  long x = rank + 1;",
                 "  MPI_Win_allocate(cells * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);",
                 "  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);", "  for (int i = 0; i < cells; ++i)", "    base[i] = i + rank;",
                 "  MPI_Win_unlock(rank, win);"]
        lines += ["  " + line if not line.startswith("#") else line for line in [*once, "{", *inside, "}"]]
        lines += ["  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);", "  for (int i = 0; i < cells; ++i)",
                  "    checksum += (double)base[i] * (i + 1);", "  MPI_Win_unlock(rank, win);", "  checksum += (double)x;",
                  "  MPI_Win_free(&win);", "}"]
        return "\n".join(lines)
