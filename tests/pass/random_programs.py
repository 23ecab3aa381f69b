#!/usr/bin/env python3
"""Compares random MPI programs as they are with what the overlap pass makes of them: every bit of memory, on every rank.

Each batch is compiled plain and transformed (see VARIANTS), and run with messages sent
eagerly and by rendezvous, and in check mode, in which buffers in flight hold other bytes than the program would see. Prints the
seed; a program that differs is kept.

Usage: random_programs.py --plugin SO --hooks A --mpicc MPICC --mpiexec "LAUNCHER FLAGS" [--programs N] [--seed S] [--ranks N]
"""
import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VARIANTS = [("conservative", {"MODE": "conservative"}), ("aggressive", {"MODE": "aggressive"}),
            ("aggressive, no copies", {"MODE": "aggressive", "RENAME": "off"}),
            ("with collectives", {"MODE": "aggressive", "COLLECTIVES": "on"})]


def compile_batch(source, output, arguments, settings):
    environment = dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19", TACIT_OVERLAP="apply" if settings is not None else "off",
                       TACIT_OVERLAP_WINDOW="1")
    for key, value in (settings or {}).items():
        environment["TACIT_OVERLAP_" + key] = value
    command = [arguments.mpicc, "-O2", "-w", f"-fpass-plugin={arguments.plugin}", str(source), arguments.elsewhere, arguments.hooks,
               "-o", str(output)]
    subprocess.run(command, env=environment, check=True)


def run_batch(program, arguments, extra, environment=None):
    command = shlex.split(arguments.mpiexec) + extra + ["-n", str(arguments.ranks), str(program)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, env=dict(os.environ, **(environment or {})))
    if run.returncode != 0:
        return f"exit status {run.returncode}\n{run.stderr[-2000:]}"
    return "\n".join(sorted(line for line in run.stdout.splitlines() if line[:1].isdigit()))


def first_difference(expected, seen):
    missing = sorted(set(expected.splitlines()) - set(seen.splitlines()), key=lambda line: int(line.split()[0]))
    return f"program {missing[0].split()[0]}" if missing else "no program: " + seen[:2000]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--hooks", required=True)
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--rendezvous", default="", help="flags of the launcher that send small messages by rendezvous")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--batch", type=int, default=50)
    parser.add_argument("--ranks", type=int, default=3)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        arguments.elsewhere = str(folder / "elsewhere.o")
        subprocess.run([arguments.mpicc, "-O2", "-c", str(HERE / "elsewhere.c"), "-o", arguments.elsewhere], check=True,
                       env=dict(os.environ, OMPI_CC="clang-19", MPICH_CC="clang-19"))
        for batch in range(0, arguments.programs, arguments.batch):
            seed = f"{arguments.seed + batch}"
            source = folder / "programs.c"
            source.write_text(subprocess.run([sys.executable, str(HERE / "generate_program.py"), seed, str(arguments.batch)],
                                             check=True, capture_output=True, text=True).stdout)
            compile_batch(source, folder / "plain", arguments, None)
            expected = run_batch(folder / "plain", arguments, [])
            if expected.count("\n") + 1 != arguments.batch * arguments.ranks:
                print(f"seed {seed}: the plain programs do not run: {expected[:2000]}")
                return 1
            for name, settings in VARIANTS:
                compile_batch(source, folder / "moved", arguments, settings)
                for how, extra, environment in (("eager", [], {}), ("rendezvous", shlex.split(arguments.rendezvous), {}),
                                                ("check mode", [], {"TACIT_OVERLAP_CHECK": "1"})):
                    seen = run_batch(folder / "moved", arguments, extra, environment | {"TACIT_OVERLAP_EAGER": "0"})
                    if seen != expected:
                        failures += 1
                        kept = Path(f"failed_{seed}.c")
                        shutil.copy(source, kept)
                        print(f"seed {seed}, {name}, {how}: {first_difference(expected, seen)} differs; kept as {kept}", flush=True)
    print(f"{arguments.programs} programs, {len(VARIANTS)} ways of moving, 3 ways of running: {failures} mismatches")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
