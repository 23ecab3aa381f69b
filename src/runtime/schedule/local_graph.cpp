#include "runtime/schedule/local_graph.h"

#include <array>
#include <limits>
#include <map>
#include <stdexcept>

namespace tacit::runtime {

void pack(packer& into, const std::vector<local_communicator>& communicators) {
  into.put<std::uint64_t>(communicators.size());
  for (const local_communicator& c : communicators) {
    into.put(c.id);
    into.put_list(c.members);
    into.put_text(c.name);
  }
}

void pack(packer& into, const local_graph& g) {
  pack(into, g.communicators);
  pack_operations(into, g);
}

void pack(packer& into, const graphs::reducer& r) {
  into.put_text(r.operation);
  into.put_text(r.type);
  into.put(r.element);
  into.put<std::uint8_t>(r.commutative ? 1 : 0);
  into.put<std::uint8_t>(r.rounds ? 1 : 0);
  into.put<std::uint8_t>(r.anywhere ? 1 : 0);
  into.put<std::uint8_t>(r.varies ? 1 : 0);
}

graphs::reducer unpack_reducer(unpacker& from) {
  graphs::reducer r;
  r.operation = from.get_text();
  r.type = from.get_text();
  r.element = from.get<std::uint32_t>();
  r.commutative = from.get<std::uint8_t>() != 0;
  r.rounds = from.get<std::uint8_t>() != 0;
  r.anywhere = from.get<std::uint8_t>() != 0;
  r.varies = from.get<std::uint8_t>() != 0;
  return r;
}

namespace {

/// An operation without its bytes.
using operation_words = std::array<std::int32_t, 5>;

/// From the operations to the end.
std::size_t packed_bytes(const local_graph& g) {
  constexpr std::size_t count = sizeof(std::uint64_t);
  std::size_t segments = g.scratch.size() + g.live_out.size();
  for (const local_operation& op : g.operations)
    segments += op.reads.size() + op.writes.size();
  return 4 * count + g.operations.size() * (sizeof(operation_words) + 2 * count) +
         g.dependencies.size() * 2 * sizeof(std::int32_t) + segments * sizeof(graphs::segment);
}

} // namespace

void pack_operations(packer& into, const local_graph& g) {
  into.put<std::uint64_t>(g.reducers.size());
  for (const local_reducer& r : g.reducers)
    pack(into, r);
  into.reserve(packed_bytes(g));
  into.put<std::uint64_t>(g.operations.size());
  for (const local_operation& op : g.operations) {
    into.put(operation_words{static_cast<std::int32_t>(op.kind), op.comm, op.peer, op.tag, op.reducer});
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
    local_communicator c;
    c.id = from.get<std::uint64_t>();
    c.members = from.get_list<int>();
    c.name = from.get_text();
    g.communicators.push_back(std::move(c));
  }
  for (auto n = from.get<std::uint64_t>(); n > 0; --n)
    g.reducers.push_back(unpack_reducer(from));
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    local_operation op;
    const auto words = from.get<operation_words>();
    op.kind = static_cast<local_kind>(words[0]);
    op.comm = words[1];
    op.peer = words[2];
    op.tag = words[3];
    op.reducer = words[4];
    op.reads = from.get_list<graphs::segment>();
    op.writes = from.get_list<graphs::segment>();
    g.operations.push_back(std::move(op));
  }
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto before = from.get<std::int32_t>();
    g.dependencies.emplace_back(before, from.get<std::int32_t>());
  }
  g.scratch = from.get_list<graphs::segment>();
  g.live_out = from.get_list<graphs::segment>();
  return g;
}

namespace {

op_id add(graphs::graph& g, rank_id rank, const local_operation& op, comm_id comm, graphs::reducer_id by) {
  const rank_id peer{static_cast<std::uint32_t>(op.peer)};
  switch (op.kind) {
  case local_kind::send:
    return g.send(rank, op.reads, peer, op.tag, comm);
  case local_kind::recv:
    if (by != graphs::no_reducer)
      return g.recv_reduce(rank, op.writes, peer, by, op.tag, comm);
    return g.recv(rank, op.writes, peer, op.tag, comm);
  case local_kind::copy:
    return g.copy(rank, op.reads, op.writes);
  case local_kind::compute:
    return g.opaque(rank, op.reads, op.writes);
  case local_kind::fence:
    return g.fence(rank, comm);
  case local_kind::put:
    return g.put(rank, op.reads, peer, op.writes);
  case local_kind::get:
    return g.get(rank, op.writes, peer, op.reads);
  case local_kind::reduce:
    return g.reduce(rank, op.reads, op.writes, by);
  case local_kind::nothing:
    break;
  }
  return g.copy(rank, {}, {});
}

/// The communicators of all ranks by their agreed numbers; every member names the same members.
class communicator_table {
public:
  explicit communicator_table(graphs::graph& g) : g_(g) {}
  /// The local communicators of one rank, the graph's first.
  std::vector<comm_id> add(const std::vector<local_communicator>& local) {
    std::vector<comm_id> out{world};
    for (const local_communicator& c : local) {
      const auto [entry, is_new] = known_.try_emplace(c.id, world);
      if (is_new)
        entry->second = make(c);
      out.push_back(entry->second);
    }
    return out;
  }

private:
  comm_id make(const local_communicator& c) {
    if (g_.communicators().size() > std::numeric_limits<std::uint16_t>::max())
      throw std::length_error("too many communicators in one graph");
    std::vector<rank_id> members;
    members.reserve(c.members.size());
    for (const int r : c.members)
      members.push_back(rank_id{static_cast<std::uint32_t>(r)});
    return g_.add_communicator(c.name, std::move(members));
  }
  graphs::graph& g_;
  std::map<std::uint64_t, comm_id> known_;
};

} // namespace

joined_graph join(const std::vector<local_graph>& parts) {
  joined_graph out{graphs::graph(static_cast<std::uint32_t>(parts.size())),
                   std::vector<std::vector<op_id>>(parts.size()),
                   std::vector<std::vector<graphs::reducer_id>>(parts.size())};
  communicator_table table(out.g);
  for (std::uint32_t r = 0; r < parts.size(); ++r) {
    const rank_id rank{r};
    const std::vector<comm_id> communicators = table.add(parts[r].communicators);
    for (const local_reducer& by : parts[r].reducers)
      out.reducers[r].push_back(out.g.add_reducer(by));
    for (const local_operation& op : parts[r].operations) {
      const graphs::reducer_id by =
          op.reducer < 0 ? graphs::no_reducer : out.reducers[r][static_cast<std::size_t>(op.reducer)];
      out.names[r].push_back(add(out.g, rank, op, communicators[static_cast<std::size_t>(op.comm)], by));
    }
    for (const auto& [before, after] : parts[r].dependencies)
      out.g.depend(out.names[r][static_cast<std::size_t>(before)],
                   out.names[r][static_cast<std::size_t>(after)]);
    for (const graphs::segment& s : parts[r].scratch)
      out.g.scratch(rank, s);
    for (const graphs::segment& s : parts[r].live_out)
      out.g.live_out(rank, s);
  }
  return out;
}

graphs::graph ranks_of(const std::vector<local_graph>& parts) {
  graphs::graph g(static_cast<std::uint32_t>(parts.size()));
  communicator_table table(g);
  for (const local_graph& part : parts)
    table.add(part.communicators);
  return g;
}

graphs::graph alone(const local_graph& part, rank_id rank, std::uint32_t ranks) {
  graphs::graph g(ranks);
  g.reserve(part.operations.size(), part.dependencies.size());
  communicator_table table(g);
  const std::vector<comm_id> communicators = table.add(part.communicators);
  for (const local_operation& op : part.operations)
    add(g, rank, op, communicators[static_cast<std::size_t>(op.comm)], graphs::no_reducer);
  for (const auto& [before, after] : part.dependencies)
    g.depend(op_id{static_cast<std::uint32_t>(before)}, op_id{static_cast<std::uint32_t>(after)});
  for (const graphs::segment& s : part.scratch)
    g.scratch(rank, s);
  for (const graphs::segment& s : part.live_out)
    g.live_out(rank, s);
  return g;
}

} // namespace tacit::runtime
