#!/usr/bin/env python3
"""Fortran's view of include/tacit/tacit.h: the module `tacit` (interfaces with bind(C)), and the C functions that turn the
integers which Fortran has for MPI's handles into handles. Both are read off the header, so that they cannot fall behind.

A prototype becomes an interface of the same name with the same arguments: handles of tacit and buffers are type(c_ptr), MPI's
handles are integers, and pointers that may be NULL are optional. Functions with handles of MPI are bound to a function of the
generated C file, `<name>_f`; all others to the library's own."""
import argparse
import re
from dataclasses import dataclass
from pathlib import Path

MPI_HANDLES = {"MPI_Comm": "Comm", "MPI_Datatype": "Type", "MPI_Info": "Info", "MPI_Op": "Op"}
OUR_HANDLES = {"tacit_graph", "tacit_schedule", "tacit_topology"}
INTEGERS = {"int": "c_int", "tacit_op": "c_int", "tacit_comm": "c_int", "MPI_Count": "c_int64_t", "MPI_Aint": "c_intptr_t",
            "size_t": "c_size_t"}
MAY_BE_NULL = {"op", "needed", "major", "minor", "patch", "weighted", "sourceweights", "destweights"}
# The address of a pointer, declared as void* as MPI_Alloc_mem does.
ADDRESS_OF_POINTER = {("tacit_alloc_mem", "base")}
# How many datatypes an array has: as many as the rank has neighbors on that side, or as the call says.
COUNTS = {"sendtypes": "outdegree", "recvtypes": "indegree", "datatypes": "pieces", "from_datatypes": "from_pieces",
          "to_datatypes": "to_pieces", "read_datatypes": "read_pieces", "write_datatypes": "write_pieces"}


@dataclass
class Argument:
    type: str  # without const
    name: str
    constant: bool = False
    pointer: bool = False
    array: bool = False

    @property
    def converted(self):
        return self.type in MPI_HANDLES


@dataclass
class Function:
    result: str
    name: str
    arguments: list

    @property
    def converted(self):
        return any(a.converted for a in self.arguments)

    @property
    def counts_types_by_neighbors(self):
        return any(a.converted and a.array and COUNTS[a.name].endswith("degree") for a in self.arguments)


def argument_of(text):
    found = re.fullmatch(r"(const )?(\w+)(\*)? (\w+)(\[\])?", text)
    if not found:
        raise SystemExit(f"generate_fortran: argument not understood: '{text}'")
    constant, kind, pointer, name, array = found.groups()
    return Argument(kind, name, bool(constant), bool(pointer), bool(array))


def functions_of(header):
    plain = re.sub(r"/\*.*?\*/|//[^\n]*|^#[^\n]*", "", header, flags=re.S | re.M)
    found = []
    for result, name, arguments in re.findall(r"^((?:const )?\w+\*?) (tacit_\w+)\(([^)]*)\);", plain, re.M):
        if "{" in result:
            continue
        texts = [] if arguments == "void" else [" ".join(a.split()) for a in arguments.split(",")]
        found.append(Function(result, name, [argument_of(text) for text in texts]))
    return found


def constants_of(header):
    plain = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    enumerated = [pair for body in re.findall(r"enum \{(.*?)\}", plain, re.S)
                  for pair in re.findall(r"(TACIT_\w+)\s*=\s*(\d+)", body)]
    return enumerated + re.findall(r"^#define (TACIT_\w+) (\d+)$", plain, re.M)


def declaration(function, a):
    optional = ", optional" if a.name in MAY_BE_NULL and (a.pointer or a.array) else ""
    direction = ", intent(in)" if a.constant else ", intent(inout)" if a.type in OUR_HANDLES or a.array else ", intent(out)"
    if (function.name, a.name) in ADDRESS_OF_POINTER:
        return f"type(c_ptr), intent(out) :: {a.name}"
    if a.type == "void" or (a.type in OUR_HANDLES and not a.pointer):
        return f"type(c_ptr), value :: {a.name}"
    if a.type == "tacit_compute_function":
        return f"type(c_funptr), value :: {a.name}"
    if a.type in OUR_HANDLES:
        return f"type(c_ptr){direction} :: {a.name}"
    if a.type == "char":
        return f"character(kind=c_char){direction} :: {a.name}(*)"
    kind = "c_int" if a.converted else INTEGERS[a.type]
    if a.array:
        return f"integer({kind}){direction}{optional} :: {a.name}(*)"
    if a.pointer:
        return f"integer({kind}){direction}{optional} :: {a.name}"
    return f"integer({kind}), value :: {a.name}"


def interface_of(function):
    bound = function.name + ("_f" if function.converted else "")
    lines = [f"    function {function.name}( &"]
    lines += [f"        {a.name}{',' if a is not function.arguments[-1] else ''} &" for a in function.arguments]
    lines += [f"        ) bind(C, name='{bound}') result(outcome)", "      import"]
    lines += [f"      {declaration(function, a)}" for a in function.arguments]
    lines += [f"      {'type(c_ptr)' if '*' in function.result else 'integer(c_int)'} :: outcome", "    end function"]
    return "\n".join(lines)


def module(functions, constants):
    lines = ["! The library tacit in Fortran, made from tacit.h, which says what everything means. Functions return TACIT_SUCCESS",
             "! or another code. Buffers are given as c_loc(x), so that they are targets; what a schedule uses while it is under way",
             "! must be contiguous and not a copy. MPI's handles are the integers of mpif.h and `use mpi`, with mpi_f08 the",
             "! component MPI_VAL; its counts for functions that end in _c are integer(MPI_COUNT_KIND).",
             "module tacit", "  use, intrinsic :: iso_c_binding", "  implicit none", "  public", ""]
    lines += [f"  integer(c_int), parameter :: {name} = {value}" for name, value in constants]
    lines += [f"  type(c_ptr), parameter :: TACIT_{name}_NULL = c_null_ptr" for name in ("GRAPH", "SCHEDULE", "TOPOLOGY")]
    return "\n".join([*lines, "", "  interface", *map(interface_of, functions), "  end interface", "end module tacit", ""])


def c_parameter(a):
    kind = "MPI_Fint" if a.converted else a.type
    return f"{'const ' if a.constant else ''}{kind}{'*' if a.pointer else ''} {a.name}{'[]' if a.array else ''}"


def converting(function):
    passed, before, after = [], [], []
    fails, frees = "", ""
    for a in function.arguments:
        if not a.converted:
            passed.append(a.name)
        elif a.array:
            before.append(f"  MPI_Datatype* c_{a.name} = handles_of({a.name}, {COUNTS[a.name]});")
            frees += f"  free(c_{a.name});\n"
            fails += f" || !c_{a.name}"
            passed.append(f"c_{a.name}")
        elif a.pointer:
            before.append(f"  {a.type} c_{a.name} = {a.type.upper()}_NULL;")
            after.append(f"  if (code == TACIT_SUCCESS)\n    *{a.name} = MPI_{MPI_HANDLES[a.type]}_c2f(c_{a.name});")
            passed.append(f"&c_{a.name}")
        else:
            passed.append(f"MPI_{MPI_HANDLES[a.type]}_f2c({a.name})")
    call = f"{function.name}({', '.join(passed)})"
    head = f"int {function.name}_f({', '.join(map(c_parameter, function.arguments))})"
    body = []
    if function.counts_types_by_neighbors:
        # Without a topology nothing can be converted; the call itself says what is wrong.
        body += ["  int indegree = 0, outdegree = 0;",
                 "  if (tacit_neighbors_count(MPI_Comm_f2c(comm), &indegree, &outdegree, NULL) != TACIT_SUCCESS)",
                 "    return TACIT_ERR_ARGUMENT;"]
    body += before
    if fails:
        call = f"{fails.removeprefix(' || ')} ? TACIT_ERR_MEMORY : {call}"
    body.append(f"  const int code = {call};")
    text = "\n".join(body) + "\n" + "".join(line + "\n" for line in after) + frees
    return f"{head};\n{head} {{\n{text}  return code;\n}}\n"


def glue(functions):
    head = ("/* What the Fortran module calls where C has handles of MPI: made from tacit.h. */\n"
            "#include <stdlib.h>\n#include <tacit/tacit.h>\n\n"
            "/* At least one place, so that NULL means want of memory. */\n"
            "static MPI_Datatype* handles_of(const MPI_Fint* integers, int count) {\n"
            "  MPI_Datatype* handles = malloc((size_t)(count > 0 ? count : 1) * sizeof *handles);\n"
            "  for (int i = 0; handles && i < count; ++i)\n    handles[i] = MPI_Type_f2c(integers[i]);\n"
            "  return handles;\n}\n\n")
    return head + "\n".join(converting(f) for f in functions if f.converted)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--header", type=Path, required=True)
    parser.add_argument("--module", type=Path, required=True, help="the Fortran file to write")
    parser.add_argument("--glue", type=Path, required=True, help="the C file to write")
    asked = parser.parse_args()
    header = asked.header.read_text()
    functions = functions_of(header)
    asked.module.write_text(module(functions, constants_of(header)))
    asked.glue.write_text(glue(functions))


if __name__ == "__main__":
    main()
