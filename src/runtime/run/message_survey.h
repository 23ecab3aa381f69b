// The messages of a program, before anything is prepared: for drivers that connect pairs of ranks themselves.
#pragma once

#include "runtime/run/program.h"

#include <cstdint>
#include <map>
#include <mpi.h>
#include <vector>

namespace tacit::runtime {

/// A message of the program as one of its ends sees it.
struct planned_message {
  int tag = 0;
  std::uint64_t bytes = 0;
};

/// By peer, then by tag. Those that a collective becomes without a collective call (lowering::direct) belong
/// to it, messages to the rank itself do not.
struct message_survey {
  std::map<int, std::vector<planned_message>> out, in;
};

/// Looks at the messages of a program; local.
message_survey survey_messages(const program& p, MPI_Comm comm);

} // namespace tacit::runtime
