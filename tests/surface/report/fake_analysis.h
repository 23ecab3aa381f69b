// An analysis as a large program could give it, for tests of reports: every field set, names chosen to hurt.
#pragma once

#include "recordings/meaning/analysis.h"

#include <cstdint>

namespace tacit::tests {

using namespace surface;

/// `ranks` processes in rows of 8, broadcasts by a ring in each row, a halo exchange, an irregular exchange;
/// `copies` of each, `evil` puts markup, control characters and bytes that are no UTF-8 into every name.
recordings::analysis fake_analysis(std::uint32_t ranks, std::uint32_t copies, bool evil);

} // namespace tacit::tests
