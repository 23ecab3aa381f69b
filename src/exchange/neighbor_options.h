// What the user may choose: driver and form, optimizations to leave out, and what messages cost.
#pragma once

#include "neighbor/choice.h"
#include "neighbor/message_cost.h"
#include "neighbor/neighbor.h"

#include <cstdint>
#include <mpi.h>
#include <optional>
#include <string>

namespace tacit {

struct neighbor_options {
  std::string driver;        ///< empty: the cheapest (neighbor/choice.h)
  std::optional<form> shape; ///< where it is possible; nothing: the cheapest
  neighbor_passes passes;
  std::optional<message_cost> cost; ///< in place of the machine model
  bool unattended =
      false; ///< persistent operations as program::unattended; the caller's choice, not the user's
};

/// Info keys tacit_driver, tacit_neighbor_form, tacit_neighbor_without and tacit_message_cost (info may be
/// null), then the variables TACIT_DRIVER, TACIT_NEIGHBOR_FORM, TACIT_NEIGHBOR_WITHOUT and
/// TACIT_MESSAGE_COST, which count more. Throws neighbor_error naming key or variable and what is allowed.
neighbor_options read_neighbor_options(MPI_Info info);

/// One word that differs if the options do.
std::uint64_t word_of(const neighbor_options& options);

} // namespace tacit
