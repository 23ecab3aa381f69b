#include "graphs/detect/other_numbers.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tacit::graphs {
namespace {

/// Where a member keeps the blocks of the others: base of the member + stride · position of the other, the stride the same for all members.
class rule_of_places {
public:
  explicit rule_of_places(std::size_t members) : first_(members) {}

  void add(std::uint32_t owner, std::uint32_t other, std::uint64_t address) {
    ++points_;
    const point now{other, static_cast<std::int64_t>(address)};
    std::optional<point>& first = first_[owner];
    if (!first) {
      first = now;
      return;
    }
    const std::int64_t apart = std::int64_t{now.other} - first->other,
                       distance = now.address - first->address;
    if (apart == 0)
      return; // another piece of the same block
    compared_ = true;
    if (!stride_ && distance % apart == 0)
      stride_ = distance / apart;
    fits_ = fits_ && stride_ && distance == apart * *stride_;
  }
  bool fits() const { return fits_ && compared_; }
  bool used() const { return points_ > 0; }

private:
  struct point {
    std::uint32_t other;
    std::int64_t address;
  };
  std::vector<std::optional<point>> first_; ///< by member
  std::optional<std::int64_t> stride_;
  std::size_t points_ = 0;
  bool fits_ = true, compared_ = false;
};

class places {
public:
  places(const graph& g, const transfers& moved, const finding& f)
      : moved_(moved), f_(f), members_(g.communicators()[index(f.comm)].members), sent_(members_.size()),
        received_(members_.size()) {
    for (std::uint32_t i = 0; i < members_.size(); ++i)
      position_[members_[i]] = i;
  }

  /// True if all blocks lie where the ranks' numbers say, or if blocks have no places of their own.
  bool follow_ranks() {
    is_reduction(f_.kind) ? add_operands() : add_slices();
    return (!sent_.used() || sent_.fits()) && (!received_.used() || received_.fits());
  }

private:
  void add_slices() {
    const bool from_each = f_.kind == pattern::scatter || f_.kind == pattern::alltoall,
               into_each = f_.kind == pattern::gather || f_.kind == pattern::alltoall ||
                           f_.kind == pattern::allgather;
    const transfer* last = nullptr;
    for (const slice s : f_.slices) {
      const transfer& t = moved_.list[s.transfer];
      const bool same_block = last && last->source == t.source && last->destination == t.destination;
      last = &t;
      if (same_block)
        continue; // only the first piece of a block counts
      const std::uint32_t source = position_.at(t.source), destination = position_.at(t.destination);
      if (from_each)
        sent_.add(source, destination, t.source_address + s.offset);
      if (into_each)
        received_.add(destination, source, t.destination_address + s.offset);
    }
  }

  void add_operands() {
    if (f_.kind != pattern::reduce_scatter_block)
      return;
    std::set<rank_id> seen;
    for (const combined_piece& p : f_.combined)
      if (seen.insert(p.owner).second)
        for (std::uint32_t i = 0; i < members_.size(); ++i)
          sent_.add(i, position_.at(p.owner), p.operands[i]);
  }

  const transfers& moved_;
  const finding& f_;
  const std::vector<rank_id>& members_;
  std::map<rank_id, std::uint32_t> position_;
  rule_of_places sent_, received_;
};

} // namespace

std::string why_on_this_number_only(const graph& g, const transfers& moved, const finding& f) {
  constexpr std::size_t ring = 3; // of more ranks some are no neighbors
  const std::size_t n = g.communicators()[index(f.comm)].members.size();
  if (!is_uniform(f.kind) || f.kind == pattern::barrier || is_scan(f.kind))
    return {};
  const signature moves = row_of(f.kind).moves;
  const bool many_places = moves == signature::each_to_each || moves == signature::each_to_all ||
                           moves == signature::all_into_each;
  const bool by_rank = places(g, moved, f).follow_ranks();
  if (n <= ring && !(many_places && by_rank))
    return fmt::format("in a group of {} ranks all others are neighbors", n);
  if (!by_rank)
    return "where blocks lie follows no rule a·rank + b, as it does not where ranks exchange with neighbors";
  return {};
}

} // namespace tacit::graphs
