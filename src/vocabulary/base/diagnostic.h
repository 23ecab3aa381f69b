// What is wrong with an input, in the terms of the person who wrote it. Diagnostics are collected and
// returned, never printed here; a diagnostic of severity `error` means the product it came with must not be
// used.
#pragma once

#include "vocabulary/base/spoken.h"

#include "vocabulary/base/ids.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::vocabulary {

enum class severity : std::uint8_t { error, warning, remark };

struct diagnostic {
  std::uint16_t code = 0; ///< number of the reason code (calls/reasons.def), printed as TACIT-NNN
  severity level = severity::error;
  rank_id rank = no_rank; ///< where it happens, if at one rank
  op_id op = no_op;       ///< which operation, if one
  std::string message;    ///< names rank, operation and bytes
  std::string remedy;     ///< what the user can do about it
};

using diagnostics = std::vector<diagnostic>;

/// True if any diagnostic is an error.
inline bool has_errors(const diagnostics& all) {
  for (const diagnostic& d : all)
    if (d.level == severity::error)
      return true;
  return false;
}

} // namespace tacit::vocabulary
