#!/usr/bin/env python3
"""Run very many random programs of tasks on several ranks, each against the same program run serially, and keep what was seen.

    tests/runtime/executor/random_task_programs.py --library openmpi --programs 2000 --json bench/results/random-task-programs.json

Runs test_random_task_programs of a build in batches of seeds, for each number of ranks in turn, and prints the seeds, how far it is and
what failed, which is run once more. A batch that takes more seconds of running than --patience is a failure: the stacks of its
processes are printed, if there is gdb. With --json the seeds that are done are kept in that file by library and ranks, of one commit: the
same command goes on where it was interrupted, or where --minutes were over. TACIT_FUZZ_SEED=SEED TACIT_FUZZ_COUNT=1 repeats one
program alone.
"""
import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bench"))
from measured import PRESETS, dirty, git, machine  # noqa: E402

COMPARED = ["src/vocabulary", "src/graphs", "src/tasks", "src/runtime", "include/tacit", "tests/runtime/executor"]
NAME = "test_random_task_programs"


def begun(file: Path | None) -> dict:
    """What the file says, if it is about the same code; else nothing is done yet."""
    fresh = {
        "what": "Random programs of tasks, executed: every element of every buffer against a serial run, bitwise.",
        "machine": machine(), "last_commit_of_what_is_compared": git("log", "-1", "--format=%h", "--", *COMPARED), "dirty": dirty(),
        "runs": {}, "failed": [], "commands": [],
    }
    if not file or not file.exists():
        return fresh
    kept = json.loads(file.read_text())
    return kept if kept.get("last_commit_of_what_is_compared") == fresh["last_commit_of_what_is_compared"] else fresh


def processes_below(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children")
    found = [int(child) for child in children.read_text().split()] if children.exists() else []
    return found + [below for child in found for below in processes_below(child)]


def stacks(launcher: int) -> str:
    """Of the test's processes."""
    if not shutil.which("gdb"):
        return "no gdb: no stacks\n"
    said = ""
    for pid in processes_below(launcher):
        if Path(f"/proc/{pid}/comm").read_text().strip() == NAME[:15]:
            seen = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt"], capture_output=True, text=True)
            said += f"process {pid}\n{seen.stdout}\n"
    return said


def run(program: str, library: str, ranks: int, first: int, count: int, patience: int) -> str:
    """The output of a batch that failed, or nothing."""
    environment = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1"} | os.environ
    environment |= {"TACIT_FUZZ_SEED": str(first), "TACIT_FUZZ_COUNT": str(count), "TACIT_EXPECTED_RANKS": str(ranks)}
    with tempfile.TemporaryFile("w+") as said:
        job = subprocess.Popen([f"mpiexec.{library}", "-n", str(ranks), program, "--gtest_brief=1"], env=environment, text=True,
                               stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
        late = ""
        for _ in range(10 * patience):  # counted, so that time in which all of this is stopped is none
            try:
                job.wait(0.1)
                break
            except subprocess.TimeoutExpired:
                continue
        else:
            late = f"not done after {patience} s\n{stacks(job.pid)}"
            os.killpg(job.pid, signal.SIGTERM)
            job.wait()
        said.seek(0)
        return late + said.read() if late or job.returncode else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=list(PRESETS), required=True)
    parser.add_argument("--program", help=f"{NAME} of another build than the library's release build")
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--programs", type=int, default=2000, help="for each number of ranks")
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--patience", type=int, default=240, help="seconds for a batch")
    parser.add_argument("--minutes", type=float, default=1e6, help="begin no batch when they are over")
    parser.add_argument("--json", default="", help="keep what is done in this file")
    asked = parser.parse_args()

    file = Path(asked.json) if asked.json else None
    program = asked.program or str(ROOT / "build" / PRESETS[asked.library] / "bin" / NAME)
    result = begun(file)
    command = shlex.join(["tests/runtime/executor/random_task_programs.py", *sys.argv[1:]])
    if command not in result["commands"]:
        result["commands"].append(command)
    end = time.monotonic() + 60 * asked.minutes
    failed = 0
    for done in range(0, asked.programs, asked.batch):  # all numbers of ranks get equally far
        for ranks in asked.ranks:
            so_far = result["runs"].setdefault(f"{asked.library}, {ranks} ranks",
                                               {"first_seed": asked.seed, "programs": 0, "seconds": 0.0})
            if so_far["programs"] > done or time.monotonic() > end:
                continue
            first, count = asked.seed + done, min(asked.batch, asked.programs - done)
            start = time.monotonic()
            failure = run(program, asked.library, ranks, first, count, asked.patience)
            so_far["seconds"] = round(so_far["seconds"] + time.monotonic() - start, 1)
            so_far["programs"] += count
            print(f"{asked.library}, {ranks} ranks, seeds {first} to {first + count - 1}: {'FAILED' if failure else 'equal'}; "
                  f"{so_far['programs']} of {asked.programs} programs in {so_far['seconds']:.0f} s", flush=True)
            if failure:
                failed += 1
                again = run(program, asked.library, ranks, first, count, asked.patience)
                result["failed"].append({"run": f"{asked.library}, {ranks} ranks", "seeds": [first, first + count - 1],
                                         "output": failure.replace(f"{ROOT}/", "")[:4000], "once_more": "failed" if again else "equal"})
                print(f"{failure}\nonce more: {'FAILED' if again else 'equal'}", flush=True)
            if file:
                file.write_text(json.dumps(result, indent=1) + "\n")
    for name, so_far in result["runs"].items():
        print(f"{name}: {so_far['programs']} programs from seed {so_far['first_seed']}")
    print(f"{failed} batches failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
