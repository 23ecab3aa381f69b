#!/usr/bin/env python3
"""Generates the interposer's wrappers for one interface of MPI from the call table.

Input: src/vocabulary/calls/mpi_calls.def (what each parameter means) and the preprocessed <mpi.h> of the MPI library at hand (how
its parameters are typed, and which calls it has at all: a row without a declaration, there or in
src/interpose/layer/undeclared_calls.def, is left out). Output: C++ that defines, for
every row that concerns messages, a wrapper which describes the call in an `invocation`, shows it to the clients before and after,
and passes it on unless a client does it instead; and the exported symbols, a test whether any client wants the call and a jump, to
the library or through a slot to the wrapper, so that everything can be switched off without knowing how its arguments are passed
(handles of another MPI library have other sizes).

Interfaces differ in symbol names and in how a parameter is turned into what the invocation holds; the roles are the same:

  c     MPI_X, the large-count MPI_X_c, and MPIX_X where the library has an extension of the table's name
  mpif  mpi_x_ (mpif.h and `use mpi`) with the other spellings that Fortran compilers give to external names
  f08   mpi_x_f08_ (choice buffers are addresses), mpi_x_f08ts_ (they are array descriptors), and the large-count forms of
        both; which of them a library has is found out when one is called

A Fortran entry has the parameters of the C function, without argc and argv, as addresses; then `ierror`; then, by value,
the length of every string. Fortran's conversions are in src/interpose/layer/fortran.h.
"""
import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROW = re.compile(r'^TACIT_CALL\((\d+), (\w+), (\w+), (\w+), "([^"]*)", "[^"]*"\)$', re.MULTILINE)


@dataclass
class Row:
    number: int
    name: str
    kind: str
    roles: list


@dataclass
class Entry:
    """One function of the library and the symbols that lead to it."""
    row: Row
    wrapper: str           # name of our function
    symbols: list          # exported names
    real: list             # names of the library's entry, one or two
    result: str            # in C
    parameters: list       # texts of the C function's parameters
    interface: str = "c"   # c, mpif or f08
    descriptors: bool = False
    declared: bool = True  # by the library's header
    roles: list = field(default_factory=list)


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
    "send_displs": "v.send.displs = {a};",
    "recv_displs": "v.recv.displs = {a};",
    "op": "v.op = {a};",
    "info": "v.info = {a};",
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
    "requests": "v.requests = const_cast<MPI_Request*>({a});",
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
TOPOLOGY_SCALARS = {"ndims", "reorder", "node_count", "in_degree", "out_degree"}
TOPOLOGY_LISTS = {"dims", "periods", "remain_dims", "graph_index", "graph_edges", "degrees", "sources", "destinations"}
TOPOLOGY_WEIGHTS = {"source_weights", "dest_weights", "weights"}
FILL.update({role: f"topology.{role} = {{a}};" for role in TOPOLOGY_SCALARS | TOPOLOGY_LISTS})
FILL.update({role: f"topology.{role} = weights_at({{a}});" for role in TOPOLOGY_WEIGHTS})
# Parameters that a client may replace (to see a status the program ignores): passed on from the invocation.
PASS = {"status": "v.status", "statuses": "v.statuses"}
UNWRAPPED_CLASSES = {"local", "buffering"}

# The same for Fortran: {a} is an address, {i} the C integer behind it, {b} the buffer's interface.
FORTRAN_SCALARS = {"count", "send_count", "recv_count", "dest", "source", "tag", "send_tag", "recv_tag", "root",
                   "request_count"} | TOPOLOGY_SCALARS
FORTRAN_LISTS = {"send_counts", "recv_counts", "send_displs", "recv_displs"} | TOPOLOGY_LISTS
FORTRAN_HANDLES = {"datatype": "type_at", "send_type": "type_at", "recv_type": "type_at", "comm": "comm_at",
                   "group": "group_at", "op": "op_at", "info": "info_at", "comm_freed": "comm_at",
                   "type_freed": "type_at"}
FORTRAN_FRAME = {"request", "request_value", "new_request", "requests", "status", "statuses", "flag", "done_index",
                 "done_count", "done_indices", "message", "new_message", "new_comm"}
BUFFERS = {"in_buf": "send", "send_buf": "send", "out_buf": "recv", "recv_buf": "recv", "inout_buf": "send"}
# Where count and type are all there is to a message, the positions of an array section can be described.
WHOLE_KINDS = {"send", "recv", "sendrecv", "isend", "irecv", "isendrecv", "send_init", "recv_init", "mrecv", "imrecv"}
WHOLE_CALLS = {"Bcast", "Ibcast", "Bcast_init"}


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
    text = re.sub(r"^#.*$|//.*$", "", path.read_text("utf-8", errors="replace"), flags=re.MULTILINE)
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


def quick_poll(entry, slot, declared, names, fills, passed):
    """The wrapper of a poll: the short ways of one that found nothing the last time either, see src/interpose/layer/polls.h, and
    behind them what every wrapper does. What else there may be to do lies in functions of their own, which get the arguments
    from memory, so that the shortest way saves no registers."""
    row, by_role, wrapper = entry.row, dict(zip(entry.row.roles, names)), entry.wrapper
    arguments = ", ".join(name for name in names if name)
    requests, count = by_role.get("request") or by_role.get("requests"), by_role.get("request_count", "1")
    asked = f"{requests}, {count}" if requests else f"{by_role['comm']}, {by_role['source']}, {by_role['tag']}"
    several = "statuses" in by_role
    status = by_role["statuses" if several else "status"]
    ignore = "MPI_STATUSES_IGNORE" if several else "MPI_STATUS_IGNORE"
    nothing = f"*p.{by_role['flag']} == 0" if "flag" in by_role else \
        f"(*p.{by_role['done_count']} == 0 || *p.{by_role['done_count']} == MPI_UNDEFINED)"
    quick = passed.replace("v.statuses" if several else "v.status", "status")

    def ask(most, poll, row_of_polls):
        return [f"const arguments_of_{wrapper} p{{{arguments}}};",
                f"poll_frame<{most}> frame{{{f'{requests}, {1 if most == 1 else count}' if requests else ''}}};",
                f"MPI_Status* const status = {status} == {ignore} ? frame.statuses : {status};",
                f"const int rc = next({quick});",
                f"if (rc == MPI_SUCCESS && {nothing} && {poll}from == __builtin_return_address(0)) [[likely]] {{",
                f"  {row_of_polls}.repeat();",
                "  return rc;",
                "}",
                f"return found_by_{wrapper}(p, frame.requests, frame.statuses, from, rc);"]

    return [f"struct arguments_of_{wrapper} {{",
            *[f"  {as_pointer(text)};" for text in declared],
            "};", "",
            "// Shown after the fact.",
            f"[[gnu::noinline]] int found_by_{wrapper}(const arguments_of_{wrapper}& p, [[maybe_unused]] MPI_Request* requests, "
            "MPI_Status* statuses, const void* from, int rc) {",
            f"  const auto [{arguments}] = p;",
            f"  invocation v(mpi_call::{row.name}, call_class::{row.kind}, from);",
            *[f"  {fill}" for fill in fills],
            *(["  v.requests = requests;"] if requests else []),
            f"  v.status_ignored = {status} == {ignore};",
            "  if (v.status_ignored)",
            f"    v.{'statuses' if several else 'status'} = statuses;",
            "  before(v);",
            "  after(v, rc);",
            "  return rc;",
            "}", "",
            "// One of several polls in turn, or of several requests.",
            f"[[gnu::noinline]] int other_{wrapper}({', '.join(declared)}, const void* from) {{",
            f"  if (quick_polls(){f' && {count} <= quick_poll_requests' * bool(requests)})",
            f"    if (open_poll* const open = find_open_poll(from, mpi_call::{row.name}, {asked})) {{",
            "      const auto next =",
            f"          reinterpret_cast<decltype(&{wrapper})>(next_function({entry.interface}_symbols, {slot}, from));",
            *[f"      {line}" for line in ask("quick_poll_requests", "open->", "open->row")],
            "    }",
            f"  return described_{wrapper}({arguments}, from);",
            "}", "",
            f"int {wrapper}({', '.join(declared)}) {{",
            f"  newest_poll& newest = newest_polls[poll_number(mpi_call::{row.name})];",
            "  const void* const from = __builtin_return_address(0);",
            f"  if (!newest.is(from, {asked})) [[unlikely]]",
            f"    return other_{wrapper}({arguments}, from);",
            f"  const auto next = reinterpret_cast<decltype(&{wrapper})>(real_functions[{slot}]); // it has been called before",
            *[f"  {line}" for line in ask(1, "newest.", "newest.row")],
            "}", ""]


def as_pointer(declaration):
    """What a parameter is inside a function: an array is an address."""
    return re.sub(r"(\w+)\[[^]]*\]$", r"*\1", declaration)


def shown(row, role):
    """Whether a wrapper describes this parameter: of calls outside the model only what makes requests."""
    return row.kind != "unknown" or role in ("comm", "new_request")


def begin_description(row):
    """The invocation, and what it leads to where it has more than usual."""
    has_topology = any(role in TOPOLOGY_SCALARS | TOPOLOGY_LISTS | TOPOLOGY_WEIGHTS for role in row.roles)
    return [f"  invocation v(mpi_call::{row.name}, call_class::{row.kind}, from);",
            *(["  topology_part topology;", "  v.topology = &topology;"] if has_topology else [])]


REQUEST_KINDS = {"complete", "request_query", "start", "cancel", "request_free"}


def requests_given(entry, names):
    """Further arguments of `passes` for calls that are given requests: which they are."""
    if entry.row.kind not in REQUEST_KINDS:
        return ""
    by_role = dict(zip(entry.roles or entry.row.roles, names))
    given = next(role for role in ("request", "requests", "request_value") if role in by_role)
    first, count = by_role[given], by_role.get("request_count")
    if entry.interface != "c":
        return f", own_fortran_requests, static_cast<const MPI_Fint*>({first}), {f'number_at<int>({count})' if count else 1}"
    return f", own_requests, {'&' * (given == 'request_value')}{first}, {count or 1}"


def entry_lines(entry, slot, names, plain, from_is_known=False):
    """How every wrapper begins: what the call is passed on to, and when it is passed on unseen."""
    row = entry.row
    unseen = f"passes(mpi_call::{row.name}{requests_given(entry, names)}) || is_inner_call(mpi_call::{row.name})"
    if row.kind == "neighbor" and entry.interface == "c":
        unseen += f" || is_left(mpi_call::{row.name}, {names[row.roles.index('comm')]})"
    return [*([] if from_is_known else ["  const void* const from = __builtin_return_address(0);"]),
            f"  const auto next = reinterpret_cast<decltype(&{entry.wrapper})>(next_function({entry.interface}_symbols, {slot}, from));",
            f"  if ({unseen}) return next({plain});"]


def c_wrapper(entry, slot):
    row = entry.row
    declared, names = [], []
    for position, text in enumerate(entry.parameters):
        declaration, name = name_parameter(text, position)
        declared.append(declaration)
        names.append(name)
    if entry.result != "int":
        sys.exit(f"MPI_{row.name} returns '{entry.result}': only int is known here")
    fills = [FILL[role].format(a=name) for role, name in zip(row.roles, names) if role in FILL and shown(row, role)]
    passed = ", ".join(PASS.get(role, name) if row.kind != "unknown" else name
                       for role, name in zip(row.roles, names) if name)
    plain = ", ".join(name for name in names if name)
    polls = is_poll(row)
    head = [f"int {entry.wrapper}({', '.join(declared)});",
            f"[[gnu::noinline]] int described_{entry.wrapper}({', '.join(declared)}, const void* from) {{"] if polls else \
        [f"int {entry.wrapper}({', '.join(declared)}) {{"]
    return [*head,
            *entry_lines(entry, slot, names, plain, polls),
            *begin_description(row),
            *[f"  {fill}" for fill in fills],
            "  before(v);",
            "  const std::optional<int> answer = instead(v);",
            f"  const int rc = answer ? *answer : next({passed});",
            "  after(v, rc);",
            "  return rc;",
            "}", "",
            *(quick_poll(entry, slot, declared, names, fills, passed) if polls else [])]


def c_integer(text):
    return next((name for name in ("MPI_Count", "MPI_Aint") if name in text), "int")


def fortran_fill(entry, role, name, text, string_lengths):
    """Statements that describe one parameter, in the order of the parameters."""
    row = entry.row
    if not shown(row, role):
        return []
    if role in FORTRAN_SCALARS:
        return [FILL[role].format(a=f"number_at<{c_integer(text)}>({name})")]
    if role in FORTRAN_LISTS:
        return [FILL[role].format(a=f"static_cast<const {c_integer(text)}*>({name})")]
    if role in ("send_types", "recv_types"):
        return [FILL[role].format(a=f"type_list::of_fortran({name})")]
    if role in FORTRAN_HANDLES:
        return [FILL[role].format(a=f"{FORTRAN_HANDLES[role]}({name})").replace("*", "")]
    if role in FORTRAN_FRAME:
        return [f"f.{role}({name});"]
    if role in TOPOLOGY_WEIGHTS:
        return [f"topology.{role} = weights_at(which, {name});"]
    if role == "string_tag":
        return [f"f.string_tag({name}, {string_lengths[0]});"]
    if role in BUFFERS and not entry.descriptors:
        return [FILL[role].format(a=f"address({name})")]
    return []


def fortran_sections(entry, names):
    """Array descriptors need the counts and types of the message, so they come last."""
    row = entry.row
    if not entry.descriptors or row.kind == "unknown":
        return []
    whole = "true" if row.kind in WHOLE_KINDS or row.name in WHOLE_CALLS else "false"
    lines = []
    for role, name in zip(entry.roles, names):
        if role in BUFFERS:
            lines.append(f"const array_section {name}_section({name}, v.{BUFFERS[role]}, {whole});")
        if role == "inout_buf":
            lines.append("v.recv = v.send;")
    return lines


def left_to_library(entry, names, plain):
    """Calls that a client leaves to the library for a while, whose C entry is not to count them again."""
    row = entry.row
    if row.kind != "neighbor":
        return []
    comm = f"{FORTRAN_HANDLES['comm']}({names[entry.roles.index('comm')]})"
    return [f"  if (is_left(mpi_call::{row.name}, {comm})) {{",
            f"    const passing_on inside(mpi_call::{row.name});",
            f"    return next({plain});",
            "  }"]


def fortran_wrapper(entry, slot):
    row = entry.row
    names = [f"a{position}" for position in range(len(entry.roles))]
    texts = entry.parameters
    string_lengths = [f"length{n}" for n in range(sum(bool(re.search(r"\bchar\b", text)) for text in texts))]
    has_error = "rest" not in row.roles
    arguments = names + ["error"] * has_error + string_lengths
    declared = [f"void* {name}" for name in names] + ["void* error"] * has_error + \
        [f"std::size_t {name}" for name in string_lengths]
    fills = [line for role, name, text in zip(entry.roles, names, texts)
             for line in fortran_fill(entry, role, name, text, string_lengths)] + fortran_sections(entry, names)
    passed = [f"f.status_argument({name})" if role in PASS and row.kind != "unknown" else name
              for role, name in zip(entry.roles, names)] + ["f.error_argument()"] * has_error + string_lengths
    return [f"void {entry.wrapper}({', '.join(declared)}) {{",
            *entry_lines(entry, slot, names, ", ".join(arguments)),
            *left_to_library(entry, names, ", ".join(arguments)),
            *begin_description(row),
            f"  fortran_frame f(v, which, {'error' if has_error else 'nullptr'});",
            *[f"  {fill}" for fill in fills],
            "  before(v);",
            "  if (const std::optional<int> answer = instead(v))",
            "    return after(v, f.store(*answer));",
            "  {",
            "    const passing_on inside(v.call);",
            f"    next({', '.join(passed)});",
            "  }",
            "  after(v, f.fetch());",
            "}", ""]


HEAD = """// Generated by tools/generate_wrappers.py from src/vocabulary/calls/mpi_calls.def; not to be edited.
#include "interpose/layer/clients.h"
#include "interpose/layer/inner_calls.h"
#include "interpose/layer/invocation.h"
#include "interpose/layer/left_calls.h"
#include "interpose/layer/mpi_library.h"
#include "interpose/layer/slots.h"
%s
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

extern "C" __attribute__((visibility("hidden"))) void *tacit_%s_slots[], *tacit_%s_direct[];

namespace tacit::interpose {

extern const slot_family %s_symbols;

namespace {

extern void* real_functions[];

%s
"""
FORTRAN_HEAD = """constexpr auto which = fortran_interface::%s;

[[maybe_unused]] const void* address(const void* argument) {
  return buffer_address(which, argument);
}
"""


def table(interface, entries):
    """The slots, and the jumps that lead there. C entries are bound at link time in the static archive."""
    out = ["const slot_name names[] = {"]
    for entry in entries:
        other = f'"{entry.real[1]}"' if len(entry.real) > 1 else "nullptr"
        out.append(f'    {{"{entry.symbols[0]}", "{entry.real[0]}", {other}}},')
    out.append("};\n")
    if interface == "c":
        out.append("#ifdef TACIT_STATIC")
        out.append("void* real_functions[] = {")
        out += [f"    reinterpret_cast<void*>(&{entry.real[0]})," if entry.declared else "    nullptr," for entry in entries]
        out.append("};\n#else")
    out.append(f"void* real_functions[{len(entries)}] = {{}};")
    if interface == "c":
        out.append("#endif")
    out.append(f"\n}} // namespace\n\nconst slot_family {interface}_symbols = "
               f"{{{len(entries)}, names, tacit_{interface}_slots, tacit_{interface}_direct, real_functions}};\n")
    out.append("} // namespace tacit::interpose\n")
    out.append(f"void* tacit_{interface}_slots[] = {{")
    out += [f"    reinterpret_cast<void*>(&tacit::interpose::{entry.wrapper})," for entry in entries]
    out.append("};\n// Until the library's function is known, its wrapper finds it.")
    out.append(f"void* tacit_{interface}_direct[] = {{")
    out += [f"    reinterpret_cast<void*>(&tacit::interpose::{entry.wrapper})," for entry in entries]
    out.append("};\n")
    out += [f'TACIT_JUMP_SYMBOL("{symbol}", "tacit_{interface}", "{8 * i}", "{entry.row.number}");'
            for i, entry in enumerate(entries) for symbol in entry.symbols]
    return out


def check_arity(entry):
    if len(entry.row.roles) != len(entry.parameters):
        sys.exit(f"MPI_{entry.row.name}: the table has {len(entry.row.roles)} parameters, the header {len(entry.parameters)}")
    return entry


def without_main_arguments(entry):
    """Fortran has no argc and argv."""
    kept = [(role, text) for role, text in zip(entry.row.roles, entry.parameters) if role not in ("argc", "argv", "rest")]
    entry.roles, entry.parameters = [role for role, _ in kept], [text for _, text in kept]
    return entry


EXTENDED_KINDS = {"collective_init", "neighbor_init"}  # standard since MPI-4, extensions before


def forms(rows, declared, extensions, undeclared):
    """(row, "MPI" or "MPIX", its C declaration, that of its large-count form or None) of all that is to be wrapped."""
    for row in rows:
        if row.kind in UNWRAPPED_CLASSES:
            continue
        if row.name in declared or row.name in undeclared:
            yield row, "MPI", declared.get(row.name) or undeclared[row.name], declared.get(row.name + "_c")
        if row.kind in EXTENDED_KINDS and row.name in extensions:
            yield row, "MPIX", extensions[row.name], None


def c_entries(chosen, declared):
    for row, prefix, (result, parameters), large in chosen:
        name = f"{prefix}_{row.name}"
        yield check_arity(Entry(row, f"wrap_{name}", [name], ["P" + name], result, parameters,
                                declared=prefix == "MPIX" or row.name in declared))
        if large:
            yield check_arity(Entry(row, f"wrap_{name}_c", [name + "_c"], [f"P{name}_c"], *large))


# Where a pointer comes back, `use mpi` has a second form, for TYPE(C_PTR); Open MPI has a symbol of its own for it.
POINTER_CALLS = {"Win_allocate", "Win_allocate_shared"}


def mpif_names(chosen):
    for row, prefix, declaration, _ in chosen:
        name = f"{prefix}_{row.name}".lower()
        yield row, name, declaration
        if row.name in POINTER_CALLS:
            yield row, name + "_cptr", declaration


def mpif_entries(chosen, _):
    for row, name, (result, parameters) in mpif_names(chosen):
        yield without_main_arguments(check_arity(
            Entry(row, f"wrap_{name}", [name + "_", name + "__", name, name.upper()], [f"p{name}_"], result, parameters,
                  "mpif")))


def f08_entries(chosen, _):
    for row, prefix, declaration, large in chosen:
        name, real = f"{prefix}_{row.name}".lower(), f"{prefix}r_{row.name}".lower()
        has_buffer = any("void" in text for text in declaration[1])
        for suffix, form in (("", declaration), ("large_", large)):
            for base in ("f08_", "f08ts_") if has_buffer else ("f08_",):
                if form:
                    end = f"_{base}{suffix}"
                    yield without_main_arguments(check_arity(
                        Entry(row, f"wrap_{name}{end}", [name + end], [f"p{name}{end}", f"p{real}{end}"], *form, "f08",
                              base == "f08ts_")))


def emit(interface, entries):
    fortran = interface != "c"
    include = '#include "interpose/layer/fortran.h"' if fortran else '#include "interpose/layer/polls.h"'
    out = [HEAD % (include, interface, interface, interface, FORTRAN_HEAD % interface if fortran else "")]
    write = fortran_wrapper if fortran else c_wrapper
    out += ["\n".join(write(entry, slot)) for slot, entry in enumerate(entries)]
    return "\n".join(out + table(interface, entries)) + "\n"


INTERFACES = {"c": c_entries, "mpif": mpif_entries, "f08": f08_entries}


def emit_names(declarations):
    """Macros by which sources written for a linked MPI library look its functions up at run time (mpi_by_name.h)."""
    lines = ["// Generated by tools/generate_wrappers.py; not to be edited.", "#pragma once", ""]
    for name in sorted(declarations):
        lines += [f"#define PMPI_{name} TACIT_PMPI({name})", f"#define MPI_{name} PMPI_{name}"]
    return "\n".join(lines) + "\n"


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
    parser.add_argument("--undeclared", type=Path, help="declarations of calls that the header may not have")
    parser.add_argument("--interface", choices=[*sorted(INTERFACES), "names"], default="c",
                        help="whose wrappers; or names: macros for sources that call MPI and are not linked to it")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--check", action="store_true",
                        help="only check that the table has every MPI function of the header")
    arguments = parser.parse_args()
    rows = read_table(arguments.table)
    declarations = read_declarations(arguments.header, "PMPI_")
    missing = list(missing_rows(rows, declarations))
    for name in missing:
        print(f"MPI_{name} is declared in mpi.h and has no row in {arguments.table.name}")
    if arguments.check:
        print(f"{len(declarations)} functions declared, {len(missing)} without a row")
        sys.exit(1 if missing or len(declarations) < 100 else 0)
    if not arguments.out:
        parser.error("--out is needed")
    if arguments.interface == "names":
        arguments.out.write_text(emit_names(declarations), "utf-8")
        return
    undeclared = read_declarations(arguments.undeclared, "PMPI_") if arguments.undeclared else {}
    chosen = list(forms(rows, declarations, read_declarations(arguments.header, "PMPIX_"), undeclared))
    entries = list(INTERFACES[arguments.interface](chosen, declarations))
    arguments.out.write_text(emit(arguments.interface, entries), "utf-8")


if __name__ == "__main__":
    main()
