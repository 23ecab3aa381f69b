#!/usr/bin/env python3
"""Random annotated functions with claims that are not true (random_programs.py): each of these is judged by itself.

    refused     an error when transforming, at its line; it is then taken out of the file, so that the others can be judged
    said        by check mode when the program runs, at its line and with a rank
    beside      neither, in a function of which another false claim is said
    harmless    neither, and the transformed function computes what the plain one does: the message is complete where the claim is, or
                nothing of the window was collected
    missed      neither, and the function computes something else

None may be missed, some must be refused and some said; nothing may be said of claims that are true, and functions without false
claims must compute the same. In a file of many functions all that is said is told apart by its lines.

Usage: random_lies.py --tacit FILE --launcher "MPIEXEC FLAGS" [--environment NAME=VALUE]... [--programs N] [--seed N] [--verbose]
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import random_programs
from random_programs import compiled, functions_that_differ, parser_for, run_job


class claims:
    """All of a file by their lines: in which function each stands, and whether it is true."""

    def __init__(self, text):
        self.functions, self.true, self.at = {}, {}, {}  # at: the claim, by each line at which it may be said to be false
        function, region = "", 0
        for number, line in enumerate(text.splitlines(), 1):
            if begins := re.match(r"static void (function_\d+)\(", line):
                function = begins[1]
            elif re.match(r"#pragma mpi (osc_coalesce|rma)\b", line):
                region = number
            elif "#pragma mpi indep" in line:
                self.functions[number], self.true[number] = function, random_programs.LIE not in line
                # Errors stand at the statement. What does not complete an operation of a region knows only where the region is.
                self.at |= dict.fromkeys([number, number + 1, *([region] if "MPI_Win" in line else [])], number)

    def is_false_at(self, line):
        return line in self.at and not self.true[self.at[line]]


def refused_in(asked, source):
    done = subprocess.run([asked.tacit, "transform", "--json", source], capture_output=True, text=True)
    return [(f["line"], f["text"]) for f in json.loads(done.stdout)["findings"] if f["level"] == "error"]


def take_out_refused(asked, source, claimed, faults):
    """The lines of claims that are refused, in turns, as what is refused may hide something else; they are no claims any more."""
    refused = set()
    while errors := refused_in(asked, source):
        lines = source.read_text().splitlines(keepends=True)
        for at, words in errors:
            if not claimed.is_false_at(at):
                faults.append(f"line {at} is refused, where nothing false is claimed: {words}")
                return refused
            refused.add(claimed.at[at])
            lines[claimed.at[at] - 1] = "\n"
        source.write_text("".join(lines))
    return refused


def run(asked, program):
    environment = dict(os.environ, **dict(pair.split("=", 1) for pair in asked.environment))
    return run_job([*shlex.split(asked.launcher), "-n", str(asked.ranks), str(program)], env=environment)


def said_in(text):
    """Lines with the ranks of which something is said."""
    found = {}
    for rank, line in re.findall(r"tacit: rank (\d+): \S*program\.c:(\d+): .*TACIT-(?:15\d|202)", text):
        found.setdefault(int(line), set()).add(int(rank))
    return found


def verdicts_of(asked, seed, folder, faults):
    source = folder / "program.c"
    source.write_text(random_programs.program(seed, asked.functions, True, []))
    claimed = claims(source.read_text())
    refused = take_out_refused(asked, source, claimed, faults)
    for name, words in {"plain": [], "transformed": ["--annotations"], "checked": ["--annotations=check"]}.items():
        if said := compiled(asked, source, folder / name, *words):
            faults.append(f"does not compile ({name}): {said[:2000]}")
            return {}
    done = {name: run(asked, folder / name) for name in ("plain", "transformed", "checked")}
    faults += [f"{name} ends with {job.returncode}: {job.stderr[-500:]}" for name, job in done.items() if job.returncode]
    differ = functions_that_differ(done["transformed"].stdout, done["plain"].stdout)
    names = {line.split()[0] for line in differ}
    heard = said_in(done["checked"].stderr)
    faults += [f"of line {line} is said what is not so" for line in heard if not claimed.is_false_at(line)]
    said = {claimed.at[line]: ranks for line, ranks in heard.items() if line in claimed.at}
    lying = {claimed.functions[line] for line in said}
    verdicts = {line: "refused" if line in refused else "said" if line in said else "beside" if function in lying
                else "missed" if function in names else "harmless"
                for line, function in claimed.functions.items() if not claimed.true[line]}
    faults += [f"line {line} ({claimed.functions[line]}) is missed: "
               f"{[d for d in differ if d.startswith(claimed.functions[line] + ' ')]}"
               for line, verdict in verdicts.items() if verdict == "missed"]
    liars = {claimed.functions[line] for line in verdicts if line not in refused}
    faults += [f"without a false claim, {line}" for line in differ if line.split()[0] not in liars]
    if asked.verbose:
        for line, verdict in verdicts.items():
            ranks = f" of ranks {sorted(said[line])}" if line in said else ""
            print(f"seed {seed}, line {line}, {claimed.functions[line]}: {verdict}{ranks}")
    return verdicts


def main():
    parser = parser_for(__doc__, 4, 30)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for files of which something is wrong")
    parser.add_argument("--verbose", action="store_true", help="print what became of each claim that is not true")
    asked = parser.parse_args()
    all_verdicts, failed = Counter(), 0
    for seed in range(asked.seed, asked.seed + asked.programs):
        faults = []
        with tempfile.TemporaryDirectory() as folder:
            all_verdicts.update(verdicts_of(asked, seed, Path(folder), faults).values())
            if faults and asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                (asked.keep / f"{seed}.c").write_text((Path(folder) / "program.c").read_text())
        for fault in faults:
            print(f"seed {seed}: {fault}", file=sys.stderr)
        failed += len(faults)
    print(f"{asked.programs} files of {asked.functions} functions from seed {asked.seed}, {all_verdicts.total()} false claims: "
          f"{', '.join(f'{count} {verdict}' for verdict, count in sorted(all_verdicts.items()))}")
    if not (all_verdicts["refused"] and all_verdicts["said"]):
        failed += 1
        print("nothing is refused, or nothing is said", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
