#!/usr/bin/env python3
"""Generates the interposer's wrappers for one family of MPI symbols from the call table.

Input: src/calls/mpi_calls.def (what each parameter means) and the preprocessed <mpi.h> of the MPI library at hand (how
its parameters are typed, and which calls it has at all: a row without a declaration is left out). Output: C++ that defines,
for every row that is not `local`, a wrapper which describes the call in an `invocation`, shows it to the clients before
and after, and passes it on; and the exported symbol, a jump through a slot, so that a whole family can be switched off
without knowing how its arguments are passed (handles of another MPI library have other sizes).

Families differ in symbol names and in how a parameter is turned into what the invocation holds; the roles are the same.
"""
import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROW = re.compile(r'^TACIT_CALL\((\d+), (\w+), (\w+), (\w+), "([^"]*)"\)', re.MULTILINE)


@dataclass
class Row:
    number: int
    name: str
    kind: str
    roles: list


@dataclass
class Family:
    """How one family of symbols is spelled."""
    symbol: str  # exported name, with {name}
    real: str    # the library's entry point behind it


FAMILIES = {
    "c": Family(symbol="MPI_{name}", real="PMPI_{name}"),
}

# role -> statement that puts a parameter into the invocation; {a} is the parameter.
FILL = {
    "in_buf": "v.send.buffer = {a};",
    "out_buf": "v.recv.buffer = {a};",
    "inout_buf": "v.send.buffer = v.recv.buffer = {a};",
    "send_buf": "v.send.buffer = {a};",
    "recv_buf": "v.recv.buffer = {a};",
    "count": "v.send.count = v.recv.count = {a};",
    "datatype": "v.send.type = v.recv.type = {a};",
    "send_count": "v.send.count = {a};",
    "send_type": "v.send.type = {a};",
    "recv_count": "v.recv.count = {a};",
    "recv_type": "v.recv.type = {a};",
    "send_counts": "v.send.counts = {a};",
    "send_types": "v.send.types = {a};",
    "recv_counts": "v.recv.counts = {a};",
    "recv_types": "v.recv.types = {a};",
    "dest": "v.dest = {a};",
    "source": "v.source = {a};",
    "tag": "v.send_tag = v.recv_tag = {a};",
    "send_tag": "v.send_tag = {a};",
    "recv_tag": "v.recv_tag = {a};",
    "root": "v.root = {a};",
    "comm": "v.comm = {a};",
    "group": "v.group = {a};",
    "request": "v.requests = {a};\n  v.request_count = 1;",
    "request_value": "v.request_value = {a};\n  v.requests = &v.request_value;\n  v.request_count = 1;",
    "new_request": "v.new_request = {a};",
    "requests": "v.requests = {a};",
    "request_count": "v.request_count = {a};",
    "status": "v.status = {a};",
    "statuses": "v.statuses = {a};",
    "flag": "v.flag = {a};",
    "done_index": "v.done_index = {a};",
    "done_count": "v.done_count = {a};",
    "done_indices": "v.done_indices = {a};",
    "message": "v.message = {a};",
    "new_message": "v.message = {a};",
    "new_comm": "v.new_comm = {a};",
    "comm_freed": "v.comm = *{a};",
    "type_freed": "v.type_freed = *{a};",
    "string_tag": "v.string_tag = {a};",
}
# Parameters that a client may replace (to see a status the program ignores): passed on from the invocation.
PASS = {"status": "v.status", "statuses": "v.statuses"}
SPLIT_CLASSES = {"local"}


def read_table(path):
    rows = [Row(int(n), name, kind, roles.split()) for n, name, kind, _, roles in ROW.findall(path.read_text("utf-8"))]
    if not rows:
        sys.exit(f"{path}: no rows found")
    return rows


def split_parameters(text):
    parts, depth, current = [], 0, ""
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += char
    parts.append(current.strip())
    return [] if parts in (["void"], [""]) else parts


def read_declarations(path, prefix):
    """name -> (result type, list of parameter texts) of every function whose name starts with `prefix`."""
    text = re.sub(r"^#.*$", "", path.read_text("utf-8", errors="replace"), flags=re.MULTILINE)
    text = re.sub(r"\s+", " ", re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text))
    found = {}
    for match in re.finditer(r"([\w ]+?[ *]+)" + prefix + r"(\w+) ?\(", text):
        end, depth = match.end(), 1
        while depth and end < len(text):
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        result = match.group(1).replace("extern", "").strip()
        found.setdefault(match.group(2), (result, split_parameters(text[match.end():end - 1])))
    return found


TYPE_WORDS = {"int", "char", "void", "long", "short", "unsigned", "signed", "float", "double", "const"}


def name_parameter(text, position):
    """(declaration with a name of ours, name): headers leave some parameters unnamed or call them alike."""
    name = f"a{position}"
    if text == "...":
        return text, None
    arrays = ""
    stripped = text
    while stripped.endswith("]"):
        start = stripped.rindex("[")
        arrays = stripped[start:] + arrays
        stripped = stripped[:start].rstrip()
    named = re.search(r"(\w+)(\)?)$", stripped)
    if named:
        word, before = named.group(1), stripped[:named.start(1)].strip()
        is_type = word in TYPE_WORDS or word.startswith("MPI") or not before or before in ("const", "struct")
        if not is_type:
            return f"{stripped[:named.start(1)]}{name}{named.group(2)}{arrays}", name
    return f"{stripped} {name}{arrays}", name


def is_poll(row):
    """Calls that return at once and may have found nothing."""
    return row.kind in ("complete", "probe", "mprobe") and ("flag" in row.roles or row.name == "Testsome")


def quick_poll(row, names, fills, passed):
    """The short way of a poll that found nothing the last time either; see src/interpose/polls.h."""
    by_role = dict(zip(row.roles, names))
    requests = by_role.get("request") or by_role.get("requests")
    if requests:
        count = by_role.get("request_count", "1")
        key, frame = f"poll_key(mpi_call::{row.name}, {requests}, {count})", f"frame({requests}, {count})"
        condition = f"quick_polls && open_poll_count > 0 && {count} <= quick_poll_requests"
    else:
        key = f"poll_key(mpi_call::{row.name}, {by_role['comm']}, {by_role['source']}, {by_role['tag']})"
        frame, condition = "frame", "quick_polls && open_poll_count > 0"
    several = "statuses" in by_role
    status = by_role["statuses" if several else "status"]
    ignore = "MPI_STATUSES_IGNORE" if several else "MPI_STATUS_IGNORE"
    nothing = f"!*{by_role['flag']}" if "flag" in by_role else \
        f"(*{by_role['done_count']} == 0 || *{by_role['done_count']} == MPI_UNDEFINED)"
    quick = passed.replace("v.statuses" if several else "v.status", "status")
    return [f"  if ({condition}) {{",
            f"    if (const open_poll* const open = find_open_poll(from, {key})) {{",
            f"      poll_frame {frame};",
            f"      const bool ignored = {status} == {ignore};",
            f"      MPI_Status* const status = ignored ? frame.statuses : {status};",
            f"      const int rc = next({quick});",
            f"      if (rc == MPI_SUCCESS && {nothing} && still_open(open)) {{",
            "        repeat_poll(*open);",
            "        return rc;",
            "      }",
            f"      invocation v(mpi_call::{row.name}, call_class::{row.kind}, from);",
            *[f"      {fill}" for fill in fills],
            *(["      v.requests = frame.requests;"] if requests else []),
            f"      v.{'statuses' if several else 'status'} = status;",
            "      v.notes.status_ignored = ignored;",
            "      before(v);",
            "      after(v, rc);",
            "      return rc;",
            "    }",
            "  }"]


def wrapper(row, result, parameters, family, slot):
    declared, names = [], []
    for position, text in enumerate(parameters):
        declaration, name = name_parameter(text, position)
        declared.append(declaration)
        names.append(name)
    if len(row.roles) != len(parameters):
        sys.exit(f"MPI_{row.name}: the table has {len(row.roles)} parameters, the header {len(parameters)}")
    fills = [FILL[role].format(a=name) for role, name in zip(row.roles, names) if role in FILL and row.kind != "unknown"
             or role in ("comm", "new_request")]
    passed = ", ".join(PASS.get(role, name) if row.kind != "unknown" else name
                       for role, name in zip(row.roles, names) if name)
    real = family.real.format(name=row.name)
    plain = ", ".join(name for name in names if name)
    lines = [f"{result} wrap_{row.name}({', '.join(declared)}) {{",
             "  const void* const from = __builtin_return_address(0);",
             f"  const auto next = reinterpret_cast<decltype(&{real})>(next_function({slot}, from));"]
    if row.kind != "init":
        lines.append(f"  if (!clients_active) return next({plain});")
    if is_poll(row):
        lines += quick_poll(row, names, fills, passed)
    lines += [f"  invocation v(mpi_call::{row.name}, call_class::{row.kind}, from);",
              *[f"  {fill}" for fill in fills],
              "  before(v);",
              f"  const int rc = next({passed});",
              "  after(v, rc);",
              "  return rc;",
              "}", ""]
    return lines


HEAD = """// Generated by tools/generate_wrappers.py from src/calls/mpi_calls.def; not to be edited.
#include "interpose/clients.h"
#include "interpose/invocation.h"
#include "interpose/polls.h"
#include "interpose/slots.h"

#include <mpi.h>

namespace tacit::interpose {
namespace {

"""


def emit(rows, declarations, family):
    out = [HEAD]
    chosen = []
    for row in rows:
        if row.kind in SPLIT_CLASSES or row.name not in declarations:
            continue
        result, parameters = declarations[row.name]
        if result != "int":
            sys.exit(f"MPI_{row.name} returns '{result}': only int is known here")
        out.append("\n".join(wrapper(row, result, parameters, family, len(chosen))))
        chosen.append(row)
    real = [family.real.format(name=row.name) for row in chosen]
    symbol = [family.symbol.format(name=row.name) for row in chosen]
    out.append("} // namespace\n")
    out.append(f"const std::size_t slot_count = {len(chosen)};")
    out.append("const slot_name slot_names[] = {")
    out += [f'    {{"{s}", "{r}"}},' for s, r in zip(symbol, real)]
    out.append("};")
    out.append("#ifdef TACIT_STATIC")
    out.append("void* real_functions[] = {")
    out += [f"    reinterpret_cast<void*>(&{r})," for r in real]
    out.append("};\n#else")
    out.append(f"void* real_functions[{len(chosen)}] = {{}};\n#endif\n")
    out.append("} // namespace tacit::interpose\n")
    out.append("void* tacit_interpose_slots[] = {")
    out += [f"    reinterpret_cast<void*>(&tacit::interpose::wrap_{row.name})," for row in chosen]
    out.append("};\n")
    out += [f'TACIT_JUMP_SYMBOL("{s}", "{8 * i}");' for i, s in enumerate(symbol)]
    return "\n".join(out) + "\n"


# Not in the table on purpose: tool interface, conversions between languages, and the large-count forms, which are another
# family of the same rows.
ELSEWHERE = re.compile(r"^T_|_c2f|_f2c|2f08|f082|_f2f|_c$")


def missing_rows(rows, declarations):
    known = {row.name for row in rows}
    for name in sorted(declarations):
        base = name[:-2] if name.endswith("_c") else name
        if base not in known and not ELSEWHERE.search(name):
            yield name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--header", type=Path, required=True, help="preprocessed mpi.h")
    parser.add_argument("--family", choices=sorted(FAMILIES), default="c")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--check", action="store_true",
                        help="only check that the table has every MPI function of the header")
    arguments = parser.parse_args()
    rows = read_table(arguments.table)
    family = FAMILIES[arguments.family]
    declarations = read_declarations(arguments.header, family.real.format(name=""))
    missing = list(missing_rows(rows, declarations))
    for name in missing:
        print(f"MPI_{name} is declared in mpi.h and has no row in {arguments.table.name}")
    if arguments.check:
        print(f"{len(declarations)} functions declared, {len(missing)} without a row")
        sys.exit(1 if missing or len(declarations) < 100 else 0)
    if not arguments.out:
        parser.error("--out is needed")
    arguments.out.write_text(emit(rows, declarations, family), "utf-8")


if __name__ == "__main__":
    main()
