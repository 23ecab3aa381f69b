#!/usr/bin/env python3
"""Exchanges with neighbors on 27 to 1024 simulated ranks: what each optimization of tacit gains over posting messages as
a program would write it. Patterns and sizes are those of Hoefler and Schneider, Optimization principles for collective
neighborhood communications (2012): sparse alltoall, 2-D and 4-D Cartesian, the halo of WRF; and all cells around a cell.

    bench/papers/s5/simulated.py                 build, simulate everything, write bench/results/papers-s5-simulated.json
    bench/papers/s5/simulated.py --case sparse-in --network tcp --add     keep the other results that are there
    bench/papers/s5/simulated.py --check         a small case, as a test

Times are those of a model (SimGrid SMPI), exactly reproducible. What a message keeps sender and receiver busy with was
measured (simulated_overheads.c); within a node they are those of shared memory, on every network. Link speeds are round
numbers. The model has no limit on the messages that a network card can take per second, and local copies cost nothing.
Every byte that arrives is compared in every round.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from measured import ROOT, dirty, git, machine  # noqa: E402

WORK = ROOT / "build" / "s5"
RESULT = ROOT / "bench" / "results" / "papers-s5-simulated.json"

# Sender's and receiver's seconds per message of 16 B: simulated_overheads.c, Open MPI 4.1.4, two processes on a 2-core
# AMD EPYC virtual machine, shared memory and TCP over loopback (where the kernel receives on the sender's time).
# Bandwidth and latency are those of one link; a message crosses two. "cost" is the same as tacit is told: what it decides by
# (mean overhead and latency in ns, ns per byte, share of the overhead within a node).
NETWORKS = {
    "fast": {"send": 0.062e-6, "receive": 0.130e-6, "bandwidth": "12.5GBps", "latency": "500ns",
             "cost": "96,1000,0.08,1"},
    "tcp": {"send": 4.81e-6, "receive": 0.27e-6, "bandwidth": "1.25GBps", "latency": "10us",
            "cost": "2540,20000,0.8,0.038"},
}
NEAR = NETWORKS["fast"]
TEST = 1e-8  # an unsuccessful MPI_Test; SMPI charges it also for each request that MPI_Waitsome finds unfinished
EAGER = 65536
MODEL = {"networks": NETWORKS, "within a node": {key: NEAR[key] for key in ("send", "receive")}, "seconds per test": TEST,
         "eager limit": EAGER}

EVERYTHING = "self+coalesce+order+color+combine+tree+aggregate+empty"


def without(*kept: str) -> str:
    return "without+" + "+".join(name for name in EVERYTHING.split("+") if name not in kept)


# What is on, beside the pass at hand: what needs no facts of other ranks.
VARIANTS = {
    "hand": "hand",
    "naive": without(),
    "coalesce": without("self", "coalesce", "empty"),
    "distance": without("self", "coalesce", "empty", "order"),
    "order": without("self", "coalesce", "empty", "order", "color"),
    "tree": without("self", "coalesce", "empty", "tree"),
    "tree+order": without("self", "coalesce", "empty", "order", "color", "tree"),
    "combine": without("self", "coalesce", "empty", "order", "color", "combine"),
    "aggregate": without("self", "coalesce", "empty", "order", "color", "aggregate"),
    "all": "all",
}


WITHOUT_ORDER = ("naive", "coalesce", "distance")  # only for comparison


@dataclass(frozen=True)
class Case:
    name: str
    pattern: str
    ranks: int
    sizes: str
    variants: tuple
    per_node: int = 1


PLAIN = ("hand", "coalesce", "distance", "order", "all")
TREES = ("hand", "order", "tree", "tree+order")
NODES = ("hand", "coalesce", "distance", "order", "aggregate")
ROUNDS = ("hand", "coalesce", "distance", "order")
CELLS = ("hand", "order", "combine")
CASES = [
    Case("sparse-both", "sparse:7:both", 1024, "16", TREES),
    Case("sparse-in", "sparse:7:in", 1024, "16", TREES),
    Case("nodes-32", "sparse:24:none", 32, "16", NODES, 8),
    Case("cells-27", "cells:3x3x3:1", 27, "8,1024,8192", CELLS),
    Case("cells-125", "cells:5x5x5:2", 125, "8,1024,8192", CELLS),
    Case("wrf", "wrf:16x32:3", 512, "1,2", PLAIN),
    Case("grid-2d", "grid:32x16", 512, "8,1024,32768", PLAIN),
    Case("grid-4d", "grid:8x4x4x4", 512, "8,1024,32768", PLAIN),
    Case("nodes-512", "sparse:24:none", 512, "16", NODES, 32),
    Case("ascending-64", "ascending:16", 64, "16,1024,32768", ROUNDS),
    Case("ascending-512", "ascending:24", 512, "16", ROUNDS),
    Case("sparse-out", "sparse:7:out", 1024, "16", TREES),
    Case("sparse-both-512", "sparse:7:both", 512, "16,1024", TREES),
    Case("sparse", "sparse:7:none", 1024, "16", PLAIN),
    Case("cells-27-1000", "cells:10x10x10:1", 1000, "8", CELLS),
]
CHECKED = Case("checked", "sparse:3:both", 64, "16", ("hand", "naive", "coalesce", "distance", "order", "tree+order", "all"))


class Trouble(Exception):
    pass


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def build() -> Path:
    done = subprocess.run(["cmake", "--build", "--preset", "release", "--target", "s5_simulated"], cwd=ROOT,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise Trouble(f"the target s5_simulated was not built (it needs SimGrid: libsimgrid-dev):\n{done.stdout[-3000:]}{done.stderr}")
    return ROOT / "build" / "release" / "bench" / "s5_simulated.so"


def platform_files(network: str, ranks: int, per_node: int) -> tuple[Path, Path]:
    WORK.mkdir(parents=True, exist_ok=True)
    speed = NETWORKS[network]
    xml, hosts = WORK / f"{network}-{ranks}-{per_node}.xml", WORK / f"hosts-{ranks}-{per_node}"
    xml.write_text("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
                   f'  <cluster id="cluster" prefix="node" suffix="" radical="0-{ranks // per_node - 1}" speed="1Gf" core="{per_node}" '
                   f'bw="{speed["bandwidth"]}" lat="{speed["latency"]}" loopback_bw="10GBps" loopback_lat="200ns"/>\n</platform>\n')
    hosts.write_text("".join(f"node{i // per_node}\n" for i in range(ranks)))
    return xml, hosts


def simulate(program: Path, case: Case, network: str, rounds: int) -> list[dict]:
    smpirun = shutil.which("smpirun")
    if not smpirun:
        raise Trouble("smpirun is missing (libsimgrid-dev)")
    xml, hosts = platform_files(network, case.ranks, case.per_node)
    speed = NETWORKS[network]
    settings = {"smpi/simulate-computation": "no", "smpi/test": TEST, "smpi/iprobe": TEST, "smpi/grow-injected-times": "no",
                "smpi/os": f"0:{speed['send']}:0", "smpi/ois": f"0:{speed['send']}:0", "smpi/or": f"0:{speed['receive']}:0",
                "smpi/send-is-detached-thresh": EAGER + 1, "smpi/async-small-thresh": EAGER + 1,
                "smpi/lat-factor": "0:1", "smpi/bw-factor": "0:1", "smpi/barrier": "mpich", "smpi/allreduce": "rdb",
                "smpi/allgather": "rdb", "smpi/allgatherv": "mpich_rdb", "contexts/stack-size": 256}
    command = [smpirun, "-np", case.ranks, "-platform", xml, "-hostfile", hosts, program, "--log=root.thres:critical",
               *(f"--cfg={key}:{value}" for key, value in settings.items()),
               case.pattern, case.sizes, ",".join(VARIANTS[v] for v in case.variants), rounds]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TACIT_")}
    environment |= {"TACIT_MESSAGE_COST": speed["cost"], "TACIT_PROGRESS": "waits"}
    if case.per_node > 1:
        environment["S5_OVERHEADS"] = f"{speed['send']} {speed['receive']} {NEAR['send']} {NEAR['receive']}"
    begun = time.time()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if "finished" not in done.stdout:  # a deadlock or an abort exits with 0
        raise Trouble(f"{case.name} on {network} did not finish:\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    found = re.findall(r"^result (\d+) (\S+) (\S+) (\S+) (\d+)$", done.stdout, re.MULTILINE)
    names = {VARIANTS[name]: name for name in case.variants}
    rows = []
    for size in case.sizes.split(","):
        times = {names[variant]: (float(seconds), float(setup)) for at, variant, seconds, setup, wrong in found if at == size}
        bad = [variant for at, variant, _, _, wrong in found if at == size and wrong != "0"]
        if bad or set(times) != set(case.variants):
            raise Trouble(f"{case.name} size {size} on {network}: wrong data in {bad}, results of {sorted(times)}")
        rows.append({"case": case.name, "pattern": case.pattern, "ranks": case.ranks, "size": int(size),
                     "ranks per node": case.per_node, "network": network, "commit": git("rev-parse", "--short", "HEAD"),
                     "us": {name: round(times[name][0] * 1e6, 3) for name in case.variants},
                     "speedup": {name: round(times["hand"][0] / times[name][0], 3) for name in case.variants},
                     "setup us": {name: round(times[name][1] * 1e6, 1) for name in case.variants if name != "hand"}})
    say(table(rows).split("\n", 1)[1] + f"   ({time.time() - begun:.0f} s)")
    return rows


def table(rows: list) -> str:
    lines = [f"{'case':16} {'ranks':>5} {'size':>6} {'network':7} {'by hand us':>11}  speedup of"]
    for row in rows:
        gains = "  ".join(f"{name} {gain:.2f}" for name, gain in row["speedup"].items() if name != "hand")
        lines.append(f"{row['case']:16} {row['ranks']:5} {row['size']:6} {row['network']:7} {row['us']['hand']:11.2f}  {gains}")
    return "\n".join(lines)


def verdicts(rows: list) -> list[dict]:
    """What has to be reached, and what was."""
    found = []
    hot = [row for row in rows if row["case"] in ("sparse-in", "sparse-out", "sparse-both")]
    if hot:
        values = {f"{row['case']} {row['network']}": row["speedup"]["tree+order"] for row in hot}
        found.append({"target": "1024 ranks, 16 B sparse alltoall with a hot rank: at least 1.5x through trees and order",
                      "values": values, "met": min(values.values()) >= 1.5})
    slow = {f"{row['case']} {row['size']} {row['network']} {name}": gain for row in rows for name, gain in row["speedup"].items()
            if gain < 0.97 and name not in WITHOUT_ORDER}
    found.append({"target": "nothing below 0.97x of posting by hand, in the order that tacit takes", "values": slow, "met": not slow})
    return found


def check(program: Path) -> None:
    first, second = (simulate(program, CHECKED, "fast", 2) for _ in range(2))
    if first != second:
        raise Trouble(f"two runs differ:\n{first}\n{second}")
    if first[0]["speedup"]["tree+order"] < 1.2:
        raise Trouble("balancing trees gain less than 1.2x on a hot rank")


def earlier(rows: list) -> list[dict]:
    """What the result file has of other cases than these, by the same model."""
    if not RESULT.exists():
        return []
    found = json.loads(RESULT.read_text())
    if found["model"] != MODEL or found["variants"] != VARIANTS:
        raise Trouble(f"{RESULT.name} is of another model: its rows cannot be kept (run without --add)")
    here = {(row["case"], row["network"]) for row in rows}
    return [row for row in found["rows"] if (row["case"], row["network"]) not in here]


def write(rows: list) -> None:
    result = {"machine": machine(), "commit": git("rev-parse", "--short", "HEAD"),
              "dirty": dirty(),
              "command": shlex.join(["bench/papers/s5/simulated.py", *sys.argv[1:]]),
              "simulator": subprocess.run(["smpirun", "--version"], capture_output=True, text=True).stdout.split("\n")[0],
              "model": MODEL, "variants": VARIANTS, "targets": verdicts(rows), "rows": rows}
    unfinished = RESULT.with_suffix(".part")
    unfinished.write_text(json.dumps(result, indent=1) + "\n")
    unfinished.replace(RESULT)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", nargs="+", choices=[case.name for case in CASES])
    parser.add_argument("--network", nargs="+", choices=list(NETWORKS), default=list(NETWORKS))
    parser.add_argument("--jobs", type=int, default=1, help="simulations at a time (1); one of 1024 ranks takes 2 GiB")
    parser.add_argument("--rounds", type=int, default=2, help="rounds per measurement; the last one counts (2)")
    parser.add_argument("--program", type=Path, help="s5_simulated.so (default: built with the preset release)")
    parser.add_argument("--stdout", action="store_true", help="do not write bench/results/papers-s5-simulated.json")
    parser.add_argument("--add", action="store_true", help="keep what the result file has of other cases")
    parser.add_argument("--check", action="store_true", help="a small case, as a test")
    parser.add_argument("--work", type=Path, default=WORK, help="where platforms are written (build/s5)")
    arguments = parser.parse_args()
    globals()["WORK"] = arguments.work.resolve()
    try:
        program = arguments.program or build()
        if arguments.check:
            check(program)
            return 0
        rows, begun = [], time.time()
        kept = []
        todo = [(case, network) for case in CASES if not arguments.case or case.name in arguments.case
                for network in arguments.network]
        if arguments.add:
            kept = earlier([{"case": case.name, "network": network} for case, network in todo])
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            running = [pool.submit(simulate, program, case, network, arguments.rounds) for case, network in todo]
            for number, done in enumerate(running, 1):
                rows += done.result()
                say(f"{number} of {len(todo)} done, {(time.time() - begun) / 60:.0f} min")
                if not arguments.stdout:
                    write(rows + kept)  # each time: an hour's results are not lost with the last case
    except Trouble as trouble:
        print(f"s5: {trouble}", file=sys.stderr)
        return 1
    print(table(rows))
    for one in verdicts(rows):
        values = ", ".join(f"{name}: {value:.3f}" for name, value in one["values"].items())
        print(f"{'reached' if one['met'] else 'missed '}  {one['target']}  {values}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
