#!/usr/bin/env python3
"""What the communication of tasks takes, with and without discovery of collectives, and by hand: Figure 4 of the CPD paper (Knorr and
others, Automatic Discovery of Collective Communication Patterns in Parallelized Task Graphs).

    bench/papers/s3/communication.py             after building the presets release and release-mpich (test_task_example_patterns)
    bench/papers/s3/communication.py --mpi openmpi --ranks 2 --sides 64 --rounds 3 --stdout
    bench/papers/s3/communication.py --mpi mpich --add    keep the results of other libraries and numbers of ranks
    bench/papers/s3/communication.py --draw      only the picture, of the results that are there

The program is examples/tasks/patterns.cpp with kernels that do nothing, on real processes. A round runs it with discovery and
with TACIT_TASK_DISCOVER=0, each once, in changing order; a run is the mean of its iterations, in the best of nine repetitions, for each
pattern, and the same by hand in plain MPI. `ratio` is the median over the rounds of (with discovery / without, in the same round),
and quartiles stand beside it, as other programs share the machine. More ranks than cores take turns on them: there a time is
mostly waiting for a core. The picture needs matplotlib (tools/setup --pictures).
"""
import argparse
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from measured import PRESETS, ROOT, dirty, drawn, machine, output, pyplot, result_file, save_figure, write_result  # noqa: E402

LINE = re.compile(r"^(\w+) on \d+ ranks: tasks ([\d.]+) ms, by hand ([\d.]+) ms an iteration")
NAME = "papers-s3-communication"


def environment(discover: bool) -> dict:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_MCA_", "TACIT_"))}
    return kept | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "TACIT_TASK_DISCOVER": str(int(discover))}


def run(library: str, ranks: int, side: int, iterations: int, discover: bool) -> dict:
    """Milliseconds an iteration, of tasks and by hand, by pattern."""
    program = ROOT / "build" / PRESETS[library] / "bin" / "test_task_example_patterns"
    command = [f"mpiexec.{library}", "-n", str(ranks), program, "all", str(side), str(iterations), "communication"]
    done = subprocess.run(command, env=environment(discover), text=True, capture_output=True, timeout=300)
    if done.returncode:
        raise SystemExit(f"communication.py: {shlex.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}")
    return {found[1]: (float(found[2]), float(found[3])) for found in map(LINE.match, done.stdout.splitlines()) if found}


def spread(values: list[float]) -> dict:
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"median": round(middle, 5), "quartiles": [round(low, 5), round(high, 5)], "least": round(min(values), 5),
            "most": round(max(values), 5)}


def measure(library: str, ranks: int, side: int, iterations: int, rounds: int) -> list[dict]:
    runs = {True: [], False: []}
    for i in range(rounds):
        for discover in ((True, False) if i % 2 == 0 else (False, True)):
            runs[discover].append(run(library, ranks, side, iterations, discover))
    rows = []
    for pattern in runs[True][0]:
        discovered, messages = ([one[pattern][0] for one in runs[way]] for way in (True, False))
        rows.append({"mpi": library, "ranks": ranks, "side": side, "pattern": pattern, "iterations": iterations, "rounds": rounds,
                     "load": round(os.getloadavg()[0], 1), "discovered_ms": spread(discovered), "messages_ms": spread(messages),
                     "by_hand_ms": spread([one[pattern][1] for way in runs.values() for one in way]),
                     "ratio": spread([a / b for a, b in zip(discovered, messages)])})
        r = rows[-1]
        print(f"{library:8} {ranks} ranks, {side:5}² doubles, {pattern:16} {r['discovered_ms']['median']:9.4f} ms, by messages "
              f"{r['messages_ms']['median']:9.4f} ms, by hand {r['by_hand_ms']['median']:9.4f} ms, ratio {r['ratio']['median']:.3f} "
              f"{r['ratio']['quartiles']}, load {r['load']}", file=sys.stderr, flush=True)
    return rows


def draw(rows: list[dict], file: Path) -> None:
    kinds = list(dict.fromkeys((row["mpi"], row["ranks"]) for row in rows))
    patterns = list(dict.fromkeys(row["pattern"] for row in rows))
    ways = (("by_hand_ms", "by hand", "#8a8a8a"), ("messages_ms", "by messages", "#b0532b"),
            ("discovered_ms", "collectives discovered", "#0b6e6e"))
    figure, axes = pyplot().subplots(len(kinds), len(patterns), sharex=True, figsize=(13, 2.5 * len(kinds)), squeeze=False)
    for line, kind in zip(axes, kinds):
        for axis, pattern in zip(line, patterns):
            mine = sorted((row for row in rows if (row["mpi"], row["ranks"]) == kind and row["pattern"] == pattern),
                          key=lambda row: row["side"])
            for number, (way, label, color) in enumerate(ways):
                at = [i + (number - 1) * .27 for i in range(len(mine))]
                per_second = [1e3 / row[way]["median"] for row in mine]
                error = [[1e3 / row[way]["median"] - 1e3 / row[way]["quartiles"][1] for row in mine],
                         [1e3 / row[way]["quartiles"][0] - 1e3 / row[way]["median"] for row in mine]]
                axis.bar(at, per_second, .25, yerr=error, color=color, label=label, error_kw={"elinewidth": .8})
            axis.set(yscale="log", xticks=range(len(mine)), xticklabels=[f"{row['side']}²" for row in mine])
            if kind == kinds[0]:
                axis.set_title(pattern.replace("_", ", "))
        line[0].set_ylabel(f"{kind[0]}, {kind[1]} ranks")
    figure.supylabel("iterations a second")
    figure.supxlabel("doubles in a buffer")
    axes[0][0].legend(fontsize="x-small")
    save_figure(figure, file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", choices=list(PRESETS), default=list(PRESETS))
    parser.add_argument("--ranks", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--sides", nargs="+", type=int, default=[32, 256, 1024])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--stdout", action="store_true")
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--draw", action="store_true")
    arguments = parser.parse_args()
    facts = machine()
    picture = ROOT / "bench" / "results" / f"{NAME}.svg"
    if arguments.draw:
        draw(json.loads(result_file(NAME, facts).read_text())["rows"], picture)
        return 0
    rows = []
    for library in arguments.mpi:
        for ranks in arguments.ranks:
            for side in arguments.sides:
                rows += measure(library, ranks, side, 4 if side > 512 else 20, arguments.rounds)
    worse = [row for row in rows if row["ratio"]["median"] > 1.03]
    print(f"slower with discovery by more than 3 %: {len(worse)} of {len(rows)}", file=sys.stderr)
    command, commit = shlex.join(["bench/papers/s3/communication.py", *sys.argv[1:]]), output("git", "rev-parse", "--short", "HEAD")
    for row in rows:
        row["commit"] = commit
    if arguments.add:
        old = json.loads(result_file(NAME, facts).read_text())
        new = {(row["mpi"], row["ranks"]) for row in rows}
        rows = [row for row in old["rows"] if (row["mpi"], row["ranks"]) not in new] + rows
        command = f"{old['command']}; {command}"
    write_result(NAME, {"what": "communication of tasks with kernels that do nothing, by pattern; milliseconds an iteration",
                        "machine": facts,
                        "commit": commit, "dirty": dirty(), "command": command, "rows": rows}, arguments.stdout)
    if not arguments.stdout:
        drawn(draw, rows, picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
