// Checks findings against the definitions of the patterns, byte by byte, and writes them down for comparison.
#pragma once

#include "graphs/detect/detect.h"

#include <map>
#include <string>
#include <vector>

namespace tacit::test {

using namespace graphs;

/// Empty if every byte of every transfer is in exactly one finding or in the residual, and every finding is
/// literally what its name says; else what is wrong.
std::string check_findings(const graph& g, const transfers& t, const findings& f);

/// "allgather 64", "bcast 8 root 1", "barrier"; with the communicator's name in front if it is not world.
std::vector<std::string> summary(const graph& g, const findings& f);

/// Bytes moved by the findings of each kind.
std::map<pattern, std::uint64_t> volumes(const findings& f);

/// The refusal of a pattern on a communicator, or nullptr.
const refusal* refusal_of(const findings& f, pattern kind, comm_id comm = world);

/// All products, for messages of failing tests.
std::string print(const graph& g, const transfers& t, const findings& f);

} // namespace tacit::test
