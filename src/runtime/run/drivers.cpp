#include "runtime/run/builtin_drivers.h"

#include <array>

namespace tacit::runtime {

std::span<const driver* const> drivers() {
  static const std::array<const driver*, driver_count> by_priority{&shm(), &coll(), &p2p(),
                                                                   &rma(), &dry(),  &pcoll()};
  return by_priority;
}

const driver* find_driver(std::string_view name) {
  for (const driver* d : drivers())
    if (d->name() == name)
      return d;
  return nullptr;
}

} // namespace tacit::runtime
