#include "runtime/mpi/hardware_place.h"

#include "runtime/mpi/node_identity.h"

#include <hwloc.h>

namespace tacit::runtime {
namespace {

struct machine {
  hwloc_topology_t topology = nullptr;
  machine() {
    if (hwloc_topology_init(&topology) != 0)
      topology = nullptr;
    else if (hwloc_topology_load(topology) != 0)
      release();
  }
  ~machine() { release(); }
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

private:
  void release() {
    if (topology)
      hwloc_topology_destroy(topology);
    topology = nullptr;
  }
};

/// The smallest part of the machine that holds all cores on which this process may run; null if unknown.
hwloc_obj_t part_of_this_process(const machine& m) {
  hwloc_cpuset_t cores = hwloc_bitmap_alloc();
  if (!cores)
    return nullptr;
  hwloc_obj_t part = nullptr;
  if (hwloc_get_cpubind(m.topology, cores, HWLOC_CPUBIND_PROCESS) == 0)
    part = hwloc_get_obj_covering_cpuset(m.topology, cores);
  hwloc_bitmap_free(cores);
  return part;
}

} // namespace

neighbors::hardware_place place_of_this_process(int rank) {
  neighbors::hardware_place place{node_identity(rank), 0, 0, 0};
  const machine here;
  if (!here.topology)
    return place;
  for (hwloc_obj_t part = part_of_this_process(here); part; part = part->parent) {
    const std::uint64_t number = std::uint64_t{1} + part->logical_index;
    if (part->type == HWLOC_OBJ_PACKAGE)
      place[1] = number;
    else if (part->type == HWLOC_OBJ_L3CACHE)
      place[2] = number;
    else if (part->type == HWLOC_OBJ_CORE)
      place[3] = number;
  }
  return place;
}

} // namespace tacit::runtime
