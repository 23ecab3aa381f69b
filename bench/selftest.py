#!/usr/bin/env python3
"""Run `tacit selftest` and keep its verdicts in bench/results/selftest-<library>.json: machine, commit, command, cells.

    bench/selftest.py build/release/bin/tacit --np 1,2,3,4
    bench/selftest.py build/release/bin/tacit --program ./selftest-mine -- /opt/mpi/bin/mpiexec
    bench/selftest.py build/release/bin/tacit --full --implementations tacit --add
    bench/selftest.py build/release/bin/tacit --implementations mpi -- \
        mpiexec -x LD_PRELOAD=$PWD/build/release/lib/libtacit-interpose.so -x TACIT_APPLY=1     (MPICH: -genv NAME VALUE)

The last asks the MPI library, and `tacit run --apply` answers: results in selftest-<library>-applied.json.
Everything behind the command goes to `tacit selftest`, but --add, which keeps what the result file has of other
implementations: each has its own ranks, seed, command and commit. Cells that are right and have nothing to tell are shortened to
their number of cases.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

from measured import ROOT, machine, output


def short(cells: list[dict]) -> dict:
    """topology -> mode -> call -> cases, or what is wrong."""
    table: dict = {}
    for c in cells:
        modes = table.setdefault(c["topology"], {}).setdefault(c["mode"], {})
        modes[c["call"]] = c["cases"] if c["verdict"] == "right" else {
            key: c[key] for key in ("verdict", "cases", "wrong", "first") if key in c}
    return table


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    tacit, arguments = sys.argv[1], [word for word in sys.argv[2:] if word != "--add"]
    options = arguments[:arguments.index("--")] if "--" in arguments else arguments
    done = subprocess.run([tacit, "selftest", "--json", *arguments], stdout=subprocess.PIPE, text=True)
    if not done.stdout:
        return done.returncode
    found = json.loads(done.stdout)
    applied = any("TACIT_APPLY" in word for word in arguments)
    words = [Path(word).name if "/" in word else word for word in options] + ["(under tacit run --apply)"] * applied
    name = re.sub(r"[^a-z0-9.]+", "-", found["mpi"]["version"].lower())
    target = ROOT / "bench" / "results" / f"selftest-{name}{'-applied' * applied}.json"
    kept = json.loads(target.read_text())["implementations"] if "--add" in sys.argv and target.exists() else {}
    for implementation in dict.fromkeys(c["implementation"] for c in found["cells"]):
        kept[implementation] = {
            "ranks": found["ranks"], "seed": found["seed"], "machine": machine(),
            "commit": output("git", "rev-parse", "--short", "HEAD"), "command": " ".join(["tacit", "selftest", *words]),
            "cells": short([c for c in found["cells"] if c["implementation"] == implementation]),
        }
    result = {
        "what": "tacit selftest: per implementation, topology, mode and call the number of cases, all right, or what is wrong",
        "mpi": found["mpi"], "implementations": kept,
    }
    target.write_text(json.dumps(result, indent=1) + "\n")
    print(target)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
