// Info keys and TACIT_ variables of tacit_compile.
#pragma once

#include "graphs/compile/compile.h"

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::runtime {

/// Who finds out what a graph means.
enum class compiled_by : std::uint8_t {
  central,     ///< rank 0, which gets the parts of all ranks
  size,        ///< whichever is expected to be faster
  distributed, ///< all ranks, each its part, where they can
};

/// Which variants are measured in the first runs, and finalists again in later ones (run/tuned_run.h).
enum class measuring : std::uint8_t {
  nothing,
  finalists, ///< of graphs that take long enough: few, the graph as written among them
  all,       ///< what is predicted to be fast, unless an earlier run has done it
  all_again, ///< also if an earlier run has done it
};

struct compile_request {
  compiled_by by = compiled_by::size;
  graphs::compile_options compile;
  std::string driver;   ///< empty: by priority
  std::string plan;     ///< by its name in the explanation; empty: by price
  std::string patterns; ///< file with descriptions of patterns, read where the graph is compiled; empty: none
  measuring measures = measuring::finalists;
  bool replace_always = false; ///< also where the graph as written is predicted to be as fast
  std::size_t candidates = 6;  ///< how many are measured of all
  std::uint64_t kept =
      16; ///< how many compiled graphs a communicator keeps for graphs that are equal to them
  bool background =
      false; ///< what a graph means is found out while it runs as written, where that is possible
  bool measures_all() const { return measures == measuring::all || measures == measuring::all_again; }
  /// Why it is not possible; empty if it is.
  std::string_view not_in_background() const;
  bool in_background() const { return background && not_in_background().empty(); }
};

/// All that changes what is compiled, as bytes that are equal if it is: not what is kept.
std::vector<std::byte> packed_request(const compile_request& r);

/// Reads both; throws call_error naming key or variable, value and what is allowed.
compile_request read_options(MPI_Info info);

} // namespace tacit::runtime
