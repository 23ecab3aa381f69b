#!/usr/bin/env python3
"""Seed 001 in deterministic simulation: its Tables 1 to 3 on kernels of our own, plain, transformed and by hand.

    bench/papers/s2/run.py                    all configurations; writes bench/results/papers-s2-simulated.json
    bench/papers/s2/run.py --kernel lu mg     some kernels
    bench/papers/s2/run.py --quick            one small size of each, 16 ranks
    bench/papers/s2/run.py --json --stdout    print the results as JSON instead of writing them
    bench/papers/s2/run.py --check            a few small configurations, twice: fails if digits differ or a target is missed

Each kernel is built four times by the same compiler: as written (plain), with the overlap pass (conservative and
aggressive motion), and, where there is one, the version an expert would write (hand). SimGrid's SMPI runs them on a
simulated cluster. Computation is not measured but counted by the programs (cost_counter.cpp), so that the same build
gives the same digits each time. Every result is compared with a run on one rank. Numbers are speedups against plain.

Needs SimGrid (libsimgrid-dev), clang 19, flang 19, LLVM 19 and the built pass (cmake --preset release).
"""
import argparse
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from measured import ROOT, dirty, git, machine  # noqa: E402

WORK = ROOT / "build" / "s2"  # see --work
SPEED = 2e9  # units of cost_counter.cpp per second and rank
CALL = 5e-7  # seconds that a send or receive takes of its caller
TEST = 1e-7  # seconds that an unsuccessful test takes
TOLERANCE = 1e-9  # of checksums, which sum in another order
GUARD = 0.98  # no configuration may be slower than this, relative to plain

NETWORKS = {"gbe": ("125MBps", "20us"), "fast": ("1.25GBps", "2us")}
PROTOCOLS = {"eager": 65536, "eager-4k": 4096, "rendezvous": 0}  # bytes below which a send does not wait for its receiver
VARIANTS = {"plain": "off", "conservative": "conservative", "aggressive": "aggressive"}


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    source: str
    small: str  # arguments
    ranks: tuple
    large: str
    large_ranks: int
    hand: str = ""
    table: str = ""  # of the seed


KERNELS = (
    Kernel("mg", "mg.f90", "64 2 4", (16, 32, 64), "128 2 5", 32, hand="mg_hand.f90", table="Table 1"),
    Kernel("lu", "lu.f90", "64 2", (16, 64), "128 1", 16, hand="lu_hand.f90", table="Table 2"),
    Kernel("sp", "sp.f90", "60 2", (16, 25, 36), "120 1", 25, table="Table 3"),
    Kernel("ft", "ft.c", "256 4", (16, 32, 64), "1024 1", 32),
    Kernel("cg", "cg.c", "4096 20", (16, 64), "65536 5", 16),
    Kernel("stencil", "stencil.c", "512 20", (16, 32, 64), "2048 4", 32),
    Kernel("ring", "ring.c", "2048 2", (16, 32, 64), "8192 1", 32),
)


# What --check runs: arguments, ranks, network, protocol, and the least speedup of each form. Where a form gains, the floor is
# somewhat below what it reaches, so that a compiler that vectorizes otherwise does not fail it.
CHECKED = {
    "lu": ("32 1", 16, "gbe", "rendezvous", {"conservative": 1.1, "aggressive": 1.5}),
    "mg": ("64 1 4", 16, "gbe", "rendezvous", {"conservative": 1.2, "aggressive": 1.2}),
    "sp": ("60 1", 36, "fast", "eager", {"conservative": GUARD, "aggressive": GUARD}),
}


class Trouble(Exception):
    pass


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def call(command: list, **environment) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace",
                          env={**os.environ, **environment}, cwd=WORK)
    if done.returncode != 0:
        raise Trouble(f"{shlex.join(str(word) for word in command)}\nfailed:\n{done.stderr[-3000:]}")
    return done


class Toolchain:
    """The programs this needs, and how a kernel becomes a shared object that SMPI can run."""

    def __init__(self, overlap_pass: Path):
        self.smpirun = self.find("smpirun", "libsimgrid-dev")
        self.clang = self.find("clang-19", "clang-19")
        self.flang = self.find("flang-new-19", "flang-19")
        self.llvm = self.find("llvm-config-19", "llvm-19-dev")
        self.headers = Path(self.smpirun).resolve().parent.parent / "include" / "smpi"
        if not (self.headers / "mpi.h").exists():
            raise Trouble(f"the headers of SMPI are missing in {self.headers}: install libsimgrid-dev")
        if not overlap_pass.exists():
            raise Trouble(f"{overlap_pass} is missing: build it with  cmake --preset release && cmake --build --preset release")
        self.overlap_pass = overlap_pass
        self.counter = WORK / "cost_counter.so"

    @staticmethod
    def find(program: str, package: str) -> str:
        path = shutil.which(program)
        if not path:
            raise Trouble(f"{program} is missing: install {package} (see tools/setup)")
        return path

    def prepare(self) -> None:
        """Builds the counter, and the hooks of the overlap pass for SMPI, whose copies are counted as well."""
        llvm = [subprocess.run([self.llvm, flag], capture_output=True, text=True, check=True).stdout.strip()
                for flag in ("--includedir", "--libdir")]
        self.libraries = llvm[1]
        call(["c++", "-std=c++17", "-O2", "-fPIC", "-shared", "-fno-rtti", "-isystem", llvm[0], HERE / "cost_counter.cpp",
              "-o", self.counter])
        c = [self.clang, "-std=gnu11", "-O2", "-fPIC", "-c", f"-I{self.headers}", f"-I{ROOT / 'src'}",
             "-DTACIT_TICKS=tacit_computed", f"-DTACIT_UNITS_PER_NANOSECOND={SPEED / 1e9:.0f}"]
        self.hooks = {"c": [], "fortran": []}
        for source in sorted((ROOT / "src" / "compiler" / "hooks").glob("*.c")):
            made = WORK / f"hooks_{source.stem}.o"
            call([*c, f"-fpass-plugin={self.counter}", source, "-o", made])
            self.hooks["fortran"].append(made)
            if not source.stem.endswith("_fortran"):
                self.hooks["c"].append(made)
        for name in ("charge", "fortran_end"):
            call([*c, HERE / f"{name}.c", "-o", WORK / f"{name}.o"])

    def build(self, source: str, variant: str) -> tuple[Path, dict]:
        """The shared object, and how many remarks the pass gave about its sites."""
        name = f"{Path(source).stem}.{variant}"
        fortran = source.endswith(".f90")
        setting = VARIANTS[variant]
        environment = {"TACIT_OVERLAP": "off" if setting == "off" else "apply"}
        if setting != "off":
            environment["TACIT_OVERLAP_MODE"] = setting
        modules = WORK / f"{name}.modules"
        modules.mkdir(exist_ok=True)
        made = WORK / f"{name}.o"
        compiled = call([self.flang if fortran else self.clang, "-O2", "-fPIC", "-c", f"-I{self.headers}",
                         *(["-module-dir", modules] if fortran else ["-std=gnu11"]),
                         f"-fpass-plugin={self.overlap_pass}", f"-fpass-plugin={self.counter}", "-Rpass=mpi-overlap",
                         "-Rpass-missed=mpi-overlap", HERE / "kernels" / source, "-o", made], **environment)
        program = WORK / f"{name}.so"
        language = "fortran" if fortran else "c"
        runtime = [WORK / "fortran_end.o", "-Wl,--wrap=_FortranAProgramEndStatement", f"-L{self.libraries}",
                   "-lFortranRuntime", "-lFortranDecimal", "-lstdc++"] if fortran else []
        call([self.clang, "-shared", "-Wl,-z,defs", made, WORK / "charge.o", *self.hooks[language], *runtime, "-lsimgrid",
              "-lm", "-o", program])
        return program, count_remarks(compiled.stderr)


def count_remarks(text: str) -> dict:
    """Distinct source places; a routine that is inlined in several places has one remark per place."""
    found = set(re.findall(r"([\w.]+:\d+:\d+): remark: (.*) \[-Rpass(-missed)?=mpi-overlap\]", text))
    sites = {place: [] for place, _, _ in found}
    for place, what, missed in sorted(found):
        sites[place].append((bool(missed), what.split(";")[0]))
    moved = {place for place, remarks in sites.items() if any(not missed for missed, _ in remarks)}
    return {"sites": len(sites), "moved": len(moved),
            "missed": sorted({f"{place} {what}" for place, remarks in sites.items() if place not in moved for _, what in remarks})}


def platform_files(network: str, ranks: int) -> tuple[Path, Path]:
    return WORK / f"{network}-{ranks}.xml", WORK / f"hosts-{ranks}"


def write_platform(network: str, ranks: int) -> None:
    bandwidth, latency = NETWORKS[network]
    xml, hosts = platform_files(network, ranks)
    xml.write_text("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
                   f'  <cluster id="cluster" prefix="node" suffix="" radical="0-{ranks - 1}" speed="{SPEED:.0f}f" '
                   f'bw="{bandwidth}" lat="{latency}"/>\n</platform>\n')
    hosts.write_text("".join(f"node{i}\n" for i in range(ranks)))


def simulate(tools: Toolchain, program: Path, arguments: str, ranks: int, network: str, protocol: str) -> dict:
    xml, hosts = platform_files(network, ranks)
    eager = PROTOCOLS[protocol]
    done = call([tools.smpirun, "-np", ranks, "-platform", xml, "-hostfile", hosts, program, "--log=root.thres:critical",
                 "--cfg=smpi/simulate-computation:no", f"--cfg=smpi/test:{TEST}", f"--cfg=smpi/iprobe:{TEST}",
                 "--cfg=smpi/grow-injected-times:no",
                 *(f"--cfg=smpi/{what}:0:{CALL}:0" for what in ("os", "ois", "or")),
                 f"--cfg=smpi/send-is-detached-thresh:{eager}", f"--cfg=smpi/async-small-thresh:{eager}",
                 "--cfg=smpi/lat-factor:0:1", "--cfg=smpi/bw-factor:0:1", *arguments.split()],
                TACIT_OVERLAP_EAGER=str(max(eager - 1, 0)))  # SMPI's limit is the first size that waits
    values = dict(re.findall(r"^\s*(checksum|seconds|computed)\s+(\S+)", done.stdout, re.MULTILINE))
    if set(values) != {"checksum", "seconds", "computed"}:
        raise Trouble(f"{program.name} {arguments} on {ranks} ranks did not print its results:\n{done.stdout}{done.stderr[-2000:]}")
    return {"checksum": float(values["checksum"]), "seconds": float(values["seconds"]), "computed": int(values["computed"])}


def same(a: float, b: float) -> bool:
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def measure(tools: Toolchain, kernel: Kernel, programs: dict, size: tuple, ranks: int, network: str, protocol: str,
            reference: float) -> dict:
    row = {"kernel": kernel.name, "table": kernel.table, "size": size[0], "arguments": size[1], "ranks": ranks,
           "network": network, "protocol": protocol}
    for variant, program in programs.items():
        result = simulate(tools, program, size[1], ranks, network, protocol)
        if not same(result["checksum"], reference):
            raise Trouble(f"{kernel.name} {size[1]}, {ranks} ranks, {network}, {protocol}, {variant}: checksum "
                          f"{result['checksum']!r}, on one rank {reference!r}")
        row[variant] = {"seconds": result["seconds"], "computed": result["computed"]}
        row[variant]["speedup"] = row["plain"]["seconds"] / result["seconds"]
    if "hand" in row and row["hand"]["speedup"] > 1.005:
        saved = {variant: row["plain"]["seconds"] - row[variant]["seconds"] for variant in ("aggressive", "hand")}
        row["share_of_hand"] = saved["aggressive"] / saved["hand"]
    return row


def table(rows: list) -> str:
    lines = [f"{'kernel':8} {'size':6} {'ranks':>5} {'network':7} {'protocol':10} {'plain s':>10} {'conserv.':>8} "
             f"{'aggress.':>8} {'hand':>8} {'of hand':>8}"]
    for row in rows:
        hand = f"{row['hand']['speedup']:8.3f}" if "hand" in row else " " * 8
        share = f"{row['share_of_hand']:7.0%} " if "share_of_hand" in row else ""
        lines.append(f"{row['kernel']:8} {row['size']:6} {row['ranks']:5} {row['network']:7} {row['protocol']:10} "
                     f"{row['plain']['seconds']:10.6f} {row['conservative']['speedup']:8.3f} "
                     f"{row['aggressive']['speedup']:8.3f} {hand} {share}")
    return "\n".join(lines)


def verdicts(rows: list) -> list[dict]:
    """What has to be reached, and what was."""
    def chosen(kernel, ranks, **where):
        return [row for row in rows if row["kernel"] == kernel and row["ranks"] == ranks
                and all(row[key] == value for key, value in where.items())]
    found = []
    lu = chosen("lu", 16, protocol="rendezvous", network="gbe")
    if lu:
        found.append({"target": "LU-shaped, rendezvous, 16 ranks, GbE: at least 1.6x at the small size",
                      "values": {row["size"]: row["aggressive"]["speedup"] for row in lu},
                      "met": max(row["aggressive"]["speedup"] for row in lu) >= 1.6})
    mg = [row for row in chosen("mg", 32, network="gbe") if row["hand"]["speedup"] > 1.02]
    if mg:
        found.append({"target": "MG-shaped, 32 ranks, GbE: at least 90 % of what the best hand placement saves, where it saves 2 %",
                      "values": {f"{row['size']} {row['protocol']}": row["share_of_hand"] for row in mg},
                      "met": min(row["share_of_hand"] for row in mg) >= 0.9})
    slow = [(row, variant) for row in rows for variant in ("conservative", "aggressive") if row[variant]["speedup"] < GUARD]
    found.append({"target": f"never slower than {GUARD}x",
                  "values": {f"{row['kernel']} {row['size']} {row['ranks']} {row['network']} {row['protocol']} {variant}":
                             row[variant]["speedup"] for row, variant in slow},
                  "met": not slow})
    return found


def configurations(arguments):
    for kernel in KERNELS:
        if arguments.kernel and kernel.name not in arguments.kernel:
            continue
        cases = [(("small", kernel.small), ranks) for ranks in kernel.ranks]
        cases = cases[:1] if arguments.quick else [*cases, (("large", kernel.large), kernel.large_ranks)]
        for size, ranks in cases:
            if arguments.ranks and ranks not in arguments.ranks:
                continue
            for network in arguments.network:
                for protocol in arguments.protocol:
                    yield kernel, size, ranks, network, protocol


def check(arguments) -> None:
    """Results are verified by `measure`; two runs have to agree in every digit."""
    WORK.mkdir(parents=True, exist_ok=True)
    tools = Toolchain(Path(arguments.overlap_pass))
    tools.prepare()
    write_platform("gbe", 1)
    wrong = []
    for kernel in (kernel for kernel in KERNELS if kernel.name in CHECKED):
        words, ranks, network, protocol, floors = CHECKED[kernel.name]
        write_platform(network, ranks)
        programs = {variant: tools.build(kernel.source, variant)[0] for variant in VARIANTS}
        reference = simulate(tools, programs["plain"], words, 1, "gbe", "rendezvous")["checksum"]
        first, second = (measure(tools, kernel, programs, ("checked", words), ranks, network, protocol, reference)
                         for _ in range(2))
        print(table([first]).splitlines()[1])
        if first != second:
            wrong.append(f"{kernel.name}: two runs differ:\n{first}\n{second}")
        wrong += [f"{kernel.name}: {variant} {first[variant]['speedup']:.4f}x of plain, at least {floor}x is expected"
                  for variant, floor in floors.items() if first[variant]["speedup"] < floor]
    if wrong:
        raise Trouble("\n".join(wrong))


def run(arguments) -> dict:
    WORK.mkdir(parents=True, exist_ok=True)
    tools = Toolchain(Path(arguments.overlap_pass))
    say("building the cost counter and the hooks for SMPI")
    tools.prepare()
    todo = list(configurations(arguments))
    if not todo:
        raise Trouble("no configuration is left: look at KERNELS for the ranks of each kernel")
    for network, ranks in {("gbe", 1), *((network, ranks) for _, _, ranks, network, _ in todo)}:
        write_platform(network, ranks)
    programs, remarks, references = {}, {}, {}
    for kernel in dict.fromkeys(kernel for kernel, *_ in todo):
        say(f"building {kernel.name}")
        programs[kernel.name] = {}
        for variant in VARIANTS:
            programs[kernel.name][variant], seen = tools.build(kernel.source, variant)
            remarks.setdefault(kernel.name, {})[variant] = seen
        if kernel.hand:
            programs[kernel.name]["hand"] = tools.build(kernel.hand, "plain")[0]
    for kernel, size in dict.fromkeys((kernel, size) for kernel, size, *_ in todo):
        say(f"{kernel.name} {size[0]} on one rank")
        references[kernel.name, size] = simulate(tools, programs[kernel.name]["plain"], size[1], 1, "gbe", "rendezvous")["checksum"]
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        started = [pool.submit(measure, tools, kernel, programs[kernel.name], size, ranks, network, protocol,
                               references[kernel.name, size]) for kernel, size, ranks, network, protocol in todo]
        for number, one in enumerate(started, 1):
            rows.append(one.result())
            say(f"[{number}/{len(started)}] {table(rows[-1:]).splitlines()[1]}")
    again = measure(tools, todo[0][0], programs[todo[0][0].name], *todo[0][1:], references[todo[0][0].name, todo[0][1]])
    if again != rows[0]:
        raise Trouble(f"two runs of the same configuration differ:\n{rows[0]}\n{again}")
    return {"machine": machine(), "commit": git("rev-parse", "--short", "HEAD"),
            "dirty": dirty(),
            "command": shlex.join(["bench/papers/s2/run.py", *sys.argv[1:]]),
            "model": {"units per second": SPEED, "seconds per call": CALL, "seconds per test": TEST, "networks": NETWORKS,
                      "eager limits": PROTOCOLS},
            "kernels": {path.name: hashlib.sha256(path.read_bytes()).hexdigest()[:12]
                        for path in sorted((HERE / "kernels").iterdir())},
            "remarks": remarks, "targets": verdicts(rows), "rows": rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", nargs="+", choices=[kernel.name for kernel in KERNELS])
    parser.add_argument("--ranks", nargs="+", type=int)
    parser.add_argument("--network", nargs="+", choices=list(NETWORKS), default=list(NETWORKS))
    parser.add_argument("--protocol", nargs="+", choices=list(PROTOCOLS), default=list(PROTOCOLS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--jobs", type=int, default=1, help="configurations simulated at a time (1)")
    parser.add_argument("--pass", dest="overlap_pass", default=str(ROOT / "build" / "release" / "lib" / "TacitPass.so"))
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--stdout", action="store_true", help="do not write bench/results/papers-s2-simulated.json")
    parser.add_argument("--check", action="store_true", help="a few small configurations, as a test")
    parser.add_argument("--work", type=Path, default=WORK, help="where programs are built (build/s2)")
    arguments = parser.parse_args()
    globals()["WORK"] = arguments.work.resolve()
    try:
        if arguments.check:
            check(arguments)
            return 0
        result = run(arguments)
    except Trouble as trouble:
        print(f"s2: {trouble}", file=sys.stderr)
        return 1
    text = json.dumps(result, indent=1) + "\n"
    print(text if arguments.json else table(result["rows"]))
    if not arguments.json:
        for one in result["targets"]:
            values = ", ".join(f"{name}: {value:.3f}" for name, value in one["values"].items())
            print(f"{'reached' if one['met'] else 'missed '}  {one['target']}  {values}")
    if not arguments.stdout:
        path = ROOT / "bench" / "results" / "papers-s2-simulated.json"
        path.write_text(text)
        say(str(path.relative_to(ROOT)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
