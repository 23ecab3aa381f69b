#include "runtime/exchange/known_models.h"

#include "runtime/mpi/library_version.h"
#include "vocabulary/calls/settings.h"

namespace tacit::runtime {
namespace {

known_models read() {
  const graphs::machine_identity here = graphs::this_machine(library_version());
  known_models out{graphs::load_model_for(here), {}, {}};
  if (given(setting::platform).empty()) {
    out.between_nodes = graphs::load_model_between(graphs::pair_class::other_node, here);
    out.between_caches = graphs::load_model_between(graphs::pair_class::other_cache, here);
  }
  return out;
}

} // namespace

const known_models& models_here() {
  static const known_models here = read();
  return here;
}

} // namespace tacit::runtime
