#include "tasks/commands/command.h"

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
      if (r >= row &&
          (stride[2] == 0 ? r == row : (r - row) % stride[2] == 0 && (r - row) / stride[2] < count[2]))
        return true;
    }
  return false;
}

region moved(const exchange_part& part, rank_id from, rank_id to) {
  if (from == to)
    return {};
  const auto sender = static_cast<std::uint32_t>(index(from)),
             receiver = static_cast<std::uint32_t>(index(to));
  region out =
      intersection(intersection(part.owner.piece(sender), part.wanted.piece(receiver)), region(part.where));
  for (const placement& copy : part.held) {
    if (out.empty())
      break;
    out = difference(out, copy.piece(receiver));
  }
  return out;
}

region contribution(const exchange_part& part, rank_id from) {
  const region piece =
      intersection(part.owner.piece(static_cast<std::uint32_t>(index(from))), region(part.where));
  return intersection(piece, part.wanted.image());
}

} // namespace tacit::tasks
