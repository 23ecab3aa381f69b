#!/usr/bin/env python3
"""Patterns written by hand (bench/graph_patterns/): the program's own loop of messages, the best that is written by hand, MPI's blocking
collective, the compiled graph, and each plan that was compared for it. Writes one result file: machine, model, commit, command, load,
microseconds, what was chosen, and a summary; and a picture of it.

    bench/graph_patterns.py                       all patterns, 8 B to 4 MiB, on 2, 4 and 8 ranks (MPICH: 2 and 4, as its ranks spin)
    bench/graph_patterns.py --mpi openmpi --ranks 2 --patterns bcast halo --sizes 8 4096 --stdout
    bench/graph_patterns.py --add ...             what is measured takes the place of the same cases of the kept result; the rest stays
    bench/graph_patterns.py --again 3             the cases of the kept result that miss a goal once more, in so many rounds: what is seen
                                                  then stands beside what was seen first and does not take its place
    bench/graph_patterns.py --fresh               buffers written before each run and read behind it: graph-patterns-fresh-<machine>.json
    bench/graph_patterns.py --quick --stdout      a few cases and one round, to see that it works: no measurement
    bench/graph_patterns.py --draw                picture, table and summary of the kept result, nothing else

Ways that are compared share a process and alternate block by block, in another order each time; ratios are those within one process, of
the lowest tenth of the blocks, and the median over the rounds counts. The loop is measured twice there, as two ways: `loop_over_itself`
tells how far apart the machine puts what is the same. MPI's nonblocking collectives, which make Open MPI's progress loop longer for all
that comes behind them, have processes of their own, with the loop and what is chosen beside them. The loop is also measured in processes
without any graph; `loop_alone_over_chosen` compares the least times of both, which were not measured at the same time. Each way runs with
known bytes before and behind its blocks, and every byte that arrives is compared.
"""
import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import PRESETS, ROOT, dirty, drawn, git, machine, pyplot, result_file, save_figure, user_environment

ALONE, GRAPHS, COLLECTIVES = "loop,best,mpi", "loop,best,mpi,graph,candidates,again", "loop,graph,collectives,again"
PATTERNS = ["bcast", "scatter", "scatterv", "gather", "gatherv", "allgather", "allgatherv", "alltoall", "alltoallv", "reduce", "allreduce",
            "reduce_scatter", "barrier", "halo", "transpose", "reduce_double", "reduce_scatter_double"]
SIZES = [8, 512, 4096, 32768, 1 << 18, 1 << 20, 1 << 22]
QUICK = {"mpi": ["openmpi"], "ranks": [2], "sizes": [64, 4096], "patterns": ["bcast", "alltoallv", "allreduce", "barrier", "transpose"],
         "rounds": 1, "milliseconds": 3}
FASTER_THAN_MPI = {"allgather", "alltoall", "allreduce", "barrier"} # up to 4 KiB on two ranks
LINEAR = set(PATTERNS) - {"halo", "barrier"}
TARGET_OF_LOOP, TARGET_OF_BEST = 0.97, 1.1


def launched(library, ranks, words, model):
    """The lines of one process group, which chooses by that machine model."""
    environment = user_environment()
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    if model:
        environment["TACIT_PLATFORM"] = str(model)
    with tempfile.TemporaryDirectory(prefix="tacit-cache-") as cache: # kept results of tuning do not count
        environment["XDG_CACHE_HOME"] = cache
        done = subprocess.run([f"mpiexec.{library}", "-n", str(ranks), *map(str, words)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words[1:]))} on {ranks} ranks under {library} failed: {done.stderr[-2000:]}")
    return done.stdout.splitlines()


def name_of_chosen(explained):
    return f"{explained['plan']} ({explained['driver']})"


def key_of(pattern, size):
    """A barrier, which is measured with the first size that is wanted, has none."""
    return pattern, SIZES[0] if pattern == "barrier" else int(size)


def one_round(program, library, ranks, ways, pattern, arguments, model):
    """By case of a pattern: microseconds of each way, and what was chosen."""
    words = [program, ways, pattern, ",".join(map(str, arguments.sizes)), arguments.milliseconds]
    out = {}
    for line in launched(library, ranks, words + (["fresh"] if arguments.fresh else []), model):
        if line.startswith("# "):
            _, pattern, size, _, text = line.split(" ", 4)
            out[key_of(pattern, size)]["chosen"] = name_of_chosen(json.loads(text))
        else:
            pattern, size, way, us = line.split("\t")
            out.setdefault(key_of(pattern, size), {"us": {}})["us"][way] = float(us)
    return out


def build(folder, library):
    libraries = ROOT / "build" / PRESETS[library] / "lib"
    if not (libraries / "libtacit.so").exists():
        sys.exit(f"{libraries}/libtacit.so does not exist: build the preset {PRESETS[library]} first")
    program = Path(folder) / f"graph_patterns.{library}"
    sources = sorted(map(str, (ROOT / "bench/graph_patterns").glob("*.c")))
    subprocess.run([f"mpicc.{library}", "-O2", f"-I{ROOT / 'include'}", *sources, "-o", str(program), f"-L{libraries}", "-ltacit",
                    f"-Wl,-rpath,{libraries}"], check=True)
    return program


def measured_model(folder, library):
    """The machine model that `tacit platform` measures."""
    model = Path(folder) / f"model.{library}.json"
    launched(library, 2, [ROOT / "build" / PRESETS[library] / "bin" / f"tacit-platform-{library}", "--output", model], None)
    return model


def case_of(library, ranks, key, rounds):
    """A case of the result: least microseconds, ratios of processes in which both were measured, and what was chosen."""
    least, ratios, alone, itself = {}, {}, [], []
    chosen = statistics.mode(seen["chosen"] for seen in rounds if "chosen" in seen) # it may be measured, so that rounds differ
    own_group = COLLECTIVES if chosen.endswith("coll)") else GRAPHS
    for seen in rounds:
        us = seen["us"]
        for way, t in us.items():
            least[way] = min(t, least.get(way, t))
        if seen["ways"] == ALONE:
            alone.append(us["loop"])
        elif us["graph"] > 0:
            for way, t in us.items():
                if way not in ("graph", "loop", "again") or seen["ways"] == own_group:
                    ratios.setdefault(way, []).append(t / us["graph"])
            if seen["ways"] == own_group:
                itself.append(us["loop"] / us["again"])
    over = {way: round(statistics.median(some), 3) for way, some in ratios.items()}
    candidates = {way: ratio for way, ratio in over.items() if way.endswith(")")} | {chosen: 1.0}
    best = min(candidates, key=candidates.get)
    return {"mpi": library, "ranks": ranks, "pattern": key[0], "bytes": key[1], "chosen": chosen, "best": best,
            "loop_over_chosen": over["loop"], "chosen_over_best": round(1 / candidates[best], 3),
            "loop_over_itself": round(statistics.median(itself), 3),
            "loop_alone_over_chosen": round(min(alone) / least["graph"], 3),
            "us": least, "over_chosen": over}


def measure(program, library, ranks, arguments, model):
    """A pattern after the other, each in processes of its own: what many schedules leave behind in a library slows down all that comes."""
    for pattern in arguments.patterns:
        rounds = {}
        for _ in range(arguments.rounds):
            for ways in (ALONE, GRAPHS, COLLECTIVES):
                for key, seen in one_round(program, library, ranks, ways, pattern, arguments, model).items():
                    rounds.setdefault(key, []).append(seen | {"ways": ways})
        for key, seen in rounds.items():
            case = case_of(library, ranks, key, seen)
            print(f"{library} {ranks} {key[0]:14} {key[1]:8} B  chosen {case['us']['graph']:9.2f} us: {case['chosen']:32} loop x"
                  f"{case['loop_over_chosen']:.2f} alone x{case['loop_alone_over_chosen']:.2f}  mpi "
                  f"x{case['over_chosen'].get('mpi', 0):.2f}"
                  f"  over the best x{case['chosen_over_best']:.2f} {case['best'] if case['best'] != case['chosen'] else ''}",
                  file=sys.stderr, flush=True)
            yield case


def where(case):
    return [case["mpi"], case["ranks"], case["pattern"], case["bytes"]]


def quantiles(some):
    ordered = sorted(some)
    return {name: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
            for name, share in [("least", 0), ("5 %", 0.05), ("25 %", 0.25), ("50 %", 0.5), ("75 %", 0.75), ("95 %", 0.95)]}


def within_of_best(case, label):
    """Whether that plan would have been as good as the best, by more than which nobody is: one that was not measured, as it was predicted
    to take three times as long or does not exist, would not."""
    ratios = {case["chosen"]: 1.0} | case["over_chosen"]
    return label in ratios and ratios[label] * case["chosen_over_best"] <= TARGET_OF_BEST


def misses(case):
    few_bytes_on_two = case["ranks"] == 2 and case["bytes"] <= 4096 and case["pattern"] in FASTER_THAN_MPI
    return (case["loop_over_chosen"] < TARGET_OF_LOOP or case["chosen_over_best"] > TARGET_OF_BEST or
            (few_bytes_on_two and case["over_chosen"]["mpi"] < 1.5))


def once_more(case, ratio):
    """That ratio when the case was measured once more, if it was."""
    return [case["again"][ratio]] if "again" in case else []


def again_of(cases, missed):
    """Of the cases that missed a goal and were measured once more: in how many both times."""
    repeated = [missed(c["again"]) for c in cases if missed(c) and "again" in c]
    return f"{sum(repeated)} of {len(repeated)}"


def summary(cases):
    counts = {}
    for case in cases:
        counts[case["chosen"]] = counts.get(case["chosen"], 0) + 1
    labels = {label for case in cases for label in [case["chosen"], *case["over_chosen"]] if label.endswith(")")}
    constants = sorted(((sum(within_of_best(c, label) for c in cases), label) for label in labels), reverse=True)
    near = sum(c["chosen_over_best"] <= TARGET_OF_BEST for c in cases)
    small = [c for c in cases if c["ranks"] == 2 and c["bytes"] <= 4096 and c["pattern"] in FASTER_THAN_MPI]
    linear = [c for c in cases if c["ranks"] == 8 and c["pattern"] in LINEAR]
    itself = [c["loop_over_itself"] for c in cases if "loop_over_itself" in c] # fresh cases were measured before it was
    return {
        "cases": len(cases), "loop_over_chosen": quantiles([c["loop_over_chosen"] for c in cases]),
        "slower_than_0.97_of_the_loop": [[*where(c), c["loop_over_chosen"], *once_more(c, "loop_over_chosen")] for c in cases
                                         if c["loop_over_chosen"] < TARGET_OF_LOOP],
        "of_these_again": again_of(cases, lambda c: c["loop_over_chosen"] < TARGET_OF_LOOP),
        "loop_over_itself": quantiles(itself) if itself else None,
        "itself_slower_than_0.97": sum(ratio < TARGET_OF_LOOP for ratio in itself),
        "within_1.1_of_the_best": f"{near} of {len(cases)} ({100 * near / len(cases):.1f} %)",
        "more_than_1.1_of_the_best": [[*where(c), c["chosen_over_best"], *once_more(c, "chosen_over_best"), c["chosen"], c["best"]]
                                      for c in cases if c["chosen_over_best"] > TARGET_OF_BEST],
        "of_those_again": again_of(cases, lambda c: c["chosen_over_best"] > TARGET_OF_BEST),
        "different_chosen": len(counts), "chosen": dict(sorted(counts.items(), key=lambda x: -x[1])),
        "best_constant": f"{constants[0][1]}: {constants[0][0]} of {len(cases)}", "constants": {label: n for n, label in constants[:6]},
        "mpi_over_chosen_up_to_4_KiB_on_2_ranks": quantiles([c["over_chosen"]["mpi"] for c in small]) if small else None,
        "of_these_below_1.5": [[*where(c), c["over_chosen"]["mpi"]] for c in small if c["over_chosen"]["mpi"] < 1.5],
        "loop_over_chosen_of_linear_patterns_on_8_ranks": quantiles([c["loop_over_chosen"] for c in linear]) if linear else None,
        "of_these_at_least_2": f"{sum(c['loop_over_chosen'] >= 2 for c in linear)} of {len(linear)}",
        "loop_alone_over_chosen": quantiles([c["loop_alone_over_chosen"] for c in cases]),
        "slower_than_0.97_of_the_loop_alone": [[*where(c), c["loop_alone_over_chosen"]] for c in cases
                                               if c["loop_alone_over_chosen"] < TARGET_OF_LOOP]}


def table(cases):
    """Markdown: microseconds, the fastest of each case in bold."""
    ways = ["loop", "best", "mpi", "graph"]
    print("| MPI | ranks | pattern | bytes | loop | by hand | MPI | chosen | which | best candidate | loop / chosen |\n|" + "---|" * 11)
    for case in cases:
        us = case["us"]
        fastest = min(us[w] for w in ways if w in us)
        cells = [f"**{us[w]:.2f}**" if us[w] == fastest else f"{us[w]:.2f}" for w in ways]
        print("| " + " | ".join([case["mpi"], str(case["ranks"]), case["pattern"], str(case["bytes"]), *cells, case["chosen"],
                                 f"{case['best']} ({case['chosen_over_best']:.2f})", f"{case['loop_over_chosen']:.2f}"]) + " |")


def draw(cases, file):
    """The loop's time over that of each way, by size: a row for each library and number of ranks, a column for each pattern."""
    rows = sorted({(c["mpi"], c["ranks"]) for c in cases}, key=lambda row: (row[0] != "openmpi", row))
    columns = [p for p in PATTERNS if any(c["pattern"] == p for c in cases)]
    figure, grid = pyplot().subplots(len(rows), len(columns), squeeze=False, sharex=True, sharey=True,
                                   figsize=(1.9 * len(columns), 2.1 * len(rows)))
    for row, line in zip(rows, grid):
        for pattern, axes in zip(columns, line):
            some = sorted((c for c in cases if (c["mpi"], c["ranks"]) == row and c["pattern"] == pattern), key=lambda c: c["bytes"])
            for name, ratio in [("best by hand", lambda c: c["loop_over_chosen"] / c["over_chosen"]["best"]),
                                ("MPI's collective", lambda c: c["loop_over_chosen"] / c["over_chosen"]["mpi"]),
                                ("best candidate", lambda c: c["loop_over_chosen"] * c["chosen_over_best"]),
                                ("chosen", lambda c: c["loop_over_chosen"])]:
                axes.plot([c["bytes"] for c in some], [ratio(c) for c in some],
                          linewidth=1, marker="." if len(some) == 1 else None, label=name)
            axes.axhline(1, color="black", linewidth=0.5)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log", base=2)
            axes.set_title(f"{pattern}, {row[0]}, p={row[1]}", fontsize=6)
            axes.tick_params(labelsize=6)
            axes.minorticks_off()
    grid[0][0].legend(fontsize=5)
    save_figure(figure, file)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", choices=PRESETS, default=list(PRESETS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--milliseconds", type=int, default=40, help="of measuring a case in one process (default: 40)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--patterns", nargs="+", choices=PATTERNS, default=PATTERNS)
    parser.add_argument("--again", type=int, metavar="ROUNDS")
    for flag in ("fresh", "quick", "draw", "stdout", "add"):
        parser.add_argument(f"--{flag}", action="store_true")
    if parser.parse_args().quick: # what is said beside it counts more
        parser.set_defaults(**QUICK)
    return parser.parse_args()


def jobs(arguments, kept):
    """(library, ranks, arguments) of what is to be measured."""
    if not arguments.again:
        return [(library, ranks, arguments) for library in arguments.mpi for ranks in arguments.ranks
                if ranks <= 4 or library != "mpich"]
    out = []
    for case in filter(misses, kept["cases"]):
        of_case = {"patterns": [case["pattern"]], "sizes": [case["bytes"]], "rounds": arguments.again}
        out.append((case["mpi"], case["ranks"], argparse.Namespace(**(vars(arguments) | of_case))))
    return out


def replaced(old, new):
    """The cases of both, in the order of the table; a new one takes the place of the old one."""
    by_place = {tuple(where(c)): c for c in old + new}
    libraries = list(PRESETS)
    return sorted(by_place.values(), key=lambda c: (libraries.index(c["mpi"]), c["ranks"], PATTERNS.index(c["pattern"]), c["bytes"]))


def beside(old, new):
    """The old cases; with those that were measured once more stands what was seen then."""
    seen = {tuple(where(c)): {name: c[name] for name in ("loop_over_chosen", "loop_over_itself", "chosen_over_best", "chosen", "best",
                                                         "over_chosen", "commit")} for c in new}
    return [c | {"again": seen[tuple(where(c))]} if tuple(where(c)) in seen else c for c in old]


def main():
    arguments = read_arguments()
    name = "graph-patterns-fresh" if arguments.fresh else "graph-patterns"
    facts = machine()
    file = result_file(name, facts)
    kept = json.loads(file.read_text("utf-8")) if (arguments.draw or arguments.add or arguments.again) and file.exists() else {}
    if arguments.draw:
        table(kept["cases"])
        drawn(draw, kept["cases"], file.with_suffix(".svg"))
        print(json.dumps(summary(kept["cases"]), indent=1))
        return
    result = {"benchmark": "patterns written by hand", "machine": facts, "commit": git("rev-parse", "HEAD"), "changed": dirty(),
              "command": " ".join(["bench/graph_patterns.py", *sys.argv[1:]]), "models": kept.get("models", {})}
    cases = []
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        programs, models = {}, {}
        for library, ranks, some in jobs(arguments, kept):
            if library not in programs:
                programs[library] = build(folder, library)
                models[library] = measured_model(folder, library)
                result["models"][library] = json.loads(models[library].read_text("utf-8"))
            cases += measure(programs[library], library, ranks, some, models[library])
    for case in cases:
        case["commit"] = result["commit"]
    cases = beside(kept["cases"], cases) if arguments.again else replaced(kept.get("cases", []), cases)
    result["summary"] = summary(cases)
    if kept:
        result["command"] = f"{kept['command']}; {result['command']}"
    if arguments.stdout:
        print(json.dumps(result | {"cases": cases}, indent=1))
        return
    head = json.dumps(result | {"cases": []}, indent=1).removesuffix("[]\n}")
    file.write_text(head + "[\n  " + ",\n  ".join(map(json.dumps, cases)) + "\n ]\n}\n", "utf-8")
    print(f"written: {file}", file=sys.stderr)
    drawn(draw, cases, file.with_suffix(".svg"))


if __name__ == "__main__":
    main()
