// The machine models that this process knows, as `tacit platform` left them.
#pragma once

#include "graphs/platform/model_file.h"

namespace tacit::runtime {

struct known_models {
  graphs::loaded_model within_node, between_nodes; ///< the latter of two hosts, if there is one
};

/// Read once per process, at the first call. Local.
const known_models& models_here();

} // namespace tacit::runtime
