#!/usr/bin/env python3
"""How much of the communication a real MPI hides: Open MPI between two network namespaces of 200 Mbit/s.

    bench/papers/s2/tbf.py                 1, 2 and 4 MiB; writes bench/results/papers-s2-tbf.json
    bench/papers/s2/tbf.py --stdout        prints the result only
    bench/papers/s2/tbf.py --rate 1gbit --mib 4

Two ranks exchange messages over TCP and compute longer than the communication takes (kernels/exchange.c). The hidden share
is (plain - moved) / communication, where communication is what the messages add to the plain program: plain - the same
program with messages of 512 bytes. At 100 % they cost nothing any more. `moved` is the program after the overlap pass, with
and without the calls that let MPI progress (pokes). Times are the smallest of several interleaved runs: other load on
the machine only ever adds.

Needs root (for `ip netns` and `tc`), Open MPI, clang 19 and the built pass; says why and succeeds where it may not.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
from pathlib import Path

from run import HERE, Trouble, say

sys.path.insert(0, str(HERE.parents[1]))
import two_nodes  # noqa: E402
from measured import ROOT, dirty, git, machine  # noqa: E402
from two_nodes import Nodes, NotPermitted  # noqa: E402

WORK = ROOT / "build" / "s2-tbf"
BUILDS = {"plain": {"TACIT_OVERLAP": "off"}, "moved": {"TACIT_OVERLAP": "apply", "TACIT_OVERLAP_POKE": "off"},
          "moved and poked": {"TACIT_OVERLAP": "apply"}}
TOLERANCE = 1e-9
SIZED = 1.2  # computation per communication: enough to hide all of it, also when another program disturbs
TINY = 8 * 64  # bytes: the program as it would be with communication that costs nothing


def call(*command, **environment) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        raise Trouble(f"{shlex.join(str(word) for word in command)}\nfailed:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def look_around(overlap_pass: Path, hooks: Path) -> None:
    two_nodes.look_around()
    for program, package in (("tc", "iproute2"), ("mpicc.openmpi", "libopenmpi-dev"), ("clang-19", "clang-19")):
        if not shutil.which(program):
            raise NotPermitted(f"{program} is missing ({package})")
    for made in (overlap_pass, hooks):
        if not made.exists():
            raise Trouble(f"{made} is missing: build it with  cmake --preset release && cmake --build --preset release")


def build(overlap_pass: Path, hooks: Path) -> dict:
    programs = {}
    for name, settings in BUILDS.items():
        programs[name] = WORK / name.replace(" ", "-")
        call("mpicc.openmpi", "-std=gnu11", "-O2", f"-fpass-plugin={overlap_pass}", HERE / "kernels" / "exchange.c", hooks,
             "-lm", "-o", programs[name], OMPI_CC="clang-19", **settings)
    return programs


def run_once(nodes: Nodes, program: Path, bytes_: int, steps: int, sweeps: int, mca: list) -> tuple[float, float]:
    text = call("timeout", "120", *nodes.command(1, [program, bytes_, steps, sweeps], before=("nice", "-n", "-15"), mca=mca))
    values = dict(re.findall(r"^(checksum|seconds) (\S+)", text, re.MULTILINE))
    if set(values) != {"checksum", "seconds"}:
        raise Trouble(f"{program} did not print its results:\n{text}")
    return float(values["seconds"]), float(values["checksum"])


def measure(nodes: Nodes, programs: dict, mib: int, arguments) -> dict:
    bytes_, steps, repetitions = mib << 20, arguments.steps, arguments.repetitions

    def timed(name: str, sweeps: int, size: int = bytes_) -> tuple[float, float]:
        return run_once(nodes, programs[name], size, steps, sweeps, arguments.mca)

    say(f"{mib} MiB: communication without computation")
    alone = statistics.median(timed("plain", 0)[0] for _ in range(3))
    trial = 4000
    sweeps = max(1, round(trial * SIZED * alone / statistics.median(timed("plain", trial, TINY)[0] for _ in range(3))))
    seconds = {name: [] for name in programs}
    checksums = set()
    computation = []
    for repetition in range(repetitions):
        computation.append(timed("plain", sweeps, TINY)[0])
        for name in programs:
            taken, checksum = timed(name, sweeps)
            seconds[name].append(taken)
            checksums.add(checksum)
        say(f"{mib} MiB [{repetition + 1}/{repetitions}] computation {computation[-1]:.3f} s, "
            + ", ".join(f"{name} {values[-1]:.3f} s" for name, values in seconds.items()))
    if max(checksums) - min(checksums) > TOLERANCE * max(checksums):
        raise Trouble(f"{mib} MiB: the programs print different checksums: {sorted(checksums)}")
    best = {name: min(values) for name, values in seconds.items()}
    communication = best["plain"] - min(computation)
    return {"mib": mib, "steps": steps, "sweeps": sweeps, "alone": alone, "communication": communication, "seconds": best,
            "all": {"computation": computation, **seconds},
            "hidden": {name: (best["plain"] - best[name]) / communication for name in programs if name != "plain"}}


def run(arguments) -> dict:
    overlap_pass, hooks = Path(arguments.overlap_pass), Path(arguments.hooks)
    look_around(overlap_pass, hooks)
    WORK.mkdir(parents=True, exist_ok=True)
    programs = build(overlap_pass, hooks)
    with Nodes(WORK, shape=("tbf", "rate", arguments.rate, "burst", "128kb", "latency", "20ms")) as nodes:
        rows = [measure(nodes, programs, mib, arguments) for mib in arguments.mib]
    poked = [row["hidden"]["moved and poked"] for row in rows]
    return {"machine": machine(), "commit": git("rev-parse", "--short", "HEAD"),
            "dirty": dirty(),
            "command": shlex.join(["bench/papers/s2/tbf.py", *sys.argv[1:]]), "rate": arguments.rate, "mca": arguments.mca,
            "mpi": call("mpirun.openmpi", "--version").splitlines()[0],
            "target": {"text": "hidden share of the communication at least 80 %", "met": min(poked) >= 0.8}, "rows": rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", default="200mbit")
    parser.add_argument("--mib", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--mca", nargs="+", default=[], metavar="NAME=VALUE",
                        help="settings of Open MPI; btl_tcp_flags=1 lets both directions have the whole rate at once")
    parser.add_argument("--pass", dest="overlap_pass", default=str(ROOT / "build" / "release" / "lib" / "TacitPass.so"))
    parser.add_argument("--hooks", default=str(ROOT / "build" / "release" / "lib" / "libtacit-hooks.a"), help="built for Open MPI")
    parser.add_argument("--stdout", action="store_true", help="do not write bench/results/papers-s2-tbf.json")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # leaves no namespaces behind
    try:
        result = run(arguments)
    except NotPermitted as reason:
        print(f"s2: skipped: {reason}")
        return 0
    except (Trouble, two_nodes.Trouble) as trouble:
        print(f"s2: {trouble}", file=sys.stderr)
        return 1
    print(f"{'message':>8} {'comm. s':>8} {'plain s':>8} {'moved s':>8} {'hidden':>7} {'poked s':>8} {'hidden':>7}")
    for row in result["rows"]:
        times, hidden = row["seconds"], row["hidden"]
        print(f"{row['mib']:4} MiB {row['communication']:8.3f} {times['plain']:8.3f} {times['moved']:8.3f} {hidden['moved']:7.0%} "
              f"{times['moved and poked']:8.3f} {hidden['moved and poked']:7.0%}")
    print("reached" if result["target"]["met"] else "missed ", result["target"]["text"])
    if not arguments.stdout:
        path = ROOT / "bench" / "results" / "papers-s2-tbf.json"
        path.write_text(json.dumps(result, indent=1) + "\n")
        say(str(path.relative_to(ROOT)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
