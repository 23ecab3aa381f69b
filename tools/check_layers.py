#!/usr/bin/env python3
"""Layer check: which room may see which, and who may see <mpi.h>, LLVM and Clang.

The table below is the architecture, in the order of the data flow. A room may include itself, what its row names (a
room, or a whole wing), and nothing else of ours; a file that lies in a wing itself may include all rooms of that wing.
With --build, what CMake compiles and links is held against the same table: a room is compiled whole or not at all, and a
target links a library of ours only if its own rooms may see one of the library's, directly or through rooms in between.

    tools/check_layers.py [--root ROOT] [--build BUILD_FOLDER]

Runs as a test. Prints every violation and exits 1 if there is one.
"""
import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

TABLE = {
    "vocabulary": {
        "base": [],
        "calls": ["base"],
    },
    "graphs": {
        "graph": ["vocabulary"],
        "generate": ["vocabulary", "graph"],
        "match": ["vocabulary", "graph"],
        "flow": ["vocabulary", "graph", "match"],
        "detect": ["vocabulary", "graph", "match", "flow"],
        "plan": ["vocabulary", "graph", "match", "flow", "detect"],
        "compile": ["vocabulary", "graph", "match", "flow", "detect", "plan"],
        "platform": ["vocabulary"],
        "cost": ["vocabulary", "platform", "graph", "plan"],
    },
    "neighbors": {
        "topology": ["vocabulary"],
        "matrix": ["vocabulary"],
        "passes": ["vocabulary", "graph", "plan", "platform", "cost", "topology"],
        "check": ["vocabulary", "graph", "match", "flow", "plan", "topology", "passes"],
    },
    "recordings": {
        "record": ["vocabulary"],
        "meaning": ["vocabulary", "graph", "match", "flow", "detect", "record"],
    },
    "runtime": {
        "channel": ["vocabulary", "graph"],
        "mpi": ["vocabulary", "graph", "topology"],
        "run": ["vocabulary", "graph", "plan", "channel", "mpi"],
        "shm": ["vocabulary", "graph", "plan", "channel", "mpi", "run"],
        "rma": ["vocabulary", "graph", "plan", "channel", "mpi", "run", "shm"],
        "exchange": ["vocabulary", "graph", "plan", "platform", "cost", "neighbors", "channel", "mpi", "run"],
        "schedule": ["vocabulary", "graphs", "neighbors", "channel", "mpi", "run", "exchange"],
    },
    "interpose": {
        "layer": ["vocabulary"],
        "recorder": ["vocabulary", "record", "mpi", "layer"],
        "takeover": ["vocabulary", "topology", "mpi", "run", "exchange", "layer"],
    },
    "compiler": {
        "hooks": [],
        "pass": ["vocabulary", "hooks"],
        "annotate": ["vocabulary"],
    },
    "tasks": {},
    "surface": {
        "report": ["vocabulary", "graphs", "recordings"],
        "capi": ["vocabulary", "schedule", "exchange", "run", "mpi", "channel", "topology"],
        "selftest": [],  # shares nothing with what it tests
        "measure": ["vocabulary", "platform"],
        "trial": [],
        "cli": ["vocabulary", "graphs", "neighbors", "recordings", "report", "selftest"],  # selftest/names.h: words
    },
}
MAY_SEE_MPI = {"mpi", "run", "shm", "rma", "exchange", "schedule", "layer", "recorder", "takeover", "capi", "hooks",
               "selftest", "measure", "trial"}
MAY_SEE_LLVM = {"pass", "annotate"}
# Targets that compile only a part of a room, each with the reason.
PARTS = {
    ("tacit_interpose_runtime", "mpi"): "hardware_place needs hwloc, which the programs under the interposer may not have",
    ("tacit_interpose_static_objects", "recorder"): "malloc_hooks: in a static program the allocator belongs to the program",
}

WING_OF = {room: wing for wing, rooms in TABLE.items() for room in rooms}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
SOURCES = {".cpp", ".h", ".c", ".hpp"}


def rooms_named(names):
    """The rooms that a row names: a wing stands for all of its rooms."""
    return {room for name in names for room in (TABLE[name] if name in TABLE else [name])}


MAY_SEE = {room: rooms_named(names) | {room} for rooms in TABLE.values() for room, names in rooms.items()}


def reachable(rooms):
    """What these rooms may see, through other rooms too."""
    seen, open_rooms = set(), list(rooms)
    while open_rooms:
        room = open_rooms.pop()
        if room not in seen:
            seen.add(room)
            open_rooms.extend(MAY_SEE[room])
    return seen


def home(path: Path, source: Path):
    """(wing, room) of a file; the room is None for a file of the wing itself."""
    parts = path.relative_to(source).parts
    return (parts[0], parts[1] if len(parts) > 2 else None) if len(parts) > 1 else (None, None)


def wrong_include(wing, room, bracket, target):
    allowed = MAY_SEE[room] if room else set(TABLE[wing])
    parts = target.split("/")
    if target == "mpi.h" and room and room not in MAY_SEE_MPI:
        return "includes <mpi.h>"
    if parts[0] == "tacit" and room not in MAY_SEE_MPI | {"cli"}:
        return f"includes the public header {target}, which includes <mpi.h>"
    if parts[0] in {"llvm", "clang"} and room not in MAY_SEE_LLVM:
        return f"includes {target}"
    if bracket == '"' and len(parts) == 3 and parts[0] in TABLE and parts[1] not in allowed:
        return f"room '{room}' may not include '{target}'"
    return None


def include_violations(root: Path):
    source = root / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in SOURCES:
            continue
        wing, room = home(path, source)
        name = path.relative_to(root)
        if wing not in TABLE or (room is not None and room not in TABLE[wing]):
            yield f"{name}: room '{wing}/{room}' is not in the table of tools/check_layers.py"
            continue
        for bracket, target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if problem := wrong_include(wing, room, bracket, target):
                yield f"{name}: {problem}"


class target_list:
    """What CMake's file API says of a build: per target the sources of ours it compiles and the targets it links."""

    def __init__(self, root: Path, build: Path):
        replies = self.replies(build)
        if not replies:  # CMake looks for questions before it configures, so that a fresh folder has no answer yet
            subprocess.run(["cmake", str(build)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            replies = self.replies(build)
        if not replies:
            sys.exit(f"layers: CMake does not describe the targets of {build}")
        model = json.loads(replies[-1].read_text(encoding="utf-8"))
        self.names, self.sources, self.links = {}, {}, {}
        for entry in model["configurations"][0]["targets"]:
            described = json.loads((replies[-1].parent / entry["jsonFile"]).read_text(encoding="utf-8"))
            key = described["id"]
            self.names[key] = described["name"]
            self.links[key] = [d["id"] for d in described.get("dependencies", [])] if self.links_others(described) else []
            self.sources[key] = [source for source in map(Path, (s["path"] for s in described.get("sources", [])))
                                 if source.suffix in {".cpp", ".c"} and source.parts[0] == "src"]
        self.root = root

    @staticmethod
    def replies(build: Path):
        return sorted((build / ".cmake/api/v1/reply").glob("codemodel-v2-*.json"))

    @staticmethod
    def links_others(described):
        return described["type"] in {"STATIC_LIBRARY", "OBJECT_LIBRARY", "SHARED_LIBRARY", "MODULE_LIBRARY", "EXECUTABLE"}

    def lists_its_wing(self, key, rooms):
        """Whether the target compiles a file that lies in the wing of these rooms itself, and so may see all of them."""
        wings = {WING_OF[room] for room in rooms}
        return any(home(self.root / s, self.root / "src") in {(wing, None) for wing in wings} for s in self.sources[key])

    def rooms(self, key):
        found = {home(self.root / s, self.root / "src")[1] for s in self.sources[key]}
        return {room for room in found if room in WING_OF}

    def wings_joined(self, key):
        """Wings of which a target compiles a file that lies in none of their rooms: it joins them all."""
        homes = [home(self.root / s, self.root / "src") for s in self.sources[key]]
        return {wing for wing, room in homes if wing in TABLE and room is None}


def build_violations(root: Path, build: Path):
    targets = target_list(root, build)
    for key, name in sorted(targets.names.items(), key=lambda item: item[1]):
        own = targets.rooms(key)
        if not own or name.startswith("test_"):  # a test may take a room apart
            continue
        for room in sorted(own):
            whole = {p.relative_to(root) for p in (root / "src" / WING_OF[room] / room).iterdir() if p.suffix in {".cpp", ".c"}}
            missing = whole - set(targets.sources[key])
            if missing and (name, room) not in PARTS:
                yield f"target {name}: compiles only a part of room '{room}', without {min(missing)}"
        for link in targets.links[key]:
            taken = targets.rooms(link)
            if taken and not taken & reachable(own) and not targets.lists_its_wing(key, taken):
                yield f"target {name}: links {targets.names[link]}, but {sorted(own)} may not see {sorted(taken)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", type=Path)
    arguments = parser.parse_args()
    found = list(include_violations(arguments.root))
    if arguments.build:
        found += build_violations(arguments.root, arguments.build)
    for line in found:
        print(line)
    print(f"layers: {len(found)} violation(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
