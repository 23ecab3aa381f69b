// What `tacit transform` and the compilers with --annotations have in common: the program that does the work.
#pragma once

#include <string>
#include <vector>

namespace tacit::surface {

/// tacit-transform with what it needs to know of MPI's headers for this family. Throws user_error if this tacit has none.
std::vector<std::string> transformer_line(const std::string& mode, const std::string& family);

} // namespace tacit::surface
