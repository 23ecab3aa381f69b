#!/usr/bin/env python3
"""What memory a long program of tasks takes: N-body with empty kernels, from 10,000 to 1,000,000 tasks between two waits.

    bench/papers/s3/long_programs.py                 two ranks under Open MPI and MPICH, and a dry run; writes the result file
    bench/papers/s3/long_programs.py --mpi openmpi --stdout

Horizons bound what is remembered (src/tasks/stream/task_stream.h), so that the peak must not grow with the number of tasks. A row is a
run of s3_nbody_overhead with one round, which does as many steps again before it, and a wait behind each: the largest
resident set that any of its processes ever had. A dry run plans for the first of 4,096 ranks and executes nothing. First build:
cmake --build --preset release --target s3_nbody_overhead, the same for release-mpich.
"""
import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from measured import PRESETS, ROOT, dirty, machine, output, user_environment, write_result  # noqa: E402

TASKS = [10_000, 100_000, 1_000_000]
BODIES = 1024
# Runs the program, which the launcher talks to by open files, and says on a line of its own how much it took.
PEAK = ("import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], close_fds=False).returncode; "
        "print('peak', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, flush=True); sys.exit(code)")


def row_of(library: str, ranks: int, tasks: int, **settings: str) -> dict:
    program = ROOT / "build" / PRESETS[library] / "bin" / "s3_nbody_overhead"
    environment = user_environment() | settings
    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    said = subprocess.run([f"mpiexec.{library}", "-n", str(ranks), sys.executable, "-c", PEAK, program, str(BODIES), "0",
                           str(tasks // 2), "1"], env=environment, check=not settings, capture_output=True, text=True)
    peaks = [int(line.split()[1]) for line in said.stdout.splitlines() if line.startswith("peak ")]
    row = {"mpi": library, "ranks": ranks, **settings, "tasks_between_waits": tasks, "peak_kib": max(peaks)}
    row |= {key: value for line in said.stdout.splitlines() if line.startswith("{")
            for key, value in json.loads(line).items() if key == "tasks_us"}
    print(row, file=sys.stderr, flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", default=["openmpi", "mpich"], choices=["openmpi", "mpich"])
    parser.add_argument("--stdout", action="store_true")
    options = parser.parse_args()
    result = {"what": "the largest resident set of a process, in KiB, of N-body with empty kernels by its number of tasks",
              "machine": machine(), "commit": output("git", "rev-parse", "--short", "HEAD"), "dirty": dirty(),
              "command": shlex.join(["bench/papers/s3/long_programs.py", *sys.argv[1:]]),
              "rows": [row_of(library, 2, tasks) for library in options.mpi for tasks in TASKS]}
    result["rows"] += [row_of(options.mpi[0], 1, tasks, TACIT_DRY_RUN_RANKS="4096") for tasks in TASKS]
    write_result("papers-s3-long-programs", result, options.stdout)


if __name__ == "__main__":
    main()
