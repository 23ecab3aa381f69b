"""The Fortran form of the programs of generate_routines.py: the same statements, arrays from 0, integer handles."""
from generate_routines import COLUMNS, KNOBS, LENGTH, OBJECTS, ROWS, VIEWS

HEAD = f"""module everything
  use mpi
  implicit none
  integer, parameter :: length = {LENGTH}, rows = {ROWS}, columns = {COLUMNS}, knob_count = {KNOBS}
  integer :: rank, ranks, left, right, column
  integer :: knobs(0:knob_count - 1)
  integer :: g0(0:length - 1), g1(0:length - 1), big(0:3 * length - 1), m(0:rows * columns - 1)
contains
  subroutine fill(a, n, k)
    integer, intent(in) :: n, k
    integer, intent(out) :: a(0:n - 1)
    integer :: j
    do j = 0, n - 1
      a(j) = iand(j * 7 + k * 131 + rank * 1009, 65535)
    end do
  end subroutine
  subroutine mix(a, b, n, f, k)
    integer, intent(in) :: n, f, k
    integer, intent(in) :: b(0:n - 1)
    integer, intent(inout) :: a(0:n - 1)
    integer :: j
    do j = 0, n - 1
      a(j) = iand(a(j) * f + b(j) + k, 65535)
    end do
  end subroutine
  subroutine exchange(into, from, n, tag)
    integer, intent(in) :: n, tag
    integer :: into(0:n - 1), from(0:n - 1), r(0:1), error
    call mpi_irecv(into, n, MPI_INTEGER, left, tag, MPI_COMM_WORLD, r(0), error)
    call mpi_isend(from, n, MPI_INTEGER, right, tag, MPI_COMM_WORLD, r(1), error)
    call mpi_waitall(2, r, MPI_STATUSES_IGNORE, error)
  end subroutine
  subroutine hash(h, a, n)
    integer(8), intent(inout) :: h
    integer, intent(in) :: n, a(0:n - 1)
    integer :: j
    do j = 0, n - 1
      h = mod(h * 31 + a(j), 2147483647_8)
    end do
  end subroutine
  ! One rank prints for all: launchers may mix what several ranks print.
  subroutine print_all(k, value)
    integer, intent(in) :: k, value
    integer :: values(0:63), i, error
    call mpi_gather(value, 1, MPI_INTEGER, values, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank /= 0) return
    do i = 0, ranks - 1
      print '(a,i0,a,i0,a,i0)', 'routine ', k, ' rank ', i, ': ', values(i)
    end do
  end subroutine
"""
# Pointers into one array are written out: a piece of `big` is big(offset + i).
BASE = {view.name: (view.object, view.offset) for view in VIEWS}


class Fortran:
    def __init__(self):
        self.lines = []

    def put(self, depth, text):
        text = "  " * (depth + 1) + text
        while len(text) > 120:
            cut = text.rfind(", ", 0, 116) + 2
            self.lines.append(text[:cut] + "&")
            text = "  " * (depth + 3) + text[cut:]
        self.lines.append(text)

    @staticmethod
    def request(name):
        return name if name[0] == "q" else f"r({name[1:]})"

    @staticmethod
    def peer(name):
        return {"left": "left", "right": "right", "down": "rank - 1", "up": "rank + 1"}[name]

    @staticmethod
    def at(name, low, index=""):
        base, offset = BASE[name]
        return f"{base}({offset + low}{index})"

    @staticmethod
    def status(how):
        return "MPI_STATUS_IGNORE" if how == "ignore" else "status"

    def write(self, code, depth=1):
        for s in code:
            getattr(self, "do_" + s[0])(depth, *s[1:])

    def loop(self, d, n, text):
        self.put(d, f"do j = 0, {n - 1}")
        self.put(d + 1, text)
        self.put(d, "end do")

    def do_set(self, d, a, low, n, f, k):
        if n == 1:
            self.put(d, f"{self.at(a, low)} = iand({self.at(a, low)} + {k}, 65535)")
        else:
            self.loop(d, n, f"{self.at(a, low, ' + j')} = iand(j * {f} + {k}, 65535)")

    def do_mix(self, d, a, low, b, from_, n, f, k, how):
        if how == "loop":
            mine = self.at(a, low, " + j")
            self.loop(d, n, f"{mine} = iand({mine} * {f} + {self.at(b, from_, ' + j')} + {k}, 65535)")
        else:
            self.put(d, f"call mix({self.at(a, low)}, {self.at(b, from_)}, {n}, {f}, {k})")

    def do_sum(self, d, a, low, n): self.loop(d, n, f"total = iand(total * 3 + {self.at(a, low, ' + j')}, 65535)")

    def post(self, d, call, a, low, n, peer, tag, extra=""):
        self.put(d, f"call mpi_{call}({self.at(a, low)}, {n}, MPI_INTEGER, {self.peer(peer)}, {tag}, MPI_COMM_WORLD{extra}, error)")

    def do_irecv(self, d, a, low, n, peer, tag, q): self.post(d, "irecv", a, low, n, peer, tag, ", " + self.request(q))
    def do_isend(self, d, a, low, n, peer, tag, q): self.post(d, "isend", a, low, n, peer, tag, ", " + self.request(q))
    def do_recv_init(self, d, a, low, n, peer, tag, q): self.post(d, "recv_init", a, low, n, peer, tag, ", " + self.request(q))
    def do_send_init(self, d, a, low, n, peer, tag, q): self.post(d, "send_init", a, low, n, peer, tag, ", " + self.request(q))
    def do_send(self, d, a, low, n, peer, tag): self.post(d, "send", a, low, n, peer, tag)
    def do_start(self, d, q): self.put(d, f"call mpi_start({self.request(q)}, error)")
    def do_free(self, d, q): self.put(d, f"call mpi_request_free({self.request(q)}, error)")
    def do_null(self, d, q): self.put(d, f"{self.request(q)} = MPI_REQUEST_NULL")

    def count(self, d, how):
        if how == "read":
            self.put(d, "call mpi_get_count(status, MPI_INTEGER, got, error)")
            self.put(d, "total = iand(total + got, 65535)")

    def do_recv(self, d, a, low, n, peer, tag, how):
        self.post(d, "recv", a, low, n, peer, tag, ", " + self.status(how))
        self.count(d, how)

    def do_sendrecv(self, d, a, low, b, to, n, tag, how):
        self.put(d, f"call mpi_sendrecv({self.at(a, low)}, {n}, MPI_INTEGER, right, {tag}, {self.at(b, to)}, {n}, MPI_INTEGER, "
                    f"left, {tag}, MPI_COMM_WORLD, {self.status(how)}, error)")
        self.count(d, how)

    def poll(self, d, text):
        self.put(d, "flag = .false.")
        self.put(d, "do while (.not. flag)")
        self.put(d + 1, text)
        self.put(d, "end do")

    def do_wait(self, d, q, how):
        if how == "test":
            self.poll(d, f"call mpi_test({self.request(q)}, flag, MPI_STATUS_IGNORE, error)")
        else:
            self.put(d, f"call mpi_wait({self.request(q)}, {self.status(how)}, error)")

    def do_waitall(self, d, first, n): self.put(d, f"call mpi_waitall({n}, r({first}), MPI_STATUSES_IGNORE, error)")
    def do_waitany(self, d, first, n): self.loop(d, n, f"call mpi_waitany({n}, r({first}), got, MPI_STATUS_IGNORE, error)")
    def do_testall(self, d, first, n): self.poll(d, f"call mpi_testall({n}, r({first}), flag, MPI_STATUSES_IGNORE, error)")

    def do_exchange(self, d, a, low, b, from_, n, tag, how):
        self.put(d, f"call exchange({self.at(a, low)}, {self.at(b, from_)}, {n}, {tag})")

    def do_column(self, d, call, c, tag, q):
        peer = "left" if call == "irecv" else "right"
        self.put(d, f"call mpi_{call}(m({c}), 1, column, {peer}, {tag}, MPI_COMM_WORLD, {self.request(q)}, error)")

    def do_set_column(self, d, c, k):
        self.loop(d, ROWS, f"m(j * columns + {c}) = iand(m(j * columns + {c}) * 3 + {k}, 65535)")

    def do_barrier(self, d): self.put(d, "call mpi_barrier(MPI_COMM_WORLD, error)")
    def collective(self, d, name, arguments, q):
        self.put(d, f"call mpi_{'i' if q else ''}{name}({arguments}, MPI_COMM_WORLD{', ' + self.request(q) if q else ''}, error)")

    def do_bcast(self, d, a, low, n, q=None): self.collective(d, "bcast", f"{self.at(a, low)}, {n}, MPI_INTEGER, 0", q)

    def do_maximum(self, d, a, low, n, q=None):
        self.collective(d, "allreduce", f"MPI_IN_PLACE, {self.at(a, low)}, {n}, MPI_INTEGER, MPI_MAX", q)

    def do_add_up(self, d, a, low, b, to, n, q=None):
        self.collective(d, "allreduce", f"{self.at(a, low)}, {self.at(b, to)}, {n}, MPI_INTEGER, MPI_SUM", q)

    def do_everybody(self, d, a, low, b, to, n, q=None):
        self.collective(d, "allgather", f"{self.at(a, low)}, {n}, MPI_INTEGER, {self.at(b, to)}, {n}, MPI_INTEGER", q)

    do_ibcast, do_imaximum, do_iadd_up, do_ieverybody = do_bcast, do_maximum, do_add_up, do_everybody

    def block(self, d, head, code, other=()):
        self.put(d, f"if ({head}) then")
        self.write(code, d + 1)
        if other:
            self.put(d, "else")
            self.write(other, d + 1)
        self.put(d, "end if")

    def do_if(self, d, knob, then, other): self.block(d, f"iand(knobs({knob}), 1) == 1", then, other)
    def do_even(self, d, then, other): self.block(d, "mod(rank, 2) == 0", then, other)
    def do_above(self, d, code): self.block(d, "rank > 0", code)
    def do_below(self, d, code): self.block(d, "rank < ranks - 1", code)
    def do_later(self, d, code): self.block(d, f"i{self.innermost} > 0", code)

    innermost = 0

    def do_loop(self, d, knob, code):
        self.innermost += 1
        self.put(d, f"do i{self.innermost} = 0, knobs({knob})")
        self.write(code, d + 1)
        self.put(d, "end do")
        self.innermost -= 1

    def do_turns(self, d, a, n, b, to, tag, knob, meanwhile):
        self.innermost += 1
        i = f"i{self.innermost}"
        self.put(d, f"do {i} = 0, knobs({knob}) + 2")
        self.put(d + 1, f"if ({i} < knobs({knob}) + 2) then")
        self.put(d + 2, f"call mpi_irecv({self.at(a, 0, f' + mod({i}, 2) * {n}')}, {n}, MPI_INTEGER, left, {tag}, MPI_COMM_WORLD, "
                        f"r(mod({i}, 2)), error)")
        self.put(d + 2, f"call mpi_send({self.at(b, to)}, {n}, MPI_INTEGER, right, {tag}, MPI_COMM_WORLD, error)")
        self.put(d + 1, "end if")
        self.put(d + 1, f"if ({i} > 0) then")
        self.put(d + 2, f"call mpi_wait(r(mod({i} + 1, 2)), MPI_STATUS_IGNORE, error)")
        self.write(meanwhile, d + 2)
        other = self.at(a, 0, f" + mod({i} + 1, 2) * {n} + j")
        self.loop(d + 2, n, f"{self.at(b, to, ' + j')} = iand({self.at(b, to, ' + j')} + {other}, 65535)")
        self.put(d + 1, "end if")
        self.put(d, "end do")
        self.innermost -= 1

    def do_leave(self, d, knob, waits):
        self.put(d, f"if (knobs({knob}) == 3) then")
        self.write(waits, d + 1)
        self.put(d + 1, "exit all")
        self.put(d, "end if")

    def routine(self, index, code):
        self.put(0, f"subroutine routine_{index}()")
        self.put(1, "integer :: l0(0:length - 1), l1(0:length - 1), status(MPI_STATUS_SIZE), q0, q1, q2, q3, r(0:5)")
        self.put(1, "integer :: total, got, error, j, i1, i2, i3, i4, i5")
        self.put(1, "integer, allocatable :: h0(:), h1(:)")
        self.put(1, "integer(8) :: h")
        self.put(1, "logical :: flag")
        self.put(1, "allocate (h0(0:length - 1), h1(0:length - 1))")
        self.put(1, "q0 = MPI_REQUEST_NULL; q1 = MPI_REQUEST_NULL; q2 = MPI_REQUEST_NULL; q3 = MPI_REQUEST_NULL")
        self.put(1, "r = MPI_REQUEST_NULL; total = 0; h = 1")
        for k, name in enumerate(("l0", "l1", "h0", "h1")):
            self.put(1, f"call fill({name}, length, {k + 5})")
        self.put(1, "all: block")
        self.write(code, 2)
        self.put(1, "end block all")
        for name, n in OBJECTS.items():
            self.put(1, f"call hash(h, {name}, {n})")
        self.put(1, f"call print_all({index}, int(mod(h * 31 + total, 2147483647_8)))")
        self.put(0, "end subroutine")


def fortran_program(routines, seed):
    out = Fortran()
    for index, code in enumerate(routines):
        out.routine(index, code)
    main = ["end module", "program random_routines", "  use everything", "  implicit none",
            "  integer :: error, seed, only, i", "  character(len=20) :: word", "  call mpi_init(error)",
            "  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)", "  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)",
            "  left = mod(rank + ranks - 1, ranks)", "  right = mod(rank + 1, ranks)",
            "  call mpi_type_vector(rows, 1, columns, MPI_INTEGER, column, error)", "  call mpi_type_commit(column, error)",
            f"  seed = {seed % 1000}; only = -1", "  if (command_argument_count() > 0) then", "    call get_command_argument(1, word)",
            "    read (word, *) seed", "  end if", "  if (command_argument_count() > 1) then",
            "    call get_command_argument(2, word)", "    read (word, *) only", "  end if"]
    for k in range(len(routines)):
        main += [f"  if (only < 0 .or. only == {k}) then", f"    call prepare({k})", f"    call routine_{k}()", "  end if"]
    main += ["  call mpi_finalize(error)", "  if (rank == 0) print '(a)', 'ok'", "contains",
             "  subroutine prepare(k)", "    integer, intent(in) :: k",
             "    do i = 0, knob_count - 1", "      knobs(i) = iand((mod(seed, 1000) + 1) * (k * 31 + i * 17 + 5) / 8, 3)", "    end do",
             "    call fill(g0, length, 1)", "    call fill(g1, length, 2)", "    call fill(big, 3 * length, 3)",
             "    call fill(m, rows * columns, 4)", "  end subroutine", "end program"]
    return HEAD + "\n".join(out.lines) + "\n" + "\n".join(main) + "\n"
