// What `tacit selftest` has found out about the MPI library's native neighborhood collectives on this
// machine: where the verdict is kept, and what it says of one call on one kind of topology.
//
// Whoever relies on it must be able to rely on it: a file that is missing, damaged, of another library or
// machine, or made on one rank only shows nothing, and neither does a cell that is missing or has no cases.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tacit::graphs {

/// Where it is kept: the kept_file() selftest-HOST-LIBRARY.json; empty if there is no cache folder. `library`
/// as short_library_name has it.
std::filesystem::path selftest_file(std::string_view library);

/// As the file names this machine.
std::string selftest_machine();

struct selftest_verdict {
  std::string library; ///< that was tested; empty: nothing is known
  std::string cells;   ///< of MPI's native calls of one kind: ",cart-open alltoall right,…,"
  std::string origin;  ///< for people: where it is from, or why there is none and what to do

  /// "right", or another word; empty: not tested. `topology` and `call` as in `tacit selftest`.
  std::string_view of(std::string_view topology, std::string_view call) const;
};

/// The kept verdict on MPI's native calls of this kind: "blocking", "nonblocking", "persistent". Never throws
/// but std::bad_alloc.
selftest_verdict load_selftest(std::string_view library, std::string_view kind);

} // namespace tacit::graphs
