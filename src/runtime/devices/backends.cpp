#include "runtime/devices/backend.h"

namespace tacit::runtime {

std::unique_ptr<backend> make_backend(std::string_view name, int threads, int separate_devices) {
  if (name == "kokkos")
    return make_kokkos(threads, separate_devices);
  if (name == "threads")
    return make_host_threads(threads, separate_devices);
  throw task_error("tasks: there is no backend '" + std::string(name) + "', only threads and kokkos");
}

} // namespace tacit::runtime
