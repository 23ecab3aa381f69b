// Ending (SEMANTICS 5: never a silent hang). A rank knows when its own part is done, but not whether others still wait for each other.
// So every rank takes part in a nonblocking reduction, a round, when its part is done, or when it has had nothing to do for a while;
// then it goes on receiving meanwhile, while one that is done waits. A round in which nobody has anything left, and as many parcels
// were received as sent, ends the run: in a graph without mistakes that is the only one, and it carries what the ranks have to say
// anyway. If something is left, a second round decides (Mattern 1987, four counters): when all that was ever sent by the second one had
// been received by the first one, no parcel is under way and none will be, because ranks send only when they receive. Then what is left
// waits for ever, and all ranks know it.
//
// A rank without memory for a parcel throws it away, counts it, and goes on in the rounds.
#include "runtime/schedule/part_exchange.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <new>

namespace tacit::runtime {
namespace {

// Tags 0 to 2 are those of send_bytes. What follows each other has tags of its own, because a rank may be ahead of another one.
constexpr int first_tag = 3;
/// So long a rank waits before it asks whether all others wait, too: far longer than a message takes, and short for a person.
constexpr double patience = 0.005;

void merge_words(round_words& into, const round_words& other) {
  into.left += other.left;
  into.sent += other.sent;
  into.received += other.received;
  graphs::merge(into.facts, other.facts);
  into.least_node = std::min(into.least_node, other.least_node);
  into.most_node = std::max(into.most_node, other.most_node);
  into.least_in_memory = std::min(into.least_in_memory, other.least_in_memory);
  into.least_attended = std::min(into.least_attended, other.least_attended);
  into.least_cache = std::min(into.least_cache, other.least_cache);
  into.most_cache = std::max(into.most_cache, other.most_cache);
}

/// Between two looks in vain. Simulated ranks have no core of their own, and asking MPI lets their time go on.
void look_elsewhere() {
  go_on();
  if constexpr (!ranks_are_simulated)
    offer_core();
}

/// MPI_User_function.
void merge_for_mpi(void* in, void* in_out, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * sizeof(round_words);
    round_words a, b;
    std::memcpy(&a, static_cast<const std::byte*>(in) + at, sizeof a);
    std::memcpy(&b, static_cast<std::byte*>(in_out) + at, sizeof b);
    merge_words(b, a);
    std::memcpy(static_cast<std::byte*>(in_out) + at, &b, sizeof b);
  }
}

std::int64_t as_signed(std::uint64_t word) {
  return static_cast<std::int64_t>(word & INT64_MAX); // TACIT_RANKS_PER_NODE numbers nodes from 0
}

} // namespace

/// Messages that leave; their bytes stay until all have left.
class part_exchange::outgoing {
public:
  void send(std::vector<std::byte> bytes, int to, int tag, MPI_Comm comm) {
    if (spare_.empty())
      spare_.emplace_back();
    spare_.front() = std::move(bytes);
    bytes_.splice(bytes_.end(), spare_, spare_.begin());
    requests_.push_back(MPI_REQUEST_NULL);
    check_mpi(MPI_Isend(bytes_.back().data(), static_cast<int>(bytes_.back().size()), MPI_BYTE, to, tag, comm,
                        &requests_.back()),
              "MPI_Isend");
  }
  /// So that sending so many takes no more memory than theirs.
  void reserve(std::size_t messages) {
    requests_.reserve(messages);
    spare_.resize(messages);
  }
  void finish() { await(requests_, "MPI_Isend"); }

private:
  std::list<std::vector<std::byte>> bytes_, spare_; // take no memory while they are empty
  std::vector<MPI_Request> requests_;
};

part_exchange::part_exchange(MPI_Comm comm, int rank, int size, const rank_facts& here)
    : comm_(comm), rank_(rank), size_(size), tag_(first_tag) {
  here_.least_node = here_.most_node = as_signed(here.node);
  here_.least_in_memory =
      static_cast<std::int64_t>(std::min<std::uint64_t>(here.longest_in_memory, INT64_MAX));
  here_.least_attended = here.attended != 0 ? 1 : 0;
  here_.least_cache = here_.most_cache = as_signed(here.cache);
}

part_exchange::~part_exchange() {
  if (merge_ != MPI_OP_NULL)
    MPI_Op_free(&merge_);
  if (type_ != MPI_DATATYPE_NULL)
    MPI_Type_free(&type_);
}

void part_exchange::make_operation() {
  if (merge_ != MPI_OP_NULL)
    return;
  check_mpi(MPI_Type_contiguous(static_cast<int>(sizeof(round_words)), MPI_BYTE, &type_),
            "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  check_mpi(MPI_Op_create(merge_for_mpi, 1, &merge_), "MPI_Op_create");
}

round_words part_exchange::all_of(const round_words& mine) {
  make_operation();
  round_words all;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allreduce(&mine, &all, 1, type_, merge_, comm_, &request), "MPI_Iallreduce");
  await(request, "MPI_Iallreduce");
  return all;
}

graphs::part_facts part_exchange::merged(const graphs::part_facts& mine) {
  round_words words = here_;
  words.facts = mine;
  return all_of(words).facts;
}

/// One round at this rank.
struct part_exchange::round {
  round_words mine, all;
  MPI_Request request = MPI_REQUEST_NULL;
  bool begun = false;

  bool complete() {
    if (request == MPI_REQUEST_NULL) // was blocking; SMPI's MPI_Test says nothing of it
      return true;
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
};

/// A parcel, if there is one. A `run` that is null gets nothing of it.
bool part_exchange::receive_one(graphs::part_run* run, std::int64_t& received, graphs::part_refusal& why) {
  int there = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag_, comm_, &there, &status), "MPI_Iprobe");
  if (!there)
    return false;
  int bytes = 0;
  check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  ++received;
  std::vector<std::byte> parcel;
  try {
    parcel.resize(static_cast<std::size_t>(bytes));
  } catch (const std::bad_alloc&) {
    std::byte little[8];
    MPI_Recv(little, sizeof little, MPI_BYTE, status.MPI_SOURCE, tag_, comm_,
             MPI_STATUS_IGNORE); // is cut off
    why = graphs::part_refusal::memory;
    return true;
  }
  check_mpi(MPI_Recv(parcel.data(), bytes, MPI_BYTE, status.MPI_SOURCE, tag_, comm_, MPI_STATUS_IGNORE),
            "MPI_Recv");
  if (run && why == graphs::part_refusal::none)
    run->deliver(rank_id{static_cast<std::uint32_t>(status.MPI_SOURCE)}, parcel);
  return true;
}

round_words part_exchange::follow(graphs::part_run* run, graphs::part_refusal why,
                                  function_ref<graphs::part_facts()> facts) {
  make_operation();
  outgoing out;
  round now;
  std::optional<round_words> before;
  std::int64_t sent = 0, received = 0;
  double idle_since = MPI_Wtime();
  const auto usable = [&] { return run && why == graphs::part_refusal::none; };
  const auto is_done = [&] { return usable() && run->done(); };
  // Whatever happens to this rank, the others hear of it in a round.
  const auto guarded = [&](auto&& body) {
    try {
      body();
    } catch (const mpi_error&) {
      throw;
    } catch (...) {
      why = graphs::part_refusal::memory;
    }
  };
  const auto say = [&] {
    now.mine = here_;
    now.mine.sent = sent;
    now.mine.received = received;
    if (is_done())
      guarded([&] { now.mine.facts = facts(); });
    if (!is_done()) {
      now.mine.left = 1;
      graphs::refuse(now.mine.facts, rank_id{static_cast<std::uint32_t>(rank_)},
                     why == graphs::part_refusal::none ? graphs::part_refusal::stuck : why);
    }
  };
  for (;;) {
    if (usable())
      guarded([&] {
        run->advance();
        for (graphs::parcel& p : run->take_parcels()) {
          out.send(std::move(p.bytes), static_cast<int>(index(p.to)), tag_, comm_);
          ++sent;
        }
      });
    bool got = false;
    guarded([&] { got = receive_one(run, received, why); });
    if (got) {
      idle_since = MPI_Wtime();
      continue;
    }
    if (!now.begun && (is_done() || !usable() || MPI_Wtime() - idle_since > patience)) {
      say();
      check_mpi(start_allreduce(&now.mine, &now.all, 1, type_, merge_, comm_, &now.request),
                "MPI_Iallreduce");
      now.begun = true;
      if (is_done()) // nothing can come but what nobody here waits for, and that can wait
        await(now.request, "MPI_Iallreduce");
    }
    if (now.begun && now.complete()) {
      const bool all_there = now.all.sent == now.all.received;
      if (all_there && (now.all.left == 0 || (before && before->received == now.all.sent)))
        break;
      before = now.all;
      now.begun = false;
      idle_since = MPI_Wtime();
      continue;
    }
    look_elsewhere();
  }
  out.finish();
  ++tag_;
  return now.all;
}

namespace {

void wait_for_message(int tag, MPI_Comm comm, MPI_Status& status) {
  for (int there = 0;;) {
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &there, &status), "MPI_Iprobe");
    if (there)
      return;
    look_elsewhere();
  }
}

/// What a rank without memory says, and how it hears what is said to it.
void claim_nothing(std::span<const graphs::taken_bytes> taken, int expected, int tag, MPI_Comm comm) {
  for (const graphs::taken_bytes& t : taken)
    check_mpi(MPI_Send(nullptr, 0, MPI_BYTE, static_cast<int>(index(t.source)), tag, comm), "MPI_Send");
  for (int i = 0; i < expected; ++i) {
    MPI_Status status;
    std::byte little[8];
    wait_for_message(tag, comm, status);
    MPI_Recv(little, sizeof little, MPI_BYTE, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE); // is cut off
  }
}

} // namespace

std::vector<graphs::taken_bytes> part_exchange::claim(std::span<const graphs::taken_bytes> taken,
                                                      int expected, graphs::part_refusal& why) {
  const int tag = tag_++;
  outgoing out;
  std::vector<graphs::taken_bytes> claimed;
  std::vector<std::vector<std::byte>> said;
  try {
    out.reserve(taken.size());
    claimed.resize(static_cast<std::size_t>(expected));
    for (const graphs::taken_bytes& t : taken) {
      auto& bytes = said.emplace_back(t.bytes.size() * sizeof(graphs::segment));
      std::memcpy(bytes.data(), t.bytes.data(), bytes.size());
    }
  } catch (const std::bad_alloc&) {
    why = graphs::part_refusal::memory;
    claim_nothing(taken, expected, tag, comm_);
    return {};
  }
  for (std::size_t i = 0; i < taken.size(); ++i)
    out.send(std::move(said[i]), static_cast<int>(index(taken[i].source)), tag, comm_);
  for (graphs::taken_bytes& one : claimed) {
    MPI_Status status;
    int bytes = 0;
    wait_for_message(tag, comm_, status);
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    one.source = rank_id{static_cast<std::uint32_t>(status.MPI_SOURCE)};
    try {
      one.bytes.resize(static_cast<std::size_t>(bytes) / sizeof(graphs::segment));
    } catch (const std::bad_alloc&) {
      why = graphs::part_refusal::memory;
    }
    const auto room = static_cast<int>(one.bytes.size() * sizeof(graphs::segment));
    const int result =
        MPI_Recv(one.bytes.data(), room, MPI_BYTE, status.MPI_SOURCE, tag, comm_, MPI_STATUS_IGNORE);
    if (room == bytes)
      check_mpi(result, "MPI_Recv");
    if (one.bytes.empty())
      why = graphs::part_refusal::memory;
  }
  out.finish();
  std::sort(claimed.begin(), claimed.end(), [](const auto& a, const auto& b) { return a.source < b.source; });
  return claimed;
}

} // namespace tacit::runtime
