// The machine models that this process knows, as `tacit platform` left them.
#pragma once

#include "graphs/platform/model_file.h"

#include <string>

namespace tacit::runtime {

struct known_models {
  graphs::loaded_model within_node;
  graphs::loaded_model between_nodes; ///< of two hosts, if there is one
  graphs::loaded_model
      between_caches; ///< of cores of a node that share no cache, if there is one; `origin` is empty if there is no file
};

/// Read once per process, at the first call. Local.
const known_models& models_here();

/// For people: where prices are from, or why the defaults were taken. Local.
std::string origin_of_models(bool one_node);

} // namespace tacit::runtime
