// Faulty libraries hang and crash. Each rank says beforehand what it is about to do; if that does not end in
// time, or ends with a signal, the rank says so on standard error and in the journal and ends the whole
// launch.
#pragma once

#include <string>

namespace tacit::surface {

/// After MPI_Init, which may install handlers of its own. `journal` may be empty.
void install_watch(int rank, int seconds, const std::string& journal);

/// From now on this is being done, and may take `seconds` again.
void now_doing(const std::string& words);

/// Ends the watch: from now on nothing may hang.
void watch_nothing();

} // namespace tacit::surface
