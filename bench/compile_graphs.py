#!/usr/bin/env python3
"""What compiling a graph costs and when it has paid (bench/compile_graphs.c): the first compilation on a communicator, one of another
graph, of a known graph whose buffers have moved, and of a known graph, beside the program's own loop of messages and a run of the
compiled graph. Writes one result file: machine, commit, command, load, microseconds, break-even.

    bench/compile_graphs.py                       3 rounds on 2 and on 4 ranks, bench/results/compile-graphs-<machine>.json
    bench/compile_graphs.py --ranks 2 --rounds 1 --stdout
    bench/compile_graphs.py --libraries DIR       another build's libtacit, as for a comparison with an earlier commit

`parts`: an alltoall of many messages a pair (bench/compile_parts.c), compiled by one rank and by all ranks together, and the same without
the messages of one pair, of which one rank compiles what remains; microseconds of the slowest rank, the median of a process, the lowest of
all rounds.

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


def launched(program, ranks, *words):
    done = subprocess.run([*LAUNCHER, "-n", str(ranks), str(program), *map(str, words)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, env=user_environment(), check=False)
    if done.returncode != 0:
        sys.exit(f"{ranks} ranks failed: {done.stderr[-2000:]}")
    return done.stdout.splitlines()


def run(program, ranks):
    for line in launched(program, ranks):
        pattern, size, what, us = line.split()
        yield (pattern, int(size)), what, float(us)


def parts(program, rounds):
    """(messages of a pair, whether a pair lacks them) compiled in both ways."""
    for messages in (64, 512, 4096):
        for lacking in (False, True):
            us = {}
            for _ in range(rounds):
                for line in launched(program, 4, messages, 8, 7 if messages > 1000 else 20, *(["lacking"] if lacking else [])):
                    way, median = line.split()
                    us[way] = min(us.get(way, float(median)), float(median))
            print(f"4 ranks, {messages} messages a pair{', but of one' if lacking else ''}: {us}", file=sys.stderr)
            yield {"ranks": 4, "messages_of_a_pair": messages, "lacking": lacking, "us": us}


def build(folder, libraries, name):
    program = Path(folder) / name
    subprocess.run(["mpicc.openmpi", "-O2", f"-I{ROOT / 'include'}", str(ROOT / f"bench/{name}.c"), "-o", str(program),
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
        program = build(folder, libraries, "compile_graphs")
        result["parts"] = list(parts(build(folder, libraries, "compile_parts"), arguments.rounds))
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
