#include "tasks/discover/exchange.h"

#include "tasks/layout/compare.h"

namespace tacit::tasks {

const char* name_of(collective_kind kind) {
  switch (kind) {
  case collective_kind::broadcast:
    return "broadcast";
  case collective_kind::scatter:
    return "scatter";
  case collective_kind::gather:
    return "gather";
  case collective_kind::allgather:
    return "allgather";
  case collective_kind::alltoall:
    return "alltoall";
  case collective_kind::halo:
    return "halo";
  case collective_kind::reduce:
    return "reduce";
  case collective_kind::allreduce:
    return "allreduce";
  case collective_kind::reduce_scatter:
    return "reduce_scatter";
  }
  return "?";
}

rank_id group::member(std::uint32_t number) const {
  const std::uint32_t k = number % count[2], j = number / count[2] % count[1],
                      i = number / count[2] / count[1];
  return rank_id{first + i * stride[0] + j * stride[1] + k * stride[2]};
}

bool group::contains(rank_id rank) const {
  for (std::uint32_t i = 0; i < count[0]; ++i)
    for (std::uint32_t j = 0; j < count[1]; ++j) {
      const std::uint32_t row = first + i * stride[0] + j * stride[1];
      const auto r = static_cast<std::uint32_t>(index(rank));
      if (r == row ||
          (r > row && stride[2] != 0 && (r - row) % stride[2] == 0 && (r - row) / stride[2] < count[2]))
        return true;
    }
  return false;
}

std::optional<group> team::group_of(rank_id rank) const {
  const auto r = static_cast<std::uint32_t>(index(rank));
  if (r < first || r - first >= parts[0] * parts[1] * parts[2])
    return std::nullopt;
  const std::uint32_t stride[dimensions] = {parts[1] * parts[2], parts[2], 1};
  group out;
  out.first = first;
  for (std::size_t k = 0; k < dimensions; ++k) {
    const std::uint32_t at = (r - first) / stride[k] % parts[k];
    out.stride[k] = stride[k];
    if (along[k]) {
      out.count[k] = parts[k];
      continue;
    }
    if (at < among.axis[k].first || at >= among.axis[k].second)
      return std::nullopt;
    out.first += at * stride[k];
  }
  return out;
}

team consecutive(std::uint32_t first, std::uint32_t count) {
  team out;
  out.first = first;
  out.parts = {1, 1, count};
  out.along = {true, true, true};
  return out;
}

region received(const exchange_part& part, rank_id to) {
  const auto receiver = static_cast<std::uint32_t>(index(to));
  region out =
      difference(intersection(part.wanted.piece(receiver), region(part.where)), part.owner.piece(receiver));
  for (const distribution& copy : part.held) {
    if (out.empty())
      break;
    out = difference(out, copy.piece(receiver));
  }
  return out;
}

region moved(const exchange_part& part, rank_id from, rank_id to) {
  if (from == to)
    return {};
  const region offered =
      intersection(part.owner.first_copy(static_cast<std::uint32_t>(index(from))), region(part.where));
  return offered.empty() ? offered : intersection(offered, received(part, to));
}

region reduced(const exchange_part& part, rank_id to) {
  return intersection(part.wanted.piece(static_cast<std::uint32_t>(index(to))), region(part.where));
}

region contribution(const exchange_part& part, rank_id from) {
  const region piece =
      intersection(part.owner.first_copy(static_cast<std::uint32_t>(index(from))), region(part.where));
  return intersection(piece, constant(part.wanted)
                                 ? part.wanted.image()
                                 : part.wanted.piece(static_cast<std::uint32_t>(index(from))));
}

} // namespace tacit::tasks
