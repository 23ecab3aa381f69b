// Completion of command lines in three shells.
#pragma once

#include "surface/cli/command_list.h"

namespace tacit::surface {

/// A file that the shell loads by itself if it lies in its folder of completions.
std::string bash_completion(const command_entry& top);
std::string zsh_completion(const command_entry& top);
std::string fish_completion(const command_entry& top);

} // namespace tacit::surface
