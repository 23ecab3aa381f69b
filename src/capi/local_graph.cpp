#include "capi/local_graph.h"

namespace tacit::capi {

void pack(packer& into, const local_graph& g) {
  into.put<std::uint64_t>(g.operations.size());
  for (const local_operation& op : g.operations) {
    into.put(op.kind);
    into.put(op.peer);
    into.put(op.tag);
    into.put_list(op.reads);
    into.put_list(op.writes);
  }
  into.put<std::uint64_t>(g.dependencies.size());
  for (const auto& [before, after] : g.dependencies) {
    into.put(before);
    into.put(after);
  }
  into.put_list(g.scratch);
  into.put_list(g.live_out);
}

local_graph unpack_local_graph(unpacker& from) {
  local_graph g;
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    local_operation op;
    op.kind = from.get<local_kind>();
    op.peer = from.get<int>();
    op.tag = from.get<int>();
    op.reads = from.get_list<segment>();
    op.writes = from.get_list<segment>();
    g.operations.push_back(std::move(op));
  }
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto before = from.get<std::int32_t>();
    g.dependencies.emplace_back(before, from.get<std::int32_t>());
  }
  g.scratch = from.get_list<segment>();
  g.live_out = from.get_list<segment>();
  return g;
}

namespace {

op_id add(graph& g, rank_id rank, const local_operation& op) {
  const rank_id peer{static_cast<std::uint32_t>(op.peer)};
  switch (op.kind) {
  case local_kind::send:
    return g.send(rank, op.reads, peer, op.tag);
  case local_kind::recv:
    return g.recv(rank, op.writes, peer, op.tag);
  case local_kind::copy:
    return g.copy(rank, op.reads, op.writes);
  case local_kind::compute:
    return g.opaque(rank, op.reads, op.writes);
  case local_kind::fence:
    return g.fence(rank);
  case local_kind::put:
    return g.put(rank, op.reads, peer, op.writes);
  case local_kind::get:
    return g.get(rank, op.writes, peer, op.reads);
  case local_kind::nothing:
    break;
  }
  return g.copy(rank, {}, {});
}

} // namespace

joined_graph join(const std::vector<local_graph>& parts) {
  joined_graph out{graph(static_cast<std::uint32_t>(parts.size())),
                   std::vector<std::vector<op_id>>(parts.size())};
  for (std::uint32_t r = 0; r < parts.size(); ++r) {
    const rank_id rank{r};
    for (const local_operation& op : parts[r].operations)
      out.names[r].push_back(add(out.g, rank, op));
    for (const auto& [before, after] : parts[r].dependencies)
      out.g.depend(out.names[r][static_cast<std::size_t>(before)],
                   out.names[r][static_cast<std::size_t>(after)]);
    for (const segment& s : parts[r].scratch)
      out.g.scratch(rank, s);
    for (const segment& s : parts[r].live_out)
      out.g.live_out(rank, s);
  }
  return out;
}

} // namespace tacit::capi
