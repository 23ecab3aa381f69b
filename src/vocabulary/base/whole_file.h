// Files that are there whole or not at all, whatever the disk says.
#pragma once

#include <string>
#include <string_view>

namespace tacit::vocabulary {

/// Writes to a descriptor. Returns 0 or the error, also for a file that grows beyond the limit of the shell.
int write_all(int file, std::string_view content);

/// Writes to a new file beside it, which then takes its name; an earlier file of that name stays until then. Returns 0 or the error.
int write_whole_file(const std::string& path, std::string_view content);

} // namespace tacit::vocabulary
