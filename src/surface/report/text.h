// A page as text for a terminal or a file.
#pragma once

#include "surface/report/page.h"

#include <string>

namespace tacit::surface {

/// Everything, tables aligned; at most `rows` rows of each table (0: all). No colours.
std::string text_of(const page& p, std::size_t rows = 40);

/// The essentials in at most `lines` lines, each ended; lines are at most about 100 characters.
std::string summary_of(const page& p, std::size_t lines = 15);

} // namespace tacit::surface
