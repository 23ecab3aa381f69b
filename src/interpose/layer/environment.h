// What the user asked for in TACIT_ variables, and how we speak to the user: on stderr, once, from one rank.
#pragma once

#include "vocabulary/calls/reasons.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tacit::interpose {

/// Read when the interposer is loaded.
struct environment {
  std::string record;         ///< TACIT_RECORD: folder to record into; empty: do not record
  bool apply = false;         ///< TACIT_APPLY: take neighborhood collectives over (0 or 1)
  bool hash = true;           ///< TACIT_HASH: record content hashes (0 or 1)
  bool fold = true;           ///< TACIT_FOLD: fold recordings (0 or 1)
  std::uint64_t max_size = 0; ///< TACIT_MAX_SIZE: bytes that a recording of all ranks may have; 0: any number
  bool chain = false; ///< TACIT_CHAIN: pass calls on to the next tool's MPI_X instead of PMPI_X (0 or 1)
  std::vector<std::string> problems; ///< unknown variables and values
};

const environment& settings();

/// What `tacit run`, which waits outside, cannot see: whether anything came that could be recorded or taken over, and
/// whether we refused it and said why.
enum class reached : char { process = 'p', mpi = 'm', refused = 'x' };
/// Leaves a mark in the file that TACIT_MARKER_FILE names, if it is there (on another node it is not).
void leave_mark(reached what);

/// "tacit: TACIT-084: text" on stderr.
void say(reason code, const std::string& text);
/// What `text` returns; nothing if there is no memory for it.
template <typename Text>
void say_if_possible(reason code, Text&& text) noexcept {
  try {
    say(code, text());
  } catch (...) { // it was only said
  }
}
/// The launcher's variables name another rank than 0.
bool launched_as_other_rank();

} // namespace tacit::interpose
