#include "tasks/discover/classify.h"

#include "tasks/layout/compare.h"

namespace tacit::tasks {
namespace {

classified refused(reason why) {
  classified out;
  out.why_not = why;
  return out;
}

classified named(collective_kind kind, team who, rank_id root = no_rank) {
  return {kind, reason::none, root, std::move(who)};
}

std::uint32_t first_rank(const split& s, const mesh_range& at) {
  return at.axis[0].first * s.stride(0) + at.axis[1].first * s.stride(1) + at.axis[2].first;
}
std::uint32_t last_rank(const split& s, const mesh_range& at) {
  return (at.axis[0].second - 1) * s.stride(0) + (at.axis[1].second - 1) * s.stride(1) + at.axis[2].second -
         1;
}

/// An exchange with what follows from it: what is wanted by anybody, who has it and who wants it.
struct question {
  const exchange_part& part;
  box what;
  mesh_range senders, receivers;
  const split& from() const { return *part.owner.across; }
  const split& to() const { return *part.wanted.across; }
  /// All ranks from the first that takes part to the last.
  team everybody() const {
    const std::uint32_t low = std::min(first_rank(from(), senders), first_rank(to(), receivers));
    return consecutive(low, std::max(last_rank(from(), senders), last_rank(to(), receivers)) + 1 - low);
  }
};

/// True if every rank of `who` wants all that is exchanged, and has nothing of it that it does not own.
bool all_want_everything(const question& q, const team& who) {
  return constant(q.part.wanted) && !q.to().gaps && q.part.held.empty() && disjoint(q.part.owner) &&
         who.first == 0 && who.parts[2] == q.to().chunks();
}

classified from_one(const question& q) {
  const rank_id root{first_rank(q.from(), q.senders)};
  const team who = q.everybody();
  if (who.parts[2] <= 2)
    return refused(reason::one_message);
  // The root need not want anything itself.
  const bool all_want = constant(q.part.wanted) && !q.to().gaps && q.part.held.empty() &&
                        disjoint(q.part.owner) && first_rank(q.to(), q.receivers) == who.first &&
                        q.receivers.count() + (index(root) >= q.to().chunks() ? 1 : 0) == who.parts[2];
  return named(all_want ? collective_kind::broadcast : collective_kind::scatter, who, root);
}

classified to_one(const question& q) {
  const team who = q.everybody();
  return who.parts[2] <= 2 ? refused(reason::one_message)
                           : named(collective_kind::gather, who, rank_id{first_rank(q.to(), q.receivers)});
}

classified to_everybody(const question& q) {
  const team who = q.everybody();
  return named(all_want_everything(q, who) ? collective_kind::allgather : collective_kind::alltoall, who);
}

enum class axis_change : std::uint8_t { local, widened, gathered, transposed, replicated, shifted, mixed };

/// The only dimension of the buffer that varies along an axis: -1 if none does, -2 if several do.
int dimension_along(const distribution& p, int axis) {
  int found = -1;
  for (int d = 0; d < dimensions; ++d)
    if (varying_axis(p, d) == axis)
      found = found == -1 ? d : -2;
  return found;
}

axis_change change_along(const question& q, int axis) {
  const distribution &owner = q.part.owner, &wanted = q.part.wanted;
  const int from = dimension_along(owner, axis), to = dimension_along(wanted, axis);
  if (from == -2 || to == -2)
    return axis_change::mixed;
  if (from == -1)
    return axis_change::replicated;
  if (to == -1)
    return varying_axis(wanted, from) < 0 ? axis_change::gathered : axis_change::mixed;
  if (to != from)
    return varying_axis(wanted, from) < 0 && varying_axis(owner, to) < 0 ? axis_change::transposed
                                                                         : axis_change::mixed;
  if (!same_axis(owner, wanted, axis) || owner.map[from].what != wanted.map[from].what)
    return axis_change::shifted;
  if (dimension_covers(owner, wanted, from, q.what[from]))
    return axis_change::local;
  return owner.map[from].what == axis_map::kind::follows ? axis_change::widened : axis_change::shifted;
}

/// The ranks that differ only in the axes that are exchanged; of the others, those with something to exchange.
team team_along(const question& q, const std::array<bool, dimensions>& along) {
  team out;
  for (std::size_t k = 0; k < dimensions; ++k) {
    out.parts[k] = q.from().axes[k].parts;
    out.among.axis[k] = {std::max(q.senders.axis[k].first, q.receivers.axis[k].first),
                         std::min(q.senders.axis[k].second, q.receivers.axis[k].second)};
  }
  out.along = along;
  return out;
}

classified by_axes(const question& q) {
  std::array<bool, dimensions> along{};
  int widened = 0, gathered = 0, transposed = 0;
  for (int k = 0; k < dimensions; ++k) {
    const auto a = static_cast<std::size_t>(k);
    if (q.from().axes[a].parts == 1)
      continue;
    switch (change_along(q, k)) {
    case axis_change::local:
      break;
    case axis_change::widened:
      ++widened;
      break;
    case axis_change::gathered:
      ++gathered, along[a] = true;
      break;
    case axis_change::transposed:
      ++transposed, along[a] = true;
      break;
    case axis_change::shifted:
      return refused(reason::pieces_shift);
    case axis_change::replicated:
    case axis_change::mixed:
      return refused(reason::axes_mixed);
    }
  }
  if (widened > 0)
    return gathered + transposed > 0 ? refused(reason::axes_mixed)
                                     : named(collective_kind::halo, consecutive(0, q.from().chunks()));
  if (gathered + transposed == 0)
    return refused(reason::pieces_shift); // nothing moves, but the formulas do not tell
  const bool exact = transposed == 0 && q.part.held.empty() && !q.from().gaps && !q.to().gaps;
  return named(exact ? collective_kind::allgather : collective_kind::alltoall, team_along(q, along));
}

bool in_a_row(const split& s) {
  return std::ranges::count_if(s.axes, [](const partition& axis) { return axis.parts > 1; }) <= 1;
}

/// If owner and wanted divide different dimensions, every piece of one overlaps every piece of the other.
classified between_meshes(const question& q) {
  for (int d = 0; d < dimensions; ++d)
    if (varying_axis(q.part.owner, d) >= 0 && varying_axis(q.part.wanted, d) >= 0)
      return refused(in_a_row(q.from()) && in_a_row(q.to()) ? reason::pieces_shift : reason::meshes_differ);
  return named(collective_kind::alltoall, q.everybody());
}

} // namespace

bool satisfied(const box& where, const distribution& owner, const distribution& wanted,
               const std::vector<distribution>& held) {
  return covers(owner, wanted, where) ||
         std::ranges::any_of(held, [&](const distribution& copy) { return covers(copy, wanted, where); });
}

classified classify(const exchange_part& part) {
  if (!part.owner.symbolic() || !part.wanted.symbolic())
    return refused(reason::mapper_not_recognized);
  const box what = intersection(part.where, part.wanted.image().hull());
  const question q{part, what, first_holders(part.owner, what), holders(part.wanted, what)};
  const std::uint64_t senders = q.senders.count(), receivers = q.receivers.count();
  if (senders == 0 || receivers == 0)
    return {};
  if (senders == 1 && receivers == 1)
    return first_rank(q.from(), q.senders) == first_rank(q.to(), q.receivers) ? classified{}
                                                                              : refused(reason::one_message);
  if (receivers == 1)
    return to_one(q);
  if (senders == 1)
    return from_one(q);
  if (constant(part.wanted))
    return to_everybody(q);
  return same_mesh(q.from(), q.to()) ? by_axes(q) : between_meshes(q);
}

classified classify_reduction(const distribution& partial, const distribution& wanted, const box& what,
                              std::uint32_t ranks) {
  if (!wanted.symbolic())
    return named(collective_kind::allreduce, consecutive(0, ranks));
  const mesh_range receivers = holders(wanted, what);
  const std::uint32_t last = receivers.empty() ? 0 : last_rank(*wanted.across, receivers);
  const team who = consecutive(0, std::max(partial.across->chunks(), last + 1));
  if (receivers.count() == 1)
    return named(collective_kind::reduce, who, rank_id{last});
  if (disjoint(wanted) && wanted.image().contains(what))
    return named(collective_kind::reduce_scatter, who);
  return named(collective_kind::allreduce, consecutive(0, ranks));
}

} // namespace tacit::tasks
