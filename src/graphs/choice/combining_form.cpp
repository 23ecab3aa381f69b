// Three algorithms. Linear: one rank gets all operands and combines them in the order of ranks, from the last to the first, so that it
// works for operators that do not commute, too. Binomial: up a tree in which partial results are combined. Recursive doubling, for
// allreduce among 2^k ranks: in round i every rank exchanges what it has with rank ± 2^i, and both combine. An allreduce by one of the
// first two sends the result down again. Partial results are in scratch memory, or where the result will be.
#include "graphs/choice/combining_form.h"

#include <bit>
#include <initializer_list>
#include <tuple>
#include <utility>

namespace tacit::graphs {
namespace {

using bytes = std::vector<segment>;

class combining_maker {
public:
  combining_maker(std::span<const rank_id> members, std::span<const step* const> calls,
                  std::vector<rank_plan>& ranks, function_ref<std::int32_t(rank_id, rank_id)> next_tag)
      : members_(members), calls_(calls), ranks_(ranks), next_tag_(next_tag), out_(members.size()),
        last_(members.size(), nothing) {
    const rank_id root = calls.front()->peer;
    while (root != no_rank && members_[hub_] != root)
      ++hub_;
  }

  std::vector<std::vector<step>> run(algorithm form) {
    if (form == algorithm::recursive_doubling) {
      doubling();
    } else if (form == algorithm::binomial) {
      up();
      if (for_all())
        down();
    } else {
      linear();
    }
    return std::move(out_);
  }

private:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  bool for_all() const { return calls_.front()->peer == no_rank; }
  const bytes& given(std::uint32_t m) const { return calls_[m]->sends.front().bytes; }
  const bytes& result(std::uint32_t m) const { return calls_[m]->receives.front().bytes; }
  bytes scratch(std::uint32_t m) {
    constexpr std::uint64_t alignment = 64;
    const std::uint64_t length = calls_.front()->largest_block;
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
  std::uint32_t copy(std::uint32_t m, const bytes& from, const bytes& into) {
    step s;
    s.reads = from;
    s.writes = into;
    return add(m, std::move(s), {});
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

  void linear() {
    const bytes& into = result(hub_);
    const std::uint32_t n = size();
    std::uint32_t last =
        n - 1 == hub_ ? copy(hub_, given(hub_), into) : move(n - 1, given(n - 1), nothing, hub_, into).second;
    for (std::uint32_t m = n - 1; m-- > 0;) {
      if (m == hub_) {
        last = combine(hub_, given(hub_), into, {last});
        continue;
      }
      const bytes arrived = scratch(hub_);
      const std::uint32_t got = move(m, given(m), nothing, hub_, arrived).second;
      last = combine(hub_, arrived, into, {got, last});
    }
    for (std::uint32_t m = 0; for_all() && m < n; ++m)
      if (m != hub_)
        move(hub_, into, last, m, result(m));
  }

  std::uint32_t real(std::uint32_t virtual_rank) const { return (virtual_rank + hub_) % size(); }

  void up() {
    const std::uint32_t n = size();
    std::vector<bytes> at(n);
    for (std::uint32_t v = 0; v < n; ++v) {
      const std::uint32_t m = real(v);
      if (v % 2 == 1 || v + 1 == n) { // a leaf, or the last rank, which has no children
        at[v] = given(m);
        continue;
      }
      at[v] = v == 0 ? result(m) : scratch(m);
      last_[m] = copy(m, given(m), at[v]);
    }
    for (std::uint32_t k = 1; k < n; k *= 2)
      for (std::uint32_t v = 0; v + k < n; v += 2 * k) {
        const std::uint32_t to = real(v), from = real(v + k);
        const bytes arrived = scratch(to);
        const std::uint32_t got = move(from, at[v + k], last_[from], to, arrived).second;
        last_[to] = combine(to, arrived, at[v], {got, last_[to]});
      }
  }

  void down() {
    for (std::uint32_t k = std::bit_ceil(size()) / 2; k > 0; k /= 2)
      for (std::uint32_t v = 0; v + k < size(); v += 2 * k) {
        const std::uint32_t from = real(v), to = real(v + k);
        last_[to] = move(from, result(from), last_[from], to, result(to)).second;
      }
  }

  void doubling() {
    const std::uint32_t n = size();
    for (std::uint32_t m = 0; m < n; ++m)
      last_[m] = copy(m, given(m), result(m));
    for (std::uint32_t k = 1; k < n; k *= 2) {
      std::vector<bytes> arrived(n);
      std::vector<std::uint32_t> sent(n), got(n);
      for (std::uint32_t m = 0; m < n; ++m) {
        arrived[m ^ k] = scratch(m ^ k);
        std::tie(sent[m], got[m ^ k]) = move(m, result(m), last_[m], m ^ k, arrived[m ^ k]);
      }
      for (std::uint32_t m = 0; m < n; ++m)
        last_[m] = combine(m, arrived[m], result(m), {sent[m], got[m], last_[m]});
    }
  }

  std::span<const rank_id> members_;
  std::span<const step* const> calls_;
  std::vector<rank_plan>& ranks_;
  function_ref<std::int32_t(rank_id, rank_id)> next_tag_;
  std::vector<std::vector<step>> out_;
  std::vector<std::uint32_t> last_; ///< per member: the step after which its partial result is complete
  std::uint32_t hub_ = 0;           ///< position of the root, or of the rank that combines for all
};

} // namespace

bool has_combining_form(const graph& g, const step& s, std::uint32_t n, algorithm form) {
  if (!g.reducers()[index(s.by)].commutative || s.largest_block == 0)
    return false;
  return form == algorithm::binomial || (form == algorithm::recursive_doubling &&
                                         s.collective == pattern::allreduce && std::has_single_bit(n));
}

std::vector<std::vector<step>> combine_by_messages(const graph& g, std::span<const rank_id> members,
                                                   std::span<const step* const> calls, algorithm form,
                                                   std::vector<rank_plan>& ranks,
                                                   function_ref<std::int32_t(rank_id, rank_id)> next_tag) {
  const bool exists = has_combining_form(g, *calls.front(), static_cast<std::uint32_t>(members.size()), form);
  return combining_maker(members, calls, ranks, next_tag).run(exists ? form : algorithm::linear);
}

} // namespace tacit::graphs
