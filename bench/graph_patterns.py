#!/usr/bin/env python3
"""Patterns written by hand (bench/graph_patterns.c): the program's own loop of messages, the best that is written by hand, MPI's
blocking collective, and the compiled graph: what is chosen, as written, tuned (TACIT_TUNE), and by each driver. Writes one result
file: machine, commit, command, load, microseconds, what was chosen, and what tuning has measured of every candidate.

    bench/graph_patterns.py                       all patterns, 64 B to 4 MiB, 5 rounds on 2 and on 4 ranks, Open MPI
    bench/graph_patterns.py --mpi openmpi mpich --ranks 2 4 8 --sizes 8 64 1024 16384 262144 1048576
    bench/graph_patterns.py --ranks 2 --rounds 3 --stdout
    bench/graph_patterns.py --fresh               buffers written before each run and read behind it: graph-patterns-fresh-<machine>.json
    bench/graph_patterns.py --quick --stdout      a few cases and one round, to see that it works: no measurement
    bench/graph_patterns.py --draw                bench/results/graph-patterns-<machine>.svg and a table of the last results, nothing else

Processes of the ways alternate. Of each case the lowest 10th percentile of all rounds counts: whatever disturbs a machine only adds.
Before and behind the measurement each way runs once with known bytes, and every byte that arrives is compared.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import PRESETS, ROOT, dirty, git, machine, result_file, save_figure, user_environment, write_result

BY_HAND = ["loop", "best", "mpi"]
CHOSEN = ["graph", "tuned"]
CANDIDATES = ["written", "shm", "p2p", "coll", "pcoll"]
WAYS = BY_HAND + CHOSEN + CANDIDATES
PATTERNS = ["bcast", "scatter", "scatterv", "gather", "gatherv", "allgather", "allgatherv", "alltoall", "alltoallv", "barrier", "halo",
            "transpose"]
SIZES = [64, 4096, 65536, 1 << 18, 1 << 20, 1 << 22]
QUICK = {"mpi": ["openmpi"], "ranks": [2], "sizes": [64, 4096], "patterns": ["bcast", "alltoallv", "barrier", "halo", "transpose"],
         "rounds": 1, "blocks": 3}
ONE_TIME = re.compile(r"([a-z][a-z -]* \((?:shm|p2p|coll|pcoll|rma)\)) ([0-9.]+) (ns|µs|ms|s)\b")
IN_MICROSECONDS = {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}


def tuned_times(feedback):
    """Microseconds of each candidate, as the text of the explanation has them; the first one runs."""
    text = re.sub(r"\(predicted [^)]*\)", "", feedback).replace("stays with ", ": ").replace("changed to ", ": ").replace("; not ", ": ")
    return {name.strip(): float(amount) * IN_MICROSECONDS[unit] for name, amount, unit in ONE_TIME.findall(text)}


def chosen_of(explained):
    """What runs: plan and driver."""
    times = tuned_times(explained.get("feedback", ""))
    if times:
        return next(iter(times))
    first = (explained.get("predicted") or [{"plan": "as written" if explained["as_written"] else "collectives"}])[0]
    return f"{first['plan']} ({explained.get('driver', '')})"


def launched(library, ranks, words):
    """The lines of one process group."""
    environment = user_environment()
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    with tempfile.TemporaryDirectory(prefix="tacit-cache-") as cache: # a measured machine model counts, kept results of tuning do not
        kept = Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tacit"
        (Path(cache) / "tacit").mkdir()
        for model in kept.glob("*"):
            if model.is_file() and not model.name.startswith("graphs-"):
                (Path(cache) / "tacit" / model.name).write_bytes(model.read_bytes())
        environment["XDG_CACHE_HOME"] = cache
        done = subprocess.run([f"mpiexec.{library}", "-n", str(ranks), *words], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words[1:])} on {ranks} ranks under {library} failed: {done.stderr[-2000:]}")
    return done.stdout.splitlines()


def run(program, library, ranks, way, arguments):
    """Yields ((pattern, bytes), microseconds or explanation)."""
    words = [str(program), way, ",".join(arguments.patterns), ",".join(map(str, arguments.sizes)), str(arguments.blocks)]
    for line in launched(library, ranks, words + (["fresh"] if arguments.fresh else [])):
        if line.startswith("# "):
            _, pattern, size, text = line.split(" ", 3)
            yield (pattern, int(size)), json.loads(text)
        else:
            pattern, size, us = line.split()
            yield (pattern, int(size)), float(us)


def build(folder, library, libraries):
    program = Path(folder) / f"graph_patterns.{library}"
    subprocess.run([f"mpicc.{library}", "-O2", f"-I{ROOT / 'include'}", str(ROOT / "bench/graph_patterns.c"), "-o", str(program),
                    f"-L{libraries}", "-ltacit", f"-Wl,-rpath,{libraries}"], check=True)
    return program


def case_of(library, ranks, key, us, explained):
    """A case of the result; of tuning the candidates' own times, which count like those of other ways."""
    pattern, size = key
    case = {"mpi": library, "ranks": ranks, "pattern": pattern, "bytes": size, "us": us,
            "loop_over": {way: round(us["loop"] / t, 2) for way, t in us.items() if way != "loop" and t > 0},
            "chosen": {way: chosen_of(explained[way]) for way in CHOSEN if way in explained}}
    if "tuned" in explained:
        case["candidates"] = tuned_times(explained["tuned"].get("feedback", ""))
    return case


def measure(program, library, ranks, arguments):
    best, explained = {}, {}
    for _ in range(arguments.rounds):
        for way in arguments.ways:
            for key, what in run(program, library, ranks, way, arguments):
                if isinstance(what, dict):
                    explained.setdefault(key, {})[way] = what
                else:
                    best.setdefault(key, {})[way] = min(best.get(key, {}).get(way, what), what)
    for key, us in best.items():
        case = case_of(library, ranks, key, us, explained.get(key, {}))
        print(f"{library} {ranks} {key[0]:10} {key[1]:8} B  loop {us['loop']:8.2f} us  loop over " +
              "  ".join(f"{way} {x:.2f}" for way, x in case["loop_over"].items()) +
              "  " + ", ".join(sorted(set(case["chosen"].values()))), file=sys.stderr)
        yield case


def summary(cases):
    """How far what was chosen is from the loop, and from the best of all graphs that were measured."""
    out = {"cases": len(cases), "chosen": {}}
    slower, far = [], []
    for case in cases:
        us = case["us"]
        if not {"loop", "graph"} <= us.keys():
            continue
        fastest = min(us[way] for way in CHOSEN + CANDIDATES if way in us)
        where = [case["mpi"], case["ranks"], case["pattern"], case["bytes"]]
        if us["loop"] < 0.97 * us["graph"]:
            slower.append(where + [round(us["loop"] / us["graph"], 2)])
        if us["graph"] > 1.1 * fastest:
            far.append(where + [round(us["graph"] / fastest, 2)])
        name = case["chosen"].get("graph", "")
        out["chosen"][name] = out["chosen"].get(name, 0) + 1
    return out | {"slower_than_0.97_of_the_loop": slower, "more_than_1.1_of_the_best": far}


def table(cases):
    """Markdown: microseconds, the fastest of each case in bold."""
    print("| MPI | ranks | pattern | bytes | " + " | ".join(WAYS) + " | chosen |\n|" + "---|" * (len(WAYS) + 5))
    for case in cases:
        fastest = min(case["us"].values())
        cells = [f"**{case['us'][w]:.2f}**" if case["us"].get(w) == fastest else f"{case['us'][w]:.2f}" if w in case["us"] else "–"
                 for w in WAYS]
        print(f"| {case['mpi']} | {case['ranks']} | {case['pattern']} | {case['bytes']} | " + " | ".join(cells) +
              f" | {case['chosen'].get('graph', '')} |")


def draw(cases, file):
    """The loop's time over that of each way, by size: a row for each library and number of ranks, a column for each pattern."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    rows = sorted({(c["mpi"], c["ranks"]) for c in cases})
    columns = [p for p in PATTERNS if any(c["pattern"] == p for c in cases)]
    figure, grid = pyplot.subplots(len(rows), len(columns), squeeze=False, sharey=True, figsize=(2.6 * len(columns), 2.4 * len(rows)))
    for row, line in zip(rows, grid):
        for pattern, axes in zip(columns, line):
            some = sorted((c for c in cases if (c["mpi"], c["ranks"]) == row and c["pattern"] == pattern), key=lambda c: c["bytes"])
            for way in ["best", "mpi", "written", "graph", "tuned"]:
                points = [(c["bytes"], c["loop_over"][way]) for c in some if way in c["loop_over"]]
                axes.plot(*zip(*points), marker=".", label=way) if points else None
            axes.axhline(1, color="black", linewidth=0.5)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log", base=2)
            axes.set_title(f"{pattern}, {row[0]}, p={row[1]}", fontsize=7)
    grid[0][0].legend(fontsize=6)
    save_figure(figure, file)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", choices=PRESETS, default=["openmpi"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--blocks", type=int, default=30, help="of runs, of which the lowest tenth counts (default: 30)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--patterns", nargs="+", choices=PATTERNS, default=PATTERNS)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--draw", action="store_true")
    parser.add_argument("--stdout", action="store_true")
    if parser.parse_args().quick: # what is said beside it counts more
        parser.set_defaults(**QUICK)
    arguments = parser.parse_args()
    if "loop" not in arguments.ways:
        parser.error("everything is compared with the way loop")
    return arguments


def main():
    arguments = read_arguments()
    name = "graph-patterns-fresh" if arguments.fresh else "graph-patterns"
    if arguments.draw:
        file = result_file(name, machine())
        cases = json.loads(file.read_text("utf-8"))["cases"]
        table(cases)
        draw(cases, file.with_suffix(".svg"))
        return
    result = {"benchmark": "patterns written by hand", "machine": machine(), "commit": git("rev-parse", "HEAD"), "changed": dirty(),
              "command": " ".join(["bench/graph_patterns.py", *sys.argv[1:]]), "cases": []}
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        for library in arguments.mpi:
            libraries = ROOT / "build" / PRESETS[library] / "lib"
            if not (libraries / "libtacit.so").exists():
                sys.exit(f"{libraries}/libtacit.so does not exist: build the preset {PRESETS[library]} first")
            program = build(folder, library, libraries)
            for ranks in arguments.ranks:
                result["cases"] += measure(program, library, ranks, arguments)
    result["summary"] = summary(result["cases"])
    write_result(name, result, arguments.stdout)


if __name__ == "__main__":
    main()
