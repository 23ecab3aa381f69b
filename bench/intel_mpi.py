#!/usr/bin/env python3
"""Intel MPI under `tacit run`, with the build for MPICH: programs with known truth (tests/recordings/truth) in C and in Fortran, and
examples/halo with --apply. Writes bench/results/intel-mpi-<version>.json: machine, commit, command, claims, what is found.

    bench/intel_mpi.py [--ranks 3 4]

Needs the preset release-mpich, gcc and gfortran 12, and PyPI, from which impi-rt and impi-devel come into build/wheels/intel.
Intel's `use mpi` is compiled for gfortran up to 15; its `use mpi_f08` is not, so that nothing is said of that.
"""
import argparse
import json
import os
import re
import subprocess
import sys

from measured import ROOT, dirty, git, machine, user_environment

VERSION = "2021.18.1"
WHEELS = ROOT / "build" / "wheels" / "intel"
TACIT = ROOT / "build" / "release-mpich" / "bin" / "tacit"
TRUTH = ROOT / "tests" / "recordings" / "truth"
INCLUDE, LIBRARIES = WHEELS / "include", WHEELS / "lib"


def run(*command, environment=None) -> str:
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{command} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout + done.stderr


def install() -> None:
    if not (INCLUDE / "mpi.h").exists():
        run("python3", "-m", "venv", WHEELS)
        run(WHEELS / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", f"impi-rt=={VERSION}", f"impi-devel=={VERSION}")


def compiled() -> dict:
    folder = WHEELS / "programs"
    folder.mkdir(exist_ok=True)
    link = [f"-L{LIBRARIES}", "-lmpifort", "-lmpi"]
    run("gcc", "-w", "-O1", "-g", "-fno-ipa-icf", f"-I{INCLUDE}", TRUTH / "truth.c", "-o", folder / "truth_c", *link)
    run("gfortran", "-w", "-O1", "-g", "-fno-inline", "-fno-ipa-icf", "-fallow-argument-mismatch", f"-I{INCLUDE / 'mpi/gfortran/12.4.0'}",
        f"-I{INCLUDE / 'mpi'}", f"-J{folder}", TRUTH / "truth.F90", "-o", folder / "truth_fortran", *link)
    run("gcc", "-O2", f"-I{INCLUDE}", ROOT / "examples" / "halo" / "halo.c", "-o", folder / "halo", *link, "-lm")
    return {"c": folder / "truth_c", "fortran": folder / "truth_fortran", "halo": folder / "halo"}


def truths(program: dict, environment: dict, ranks: list[int]) -> dict:
    """What test_truth.py says in the end; it fails if anything false is claimed, or too little is found."""
    given = {"COMMAND_FILE": TACIT, "MPI_LAUNCHER": WHEELS / "bin" / "mpiexec", "TRUTH_C": program["c"],
             "TRUTH_FORTRAN": program["fortran"]}
    text = run("python3", TRUTH / "test_truth.py", "--ranks", *ranks, environment=environment | {k: str(v) for k, v in given.items()})
    true, claims, found, wanted = map(int, re.search(r"(\d+) of (\d+) claims are true; (\d+) of (\d+)", text).groups())
    patterns = {name: {"found": int(a), "of": int(b)} for name, a, b in re.findall(r"^  (\S.*?) +(\d+) of (\d+)$", text, re.MULTILINE)}
    return {"ranks": ranks, "claims": claims, "true": true, "wanted": wanted, "found": found, "patterns": patterns}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[3, 4])
    options = parser.parse_args()
    install()
    program = compiled()
    environment = user_environment() | {
        "I_MPI_ROOT": str(WHEELS), "I_MPI_FABRICS": "shm", "PATH": f"{WHEELS / 'bin'}:{os.environ['PATH']}",
        "LD_LIBRARY_PATH": f"{LIBRARIES}:{LIBRARIES / 'mpi'}"}
    result = {"what": "tacit, built for MPICH, with programs of Intel MPI: programs with known truth in C and Fortran (use mpi) under "
                      "tacit run, and examples/halo under tacit run --apply",
              "machine": machine(), "commit": git("rev-parse", "--short", "HEAD"), "dirty": dirty(),
              "command": " ".join(["bench/intel_mpi.py", *sys.argv[1:]]), "mpi": f"Intel MPI {VERSION} (impi-rt, impi-devel of PyPI)",
              "settings": {"I_MPI_FABRICS": "shm"}, "recorded": truths(program, environment, options.ranks), "applied": {}}
    for ranks in (1, 2, 4):
        text = run(TACIT, "run", "--apply", "--", WHEELS / "bin" / "mpiexec", "-n", ranks, program["halo"], environment=environment)
        alone = run(WHEELS / "bin" / "mpiexec", "-n", ranks, program["halo"], environment=environment)
        heat = [re.search(r"heat (\S+)", t).group(1) for t in (text, alone)]
        result["applied"][f"halo, {ranks} ranks"] = {"heat": heat[0], "heat without tacit": heat[1],
                                                    "taken over": re.findall(r"^tacit: (.*)|^  (starts.*)$", text, re.MULTILINE)}
        if heat[0] != heat[1]:
            sys.exit(f"halo on {ranks} ranks: {heat[0]} under tacit, {heat[1]} without")
    for one in result["applied"].values():
        one["taken over"] = [a or b for a, b in one["taken over"]]
    file = ROOT / "bench" / "results" / f"intel-mpi-{VERSION}.json"
    file.write_text(json.dumps(result, indent=1) + "\n")
    print(f"written: {file}")


if __name__ == "__main__":
    main()
