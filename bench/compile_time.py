#!/usr/bin/env python3
"""What the overlap pass costs when compiling. Writes one result file: machine, commit, command, numbers.

    bench/compile_time.py                    11 rounds; bench/results/compile-time-<machine>.json
    bench/compile_time.py --rounds 30 --stdout

Builds the kernels of bench/papers/s2 twice: each file on its own (-O2 -c, the pass in the compiler), and at link
time (-O2 -flto, the pass in lld; compiling and linking together). Interleaved, each round without the plugin, with the
plugin loaded but off, and transforming. Counted are user seconds of compiler and linker with all their children, and
instructions where `perf` can count them; the least of all rounds counts, because others on the machine only add. The
ratio is transforming against the plugin off.

Needs clang 19, flang 19, lld 19, Open MPI and the built pass (cmake --preset release).
"""
import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import ROOT, dirty, machine, output, write_result

KERNELS = ROOT / "bench" / "papers" / "s2" / "kernels"
SOURCES = ("cg.c", "exchange.c", "ft.c", "lu.f90", "mg.f90", "ring.c", "sp.f90", "stencil.c")
MODES = {"plain": None, "off": "off", "apply": "apply"}
BUILDS = ("per file", "link time")


def perf_counts():
    """True if perf can count instructions here; in most virtual machines it cannot."""
    if not shutil.which("perf"):
        return False
    said = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", "true"], capture_output=True, text=True,
                          check=False)
    return said.returncode == 0 and said.stderr.split(",")[0].isdigit()


class Builder:
    def __init__(self, library, work, instructions):
        self.plugin, self.hooks, self.work = library / "TacitPass.so", library / "libtacit-hooks.a", work
        self.count = instructions
        self.compilers = {".c": ["clang-19", "-std=gnu11"], ".f90": ["flang-new-19"]}
        self.compile_flags = {".c": shlex.split(output("mpicc.openmpi", "--showme:compile")),
                              ".f90": shlex.split(output("mpif90.openmpi", "--showme:incdirs"))}
        self.compile_flags[".f90"] = [f"-I{folder}" for folder in self.compile_flags[".f90"]]
        self.link_flags = {".c": shlex.split(output("mpicc.openmpi", "--showme:link")) + ["-lm"],
                           ".f90": shlex.split(output("mpif90.openmpi", "--showme:link"))}
        for missing in (p for p in (self.plugin, self.hooks) if not p.exists()):
            sys.exit(f"{missing} is missing: build it with `cmake --build --preset release`")

    def run(self, mode, *command):
        """User seconds and instructions (0 if they cannot be counted) of the command with its children."""
        environment = dict(os.environ, TACIT_OVERLAP=mode or "off")
        counts = self.work / "counts"
        if self.count:
            command = ("perf", "stat", "-x,", "-e", "instructions:u", "-o", str(counts), *command)
        with tempfile.TemporaryFile("w+") as said:
            child = subprocess.Popen(command, env=environment, stdout=said, stderr=said, cwd=self.work)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                said.seek(0)
                sys.exit(f"failed: {shlex.join(command)}\n{said.read()}")
        counted = re.search(r"^(\d+),", counts.read_text(), re.M) if self.count else None
        return used.ru_utime, int(counted.group(1)) if counted else 0

    def build(self, source, kind, mode):
        language = Path(source).suffix
        compiler, made = self.compilers[language], str(self.work / "made.o")
        compiling = [*compiler, "-O2", "-c", str(KERNELS / source), "-o", made, *self.compile_flags[language]]
        if kind == "per file":
            return self.run(mode, *compiling, *([f"-fpass-plugin={self.plugin}"] if mode else []))
        first = self.run(mode, *compiling, "-flto")
        second = self.run(mode, *compiler, "-O2", "-flto", "-fuse-ld=lld", made, "-o", str(self.work / "made"),
                          *([f"-Wl,--load-pass-plugin={self.plugin}"] if mode else []), str(self.hooks),
                          *self.link_flags[language])
        return first[0] + second[0], first[1] + second[1]


def measure(builder, rounds):
    best = {}
    for _ in range(rounds):
        for source in SOURCES:
            for kind in BUILDS:
                for name, mode in MODES.items():
                    seconds, instructions = builder.build(source, kind, mode)
                    key = (kind, source, name)
                    known = best.get(key, (seconds, instructions))
                    best[key] = (min(known[0], seconds), min(known[1], instructions))
    return best


def summary(best, instructions):
    result = {}
    for kind in BUILDS:
        kernels = {}
        for source in SOURCES:
            kernels[source] = {"user seconds": {name: round(best[kind, source, name][0], 3) for name in MODES}}
            if instructions:
                kernels[source]["instructions"] = {name: best[kind, source, name][1] for name in MODES}
        all_of = {name: [sum(best[kind, source, name][i] for source in SOURCES) for i in (0, 1)] for name in MODES}
        result[kind] = {"user seconds": {name: round(sums[0], 3) for name, sums in all_of.items()},
                       "ratio": round(all_of["apply"][0] / all_of["off"][0], 3), "kernels": kernels}
        if instructions:
            result[kind]["ratio of instructions"] = round(all_of["apply"][1] / all_of["off"][1], 4)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--library", type=Path, default=ROOT / "build" / "release" / "lib",
                        help="folder of TacitPass.so and libtacit-hooks.a")
    parser.add_argument("--stdout", action="store_true", help="print the result instead of writing it")
    arguments = parser.parse_args()
    instructions = perf_counts()
    with tempfile.TemporaryDirectory() as work:
        builder = Builder(arguments.library.resolve(), Path(work), instructions)
        best = measure(builder, arguments.rounds)
    result = {"what": "user seconds to compile the kernels of bench/papers/s2, least of all rounds; ratio: "
                      "transforming against the plugin loaded but off",
              "machine": machine(), "commit": output("git", "rev-parse", "--short", "HEAD"), "dirty": dirty(),
              "command": f"bench/compile_time.py --rounds {arguments.rounds}",
              "instructions": "counted" if instructions else "not counted: perf cannot count them here",
              "builds": summary(best, instructions)}
    write_result("compile-time", result, arguments.stdout)
    print(", ".join(f"{kind} {of['ratio']}x" for kind, of in result["builds"].items()), file=sys.stderr)


if __name__ == "__main__":
    main()
