#!/usr/bin/env python3
"""What recording costs: per call, on hpcc, on disk, and in the analysis. Writes one result file: machine, commit, command, numbers.

    bench/recorder_overhead.py                   20 pairs of hpcc runs of each kind, bench/results/recorder-<machine>.json
    bench/recorder_overhead.py --pairs 40 --runs 2:1000 --stdout

Per call: bench/recorder_calls.c with and without the recorder (no hashing), alternating; the difference of the fastest
blocks, in nanoseconds (two time stamps, the record, the file, everything included). hpcc: interleaved runs without
and with the recorder, and with a library that does nothing but jump from MPI_X to PMPI_X, which no interposer can be faster
than; CPU time (user + system) of all ranks; the median of the ratios of the pairs, and the ratio of the fastest runs. Ranks that
wait use CPU time too: run it on a calm machine, and with more ranks than cores the ratio is that of the elapsed times. hpcc's
measurement of bandwidth sends as many bytes whatever its size is, so that hashing weighs less in a longer run: hence two sizes.
Rounds: bench/recorder_rounds.c, a program that repeats itself, on four ranks, and irregular: bench/recorder_irregular.c, one whose
messages do not, on two, with few tags and with so many that hardly two messages are alike: bytes on disk a call, and time and
memory of `tacit analyze` on what was recorded.
"""
import argparse
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measured import ROOT, git, machine, user_environment, write_result

LAUNCHER = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]
HPCC_INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")
MODES = {"plain": None, "jumps alone": None, "no hashing": "0", "hashing": "1"}
if platform.machine() != "x86_64":
    del MODES["jumps alone"]  # its library is in assembler


def run(command, folder, mode, library, ranks):
    """Runs under the recorder (or not); returns stdout and CPU seconds of all its processes."""
    shutil.rmtree(folder / "rec", ignore_errors=True)
    prefix = ["env"]
    if MODES[mode] is not None:
        prefix += [f"TACIT_RECORD={folder / 'rec'}", f"TACIT_HASH={MODES[mode]}", f"LD_PRELOAD={library}"]
    elif mode == "jumps alone":
        prefix += [f"LD_PRELOAD={folder / 'jumps.so'}"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([*LAUNCHER, "-n", str(ranks), *prefix, *command], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=user_environment(), check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {done.stderr[-2000:]}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def calls(folder, library, rounds):
    program = folder / "recorder_calls"
    subprocess.run(["mpicc.openmpi", "-O2", str(ROOT / "bench/recorder_calls.c"), "-o", str(program)], check=True)
    best = {"plain": {}, "no hashing": {}}
    for _ in range(rounds):
        for mode, times in best.items():
            output, _ = run([str(program)], folder, mode, library, 1)
            for name, ns in re.findall(r"^(\w+) ([\d.]+)$", output, re.MULTILINE):
                times[name] = min(times.get(name, 1e30), float(ns))
    return {name: {"plain_ns": plain, "recorded_ns": best["no hashing"][name],
                   "added_ns": round(best["no hashing"][name] - plain, 1)} for name, plain in best["plain"].items()}


def analysed(folder, build, library, name, ranks, *arguments):
    """What the recording of a program takes on disk, and its analysis in time and memory."""
    program = folder / name
    subprocess.run(["mpicc.openmpi", "-O2", str(ROOT / f"bench/{name}.c"), "-o", str(program)], check=True)
    output, _ = run([str(program), *map(str, arguments)], folder, "hashing", library, ranks)
    made = int(re.search(r"^calls (\d+)$", output, re.MULTILINE).group(1))
    disk = sum(path.stat().st_size for path in (folder / "rec").iterdir())
    began = time.monotonic()
    process = subprocess.Popen([build / "bin/tacit", "analyze", folder / "rec"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"tacit analyze failed: {status}")
    return {"ranks": ranks, "calls": made, "bytes_per_call": round(disk / made, 2),
            "analysis_seconds": round(time.monotonic() - began, 2), "analysis_cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
            "analysis_peak_mib": round(used.ru_maxrss / 1024)}


def hpcc_input(folder, size, ranks):
    text = HPCC_INPUT.read_text()
    text = re.sub(r"^\S+(\s+Ns)$", rf"{size}\1", text, flags=re.MULTILINE)
    text = re.sub(r"^\S+(\s+Ps)$", r"1\1", text, count=1, flags=re.MULTILINE)
    text = re.sub(r"^\S+(\s+Qs)$", rf"{ranks}\1", text, count=1, flags=re.MULTILINE)
    (folder / "hpccinf.txt").write_text(text)


def jumps_alone(folder):
    """A library that passes on all of MPI that hpcc calls and does nothing else."""
    symbols = subprocess.run(["nm", "-D", "--undefined-only", shutil.which("hpcc")], check=True, capture_output=True, text=True).stdout
    functions = [name for name in re.findall(r"\bMPI_\w+", symbols) if name not in ("MPI_Wtime", "MPI_Wtick")]
    (folder / "jumps.s").write_text("".join(
        f".globl {name}\n.type {name},@function\n{name}: jmp *P{name}@GOTPCREL(%rip)\n.size {name},.-{name}\n" for name in functions)
        + '.section .note.GNU-stack,"",@progbits\n')
    subprocess.run(["cc", "-shared", "-o", folder / "jumps.so", folder / "jumps.s"], check=True)


def hpcc(folder, library, pairs, ranks, size):
    hpcc_input(folder, size, ranks)
    if "jumps alone" in MODES:
        jumps_alone(folder)
    seconds = {mode: [] for mode in MODES}
    run(["hpcc"], folder, "plain", library, ranks)  # warms caches
    for pair in range(pairs):
        order = list(MODES) if pair % 2 == 0 else list(MODES)[::-1]
        for mode in order:
            (folder / "hpccoutf.txt").unlink(missing_ok=True)
            _, used = run(["hpcc"], folder, mode, library, ranks)
            seconds[mode].append(round(used, 4))
            if "FAILED" in (folder / "hpccoutf.txt").read_text().replace("0 tests completed and failed", ""):
                sys.exit(f"hpcc reports a failure ({mode})")
        print(f"pair {pair + 1}/{pairs}: " + ", ".join(f"{m} {seconds[m][-1]:.2f} s" for m in MODES), file=sys.stderr)
    ratio = {mode: [r / p for r, p in zip(seconds[mode], seconds["plain"])] for mode in MODES if mode != "plain"}
    return {"ranks": ranks, "N": size, "pairs": pairs, "cpu_seconds": seconds,
            "median_ratio": {mode: round(statistics.median(values), 4) for mode, values in ratio.items()},
            "ratio_of_medians": {mode: round(statistics.median(seconds[mode]) / statistics.median(seconds["plain"]), 4)
                                 for mode in ratio},
            "ratio_of_fastest": {mode: round(min(seconds[mode]) / min(seconds["plain"]), 4) for mode in ratio}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--runs", nargs="+", default=["2:1000", "2:2000", "4:1000"], metavar="RANKS:N", help="of hpcc")
    parser.add_argument("--rounds", type=int, default=5, help="of the per-call benchmark")
    parser.add_argument("--calls", type=int, default=10_000_000,
                        help="about as many in each of the two programs whose analysis is measured; 0: without them")
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    library = (arguments.build / "lib/libtacit-interpose.so").resolve()
    if not library.exists():
        sys.exit(f"{library} does not exist: build the preset release first")
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as name:
        folder = Path(name)
        result = {"benchmark": "recorder overhead", "machine": machine(),
                  "commit": git("rev-parse", "HEAD"),
                  "command": " ".join(["bench/recorder_overhead.py", *sys.argv[1:]]),
                  "calls": calls(folder, library, arguments.rounds)}
        if arguments.calls:
            result["rounds"] = analysed(folder, arguments.build, library, "recorder_rounds", 4, arguments.calls // 640)
            for tags in (8, 1000):
                result[f"irregular, {tags} tags"] = analysed(folder, arguments.build, library, "recorder_irregular", 2,
                                                             arguments.calls // 3, tags)
        if arguments.pairs:
            result["hpcc"] = [hpcc(folder, library, arguments.pairs, *map(int, kind.split(":"))) for kind in arguments.runs]
    write_result("recorder", result, arguments.stdout)


if __name__ == "__main__":
    main()
