// Problem: to list the sends and receives of each source costs two passes over all operations, and where every rank has messages for every
// other one these passes take longer than the joining.
//
// Idea: mostly operations are listed in one of two ways, in which nobody needs such lists. (1) Message by message, as generators do: each send
// with its receive beside it. Then the sends of a channel and its receives come in the same order. (2) Rank by rank, as parts of programs are
// put together, and each rank takes its messages in a loop over the ranks that send them. Then its receives wait in one row for the sources
// in their order, so each send takes the first one of the rank that it goes to. It must be of the same channel; as every row is used from its
// begin to its end, the k-th send of a channel meets its k-th receive. Rows are fetched in the order in which they lie.
// At the first message that is listed otherwise all of it is given up; mostly that is one of the first ones.
#include "graphs/match/plain_listing.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace tacit::graphs {
namespace {

bool is_message(const operation& op) {
  return op.kind == op_kind::send || op.kind == op_kind::recv;
}

bool share_channel(const operation& send, const operation& receive) {
  return send.kind == op_kind::send && receive.kind == op_kind::recv && send.peer == receive.rank &&
         receive.peer == send.rank && send.tag == receive.tag && send.comm == receive.comm;
}

class listed_matches {
public:
  listed_matches(const graph& g, matching& m)
      : ops_(g.operations()), ranks_(g.ranks()), partner_(m.partner) {}

  bool match_by_message() {
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (!is_message(ops_[i]))
        continue;
      const std::size_t next = i + 1;
      if (next == ops_.size())
        return false;
      if (share_channel(ops_[i], ops_[next]))
        join(i, next);
      else if (share_channel(ops_[next], ops_[i]))
        join(next, i);
      else
        return false;
      i = next;
    }
    return true;
  }

  bool match_by_rank() {
    // Of a rank on average. Fewer take no time anyway, and to look for the begin of each row would.
    constexpr std::size_t worth_trying = 64;
    if (ops_.size() / worth_trying < ranks_)
      return false;
    find_rows();
    std::size_t receives = 0, taken = 0;
    rank_id last{0};
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const operation& op = ops_[i];
      if (op.rank < last) // what has been found are no rows
        return false;
      last = op.rank;
      receives += op.kind == op_kind::recv;
      if (op.kind == op_kind::send && !take(i))
        return false;
      taken += op.kind == op_kind::send;
    }
    return taken == receives;
  }

  void forget() {
    std::fill_n(partner_.begin(), behind_joined_, no_op);
    behind_joined_ = 0;
    truncates_ = false;
  }
  bool truncates() const { return truncates_; }

private:
  void join(std::size_t send, std::size_t receive) {
    partner_[send] = op_id{static_cast<std::uint32_t>(receive)};
    partner_[receive] = op_id{static_cast<std::uint32_t>(send)};
    behind_joined_ = std::max({behind_joined_, send + 1, receive + 1});
    truncates_ = truncates_ || ops_[send].data.length > ops_[receive].data.length;
  }

  /// Right if operations are listed rank by rank; else it does not matter.
  void find_rows() {
    next_.resize(ranks_);
    auto from = ops_.begin();
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      from = std::lower_bound(from, ops_.end(), rank_id{r},
                              [](const operation& op, rank_id rank) { return op.rank < rank; });
      next_[r] = static_cast<std::size_t>(from - ops_.begin());
    }
  }

  bool take(std::size_t send) {
    const rank_id to = ops_[send].peer;
    if (index(to) >= ranks_)
      return false;
    std::size_t& at = next_[index(to)];
    while (at < ops_.size() && ops_[at].kind != op_kind::recv && ops_[at].rank == to)
      ++at;
    if (at == ops_.size() || !share_channel(ops_[send], ops_[at]))
      return false;
    join(send, at);
    constexpr std::size_t ahead = 4; // other ranks come first, and they lie elsewhere
    if (++at + ahead < ops_.size())
      __builtin_prefetch(&ops_[at + ahead]);
    return true;
  }

  std::span<const operation> ops_;
  std::uint32_t ranks_;
  std::vector<op_id>& partner_;
  std::vector<std::size_t> next_; ///< per rank: the first operation that may be a receive nobody has taken
  std::size_t behind_joined_ = 0; ///< no later operation has a partner
  bool truncates_ = false;
};

} // namespace

std::optional<bool> match_as_listed(const graph& g, matching& m) {
  if (!g.made_pairs().empty())
    return {};
  listed_matches listed(g, m);
  if (listed.match_by_message())
    return listed.truncates();
  listed.forget();
  if (listed.match_by_rank())
    return listed.truncates();
  listed.forget();
  return {};
}

} // namespace tacit::graphs
