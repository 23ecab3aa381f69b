// How the parts of a graph meet without being gathered: parcels between ranks that run their parts, and one reduction that also says
// that all have come to an end, or that none can go on.
#pragma once

#include "graphs/part/facts.h"
#include "graphs/part/part_run.h"
#include "runtime/schedule/wire.h"
#include "vocabulary/base/function_ref.h"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <optional>
#include <span>
#include <vector>

namespace tacit::runtime {

/// What all ranks say together when their parts have been followed. Merged as graphs::part_facts are.
struct round_words {
  std::int64_t left = 0, sent = 0, received = 0; ///< operations; parcels
  graphs::part_facts facts;
  std::int64_t least_node = INT64_MAX, most_node = -1, least_in_memory = INT64_MAX, least_attended = 1;
  std::int64_t least_cache = INT64_MAX, most_cache = -1;
};

class part_exchange {
public:
  /// On `comm` nobody else may send messages with tags from `first_tag` on, or call collectives, meanwhile.
  part_exchange(MPI_Comm comm, int rank, int size, const rank_facts& here);
  ~part_exchange();
  part_exchange(const part_exchange&) = delete;
  part_exchange& operator=(const part_exchange&) = delete;

  /// Collective, blocks; what is under way goes on meanwhile. Carries out the parts of all ranks until all are done, or until none can
  /// go on because operations wait for messages that nobody sends; then the facts say so. `run` is null on a rank that cannot take part,
  /// for the reason `why`. `facts` is asked when the part is done. Throws mpi_error.
  round_words follow(graphs::part_run* run, graphs::part_refusal why,
                     function_ref<graphs::part_facts()> facts);

  /// Collective: the facts of all ranks merged.
  graphs::part_facts merged(const graphs::part_facts& mine);

  /// Tells every source which of its bytes are taken, and returns what `expected` ranks take from this one, in the order of the ranks.
  /// `why` becomes `memory` if a rank lacked it for what it had to say.
  std::vector<graphs::taken_bytes> claim(std::span<const graphs::taken_bytes> taken, int expected,
                                         graphs::part_refusal& why);

private:
  class outgoing;
  struct round;
  bool receive_one(graphs::part_run* run, std::int64_t& received, graphs::part_refusal& why);
  round_words all_of(const round_words& mine);
  void make_operation();

  MPI_Comm comm_;
  int rank_, size_;
  round_words here_; ///< the neutral element but for what is known of this process
  int tag_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op merge_ = MPI_OP_NULL;
};

} // namespace tacit::runtime
