#include "runtime/schedule/local_graph.h"

#include <array>
#include <limits>
#include <map>
#include <stdexcept>

namespace tacit::runtime {
namespace {

/// Nothing if it is no message of one piece.
std::optional<graphs::plain_message> plain(const local_operation& op) {
  const bool sends = op.kind == local_kind::send;
  const auto& data = sends ? op.reads : op.writes;
  const auto& rest = sends ? op.writes : op.reads;
  if ((!sends && op.kind != local_kind::recv) || op.reducer >= 0 || op.peer < 0 || op.comm < 0 ||
      op.comm > std::numeric_limits<std::uint16_t>::max() || data.size() > 1 || !rest.empty() ||
      (data.size() == 1 && data.front().length == 0))
    return std::nullopt;
  return graphs::plain_message{
      sends ? graphs::op_kind::send : graphs::op_kind::recv, comm_id{static_cast<std::uint16_t>(op.comm)},
      op.tag, rank_id{static_cast<std::uint32_t>(op.peer)}, data.empty() ? graphs::segment{} : data.front()};
}

/// The reverse. `into` may hold another message, whose memory is used again.
void set(local_operation& into, const graphs::plain_message& m) {
  const bool sends = m.kind == graphs::op_kind::send;
  into.kind = sends ? local_kind::send : local_kind::recv;
  into.comm = static_cast<std::int32_t>(index(m.comm));
  into.peer = static_cast<int>(index(m.peer));
  into.tag = m.tag;
  into.reads.clear();
  into.writes.clear();
  if (m.data.length > 0)
    (sends ? into.reads : into.writes).push_back(m.data);
}

} // namespace

void local_operations::push_back(local_operation op) {
  if (const auto message = plain(op))
    return list_.add(*message);
  others_.push_back(std::move(op));
  try {
    list_.add_other();
  } catch (...) {
    others_.pop_back();
    throw;
  }
}

void local_operations::iterator::read() {
  other_ = nullptr;
  if (at_ == of_->list_.end())
    return;
  if (const auto message = of_->list_.at(at_))
    set(message_, *message);
  else
    other_ = &of_->others_[others_read_++];
}

std::optional<graphs::affine_list> messages_alone(const local_operations& operations) {
  const graphs::affine_list& list = operations.list();
  if (!list.has_others())
    return list;
  if (operations.others().size() != 1 || list.runs().empty())
    return std::nullopt;
  const local_operation& copy = operations.others().front();
  const graphs::affine_run& like = list.runs().front();
  const bool is_block = copy.kind == local_kind::copy && copy.reads.size() == 1 && copy.writes.size() == 1 &&
                        copy.reads.front().length == like.data.length &&
                        copy.writes.front().length == like.data.length;
  if (!is_block)
    return std::nullopt;
  std::vector<graphs::affine_list::loop> loops(list.loops().begin(), list.loops().end());
  std::erase_if(loops, [](const graphs::affine_list::loop& l) { return l.body == 0; });
  graphs::affine_list out(list.self(), list.ranks(), {list.runs().begin(), list.runs().end()},
                          std::move(loops));
  out.add({graphs::op_kind::recv, like.comm, like.tag, list.self(), copy.writes.front()});
  out.add({graphs::op_kind::send, like.comm, like.tag, list.self(), copy.reads.front()});
  return out;
}

std::optional<graphs::affine_graph> affine_form(const std::vector<local_graph>& parts) {
  graphs::affine_graph out;
  for (const local_graph& part : parts) {
    std::optional<graphs::affine_list> messages = messages_alone(part.operations);
    if (!messages || !part.communicators.empty() || !part.dependencies.empty() || !part.scratch.empty() ||
        !part.live_out.empty())
      return std::nullopt;
    out.ranks.push_back(*std::move(messages));
  }
  return out;
}

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

/// From the runs to the end.
std::size_t packed_bytes(const local_graph& g) {
  constexpr std::size_t count = sizeof(std::uint64_t);
  const graphs::affine_list& list = g.operations.list();
  std::size_t segments = g.scratch.size() + g.live_out.size();
  for (const local_operation& op : g.operations.others())
    segments += op.reads.size() + op.writes.size();
  return 8 * count + list.runs().size_bytes() + list.loops().size_bytes() +
         g.operations.others().size() * (sizeof(operation_words) + 2 * count) +
         g.dependencies.size() * 2 * sizeof(std::int32_t) + segments * sizeof(graphs::segment);
}

void pack(packer& into, const local_operations& operations) {
  const graphs::affine_list& list = operations.list();
  into.put<std::uint64_t>(index(list.self()));
  into.put<std::uint64_t>(list.ranks());
  // Field by field: what is between them is not the same in equal runs.
  into.put<std::uint64_t>(list.runs().size());
  for (const graphs::affine_run& r : list.runs()) {
    into.put(std::array<std::uint64_t, 5>{r.data.address, r.data.length, r.stride, r.per_peer,
                                          std::uint64_t{r.count} << 32 | index(r.peer)});
    into.put(std::array<std::int32_t, 4>{r.tag, r.peer_step, static_cast<std::int32_t>(index(r.comm)),
                                         static_cast<std::int32_t>(r.kind) << 8 |
                                             static_cast<std::int32_t>(r.by) << 1 | (r.skips_self ? 1 : 0)});
  }
  into.put_list(list.loops());
  into.put<std::uint64_t>(operations.others().size());
  for (const local_operation& op : operations.others()) {
    into.put(operation_words{static_cast<std::int32_t>(op.kind), op.comm, op.peer, op.tag, op.reducer});
    into.put_list(op.reads);
    into.put_list(op.writes);
  }
}

graphs::affine_run unpack_run(unpacker& from) {
  const auto words = from.get<std::array<std::uint64_t, 5>>();
  const auto numbers = from.get<std::array<std::int32_t, 4>>();
  graphs::affine_run r;
  r.data = {words[0], words[1]};
  r.stride = words[2];
  r.per_peer = words[3];
  r.count = static_cast<std::uint32_t>(words[4] >> 32);
  r.peer = rank_id{static_cast<std::uint32_t>(words[4])};
  r.tag = numbers[0];
  r.peer_step = numbers[1];
  r.comm = comm_id{static_cast<std::uint16_t>(numbers[2])};
  r.kind = static_cast<graphs::op_kind>(numbers[3] >> 8);
  r.by = static_cast<graphs::advance_by>(numbers[3] >> 1 & 3);
  r.skips_self = (numbers[3] & 1) != 0;
  return r;
}

local_operations unpack_operations(unpacker& from) {
  const rank_id self{static_cast<std::uint32_t>(from.get<std::uint64_t>())};
  const auto ranks = static_cast<std::uint32_t>(from.get<std::uint64_t>());
  std::vector<graphs::affine_run> runs;
  for (auto n = from.get<std::uint64_t>(); n > 0; --n)
    runs.push_back(unpack_run(from));
  graphs::affine_list list(self, ranks, std::move(runs), from.get_list<graphs::affine_list::loop>());
  std::vector<local_operation> others;
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
    others.push_back(std::move(op));
  }
  return {std::move(list), std::move(others)};
}

} // namespace

void pack_operations(packer& into, const local_graph& g) {
  into.put<std::uint64_t>(g.reducers.size());
  for (const local_reducer& r : g.reducers)
    pack(into, r);
  into.reserve(packed_bytes(g));
  pack(into, g.operations);
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
  g.operations = unpack_operations(from);
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
