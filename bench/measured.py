"""What the benchmarks share: facts about the machine and the commit, and running a measuring program under one MPI library."""
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRESETS = {"openmpi": "release", "mpich": "release-mpich"}


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def dirty() -> bool:
    """Something that is measured differs from the commit; results, which change while they are written, are not measured."""
    return bool(git("status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)bench/results"))


def machine() -> dict:
    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "cpu": model.group(1) if model else platform.processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "compiler": output("c++", "--version").splitlines()[0],
        "load_before": round(os.getloadavg()[0], 1),
    }


def result_file(name: str, facts: dict) -> Path:
    """bench/results/NAME-<machine>.json"""
    return ROOT / "bench" / "results" / (
        f"{name}-" + re.sub(r"[^a-z0-9]+", "-", f"{facts['cpu']}-{os.cpu_count()}-cores".lower()).strip("-") + ".json")


def write_result(name: str, result: dict, to_stdout: bool) -> None:
    """Ends a benchmark: its load, and its text to the result file of this machine or to standard output."""
    result["load_at_end"] = round(os.getloadavg()[0], 1)
    text = json.dumps(result, indent=1) + "\n"
    if to_stdout:
        print(text, end="")
        return
    target = result_file(name, result["machine"])
    target.write_text(text, "utf-8")
    print(f"written: {target}", file=sys.stderr)


def user_environment() -> dict[str, str]:
    """As a user has it, without what tools/environment sets for tests: yielding and copies through buffers make programs that
    wait take up to four times as much CPU time, most of it in the kernel."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_MCA_", "TACIT_"))}


def pyplot():
    """matplotlib's, so that the same numbers give the same SVG, with text as text. Raises ImportError where matplotlib is missing."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "tacit", "svg.fonttype": "none"})
    from matplotlib import pyplot
    return pyplot


def drawn(draw, *arguments) -> bool:
    """Draws, unless matplotlib is missing, which it says: numbers are worth keeping without their picture, too."""
    try:
        draw(*arguments)
    except ImportError:
        print(f"{Path(sys.argv[0]).name}: no picture without matplotlib (tools/setup --pictures)", file=sys.stderr)
        return False
    return True


def save_figure(figure, file) -> None:
    """Draws a matplotlib figure to an SVG that is the same for the same numbers, without spaces at the ends of lines."""
    figure.tight_layout()
    figure.savefig(file, metadata={"Date": None})
    file.write_text("".join(line.rstrip() + "\n" for line in file.read_text("utf-8").splitlines()), "utf-8")
    print(f"drawn: {file}", file=sys.stderr)


def rows_of(name: str, library: str, ranks: int, arguments: list[str], describe, **settings: str) -> list[dict]:
    """Runs a program of the build with the library's own defaults and some settings of ours: the objects it prints, one to a line, each
    also described."""
    environment = user_environment()
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", **settings)
    program = ROOT / "build" / PRESETS[library] / "bin" / name
    rows = []
    with subprocess.Popen([f"mpiexec.{library}", "-n", str(ranks), program, *arguments], env=environment, text=True,
                          stdout=subprocess.PIPE) as job:
        for line in job.stdout:
            if line.startswith("{"):
                rows.append({"mpi": library, **json.loads(line)})
                print(describe(rows[-1]), file=sys.stderr, flush=True)
    if job.returncode:
        raise SystemExit(f"{name} under {library} on {ranks} ranks ended with code {job.returncode}")
    return rows


def write_cases(name: str, result: dict, rows: list[dict], add: bool) -> None:
    """Writes bench/results/NAME-<machine>.json, a row to a line; each says of which commit it is. With `add` the rows
    that are there for other libraries and numbers of ranks stay."""
    facts = result["machine"]
    path = result_file(name, facts)
    for row in rows:
        row["commit"] = result["commit"]
    if add and path.exists():
        new = {(row["mpi"], row["ranks"]) for row in rows}
        old = json.loads(path.read_text())
        rows = [{"commit": old["commit"], **row} for row in old["cases"] if (row["mpi"], row["ranks"]) not in new] + rows
        result = result | {"command": f"{old['command']}; {result['command']}"}
    head = json.dumps(result | {"cases": []}, indent=1).removesuffix("[]\n}")
    path.write_text(head + "[\n  " + ",\n  ".join(json.dumps(row) for row in rows) + "\n ]\n}\n")
    print(f"wrote {path.relative_to(ROOT)}", file=sys.stderr)
