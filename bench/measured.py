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


def machine() -> dict:
    model = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return {
        "cpu": model.group(1) if model else platform.processor(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "compiler": output("c++", "--version").splitlines()[0],
        "load_before": round(os.getloadavg()[0], 1),
    }


def rows_of(name: str, library: str, ranks: int, arguments: list[str], describe) -> list[dict]:
    """Runs a program of the build with the library's own defaults: the objects it prints, one to a line, each also described."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_MCA_", "TACIT_"))}
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1")
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
