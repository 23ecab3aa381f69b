// What a Python process runs: people know it by its script, and the system by its interpreter.
#pragma once

#include "vocabulary/base/spoken.h"

#include <span>
#include <string>
#include <string_view>

namespace tacit::vocabulary {

/// "python3", "/usr/bin/python3.11".
bool is_python(std::string_view program);

/// Of a command line that begins with an interpreter: the script's path ("python3 -O solve.py 7" is "solve.py"), the module
/// behind -m, and what stands behind a module that runs scripts itself (python3 -m mpi4py solve.py); empty if it is
/// neither (-c, standard input).
std::string python_script(std::span<const std::string> words);

} // namespace tacit::vocabulary
