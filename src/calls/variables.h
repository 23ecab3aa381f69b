// The environment variables of tacit. All of them may be set wherever a part of tacit is loaded, so every
// part that reports unknown ones needs the whole list.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace tacit {

inline constexpr std::string_view known_variables[] = {
    "TACIT_RECORD", "TACIT_HASH", "TACIT_CHAIN", "TACIT_DRIVER", "TACIT_OVERLAP", "TACIT_EXPECTED_RANKS"};

/// `name` begins like a variable of tacit and is none.
inline bool is_unknown_variable(std::string_view name) {
  return name.starts_with("TACIT_") &&
         std::find(std::begin(known_variables), std::end(known_variables), name) == std::end(known_variables);
}

} // namespace tacit
