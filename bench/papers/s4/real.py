#!/usr/bin/env python3
"""Annotated one-sided programs on real processes: Figures 11 and 13 of seed 003 (Haque and others, annotation-based transformations).

    bench/papers/s4/real.py                  after building bfs_bench and rma_ldst_bench in the presets release and release-mpich
    bench/papers/s4/real.py --mpi openmpi --ranks 4 --rounds 3 --stdout

The search takes in turns, in one process and from the same root: the program as written (two MPI_Accumulate for each edge), the
same with the calls that the transformation puts, for each coalescing factor and with the word `collective`, and a search by
messages that a good programmer would write (all edges packed, one MPI_Alltoallv for each level). Memory limits
are 64 MB over p as in the seed, and a quarter and a sixteenth of that. The puts are one million on
each process, 99 % of them to its own memory. Ratios are medians over the rounds of
ratios within a round, with quartiles, as other programs share the machine.

Transports of Open MPI: `sm` is what a node takes for windows of MPI's own memory, where an accumulate is a lock and an addition;
`pt2pt` sends every operation as a message, as between nodes. `rdma` is what a node takes for windows of the program's own memory,
as Graph500 makes them: there each element goes through the kernel (cross-memory attach, which containers often forbid).
"""
import argparse
import os
import re
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from measured import PRESETS, ROOT, dirty, git, machine, write_result  # noqa: E402

MEGABYTE = 1 << 20
# Of each transport: how the search makes its windows, and the largest scale at which all edges one by one are measured (MPICH ends with a
# failed assertion where some 10^6 accumulates of an epoch are pending). At scale 16 the others are measured everywhere.
TRANSPORTS = {"openmpi": {"sm": ("allocate", 16), "pt2pt": ("allocate", 16), "rdma": ("create", 10)},
              "mpich": {"shm": ("create", 12)}}
LARGE = 16


def environment(transport: str) -> dict:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OMPI_MCA_", "TACIT_"))}
    return kept | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
                   "OMPI_MCA_mpi_yield_when_idle": "1",
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "cma" if transport == "rdma" else "none"}


def run(library: str, transport: str, ranks: int, program: str, *words) -> list[dict]:
    """The numbers of each round, by their names."""
    command = [f"mpiexec.{library}", "-n", str(ranks), *(["--mca", "osc", transport] if library == "openmpi" else []),
               ROOT / "build" / PRESETS[library] / "bin" / program, *map(str, words)]
    done = subprocess.run(command, env=environment(transport), text=True, capture_output=True, timeout=1200)
    if done.returncode or not re.search(r"^faults 0\b", done.stdout, re.MULTILINE):
        raise SystemExit(f"real.py: {shlex.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    rounds = [line.split()[2:] for line in done.stdout.splitlines() if line.startswith("round ")]
    return [{name: float(value) for name, value in zip(words[::2], words[1::2])} for words in rounds]


def spread(values: list[float]) -> dict:
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return {"median": float(f"{middle:.4g}"), "quartiles": [float(f"{low:.4g}"), float(f"{high:.4g}")]}


def search(library: str, transport: str, ranks: int, scale: int, one_by_one: bool, factors: list[int], arguments) -> list[dict]:
    rows = []
    for part in arguments.parts if one_by_one else arguments.parts[:1]:  # at the limit operations go one by one, too
        memory = 64 * MEGABYTE // ranks // part
        single = ((arguments.rounds + 2) // 3 if part == arguments.parts[0] else 1) if one_by_one else 0
        rounds = run(library, transport, ranks, "bfs_bench", TRANSPORTS[library][transport][0], scale, 12, arguments.rounds, single,
                     memory, *factors)
        for factor in [*factors, "collective"]:
            way = f"coalesced:{factor}" if factor != "collective" else factor
            row = {"program": "bfs", "mpi": library, "transport": transport, "ranks": ranks, "scale": scale, "factor": factor,
                   "memory": memory, "rounds": len(rounds), "load": round(os.getloadavg()[0], 1),
                   "coalesced_s": spread([r[way] for r in rounds]), "two_sided_s": spread([r["two_sided"] for r in rounds]),
                   "walk_s": spread([r["walk"] for r in rounds]),
                   "over_two_sided": spread([r["two_sided"] / r[way] for r in rounds])}
            if single:
                row["one_sided_s"] = spread([r["one_sided"] for r in rounds[:single]])
                row["over_one_sided"] = spread([r["one_sided"] / r[way] for r in rounds[:single]])
                row["most_over_one_sided"] = spread([r["one_sided"] / r["walk"] for r in rounds[:single]])
            rows.append(row)
            print(f"bfs {library} {transport} {ranks} ranks, 2^{scale}, factor {factor:>10}, {memory / MEGABYTE:5.1f} MiB: over one-sided "
                  f"{row.get('over_one_sided', {'median': '-'})['median']}, over two-sided {row['over_two_sided']['median']} "
                  f"{row['over_two_sided']['quartiles']}", file=sys.stderr, flush=True)
    return rows


def puts(library: str, transport: str, ranks: int, arguments) -> dict:
    rounds = run(library, transport, ranks, "rma_ldst_bench", 1000000, 99, arguments.rounds)
    row = {"program": "rma_ldst", "mpi": library, "transport": transport, "ranks": ranks, "accesses": 1000000, "local_per_cent": 99,
           "rounds": len(rounds), "load": round(os.getloadavg()[0], 1), "plain_ns": spread([r["plain"] for r in rounds]),
           "local_ns": spread([r["local"] for r in rounds]), "gain": spread([r["plain"] / r["local"] for r in rounds])}
    print(f"puts {library} {transport} {ranks} ranks: {row['plain_ns']['median']} ns, local {row['local_ns']['median']} ns, gain "
          f"{row['gain']['median']} {row['gain']['quartiles']}", file=sys.stderr, flush=True)
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", choices=list(PRESETS), default=list(PRESETS))
    parser.add_argument("--transports", nargs="+", help="only these, such as sm")
    parser.add_argument("--ranks", nargs="+", type=int, default=[2, 4], help="MPICH runs on 2 only: with more it stands still")
    parser.add_argument("--factors", nargs="+", type=int, default=[16, 256, 4096, 65536])
    parser.add_argument("--parts", nargs="+", type=int, default=[1, 4, 16], help="memory limits: 64 MB over p and over each of these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--stdout", action="store_true")
    arguments = parser.parse_args()
    facts = machine()
    rows = []
    for library in arguments.mpi:
        for transport in TRANSPORTS[library]:
            if arguments.transports and transport not in arguments.transports:
                continue
            for ranks in arguments.ranks if library == "openmpi" else [2]:
                if transport != "rdma":  # the windows of that program are MPI's
                    rows.append(puts(library, transport, ranks, arguments))
                scale = TRANSPORTS[library][transport][1]
                rows += search(library, transport, ranks, scale, True, arguments.factors, arguments)
                if scale != LARGE:  # where each element goes through the kernel one search takes minutes, but for packed messages
                    rows += search(library, transport, ranks, LARGE, False, [] if transport == "rdma" else arguments.factors, arguments)
    result = {"benchmark": "papers-s4-real", "commit": git("rev-parse", "HEAD"), "dirty": dirty(), "machine": facts,
              "command": shlex.join(["bench/papers/s4/real.py", *sys.argv[1:]]), "rows": rows}
    write_result("papers-s4-real", result, arguments.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
