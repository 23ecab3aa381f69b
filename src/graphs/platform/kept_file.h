// Where the user keeps what was found out about this machine.
#pragma once

#include "vocabulary/base/spoken.h"

#include <filesystem>
#include <string>

namespace tacit::graphs {

/// $XDG_CACHE_HOME/tacit, or ~/.cache/tacit; empty if neither is known.
std::filesystem::path cache_folder();

/// This host, as it calls itself.
std::string host_name();

/// The file of that name in the cache folder, with a dash for whatever may not stand in every name of a file; empty if there
/// is no such folder.
std::filesystem::path kept_file(std::string name);

} // namespace tacit::graphs
