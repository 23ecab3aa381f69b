#!/usr/bin/env python3
"""What compiling a graph costs and when it has paid (bench/compile_graphs.c): the first compilation on a communicator, one of another
graph, of a known graph whose buffers have moved, and of a known graph, beside the program's own loop of messages and a run of the
compiled graph. Writes one result file: machine, commit, command, load, microseconds, break-even.

    bench/compile_graphs.py                       3 rounds on 2 and on 4 ranks, bench/results/compile-graphs-<machine>.json
    bench/compile_graphs.py --ranks 2 --rounds 1 --stdout
    bench/compile_graphs.py --libraries DIR       another build's libtacit, as for a comparison with an earlier commit

Of each case the lowest of all rounds counts, of which each is the lowest tenth of its own. `break_even`: so many executions after which
building, compiling and running is cheaper than the loop; null: never.
"""
import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from measured import ROOT, git, machine, user_environment, write_result

LAUNCHER = ["mpiexec.openmpi", "--allow-run-as-root", "--oversubscribe"]


def run(program, ranks):
    done = subprocess.run([*LAUNCHER, "-n", str(ranks), str(program)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=user_environment(), check=False)
    if done.returncode != 0:
        sys.exit(f"{ranks} ranks failed: {done.stderr[-2000:]}")
    for line in done.stdout.splitlines():
        pattern, size, what, us = line.split()
        yield (pattern, int(size)), what, float(us)


def build(folder, libraries):
    program = Path(folder) / "compile_graphs"
    subprocess.run(["mpicc.openmpi", "-O2", f"-I{ROOT / 'include'}", str(ROOT / "bench/compile_graphs.c"), "-o", str(program),
                    f"-L{libraries}", "-ltacit", f"-Wl,-rpath,{libraries}"], check=True)
    return program


def break_even(us, compiling):
    saved = us["loop"] - us["run"]
    return math.ceil(us[compiling] / saved) if saved > 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, default=ROOT / "build/release/lib")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    libraries = arguments.libraries.resolve()
    if not (libraries / "libtacit.so").exists():
        sys.exit(f"{libraries}/libtacit.so does not exist: build the preset release first")
    result = {"benchmark": "compiling graphs", "machine": machine(), "commit": git("rev-parse", "HEAD"),
              "command": " ".join(["bench/compile_graphs.py", *sys.argv[1:]]), "cases": []}
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        program = build(folder, libraries)
        for ranks in arguments.ranks:
            best = {}
            for _ in range(arguments.rounds):
                for case, what, us in run(program, ranks):
                    best.setdefault(case, {})[what] = min(best.get(case, {}).get(what, us), us)
            for (pattern, size), us in best.items():
                case = {"ranks": ranks, "pattern": pattern, "bytes": size, "us": us,
                        "first_over_again": round(us["first"] / us["again"], 1),
                        "break_even": {what: break_even(us, what) for what in ("first", "new", "again")}}
                result["cases"].append(case)
                print(f"{ranks} {pattern:9} {size:5} B  " + "  ".join(f"{what} {x:.1f}" for what, x in us.items()) +
                      f"  break-even {case['break_even']}", file=sys.stderr)
    write_result("compile-graphs", result, arguments.stdout)


if __name__ == "__main__":
    main()
