#!/usr/bin/env python3
"""What it is worth to find out what a graph means while it runs as written (bench/background.c): tacit_compile alone, and with so many
runs, at once and in the background. Writes one result file: machine, commit, command, load, microseconds.

    bench/background.py                        4 ranks, several numbers of messages and of pieces; bench/results/background-<machine>.json
    bench/background.py --cases 64x1 1x4096 --ranks 2 --stdout

A case is the number of messages for each pair and of the pieces of 8 bytes that each consists of.

`over`: the first run of the new form; 0: so many runs came before it.
"""
import argparse
import sys
import tempfile
from pathlib import Path

from compile_graphs import build, launched
from measured import ROOT, git, machine, write_result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--libraries", type=Path, default=ROOT / "build/release/lib")
    parser.add_argument("--cases", nargs="+", default=["1x1", "64x1", "512x1", "1x512", "1x4096"])
    parser.add_argument("--ranks", type=int, nargs="+", default=[4])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    libraries = arguments.libraries.resolve()
    result = {"benchmark": "compiling in the background", "machine": machine(), "commit": git("rev-parse", "HEAD"),
              "command": " ".join(["bench/background.py", *sys.argv[1:]]), "cases": []}
    with tempfile.TemporaryDirectory(prefix="tacit-bench-") as folder:
        program = build(folder, libraries, "background")
        for ranks in arguments.ranks:
            for messages, pieces in (map(int, each.split("x")) for each in arguments.cases):
                case = {"ranks": ranks, "messages_of_a_pair": messages, "pieces_of_a_message": pieces, "runs": {}}
                for line in launched(program, ranks, messages, pieces, arguments.rounds):
                    what, runs, value = line.split()
                    case["runs"].setdefault(runs, {})[what] = float(value)
                result["cases"].append(case)
                print(ranks, messages, pieces, case["runs"], file=sys.stderr)
    write_result("background", result, arguments.stdout)


if __name__ == "__main__":
    main()
