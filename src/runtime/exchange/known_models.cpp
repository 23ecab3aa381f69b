#include "runtime/exchange/known_models.h"

#include "runtime/mpi/library_version.h"
#include "vocabulary/calls/settings.h"

#include <filesystem>
#include <system_error>

namespace tacit::runtime {
namespace {

known_models read() {
  const graphs::machine_identity here = graphs::this_machine(library_version());
  known_models out{graphs::load_model_for(here), {}, {}};
  if (given(setting::platform).empty()) {
    out.between_nodes = graphs::load_model_between(graphs::pair_class::other_node, here);
    if (std::error_code error; // machines with one cache have none
        std::filesystem::exists(graphs::model_file(here, graphs::pair_class::other_cache), error))
      out.between_caches = graphs::load_model_between(graphs::pair_class::other_cache, here);
  }
  return out;
}

} // namespace

const known_models& models_here() {
  static const known_models here = read();
  return here;
}

std::string origin_of_models(bool one_node) {
  const known_models& here = models_here();
  std::string text = here.within_node.origin;
  if (!one_node)
    text += here.between_nodes.measured ? "; between nodes " + here.between_nodes.origin
                                        : "; between nodes the documented defaults for networks";
  if (here.between_caches.measured)
    text += "; between cores that share no cache " + here.between_caches.origin;
  else if (!here.between_caches.origin.empty())
    text += "; between cores that share no cache the same, as " +
            here.between_caches.origin.substr(here.between_caches.origin.find("because ") + 8);
  return text;
}

} // namespace tacit::runtime
