// Operations checked one by one: everything that later rooms take for granted and that needs no look at a
// second operation. One pass over the operations and one over the dependencies; a list of segments is sorted
// only to find bytes written twice. Cost O(operations + dependencies + segments log segments).
#include "graphs/graph/graph.h"
#include "graphs/graph/known_lists.h"
#include "graphs/graph/patience_sort.h"
#include "graphs/graph/problem_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>

namespace tacit::graphs {
namespace {

bool wraps(const segment& s) {
  return s.length > std::numeric_limits<std::uint64_t>::max() - s.address;
}

std::string bytes_of(const segment& s) {
  return fmt::format("[{:#x}, {:#x})", s.address, s.address + s.length);
}

/// Members of each communicator, sorted, for membership questions.
class membership {
public:
  explicit membership(const graph& g) : ranks_(g.ranks()) {
    sorted_.reserve(g.communicators().size());
    for (std::size_t c = 0; c < g.communicators().size(); ++c) {
      sorted_.emplace_back();
      if (c == index(world))
        continue; // holds every rank by construction
      sorted_.back() = g.communicators()[c].members;
      std::sort(sorted_.back().begin(), sorted_.back().end());
    }
  }
  const std::vector<rank_id>& sorted(std::size_t comm) const { return sorted_[comm]; }
  bool has(comm_id comm, rank_id rank) const {
    if (comm == world)
      return index(rank) < ranks_;
    const auto& members = sorted_[index(comm)];
    return std::binary_search(members.begin(), members.end(), rank);
  }

private:
  std::uint32_t ranks_;
  std::vector<std::vector<rank_id>> sorted_;
};

class checker {
public:
  checker(const graph& g, diagnostics& out)
      : g_(g), groups_(g), malformed_(out, reason::bad_operation, severity::error, "malformed operations"),
        backward_(out, reason::creation_order, severity::error, "dependencies against creation order") {}

  void run() {
    check_communicators();
    for (std::uint32_t i = 0; i < g_.size(); ++i)
      check_operation(op_id{i});
    for (const made_pair& pair : g_.made_pairs())
      check_pair(pair);
    for (const dependency& d : g_.dependencies())
      check_dependency(d);
    for (const auto& [rank, bytes] : g_.scratch_bytes())
      check_declared("scratch", rank, bytes);
    for (const auto& [rank, bytes] : g_.live_out_bytes())
      check_declared("live-out", rank, bytes);
  }

private:
  void check_communicators() {
    for (std::size_t c = 1; c < g_.communicators().size(); ++c) {
      const auto& name = g_.communicators()[c].name;
      const auto& members = groups_.sorted(c);
      if (!members.empty() && index(members.back()) >= g_.ranks())
        general(fmt::format("communicator {} names rank {}, but the graph has {} ranks", name,
                            index(members.back()), g_.ranks()),
                "name only existing ranks");
      const auto twice = std::adjacent_find(members.begin(), members.end());
      if (twice != members.end())
        general(fmt::format("communicator {} names rank {} twice", name, index(*twice)),
                "name each member once");
    }
  }

  /// A message in one piece among all ranks, as most are, with nothing wrong.
  bool is_plain_message(const operation& op) const {
    return !op.pooled && (op.kind == op_kind::send || op.kind == op_kind::recv) && op.comm == world &&
           index(op.rank) < g_.ranks() && index(op.peer) < g_.ranks() && op.tag >= 0 && !wraps(op.data);
  }

  void check_operation(op_id id) {
    const operation& op = g_[id];
    if (is_plain_message(op))
      return;
    if (index(op.rank) >= g_.ranks())
      return bad(id, fmt::format("is on rank {}, but the graph has {} ranks", index(op.rank), g_.ranks()),
                 "use a rank of the graph");
    if (index(op.comm) >= g_.communicators().size())
      return bad(id, fmt::format("uses communicator {}, which does not exist", index(op.comm)),
                 "add the communicator first");
    if (!groups_.has(op.comm, op.rank))
      return not_a_member(id, op.rank);
    if (op.kind == op_kind::send || op.kind == op_kind::recv)
      check_message(id);
    check_bytes(id);
    if (g_.has_reductions())
      check_reduction(id);
  }

  void check_message(op_id id) {
    const operation& op = g_[id];
    if (op.peer == no_rank && op.kind == op_kind::recv)
      return bad(id, "receives from any source",
                 "name the source, or record the program and use what it took");
    if (index(op.peer) >= g_.ranks())
      return bad(id, fmt::format("has peer {}, but the graph has {} ranks", index(op.peer), g_.ranks()),
                 "use a rank of the graph as peer");
    if (!groups_.has(op.comm, op.peer))
      return not_a_member(id, op.peer);
    if (op.tag < 0)
      bad(id, fmt::format("has the negative tag {}", op.tag), "use a tag of 0 or more; no wildcards");
  }

  void check_bytes(op_id id) {
    const operation& op = g_[id];
    const auto reads = g_.reads(id);
    const auto writes = g_.writes(id);
    if (!sane(id, "reads", reads) || !sane(id, "writes", writes))
      return;
    if (op.kind == op_kind::copy && total_length(reads) != g_.message_length(id))
      bad(id, fmt::format("reads {} B but writes {} B", total_length(reads), total_length(writes)),
          "give source and destination of the copy the same length");
    if ((op.kind == op_kind::recv || op.kind == op_kind::copy || op.kind == op_kind::reduce) &&
        writes.size() > 1)
      check_written_once(id, writes);
  }

  void check_reduction(op_id id) {
    const auto reads = g_.reads(id), writes = g_.writes(id);
    const reducer_id by = g_.reduces_by(id);
    if (by == no_reducer) {
      if (g_[id].kind == op_kind::reduce)
        bad(id, "names no operator", "give the operator by which it reduces");
      return;
    }
    if (index(by) >= g_.reducers().size() || g_.reducers()[index(by)].element == 0)
      return bad(id, fmt::format("reduces by operator {}, which does not exist", index(by)),
                 "add the operator first, with elements of 1 byte or more");
    const std::uint64_t element = g_.reducers()[index(by)].element, length = total_length(writes);
    if (length % element != 0)
      return bad(id, fmt::format("combines {} B, no whole number of elements of {} B", length, element),
                 "give a multiple of the element");
    if (g_[id].kind != op_kind::reduce)
      return;
    if (total_length(reads) != length)
      return bad(id, fmt::format("combines {} B with {} B", total_length(reads), length),
                 "give both operands the same length");
    if (share_bytes(reads, writes))
      bad(id, "has operands that overlap", "use different memory for the two operands");
  }

  bool share_bytes(std::span<const segment> reads, std::span<const segment> writes) {
    sorted_.assign(writes.begin(), writes.end());
    std::erase_if(sorted_, [](const segment& s) { return s.length == 0; });
    std::sort(sorted_.begin(), sorted_.end(), [](auto& a, auto& b) { return a.address < b.address; });
    return std::any_of(reads.begin(), reads.end(), [&](const segment& r) {
      const auto next = std::partition_point(sorted_.begin(), sorted_.end(), [&](const segment& w) {
        return w.address + w.length <= r.address;
      });
      return r.length > 0 && next != sorted_.end() && next->address < r.address + r.length;
    });
  }

  bool sane(op_id id, const char* what, std::span<const segment> bytes) {
    verdict* const known = known_.of(bytes);
    if (known && known->sane)
      return true;
    if (!has_sane_pieces(id, what, bytes))
      return false;
    if (known)
      known->sane = true;
    return true;
  }

  bool has_sane_pieces(op_id id, const char* what, std::span<const segment> bytes) {
    std::uint64_t total = 0;
    for (const segment& s : bytes) {
      if (wraps(s)) {
        bad(id, fmt::format("{} {} B at {:#x}, which runs past the last address", what, s.length, s.address),
            "check address and length");
        return false;
      }
      if (s.length > std::numeric_limits<std::uint64_t>::max() - total) {
        bad(id, fmt::format("{} more than 2^64 bytes in total", what), "check the lengths");
        return false;
      }
      total += s.length;
    }
    return true;
  }

  void check_written_once(op_id id, std::span<const segment> writes) {
    verdict* const known = known_.of(writes);
    if (known && known->once)
      return;
    const bool once = is_written_once(id, writes);
    if (known)
      known->once = once;
  }

  bool is_written_once(op_id id, std::span<const segment> writes) {
    const auto behind = [](const segment& a, const segment& b) { return a.address + a.length <= b.address; };
    if (std::adjacent_find(writes.begin(), writes.end(), std::not_fn(behind)) == writes.end())
      return true; // ascending, as datatypes mostly list their pieces
    sorted_.assign(writes.begin(), writes.end());
    std::erase_if(sorted_, [](const segment& s) { return s.length == 0; });
    sorter_.sort(std::span(sorted_), [](auto& a, auto& b) { return a.address < b.address; });
    for (std::size_t i = 1; i < sorted_.size(); ++i) {
      const segment &a = sorted_[i - 1], &b = sorted_[i];
      if (a.address + a.length <= b.address)
        continue;
      const std::uint64_t end = std::min(a.address + a.length, b.address + b.length);
      bad(id, fmt::format("writes the bytes {} twice", bytes_of({b.address, end - b.address})),
          "make the blocks of the destination disjoint");
      return false;
    }
    return true;
  }

  /// A put or get has no status that would say how much has come, so both sides must agree.
  void check_pair(const made_pair& pair) {
    const std::uint64_t sent = g_.message_length(pair.send), room = g_.message_length(pair.recv);
    if (sent != room)
      bad(pair.origin,
          fmt::format("is a {} of {} B into {} B", pair.origin == pair.send ? "put" : "get", sent, room),
          "give both sides of a put or get the same length");
  }

  void check_dependency(const dependency& d) {
    const std::size_t last = std::max(index(d.before), index(d.after));
    if (last >= g_.size())
      return general(fmt::format("a dependency from op {} to op {}: op {} does not exist", index(d.before),
                                 index(d.after), last),
                     "create both operations before the dependency");
    if (g_[d.before].rank != g_[d.after].rank)
      return bad(d.after, fmt::format("depends on {}, an operation of another rank", describe(g_, d.before)),
                 "order operations of different ranks by a message, if only of zero bytes");
    if (index(d.before) < index(d.after))
      return;
    if (backward_.count())
      backward_.add(g_[d.after].rank, d.after,
                    fmt::format("{} depends on {}, which was created {}", describe(g_, d.after),
                                describe(g_, d.before),
                                d.before == d.after ? "as the same operation" : "later"),
                    "create operations in an order in which they could run");
  }

  void check_declared(const char* what, rank_id rank, const segment& bytes) {
    if (index(rank) >= g_.ranks())
      general(fmt::format("{} bytes are declared on rank {}, but the graph has {} ranks", what, index(rank),
                          g_.ranks()),
              "use a rank of the graph");
    else if (wraps(bytes))
      general(fmt::format("{} bytes on rank {}: {} B at {:#x} run past the last address", what, index(rank),
                          bytes.length, bytes.address),
              "check address and length");
  }

  void not_a_member(op_id id, rank_id who) {
    bad(id,
        fmt::format("uses communicator {}, of which rank {} is no member",
                    g_.communicators()[index(g_[id].comm)].name, index(who)),
        "add the rank to the communicator or use another one");
  }

  void bad(op_id id, const std::string& what, std::string remedy) {
    if (malformed_.count())
      malformed_.add(g_[id].rank, id, fmt::format("{} {}", describe(g_, id), what), std::move(remedy));
  }
  void general(std::string message, std::string remedy) {
    if (malformed_.count())
      malformed_.add(no_rank, no_op, std::move(message), std::move(remedy));
  }

  const graph& g_;
  membership groups_;
  problem_list malformed_;
  problem_list backward_;
  std::vector<segment> sorted_;
  patience_sorter<segment> sorter_;
  struct verdict {
    bool sane = false; ///< no piece wraps, nor does the sum
    bool once = false; ///< no byte is in it twice
  };
  known_lists<verdict> known_; ///< nothing wrong with them: what is wrong is said of every operation
};

} // namespace

diagnostics check_operations(const graph& g) {
  diagnostics problems;
  checker(g, problems).run();
  return problems;
}

void check_addresses(const graph& g, diagnostics& problems) {
  constexpr std::uint64_t end_of_memory = std::uint64_t{1} << 63;
  if (!g.has_reductions())
    return;
  problem_list high(problems, reason::bad_operation, severity::error, "operations at high addresses");
  const auto is_high = [](const segment& s) {
    return s.length > 0 && s.address + (s.length - 1) >= end_of_memory;
  };
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const op_id op{i};
    const auto reads = g.reads(op), writes = g.writes(op);
    if ((std::any_of(reads.begin(), reads.end(), is_high) ||
         std::any_of(writes.begin(), writes.end(), is_high)) &&
        high.count())
      high.add(g[op].rank, op,
               describe(g, op) + " uses addresses at or above 2^63, which graphs with reductions cannot",
               "use lower addresses");
  }
}

} // namespace tacit::graphs
