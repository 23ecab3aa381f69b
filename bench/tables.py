#!/usr/bin/env python3
"""Tables of the documents that are made from result files, so that a document says what a file shows.

    bench/tables.py            write the tables anew
    bench/tables.py --check    exit 1 if one of them differs from its file (a test)

A table stands between the lines `<!-- table NAME -->` and `<!-- end of table -->`.
"""
import argparse
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
# What belongs to tacit, and what a good programmer writes by hand; all other variants are calls of the MPI library.
OURS = ("tacit", "tacit p2p", "tacit edges")
BY_HAND = ("packed", "flag", "compute")
PATTERNS = {"pair": "one neighbor", "torus2d": "2-D torus", "torus4d": "4-D torus", "stencil27": "27-point stencil",
            "stencil125": "125-point stencil"}
SIZES = {8: "8 B", 1024: "1 KiB", 65536: "64 KiB"}


def neighbor_rows(name: str) -> dict:
    """(library, ranks, pattern, bytes) → microseconds by variant, in memory of the program."""
    rows = json.loads((RESULTS / f"{name}.json").read_text())["cases"]
    return {(r["mpi"], r["ranks"], r["pattern"], r["bytes"]): r["us"] for r in rows if r.get("memory", "program") == "program"}


def ratio(us: dict, variant: str) -> str:
    """How many times as long the variant takes as tacit; the fastest of the library's calls for `calls`."""
    if variant == "calls":
        other = min(t for w, t in us.items() if w not in OURS + BY_HAND)
    elif variant in us:
        other = us[variant]
    else:
        return "–"
    times = other / us["tacit"]
    return f"{times:.0f}" if times >= 9.95 else f"{times:.1f}" if times >= 1.95 else f"{times:.2f}"


def neighbor_table(name: str, jobs: list[tuple[str, int]]) -> list[str]:
    """One row per pattern and size; per job: the fastest call, the message packed by hand, the flag by hand."""
    rows = neighbor_rows(name)
    titles = {"openmpi": "Open MPI", "mpich": "MPICH"}
    heads = [f"{titles[library]}, {ranks} ranks: fastest call, packed, flag" for library, ranks in jobs]
    lines = ["| | " + " | ".join(heads) + " |", "|---" * (len(jobs) + 1) + "|"]
    for pattern, words in PATTERNS.items():
        for size, text in SIZES.items():
            cells = [", ".join(ratio(rows[key], variant) for variant in ("calls", "packed", "flag")) if key in rows else "–"
                     for key in ((library, ranks, pattern, size) for library, ranks in jobs)]
            if any(cell != "–" for cell in cells):
                lines.append(f"| {words}, {text} | " + " | ".join(cells) + " |")
    return lines


def product_table(name: str) -> list[str]:
    """Products of a sparse matrix and a vector: MPI_Isend's time over tacit's, computation included."""
    rows = [r for r in json.loads((RESULTS / f"{name}.json").read_text())["cases"] if r["case"].startswith("product ")]
    matrices = sorted({r["case"].removeprefix("product ") for r in rows})
    jobs = sorted({(r["mpi"], r["ranks"]) for r in rows}, key=lambda job: (job[0] != "openmpi", job[1]))
    titles = {"openmpi": "Open MPI", "mpich": "MPICH"}
    lines = ["| matrix | " + " | ".join(f"{titles[library]}, {ranks} ranks" for library, ranks in jobs) + " |",
             "|---" * (len(jobs) + 1) + "|"]
    for matrix in matrices:
        times = {(r["mpi"], r["ranks"]): r["us"]["isend"] / r["us"]["tacit"] for r in rows if r["case"] == f"product {matrix}"}
        lines.append(f"| {matrix} | " + " | ".join(f"{times[job]:.2f}" if job in times else "–" for job in jobs) + " |")
    return lines


KERNELS = {"mg": ("V-cycles as in NPB MG", ""), "lu": ("wavefronts as in NPB LU", "rendezvous only"),
           "ring": ("ring of bodies, waits too early", ""), "sp": ("implicit steps as in NPB SP", "what is received is unpacked at once"),
           "ft": ("transposed FFT as in NPB FT", "its collectives are used at once"),
           "cg": ("conjugate gradients as in NPB CG", "what is received is added at once"),
           "stencil": ("2-D stencil", "the sweep needs the borders from its first row on")}


def speedup(times: float) -> str:
    """Three digits where they tell that something is slower than as written."""
    return f"{times:.3f}" if times < 0.9995 else f"{times:.2f}"


def overlap_table(name: str) -> list[str]:
    """One row per kernel: lowest and highest speedup over the program as written, and in how many configurations the default gains."""
    rows = json.loads((RESULTS / f"{name}.json").read_text())["rows"]
    lines = ["| kernel | conservative | aggressive (default) | by hand | gain |", "|---" * 5 + "|"]
    for kernel, (words, why) in KERNELS.items():
        of_kernel = [row for row in rows if row["kernel"] == kernel]
        cells = []
        for mode in ("conservative", "aggressive", "hand"):
            times = [row[mode]["speedup"] for row in of_kernel if mode in row]
            both = sorted({speedup(t) for t in (min(times), max(times))}, key=float) if times else ["–"]
            cells.append("–".join(both))
        gains = sum(row["aggressive"]["speedup"] >= 1.01 for row in of_kernel)
        if kernel == "lu" and any(row["protocol"] != "rendezvous" and row["aggressive"]["speedup"] >= 1.01 for row in of_kernel):
            sys.exit(f"tables: kernel lu does not gain by {why}")
        gain = f"{gains} of {len(of_kernel)}" if gains else "none"
        lines.append(f"| {words} | " + " | ".join(cells) + f" | {gain}{': ' + why if why else ''} |")
    return lines


def blocking_table(name: str) -> list[str]:
    """One row per library and call on two ranks: how many times as fast as the library's own a program's blocking call is under
    --apply, over all sizes of blocks."""
    cases = [case for case in json.loads((RESULTS / f"{name}.json").read_text())["cases"] if case["ranks"] == 2]
    topologies = list(dict.fromkeys(case["topology"] for case in cases))
    titles = {"openmpi": "Open MPI", "mpich": "MPICH"}
    lines = ["| | " + " | ".join(topology.replace("open-", "open ").replace("-grid", " grid") for topology in topologies) + " |",
             "|---" * (len(topologies) + 1) + "|"]
    for mpi, call in dict.fromkeys((case["mpi"], case["call"]) for case in cases):
        cells = []
        for topology in topologies:
            times = [case["library_over_applied"] for case in cases
                     if (case["mpi"], case["call"], case["topology"]) == (mpi, call, topology)]
            cells.append(f"{min(times):.2f}–{max(times):.2f}")
        lines.append(f"| {titles[mpi]}: `{call}` | " + " | ".join(cells) + " |")
    return lines


NEIGHBOR = "neighbor-amd-epyc-2-cores"
TABLES = {
    "neighbor, two ranks": lambda: neighbor_table(NEIGHBOR, [("openmpi", 2), ("mpich", 2)]),
    "neighbor, more ranks than cores": lambda: neighbor_table(NEIGHBOR, [("openmpi", 4), ("openmpi", 8)]),
    "products": lambda: product_table("papers-s5-real-amd-epyc-2-cores"),
    "overlap": lambda: overlap_table("papers-s2-simulated"),
    "blocking calls": lambda: blocking_table("blocking-calls-amd-epyc-2-cores"),
}
PLACE = re.compile(r"(<!-- table (?P<name>.+?) -->\n)(?P<old>.*?)(<!-- end of table -->)", re.DOTALL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if a table differs from its file")
    arguments = parser.parse_args()
    differing, found = [], set()
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = document.read_text(encoding="utf-8")

        def replaced(place: re.Match) -> str:
            found.add(place["name"])
            return place[1] + "\n".join(TABLES[place["name"]]()) + "\n" + place[4]

        new = PLACE.sub(replaced, text)
        if new != text:
            differing.append(document.relative_to(ROOT))
            if not arguments.check:
                document.write_text(new, encoding="utf-8")
    for name in sorted(set(TABLES) - found):
        print(f"tables: no document shows the table '{name}'")
    for document in differing:
        print(f"tables: {document} {'differs from its result files' if arguments.check else 'written'}")
    return 1 if set(TABLES) - found or (arguments.check and differing) else 0


if __name__ == "__main__":
    sys.exit(main())
