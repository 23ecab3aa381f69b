#!/usr/bin/env python3
"""Layer check: which room may include which, and who may see <mpi.h>, LLVM and Clang.

The table below is the architecture. A room may include itself, what the table names, and nothing else of ours.
Run as a test: `python3 tools/check_layers.py [ROOT]`; prints every violation and exits 1 if there is one.
"""
import re
import sys
from pathlib import Path

CORE = ["base", "calls"]
MAY_INCLUDE = {
    "base": [],
    "calls": ["base"],
    "graph": CORE,
    "generate": CORE + ["graph"],
    "match": CORE + ["graph"],
    "flow": CORE + ["graph", "match"],
    "detect": CORE + ["graph", "match", "flow"],
    "plan": CORE + ["graph", "match", "flow", "detect"],
    "topology": CORE,
    "neighbor": CORE + ["graph", "plan", "topology", "platform"],
    "compile": CORE + ["graph", "match", "flow", "detect", "plan"],
    "record": CORE + ["graph", "match", "flow", "detect"],
    "platform": CORE,
    "matrix": CORE,
    "trial": [],
    "measure": CORE + ["platform"],
    "channel": CORE + ["graph"],
    "run": CORE + ["graph", "plan", "channel"],
    "exchange": CORE + ["graph", "plan", "topology", "neighbor", "run", "platform"],
    "capi": CORE + ["graph", "match", "flow", "detect", "plan", "compile", "topology", "neighbor", "exchange", "run", "channel",
             "report"],
    "interpose": CORE + ["record", "topology", "exchange", "run"],
    "report": CORE + ["graph", "match", "flow", "detect", "plan", "compile", "record", "platform"],
    "cli": CORE + ["graph", "generate", "match", "flow", "detect", "plan", "compile", "record", "report",
            "platform", "matrix", "selftest"],  # selftest/names.h, the words of its command line
    "hooks": CORE + ["run"],
    "tasks": CORE + ["graph", "match", "flow", "detect", "plan", "compile", "run"],
    "selftest": [],  # shares nothing with what it tests
    "pass": CORE,
    "annotate": CORE,
}
MAY_SEE_MPI = {"run", "exchange", "interpose", "capi", "hooks", "tasks", "selftest", "measure", "trial"}
MAY_SEE_LLVM = {"pass", "annotate"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def violations(root: Path):
    source = root / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in {".cpp", ".h", ".c", ".hpp"}:
            continue
        room = path.relative_to(source).parts[0]
        name = path.relative_to(root)
        if room not in MAY_INCLUDE:
            yield f"{name}: room '{room}' is not in the table of tools/check_layers.py"
            continue
        for _, target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            first = target.split("/")[0]
            if target == "mpi.h" and room not in MAY_SEE_MPI:
                yield f"{name}: includes <mpi.h>; only {sorted(MAY_SEE_MPI)} may"
            elif first == "tacit" and room not in MAY_SEE_MPI and room != "cli":
                yield f"{name}: includes the public header {target}, which includes <mpi.h>"
            elif first in {"llvm", "clang"} and room not in MAY_SEE_LLVM:
                yield f"{name}: includes {target}; only {sorted(MAY_SEE_LLVM)} may"
            elif first in MAY_INCLUDE and "/" in target and first != room and first not in MAY_INCLUDE[room]:
                yield f"{name}: room '{room}' may not include '{target}'"


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = list(violations(root))
    for line in found:
        print(line)
    print(f"layers: {len(found)} violation(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
