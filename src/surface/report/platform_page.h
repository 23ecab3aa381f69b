// A machine model as a page.
#pragma once

#include "graphs/platform/machine_model.h"
#include "surface/report/page.h"

#include <span>

namespace tacit::surface {

struct shown_model {
  graphs::machine_model model;
  std::string origin; ///< one sentence: where it is from
};

/// At least one; several: one machine under several MPI libraries, or of several classes of pairs.
page platform_page(std::span<const shown_model> models);

} // namespace tacit::surface
