// The manual page, and the table of settings in docs/settings.md.
#pragma once

#include "surface/cli/command_list.h"

namespace tacit::surface {

/// `tacit.1` in roff.
std::string manual_page(const command_entry& top);

/// The table of calls/settings.def in Markdown.
std::string settings_table();

} // namespace tacit::surface
