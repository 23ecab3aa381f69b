#!/usr/bin/env python3
"""Layer check: which room may see which; who may see <mpi.h>, LLVM and Clang; who makes keys for MPI's attributes; names of types.

The table below is the architecture, in the order of the data flow. A room may include itself, what its row names (a
room, or a whole wing), and nothing else of ours; a file that lies in a wing itself may include all rooms of that wing, and
is included by no room. An include counts by the file that it names, in quotes or in angle brackets, and never goes up (`..`).
With --build, what CMake compiles and links is held against the same table: a room is compiled whole or not at all, and a
target links a library of ours only if its own rooms may see one of the library's, directly or through rooms in between. A
target links what it names to CMake, what the linker gets by path, and what stands behind a custom target that it waits for; a
custom target that packs object libraries into an archive is held against the table like any other target.

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
        "described": ["vocabulary", "graph", "flow", "detect"],
        "plan": ["vocabulary", "graph", "match", "flow", "detect"],
        "compile": ["vocabulary", "graph", "match", "flow", "detect", "described", "plan"],
        "platform": ["vocabulary"],
        "cost": ["vocabulary", "platform", "graph", "plan"],
        "choice": ["vocabulary", "graph", "generate", "match", "flow", "detect", "described", "plan", "compile", "platform", "cost"],
        "part": ["vocabulary", "graph", "generate", "match", "flow", "detect", "described", "plan", "compile", "cost", "choice"],
        "affine": ["vocabulary", "graph", "match", "flow", "detect", "plan", "compile", "cost", "choice", "part"],
    },
    "neighbors": {
        "topology": ["vocabulary"],
        "matrix": ["vocabulary"],
        "passes": ["vocabulary", "graph", "plan", "platform", "cost", "topology"],
        "leftovers": ["vocabulary", "graph", "plan", "platform", "cost", "choice", "topology", "passes"],
        "check": ["vocabulary", "graph", "match", "flow", "plan", "topology", "passes"],
    },
    "tasks": {
        "space": ["vocabulary"],
        "mapper": ["vocabulary", "space"],
        "stream": ["vocabulary", "space", "mapper"],
        "layout": ["vocabulary", "space", "mapper", "stream"],
        "discover": ["vocabulary", "space", "mapper", "stream", "layout"],
        "commands": ["vocabulary", "space", "mapper", "stream", "layout", "discover"],
        "explain": ["vocabulary", "space", "mapper", "stream", "layout", "discover", "commands"],
    },
    "recordings": {
        "record": ["vocabulary"],
        "meaning": ["vocabulary", "graph", "match", "flow", "detect", "record"],
    },
    "runtime": {
        "channel": ["vocabulary", "graph", "platform"],
        "mpi": ["vocabulary", "graph", "topology"],
        "run": ["vocabulary", "graph", "plan", "channel", "mpi"],
        "shm": ["vocabulary", "graph", "plan", "channel", "mpi", "run"],
        "rma": ["vocabulary", "graph", "plan", "channel", "mpi", "run", "shm"],
        "exchange": ["vocabulary", "graph", "plan", "platform", "cost", "neighbors", "channel", "mpi", "run"],
        "schedule": ["vocabulary", "graphs", "neighbors", "channel", "mpi", "run", "exchange"],
        "devices": ["vocabulary"],
        "executor": ["vocabulary", "tasks", "channel", "mpi", "run", "devices"],
    },
    "interpose": {
        "layer": ["vocabulary"],
        "recorder": ["vocabulary", "record", "mpi", "layer"],
        "takeover": ["vocabulary", "topology", "mpi", "run", "exchange", "layer"],
    },
    "compiler": {
        "hooks": [],
        "coalesce": ["hooks"],
        "pass": ["vocabulary", "hooks"],
        "pragma": ["vocabulary"],
        "annotate": ["vocabulary", "pragma", "coalesce"],  # coalesce/largest_piece.h: a number
    },
    "surface": {
        "report": ["vocabulary", "graphs", "recordings"],
        "capi": ["vocabulary", "schedule", "exchange", "run", "mpi", "channel", "topology"],
        "selftest": [],  # shares nothing with what it tests
        "measure": ["vocabulary", "platform", "channel"],
        "trial": [],
        "cli": ["vocabulary", "graphs", "neighbors", "recordings", "report", "selftest"],  # selftest/names.h: words
    },
}
MAY_SEE_MPI = {"mpi", "run", "shm", "rma", "exchange", "schedule", "devices", "executor", "layer", "recorder", "takeover", "capi", "hooks",
               "coalesce", "selftest", "measure", "trial"}
MAY_SEE_LLVM = {"pass", "annotate"}
# Targets that compile only a part of a room, each with the reason.
PARTS = {
    ("tacit_coalesce", "hooks"): "settings, devices, finalize: both libraries ask these alike, and each is linked without the other",
    ("tacit_coalesce", "coalesce"): "window_calls stands before MPI's calls, in checked programs only",
    ("tacit_coalesce_check", "coalesce"): "window_calls alone: the rest is in the other archive",
    ("tacit_interpose_runtime", "mpi"): "hardware_place needs hwloc, which the programs under the interposer may not have",
    ("tacit_interpose_static_objects", "recorder"): "malloc_hooks: in a static program the allocator belongs to the program",
}
# Files that ask the preprocessor for the MPI library; src/runtime/mpi/library_quirks.h says why, and has all other differences.
MAY_ASK_FOR_LIBRARY = {"runtime/mpi/library_quirks.h", "runtime/mpi/collective_calls.cpp",
                       "interpose/layer/mpi_by_name.h", "interpose/layer/mpi_library.cpp",
                       "interpose/layer/fortran.cpp", "interpose/layer/invocation.h", "interpose/takeover/request_table.cpp",
                       "surface/selftest/mpi_calls.cpp", "compiler/hooks/slot.c"}
# Files that make keys for attributes of MPI's objects. Elsewhere a value of ours goes with an object by what these offer.
MAY_CREATE_KEYVAL = {"runtime/mpi/attributes.h",
                     "compiler/coalesce/attribute.h",         # the same without a C++ library
                     "compiler/hooks/finalize.c",             # in C: what MPI_Finalize calls
                     "interpose/takeover/agreed_groups.cpp"}  # the value stands in the attribute itself: no memory to run out of

WING_OF = {room: wing for wing, rooms in TABLE.items() for room in rooms}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.MULTILINE)
LIBRARY_QUESTION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if.*\b(?:OPEN_MPI|MPICH\w*|SMPI_H|OMPI_\w+|MPI_ABI_VERSION)\b", re.MULTILINE)
KEYVAL = re.compile(r"\bP?MPI_(?:(?:Comm|Win|Type)_create_keyval|Keyval_create)\s*\(")
# Types that headers define in our namespaces. Two of one name are one to the linker, which takes the functions of either for both.
TYPE = re.compile(r"(?:struct|class|union|enum(?: class)?) (\w+)(?: final)?(?: ?:[^:].*)?\s*\{")
PROGRAMS_OF_THEIR_OWN = {"selftest", "measure", "trial"}  # linked with nothing else that may have such a name
SOURCES = {".cpp", ".h", ".c", ".hpp", ".def"}


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


def named_file(path: Path, target, source: Path):
    """The file of ours that an include names, relative to src/, whether it exists or not; None for one of somebody else."""
    beside = (path.parent / target).relative_to(source)
    if (source / beside).is_file():
        return beside
    return Path(target) if target.split("/")[0] in TABLE else None


def wrong_include(path: Path, target, source: Path):
    wing, room = home(path, source)
    first = target.split("/")[0]
    if ".." in target.split("/"):
        return f"includes '{target}': name it from src/ on, without '..'"
    if target == "mpi.h" and room and room not in MAY_SEE_MPI:
        return "includes <mpi.h>"
    if first == "tacit" and room not in MAY_SEE_MPI | {"cli"}:
        return f"includes the public header {target}, which includes <mpi.h>"
    if first in {"llvm", "clang"} and room not in MAY_SEE_LLVM:
        return f"includes {target}"
    if (file := named_file(path, target, source)) is None:
        return None
    of_wing, of_room = home(source / file, source)
    allowed = MAY_SEE[room] if room else {*TABLE[wing], None}
    if of_room in allowed and (of_room or of_wing == wing):
        return None
    return f"{f'room {room!r}' if room else f'a file of wing {wing!r}'} may not include '{target}'"


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
        text = path.read_text(encoding="utf-8")
        if LIBRARY_QUESTION.search(text) and str(path.relative_to(source)) not in MAY_ASK_FOR_LIBRARY:
            yield f"{name}: asks which MPI library it is compiled for; name the difference in src/runtime/mpi/library_quirks.h"
        if KEYVAL.search(text) and str(path.relative_to(source)) not in MAY_CREATE_KEYVAL:
            yield f"{name}: makes a key for attributes of MPI's objects; see MAY_CREATE_KEYVAL in tools/check_layers.py"
        for target in INCLUDE.findall(text):
            if problem := wrong_include(path, target, source):
                yield f"{name}: {problem}"


def types_of(path: Path):
    """Names, with their namespaces, of the types that a file defines outside others and not for itself."""
    spaces = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if opened := re.match(r"(?:inline )?namespace ?([\w:]*) ?\{$", line):
            spaces.append(opened[1])
        elif line.startswith("} // namespace") and spaces:
            spaces.pop()
        elif spaces and all(spaces) and (defined := TYPE.match(line)):
            yield "::".join([*spaces, defined[1]])


def name_violations(root: Path):
    source, first = root / "src", {}
    for path in sorted(source.rglob("*.h")):
        if home(path, source)[1] in PROGRAMS_OF_THEIR_OWN:
            continue
        for name in types_of(path):
            if (other := first.setdefault(name, path)) != path:
                yield f"{path.relative_to(root)}: {name} is another type in {other.relative_to(root)}"


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
        self.root = root
        self.described = {}
        for entry in model["configurations"][0]["targets"]:
            described = json.loads((replies[-1].parent / entry["jsonFile"]).read_text(encoding="utf-8"))
            self.described[described["id"]] = described
        self.made_by = {Path(a["path"]).name: key for key, d in self.described.items() for a in d.get("artifacts", [])}
        self.names = {key: d["name"] for key, d in self.described.items()}
        self.sources = {key: self.sources_of_ours(d) for key, d in self.described.items()}

    @staticmethod
    def sources_of_ours(described):
        sources = map(Path, (s["path"] for s in described.get("sources", [])))
        return [source for source in sources if source.suffix in {".cpp", ".c"} and source.parts[0] == "src"]

    @staticmethod
    def replies(build: Path):
        return sorted((build / ".cmake/api/v1/reply").glob("codemodel-v2-*.json"))

    def waits_for(self, key):
        """What CMake builds before a target, with what stands behind custom targets among it."""
        found, open_keys = set(), [d["id"] for d in self.described[key].get("dependencies", [])]
        while open_keys:
            other = open_keys.pop()
            if other not in found:
                found.add(other)
                if self.is_custom(other):
                    open_keys += [d["id"] for d in self.described[other].get("dependencies", [])]
        return found

    def named_by_path(self, key):
        """The targets whose files the linker gets."""
        fragments = self.described[key].get("link", {}).get("commandFragments", [])
        words = {Path(word).name for f in fragments if f["role"] == "libraries" for word in f["fragment"].split()}
        return {self.made_by[word] for word in words if word in self.made_by}

    def is_custom(self, key):
        return self.described[key]["type"] == "UTILITY"

    def links(self, key):
        """All libraries of ours that a target brings along, in the same order every time."""
        found = (self.waits_for(key) | self.named_by_path(key)) - {key}
        return sorted((k for k in found if self.described[k]["type"] != "EXECUTABLE"), key=self.names.get)

    def homes(self, key):
        """(wing, room) of all that a target compiles; of a custom target: of the object libraries it packs."""
        packed = self.waits_for(key) if self.is_custom(key) else set()
        parts = [key, *(k for k in packed if self.described[k]["type"] == "OBJECT_LIBRARY")]
        return {home(self.root / s, self.root / "src") for k in parts for s in self.sources[k]}

    def rooms(self, key):
        return {room for _, room in self.homes(key) if room in WING_OF}

    def seen_by(self, key):
        """The rooms that a target may link: those its own may see, and all of a wing of which it compiles a file in no room."""
        joined = {room for wing, room_name in self.homes(key) if wing in TABLE and room_name is None for room in TABLE[wing]}
        return reachable(self.rooms(key) | joined)


def parts_of_rooms(root: Path, targets, key):
    compiled = {room for _, room in (home(root / s, root / "src") for s in targets.sources[key]) if room in WING_OF}
    for room in sorted(compiled):
        whole = {p.relative_to(root) for p in (root / "src" / WING_OF[room] / room).iterdir() if p.suffix in {".cpp", ".c"}}
        missing = whole - set(targets.sources[key])
        if missing and (targets.names[key], room) not in PARTS:
            yield f"compiles only a part of room '{room}', without {min(missing)}"


def forbidden_links(targets, key):
    seen = targets.seen_by(key)
    for link in targets.links(key):
        taken = targets.rooms(link)
        if taken and not taken & seen:
            yield f"links {targets.names[link]}, but {sorted(targets.rooms(key))} may not see {sorted(taken)}"


def build_violations(root: Path, build: Path):
    targets = target_list(root, build)
    for key, name in sorted(targets.names.items(), key=lambda item: item[1]):
        if name.startswith("test_") or not targets.rooms(key):  # a test may take a room apart
            continue
        for problem in [*parts_of_rooms(root, targets, key), *forbidden_links(targets, key)]:
            yield f"target {name}: {problem}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", type=Path)
    arguments = parser.parse_args()
    found = [*include_violations(arguments.root), *name_violations(arguments.root)]
    if arguments.build:
        found += build_violations(arguments.root, arguments.build)
    for line in found:
        print(line)
    print(f"layers: {len(found)} violation(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
