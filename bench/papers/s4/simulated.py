#!/usr/bin/env python3
"""Annotated programs on simulated ranks: Figures 12 and 14 of seed 003 (Haque and others, annotation-based transformations), and
pictures of Figures 11 to 14.

    bench/papers/s4/simulated.py                     after building tacit in the preset release: all, with the pictures
    bench/papers/s4/simulated.py --figure 12 --ranks 16 --stdout
    bench/papers/s4/simulated.py --figure 15           the choice alone, with blocks, loops and ranks of many sizes
    bench/papers/s4/simulated.py --check             a few small configurations, twice: fails if digits differ or a goal is missed
    bench/papers/s4/simulated.py --add FILE...       adds what runs with --stdout have printed to the results that are there, and draws them
    bench/papers/s4/simulated.py --draw              only the pictures, of the results that are there

Figure 12: the stencil of Figure 7 as written, as `tacit transform` writes it, and overlapped by hand. Figure 14: an all-to-all exchange
behind the loop that computes it, as written, in parts (`always`), in rows of one-sided puts (`puts`), as measured by the program
itself, and as predicted from a description of the machine; on two machines, of which one should choose parts or puts and the other
not. Figure 15: the same exchange, whose
choice is only predicted, with more sizes and with loops of more and of less work. SimGrid's SMPI runs them on a
simulated cluster; what computing costs is counted by the programs (bench/papers/s2/cost_counter.cpp), so that the same build gives
the same digits each time. Every result is compared with that of one rank.

Figure 13 (local loads and stores) cannot be simulated: SMPI copies what a process puts into its own memory and lets that cost nothing
(Win::put), so that there is nothing to gain. It is measured on real ranks (real.py), as Figure 11 is.
"""
import argparse
import dataclasses
import importlib.util
import json
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
from measured import ROOT, dirty, drawn, git, machine, pyplot, result_file, save_figure  # noqa: E402


def simulator():
    """bench/papers/s2/run.py; bench has a run.py of its own."""
    found = importlib.util.spec_from_file_location("s2", HERE.parent / "s2" / "run.py")
    made = importlib.util.module_from_spec(found)
    sys.modules["s2"] = made
    found.loader.exec_module(made)
    return made


s2 = simulator()

RESULT = ROOT / "bench" / "results" / "papers-s4-simulated.json"
TACIT = ROOT / "build" / "release" / "bin" / "tacit"
EXAMPLES = ROOT / "examples" / "annotations"
GUARD = 0.98  # of what is written, never slower
CHOICE_STEPS = 6  # two until the prediction is made
STEPS = 20  # of the transpose: those in which a measuring program decides, and four that count
# MPI_Alltoall as MPI_Ialltoall is in SMPI: all messages at once. Its usual algorithms send one behind the other, and what is gained over
# that is not gained by overlapping.
ALGORITHM = "--cfg=smpi/alltoall:basic_linear"
# Of the two machines of Figure 14, for --exchange-costs: the latency of two links, seconds a byte, what part of a message moves while
# processes compute (all of it, in a simulator), and seconds of a call that sends and of one that receives. Of puts, which the simulator
# makes of messages: a call, the latency there and back, the same link; copying what has come costs nothing there.
def costs_of(latency: float, of_byte: float) -> tuple:
    return (latency, of_byte, 1.0, s2.CALL, s2.CALL, s2.CALL, 2 * latency, of_byte, 1.0, 0.0)


COSTS = {"gbe": costs_of(2 * 20e-6, 1 / 125e6), "fast": costs_of(2 * 2e-6, 1 / 1.25e9)}


@dataclasses.dataclass(frozen=True)
class Stencil:
    size: str
    edge: int
    steps: int


STENCILS = (Stencil("small", 64, 6), Stencil("large", 256, 2))
RANKS = (16, 64, 256)
ROWS = (2, 8, 32)  # of the transpose, on each rank: blocks of 64 B, 1 KiB and 16 KiB
MOST_BYTES = 1 << 31  # of all simulated ranks together
# Of Figure 15: work for a value (the example has 8), rows, ranks.
WORK, CHOICE_ROWS, CHOICE_RANKS = (1, 8, 64), (2, 4, 8, 16, 32), (8, 16, 32)


def transformed(source: Path, name: str, *words) -> Path:
    """The file as `tacit transform` writes it."""
    made = s2.WORK / name
    made.write_text(s2.call([TACIT, "transform", "--quiet", *words, source]).stdout)
    return made


def predicting(source: Path, network: str) -> Path:
    """As with --platform FILE, whose numbers are given directly: the simulated machine has no such file."""
    text = transformed(source, f"transpose-{network}.c").read_text()
    before, found, behind = text.partition("tacit_pipeline_begin(")
    name, comma, rest = behind.partition(", ")
    costs = f"const tacit_pipeline_costs costs = {{{', '.join(f'{cost:.3g}' for cost in COSTS[network])}}};\n"
    when, null, more = rest.partition("NULL")
    if not (found and comma and null):
        raise s2.Trouble("the transformed transpose is not what is expected")
    made = s2.WORK / f"transpose-predicted-{network}.c"
    made.write_text(before + costs + found + name + comma + when.replace("MEASURED", "PREDICTED") + "&costs" + more)
    return made


class Programs:
    """How a program becomes a shared object that SMPI runs, with its computation counted."""

    def __init__(self, tools):
        self.tools = tools
        self.common = ["-O2", "-fPIC", "-c", f"-I{tools.headers}", f"-I{ROOT / 'src'}", f"-I{ROOT / 'include'}",
                       f"-fpass-plugin={tools.counter}"]
        self.library = []
        folder = ROOT / "src" / "compiler"
        for name in ("pipeline", "known_exchange", "exchange_parts", "played_exchange", "put_window", "own_communicator", "once_more",
                     "claims", "datatypes", "node"):
            source = folder / "coalesce" / f"{name}.cpp"
            made = s2.WORK / f"coalesce_{source.stem}.o"
            s2.call(["clang++-19", "-std=c++20", "-fno-exceptions", "-fno-rtti", *self.common, source, "-o", made])
            self.library.append(made)

    def build(self, source: str, name: str, *words) -> Path:
        made = s2.WORK / f"{name}.o"
        s2.call([self.tools.clang, "-std=gnu11", "-Wno-unknown-pragmas", *self.common, *words, HERE / source, "-o", made])
        program = s2.WORK / f"{name}.so"
        hooks = [s2.WORK / f"hooks_{part}.o" for part in ("settings", "devices", "finalize")]  # what the library takes of them
        s2.call([self.tools.clang, "-shared", "-Wl,-z,defs", made, *self.library, *hooks, s2.WORK / "charge.o", "-lsimgrid", "-lm",
                 "-o", program])
        return program


def named(macro: str, file: Path) -> str:
    return f'-D{macro}="{file}"'


def build_stencils(programs: Programs) -> dict:
    source = EXAMPLES / "stencil.c"
    return {"plain": programs.build("stencil_simulated.c", "stencil-plain", named("STENCIL", source)),
            "transformed": programs.build("stencil_simulated.c", "stencil-transformed",
                                          named("STENCIL", transformed(source, "stencil-transformed.c"))),
            "hand": programs.build("stencil_simulated.c", "stencil-hand", named("STENCIL", source), "-DBY_HAND")}


def build_transposes(programs: Programs, network: str, work: int = 8) -> dict:
    source = EXAMPLES / "transpose.c"
    files = {"plain": source, "always": transformed(source, "transpose-always.c", "--pipeline=always"),
             "puts": transformed(source, "transpose-puts.c", "--pipeline=puts"),
             "measured": transformed(source, "transpose-measured.c"), "predicted": predicting(source, network)}
    return {way: programs.build("transpose_simulated.c", f"transpose-{way}-{network}-{work}", named("TRANSPOSE", file), f"-DWORK={work}")
            for way, file in files.items()}


def compare(tools, programs: dict, arguments: str, ranks: int, network: str, protocol: str, expected: float) -> dict:
    """Seconds of each way."""
    seconds = {}
    for way, program in programs.items():
        found = s2.simulate(tools, program, arguments, ranks, network, protocol)
        if not s2.same(found["checksum"], expected):
            raise s2.Trouble(f"{program.stem} {arguments}, {ranks} ranks, {network}, {protocol}: checksum {found['checksum']!r} instead of "
                             f"{expected!r}")
        seconds[way] = found["seconds"]
    return seconds


def figure_12(tools, programs: Programs, sizes, ranks, networks) -> list[dict]:
    ways, rows = build_stencils(programs), []
    for size in sizes:
        arguments = f"{size.edge} {size.steps}"
        s2.write_platform("gbe", 1)
        expected = s2.simulate(tools, ways["plain"], arguments, 1, "gbe", "eager")["checksum"]
        for p in ranks:
            for network in networks:
                s2.write_platform(network, p)
                for protocol in ("eager", "rendezvous"):
                    seconds = compare(tools, ways, arguments, p, network, protocol, expected)
                    gains = {way: round(seconds["plain"] / seconds[way], 4) for way in ("transformed", "hand")}
                    rows.append({"size": size.size, "edge": size.edge, "ranks": p, "network": network, "protocol": protocol,
                                 "seconds": seconds, "gain": gains})
                    s2.say(f"stencil {size.edge:4}^3 {p:4} ranks {network:5} {protocol:10}: transformed {gains['transformed']}, by hand "
                           f"{gains['hand']}")
    return rows


def figure_14(tools, programs: Programs, sizes, ranks, networks) -> list[dict]:
    rows = []
    for network in networks:
        ways = build_transposes(programs, network)
        for p in ranks:
            s2.write_platform(network, p)
            for size in sizes:
                if 32 * size * size * p * p > MOST_BYTES:
                    continue
                seconds = compare(tools, ways, f"{size} {STEPS} {ALGORITHM}", p, network, "eager", 0)
                gains = {way: round(seconds["plain"] / seconds[way], 4) for way in ways if way != "plain"}
                rows.append({"rows": size, "bytes of a block": 16 * size * size, "ranks": p, "network": network, "seconds": seconds,
                             "gain": gains})
                s2.say(f"transpose {16 * size * size:6} B {p:4} ranks {network:5}: " + ", ".join(f"{w} {g}" for w, g in gains.items()))
    return rows


def figure_15(tools, programs: Programs, ranks, networks) -> list[dict]:
    """Right is what takes at most 2 % more than the best of all ways."""
    rows = []
    for network in networks:
        for work in WORK:
            ways = {way: program for way, program in build_transposes(programs, network, work).items() if way != "measured"}
            for p in ranks:
                s2.write_platform(network, p)
                for size in CHOICE_ROWS:
                    seconds = compare(tools, ways, f"{size} {CHOICE_STEPS} {ALGORITHM}", p, network, "eager", 0)
                    always, puts, predicted = (round(seconds["plain"] / seconds[way], 4) for way in ("always", "puts", "predicted"))
                    rows.append({"rows": size, "bytes of a block": 16 * size * size, "work": work, "ranks": p, "network": network,
                                 "seconds": seconds, "gain": {"always": always, "puts": puts, "predicted": predicted},
                                 "right": predicted >= GUARD * max(1, always, puts)})
                    s2.say(f"choice {16 * size * size:6} B, work {work:2} {p:4} ranks {network:5}: always {always}, puts {puts}, "
                           f"predicted {predicted} {'' if rows[-1]['right'] else 'WRONG'}")
    return rows


def case_of(row: dict) -> str:
    return " ".join([*(["work", str(row["work"])] if "work" in row else []),
                     *(str(row[k]) for k in ("size", "rows", "ranks", "network", "protocol") if k in row)])


def verdicts(parts: dict) -> list[dict]:
    """What has to be reached, and what was."""
    found = []

    def add(target, values, met):
        found.append({"target": target, "values": values, "met": bool(met)})

    key = case_of
    stencils, transposes = parts.get("figure 12", []), parts.get("figure 14", [])
    for size, least in (("small", 3), ("large", 1.25)):
        best = {key(row): row["gain"]["transformed"] for row in stencils if row["size"] == size}
        if best:
            top = max(best, key=best.get)
            add(f"stencil, {size}: at least {least}x somewhere", {top: best[top]}, best[top] >= least)
    slow = {key(row): row["gain"]["transformed"] for row in stencils if row["gain"]["transformed"] < GUARD}
    if stencils:
        add(f"stencil: never below {GUARD}x", slow, not slow)
    for way in ("measured", "predicted"):
        wrong = {key(row): row["gain"][way] for row in transposes
                 if row["gain"][way] < GUARD * max(1, row["gain"]["always"], row["gain"].get("puts", 0))}
        if transposes:
            add(f"exchange, {way}: within 2 % of the best of all", wrong, not wrong)
    if choices := parts.get("figure 15", []):
        wrong = {key(row): row["gain"] for row in choices if not row["right"]}
        add(f"choice, predicted: within 2 % of the best of all, {len(choices)} cases", wrong, not wrong)
    if transposes:
        best = max(row["gain"]["measured"] for row in transposes)
        add("exchange: at least 1.1x where parts win", {"best": best}, best >= 1.1)
    return found


# --- pictures

def new_figure(count: int, title: str):
    figure, axes = pyplot().subplots(1, count, figsize=(5.2 * count, 4), squeeze=False)
    figure.suptitle(title, fontsize="medium")
    return figure, axes[0]


def draw_12(rows: list) -> None:
    figure, axes = new_figure(4, "Figure 12: stencil, simulated; gain over blocking messages")
    cases = [(size, protocol) for size in ("small", "large") for protocol in ("eager", "rendezvous")]
    for axis, (size, protocol) in zip(axes, cases):
        for network, color in (("gbe", "#b0532b"), ("fast", "#0b6e6e")):
            mine = [r for r in rows if (r["size"], r["protocol"], r["network"]) == (size, protocol, network)]
            for way, style in (("transformed", "-"), ("hand", ":")):
                axis.plot([r["ranks"] for r in mine], [r["gain"][way] for r in mine], style, marker=".", color=color,
                          label=f"{network}, {'transformed' if way == 'transformed' else 'by hand'}")
        axis.set(xscale="log", yscale="log", xlabel="ranks", ylabel="gain", title=f"{mine[0]['edge'] if mine else '?'}³, {protocol}")
        axis.axhline(1, color="#cccccc", linewidth=0.8)
        axis.legend(fontsize="x-small")
    save_figure(figure, RESULT.with_name("papers-s4-figure-12.svg"))


def draw_14(rows: list) -> None:
    networks = list(dict.fromkeys(r["network"] for r in rows))
    figure, axes = new_figure(len(networks), "Figure 14: all-to-all exchange behind its loop, simulated; gain over MPI_Alltoall")
    styles = {"always": ("--", "in parts"), "puts": ("-.", "in rows of puts"),
              "measured": ("-", "chosen by measuring"), "predicted": (":", "chosen by prediction")}
    colors = ("#b0532b", "#0b6e6e", "#6a4c93")
    for axis, network in zip(axes, networks):
        for color, size in zip(colors, dict.fromkeys(r["bytes of a block"] for r in rows)):
            mine = [r for r in rows if r["network"] == network and r["bytes of a block"] == size]
            for way, (style, words) in styles.items():
                has_way = [r for r in mine if way in r["gain"]]
                if has_way:
                    axis.plot([r["ranks"] for r in has_way], [r["gain"][way] for r in has_way], style, marker=".", color=color,
                              label=f"{size} B, {words}")
        axis.set(xscale="log", xlabel="ranks", ylabel="gain", title=network)
        axis.axhline(1, color="#cccccc", linewidth=0.8)
        axis.legend(fontsize="xx-small")
    save_figure(figure, RESULT.with_name("papers-s4-figure-14.svg"))


def draw_real(rows: list) -> None:
    """Figures 11 and 13, of what real.py has measured."""
    searches = [r for r in rows if r["program"] == "bfs"]
    kinds = list(dict.fromkeys((r["mpi"], r["transport"], r["scale"], r["ranks"]) for r in searches))
    figure, (*axes, words_beside) = new_figure(3, "Figure 11: search with coalesced one-sided operations, real ranks of one node")
    for number, (mpi, transport, scale, ranks) in enumerate(kinds):
        mine = [r for r in searches if (r["mpi"], r["transport"], r["scale"], r["ranks"]) == (mpi, transport, scale, ranks)]
        most = max(r["memory"] for r in mine)
        for axis, value, words in ((axes[0], "over_one_sided", "over the program as written"),
                                   (axes[1], "over_two_sided", "over packed messages")):
            gains = {r["factor"]: r[value]["median"] for r in mine if r["memory"] == most and value in r}
            together = gains.pop("collective", None)  # has no factor: values wait for the fence
            label = f"{mpi} {transport}, 2^{scale}, {ranks} ranks"
            if gains:
                axis.plot(*zip(*sorted(gains.items())), marker=".", color=f"C{number}", label=label)
            if together:
                axis.axhline(together, linestyle=":", color=f"C{number}", label=f"{label}, collective")
            axis.set(xscale="log", yscale="log", xlabel="coalescing factor", ylabel="gain", title=words)
    for axis in axes:
        axis.axhline(1, color="#cccccc", linewidth=0.8)
    words_beside.axis("off")
    words_beside.legend(*axes[1].get_legend_handles_labels(), loc="center left", fontsize="small")
    save_figure(figure, RESULT.with_name("papers-s4-figure-11.svg"))
    puts = [r for r in rows if r["program"] == "rma_ldst"]
    figure, axes = new_figure(1, "Figure 13: a million puts, 99 % of them local, real ranks of one node")
    names = [f"{r['mpi']}\n{r['transport']}, {r['ranks']} ranks" for r in puts]
    for offset, value, words in ((-0.2, "plain_ns", "as written"), (0.2, "local_ns", "rma: local ones are stores")):
        axes[0].bar([i + offset for i in range(len(puts))], [r[value]["median"] for r in puts], 0.4, label=words)
    axes[0].set(yscale="log", ylabel="ns a put", xticks=range(len(puts)), xticklabels=names)
    axes[0].legend(fontsize="x-small")
    save_figure(figure, RESULT.with_name("papers-s4-figure-13.svg"))


def draw(real: Path) -> None:
    if RESULT.exists():
        parts = json.loads(RESULT.read_text())
        if "figure 12" in parts:
            draw_12(parts["figure 12"])
        if "figure 14" in parts:
            draw_14(parts["figure 14"])
    if real.exists():
        draw_real(json.loads(real.read_text())["rows"])




def add(files: list) -> None:
    """Rows of the same case are replaced; targets are judged anew."""
    result = json.loads(RESULT.read_text())
    commands = result["command"] if isinstance(result["command"], list) else [result["command"]]
    for file in files:
        more = json.loads(file.read_text())
        for part in (name for name in more if name.startswith("figure")):
            rows = {case_of(row): row for row in [*result.get(part, []), *more[part]]}
            result[part] = list(rows.values())
        commands.append(more["command"])
        result |= {name: more[name] for name in ("machine", "commit", "dirty", "simulator", "model")}
    result["command"] = list(dict.fromkeys(commands))
    result["targets"] = verdicts(result)
    figures = {name: result.pop(name) for name in sorted(name for name in result if name.startswith("figure"))}
    RESULT.write_text(json.dumps(result | figures, indent=1) + "\n")


# --- as a program

def prepared(work: Path) -> tuple:
    s2.WORK = work.resolve()
    s2.WORK.mkdir(parents=True, exist_ok=True)
    tools = s2.Toolchain(TACIT.parents[1] / "lib" / "TacitPass.so")
    tools.prepare()
    return tools, Programs(tools)


def check(work: Path) -> None:
    tools, programs = prepared(work)
    for figure, arguments in ((figure_12, (STENCILS[:1], (16,), ("gbe",))), (figure_14, (ROWS[1:], (16,), ("gbe", "fast")))):
        first, second = (figure(tools, programs, *arguments) for _ in range(2))
        if first != second:
            raise s2.Trouble(f"two runs differ:\n{first}\n{second}")
        missed = [one for one in verdicts({figure.__name__.replace("_", " "): first})
                  if not one["met"] and "somewhere" not in one["target"]]
        if missed:
            raise s2.Trouble(f"missed: {missed}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figure", nargs="+", type=int, choices=[12, 14, 15], default=[12, 14, 15])
    parser.add_argument("--ranks", nargs="+", type=int)
    parser.add_argument("--network", nargs="+", choices=list(s2.NETWORKS), default=list(s2.NETWORKS))
    parser.add_argument("--stdout", action="store_true", help="print the results instead of writing them")
    parser.add_argument("--check", action="store_true", help="small configurations, as a test")
    parser.add_argument("--draw", action="store_true", help="only the pictures")
    parser.add_argument("--add", nargs="+", type=Path, help="results that --stdout has printed")
    parser.add_argument("--real", type=Path, default=result_file("papers-s4-real-quiet", machine()),
                        help="results of real.py, for Figures 11 and 13 (those of this machine)")
    parser.add_argument("--tacit", type=Path, default=TACIT)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "s4", help="where programs are built (build/s4)")
    arguments = parser.parse_args()
    globals()["TACIT"] = arguments.tacit.resolve()
    try:
        if arguments.check:
            check(arguments.work)
            return 0
        if arguments.draw:
            return 0 if drawn(draw, arguments.real) else 1
        if arguments.add:
            add(arguments.add)
            return 0 if drawn(draw, arguments.real) else 1
        tools, programs = prepared(arguments.work)
        parts = {}
        if 12 in arguments.figure:
            parts["figure 12"] = figure_12(tools, programs, STENCILS, arguments.ranks or RANKS, arguments.network)
        if 15 in arguments.figure:
            parts["figure 15"] = figure_15(tools, programs, [p for p in CHOICE_RANKS if not arguments.ranks or p in arguments.ranks],
                                           arguments.network)
        if 14 in arguments.figure:
            parts["figure 14"] = figure_14(tools, programs, ROWS, arguments.ranks or RANKS, arguments.network)
    except s2.Trouble as trouble:
        print(f"s4: {trouble}", file=sys.stderr)
        return 1
    targets = verdicts(parts)
    result = {"benchmark": "papers-s4-simulated", "machine": machine(), "commit": git("rev-parse", "--short", "HEAD"), "dirty": dirty(),
              "command": shlex.join(["bench/papers/s4/simulated.py", *sys.argv[1:]]),
              "simulator": subprocess.run(["smpirun", "--version"], capture_output=True, text=True).stdout.split("\n")[0],
              "model": {"units per second": s2.SPEED, "seconds per call": s2.CALL, "seconds per test": s2.TEST, "networks": s2.NETWORKS,
                        "eager limits": s2.PROTOCOLS, "costs for predictions": COSTS},
              "targets": targets, **parts}
    for one in targets:
        print(f"{'reached' if one['met'] else 'missed '}  {one['target']}  {one['values']}", file=sys.stderr)
    if arguments.stdout:
        print(json.dumps(result, indent=1))
        return 0
    RESULT.write_text(json.dumps(result, indent=1) + "\n")
    return 0 if drawn(draw, arguments.real) else 1


if __name__ == "__main__":
    sys.exit(main())
