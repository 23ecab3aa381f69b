#!/usr/bin/env python3
"""Strong scaling of the N-body simulation with and without discovery of collectives: Figure 5 of the CPD paper (Knorr and others,
Automatic Discovery of Collective Communication Patterns in Parallelized Task Graphs).

    bench/papers/s3/scaling.py                   everything; after building the presets release and release-mpich (test_task_example_nbody)
    bench/papers/s3/scaling.py --only simulated --add    keep what is there of the other half

real: examples/tasks/nbody.cpp on real processes, one thread a rank, each result compared with the twin in plain MPI. A round runs it with
discovery and with TACIT_TASK_DISCOVER=0, in changing order; medians of the rounds, and the median of the ratios of a round.

simulated: the plans of the same program on up to 256 ranks of a model (SimGrid SMPI), as nbody_simulated.cpp says; exactly reproducible.
A device computes INTERACTIONS a second, about what the paper's GPUs may reach in double precision (a round number, not measured), and
a copy to it takes COPY seconds. The network is "fast" of bench/papers/s5/simulated.py. Collectives go around a ring.
The picture needs matplotlib (tools/setup --pictures).
"""
import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "s5"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import communication  # noqa: E402
import simulated as s5  # noqa: E402
from measured import PRESETS, ROOT, dirty, drawn, machine, output, pyplot, result_file, save_figure, write_result  # noqa: E402

NAME = "papers-s3-scaling"
REAL = re.compile(r"^N-body on (\d+) ranks: tasks ([\d.]+) ms, by hand ([\d.]+) ms.*: equal$", re.MULTILINE)
SIMULATED = re.compile(r"^result (\S+) seconds a step, (\d+) messages, (\d+) collectives$", re.MULTILINE)
INTERACTIONS = 1e11
COPY = 10e-6
BODIES = 1048576
MODEL = {"interactions a second": INTERACTIONS, "seconds a copy to a device": COPY, "network": s5.NETWORKS["fast"], "allgatherv": "ring"}


def run_real(library: str, ranks: int, bodies: int, steps: int, discover: bool) -> tuple[float, float]:
    program = ROOT / "build" / PRESETS[library] / "bin" / "test_task_example_nbody"
    done = subprocess.run([f"mpiexec.{library}", "-n", str(ranks), program, str(bodies), str(steps)], text=True, capture_output=True,
                          env=communication.environment(discover) | {"TACIT_TASK_THREADS": "1"}, timeout=300)
    found = REAL.search(done.stdout)
    if done.returncode or not found:
        raise SystemExit(f"scaling.py: nbody on {ranks} ranks ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return float(found[2]) / steps, float(found[3]) / steps


def real(library: str, ranks: int, bodies: int, steps: int, rounds: int) -> dict:
    runs = {True: [], False: []}
    for i in range(rounds):
        for discover in ((True, False) if i % 2 == 0 else (False, True)):
            runs[discover].append(run_real(library, ranks, bodies, steps, discover))
    with_it, without = ([tasks for tasks, _ in runs[way]] for way in (True, False))
    row = {"kind": "real", "mpi": library, "ranks": ranks, "bodies": bodies, "steps": steps, "rounds": rounds,
           "load": round(os.getloadavg()[0], 1), "discovered_ms": communication.spread(with_it),
           "messages_ms": communication.spread(without),
           "by_hand_ms": communication.spread([hand for way in runs.values() for _, hand in way]),
           "ratio": communication.spread([a / b for a, b in zip(with_it, without)]),
           "to_hand": round(statistics.median(tasks / hand for tasks, hand in runs[True]), 3)}
    print(f"real {library:8} {ranks} ranks: {row['discovered_ms']['median']:.2f} ms a step, "
          f"by messages {row['messages_ms']['median']:.2f}, by hand {row['by_hand_ms']['median']:.2f}, ratio {row['ratio']['median']:.3f}, "
          f"quartiles {row['ratio']['quartiles']}, load {row['load']}", file=sys.stderr, flush=True)
    return row


def simulate(program: Path, ranks: int, bodies: int, steps: int, discover: bool) -> dict:
    xml, hosts = s5.platform_files("fast", ranks, 1)
    speed = s5.NETWORKS["fast"]
    settings = {"smpi/simulate-computation": "no", "smpi/os": f"0:{speed['send']}:0", "smpi/ois": f"0:{speed['send']}:0",
                "smpi/or": f"0:{speed['receive']}:0", "smpi/send-is-detached-thresh": s5.EAGER + 1,
                "smpi/async-small-thresh": s5.EAGER + 1, "smpi/lat-factor": "0:1", "smpi/bw-factor": "0:1", "smpi/allgatherv": "ring",
                "smpi/host-speed": "1Gf", "contexts/stack-size": 512}
    command = [shutil.which("smpirun"), "-np", ranks, "-platform", xml, "-hostfile", hosts, program, "--log=root.thres:critical",
               *(f"--cfg={key}:{value}" for key, value in settings.items()), bodies, steps, int(discover), 1 / INTERACTIONS, COPY]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=580)
    found = SIMULATED.search(done.stdout)
    if not found:
        raise SystemExit(f"scaling.py: {ranks} simulated ranks did not finish:\n{done.stdout[-2000:]}{done.stderr[-3000:]}")
    row = {"kind": "simulated", "ranks": ranks, "bodies": bodies, "steps": steps, "discovery": discover,
           "ms": round(float(found[1]) * 1e3, 6), "messages": int(found[2]), "collectives": int(found[3])}
    print(f"simulated {ranks:4} ranks, discovery {discover!s:5}: {row['ms']:12.3f} ms a step, rank 0: {row['messages']} messages, "
          f"{row['collectives']} collectives", file=sys.stderr, flush=True)
    return row


def draw(rows: list[dict], file: Path) -> None:
    measured = [row for row in rows if row["kind"] == "real"]
    modelled = [row for row in rows if row["kind"] == "simulated"]
    panels = ([("simulated", modelled)] if modelled else []) + [(f"real, {library}", [r for r in measured if r["mpi"] == library])
                                                             for library in dict.fromkeys(r["mpi"] for r in measured)]
    figure, axes = pyplot().subplots(1, len(panels), figsize=(4.2 * len(panels), 3.8), squeeze=False)
    colors = {"collectives discovered": "#0b6e6e", "by messages": "#b0532b", "by hand": "#8a8a8a"}
    for axis, (title, mine) in zip(axes[0], panels):
        if title == "simulated":
            lines = {label: sorted((row["ranks"], row["ms"]) for row in mine if row["discovery"] == way)
                     for label, way in (("collectives discovered", True), ("by messages", False))}
        else:
            lines = {label: sorted((row["ranks"], row[key]["median"]) for row in mine)
                     for label, key in (("collectives discovered", "discovered_ms"), ("by messages", "messages_ms"),
                                        ("by hand", "by_hand_ms"))}
        for label, points in lines.items():
            axis.plot([n for n, _ in points], [points[0][1] / ms for _, ms in points], "o-", color=colors[label], label=label, markersize=4)
        ends = [n for n, _ in points]
        axis.plot(ends, ends, ":", color="black", linewidth=.8, label="linear")
        axis.set(title=f"{title}, {mine[0]['bodies']} bodies", xscale="log", yscale="log", xlabel="ranks", xticks=ends, xticklabels=ends)
        axis.minorticks_off()
        axis.grid(alpha=.3)
    axes[0][0].set_ylabel("speedup over one rank")
    axes[0][0].legend(fontsize="small")
    save_figure(figure, file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["real", "simulated"])
    parser.add_argument("--mpi", nargs="+", choices=list(PRESETS), default=list(PRESETS))
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2, 4])
    parser.add_argument("--most-simulated", type=int, default=256, help="256 ranks by messages take minutes and 6 GiB")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--add", action="store_true")
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    facts = machine()
    rows = []
    if arguments.only != "simulated":
        rows += [real(library, ranks, 3001, 5, arguments.rounds) for library in arguments.mpi for ranks in arguments.ranks]
    if arguments.only != "real":
        subprocess.run(["cmake", "--build", "--preset", "release", "--target", "s3_nbody_simulated"], cwd=ROOT, check=True,
                       capture_output=True)
        program = ROOT / "build" / "release" / "bench" / "s3_nbody_simulated.so"
        counts = [1 << i for i in range(arguments.most_simulated.bit_length())]
        rows += [simulate(program, ranks, BODIES, 2, discover) for ranks in counts for discover in (True, False)]
    command = shlex.join(["bench/papers/s3/scaling.py", *sys.argv[1:]])
    commit = output("git", "rev-parse", "--short", "HEAD")
    for row in rows:
        row["commit"] = commit
    if arguments.add:
        old = json.loads(result_file(NAME, facts).read_text())
        rows = [row for row in old["rows"] if row["kind"] != arguments.only] + rows
        command = f"{old['command']}; {command}"
    write_result(NAME, {"what": "the N-body simulation of Listing 1, milliseconds a step", "machine": facts, "commit": commit,
                        "dirty": dirty(), "command": command, "model": MODEL, "rows": rows},
                 arguments.stdout)
    if not arguments.stdout:
        drawn(draw, rows, ROOT / "bench" / "results" / f"{NAME}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
