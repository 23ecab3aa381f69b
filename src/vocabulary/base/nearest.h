// What somebody meant who has mistyped a name.
#pragma once

#include "vocabulary/base/spoken.h"

#include <string>
#include <string_view>
#include <vector>

namespace tacit::vocabulary {

/// How many letters have to be added, left out, replaced or swapped with their neighbor to get from one to
/// the other.
std::size_t typing_errors(std::string_view one, std::string_view other);

/// The known name that `typed` is most like, the first of equals; empty if none is at most a third of its
/// letters away, without a beginning such as MPI_ that all of them share.
std::string_view nearest(std::string_view typed, const std::vector<std::string_view>& known);

/// " (did you mean NAME?)", or nothing.
std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& known);

} // namespace tacit::vocabulary
