// What a message through shared memory takes, by the channels that carry it (runtime/channel): alone, and while another one
// comes the other way. Copies of single blocks (memory.cpp) do not add up to that: lines go back and forth between two cores that
// are both busy, and the ways to write and to read a line depend on each other.
//
// As with messages of MPI both sides rewrite what they send and read what they got.
#include "graphs/platform/channel_lengths.h"
#include "runtime/channel/channel.h"
#include "runtime/channel/direct_read.h"
#include "runtime/channel/shared_cache.h"
#include "surface/measure/pair.h"

#include <algorithm>
#include <thread>

namespace tacit::surface {
namespace {

using runtime::cache_mark;
using runtime::channel_shape;

/// Memory of each of the two, where the other one's messages arrive.
class arrivals {
public:
  arrivals(const pair& p, std::size_t bytes)
      : memory_(p, sizeof(cache_mark) + bytes), mine_(memory_.of(p.rank)), theirs_(memory_.of(p.other())) {
    static_assert(alignof(cache_mark) <= pair_memory::alignment);
  }

  std::byte* mine() const { return mine_ + sizeof(cache_mark); }
  std::byte* theirs() const { return theirs_ + sizeof(cache_mark); }
  cache_mark* my_mark() const { return reinterpret_cast<cache_mark*>(mine_); }
  const cache_mark* their_mark() const { return reinterpret_cast<const cache_mark*>(theirs_); }

private:
  pair_memory memory_;
  std::byte *mine_, *theirs_;
};

/// 0: it cannot be read. Collective.
std::int64_t readable_process(const pair& p, std::uint64_t& word) {
  struct identity {
    runtime::process_identity process;
    runtime::readable_word word;
  };
  const runtime::process_identity me = runtime::this_process();
  const identity mine{me, runtime::make_readable(word, me)};
  identity theirs = mine;
  MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, p.other(), 0, &theirs, sizeof theirs, MPI_BYTE, p.other(), 0,
               p.comm, MPI_STATUS_IGNORE);
  const bool readable = runtime::why_not_readable(theirs.process, theirs.word).empty();
  MPI_Barrier(p.comm); // the word stays where it is until both have looked
  return readable ? theirs.process.pid : 0;
}

/// A channel each way.
class channel_pair {
public:
  channel_pair(const pair& p, std::uint64_t bytes, std::int64_t other_process)
      : p_(p), bytes_(bytes), out_(bytes), in_(bytes), shape_(runtime::shape_for(bytes, true)),
        memory_(p, runtime::channel_bytes(shape_)),
        source_(shape_, runtime::source_port(shape_, memory_.theirs(), whole(out_))),
        destination_(shape_, runtime::destination_port(shape_, memory_.mine(), whole(in_))) {
    destination_.port.source_process = other_process;
    distance_.show(memory_.my_mark());
    distance_.watch(p.other(), memory_.their_mark());
  }
  /// To be called by both between two blocks: whether their cores share a cache now, which decides how messages are written.
  void look() {
    distance_.mark();
    MPI_Barrier(p_.comm);
    distance_.look();
    source_.port.far = distance_.shares_no_cache(p_.other());
    MPI_Barrier(p_.comm);
  }
  /// Nanoseconds of each.
  double exchanges(int count) {
    const double start = now();
    for (int i = 0; i < count; ++i) {
      rewrite(out_, bytes_, static_cast<std::uint64_t>(i));
      destination_.post();
      bool sent = source_.post(), received = false;
      for (idle_ = 0; !sent || !received; wait()) {
        sent = sent || source_.poll();
        received = received || destination_.poll();
      }
      read_through(in_, bytes_);
      source_.claim_next();
    }
    return (now() - start) / count;
  }
  double round_trips(int count) {
    const double start = now();
    for (int i = 0; i < count; ++i) {
      destination_.post();
      if (p_.first())
        send(i);
      for (idle_ = 0; !destination_.poll(); wait()) {
      }
      read_through(in_, bytes_);
      if (!p_.first())
        send(i);
      source_.claim_next();
    }
    return (now() - start) / count;
  }

private:
  static std::vector<graphs::segment> whole(const std::vector<char>& buffer) {
    return {{reinterpret_cast<std::uintptr_t>(buffer.data()), buffer.size()}};
  }
  void send(int i) {
    rewrite(out_, bytes_, static_cast<std::uint64_t>(i));
    bool sent = source_.post();
    for (idle_ = 0; !sent; wait())
      sent = source_.poll();
  }
  /// Gives the core away after a while: there may be only one.
  void wait() {
    if (++idle_ > 20000)
      std::this_thread::yield();
  }

  const pair& p_;
  std::uint64_t bytes_;
  std::vector<char> out_, in_;
  channel_shape shape_;
  arrivals memory_;
  runtime::source_channel source_;
  runtime::destination_channel destination_;
  runtime::shared_caches distance_;
  int idle_ = 0;
};

/// Enough for about 0.2 ms, the same number on both ranks.
int block_of(const pair& p, channel_pair& c) {
  c.exchanges(3);
  int count = static_cast<int>(std::clamp(2e5 / c.exchanges(10), 2.0, 400.0));
  MPI_Bcast(&count, 1, MPI_INT, 0, p.comm);
  return count;
}

graphs::channel_time times_of(const pair& p, std::uint64_t bytes, std::int64_t other_process) {
  channel_pair c(p, bytes, other_process);
  for (int looks = 0; looks < 3; ++looks)
    c.look();
  const int count = block_of(p, c);
  std::vector<double> one_way, exchange;
  for (sampling s(p); s.more();) {
    c.look();
    one_way.push_back(c.round_trips(count) / 2);
    exchange.push_back(c.exchanges(count));
  }
  MPI_Barrier(p.comm); // nobody takes memory away that the other one reads
  return {bytes, graphs::spread_of(std::move(one_way)), graphs::spread_of(std::move(exchange))};
}

} // namespace

std::vector<graphs::channel_time> channel_times(const pair& p) {
  std::uint64_t word = 0;
  const std::int64_t other_process = readable_process(p, word);
  std::vector<graphs::channel_time> list;
  // The longest message that is copied, too: longer ones are read where they lie.
  std::vector<std::uint64_t> all = sizes();
  all.insert(std::prev(all.end()), graphs::longest_copied);
  for (const std::uint64_t bytes : all)
    list.push_back(times_of(p, bytes, other_process));
  return list;
}

} // namespace tacit::surface
