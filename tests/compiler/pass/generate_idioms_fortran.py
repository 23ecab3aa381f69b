"""The Fortran form of the programs of generate_idioms.py: what hides there is move_alloc and reallocation, pointers, derived-type
output, finalizers, assignment by a routine of the user, internal files, and MPI's callbacks; who waits outside MPI does so by OPEN,
READ and INQUIRE."""
import random

LARGEST = 6000
HEAD = f"""module everything
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi
  implicit none
  integer, parameter :: largest = {LARGEST}, k8 = selected_int_kind(18)
  integer(k8) :: inbox(largest+64), outbox(largest+64), memory(2*largest+64), packed(largest), apart(300)
  integer(k8), target :: first_target(largest+64), second_target(largest+64)
  integer(k8), allocatable :: now(:), next(:), old(:)
  character(8*largest) :: letters
  common /joined/ letters
  integer(k8) :: seen
  integer :: me, left, right, reads, reads_count, writes, writes_count, hear, tell, ierror
  integer :: comm_key, mine, op, general
  logical :: touching = .false., greeting, hearing = .false.
  character(300) :: folder
  type :: shown
    integer :: which = 0
  contains
    procedure :: show
    generic :: write (formatted) => show
  end type
  type :: assigned
    integer :: which = 0
  contains
    procedure :: take
    generic :: assignment(=) => take
  end type
  type :: holder
    type(assigned) :: part
    integer :: more = 0
  end type
  type :: ending
    integer :: which = 0
  contains
    final :: finish_it
  end type
  interface
    function usleep(us) bind(c)
      import c_int
      integer(c_int), value :: us
      integer(c_int) :: usleep
    end function
  end interface
contains
  ! What routines of the user do, each time the same: they read one array and write another.
  subroutine touch()
    if (hearing) then
      hearing = .false.
      read (hear, *) seen
    end if
    if (.not. touching) return
    select case (reads)
    case (1); seen = mixed(inbox, reads_count)
    case (2); seen = mixed(outbox, reads_count)
    case (3); seen = mixed(memory, reads_count)
    case (4); seen = mixed(now, reads_count)
    case (5); seen = mixed(next, reads_count)
    end select
    select case (writes)
    case (1); call overwrite(inbox, writes_count)
    case (2); call overwrite(outbox, writes_count)
    case (3); call overwrite(memory, writes_count)
    case (4); call overwrite(now, writes_count)
    case (5); call overwrite(next, writes_count)
    end select
  end subroutine
  subroutine overwrite(a, n)
    integer, intent(in) :: n
    integer(k8), intent(inout) :: a(*)
    integer :: i
    do i = 1, n
      a(i) = i*7
    end do
  end subroutine
  function mixed(a, n) result(sum)
    integer, intent(in) :: n
    integer(k8), intent(in) :: a(*)
    integer(k8) :: sum
    integer :: i
    sum = 7
    do i = 1, n
      sum = mod(sum*33 + iand(a(i), 2147483647_k8), 2147483647_k8)
    end do
  end function
  subroutine watch(which_in, count_in, which_out, count_out)
    integer, intent(in) :: which_in, count_in, which_out, count_out
    reads = which_in; reads_count = count_in; writes = which_out; writes_count = count_out
    seen = 0
    touching = .true.
  end subroutine
  subroutine show(dtv, unit, iotype, v_list, iostat, iomsg)
    class(shown), intent(in) :: dtv
    integer, intent(in) :: unit
    character(*), intent(in) :: iotype
    integer, intent(in) :: v_list(:)
    integer, intent(out) :: iostat
    character(*), intent(inout) :: iomsg
    write (unit, '(i0)', iostat=iostat, iomsg=iomsg) dtv%which
    call touch()
  end subroutine
  subroutine take(to, from)
    class(assigned), intent(inout) :: to
    class(assigned), intent(in) :: from
    to%which = from%which
    call touch()
  end subroutine
  subroutine finish_it(one)
    type(ending), intent(inout) :: one
    one%which = 0
    call touch()
  end subroutine
  subroutine lag(late)
    integer, intent(in) :: late
    integer(c_int) :: done
    if (late == 1) done = usleep(60_c_int)
  end subroutine
  subroutine rotate()
    integer(k8), allocatable :: spare(:)
    call move_alloc(now, spare)
    call move_alloc(next, now)
    call move_alloc(old, next)
    call move_alloc(spare, old)
  end subroutine
  subroutine prepare()
    integer(MPI_ADDRESS_KIND) :: value
    touching = .false.
    value = 0
    call mpi_comm_set_attr(mine, comm_key, value, ierror)
  end subroutine
  subroutine greet()
    if (.not. greeting) call mpi_grequest_complete(general, ierror)
    greeting = .true.
  end subroutine
  subroutine end_general()
    integer :: status(MPI_STATUS_SIZE)
    touching = .false.
    if (general == MPI_REQUEST_NULL) return
    call greet()
    call mpi_wait(general, status, ierror)
  end subroutine
  function absolute(at, n) result(made)
    integer, intent(in) :: n
    integer(k8) :: at(*)
    integer :: made, lengths(1)
    integer(MPI_ADDRESS_KIND) :: where(1)
    lengths(1) = n
    call mpi_get_address(at, where(1), ierror)
    call mpi_type_create_hindexed(1, lengths, where, MPI_INTEGER8, made, ierror)
    call mpi_type_commit(made, ierror)
  end function
  function below(n) result(made)
    integer, intent(in) :: n
    integer :: made, lengths(1)
    integer(MPI_ADDRESS_KIND) :: where(1)
    lengths(1) = n; where(1) = -8*n
    call mpi_type_create_hindexed(1, lengths, where, MPI_INTEGER8, made, ierror)
    call mpi_type_commit(made, ierror)
  end function
  subroutine answer(value)
    integer(k8), intent(in) :: value
    write (tell, '(i0)') value
    flush (tell)
  end subroutine
  subroutine start(program)
    integer, intent(in) :: program
    integer :: i
    do i = 1, 2*largest
      memory(i) = mod((program*79_k8 + me*1047 + i)*2654435761_k8, 1000000007_k8)
    end do
    if (allocated(now)) deallocate (now)
    if (allocated(next)) deallocate (next)
    if (allocated(old)) deallocate (old)
    allocate (now(largest), next(largest), old(largest))
    do i = 1, largest
      inbox(i) = memory(i) + 5; outbox(i) = memory(i) + 9; packed(i) = memory(i) + 11
      now(i) = i; next(i) = 2*i; old(i) = 3*i
      first_target(i) = i + 4; second_target(i) = i + 6
    end do
    do i = 1, 300
      apart(i) = i
    end do
    letters = 'letters'
    seen = 0
  end subroutine
  subroutine finish(program, x)
    integer, intent(in) :: program
    integer(k8), intent(in) :: x
    integer(k8) :: sum, sums(0:1)
    integer :: i, called
    common /calls/ called
    sum = mod(x + called, 2147483647_k8)
    sum = ieor(sum, mixed(memory, 2*largest)) + mixed(inbox, largest)*3 + mixed(outbox, largest)*5 + mixed(packed, largest)*7
    sum = sum + mixed(apart, 300) + mixed(first_target, largest)*11 + mixed(second_target, largest)*13
    if (allocated(now)) sum = ieor(sum, mixed(now, min(size(now), largest)))
    if (allocated(next)) sum = ieor(sum, mixed(next, min(size(next), largest))*3)
    if (allocated(old)) sum = ieor(sum, mixed(old, min(size(old), largest))*5)
    do i = 1, 8*largest
      sum = mod(sum*3 + iachar(letters(i:i)), 2147483647_k8)
    end do
    call mpi_gather(sum, 1, MPI_INTEGER8, sums, 1, MPI_INTEGER8, 0, MPI_COMM_WORLD, ierror)
    if (me /= 0) return
    do i = 0, 1
      print '(a,i0,a,i0,a,i0)', 'routine ', program, ' rank ', i, ': ', sums(i)
    end do
  end subroutine
end module
module callbacks
  use everything
  implicit none
contains
  subroutine copy_attribute(comm, key, extra, value_in, value_out, flag, error)
    integer :: comm, key, error
    integer(MPI_ADDRESS_KIND) :: extra, value_in, value_out
    logical :: flag
    call touch()
    value_out = value_in
    flag = .false.
    error = MPI_SUCCESS
  end subroutine
  subroutine delete_attribute(comm, key, value, extra, error)
    integer :: comm, key, error
    integer(MPI_ADDRESS_KIND) :: extra, value
    call touch()
    error = MPI_SUCCESS
  end subroutine
  subroutine query_request(extra, status, error)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), error
    call mpi_status_set_cancelled(status, .false., error)
    call mpi_status_set_elements(status, MPI_INTEGER, 0, error)
    call touch()
    error = MPI_SUCCESS
  end subroutine
  subroutine free_request(extra, error)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: error
    call touch()
    error = MPI_SUCCESS
  end subroutine
  subroutine cancel_request(extra, complete, error)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: error
    call touch()
    error = MPI_SUCCESS
  end subroutine
  subroutine operate(in, inout, n, type_)
    integer :: n, type_
    integer :: in(n), inout(n)
    inout = inout + in
    call touch()
  end subroutine
  subroutine handle_error(comm, code)
    integer :: comm, code
    call touch()
  end subroutine
  subroutine begin_general()
    touching = .false.; greeting = .false.
    call mpi_grequest_start(query_request, free_request, cancel_request, 0_MPI_ADDRESS_KIND, general, ierror)
  end subroutine
end module
module programs
  use callbacks
  implicit none
contains
"""
# What the program puts in MPI's place.
WRAPPERS = {"send": """subroutine mpi_send(at, n, kind, peer, tag, comm, error)
  integer :: at(*), n, kind, peer, tag, comm, error, called
  common /calls/ called
  called = called + 1
  call pmpi_send(at, n, kind, peer, tag, comm, error)
end subroutine
""", "wait": """subroutine mpi_wait(request, status, error)
  integer :: request, status(*), error, called
  common /calls/ called
  called = called + 1
  call pmpi_wait(request, status, error)
end subroutine
""", "irecv": """subroutine mpi_irecv(at, n, kind, peer, tag, comm, request, error)
  integer :: at(*), n, kind, peer, tag, comm, request, error, called
  common /calls/ called
  called = called + 1
  call pmpi_irecv(at, n, kind, peer, tag, comm, request, error)
end subroutine
"""}
NUMBER_OF = {"inbox": 1, "outbox": 2, "memory": 3, "now": 4, "next": 5}
WORLD = "MPI_COMM_WORLD"


class Program:
    """A subroutine, as lines."""

    def __init__(self, rng, number, has):
        self.rng, self.number, self.has = rng, number, has
        self.lines, self.depth, self.tag, self.step = [], 1, 0, 0
        self.handled = "handler" in has

    def emit(self, *texts):
        for text in texts:
            text = "  " * (self.depth + 1) + text
            while len(text) > 120:
                cut = text.rfind(", ", 0, 116) + 2
                self.lines.append(text[:cut] + "&")
                text = "  " * (self.depth + 3) + text[cut:]
            self.lines.append(text)

    def buffers(self):
        return self.rng.sample(["inbox", "outbox", "memory", "now", "next", "mine_in", "mine_out"], 2)

    def loop(self, count, body):
        self.emit(f"do i = 1, {count}", f"  {body}", "end do")

    def aside(self, chance=0.6):
        if self.rng.random() < chance:
            self.loop(300, "apart(i) = iand(apart(i)*5 + x, 1048575_k8)")

    def lag(self):
        if self.rng.random() < 0.7:
            self.emit(f"call lag(mod(me + turn + {self.rng.randrange(2)}, 2))")

    def exchange(self, into, out, count):
        rng = self.rng
        self.tag += 1
        out_to = f"({out}, {count}, MPI_INTEGER8, right, {self.tag}, {WORLD}"
        in_from = f"({into}, {count}, MPI_INTEGER8, left, {self.tag}, {WORLD}"
        status = rng.choice(["MPI_STATUS_IGNORE", "MPI_STATUS_IGNORE", "status"])
        form = rng.randrange(7)
        if form == 0:
            self.emit(f"call mpi_irecv{in_from}, r(1), ierror)", f"call mpi_send{out_to}, ierror)")
            self.aside()
            self.emit(f"call mpi_wait(r(1), {status}, ierror)")
        elif form == 1:
            self.emit(f"call mpi_isend{out_to}, r(2), ierror)")
            self.aside(0.3)
            self.emit(f"call mpi_recv{in_from}, {status}, ierror)", f"call mpi_wait(r(2), {status}, ierror)")
        elif form == 2:
            self.emit(f"call mpi_sendrecv({out}, {count}, MPI_INTEGER8, right, {self.tag}, {into}, {count}, MPI_INTEGER8, left, "
                      f"{self.tag}, {WORLD}, {status}, ierror)")
        elif form in (3, 4):
            posts = [f"call mpi_irecv{in_from}, r(1), ierror)", f"call mpi_isend{out_to}, r(2), ierror)"]
            rng.shuffle(posts)
            self.emit(*posts)
            self.aside()
            waits = [f"call mpi_wait(r({k}), MPI_STATUS_IGNORE, ierror)" for k in (1, 2)]
            rng.shuffle(waits)
            self.emit(*(waits if form == 3 else ["call mpi_waitall(2, r, MPI_STATUSES_IGNORE, ierror)"]))
        elif form == 5:
            self.emit("if (mod(me, 2) == 1) then", f"  call mpi_send{out_to}, ierror)", f"  call mpi_recv{in_from}, {status}, ierror)",
                      "else", f"  call mpi_recv{in_from}, {status}, ierror)", f"  call mpi_send{out_to}, ierror)", "end if")
        else:
            self.emit(f"tin = absolute({into}, {count}); tout = absolute({out}, {count})",
                      f"call mpi_irecv(MPI_BOTTOM, 1, tin, left, {self.tag}, {WORLD}, r(1), ierror)",
                      f"call mpi_send(MPI_BOTTOM, 1, tout, right, {self.tag}, {WORLD}, ierror)",
                      f"call mpi_wait(r(1), {status}, ierror)", "call mpi_type_free(tin, ierror); call mpi_type_free(tout, ierror)")

    def step_of_exchange(self):
        rng = self.rng
        count = rng.choice([1, 17, 300, 700, 700, 3000])
        into, out = self.buffers()
        before, after, behind = rng.choice(TOUCHES)(self, into, out, count)
        self.lag()
        self.emit(*before)
        self.exchange(into, out, count)
        self.emit(*after)
        self.aside(0.8)
        self.emit(*behind)
        self.use(into, out, count)

    def use(self, into, out, count):
        self.emit("x = iand(x*31 + seen, 1048575_k8)")
        form = self.rng.randrange(4)
        if form == 0:
            self.emit(f"x = x + mixed({into}, {count})")
        elif form == 1:
            self.loop(count, f"{out}(i) = iand({into}(i)*3 + x, 1048575_k8)")
        elif form == 2:
            self.loop(count, f"{out}(i) = {out}(i) + i")

    # What was `now` when the message was posted is something else when it is waited for.
    def step_of_rotation(self):
        rng = self.rng
        count = rng.choice([17, 300, 3000])
        rounds = rng.choice([1, 2, 3])
        one, two = rng.choice([("now", "next"), ("next", "now"), ("now", "old"), ("old", "next")])
        turn = rng.choice([["call rotate()"], ["call move_alloc(now, spare)", "call move_alloc(next, now)",
                                               "call move_alloc(spare, next)"]])
        self.emit(f"do k = 1, {rounds}")
        self.depth += 1
        self.tag += 1
        blocking = rng.random() < 0.4
        self.emit(f"call mpi_irecv({one}, {count}, MPI_INTEGER8, left, {self.tag}, {WORLD}, r(1), ierror)")
        if blocking:
            self.emit(f"call mpi_send({two}, {count}, MPI_INTEGER8, right, {self.tag}, {WORLD}, ierror)", *turn)
        else:
            self.emit(f"call mpi_isend({two}, {count}, MPI_INTEGER8, right, {self.tag}, {WORLD}, r(2), ierror)", *turn)
        self.aside(0.4)
        self.emit("call mpi_wait(r(1), MPI_STATUS_IGNORE, ierror)" if blocking else "call mpi_waitall(2, r, MPI_STATUSES_IGNORE, ierror)")
        if rng.random() < 0.5:
            self.emit(*turn)
        for array in rng.sample(["now", "next", "old"], 2):
            self.loop(count, f"{array}(i) = iand({array}(i)*3 + k, 1048575_k8)")
        self.aside(0.4)
        self.depth -= 1
        self.emit("end do")

    def step_of_reallocation(self):
        rng = self.rng
        count = rng.choice([17, 300, 3000])
        again = rng.choice([[f"here = [(int(i, k8), i = 1, {2 * count})]"], ["deallocate (here)",
                f"allocate (here({2 * count}))", "here = 3"],
                            [f"gone = here(2:{count})", "gone = [gone, 5_k8]"], ["call move_alloc(here, spare)",
                                    "call move_alloc(gone, here)",
                                                                                     "call move_alloc(spare, gone)"]])
        self.emit("if (allocated(here)) deallocate (here)", "if (allocated(gone)) deallocate (gone)",
                  f"allocate (here({count}), gone({count}))", "here = x; gone = x + 1")
        self.lag()
        self.exchange("here", "gone", count)
        self.emit(*again)
        self.aside()
        self.emit(f"x = iand(x + mixed(here, {count}) + mixed(gone, {count}), 1048575_k8)")

    def step_of_pointers(self):
        """Pointers change places between the post and the wait."""
        rng = self.rng
        self.tag += 1
        count = rng.choice([17, 300, 3000])
        self.emit("one => first_target; two => second_target",
                  f"call mpi_irecv(one, {count}, MPI_INTEGER8, left, {self.tag}, {WORLD}, r(1), ierror)",
                  f"call mpi_isend(two, {count}, MPI_INTEGER8, right, {self.tag}, {WORLD}, r(2), ierror)",
                  "three => one; one => two; two => three", "call mpi_waitall(2, r, MPI_STATUSES_IGNORE, ierror)")
        for pointer in rng.sample(["one", "two", "three", "first_target", "second_target"], 2):
            self.loop(count, f"{pointer}(i) = iand({pointer}(i)*3 + x, 1048575_k8)")
        self.aside()

    def step_of_letters(self):
        """A message of characters, which is an internal file behind its wait."""
        rng = self.rng
        self.tag += 1
        count = rng.choice([40, 700, 6000, 8 * LARGEST])
        if rng.random() < 0.5:
            self.emit(f"call mpi_isend(letters, {count}, MPI_CHARACTER, right, {self.tag}, {WORLD}, r(2), ierror)",
                      f"call mpi_recv(packed, {count}, MPI_CHARACTER, left, {self.tag}, {WORLD}, MPI_STATUS_IGNORE, ierror)",
                      "call mpi_wait(r(2), MPI_STATUS_IGNORE, ierror)",
                      rng.choice(["write (letters(1:30), '(i12,a)') x, ' written'", "letters(1:20) = repeat('z', 20)",
                                  "write (letters(2:40), *) x, me"]))
        else:
            self.emit("letters = repeat('12 7 ', 20)",
                      f"call mpi_irecv(letters, {count}, MPI_CHARACTER, left, {self.tag}, {WORLD}, r(1), ierror)",
                      "lines = '345'", "lines(40:) = '  8 '", f"call mpi_send(lines, {min(count, 400)}, MPI_CHARACTER, right, {self.tag}, "
                      f"{WORLD}, ierror)", "call mpi_wait(r(1), MPI_STATUS_IGNORE, ierror)",
                      rng.choice(["read (letters(1:5), *) k; x = x + k", "read (letters(1:3), '(i3)') k; x = x + k",
                                  "x = x + index(letters, '8')"]))
        self.aside(0.8)

    def step_of_waiting(self):
        rng = self.rng
        self.tag += 1
        self.step += 1
        count = rng.choice([1, 300, 3000, LARGEST])
        into, out = self.buffers()
        name = f"'f{self.number}_'//achar(97 + turn)//'_{self.step}'"
        where = f"file=trim(folder)//'/'//{name}"
        run = rng.choice([["call mpi_comm_delete_attr(mine, comm_key, ierror)"],
                          ["call mpi_comm_set_attr(mine, comm_key, 0_MPI_ADDRESS_KIND, ierror)"],
                          ["call mpi_reduce_local(few(1), few(2), 1, MPI_INTEGER, op, ierror)"]])
        ask, reply, end = rng.choice([
            (["hearing = .true.", *run], ["call answer(VALUE)"], []),
            (["hearing = .true.", "call greet()", "call mpi_wait(general, MPI_STATUS_IGNORE, ierror)"], ["call answer(VALUE)"], []),
            (["read (hear, *) seen"], ["call answer(VALUE)"], []),
            (["read (hear, '(a)') line", "read (line, *) seen"], ["call answer(VALUE)"], []),
            (["open (newunit=unit, file=trim(folder)//'/more', action='read')", "read (unit, *) seen", "close (unit)"],
             ["open (newunit=unit, file=trim(folder)//'/more', action='write')", "write (unit, '(i0)') VALUE", "close (unit)"], []),
            (["do", f"  inquire ({where}, exist=there)", "  if (there) exit", "end do"],
             [f"open (newunit=unit, {where}, status='new')", "close (unit)"],
             [f"open (newunit=unit, {where}, status='old')", "close (unit, status='delete')"])])
        asker = f"mod(me + turn, 2) == {rng.randrange(2)}"
        general = any("general" in line for line in ask)
        if "hearing" in ask[0]:
            self.emit("call begin_general()" if general else "call prepare()", "few = 3")
        self.emit("seen = 0", f"if ({asker}) then")
        self.depth += 1
        send = f"({out}, {count}, MPI_INTEGER8, right, {self.tag}, {WORLD}, "
        self.emit(*rng.choice([[f"call mpi_send{send}ierror)"], [f"call mpi_isend{send}r(1), ierror)",
                              "call mpi_wait(r(1), status, ierror)"],
                               [f"call mpi_send{send}ierror)", f"{out}(1:{count}) = x"]]))
        self.aside(0.7)
        self.emit(*ask)
        self.aside(0.3)
        self.depth -= 1
        self.emit("else")
        self.depth += 1
        receive = f"({into}, {count}, MPI_INTEGER8, left, {self.tag}, {WORLD}, "
        self.emit("call lag(1)", *rng.choice([[f"call mpi_recv{receive}MPI_STATUS_IGNORE, ierror)"],
                                              [f"call mpi_irecv{receive}r(2), ierror)", "call mpi_wait(r(2), MPI_STATUS_IGNORE, ierror)"]]))
        value = rng.choice(["4711_k8", f"mixed({into}, {count})", f"{into}({count})"])
        self.emit(*[line.replace("VALUE", value) for line in reply])
        self.aside(0.5)
        self.depth -= 1
        self.emit("end if", "x = iand(x*31 + seen, 1048575_k8)", "call mpi_barrier(MPI_COMM_WORLD, ierror)")
        if general:
            self.emit("call end_general()")
        if end:
            self.emit(f"if ({asker}) then", *("  " + line for line in end), "end if", "call mpi_barrier(MPI_COMM_WORLD, ierror)")

    def step_of_telling(self):
        """A message says that a file is there, or that another message has been matched."""
        rng = self.rng
        self.tag += 2
        self.step += 1
        count = rng.choice([17, 300, 3000])
        into, out = self.buffers()
        name = f"'t{self.number}_'//achar(97 + turn)//'_{self.step}'"
        where = f"file=trim(folder)//'/'//{name}"
        if "cancel" in self.has and rng.random() < 0.7:
            first, end = [f"call mpi_irecv(few, 1, MPI_INTEGER, left, {self.tag - 1}, {WORLD}, r(1), ierror)"], []
            ask = ["call mpi_cancel(r(1), ierror)", "call mpi_wait(r(1), status, ierror)",
                   "call mpi_test_cancelled(status, flag, ierror)", "seen = few(1)", "if (flag) seen = 99"]
            tell = [f"call mpi_ssend(few, 1, MPI_INTEGER, right, {self.tag - 1}, {WORLD}, ierror)"]
        else:
            first, ask = [], rng.choice([
                [f"inquire ({where}, exist=there)", "if (there) seen = 5"],
                [f"open (newunit=unit, {where}, status='old', iostat=k)", "if (k == 0) seen = 5", "if (k == 0) close (unit)"]])
            tell = [f"open (newunit=unit, {where}, status='new')", "close (unit)"]
            end = ["if (me == 0) then", f"  open (newunit=unit, {where}, status='old')", "  close (unit, status='delete')", "end if",
                   "call mpi_barrier(MPI_COMM_WORLD, ierror)"]
        self.emit("seen = 0; few = 7", f"if (mod(me + turn, 2) == {rng.randrange(2)}) then")
        self.depth += 1
        receive = f"({into}, {count}, MPI_INTEGER8, left, {self.tag}, {WORLD}, "
        self.emit(*first, *rng.choice([[f"call mpi_recv{receive}MPI_STATUS_IGNORE, ierror)"],
                                       [f"call mpi_irecv{receive}r(2), ierror)", "call mpi_wait(r(2), MPI_STATUS_IGNORE, ierror)"]]))
        self.aside(0.3)
        self.emit(*ask)
        self.aside(0.8)
        self.emit(f"x = x + mixed({into}, {count})")
        self.depth -= 1
        self.emit("else")
        self.depth += 1
        self.emit("call lag(1)", *tell, f"call mpi_send({out}, {count}, MPI_INTEGER8, right, {self.tag}, {WORLD}, ierror)")
        self.aside(0.5)
        self.depth -= 1
        self.emit("end if", "call mpi_barrier(MPI_COMM_WORLD, ierror)", *end, "x = iand(x*31 + seen, 1048575_k8)")

    def text(self):
        rng = self.rng
        steps = [self.step_of_exchange] * 6 + [self.step_of_waiting] * 3 + [self.step_of_rotation] * 2 + \
            [self.step_of_reallocation, self.step_of_pointers, self.step_of_letters] + [self.step_of_telling] * 2
        for _ in range(rng.randrange(1, 4)):
            around = rng.random() < 0.15
            if around:
                self.emit(rng.choice(["if (turn == 1) then", "if (x /= 77) then"]))
            self.depth += around
            rng.choice(steps)()
            self.depth -= around
            if around:
                self.emit("end if")
        head = [f"  subroutine program_{self.number}(turn, x)", "    integer, intent(in) :: turn", "    integer(k8), intent(inout) :: x",
                f"    integer(k8) :: mine_in({LARGEST}), mine_out({LARGEST})", "    integer(k8), allocatable :: spare(:), here(:), gone(:)",
                "    integer(k8), pointer :: one(:), two(:), three(:)",
                "    integer :: r(2), status(MPI_STATUS_SIZE), tin, tout, i, k, unit, copy, few(2), counts(1), back(1), ahead(1), position",
                "    logical :: there, flag", "    character(400) :: lines", "    character(40) :: line",
                "    type(shown) :: it", "    type(holder) :: to, from", "    type(ending), allocatable :: last",
                f"    do i = 1, {LARGEST}", "      mine_in(i) = i; mine_out(i) = i + me", "    end do"]
        tail = [f"    x = iand(x*31 + mixed(mine_in, {LARGEST}) + mixed(mine_out, {LARGEST}), 1048575_k8)", "  end subroutine"]
        return "\n".join(head + self.lines + tail) + "\n"


def shown(program, into, out, count):
    rng = program.rng
    first, second = NUMBER_OF.get(into, 0), NUMBER_OF.get(out, 0)
    return rng.choice([f"call watch({first}, {count}, {second}, {count})", f"call watch({first}, {count}, 0, 0)",
                       f"call watch(0, 0, {second}, {count})"])


def attributes(program, into, out, count):
    call = program.rng.choice([["call mpi_comm_delete_attr(mine, comm_key, ierror)"],
                               ["call mpi_comm_set_attr(mine, comm_key, 0_MPI_ADDRESS_KIND, ierror)"],
                               ["call mpi_comm_dup(mine, copy, ierror)", "touching = .false.", "call mpi_comm_free(copy, ierror)"],
                               ["call mpi_comm_free(mine, ierror)", "touching = .false.",
                                "call mpi_comm_dup(MPI_COMM_SELF, mine, ierror)"]])
    return ["call prepare()", shown(program, into, out, count)], call, ["touching = .false."]


def general_requests(program, into, out, count):
    call = program.rng.choice([["call greet()", "call mpi_wait(general, MPI_STATUS_IGNORE, ierror)"],
                               ["call greet()", "call mpi_test(general, flag, MPI_STATUS_IGNORE, ierror)"],
                               ["call greet()", "call mpi_request_free(general, ierror)"], ["call mpi_cancel(general, ierror)"]])
    return ["call begin_general()", shown(program, into, out, count)], call, ["call end_general()"]


def operators(program, into, out, count):
    call = program.rng.choice(["call mpi_reduce_local(few(1), few(2), 1, MPI_INTEGER, op, ierror)",
                               "call mpi_allreduce(few(1), few(2), 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)"])
    return ["few = 3", shown(program, into, out, count)], [call, "x = x + few(2)"], ["touching = .false."]


def error_handlers(program, into, out, count):
    if not program.handled:
        return operators(program, into, out, count)
    return [shown(program, into, out, count)], ["call mpi_comm_call_errhandler(handled, MPI_ERR_OTHER, ierror)"], ["touching = .false."]


def output(program, into, out, count):
    call = program.rng.choice(["write (line, *) it", "write (line, '(dt)') it", "write (99, *) it"])
    return [shown(program, into, out, count)], [call], ["touching = .false."]


def assignment(program, into, out, count):
    return ["from%part%which = 3", shown(program, into, out, count)], ["to = from", "x = x + to%part%which"], ["touching = .false."]


def finalizers(program, into, out, count):
    return ["if (.not. allocated(last)) allocate (last)", shown(program, into, out, count)], ["deallocate (last)"], ["touching = .false."]


def displacements(program, into, out, count):
    rng, past = program.rng, count + 1
    first, second = f"{into}({past})", f"{out}({past})"
    # Not MPI_ALLGATHERV: MPICH 4.0.2 ignores its displacement on one rank, and writes behind the memory.
    calls = [f"call mpi_gatherv(packed, {count}, MPI_INTEGER8, {second}, counts, back, MPI_INTEGER8, 0, MPI_COMM_SELF, ierror)",
             f"call mpi_scatterv({first}, counts, back, MPI_INTEGER8, packed, {count}, MPI_INTEGER8, 0, MPI_COMM_SELF, ierror)",
             f"call mpi_alltoallv(packed, counts, ahead, MPI_INTEGER8, {second}, counts, back, MPI_INTEGER8, MPI_COMM_SELF, ierror)"]
    types = [f"call mpi_pack({first}, 1, tin, packed, {8 * LARGEST}, position, MPI_COMM_SELF, ierror)",
             f"call mpi_unpack(packed, {8 * LARGEST}, position, {second}, 1, tin, MPI_COMM_SELF, ierror)"]
    if rng.random() < 0.5:
        return [f"counts = {count}; back = -{count}; ahead = 0"], [rng.choice(calls)], []
    return [], [f"tin = below({count}); position = 0", rng.choice(types)], ["call mpi_type_free(tin, ierror)"]


def addresses(program, into, out, count):
    # By messages to itself: MPICH 4.0.2 takes MPI_BOTTOM for a mistake in MPI_PACK.
    words = f"packed, {count}, MPI_INTEGER8, 0, 1"
    call = program.rng.choice([f"call mpi_sendrecv(MPI_BOTTOM, 1, few(1), 0, 1, {words}, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)",
                               f"call mpi_sendrecv({words}, MPI_BOTTOM, 1, few(2), 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)"])
    return [f"few(1) = absolute({into}, {count}); few(2) = absolute({out}, {count}); position = 0"], [call], \
        ["call mpi_type_free(few(1), ierror); call mpi_type_free(few(2), ierror)"]


def in_plain_sight(program, into, out, count):
    return [], [program.rng.choice([f"{out}(1:{count}) = {into}(1:{count}) + 1", f"x = x + sum(iand({into}(1:{count}), 255_k8))",
                                    f"where ({into}(1:{count}) > 4) {into}(1:{count}) = 4"])], []


TOUCHES = [attributes, attributes, general_requests, general_requests, operators, error_handlers, output, output, assignment, finalizers,
           displacements, displacements, addresses, in_plain_sight]


def make(seed, count):
    rng = random.Random(f"idioms/{seed}")
    has = {"handler"} if rng.random() < 0.12 else set()
    more = random.Random(f"idioms/{seed}/more")
    has |= {"cancel"} if more.random() < 0.2 else set()
    wrapped = more.sample(sorted(WRAPPERS), more.randrange(1, 3)) if more.random() < 0.15 else []
    made = [Program(random.Random(f"idioms/{seed}/{k}"), k, has) for k in range(count)]
    head = HEAD.replace("op, general", "op, general, handled")
    main = ["end module", "program idioms", "  use programs", "  implicit none", "  integer(k8) :: x", "  integer :: turn, given, handler",
            "  call mpi_init(ierror)", "  call mpi_comm_rank(MPI_COMM_WORLD, me, ierror)", "  left = 1 - me; right = left",
            "  call get_environment_variable('TMPDIR', folder, status=given)", "  if (given /= 0) folder = '/tmp'",
            "  folder = trim(folder)//'/tacit_fortran'",
            "  if (me == 0) call execute_command_line('rm -rf '//trim(folder)//'; mkdir '//trim(folder)//'; cd '//trim(folder) &",
            "                                         //'; mkfifo pipe0 pipe1 more')",
            "  call mpi_barrier(MPI_COMM_WORLD, ierror)", "  if (me == 0) then",
            "    open (newunit=hear, file=trim(folder)//'/pipe0', action='read')",
            "    open (newunit=tell, file=trim(folder)//'/pipe1', action='write')", "  else",
            "    open (newunit=tell, file=trim(folder)//'/pipe0', action='write')",
            "    open (newunit=hear, file=trim(folder)//'/pipe1', action='read')", "  end if",
            "  open (unit=99, file='/dev/null', action='write')",
            "  call mpi_comm_create_keyval(copy_attribute, delete_attribute, comm_key, 0_MPI_ADDRESS_KIND, ierror)",
            "  call mpi_comm_dup(MPI_COMM_SELF, mine, ierror)", "  call mpi_op_create(operate, .true., op, ierror)",
            "  general = MPI_REQUEST_NULL"]
    if "handler" in has:
        main += ["  call mpi_comm_dup(MPI_COMM_SELF, handled, ierror)", "  call mpi_comm_create_errhandler(handle_error, handler, ierror)",
                 "  call mpi_comm_set_errhandler(handled, handler, ierror)"]
    for k in range(count):
        main += [f"  call start({k})", "  x = 1", "  do turn = 0, 1", f"    call program_{k}(turn, x)", "  end do",
                 f"  call finish({k}, x)"]
    main += ["  call mpi_barrier(MPI_COMM_WORLD, ierror)", "  close (hear); close (tell)",
             "  if (me == 0) call execute_command_line('rm -rf '//trim(folder))", "  call mpi_finalize(ierror)",
             "  if (me == 0) print '(a)', 'ok'", "end program"]
    return head + "".join(program.text() for program in made) + "\n".join(main) + "\n" + "".join(WRAPPERS[one] for one in wrapped)
