#!/usr/bin/env python3
"""What planning a task costs, by pattern and number of ranks, with and without discovery of collectives: Figure 3 of the CPD paper
(Knorr and others, Automatic Discovery of Collective Communication Patterns in Parallelized Task Graphs, 2023).

    bench/papers/s3/scheduler.py                 build the preset `bench`, measure, write the result file and its picture
    bench/papers/s3/scheduler.py --repetitions 3 --stdout
    bench/papers/s3/scheduler.py --celerity celerity_peer "Celerity 6e22728"    beside it Celerity's own generator
    bench/papers/s3/scheduler.py --keep-celerity    beside it what the result file says of it, with the commit of that run

One process plans what the rank in the middle of n simulated ranks has to do (bench/micro/bench_tasks.cpp), on one thread and
without executing anything, as the paper's scheduling benchmarks do. A number is the median of the repetitions, in
microseconds a task; those of different cases take turns, so that a slow second of the machine is not one case's. A task of a
loop that is replayed (src/tasks/commands/replay.h) has rows of its own. Without discovery each rank has up to n - 1
messages a task, so that is measured up to 256 ranks where everybody sends to everybody. Celerity's generator of command graphs
plans the same programs, by messages only, as it discovers no collectives: celerity_peer.cpp says how that program is built; its
numbers are medians of the processor's time, too.
The picture needs matplotlib (tools/setup --pictures).
"""
import argparse
import json
import re
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import run as micro  # noqa: E402
from measured import ROOT, dirty, drawn, machine, output, pyplot, result_file, save_figure, write_result  # noqa: E402

BY_MESSAGES = "_by_messages"
NAME = re.compile(r"^(plan|replay)/(\w+)/(\d+)")
PEER_TASKS = {1: 400, 4: 400, 64: 200, 256: 100}  # of a repetition; Celerity plans for at most 256 nodes (max_num_nodes)
TITLES = {"one_to_one": "one to one", "stencil": "stencil", "allgather": "all-gather", "alltoall": "all-to-all",
          "gather_scatter": "gather, scatter", "gather_broadcast": "gather, broadcast",
          "weighted_allgather": "all-gather, weighted split", "weighted_stencil": "stencil, weighted split"}


def rows_of(benchmarks: list[dict]) -> list[dict]:
    rows = []
    for one in benchmarks:
        found = NAME.match(one["name"])
        if not found:
            continue
        scale = {"ns": 1e-3, "us": 1, "ms": 1e3}[one["time_unit"]]
        pattern = found[2]
        rows.append({"pattern": pattern.removesuffix(BY_MESSAGES), "discovery": not pattern.endswith(BY_MESSAGES),
                     "replayed": found[1] == "replay", "ranks": int(found[3]), "us": round(one["cpu_time"] * scale, 3),
                     "commands per task": round(one["commands_per_task"], 2)})
    return sorted(rows, key=lambda row: (row["replayed"], not row["discovery"], list(TITLES).index(row["pattern"]), row["ranks"]))


def peer_rows(program: str, repetitions: int) -> list[dict]:
    """What Celerity's generator takes for the same programs."""
    rows = []
    for pattern in [name for name in TITLES if not name.startswith("weighted")]:
        for ranks, tasks in PEER_TASKS.items():
            said = json.loads(output(program, pattern, str(ranks), str(tasks), str(repetitions)))
            rows.append({"pattern": pattern, "ranks": ranks, "us": said["us"], "commands per task": said["commands per task"]})
    return rows


def kind_of(row: dict) -> tuple[str, bool, bool]:
    return row["pattern"], row["discovery"], row["replayed"]


def kept_peer() -> dict:
    """Of the result file; which run it is from is said with it."""
    before = json.loads(result_file("papers-s3-scheduler", machine()).read_text())
    return {"of": {key: before[key] for key in ("machine", "commit", "command")}, **before["peer"]}


def table(rows: list[dict], peer: list[dict]) -> str:
    ranks = sorted({row["ranks"] for row in rows})
    lines = [f"{'us a task, on':34}" + "".join(f"{n:>9}" for n in ranks) + "  ranks"]
    kinds = [(TITLES[kind[0]] + ("" if kind[1] else ", by messages") + (", replayed" if kind[2] else ""),
              {row["ranks"]: row["us"] for row in rows if kind_of(row) == kind}) for kind in dict.fromkeys(map(kind_of, rows))]
    kinds += [(TITLES[pattern] + ", Celerity", {row["ranks"]: row["us"] for row in peer if row["pattern"] == pattern})
              for pattern in dict.fromkeys(row["pattern"] for row in peer)]
    for title, times in kinds:
        lines.append(f"{title:34}" + "".join(f"{times[n]:9.2f}" if n in times else f"{'':9}" for n in ranks))
    return "\n".join(lines)


def draw(rows: list[dict], peer: list[dict], file: Path) -> None:
    patterns = list(dict.fromkeys(row["pattern"] for row in rows))
    figure, axes = pyplot().subplots(2, -(-len(patterns) // 2), sharex=True, sharey=True, figsize=(11, 5.5))
    for pattern, axis in zip(patterns, axes.flat):
        for kind, style, color, label in (((pattern, True, False), "o-", "#0b6e6e", "collectives discovered"),
                                          ((pattern, True, True), "v-", "#7aa6c2", "the same, replayed"),
                                          ((pattern, False, False), "s--", "#b0532b", "by messages")):
            points = sorted((row["ranks"], row["us"]) for row in rows if kind_of(row) == kind)
            if points:
                axis.plot(*zip(*points), style, color=color, markersize=4, label=label)
        points = sorted((row["ranks"], row["us"]) for row in peer if row["pattern"] == pattern)
        if points:
            axis.plot(*zip(*points), "^:", color="#8a8a8a", markersize=4, label="Celerity, by messages")
        axis.set(title=TITLES[pattern], xscale="log", yscale="log")
        axis.grid(alpha=.3)
    figure.supxlabel("simulated ranks")
    figure.supylabel("microseconds a task")
    axes.flat[0].legend(fontsize="small")
    save_figure(figure, file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=7)
    parser.add_argument("--stdout", action="store_true")
    parser.add_argument("--celerity", nargs=2, metavar=("PROGRAM", "VERSION"))
    parser.add_argument("--keep-celerity", action="store_true")
    arguments = parser.parse_args()
    micro.build("bench_tasks")
    rows = rows_of(micro.run(micro.BUILD / "bin" / "bench_tasks", "^(plan|replay)/", arguments.repetitions,
                             "--benchmark_min_time=0.02", "--benchmark_enable_random_interleaving=true"))
    result = {"what": "planning a task for one of n simulated ranks, one thread, nothing executed; medians", "machine": machine(),
              "commit": output("git", "rev-parse", "--short", "HEAD"), "dirty": dirty(),
              "command": shlex.join(["bench/papers/s3/scheduler.py", *sys.argv[1:]]), "rows": rows}
    if arguments.celerity:
        program, version = arguments.celerity
        result["command"] = result["command"].replace(program, Path(program).name)
        result["peer"] = {"what": version, "rows": peer_rows(program, arguments.repetitions)}
    elif arguments.keep_celerity:
        result["peer"] = kept_peer()
    peer = result.get("peer", {}).get("rows", [])
    print(table(rows, peer), file=sys.stderr)
    write_result("papers-s3-scheduler", result, arguments.stdout)
    if not arguments.stdout:
        drawn(draw, rows, peer, ROOT / "bench" / "results" / "papers-s3-scheduler.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
