// What reductions by messages are made of: steps of members, one list for each.
#pragma once

#include "graphs/graph/segments.h"
#include "graphs/plan/plan.h"
#include "vocabulary/base/function_ref.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tacit::graphs {

/// Members are numbered in the order of the group. Refers to all that it is made of.
class combining_steps {
public:
  combining_steps(std::span<const rank_id> members, std::span<const step* const> calls,
                  std::vector<rank_plan>& ranks, function_ref<std::int32_t(rank_id, rank_id)> next_tag)
      : members_(members), calls_(calls), ranks_(ranks), next_tag_(next_tag), out_(members.size()),
        last_(members.size(), nothing) {
    const rank_id root = calls.front()->peer;
    while (root != no_rank && members_[hub_] != root)
      ++hub_;
  }

protected:
  using bytes = segment_list;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  bool for_all() const { return calls_.front()->peer == no_rank; }
  bool inclusive() const { return calls_.front()->collective == pattern::scan; }
  const bytes& given(std::uint32_t m) const { return calls_[m]->sends.runs().front().bytes; }
  const bytes& result(std::uint32_t m) const { return calls_[m]->receives.runs().front().bytes; }
  /// What a member gives to another one by a reduce-scatter; a block without bytes if it is not there.
  bytes given(std::uint32_t m, std::uint32_t to) const {
    const std::optional<block> found = calls_[m]->sends.find(members_[to], to);
    return found ? bytes(std::span<const segment>(found->bytes)) : bytes();
  }
  bytes scratch(std::uint32_t m) { return scratch(m, calls_.front()->largest_block); }
  bytes scratch(std::uint32_t m, std::uint64_t length) {
    constexpr std::uint64_t alignment = 64;
    std::uint64_t& end = ranks_[index(members_[m])].scratch_bytes;
    end = (end + alignment - 1) / alignment * alignment;
    const segment made{scratch_base + end, length};
    end += length;
    return {made};
  }

  std::uint32_t add(std::uint32_t m, step s, std::initializer_list<std::uint32_t> after) {
    for (const std::uint32_t before : after)
      if (before != nothing)
        s.after.push_back(before);
    out_[m].push_back(std::move(s));
    return static_cast<std::uint32_t>(out_[m].size() - 1);
  }
  std::uint32_t copy(std::uint32_t m, const bytes& from, const bytes& into,
                     std::initializer_list<std::uint32_t> after = {}) {
    step s;
    s.reads = from;
    s.writes = into;
    return add(m, std::move(s), after);
  }
  std::uint32_t combine(std::uint32_t m, const bytes& from, const bytes& into,
                        std::initializer_list<std::uint32_t> after) {
    step s;
    s.kind = step_kind::reduce;
    s.by = calls_.front()->by;
    s.reads = from;
    s.writes = into;
    return add(m, std::move(s), after);
  }
  /// A message; the numbers of its two steps.
  std::pair<std::uint32_t, std::uint32_t> move(std::uint32_t from, const bytes& what, std::uint32_t after,
                                               std::uint32_t to, const bytes& into) {
    step send, recv;
    send.kind = step_kind::send;
    recv.kind = step_kind::recv;
    send.peer = members_[to];
    recv.peer = members_[from];
    send.tag = recv.tag = next_tag_(members_[from], members_[to]);
    send.reads = what;
    recv.writes = into;
    const std::uint32_t sent = add(from, std::move(send), {after});
    return {sent, add(to, std::move(recv), {})};
  }

  std::vector<step_list> take() { return std::move(out_); }

  std::span<const rank_id> members_;
  std::span<const step* const> calls_;
  std::vector<rank_plan>& ranks_;
  function_ref<std::int32_t(rank_id, rank_id)> next_tag_;
  std::vector<step_list> out_;
  std::vector<std::uint32_t> last_; ///< per member: the step after which its partial result is complete
  std::uint32_t hub_ = 0;           ///< position of the root, or of the rank that combines for all
};

} // namespace tacit::graphs
