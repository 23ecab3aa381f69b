// An MPI_Alltoall in parts that travel while the loop goes on which computes its data (seed 003, Figure 15).
//
// The block of every process is cut at the same places into `parts`. Part k of all blocks is one MPI_Ialltoall with a datatype that
// is as long as the part and as far from the next as the blocks are; so all bytes arrive where MPI_Alltoall puts them. Where the
// cuts are follows from the size of a block, which MPI wants to be the same everywhere. *When* a part leaves is each process's own
// affair: when no iteration that is still to come stores into it. That is computed here, with the values that the variables of the loop
// have. A store of iteration i goes to
//
//     from + step * i + sum of stride * q for the counters q of inner loops, up to `bytes` further
//
// A stride that is a multiple of the block leads to the same place of another block. What remains is a place in a block, if it stays
// between the ends of one for all values of the counters; then, with step >= 0, no iteration from i on stores below the place that i
// begins at. A store of which that is not true makes all parts leave behind the loop: later, never wrongly.
//
// Whether to pipeline is decided by all processes together, and kept as an attribute of the communicator for each line and power of
// two of bytes: an exchange lost 2x by it on one of the paper's machines. They agree behind the first exchange of the kind, which is
// MPI_Alltoall, because they may not wait for each other in front of their loops: the loop of one may send what another waits for. Measured: rounds of both kinds in turns, the first of each not
// counted, and of the slowest process's times the better one. Predicted: what both ways take is played with the machine's costs and the
// length of the loop, as the round behind the agreement showed it.
#include "compiler/coalesce/attribute.h"
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/datatypes.h"
#include "compiler/hooks/devices.h"
#include "compiler/hooks/settings.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tacit/coalesce.h>

namespace tacit::compiler {
namespace {

constexpr int rounds = 8;            ///< that are measured: four of each kind
constexpr double worth_while = 0.97; ///< pipelined is taken if it needs less than that of the time
constexpr int looks = 64; ///< how often what is under way is looked at: MPI goes on only when it is called
constexpr long long never = LLONG_MAX;

/// What all processes know of an exchange.
struct measured_exchange {
  const char* file;
  int line, magnitude; ///< of the bytes of a block
  int when;            ///< as agreed; ALWAYS or NEVER once it is decided
  int round;
  double best[2]; ///< seconds: as written, pipelined
  tacit_pipeline_costs costs;
  measured_exchange* next;
};

int forget_exchanges(MPI_Comm, int, void* first, void*) {
  for (auto* e = static_cast<measured_exchange*>(first); e;) {
    measured_exchange* const next = e->next;
    std::free(e);
    e = next;
  }
  return MPI_SUCCESS;
}

constinit attribute<on_communicators, measured_exchange> exchanges(forget_exchanges);

int magnitude_of(long long bytes) {
  int made = 0;
  while (bytes > 1) {
    bytes /= 2;
    ++made;
  }
  return made;
}

int asked_for(int when) {
  static const char* const words[] = {"never", "always", "measured"};
  return tacit_word_setting("TACIT_PIPELINE", words, 3, when, "never, always or measured");
}

constexpr int no_record = -1; ///< a process has no memory for what it would have to know the next time

/// What the processes want may differ; the most careful one has its way, and one that can keep no record comes before all.
int agree(int mine, MPI_Comm comm) {
  static const int careful[] = {0, 3, 2, 1}; // NEVER, PREDICTED, MEASURED, ALWAYS
  int rank = mine == no_record ? no_record : careful[mine], least = 0;
  if (MPI_Allreduce(&rank, &least, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || least == no_record)
    return no_record;
  return careful[least];
}

/// The first one is what the attribute names; others stand behind it.
measured_exchange* add(measured_exchange* first, const measured_exchange& what, MPI_Comm comm) {
  auto* const made = static_cast<measured_exchange*>(std::malloc(sizeof(measured_exchange)));
  if (!made)
    return nullptr;
  *made = what;
  made->next = first ? first->next : nullptr;
  if (first)
    first->next = made;
  else if (!exchanges.set(comm, made)) {
    std::free(made);
    return nullptr;
  }
  return made;
}

/// Of the one that was added last.
void take_back(measured_exchange* first, measured_exchange* added, MPI_Comm comm) {
  if (!added)
    return;
  if (!first) {
    exchanges.remove(comm); // frees it
    return;
  }
  first->next = added->next;
  std::free(added);
}

measured_exchange* find(const measured_exchange& what, measured_exchange* first) {
  for (measured_exchange* e = first; e; e = e->next)
    if (e->line == what.line && e->magnitude == what.magnitude && std::strcmp(e->file, what.file) == 0)
      return e;
  return nullptr;
}

/// Behind the first exchange of its kind, where all processes come anyway. One without a record would ask again the next time, and
/// the others would not answer: either all have one, or none.
void make_known(const measured_exchange& what, MPI_Comm comm) {
  measured_exchange* const first = exchanges.of(comm);
  measured_exchange* const made = add(first, what, comm);
  const int when = agree(made ? what.when : no_record, comm);
  if (when == no_record)
    take_back(first, made, comm);
  else
    made->when = when;
}

__extension__ using wide = __int128;

template <class Integer>
Integer floor_of(Integer a, Integer b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The value of the counter from which on nothing is stored below a place of the block.
class store_bound {
public:
  /// A bound may be as large as tacit_pipeline_bound says, and strides as large as memory is.
  store_bound(const tacit_pipeline_store& s, long long first, long long last, long long block) {
    wide low = s.from, length = s.bytes;
    for (const tacit_pipeline_range& r : s.inner) {
      if (r.stride == 0)
        continue;
      if (r.last < r.first)
        return; // this store never happens
      if (r.stride % block == 0)
        continue;
      const wide stride = r.stride;
      low += std::min(stride * r.first, stride * r.last);
      length += (stride < 0 ? -stride : stride) * (wide{r.last} - r.first);
    }
    happens_ = first <= last;
    const wide step = s.step;
    low -= floor_of(low + step * first, wide{block}) * block;
    bounded_ = step >= 0 && low + step * last + length <= block && low >= LLONG_MIN / 2;
    if (bounded_) {
      low_ = static_cast<long long>(low);
      step_ = s.step;
    }
  }

  long long ready(long long place) const {
    if (!happens_)
      return LLONG_MIN;
    if (!bounded_)
      return never;
    if (step_ == 0)
      return low_ >= place ? LLONG_MIN : never;
    return -floor_of(low_ - place, step_); // the least i with low + step * i >= place
  }

private:
  bool happens_ = false, bounded_ = false;
  long long low_ = 0, step_ = 0;
};

int place_of(const tacit_pipeline& p, int part) {
  return static_cast<int>(static_cast<long long>(p.count) * part / p.parts);
}

/// What nobody computes: no number of any type is made of these bytes by chance.
constexpr unsigned char poison = 0xA5;

std::ptrdiff_t block_bytes(const tacit_pipeline& p) {
  return static_cast<std::ptrdiff_t>(p.count) * p.type_bytes;
}

/// Check mode keeps what has been sent, to see whether the loop stores into it later, and fills the receive buffer, so that the loop does
/// not find there what it would find without parts, and to see whether it stores there. Not where a device may have computed it.
void prepare_check(tacit_pipeline& p) {
  if (tacit_uses_devices() || MPI_Comm_size(p.comm, &p.processes) != MPI_SUCCESS)
    return;
  p.sent = static_cast<char*>(std::malloc(static_cast<std::size_t>(block_bytes(p) * p.processes)));
  if (p.sent)
    std::memset(p.target, poison, static_cast<std::size_t>(block_bytes(p) * p.processes));
}

/// The bytes of one part of one block.
struct strip {
  std::ptrdiff_t from, bytes;
};

strip strip_of(const tacit_pipeline& p, int part, int process) {
  const std::ptrdiff_t from = static_cast<std::ptrdiff_t>(place_of(p, part)) * p.type_bytes;
  const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(place_of(p, part + 1)) * p.type_bytes;
  return {block_bytes(p) * process + from, to - from};
}

void keep_sent(const tacit_pipeline& p, int part) {
  for (int to = 0; p.sent && to < p.processes; ++to) {
    const strip s = strip_of(p, part, to);
    std::memcpy(p.sent + s.from, static_cast<const char*>(p.origin) + s.from,
                static_cast<std::size_t>(s.bytes));
  }
}

/// The first byte that is not as it was, or nothing (-1).
std::ptrdiff_t changed_in_sent(const tacit_pipeline& p) {
  for (int part = 0; part < p.posted; ++part)
    for (int to = 0; to < p.processes; ++to) {
      const strip s = strip_of(p, part, to);
      const char* const now = static_cast<const char*>(p.origin) + s.from;
      const char* const end = now + s.bytes;
      if (const char* const found = std::mismatch(now, end, p.sent + s.from).first; found != end)
        return found - static_cast<const char*>(p.origin);
    }
  return -1;
}

/// Where nothing can have arrived, because no part for that place has left here.
std::ptrdiff_t changed_in_target(const tacit_pipeline& p) {
  for (int part = p.posted; part < p.parts; ++part)
    for (int source = 0; source < p.processes; ++source) {
      const strip s = strip_of(p, part, source);
      const auto* const place = static_cast<const unsigned char*>(p.target) + s.from;
      const auto* const found =
          std::find_if(place, place + s.bytes, [](unsigned char c) { return c != poison; });
      if (found != place + s.bytes)
        return s.from + (found - place);
    }
  return -1;
}

void say_false(const tacit_pipeline& p, std::ptrdiff_t byte, const char* buffer) {
  std::fprintf(stderr,
               "tacit: rank %d: %s:%d: the loop stores into byte %lld of the exchange's %s, but something "
               "claims that it "
               "does not [TACIT-153]\n",
               world_rank(), p.file ? p.file : "?", p.line, static_cast<long long>(byte), buffer);
}

/// Behind the loop, before the last parts leave.
void verify(tacit_pipeline& p) {
  if (!p.sent)
    return;
  if (const std::ptrdiff_t byte = changed_in_sent(p); byte >= 0)
    say_false(p, byte, "send buffer after that has left");
  if (const std::ptrdiff_t byte = changed_in_target(p); byte >= 0)
    say_false(p, byte, "receive buffer");
  std::free(p.sent);
  p.sent = nullptr;
}

/// A part of each process's block.
int post(tacit_pipeline& p) {
  const int from = place_of(p, p.posted), to = place_of(p, p.posted + 1);
  MPI_Datatype run, part;
  int error = MPI_Type_contiguous(to - from, p.type, &run);
  if (error != MPI_SUCCESS)
    return error;
  error = MPI_Type_create_resized(run, 0, static_cast<MPI_Aint>(p.count) * p.type_bytes, &part);
  MPI_Type_free(&run);
  if (error != MPI_SUCCESS)
    return error;
  const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(from) * p.type_bytes;
  keep_sent(p, p.posted);
  MPI_Type_commit(&part);
  error = MPI_Ialltoall(static_cast<const char*>(p.origin) + begin, 1, part,
                        static_cast<char*>(p.target) + begin, 1, part, p.comm, &p.requests[p.posted]);
  MPI_Type_free(&part);
  if (error == MPI_SUCCESS)
    ++p.posted;
  return error;
}

void plan(tacit_pipeline& p, const tacit_pipeline_store* stores, int count) {
  const long long block = static_cast<long long>(p.count) * p.type_bytes;
  for (int k = 0; k < p.parts; ++k) {
    p.requests[k] = MPI_REQUEST_NULL;
    p.ready[k] = p.first;
  }
  for (int s = 0; s < count; ++s) {
    const store_bound bound(stores[s], p.first, p.last, block);
    for (int k = 0; k < p.parts; ++k) {
      const long long end = static_cast<long long>(place_of(p, k + 1)) * p.type_bytes;
      p.ready[k] = std::max(p.ready[k], bound.ready(end));
    }
  }
  for (int k = 1; k < p.parts; ++k) // in this order everywhere
    p.ready[k] = std::max(p.ready[k], p.ready[k - 1]);
  p.pause = std::max(1LL, (p.last - p.first) / looks);
  p.next = p.ready[0];
}

/// How many parts a block makes: at least some kilobytes each, so that their beginnings cost little.
int parts_of(long long bytes, int elements) {
  constexpr long long least = 4096;
  const long long made = std::min<long long>(std::max(2LL, bytes / least), TACIT_PIPELINE_PARTS);
  return static_cast<int>(std::min<long long>(made, elements));
}

/// The same on all processes, whatever their loops do.
bool is_possible(const void* origin, int count, MPI_Datatype type, MPI_Datatype other, MPI_Comm comm) {
  int processes = 0, between = 1;
  if (comm == MPI_COMM_NULL || origin == MPI_IN_PLACE || type != other || count < 2 ||
      !element_of(type).solid)
    return false;
  return MPI_Comm_test_inter(comm, &between) == MPI_SUCCESS && !between &&
         MPI_Comm_size(comm, &processes) == MPI_SUCCESS && processes > 1;
}

/// In rounds that are measured, both kinds come in turns.
bool is_pipelined(const measured_exchange& e) {
  return e.when == TACIT_PIPELINE_ALWAYS || (e.when == TACIT_PIPELINE_MEASURED && e.round % 2 == 1);
}

void choose(measured_exchange& e, bool pipelined) {
  e.when = pipelined ? TACIT_PIPELINE_ALWAYS : TACIT_PIPELINE_NEVER;
}

/// All processes have the same numbers then: as written, pipelined.
void choose_by_slowest(const double (&seconds)[2], measured_exchange& e, MPI_Comm comm) {
  double slowest[2] = {0, 0};
  const int error = MPI_Allreduce(seconds, slowest, 2, MPI_DOUBLE, MPI_MAX, comm);
  choose(e, error == MPI_SUCCESS && slowest[1] < worth_while * slowest[0]);
}

void count_round(const tacit_pipeline& p, measured_exchange& e) {
  const double seconds = MPI_Wtime() - p.begun;
  double& best = e.best[e.round % 2];
  if (e.round >= 2)
    best = e.round < 4 ? seconds : std::min(best, seconds);
  if (++e.round == rounds + 2)
    choose_by_slowest(e.best, e, p.comm);
}

/// What one process's exchange takes, from the beginning of its loop to the end of the call.
///
/// All that a process sends goes over one link, byte by byte; how many messages that are does not matter to the link, and their latencies
/// pass side by side. So latency counts once, at the end, however many parts there are. What a part costs more is that the process is busy with
/// its messages; receives of earlier parts complete while the last one is under way.
class played_exchange {
public:
  played_exchange(const tacit_pipeline_costs& costs, int processes, double loop)
      : costs_(costs), others_(processes - 1), loop_(loop) {}

  /// After a part of the loop's time (0 to 1, not less than before) so many bytes leave for each process.
  void send(double when, double bytes) {
    const double computed = loop_ * (when - done_);
    const double busy = others_ * costs_.send; // in MPI, which then moves what there is
    done_ = when;
    now_ += computed + busy;
    on_link_ = std::max(0.0, on_link_ - costs_.progress * computed - busy) + others_ * bytes * costs_.of_byte;
    ++parts_;
  }

  double end() const {
    const double receive = others_ * costs_.receive;
    return std::max(now_ + costs_.latency + on_link_, now_ + (parts_ - 1) * receive) + receive;
  }

private:
  tacit_pipeline_costs costs_;
  double others_, loop_;
  double done_ = 0, now_ = 0, on_link_ = 0;
  int parts_ = 0;
};

/// Libraries take fewer and longer messages where messages cost more than bytes (Bruck).
double by_doubling(const tacit_pipeline_costs& c, int processes, double bytes) {
  double seconds = 0;
  for (int way = 1; way < processes; way *= 2)
    seconds += c.send + c.latency + c.receive + bytes * std::min(way, processes - way) * c.of_byte;
  return seconds;
}

/// How much of the loop is over when a part may leave.
double when_ready(const tacit_pipeline& p, int part) {
  const double all = static_cast<double>(p.last) - static_cast<double>(p.first) + 1;
  const double until = static_cast<double>(p.ready[part]) - static_cast<double>(p.first);
  return p.ready[part] == never || all <= 0 ? 1 : std::clamp(until / all, 0.0, 1.0);
}

void predict(const tacit_pipeline& p, measured_exchange& e) {
  int processes = 1;
  MPI_Comm_size(p.comm, &processes);
  const double bytes = static_cast<double>(p.count) * p.type_bytes, loop = p.computed - p.begun;
  played_exchange whole(e.costs, processes, loop), parts(e.costs, processes, loop);
  whole.send(1, bytes);
  tacit_pipeline planned = p;
  planned.parts = parts_of(static_cast<long long>(bytes), p.count);
  for (int k = 0; k < planned.parts; ++k)
    parts.send(when_ready(p, k),
               static_cast<double>(place_of(planned, k + 1) - place_of(planned, k)) * p.type_bytes);
  const double as_written = std::min(whole.end(), loop + by_doubling(e.costs, processes, bytes));
  // Costs that are no numbers could be compared differently on each rank, which then wait for different messages.
  const bool known = std::isfinite(as_written) && std::isfinite(parts.end());
  const double seconds[2] = {known ? as_written : 0, known ? parts.end() : 1};
  choose_by_slowest(seconds, e, p.comm);
}

void learn(const tacit_pipeline& p, measured_exchange& e) {
  if (e.when == TACIT_PIPELINE_MEASURED)
    count_round(p, e);
  else if (e.when == TACIT_PIPELINE_PREDICTED)
    predict(p, e);
}

/// Posts everything that is left; what fails twice is an error, and behind it nothing more: parts match by their order.
void post_rest(tacit_pipeline& p) {
  while (p.error == MPI_SUCCESS && p.posted < p.parts)
    if (post(p) != MPI_SUCCESS)
      p.error = post(p);
}

} // namespace
} // namespace tacit::compiler

using namespace tacit::compiler;

namespace {

measured_exchange described(const tacit_pipeline& p) {
  return {p.file,  p.line, magnitude_of(static_cast<long long>(p.count) * p.type_bytes), p.asked, 0, {0, 0},
          p.costs, nullptr};
}

} // namespace

void tacit_pipeline_begin(tacit_pipeline* exchange, int when, const tacit_pipeline_costs* costs,
                          const void* origin, int origin_count, MPI_Datatype origin_type, void* target,
                          int target_count, MPI_Datatype target_type, MPI_Comm comm, long long first,
                          long long last, const tacit_pipeline_store* stores, int store_count,
                          const char* file, int line) {
  tacit_pipeline& p = *exchange;
  p = {};
  p.parts = 1;
  p.next = never;
  if (origin_count != target_count || !is_possible(origin, origin_count, origin_type, target_type, comm))
    return;
  p.origin = origin;
  p.target = target;
  p.count = origin_count;
  p.type = origin_type;
  p.type_bytes = static_cast<int>(element_of(origin_type).extent);
  p.comm = comm;
  p.first = first;
  p.last = last;
  p.file = file;
  p.line = line;
  p.asked = asked_for(when == TACIT_PIPELINE_MEASURED && checks_claims() ? TACIT_PIPELINE_ALWAYS : when);
  if (costs)
    p.costs = *costs;
  const measured_exchange what = described(p);
  measured_exchange* const e = find(what, exchanges.of(comm));
  if (!e) {
    p.is_new = 1;
    return;
  }
  if (e->when == TACIT_PIPELINE_MEASURED || e->when == TACIT_PIPELINE_PREDICTED)
    p.measured = e;
  const bool pipelined = is_pipelined(*e);
  if (pipelined || e->when == TACIT_PIPELINE_PREDICTED) {
    p.parts = parts_of(static_cast<long long>(p.count) * p.type_bytes, p.count);
    plan(p, stores, store_count);
  }
  if (!pipelined) { // a prediction wants to know when parts could leave, but none does
    p.parts = 1;
    p.next = never;
  } else if (checks_claims()) {
    prepare_check(p);
  }
  p.begun = MPI_Wtime();
}

void tacit_pipeline_advance(tacit_pipeline* exchange, long long counter) {
  tacit_pipeline& p = *exchange;
  const int before = p.posted;
  int error = MPI_SUCCESS; // then the part is tried again, as the other processes wait for it
  while (error == MPI_SUCCESS && p.posted < p.parts && counter >= p.ready[p.posted])
    error = post(p);
  int all = 0;
  if (p.posted == before && MPI_Testall(p.posted, p.requests, &all, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
    all = 1;
  p.next = all || p.posted == 0 ? never : counter + p.pause;
  if (error != MPI_SUCCESS)
    p.next = counter + p.pause;
  else if (p.posted < p.parts)
    p.next = std::min(p.next, p.ready[p.posted]);
}

int tacit_pipeline_alltoall(tacit_pipeline* exchange, const void* origin, int origin_count,
                            MPI_Datatype origin_type, void* target, int target_count,
                            MPI_Datatype target_type, MPI_Comm comm) {
  tacit_pipeline& p = *exchange;
  p.computed = MPI_Wtime();
  if (p.parts == 1) {
    p.error = MPI_Alltoall(origin, origin_count, origin_type, target, target_count, target_type, comm);
  } else {
    verify(p);
    post_rest(p);
    const int error = MPI_Waitall(p.posted, p.requests, MPI_STATUSES_IGNORE);
    p.error = p.error != MPI_SUCCESS ? p.error : error;
  }
  if (p.is_new)
    make_known(described(p), comm);
  if (p.measured)
    learn(p, *static_cast<measured_exchange*>(p.measured));
  return p.error;
}
