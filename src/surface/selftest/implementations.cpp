// Which implementations there are.
#include "surface/selftest/implementation.h"

namespace tacit::surface {

std::unique_ptr<implementation> make_implementation(std::string_view name) {
  if (name == "mpi")
    return make_mpi_calls();
  if (name == "mpi-large")
    return make_large_mpi_calls();
  if (name == "sends")
    return make_sends();
  if (name == "faulty")
    return make_faulty();
#ifdef TACIT_SELFTEST_LIBRARY
  if (name == "tacit")
    return make_tacit_calls();
  if (name == "tacit-topology")
    return make_tacit_topology_calls();
#endif
  return nullptr;
}

std::vector<std::string> default_implementations() {
#ifdef TACIT_SELFTEST_LIBRARY
  return {"mpi", "tacit", "tacit-topology"};
#else
  return {"mpi"};
#endif
}

} // namespace tacit::surface
