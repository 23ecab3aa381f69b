// What `tacit transform` and the compilers with --annotations have in common: the program that does the work.
#pragma once

#include <string>
#include <vector>

namespace tacit::surface {

/// tacit-transform with what it needs to know of MPI's headers for this family. Throws user_error if this tacit has none.
std::vector<std::string> transformer_line(const std::string& mode, const std::string& family);

/// What a description of tacit platform says, for tacit-transform; nothing for no name. Throws user_error if it is none.
std::vector<std::string> platform_words(const std::string& file);

} // namespace tacit::surface
