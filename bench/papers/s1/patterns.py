#!/usr/bin/env python3
"""What replacing the patterns of the cDAG paper costs and gains: figures 7a, 7b, 7c and 8 of Hoefler and Schneider, Runtime Detection
and Optimization of Collective Communication Patterns (PACT 2012), and the gather of its section 3.4.

    bench/papers/s1/patterns.py                       after building the presets release and release-mpich: everything
    bench/papers/s1/patterns.py --part analysis       what each pass takes on one rank (7a)
    bench/papers/s1/patterns.py --part simulated      16 to 1024 simulated ranks (7b, 7c, 8; SimGrid SMPI)
    bench/papers/s1/patterns.py --part real           2, 4 and 8 real ranks of Open MPI, 2 and 4 of MPICH, which wait without yielding
    bench/papers/s1/patterns.py --part ordered        sums of doubles, which keep the order of the graph, on 4 to 256 simulated ranks
    bench/papers/s1/patterns.py --part simulated --ranks 16 --stdout
    bench/papers/s1/patterns.py --check               a few simulated ranks, as a test
    bench/papers/s1/patterns.py --draw                only the picture, of the results that are there

Parts that are not asked for stay in the result file. The programs are patterns.c and detection.cpp, and every value that arrives is
compared. Simulated times are those of the model of bench/papers/s5/simulated.py, in which what processors do costs nothing; what a
compilation takes is its messages, simulated, and its passes, measured natively on one core for a graph of this size. It breaks even after
that many runs: compilation / (by hand - compiled). Real times are medians of rounds; in a round all ways take turns in one run of the
program, behind the runs in which a graph tries variants, and ratios are those within a round. "us without graphs": by hand and MPI's call
in a process that has no graph, which is not measured at the same time.
"""
import argparse
import json
import math
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1] / "s5")]
import simulated as model  # noqa: E402
from measured import PRESETS, ROOT, dirty, drawn, machine, output, pyplot, result_file, save_figure, user_environment, write_result  # noqa: E402

NAME = "papers-s1"
WAYS = ("hand", "graph", "mpi")
ROOTED, SUMS = ("broadcast", "gather"), ("allreduce-linear", "allreduce-doubling", "allreduce-tree")
PATTERNS = (*ROOTED, "transpose", *SUMS)
KIND = {"broadcast": "bcast", "gather": "gather", "transpose": "alltoall"}  # of tacit's generator, linear
ANALYSED = [1 << k for k in range(10, 21)]
SIMULATED, MOST_OF_TRANSPOSE = (16, 64, 256, 1024), 128  # the simulator needs minutes for p * p messages posted at once
BYTES = 64
# Of real runs; where ranks share cores a block of the slower way is many time slices.
BLOCK_US, CROWDED_BLOCK_US, MOST_IN_BLOCK = 5000, 50000, 2500
ORDERED, BYTES_OF_ORDERED = (4, 16, 64, 256), (64, 4096, 65536)
SIMULATOR = ROOT / "build" / "release" / "bench" / "s1_simulated.so"
PAPER = {"Hopper": {"flow": 0.59, "match": 0.19, "detect": 0.15, "gather and scatter": 39},
         "Odin": {"flow": 0.85, "match": 0.15, "detect": 0.13, "gather and scatter": 21}}  # its table of a and b, in microseconds


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(command: list, environment: dict | None = None) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, timeout=900)
    if done.returncode or not done.stdout:
        words = shlex.join(map(str, command))
        raise SystemExit(f"patterns.py: {words} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


# --- Figure 7a

def passes(kind: str, form: str, ranks: int, runs: int) -> dict:
    return json.loads(run([ROOT / "build" / "release" / "bin" / "s1_detection", kind, form, ranks, runs]))


def fitted(points: list[tuple[float, float]]) -> dict:
    """The factor of y = a x, by least squares of relative errors, and the largest relative error."""
    a = sum(x / y for x, y in points) / sum((x / y) ** 2 for x, y in points)
    return {"a": a, "largest error": round(max(abs(a * x / y - 1) for x, y in points), 3)}


def analysis() -> dict:
    rows = []
    for ranks in ANALYSED:
        rows.append(passes("bcast", "binomial", ranks, 9 if ranks < 1 << 18 else 3))
        say(f"{ranks:8} ranks: " + ", ".join(f"{name} {seconds * 1e3:.3f} ms" for name, seconds in rows[-1]["seconds"].items()))
    large = [row for row in rows if row["ranks"] > 2000]
    constants = {}
    for name in rows[0]["seconds"]:
        constants[name] = {"us per p log2 p": fitted([(r["ranks"] * math.log2(r["ranks"]), r["seconds"][name] * 1e6) for r in large]),
                           "us per p": fitted([(r["ranks"], r["seconds"][name] * 1e6) for r in large])}
    return {"what": "binomial broadcast of 64 B, seconds of each pass, and the constants of the paper's model beyond 2000 ranks",
            "paper, us": PAPER, "constants": constants, "rows": rows}


# --- Figures 7b, 7c and 8, simulated

def simulate(network: str, pattern: str, way: str, ranks: int, size: int = BYTES, program: Path | None = None) -> dict:
    smpirun = shutil.which("smpirun")
    if not smpirun:
        raise SystemExit("patterns.py: smpirun is missing (Debian: libsimgrid-dev)")
    xml, hosts = model.platform_files(network, ranks, 1)
    speed = model.NETWORKS[network]
    settings = {"smpi/simulate-computation": "no", "smpi/test": model.TEST, "smpi/iprobe": model.TEST, "smpi/grow-injected-times": "no",
                "smpi/os": f"0:{speed['send']}:0", "smpi/ois": f"0:{speed['send']}:0", "smpi/or": f"0:{speed['receive']}:0",
                "smpi/send-is-detached-thresh": model.EAGER + 1, "smpi/async-small-thresh": model.EAGER + 1,
                "smpi/lat-factor": "0:1", "smpi/bw-factor": "0:1", "smpi/barrier": "mpich", "smpi/allreduce": "rdb",
                "smpi/allgather": "rdb", "smpi/allgatherv": "mpich_rdb", "smpi/bcast": "binomial_tree", "smpi/gather": "mpich",
                "smpi/scatter": "mpich", "smpi/alltoall": "mpich", "contexts/stack-size": 256}
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TACIT_")}
    share = speed["receive"] / (speed["send"] + speed["receive"])
    environment |= {"TACIT_MESSAGE_COST": f"{speed['cost']},{share:.4f}", "TACIT_PROGRESS": "waits"}
    text = run([smpirun, "-np", ranks, "-platform", xml, "-hostfile", hosts, program or SIMULATOR,
                "--log=root.thres:critical", *(f"--cfg={key}:{value}" for key, value in settings.items()), pattern, way, size, 3, 1],
               environment)
    return result_of(text)


def result_of(text: str) -> dict:
    found = re.search(r"^result (\S+) (\S+) (\S+) (\d+)$", text, re.MULTILINE)
    if not found or found[4] != "0":
        raise SystemExit(f"patterns.py: wrong values, or none:\n{text}")
    cheapest = re.search(r"^predicted: ([^,]*?) [\d.]+ \S+(?:,|$)", text, re.MULTILINE)
    as_written = "\nruns as written" in text
    tried = re.search(r"^feedback(?: after|: \d+ variants are tried until run) (\d+)", text, re.MULTILINE)
    measured = re.search(r"^feedback after \d+ runs: (?:changed to|stays with) (.*?) \((\S+)\)", text, re.MULTILINE)
    us = [float(one) * 1e6 for one in found[1].split(",")]
    return {"us": us[0], "all_us": us, "first_us": float(found[2]) * 1e6, "later_us": float(found[3]) * 1e6,
            "tried": int(tried[1]) if tried else 0,
            "chosen": f"{measured[1]} by {measured[2]}" if measured else "as written" if as_written else cheapest[1] if cheapest else None}


def compare_simulated(network: str, pattern: str, ranks: int, analysed: bool = False) -> dict:
    way = {name: simulate(network, pattern, name, ranks) for name in WAYS}
    row = {"network": network, "pattern": pattern, "ranks": ranks, "us": {name: round(one["us"], 3) for name, one in way.items()},
           "chosen": way["graph"]["chosen"], "gain": round(way["hand"]["us"] / way["graph"]["us"], 3),
           "compile messages us": round(way["graph"]["first_us"], 1), "kept us": round(way["graph"]["later_us"], 1)}
    if pattern in KIND and analysed:
        seconds = passes(KIND[pattern], "linear", ranks, 9)["seconds"]
        row["compile passes us"] = round(sum(seconds.values()) * 1e6, 1)
        saved = way["hand"]["us"] - way["graph"]["us"]
        whole = row["compile messages us"] + row["compile passes us"]
        row["breaks even after"] = math.ceil(whole / saved) if saved > 0 else None
        row["breaks even after, without passes"] = math.ceil(row["compile messages us"] / saved) if saved > 0 else None
    say(f"{network:4} {ranks:5} ranks {pattern:18} " + ", ".join(f"{name} {us} us" for name, us in row["us"].items()) +
        f", {row['chosen']}, gain {row['gain']}, breaks even after {row.get('breaks even after')}")
    return row


def simulated(ranks: list[int]) -> dict:
    rows = [compare_simulated(network, pattern, p, True) for p in ranks for network in model.NETWORKS for pattern in PATTERNS
            if pattern != "transpose" or p <= MOST_OF_TRANSPOSE]
    messages = [(row["ranks"], row["compile messages us"]) for row in rows if row["pattern"] == "broadcast" and row["network"] == "fast"]
    return {"what": f"{BYTES} B, microseconds of a run on simulated ranks, one to a node", "model": model.MODEL,
            "gathering and scattering, us per p": fitted(messages), "rows": rows}


def ordered(ranks: list[int]) -> dict:
    """Sums that give other bits in another order, so that only what keeps the order of the graph may take its place."""
    program = SIMULATOR.with_name("s1_simulated_doubles.so")
    if not program.exists():
        raise SystemExit(f"patterns.py: {program} is missing: cmake --build --preset release --target s1_simulated_doubles")
    rows = []
    for network in model.NETWORKS:
        for p in ranks:
            for pattern in SUMS:
                for size in BYTES_OF_ORDERED:
                    way = {name: simulate(network, pattern, name, p, size, program) for name in WAYS}
                    rows.append({"network": network, "pattern": pattern, "ranks": p, "bytes": size,
                                 "us": {name: round(one["us"], 3) for name, one in way.items()}, "chosen": way["graph"]["chosen"],
                                 "gain": round(way["hand"]["us"] / way["graph"]["us"], 3)})
                    say(f"{network:4} {p:5} ranks {size:6} B {pattern:18} {rows[-1]['us']}, {rows[-1]['chosen']}, gain {rows[-1]['gain']}")
    return {"what": "allreduce of doubles, combined in the order of the graph, microseconds of a run on simulated ranks, one to a node; "
                    "MPI's call may combine in another order", "model": model.MODEL, "rows": rows}


def check() -> None:
    """As a test: graphs compile and run on simulated ranks, none loses to the loop, and a broadcast on a slow network gains."""
    rows = [compare_simulated("fast", pattern, 16) for pattern in PATTERNS] + [compare_simulated("tcp", "broadcast", 64)]
    worse = [f"{row['pattern']} on {row['ranks']} ranks: {row['gain']}" for row in rows if row["gain"] < 0.97]
    if worse or rows[-1]["gain"] < 1.5:
        raise SystemExit(f"patterns.py: slower than by hand, or no gain: {worse or rows[-1]}")


# --- real ranks

def real_once(library: str, ranks: int, pattern: str, ways: tuple, size: int, blocks: int, runs: int, before: int = 0) -> dict:
    """`before`: runs that do not count."""
    environment = user_environment() | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                                        "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    program = ROOT / "build" / PRESETS[library] / "bin" / "s1_patterns"
    return result_of(run([f"mpiexec.{library}", "-n", ranks, program, pattern, ",".join(ways), size, blocks, runs, before], environment))


def spread(values: list[float]) -> dict:
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"median": round(middle, 4), "quartiles": [round(low, 4), round(high, 4)]}


def compare_real(library: str, ranks: int, pattern: str, size: int, rounds: int) -> dict:
    # How many runs try variants depends on what they are predicted to take, and how many make a block on what they take.
    block_us = BLOCK_US if ranks <= os.cpu_count() else CROWDED_BLOCK_US
    before = real_once(library, ranks, pattern, ("graph", "hand"), size, 5, 100)
    settled, in_block = 2 * before["tried"], max(5, min(MOST_IN_BLOCK, round(block_us / max(before["all_us"]))))
    runs = [real_once(library, ranks, pattern, WAYS, size, 30, in_block, settled) for _ in range(rounds)]
    us = dict(zip(WAYS, zip(*(one["all_us"] for one in runs))))
    without = ("hand", "mpi")
    alone = dict(zip(without, real_once(library, ranks, pattern, without, size, 30, in_block)["all_us"]))
    row = {"mpi": library, "ranks": ranks, "pattern": pattern, "bytes": size, "us": {way: spread(values) for way, values in us.items()},
           "gain": spread([hand / graph for hand, graph in zip(us["hand"], us["graph"])]),
           "us without graphs": {way: round(one, 4) for way, one in alone.items()},
           "compile us": spread([one["first_us"] for one in runs]), "kept us": spread([one["later_us"] for one in runs]),
           "chosen": sorted({one["chosen"] or "" for one in runs}), "load": round(os.getloadavg()[0], 1)}
    saved = row["us"]["hand"]["median"] - row["us"]["graph"]["median"]
    row["breaks even after"] = math.ceil(row["compile us"]["median"] / saved) if saved > 0 else None
    say(f"{library:8} {ranks} ranks {size:6} B {pattern:18} " + ", ".join(f"{way} {v['median']} us" for way, v in row["us"].items()) +
        f", {row['chosen']}, gain {row['gain']['median']} {row['gain']['quartiles']}, breaks even after {row['breaks even after']}")
    return row


def refuse_missing(libraries: list[str]) -> None:
    for library in libraries: # known now, not after all rows of the other library
        if not (program := ROOT / "build" / PRESETS[library] / "bin" / "s1_patterns").exists():
            raise SystemExit(f"patterns.py: {program} is missing: cmake --build --preset {PRESETS[library]}")


def real(library: str, ranks: list[int], sizes: list[int], rounds: int) -> dict:
    return {"what": "microseconds of a run on real ranks, in one node", "rounds": rounds,
            "rows": [compare_real(library, p, pattern, size, rounds) for p in ranks for size in sizes for pattern in PATTERNS]}


# --- the picture

def draw(parts: dict, file: Path) -> None:
    figure, axes = pyplot().subplots(2, 2, figsize=(11, 8))
    color = {"hand": "#b0532b", "graph": "#0b6e6e", "mpi": "#8a8a8a"}
    if "analysis" in parts:
        rows = parts["analysis"]["rows"]
        for name in ("match", "order", "flow", "detect", "replace", "validate", "choose"):
            axes[0][0].plot([r["ranks"] for r in rows], [r["seconds"][name] * 1e3 for r in rows], marker=".", label=name)
        axes[0][0].set(xscale="log", yscale="log", xlabel="processes", ylabel="ms", title="7a: passes, binomial broadcast")
        axes[0][0].legend(fontsize="x-small")
    if "simulated" in parts:
        rows = [row for row in parts["simulated"]["rows"] if row["network"] == "fast"]

        def line(axis, pattern, way, label, style="-"):
            mine = [row for row in rows if row["pattern"] == pattern]
            axis.plot([r["ranks"] for r in mine], [r["us"][way] for r in mine], style, marker=".", color=color[way], label=label)
        for pattern, style in zip(SUMS, ("-", "--", ":")):
            line(axes[0][1], pattern, "hand", f"by hand, {pattern.split('-')[1]}", style)
            line(axes[0][1], pattern, "graph", f"compiled, {pattern.split('-')[1]}", style)
        line(axes[0][1], SUMS[0], "mpi", "MPI_Allreduce")
        axes[0][1].set(title="7b: allreduce, simulated")
        for way, label in (("hand", "by hand"), ("graph", "compiled"), ("mpi", "MPI_Bcast")):
            line(axes[1][0], "broadcast", way, label)
        mine = [row for row in rows if row["pattern"] == "broadcast"]
        axes[1][0].plot([r["ranks"] for r in mine], [r["compile messages us"] + r["compile passes us"] for r in mine], ":",
                        color="#5a3d7a", marker="x", label="compilation")
        for row in mine:
            axes[1][0].annotate(f"{row['breaks even after'] or 'never'}", (row["ranks"], row["us"]["graph"]), fontsize="x-small")
        axes[1][0].set(title="7c: linear broadcast, simulated (numbers: runs to break even)")
        for way, label in (("hand", "by hand"), ("graph", "compiled"), ("mpi", "MPI's call")):
            line(axes[1][1], "transpose", way, f"transpose, {label}")
            line(axes[1][1], "gather", way, f"gather, {label}", "--")
        axes[1][1].set(title="8 and 3.4: transpose and gather, simulated")
        for axis in (axes[0][1], axes[1][0], axes[1][1]):
            axis.set(xscale="log", yscale="log", xlabel="processes", ylabel="us a run")
            axis.legend(fontsize="x-small")
    save_figure(figure, file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", nargs="+", choices=["analysis", "simulated", "ordered", "real"],
                        default=["analysis", "simulated", "real"])
    parser.add_argument("--ranks", nargs="+", type=int, help="of the parts simulated, ordered and real")
    parser.add_argument("--mpi", nargs="+", choices=list(PRESETS), default=list(PRESETS))
    parser.add_argument("--sizes", nargs="+", type=int, default=[64, 4096, 65536], help="bytes, of the part real")
    parser.add_argument("--rounds", type=int, default=5, help="of the part real")
    parser.add_argument("--stdout", action="store_true", help="write no result file")
    parser.add_argument("--draw", action="store_true", help="only the picture")
    parser.add_argument("--check", action="store_true", help="a few simulated ranks, as a test")
    parser.add_argument("--program", type=Path, help="s1_simulated.so (default: of the preset release)")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "s1", help="where platforms are written (build/s1)")
    arguments = parser.parse_args()
    global SIMULATOR
    SIMULATOR = arguments.program or SIMULATOR
    model.WORK = arguments.work.resolve()
    if arguments.check:
        check()
        return 0
    facts = machine()
    kept, picture = result_file(NAME, facts), ROOT / "bench" / "results" / f"{NAME}.svg"
    parts = json.loads(kept.read_text())["parts"] if kept.exists() else {}
    whole = {"what": "the figures of the cDAG paper", "machine": facts, "parts": parts}
    if not arguments.draw:
        made = {"analysis": analysis, "simulated": lambda: simulated(arguments.ranks or list(SIMULATED)),
                "ordered": lambda: ordered(arguments.ranks or list(ORDERED)),
                "real openmpi": lambda: real("openmpi", arguments.ranks or [2, 4, 8], arguments.sizes, arguments.rounds),
                "real mpich": lambda: real("mpich", arguments.ranks or [2, 4], arguments.sizes, arguments.rounds)}
        if "real" in arguments.part:
            refuse_missing(arguments.mpi)
        libraries = [f"real {library}" for library in arguments.mpi]
        for part in (name for asked in arguments.part for name in (libraries if asked == "real" else [asked])):
            parts[part] = {"commit": output("git", "rev-parse", "--short", "HEAD"), "dirty": dirty(),
                           "command": shlex.join(["bench/papers/s1/patterns.py", *sys.argv[1:]]), **made[part]()}
            if not arguments.stdout: # a part may take many minutes, and the next one fail
                write_result(NAME, whole, False)
        if arguments.stdout:
            write_result(NAME, whole, True)
    if not arguments.stdout:
        drawn(draw, parts, picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
