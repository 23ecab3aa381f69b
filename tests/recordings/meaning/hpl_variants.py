#!/usr/bin/env python3
"""Records Debian's hpcc with HPL's panel broadcasts and checks what the analysis says they are.

    hpl_variants.py --interpose LIB --print PROGRAM --mpiexec MPIEXEC [--grid 1x4 …] [--bcast 0 …] [--together] [--keep FOLDER |
        --recorded FOLDER]

Each (grid, variant) is one run of a small problem (--together: each grid). HPL broadcasts panel k (k = 0, 1, …) along its row of
the grid from the column k mod Q. Expected are the number of broadcasts, the communicators, the roots, the algorithm, and the
reason why they are left alone: HPL polls for panels with MPI_Iprobe except in the long forms. Prints a table; exit code 1 if a
line of it is wrong, 77 if hpcc is not installed.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SAME_ON_4 = "modified ring (on 4 ranks the same as two rings, modified two rings, binomial tree)"
SPREAD = "spread and roll (scatter, then ring allgather)"
MODIFIED_SPREAD = "modified spread and roll (all to the successor; scatter, then ring allgather, of the rest)"
EXPECTED = {  # (Q, variant) → algorithm
    (4, 0): "ring", (4, 1): SAME_ON_4, (4, 2): SAME_ON_4, (4, 3): SAME_ON_4, (4, 4): SPREAD, (4, 5): MODIFIED_SPREAD,
    (6, 0): "ring", (6, 1): "modified ring", (6, 2): "two rings", (6, 3): "modified two rings", (6, 4): SPREAD,
    (6, 5): MODIFIED_SPREAD,
}
NAMES = ["1ring", "1ringM", "2ring", "2ringM", "long", "longM"]

INPUT = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
{n}          Ns
1            # of NBs
{nb}         NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
{p}          Ps
{q}          Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
{count}      # of broadcast
{bcasts}     BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0            Number of additional problem sizes for PTRANS
1200         values of N
0            number of additional blocking sizes for PTRANS
40           values of NB
"""


def record(options, folder, grid, bcasts):
    p, q = map(int, grid.split("x"))
    n, nb = (options.n, options.nb)
    with open(os.path.join(folder, "hpccinf.txt"), "w") as file:
        file.write(INPUT.format(n=n, nb=nb, p=p, q=q, count=len(bcasts), bcasts=" ".join(map(str, bcasts))))
    recording = os.path.join(folder, "recording")
    os.mkdir(recording)
    command = options.mpiexec.split() + ["-n", str(p * q), "env", f"LD_PRELOAD={options.interpose}", "hpcc"]
    environment = dict(os.environ, TACIT_RECORD=recording)
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=options.timeout)
    if done.returncode != 0:
        sys.exit(f"hpcc failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    with open(os.path.join(folder, "hpccoutf.txt")) as file:
        output = file.read()
    if len(re.findall(r"\|\|Ax-b\|\|_oo/.*PASSED", output)) != len(bcasts) or re.search(r"\bFAILED\b", output):
        sys.exit(f"hpcc's own checks fail under the recorder:\n{output[-4000:]}")
    return recording


def activities(options, recording):
    done = subprocess.run([options.print, recording], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        sys.exit(f"analysis failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return [line.split(" | ") for line in done.stdout.splitlines() if line.startswith("activity | ")]


def check(options, recording, grid, bcast, together):
    """The problems with what was found, and what was found."""
    p, q = map(int, grid.split("x"))
    panels = -(-options.n // options.nb)
    problems = []
    found = activities(options, recording)
    # Panels are the only broadcasts of more than a few hundred bytes in hpcc that programs write by hand.
    panel_lines = [a for a in found if re.search(r"\d [KM]iB", a[2]) and a[1].startswith("broadcast")]
    collectives = [a for a in found if "broadcasts on" in a[2] or re.match(r"\d+ (all|scatter|gather|bcast|barrier)", a[2])]
    for a in collectives:
        if not a[1].startswith("broadcast"):
            problems.append(f"false collective: {a[2]}")
    if together:
        panel_lines = [a for a in panel_lines if a[8] == EXPECTED[(q, bcast)]]
    if len(panel_lines) != 1:
        problems.append(f"{len(panel_lines)} activities are panel broadcasts, not 1")
    for a in panel_lines:
        sentence = a[2]
        algorithm = a[8]
        if algorithm != EXPECTED[(q, bcast)]:
            problems.append(f"algorithm {algorithm}, not {EXPECTED[(q, bcast)]}")
        count = int(sentence.split()[0])
        if count != panels * p:
            problems.append(f"{count} broadcasts, not {panels * p}")
        where = f"on {p} row communicators of {q} ranks" if p > 1 else f"on 1 communicator of {q} ranks"
        if where not in sentence:
            problems.append(f"not {where}")
        if "roots cycle " + ",".join(map(str, range(q))) not in sentence:
            problems.append("roots do not cycle")
        reason = "TACIT-041" if bcast < 4 else "TACIT-048"  # the long forms do not probe
        if a[9].strip() != reason:
            problems.append(f"first reason {a[9]}, not {reason}")
    return problems, [a[2] for a in panel_lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--interpose", required=True, help="the recorder's shared library")
    parser.add_argument("--print", required=True, help="the program print_analysis")
    parser.add_argument("--mpiexec", required=True, help="with the options that it needs here")
    parser.add_argument("--grid", nargs="*", default=["1x4", "1x6", "2x4"])
    parser.add_argument("--bcast", nargs="*", type=int, default=list(range(6)))
    parser.add_argument("--together", action="store_true",
                        help="one run with all variants of a grid; their algorithms must differ")
    parser.add_argument("-n", type=int, default=400, help="size of the matrix")
    parser.add_argument("--nb", type=int, default=40, help="block size")
    parser.add_argument("--timeout", type=float, default=1800)
    parser.add_argument("--keep", help="keep the recordings in this folder")
    parser.add_argument("--recorded", help="analyse the recordings that --keep left in this folder")
    options = parser.parse_args()
    if not shutil.which("hpcc"):
        print("hpcc is not installed: skipped")
        sys.exit(77)
    failed = False
    for grid in options.grid:
        runs = [options.bcast] if options.together else [[bcast] for bcast in options.bcast]
        for bcasts in runs:
            name = f"{grid}-{'-'.join(NAMES[b] for b in bcasts)}"
            with tempfile.TemporaryDirectory() as scratch:
                if options.recorded:
                    recording = os.path.join(options.recorded, name, "recording")
                else:
                    folder = os.path.join(options.keep, name) if options.keep else scratch
                    os.makedirs(folder, exist_ok=True)
                    recording = record(options, folder, grid, bcasts)
                for bcast in bcasts:
                    problems, seen = check(options, recording, grid, bcast, options.together)
                    failed = failed or bool(problems)
                    print(f"{grid:4} {NAMES[bcast]:7} {'WRONG ' + '; '.join(problems) if problems else 'ok'}")
                    for line in seen:
                        print(f"             {line}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
