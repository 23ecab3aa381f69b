// The coverage check: may calls be taken over in this process?
//
// A client that does a call in the library's place must see every call that may meet what it made: a wait
// that passes us by would hand the library a request that is not its own. So when MPI is initialized, the MPI
// functions that the program and its libraries import (vocabulary/calls/dynamic_symbols.h) are compared with
// our wrappers. A function that no wrapper sees, a call by a profiling name (PMPI_X), and a name that another
// tool's wrapper catches before us are gaps; with one gap, calls are recorded only. MPI's own libraries are
// left out: what they call is part of a call that was seen. What is loaded later (dlopen after MPI_Init) is
// not looked at.
#pragma once

#include "vocabulary/calls/mpi_calls.h"

#include <string>
#include <vector>

namespace tacit::interpose {

/// "MPIX_Comm_agree (libx.so)"; in the order of loading, then by name.
const std::vector<std::string>& gaps();

/// To be called once MPI is initialized: looks, and says what is missing if there is anything and `speak`.
void check_coverage(bool speak);
/// Whether the program or one of its libraries imports a function of that class, bindings of all of MPI to another language
/// left out. Once coverage is checked.
bool program_calls(call_class kind);
/// Whether it imports MPI_Session_init. Once coverage is checked.
bool program_has_sessions();
/// False before coverage is checked, with any gap, and in the static archive (whose program cannot be looked
/// at).
bool takeover_allowed();

} // namespace tacit::interpose
