// A machine model as a page.
#pragma once

#include "platform/machine_model.h"
#include "report/page.h"

#include <span>

namespace tacit::report {

struct shown_model {
  machine_model model;
  std::string origin; ///< one sentence: where it is from
};

/// At least one; several: one machine under several MPI libraries.
page platform_page(std::span<const shown_model> models);

} // namespace tacit::report
