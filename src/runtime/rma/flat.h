// Programs whose steps do not depend on each other, on one-sided messages: start puts all messages that have
// a free slot, in one flush, and makes the local copies; progress polls what has not arrived. As shm/flat.h,
// but every peer is reached.
#pragma once

#include "graphs/graph/segment_list.h"
#include "runtime/mpi/tags.h"
#include "runtime/rma/traffic.h"

#include <cstdint>
#include <vector>

namespace tacit::runtime {

class rma_flat : public execution {
public:
  /// The program must be flat (shm/flat.h). Throws as driver::prepare.
  rma_flat(const program& p, const rma_peers& peers);
  void start() override;
  bool progress() override;
  void finish() override;
  bool rebind(std::ptrdiff_t reads, std::ptrdiff_t writes) override;

private:
  struct local_copy {
    graphs::segment_list from, into;
  };

  library_probe let_mpi_progress_;
  rma_traffic traffic_;
  std::vector<rma_source> out_;
  std::vector<rma_destination> in_;
  std::vector<local_copy> copies_;
  std::vector<std::uint32_t> sending_, receiving_; ///< under way
  std::ptrdiff_t reads_ = 0, writes_ = 0;          ///< as of the last rebind
};

} // namespace tacit::runtime
