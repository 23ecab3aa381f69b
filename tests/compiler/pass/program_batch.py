"""Compiling and running batches of random programs: under the MPI that tacit is built for, and under SimGrid's SMPI.

A batch is one source file with many programs. Each is compiled plain and moved (WAYS of asking the overlap pass), and run in
the `modes` of its platform. What a run says is one line for each program and rank, and `ok` after MPI_Finalize: SMPI ends
well also if all ranks wait for ever.
"""
import dataclasses
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import generate_idioms
import generate_idioms_fortran
import generate_program
import generate_routines

HERE = Path(__file__).resolve().parent
HOOKS = HERE.parents[2] / "src" / "compiler" / "hooks"
WAYS = {"conservative": {"MODE": "conservative"}, "aggressive": {"MODE": "aggressive"},
        "aggressive, no copies": {"MODE": "aggressive", "RENAME": "off"},
        "with collectives": {"MODE": "aggressive", "COLLECTIVES": "on"},
        "for check mode": {"MODE": "aggressive", "CHECK": "1"}}
LINKED = "at link time: "  # in front of a way
KINDS = ("arena", "routines", "fortran")  # generate_program.py; generate_routines.py in C and in Fortran
IDIOMS = ("idioms-c", "idioms-c++", "idioms-fortran")  # generate_idioms.py, generate_idioms_fortran.py: on two ranks, not simulated
SUFFIXES = {"fortran": ".f90", "idioms-fortran": ".f90", "idioms-c++": ".cpp"}
CHECKED = {"TACIT_OVERLAP_CHECK": "1"}
NO_EAGER = {"TACIT_OVERLAP_EAGER": "0"}  # copies of all messages
LONGEST = 900  # seconds of a run: who is not done by then hangs


def text_of(kind, seed, count, avoid):
    if kind == "arena":
        return generate_program.make(seed, count)
    if kind == "idioms-fortran":
        return generate_idioms_fortran.make(seed, count)
    if kind in IDIOMS:
        return generate_idioms.make(seed, count, kind.removeprefix("idioms-"))
    return generate_routines.make(seed, count, "c" if kind == "routines" else "fortran", avoid)


class Trouble(Exception):
    """Something that stands in the way of testing."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    lines: tuple      # sorted
    error: str = ""

    def complete(self, programs, ranks):
        return not self.error and len(self.lines) == programs * ranks

    def without(self, programs):
        """What the other programs say."""
        return Outcome(tuple(line for line in self.lines if int(line.split()[1]) not in programs), self.error)

    def first_difference(self, other):
        """What the other says or does not say, unlike this one."""
        missing = sorted(set(self.lines) - set(other.lines), key=lambda line: int(line.split()[1]))
        return (f"{len(missing)} lines, first: {missing[0]}" if missing else "") + (" " + other.error if other.error else "")


def call(command, folder, **environment):
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, errors="replace",
                          env={**os.environ, **environment})
    if done.returncode != 0:
        raise Trouble(f"{shlex.join(str(word) for word in command)}\nfailed: {done.stderr[-3000:]}")
    return done


def outcome_of(command, folder, environment, longest=LONGEST):
    """Runs a program. What is still there after `longest` seconds is ended, with the ranks that it started."""
    run = subprocess.Popen([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           errors="replace", env={**os.environ, **environment}, start_new_session=True)
    try:
        out, err = run.communicate(timeout=longest)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        out, err = run.communicate()
        err = f"no end after {longest} s\n{err}"
    lines = [line.strip() for line in out.splitlines()]
    # TACIT-119 is a hint: a process that is not alone on its core gives it up now and then, wherever it is. TACIT-122 says that
    # programs are compiled otherwise than for check mode, as some are on purpose.
    said = [line for line in err.splitlines() if "tacit:" in line and not re.search(r"\[TACIT-1(19|22)\]", line)]
    wrong = run.returncode != 0 or "ok" not in lines or "deadlock" in err.lower() or said
    return Outcome(tuple(sorted(line for line in lines if line.startswith("routine"))),
                   f"exit status {run.returncode}: {err[-1500:]}" if wrong else "")


def settings_of(way):
    """Environment variables for the compiler; no way: the program as it is."""
    settings = {"TACIT_OVERLAP": "apply" if way else "off", "TACIT_OVERLAP_WINDOW": "1"}
    asked = WAYS[way.removeprefix(LINKED)] if way else {}
    return settings | {"TACIT_OVERLAP_" + key: value for key, value in asked.items()}


def remarks_in(text):
    """The places that the pass says it has changed."""
    return len(set(re.findall(r"^(?:\S+ )?(\S+:\d+:\d+): remark:|^remark: (\S+:\d+:\d+):", text, re.MULTILINE)))


class Platform:
    def __init__(self, asked, folder):
        self.folder, self.tacit = folder, asked.tacit
        self.plugin, self.hooks = (call([asked.tacit, what], folder).stdout.strip() for what in ("--pass", "--hooks"))
        # An error planted around the pass: loaded before it to lie, and behind it to take the lie back.
        around = [f"-fpass-plugin={asked.plant}"] if asked.plant else []
        self.plugins = [*around, f"-fpass-plugin={self.plugin}", *around]
        self.assume = ["-mllvm", f"-tacit-overlap-assume={asked.assume}"] if asked.assume else []

    avoid = ()  # what does not work here, as generate_routines names it

    def can(self, way, kind):
        return True

    @staticmethod
    def flags(way, seed, level):
        return ["-O2" if seed % 2 == 0 else "-O1", "-Rpass=mpi-overlap"] if way else [level]


class Real(Platform):
    """The compilers and the launcher of an MPI."""

    modes = {"eager": NO_EAGER, "rendezvous": NO_EAGER, "check mode": NO_EAGER | CHECKED}

    def __init__(self, asked, folder):
        super().__init__(asked, folder)
        self.mpicc, self.launcher = asked.mpicc, shlex.split(asked.launcher)
        self.took = 0.0  # the longest run of plain programs, in seconds
        self.c = {"OMPI_CC": "clang-19", "MPICH_CC": "clang-19", "OMPI_CXX": "clang++-19", "MPICH_CXX": "clang++-19",
                  "XDG_CACHE_HOME": str(folder)}
        self.compilers = {".c": [self.mpicc], ".cpp": [self.mpicc.replace("mpicc", "mpicxx"), "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"],
                          ".f90": [asked.tacit, "fc"]}
        self.flags_of = {"rendezvous": shlex.split(asked.rendezvous)}
        self.modes = {mode: Real.modes[mode] for mode in Real.modes if mode != "rendezvous" or asked.rendezvous}
        call([self.mpicc, "-O2", "-c", HERE / "elsewhere.c", "-o", "elsewhere.o"], folder, **self.c)

    def compile(self, source, output, way, seed, level="-O1"):
        """How many places were changed."""
        flags = self.flags(way, seed, level)
        if way and self.assume:
            flags += ["-Xflang", "-load", "-Xflang", self.plugin] if source.suffix == ".f90" else [f"-fplugin={self.plugin}"]
            flags += self.assume
        if way and way.startswith(LINKED):
            flags += ["-g1", "-flto", "-fuse-ld=lld", "-Wl,-mllvm,-pass-remarks=mpi-overlap"]
        if source.suffix == ".f90":
            (self.folder / f"{output}.modules").mkdir(exist_ok=True)
            flags += ["-module-dir", f"{output}.modules"]
        else:
            load = [f"-Wl,--load-pass-plugin={self.plugin}"] if way and way.startswith(LINKED) else self.plugins
            flags += ["-w", *load, *(["elsewhere.o"] if source.suffix == ".c" else []), self.hooks, "-lpthread"]
        done = call([*self.compilers[source.suffix], source, *flags, "-o", output], self.folder, **self.c, **settings_of(way))
        return remarks_in(done.stderr)

    def run(self, program, ranks, mode):
        """Where a condition is taken to hold, moved programs may have to hang: they have some times what plain ones took."""
        begun = time.monotonic()
        outcome = outcome_of([*self.launcher, *self.flags_of.get(mode, []), "-n", ranks, f"./{program}"], self.folder,
                             self.modes[mode] | {"TMPDIR": str(self.folder)},
                             2 + 5 * self.took if self.assume and program == "moved" else LONGEST)
        if program == "plain":
            self.took = max(self.took, time.monotonic() - begun)
        return outcome


class Simulated(Platform):
    """SMPI: the order of events is the same each time. Sends wait for their receivers always, or never."""

    modes = {"simulated, rendezvous": (0, NO_EAGER), "simulated, eager": (1 << 30, NO_EAGER)}
    # SimGrid 3.32: a persistent request that is started again deadlocks if sends do not wait; nonblocking collectives
    # in place send from freed memory (simulated.c mends that in C).
    avoid = ("persistent", "imaximum")
    wrapped = "-Wl," + ",".join(f"--wrap={name}" for name in ("MPI_Test", "mpi_test_", "MPI_Iallreduce", "MPI_Ialltoall",
                                                                "_FortranAProgramEndStatement"))

    def __init__(self, asked, folder):
        super().__init__(asked, folder)
        self.smpirun = asked.smpirun
        headers = Path(self.smpirun).resolve().parent.parent / "include" / "smpi"
        libraries = call(["llvm-config-19", "--libdir"], folder).stdout.strip()
        self.runtime = [f"-L{libraries}", "-lFortranRuntime", "-lFortranDecimal", "-lstdc++"]
        self.c = ["clang-19", "-fPIC", "-c", "-w", f"-I{headers}", f"-I{HOOKS.parents[1]}"]
        self.parts = {".c": [], ".f90": []}
        for source in [*sorted(HOOKS.glob("*.c")), HERE / "elsewhere.c", HERE / "simulated.c"]:
            made = folder / f"simulated_{source.stem}.o"
            call([*self.c, "-std=gnu11", "-O2", source, "-o", made], folder)
            self.parts[".f90"].append(made)
            if not source.stem.endswith("_fortran"):
                self.parts[".c"].append(made)
        (folder / "modules").mkdir()
        (folder / "mpi.f90").write_text("module mpi\n  include 'mpif.h'\nend module\n")
        self.fortran = ["flang-new-19", "-fPIC", "-c", f"-I{folder}/modules", f"-I{headers}", "-module-dir"]
        call([*self.fortran, "modules", "mpi.f90", "-o", "mpi.o"], folder)
        (folder / "hosts").write_text("".join(f"node{i}\n" for i in range(8)))
        (folder / "platform.xml").write_text(
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
            '  <cluster id="cluster" prefix="node" suffix="" radical="0-7" speed="1000000000f" bw="125MBps" lat="20us"/>\n'
            "</platform>\n")

    def can(self, way, kind):
        """Collectives in place do not work as nonblocking ones in Fortran."""
        return kind not in IDIOMS and not way.startswith(LINKED) and (way != "with collectives" or kind != "fortran")

    def compile(self, source, output, way, seed, level="-O1"):
        object_ = f"{output}.simulated.o"
        command = self.c
        if source.suffix != ".c":
            (self.folder / f"{output}.modules").mkdir(exist_ok=True)
            command = [*self.fortran, f"{output}.modules"]
        done = call([*command, *self.flags(way, seed, level), *self.plugins, source, "-o", object_], self.folder, **settings_of(way))
        call(["clang-19", "-shared", "-Wl,-z,defs", object_, *self.parts[source.suffix], self.wrapped,
              *(self.runtime if source.suffix != ".c" else []), "-lsimgrid", "-lm", "-o", output], self.folder)
        return remarks_in(done.stderr)

    def run(self, program, ranks, mode):
        eager, environment = self.modes[mode]
        return outcome_of([self.smpirun, "-np", ranks, "-platform", "platform.xml", "-hostfile", "hosts", f"./{program}",
                           "--log=root.thres:critical", "--cfg=smpi/simulate-computation:no",
                           f"--cfg=smpi/send-is-detached-thresh:{eager}", f"--cfg=smpi/async-small-thresh:{eager}"],
                          self.folder, environment)


class Batch:
    """Many programs in one source."""

    def __init__(self, platform, kind, seed, count, ranks):
        self.platform, self.kind, self.seed, self.count = platform, kind, seed, count
        self.ranks = 2 if kind in IDIOMS else ranks
        self.left_out = None  # unsteady programs, once anything differed
        self.source = platform.folder / ("programs" + SUFFIXES.get(kind, ".c"))
        self.source.write_text(text_of(kind, seed, count, platform.avoid))

    def plain(self):
        """What the programs say as they are, in every mode without what only concerns moved programs."""
        self.platform.compile(self.source, "plain", None, self.seed)
        modes = [mode for mode in self.platform.modes if "check" not in mode]
        found = [self.platform.run("plain", self.ranks, mode) for mode in modes]
        for mode, one in zip(modes, found):
            if not one.complete(self.count, self.ranks) or one.lines != found[0].lines:
                raise Trouble(f"{self.kind}, seed {self.seed}: the plain programs do not run ({mode}): "
                              f"{found[0].first_difference(one)} {len(one.lines)} lines")
        return found[0]

    def unsteady(self, expected):
        """Programs that say something else, as they are, at another level of optimization: flang 19 makes such ones out of
        a few in a thousand, and nothing can be learned from them."""
        changed = set()
        for level in ("-O0", "-O2"):
            self.platform.compile(self.source, "plain", None, self.seed, level)
            seen = self.platform.run("plain", self.ranks, next(iter(self.platform.modes)))
            changed |= {int(line.split()[1]) for line in set(seen.lines) ^ set(expected.lines)}
        return changed

    def compare(self, expected, way, modes):
        """Compiles one way; how many places changed, and (mode, difference) of the runs that differ."""
        try:
            changed = self.platform.compile(self.source, "moved", way, self.seed)
        except Trouble as trouble:
            return 0, [("compiler", str(trouble))]
        found = []
        for mode in modes:
            seen = self.platform.run("moved", self.ranks, mode)
            if seen != expected and self.left_out is None:
                self.left_out = self.unsteady(expected)
            if seen != expected and seen.without(self.left_out) != expected.without(self.left_out):
                found.append((mode, expected.first_difference(seen)))
                if self.platform.assume:
                    break
        return changed, found


if __name__ == "__main__":
    sys.exit("run random_programs.py")
