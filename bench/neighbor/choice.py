#!/usr/bin/env python3
"""How good the choice of a variant is: `tacit bench neighbor` on many patterns, compared with the best variant of each.

    bench/neighbor/choice.py                    build, run everything, write bench/results/choice-<machine>.json
    bench/neighbor/choice.py --ranks 2          only these numbers of ranks (comma list)
    bench/neighbor/choice.py --model default    choose by the documented defaults instead of measuring this machine first
    bench/neighbor/choice.py --table FILE       show a result file and stop

Each pattern runs with shared memory and by messages only (TACIT_SHM=off, as between nodes). The result says, too, how
often the best constant answer would have been right: a choice that is no better than that shows nothing. Which model was
asked is said by tacit in each run ("documented defaults" where a measured one was refused), and counted.

Patterns: sparse alltoall (random graphs, 16 B), two- and four-dimensional tori over sizes, all cells around a cell, the halo of a
weather model with fields of different widths (as papers/s5/real_wrf.cpp), halos of matrix-vector products with parts by METIS
(matrices as papers/s5). Compared are the quickest blocks of each variant, because other programs on the machine only ever add to
them; 10th percentiles are in the result, too. The choice is measured twice, as such and as the same variant forced; the quicker one
counts, as for every other variant the quicker one of those that do the same would.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent), str(Path(__file__).resolve().parent.parent / "papers" / "s5")]
from measured import PRESETS, ROOT, git, machine  # noqa: E402
from real_matrices import matrices  # noqa: E402

GOOD = 1.10
CONDITIONS = {"shared memory": {}, "messages only": {"TACIT_SHM": "off"}}
ENOUGH = 30  # blocks
FORMS = {"coalesced": "{}", "direct": "{}, a message per edge", "combined": "{}, combined"}


def weather(ranks: int, file: Path) -> None:
    """40 x 80 columns, periodic in x, closed in y; six fields with halos 3, 3, 2, 2, 1 and 1 wide, 63 levels."""
    in_x = 2 if ranks % 4 == 0 else 1
    in_y = ranks // in_x
    def part(total, parts, which):
        return total * (which + 1) // parts - total * which // parts

    lines = []
    for x in range(in_x):
        for y in range(in_y):
            for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                if not 0 <= y + dy < in_y:
                    continue
                side = part(80, in_y, y) if dx else part(40, in_x, x)
                lines.append(f"{x * in_y + y} {(x + dx) % in_x * in_y + y + dy} {side * 12 * 63}\n")
    file.write_text("".join(lines))


def patterns(ranks: int, folder: Path):
    """Name and words of each."""
    sizes = "8,64,512,4096,32768,262144,1048576"
    side = 2 if ranks % 4 == 0 else 1
    yield "sparse alltoall", ["--random", f"{ranks},{max(1, min(ranks - 1, ranks // 2))},5", "--bytes", "16"]
    yield "2-D torus", ["--cart", f"{ranks // side}x{side}", "--bytes", sizes]
    yield "4-D torus", ["--cart", f"{ranks // side}x{side}x1x1", "--bytes", sizes]
    yield "26 cells", ["--cart", f"{ranks // side}x{side}x1", "--reach", "1", "--bytes", "8,64,512,4096,32768,131072"]
    weather(ranks, folder / "weather")
    yield "weather halo", ["--graph", str(folder / "weather"), "--bytes", "4"]
    for file in matrices():
        if file.suffix == ".mtx":
            yield f"SpMV {file.stem}", ["--matrix", str(file), "-n", str(ranks), "--bytes", "8,64"]


def judge(row: dict) -> None:
    """Adds the best variant and how many times its time the choice takes."""
    times = dict(row["min_us"])
    form, driver = row["taken"].split()
    mine = min(times.pop("tacit's choice"), times.get(FORMS[form].format(driver), float("inf")))
    best = min(times, key=times.get)
    row["best"] = row["taken"] if mine <= times[best] else best
    row["ratio"] = round(mine / min(mine, times[best]), 3)


def constants(cases: list[dict]) -> dict[str, int]:
    """For each answer that could always be given: in how many cases it is possible and within 10 % of the best."""
    right = {}
    for row in cases:
        best = min(row["min_us"].values())
        for variant, time in row["min_us"].items():
            if variant != "tacit's choice":
                right[variant] = right.get(variant, 0) + (time <= GOOD * best)
    return dict(sorted(right.items(), key=lambda item: -item[1]))


def models_asked(cases: list[dict]) -> dict[str, int]:
    """How many cases were decided by which model, in tacit's own words."""
    asked = {}
    for row in cases:
        words = next((line for line in row["why"] if line.startswith("machine model:")), "machine model: not asked")
        kind = "documented defaults" if "documented defaults" in words else words.removeprefix("machine model: ").split(",")[0]
        asked[kind] = asked.get(kind, 0) + 1
    return asked


def rows_of(library: str, ranks: int, name: str, words: list[str], condition: str, seconds: str,
            environment: dict) -> list[dict]:
    tacit = ROOT / "build" / "release" / "bin" / "tacit"
    program = ROOT / "build" / PRESETS[library] / "bin" / f"tacit-trial-{library}"
    launcher = ["mpiexec.openmpi", "--oversubscribe"] if library == "openmpi" else ["mpiexec.mpich"]
    done = subprocess.run([tacit, "bench", "neighbor", *words, "--seconds", seconds, "--json", "--program", program, "--",
                           *launcher], env=environment | CONDITIONS[condition], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{library}, {ranks} ranks, {name}: {done.stderr}")
    rows = []
    for run in json.loads(done.stdout)["runs"]:
        for size in run["sizes"]:
            rows.append({"mpi": library, "ranks": ranks, "condition": condition, "pattern": name, "bytes": size["bytes"],
                         "taken": " ".join(size["taken"].split()[:2]),
                         "blocks": min(w["blocks"] for w in size["variants"] if not w["fault"]),
                         "min_us": {w["name"]: round(w["min"] * 1e6, 3) for w in size["variants"] if not w["fault"]},
                         "p10_us": {w["name"]: round(w["p10"] * 1e6, 3) for w in size["variants"] if not w["fault"]},
                         "why": next(w["detail"] for w in size["variants"] if w["choice"])
                         .replace(environment["XDG_CACHE_HOME"], "$XDG_CACHE_HOME").strip().splitlines()[-2:]})
    return rows


def cases_of(job: tuple, most: int, seconds: str, environment: dict) -> list[dict]:
    """Runs it again, the quickest block of each variant counting, until every variant has enough of them: ranks that spin on a busy
    machine seldom run at the same time."""
    cases = rows_of(*job, seconds, environment)
    while most > 1 and any(case["blocks"] < ENOUGH for case in cases):
        most -= 1
        for case, row in zip(cases, rows_of(*job, seconds, environment), strict=True):
            case["blocks"] += row["blocks"]
            for key in ("min_us", "p10_us"):
                for variant, time in row[key].items():
                    case[key][variant] = min(time, case[key].get(variant, time))
    for case in cases:
        judge(case)
        print(described(case), file=sys.stderr, flush=True)
    return cases


def described(row: dict) -> str:
    mark = "" if row["ratio"] <= GOOD else "   <-- outside 10 %"
    setting = f"{row['mpi']:8} p={row['ranks']} {row.get('condition', ''):13} {row['pattern']:20} {row['bytes']:>7} B"
    return f"{setting}  {row['taken']:15} {row['ratio']:5.2f} of {row['best']}{mark}"


def summary(cases: list[dict]) -> str:
    good = sum(row["ratio"] <= GOOD for row in cases)
    variant, often = next(iter(constants(cases).items()))
    return (f"{good} of {len(cases)} cases within 10 % of the best, the worst {max(r['ratio'] for r in cases):.2f}; the best constant "
            f"answer ({variant}): {often}; decided by: {', '.join(f'{model} {n}' for model, n in models_asked(cases).items())}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--libraries", default="openmpi,mpich")
    parser.add_argument("--seconds", default="0.1", help="of each size")
    parser.add_argument("--repeat", type=int, default=6, help="most times that a pattern is run to get enough blocks")
    parser.add_argument("--model", choices=["measured", "default"], default="measured")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--table", type=Path)
    arguments = parser.parse_args()
    if arguments.table:
        cases = json.loads(arguments.table.read_text())["cases"]
        print(*map(described, cases), summary(cases), sep="\n")
        return 0
    facts, models = machine(), {}
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_MCA_", "TACIT_"))}
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        files = {**environment}
        environment["XDG_CACHE_HOME"] = text
        if arguments.model == "default":
            environment["TACIT_PLATFORM"] = "default"
        os.environ.setdefault("XDG_CACHE_HOME", files.get("XDG_CACHE_HOME", str(Path.home() / ".cache")))
        for library in arguments.libraries.split(","):
            for preset in {"release", PRESETS[library]}:
                targets = ["tacit", "tacit_trial", "tacit_platform"] if preset == "release" else ["tacit_trial", "tacit_platform"]
                subprocess.run(["cmake", "--build", "--preset", preset, "--target", *targets], cwd=ROOT, check=True,
                               stdout=sys.stderr)
            if arguments.model == "measured":
                program = ROOT / "build" / PRESETS[library] / "bin" / f"tacit-platform-{library}"
                done = subprocess.run([ROOT / "build" / "release" / "bin" / "tacit", "platform", "--json", "--program", program,
                                       "--", f"mpiexec.{library}"], env=environment, capture_output=True, text=True)
                if done.returncode:
                    raise SystemExit(done.stderr)
                models[library] = json.loads(done.stdout)
        jobs = [(library, ranks, name, words, condition) for condition in CONDITIONS for library in arguments.libraries.split(",")
                for ranks in map(int, arguments.ranks.split(",")) for name, words in patterns(ranks, folder)]
        cases = [case for job in jobs for case in cases_of(job, arguments.repeat, arguments.seconds, environment)]
    result = {"machine": {**facts, "load_after": round(os.getloadavg()[0], 1)}, "commit": git("rev-parse", "--short", "HEAD"),
              "asked for": arguments.model, "decided by": models_asked(cases), "models": models, "summary": summary(cases),
              "constants": constants(cases), "cases": cases}
    name = re.sub(r"[^a-z0-9]+", "-", f"{facts['cpu']} {facts['cores']} cores".lower()).strip("-")
    file = arguments.output or ROOT / "bench" / "results" / f"choice-{name}.json"
    file.write_text(json.dumps(result, indent=1) + "\n")
    print(summary(cases), file, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
