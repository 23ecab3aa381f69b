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
// Instead of in such parts an exchange may travel in rows of one-sided puts (put_window.h): as they need nobody else, each process cuts its blocks
// as its own loop fills them, and a row leaves right behind the iteration that completes it.
//
// Which of the three ways an exchange takes all processes decide together (known_exchange.h).
#include "compiler/coalesce/claims.h"
#include "compiler/coalesce/datatypes.h"
#include "compiler/coalesce/exchange_parts.h"
#include "compiler/coalesce/known_exchange.h"
#include "compiler/coalesce/long_wait.h"
#include "compiler/coalesce/once_more.h"
#include "compiler/coalesce/store_bound.h"
#include "compiler/hooks/devices.h"
#include "compiler/hooks/settings.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tacit/coalesce.h>

namespace tacit::compiler {
namespace {

constexpr int looks = 64; ///< how often what is under way is looked at: MPI goes on only when it is called

int asked_for(int when) {
  static const char* const words[] = {"never", "always", "puts", "measured"};
  static const int meant[] = {TACIT_PIPELINE_NEVER, TACIT_PIPELINE_ALWAYS, TACIT_PIPELINE_PUTS,
                              TACIT_PIPELINE_MEASURED};
  const int word = tacit_word_setting("TACIT_PIPELINE", words, 4, -1, "never, always, puts or measured");
  return word < 0 ? when : meant[word];
}

/// The program finds out when it runs.
bool is_open(int when) {
  return when == TACIT_PIPELINE_MEASURED || when == TACIT_PIPELINE_PREDICTED;
}

/// What nobody computes: no number of any type is made of these bytes by chance.
constexpr unsigned char poison = 0xA5;

/// Check mode keeps what has been sent, to see whether the loop stores into it later, and fills the receive buffer, so that the loop does
/// not find there what it would find without parts, and to see whether it stores there. Not where a device may have computed it.
void prepare_check(tacit_pipeline& p) {
  if (tacit_uses_devices())
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

/// Where nothing can have arrived: no part for that place has left here, it comes into a window, or nothing has left at all.
std::ptrdiff_t changed_in_target(const tacit_pipeline& p) {
  for (int part = p.way == by_puts || p.is_new ? 0 : p.posted; part < p.parts; ++part)
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
  if (is_worth_saying({buffer, p.file, p.line}))
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

known_exchange& known_to(const tacit_pipeline& p) {
  return *static_cast<known_exchange*>(p.known);
}

/// A part of each process's block.
int post_part(tacit_pipeline& p) {
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
  MPI_Type_commit(&part);
  error = MPI_Ialltoall(static_cast<const char*>(p.origin) + begin, 1, part,
                        static_cast<char*>(p.target) + begin, 1, part, p.comm, &p.requests[p.posted]);
  MPI_Type_free(&part);
  return p.requests[p.posted] == MPI_REQUEST_NULL ? error : MPI_SUCCESS; // begun, whatever the code says
}

/// What is complete of the row; its failure is told behind the loop.
int put_row(const tacit_pipeline& p) {
  const strip row = strip_of(p, p.posted, 0);
  known_to(p).window->put(static_cast<const char*>(p.origin), block_bytes(p), row.from, row.bytes);
  return MPI_SUCCESS;
}

/// In this order everywhere.
void look_for_next(tacit_pipeline& p) {
  p.ready = p.posted < p.parts ? std::max(p.ready, ready_of(p, p.posted)) : never;
}

int post(tacit_pipeline& p) {
  keep_sent(p, p.posted);
  const int error = p.is_new ? MPI_SUCCESS : p.way == by_puts ? put_row(p) : post_part(p);
  if (error == MPI_SUCCESS) {
    ++p.posted;
    look_for_next(p);
  }
  return error;
}

void plan(tacit_pipeline& p, way how) {
  p.way = how;
  p.parts = parts_of(p, how);
  for (MPI_Request& request : p.requests)
    request = MPI_REQUEST_NULL;
  p.ready = p.first;
  look_for_next(p);
  p.pause = std::max(1LL, (p.last - p.first) / looks);
  p.next = p.ready;
}

/// In check mode, of a kind that nothing is known of yet: as in parts, but no message leaves. A loop may run only once.
void rehearse(tacit_pipeline& p) {
  if (p.asked == TACIT_PIPELINE_NEVER)
    return;
  plan(p, in_parts);
  prepare_check(p);
}

void end_rehearsal(tacit_pipeline& p) {
  p.way = as_written;
  p.posted = 0;
}

bool has_others(MPI_Comm comm) {
  int processes = 0, between = 1;
  return comm != MPI_COMM_NULL && MPI_Comm_test_inter(comm, &between) == MPI_SUCCESS && !between &&
         MPI_Comm_size(comm, &processes) == MPI_SUCCESS && processes > 1;
}

/// The same on all processes, whatever their loops do, as long as all come with one datatype, which the pragma claims: MPI would also have
/// one element of a derived type meet its elements one by one.
bool can_be_cut(const void* origin, int count, MPI_Datatype type, MPI_Datatype other) {
  return origin != MPI_IN_PLACE && type == other && count >= 2 && element_of(type).solid;
}

/// Posts everything that is left; what is refused for good is an error, and behind it nothing more: parts match by their order.
void post_rest(tacit_pipeline& p) {
  while (p.error == MPI_SUCCESS && p.posted < p.parts)
    if (!succeeds_once_more([&] { return p.error = post(p); }))
      return;
}

/// Behind the loop: the parts that are left, and the completion of all.
int complete_parts(tacit_pipeline& p) {
  post_rest(p);
  const int error = MPI_Waitall(p.posted, p.requests, MPI_STATUSES_IGNORE);
  return p.error != MPI_SUCCESS ? p.error : error;
}

/// True: everything is there. Else it is nowhere, unless `p.error` says that this process could not tell the others.
bool complete_rows(tacit_pipeline& p, const void* origin, void* target) {
  post_rest(p);
  bool told = true;
  known_exchange& e = known_to(p);
  if (e.window->complete(static_cast<const char*>(origin), static_cast<char*>(target), block_bytes(p), told))
    return true;
  give_up_puts(*static_cast<known_exchanges*>(p.among), e);
  p.known = nullptr; // there is nothing to learn
  if (!told)
    MPI_Comm_call_errhandler(p.comm, p.error = MPI_ERR_OTHER);
  return false;
}

/// The processes come apart: the pragma's claim is not true.
void say_apart(const tacit_pipeline& p, bool all_cut_or_none) {
  const char* const text =
      all_cut_or_none ? "another process of the communicator came to another exchange than this one"
      : p.whole       ? "this process comes with data that cannot be cut, and another one with data that can"
                      : "another process of the communicator comes with data that cannot be cut";
  std::fprintf(
      stderr, "tacit: rank %d: %s:%d: %s, but the pragma claims that all come here together%s [TACIT-155]\n",
      world_rank(), p.file ? p.file : "?", p.line, text, all_cut_or_none ? "" : ", with one datatype");
}

/// Check mode, behind the loop: whether all processes have come to the same exchange, and all can cut it or none. If not, that is said,
/// nothing is agreed on over this communicator any more, and all go in parts if one has begun to, because the others must take them in.
void see_that_all_came(tacit_pipeline& p, known_exchanges& among) {
  const double number = p.known ? known_to(p).number : -1, whole = p.whole;
  double least[] = {number, -number, whole, -whole, p.way == in_parts ? -1.0 : 0.0,
                    // nothing of a process that cannot cut it
                    -static_cast<double>(p.count), -static_cast<double>(p.type_bytes)};
  const bool told = least_of_all(among.own, least, 7);
  const bool all_cut_or_none = least[2] == -least[3];
  if (!told || (least[0] == -least[1] && all_cut_or_none))
    return;
  say_apart(p, all_cut_or_none);
  among.came_apart = true;
  p.known = nullptr;
  p.is_new = 0;
  if (p.way == in_parts || least[4] == 0) {
    p.way = p.way == in_parts ? in_parts : as_written;
    return;
  }
  p.posted = 0;
  if (p.whole) {
    p.count = static_cast<int>(-least[5]);
    p.type_bytes = static_cast<int>(-least[6]);
  }
  plan(p, in_parts);
}

/// Likewise behind the first exchange of a communicator, which was MPI_Alltoall: before that there is nothing to ask over.
void see_that_all_can_cut(const tacit_pipeline& p, known_exchanges* among) {
  const double whole = p.whole;
  double least[] = {whole, -whole};
  if (!among || !least_of_all(among->own, least, 2) || least[0] == -least[1])
    return;
  say_apart(p, false);
  among->came_apart = true;
}

/// Room for so many bytes, which other processes wait for.
char* room_once_more(std::size_t bytes) {
  void* room = nullptr;
  succeeds_once_more([&] {
    room = std::malloc(bytes);
    return room ? MPI_SUCCESS : MPI_ERR_NO_MEM;
  });
  return static_cast<char*>(room);
}

/// What MPI does with each block of a buffer, one after the other: call(block of the program's, block of packed bytes).
template <typename Byte, typename Call>
int for_each_block(const tacit_pipeline& p, Byte* buffer, int count, MPI_Datatype type, char* packed,
                   Call call) {
  MPI_Aint low = 0, extent = 0;
  int error = MPI_Type_get_extent(type, &low, &extent);
  for (int i = 0; error == MPI_SUCCESS && i < p.processes; ++i)
    error = call(buffer + static_cast<MPI_Aint>(i) * count * extent, packed + i * block_bytes(p));
  return error;
}

/// In check mode, of a process that cannot cut its blocks while others cut theirs: the same parts, of its bytes packed.
int complete_packed(tacit_pipeline& p, const void* origin, int origin_count, MPI_Datatype origin_type,
                    void* target, int target_count, MPI_Datatype target_type) {
  const std::ptrdiff_t block = block_bytes(p), bytes = block * p.processes;
  char* const packed = block <= INT_MAX ? room_once_more(2 * static_cast<std::size_t>(bytes)) : nullptr;
  if (!packed) { // others wait: as with a message that MPI has refused for good
    MPI_Comm_call_errhandler(p.comm, MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
  }
  const bool in_place = origin == MPI_IN_PLACE;
  const int count = in_place ? target_count : origin_count;
  const MPI_Datatype type = in_place ? target_type : origin_type;
  int error = for_each_block(p, static_cast<const char*>(in_place ? target : origin), count, type, packed,
                             [&](const char* from, char* to) {
                               int at = 0;
                               return MPI_Pack(from, count, type, to, static_cast<int>(block), &at, p.comm);
                             });
  MPI_Type_contiguous(p.type_bytes, MPI_BYTE, &p.type);
  p.origin = packed;
  p.target = packed + bytes;
  if (const int travelled = complete_parts(p); error == MPI_SUCCESS)
    error = travelled;
  MPI_Type_free(&p.type);
  if (error == MPI_SUCCESS)
    error = for_each_block(p, static_cast<char*>(target), target_count, target_type, packed + bytes,
                           [&](char* to, const char* from) {
                             int at = 0;
                             return MPI_Unpack(from, static_cast<int>(block), &at, to, target_count,
                                               target_type, p.comm);
                           });
  std::free(packed);
  return error;
}

} // namespace
} // namespace tacit::compiler

using namespace tacit::compiler;

void tacit_pipeline_begin(tacit_pipeline* exchange, int when, const tacit_pipeline_costs* costs,
                          const void* origin, int origin_count, MPI_Datatype origin_type, void* target,
                          int target_count, MPI_Datatype target_type, MPI_Comm comm, long long first,
                          long long last, const tacit_pipeline_store* stores, int store_count,
                          const char* file, int line) {
  tacit_pipeline& p = *exchange;
  p = {};
  p.parts = 1;
  p.next = never;
  if (!has_others(comm))
    return;
  p.whole = origin_count != target_count || !can_be_cut(origin, origin_count, origin_type, target_type);
  if (p.whole && !checks_claims()) // there the others are told, if they can
    return;
  MPI_Comm_size(comm, &p.processes);
  p.origin = origin;
  p.target = target;
  p.type = origin_type;
  if (!p.whole) {
    p.count = origin_count;
    p.type_bytes = static_cast<int>(element_of(origin_type).extent);
  }
  p.comm = comm;
  p.first = first;
  p.last = last;
  p.stores = stores;
  p.store_count = p.whole ? 0 : store_count;
  p.file = file;
  p.line = line;
  p.asked = p.whole ? TACIT_PIPELINE_NEVER
                    : asked_for(is_open(when) && checks_claims() ? TACIT_PIPELINE_ALWAYS : when);
  if (costs)
    p.costs = *costs;
  known_exchanges* const among = known_of(comm);
  p.among = among;
  if (among && among->came_apart)
    return;
  known_exchange* const e = find(among, p);
  if (!e) {
    p.is_new = 1;
    if (checks_claims())
      rehearse(p);
    return;
  }
  p.known = e;
  if (const way how = way_of(*e, block_bytes(p)); how != as_written) {
    plan(p, how);
    if (checks_claims())
      prepare_check(p);
  }
  p.begun = MPI_Wtime();
}

void tacit_pipeline_advance(tacit_pipeline* exchange, long long counter) {
  tacit_pipeline& p = *exchange;
  const int before = p.posted;
  int error = MPI_SUCCESS; // then the part is tried again, as the other processes wait for it
  while (error == MPI_SUCCESS && p.posted < p.parts && counter >= p.ready)
    error = post(p);
  int all = 0;
  if (p.posted == before && p.way == by_puts)
    known_to(p).window->poke();
  else if (p.posted == before && MPI_Testall(p.posted, p.requests, &all, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
    all = 1;
  p.next = all || p.posted == 0 ? never : counter + p.pause;
  if (error != MPI_SUCCESS)
    p.next = counter + p.pause;
  else if (p.posted < p.parts)
    p.next = std::min(p.next, p.ready);
}

int tacit_pipeline_alltoall(tacit_pipeline* exchange, const void* origin, int origin_count,
                            MPI_Datatype origin_type, void* target, int target_count,
                            MPI_Datatype target_type, MPI_Comm comm) {
  tacit_pipeline& p = *exchange;
  p.computed = MPI_Wtime();
  verify(p);
  if (p.is_new)
    end_rehearsal(p);
  const long_wait waits(p.processes > 1 && checks_claims(), p.file, p.line);
  if (p.among && checks_claims() && !static_cast<known_exchanges*>(p.among)->came_apart)
    see_that_all_came(p, *static_cast<known_exchanges*>(p.among));
  if (p.way == in_parts)
    p.error = p.whole
                  ? complete_packed(p, origin, origin_count, origin_type, target, target_count, target_type)
                  : complete_parts(p);
  else if ((p.way == as_written || !complete_rows(p, origin, target)) && p.error == MPI_SUCCESS)
    p.error = MPI_Alltoall(origin, origin_count, origin_type, target, target_count, target_type, comm);
  if (p.is_new)
    make_known(p, comm);
  if (p.is_new && !p.among && checks_claims())
    see_that_all_can_cut(p, known_of(comm));
  if (p.known && p.among)
    learn(p, *static_cast<known_exchanges*>(p.among), known_to(p));
  return p.error;
}
