// Diagnostics on standard error, with the place in the file.
#pragma once

#include "vocabulary/base/diagnostic.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace tacit::surface {

/// One or two lines each: `where[:line]: error TACIT-NNN: message` and the remedy. `lines`: line of each
/// operation.
void print_problems(const diagnostics& problems, std::string_view where,
                    std::span<const std::uint32_t> lines = {});

} // namespace tacit::surface
