#include "runtime/executor/known_tasks.h"

#include <algorithm>

namespace tacit::runtime {

namespace {

bool says_the_same(const detail::buffer_access& a, const detail::buffer_access& b) {
  return a.buffer == b.buffer && a.mode == b.mode && a.where.kind == b.where.kind &&
         a.where.numbers == b.where.numbers && a.where.region == b.where.region;
}

bool says_the_same(const detail::command_group& a, const detail::command_group& b) {
  const auto same_access = [](const auto& x, const auto& y) { return says_the_same(x, y); };
  const auto same_reduction = [](const detail::reduction& x, const detail::reduction& y) {
    return x.buffer == y.buffer && x.include_current == y.include_current;
  };
  return a.items == b.items && a.kind == b.kind && a.dims == b.dims && a.granularity == b.granularity &&
         a.split_2d == b.split_2d && a.collective_group == b.collective_group && a.name == b.name &&
         std::ranges::equal(a.accesses, b.accesses, same_access) &&
         std::ranges::equal(a.reductions, b.reductions, same_reduction) &&
         tasks::rank_weights(a.weights) == tasks::rank_weights(b.weights) && a.host_objects == b.host_objects;
}

bool may_be_kept(const detail::command_group& group) {
  return std::ranges::none_of(group.accesses, [](const detail::buffer_access& a) {
    return a.where.kind == detail::mapper_kind::user;
  });
}

detail::command_group without_functions(const detail::command_group& group) {
  detail::command_group out;
  out.kind = group.kind;
  out.name = group.name;
  out.dims = group.dims;
  out.items = group.items;
  out.granularity = group.granularity;
  out.split_2d = group.split_2d;
  out.weights = group.weights;
  out.collective_group = group.collective_group;
  out.accesses = group.accesses;
  for (const detail::reduction& r : group.reductions) {
    detail::reduction& said = out.reductions.emplace_back();
    said.buffer = r.buffer;
    said.include_current = r.include_current;
  }
  out.host_objects = group.host_objects;
  return out;
}

} // namespace

/// Begins behind the one that was asked for last: loops ask for them in turn.
std::shared_ptr<const tasks::task> known_tasks::find(const detail::command_group& group) {
  if (!may_be_kept(group))
    return nullptr;
  for (std::size_t i = 1; i <= known_.size(); ++i)
    if (const std::size_t at = (used_ + i) % known_.size(); says_the_same(known_[at].says, group)) {
      used_ = at;
      return known_[at].made;
    }
  return nullptr;
}

void known_tasks::add(const detail::command_group& group, std::shared_ptr<const tasks::task> made) {
  if (!may_be_kept(group))
    return;
  used_ = known_.size() < most ? known_.size() : oldest_++ % most;
  if (used_ == known_.size())
    known_.emplace_back();
  known_[used_] = {without_functions(group), std::move(made)};
}

} // namespace tacit::runtime
