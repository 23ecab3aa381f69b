#include "runtime/executor/exchanges.h"

#include "runtime/executor/shapes.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"

#include <algorithm>
#include <limits>

namespace tacit::runtime {

namespace {

tasks::rank_id to_rank(int rank) {
  return static_cast<tasks::rank_id>(rank);
}
int to_int(tasks::rank_id rank) {
  return static_cast<int>(rank);
}

/// Ranks up to which messages are at least as fast as a collective: with two there is nothing that it could share out. Of 24 to
/// 393,000 bytes among 2 ranks of one node, MPI_Iallgatherv took as long to 2.1 times as long under Open MPI 4.1, to 8 times under
/// MPICH 4.0.
constexpr int most_by_messages = 4;
/// Each message has its place in the order of exchanges.
constexpr int exchange_tag = 1;

tasks::region wanted_by(const tasks::exchange_part& part, int rank) {
  return intersection(part.wanted.piece(static_cast<std::uint32_t>(rank)), tasks::region(part.where));
}

} // namespace

bool reduces(tasks::collective_kind kind) {
  return kind == tasks::collective_kind::reduce || kind == tasks::collective_kind::allreduce ||
         kind == tasks::collective_kind::reduce_scatter;
}

struct exchanges::under_way {
  const tasks::command* command = nullptr; ///< until done() is called
  std::shared_ptr<local_plan> plan;
  std::shared_ptr<message_set> messages;
  task_function done;
  bool ready = false;
  std::size_t left = 0; ///< messages
  std::vector<std::byte> sent, received;
  std::optional<partial_result> partial; ///< of reductions
  const tasks::collective& exchange() const { return *command->exchange; }
};

exchanges::exchanges(MPI_Comm world, surroundings around)
    : collectives_(private_communicator::like(world)), messages_(private_communicator::like(world)),
      reductions_(private_communicator::like(world)), rank_(rank_in(world)), size_(size_of(world)),
      around_(std::move(around)) {}

void exchanges::abandon() noexcept {
  for (auto& [signature, plan] : plans_)
    if (plan->repeated)
      plan->repeated->keep();
}

// --- what is sent to whom

std::shared_ptr<exchanges::local_plan> exchanges::plan(const tasks::command& c) {
  constexpr std::size_t most_kept = 64;
  const std::uint64_t key = c.exchange->signature;
  if (const auto known = plans_.find(key); key != 0 && known != plans_.end())
    return known->second;
  std::shared_ptr<local_plan> made = make_plan(c);
  if (key != 0) {
    if (plans_.size() >= most_kept)
      plans_.clear();
    plans_[key] = made;
  }
  return made;
}

exchanges::packet exchanges::make_packet(const tasks::collective& x, int from, int to) const {
  packet made;
  made.rank = from == rank_ ? to : from;
  for (std::size_t i = 0; i < x.parts.size(); ++i) {
    tasks::region what = moved(x.parts[i], to_rank(from), to_rank(to));
    if (what.empty())
      continue;
    const std::size_t bytes = bytes_of(what, around_.buffer(x.parts[i].buffer).element_bytes());
    made.pieces.push_back({i, std::move(what), made.bytes});
    made.bytes += bytes;
  }
  return made;
}

bool exchanges::receives_from(const tasks::command& c, int from, int to) const {
  using kind = tasks::collective_kind;
  switch (c.exchange->kind) {
  case kind::broadcast:
  case kind::scatter:
    return from == to_int(c.exchange->root);
  case kind::gather:
    return to == to_int(c.exchange->root);
  default:
    return true;
  }
}

std::shared_ptr<exchanges::local_plan> exchanges::make_plan(const tasks::command& c) const {
  using kind = tasks::collective_kind;
  auto made = std::make_shared<local_plan>();
  const tasks::collective& x = *c.exchange;
  if (reduces(x.kind))
    return made;
  std::size_t most = 0;
  const auto add = [&](std::vector<packet>& to, packet&& p) {
    most += p.bytes;
    if (!p.pieces.empty())
      to.push_back(std::move(p));
  };
  for (std::uint32_t m = 0; m < c.members.size(); ++m) {
    const int other = to_int(c.members.member(m));
    if (other == rank_)
      continue;
    if (receives_from(c, rank_, other))
      add(made->sends, make_packet(x, rank_, other));
    if (receives_from(c, other, rank_))
      add(made->receives, make_packet(x, other, rank_));
  }
  const bool all_ranks = c.members.size() == static_cast<std::uint32_t>(size_) && size_ > most_by_messages;
  // Every rank has to come to the same answer: from the size of the whole exchange.
  std::size_t whole = 0;
  for (const auto& part : x.parts)
    whole += bytes_of(tasks::region(part.where), around_.buffer(part.buffer).element_bytes());
  made->native = all_ranks && x.kind == kind::alltoall && whole <= std::numeric_limits<int>::max();
  if (made->native) {
    made->send_counts.assign(static_cast<std::size_t>(size_), 0);
    made->send_offsets = made->receive_counts = made->receive_offsets = made->send_counts;
    const auto lay_out = [](const std::vector<packet>& packets, std::vector<int>& counts,
                            std::vector<int>& offsets) {
      int at = 0;
      for (const packet& p : packets) {
        counts[static_cast<std::size_t>(p.rank)] = static_cast<int>(p.bytes);
        offsets[static_cast<std::size_t>(p.rank)] = at;
        at += static_cast<int>(p.bytes);
      }
    };
    lay_out(made->sends, made->send_counts, made->send_offsets);
    lay_out(made->receives, made->receive_counts, made->receive_offsets);
  } else if (all_ranks) {
    plan_in_place(x, *made);
  }
  return made;
}

/// Broadcast, gather, scatter and allgather of one buffer whose pieces lie in one piece each, nobody having any of it yet.
void exchanges::plan_in_place(const tasks::collective& x, local_plan& p) const {
  using kind = tasks::collective_kind;
  if (x.parts.size() != 1 || x.kind == kind::halo || !x.parts[0].held.empty())
    return;
  const tasks::exchange_part& part = x.parts[0];
  local_buffer& buffer = around_.buffer(part.buffer);
  const detail::allocation& memory = buffer.in(host_memory);
  const tasks::region everything = tasks::region(part.where);
  std::vector<int> counts, offsets;
  for (int r = 0; r < size_; ++r) {
    tasks::region own;
    switch (x.kind) {
    case kind::allgather:
      own = contribution(part, to_rank(r));
      break;
    case kind::gather:
      own = r == to_int(x.root) ? intersection(part.owner.piece(static_cast<std::uint32_t>(r)), everything)
                                : moved(part, to_rank(r), x.root);
      break;
    default: // scatter, broadcast: what a rank gets, or has from the start
      own = r == to_int(x.root) ? intersection(part.wanted.piece(static_cast<std::uint32_t>(r)), everything)
                                : moved(part, x.root, to_rank(r));
    }
    if (x.kind == kind::allgather) // whoever does not want all of it is better served by messages
      if (!part.wanted.piece(static_cast<std::uint32_t>(r)).contains(everything))
        return;
    if (x.kind == kind::broadcast && r != to_int(x.root) && !(own == contribution(part, x.root)))
      return;
    const std::byte* first =
        own.empty() ? static_cast<std::byte*>(memory.data) : contiguous(own, memory, buffer.element_bytes());
    if (!first)
      return;
    const std::size_t offset =
        static_cast<std::size_t>(first - static_cast<std::byte*>(memory.data)) / buffer.element_bytes();
    const auto count = static_cast<std::size_t>(own.volume());
    if (offset + count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      return;
    counts.push_back(static_cast<int>(count));
    offsets.push_back(static_cast<int>(offset));
  }
  p.native = p.in_place = true;
  p.element_counts = std::move(counts);
  p.element_offsets = std::move(offsets);
}

// --- the order of starts

void exchanges::expect(tasks::command_id id) {
  in_order_.push_back(std::make_shared<under_way>());
  expected_[id] = in_order_.back();
}

void exchanges::start(const tasks::command* command, std::optional<partial_result> partial,
                      task_function done) {
  const auto u = expected_.extract(command->id).mapped();
  u->command = command;
  u->partial = std::move(partial);
  u->done = std::move(done);
  u->plan = plan(*command);
  prepare(*u);
  go_on();
}

/// Brings what is sent to the host's memory, and waits for copies of what will be overwritten.
void exchanges::prepare(under_way& u) {
  auto waits = std::make_shared<std::size_t>(1);
  const auto one = [this, &u, waits] {
    if (--*waits == 0) {
      u.ready = true;
      go_on();
    }
  };
  const tasks::collective& x = u.exchange();
  for (const packet& p : u.plan->sends)
    for (const piece& send : p.pieces)
      *waits += around_.buffer(x.parts[send.part].buffer).bring(host_memory, send.what, one);
  for (const packet& p : u.plan->receives)
    for (const piece& receive : p.pieces)
      *waits += around_.buffer(x.parts[receive.part].buffer).quiet(receive.what, one);
  if (reduces(x.kind))
    for (const tasks::exchange_part& part : x.parts) {
      local_buffer& buffer = around_.buffer(part.buffer);
      *waits += buffer.quiet(wanted_by(part, rank_), one);
    }
  if (--*waits == 0)
    u.ready = true;
}

void exchanges::go_on() {
  while (!in_order_.empty() && in_order_.front()->ready) {
    const auto u = in_order_.front();
    in_order_.pop_front();
    begin(u);
  }
}

void exchanges::begin(const std::shared_ptr<under_way>& u) {
  if (reduces(u->exchange().kind))
    begin_reduction(u);
  else if (u->plan->native)
    begin_native(u);
  else
    begin_messages(u);
}

// --- data

void exchanges::pack_into(const under_way& u, const packet& p, std::byte* into) const {
  for (const piece& what : p.pieces) {
    local_buffer& buffer = around_.buffer(u.exchange().parts[what.part].buffer);
    pack(what.what, buffer.in(host_memory), buffer.element_bytes(), into + what.at);
  }
}

void exchanges::unpack_from(const under_way& u, const packet& p, const std::byte* from) const {
  for (const piece& what : p.pieces) {
    local_buffer& buffer = around_.buffer(u.exchange().parts[what.part].buffer);
    unpack(what.what, from + what.at, buffer.in(host_memory), buffer.element_bytes());
  }
}

void exchanges::begin_native(const std::shared_ptr<under_way>& u) {
  using kind = tasks::collective_kind;
  const tasks::collective& x = u->exchange();
  const local_plan& p = *u->plan;
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Comm comm = collectives_.comm();
  if (!p.in_place) {
    std::size_t sent = 0, received = 0;
    for (const packet& s : p.sends)
      sent += s.bytes;
    for (const packet& r : p.receives)
      received += r.bytes;
    u->sent.resize(sent);
    u->received.resize(received);
    for (const packet& s : p.sends)
      pack_into(*u, s, u->sent.data() + p.send_offsets[static_cast<std::size_t>(s.rank)]);
    check_mpi(MPI_Ialltoallv(u->sent.data(), p.send_counts.data(), p.send_offsets.data(), MPI_BYTE,
                             u->received.data(), p.receive_counts.data(), p.receive_offsets.data(), MPI_BYTE,
                             comm, &request),
              "MPI_Ialltoallv");
    around_.requests->add(request, [this, u](const MPI_Status&) {
      for (const packet& r : u->plan->receives)
        unpack_from(*u, r, u->received.data() + u->plan->receive_offsets[static_cast<std::size_t>(r.rank)]);
      arrived(u);
    });
    return;
  }
  local_buffer& buffer = around_.buffer(x.parts[0].buffer);
  MPI_Datatype& element = elements_.try_emplace(buffer.element_bytes(), MPI_DATATYPE_NULL).first->second;
  if (element == MPI_DATATYPE_NULL) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(buffer.element_bytes()), MPI_BYTE, &element),
              "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&element), "MPI_Type_commit");
  }
  auto* base = static_cast<std::byte*>(buffer.in(host_memory).data);
  const int root = x.root == tasks::no_rank ? 0 : to_int(x.root);
  const auto me = static_cast<std::size_t>(rank_);
  std::byte* mine = base + static_cast<std::size_t>(p.element_offsets[me]) * buffer.element_bytes();
  switch (x.kind) {
  case kind::allgather:
    check_mpi(MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, base, p.element_counts.data(),
                              p.element_offsets.data(), element, comm, &request),
              "MPI_Iallgatherv");
    break;
  case kind::gather:
    check_mpi(MPI_Igatherv(rank_ == root ? MPI_IN_PLACE : mine, p.element_counts[me], element, base,
                           p.element_counts.data(), p.element_offsets.data(), element, root, comm, &request),
              "MPI_Igatherv");
    break;
  case kind::scatter:
    check_mpi(MPI_Iscatterv(base, p.element_counts.data(), p.element_offsets.data(), element,
                            rank_ == root ? MPI_IN_PLACE : mine, p.element_counts[me], element, root, comm,
                            &request),
              "MPI_Iscatterv");
    break;
  default: { // broadcast: where all others have it
    const std::size_t other = root == 0 ? 1 : 0;
    check_mpi(MPI_Ibcast(base + static_cast<std::size_t>(p.element_offsets[other]) * buffer.element_bytes(),
                         p.element_counts[other], element, root, comm, &request),
              "MPI_Ibcast");
  }
  }
  around_.requests->add(request, [this, u](const MPI_Status&) { arrived(u); });
}

message_set::message exchanges::laid_out(const tasks::collective& x, const packet& p) const {
  message_set::message made{p.rank, p.bytes};
  if (p.pieces.size() == 1) {
    local_buffer& buffer = around_.buffer(x.parts[p.pieces[0].part].buffer);
    made.in_place = contiguous(p.pieces[0].what, buffer.in(host_memory), buffer.element_bytes());
  }
  return made;
}

/// Those of its signature, unless they are under way.
std::shared_ptr<message_set> exchanges::messages_of(const under_way& u) {
  local_plan& p = *u.plan;
  if (p.repeated && p.repeated.use_count() == 1)
    return p.repeated;
  std::vector<message_set::message> sends, receives;
  for (const packet& s : p.sends)
    sends.push_back(laid_out(u.exchange(), s));
  for (const packet& r : p.receives)
    receives.push_back(laid_out(u.exchange(), r));
  auto made = std::make_shared<message_set>(std::move(sends), std::move(receives));
  if (++p.uses == 2 && u.exchange().signature != 0) {
    made->prepare(messages_.comm(), exchange_tag);
    p.repeated = made;
  }
  return made;
}

void exchanges::begin_messages(const std::shared_ptr<under_way>& u) {
  const local_plan& p = *u->plan;
  u->messages = messages_of(*u);
  u->left = 1 + p.sends.size() + p.receives.size();
  const auto one = [this, u](std::size_t) {
    if (--u->left == 0)
      arrived(u);
  };
  u->messages->start_receives(*around_.requests, messages_.comm(), exchange_tag,
                              [this, u, one](std::size_t number) {
                                const message_set::message& m = u->messages->receives()[number];
                                if (!m.in_place)
                                  unpack_from(*u, u->plan->receives[number], m.at);
                                one(number);
                              });
  for (std::size_t i = 0; i < p.sends.size(); ++i)
    if (const message_set::message& m = u->messages->sends()[i]; !m.in_place)
      pack_into(*u, p.sends[i], m.at);
  u->messages->start_sends(*around_.requests, messages_.comm(), exchange_tag, one);
  one(0);
}

void exchanges::arrived(const std::shared_ptr<under_way>& u) {
  const tasks::collective& x = u->exchange();
  u->messages = nullptr; // free for the next one, which done() may start
  for (const packet& r : u->plan->receives)
    for (const piece& what : r.pieces)
      around_.buffer(x.parts[what.part].buffer).written(host_memory, what.what);
  if (x.kind == tasks::collective_kind::allgather || x.kind == tasks::collective_kind::broadcast)
    spread_to_devices(*u);
  u->done();
}

/// All ranks get all of it because their devices read all of it: one copy to each of them, at once, beside what comes next.
void exchanges::spread_to_devices(const under_way& u) const {
  for (int d = 0; d < around_.on->devices(); ++d)
    for (const packet& r : u.plan->receives)
      for (const piece& what : r.pieces)
        if (around_.on->memory_of(d) != host_memory)
          around_.buffer(u.exchange().parts[what.part].buffer).bring(around_.on->memory_of(d), what.what, [] {
          });
}

// --- reductions

/// From the first to the last element, in the order in which they lie, that a rank wants.
element_range exchanges::wanted_elements(const tasks::collective& x, int rank, std::size_t elements) const {
  element_range all;
  for (const tasks::exchange_part& part : x.parts) {
    const detail::extents& range = around_.buffer(part.buffer).range();
    const auto number = [&](const detail::extents& at) {
      return (at[0] * range[1] + at[1]) * range[2] + at[2];
    };
    for (const tasks::box& b : wanted_by(part, rank).boxes()) {
      const detail::index_box box = to_index_box(b);
      const std::size_t first = number(box.from);
      const std::size_t end = std::min(elements, number({box.to[0] - 1, box.to[1] - 1, box.to[2] - 1}) + 1);
      const std::size_t least = all.count ? std::min(all.first, first) : first;
      all = {least, std::max(all.end(), end) - least};
    }
  }
  return all;
}

void exchanges::begin_reduction(const std::shared_ptr<under_way>& u) {
  const tasks::collective& x = u->exchange();
  if (!u->partial)
    throw std::logic_error("a reduction has no contribution of this rank"); // executor::start gives one
  contributions all;
  all.how = u->partial->how;
  all.mine = std::move(u->partial->bytes);
  for (std::uint32_t m = 0; m < u->command->members.size(); ++m) {
    const int rank = to_int(u->command->members.member(m));
    if (rank == rank_)
      all.me = m;
    all.ranks.push_back(rank);
    all.wanted.push_back(wanted_elements(x, rank, all.how->elements));
  }
  combine_together(*around_.requests, reductions_.comm(), static_cast<std::uint64_t>(x.number),
                   std::move(all), [this, u](std::byte* result) { arrived_reduction(*u, result); });
}

void exchanges::arrived_reduction(under_way& u, std::byte* result) {
  for (const tasks::exchange_part& part : u.exchange().parts) {
    const tasks::region mine = wanted_by(part, rank_);
    local_buffer& buffer = around_.buffer(part.buffer);
    detail::allocation dense;
    dense.data = result;
    dense.range = buffer.range();
    for (const tasks::box& b : mine.boxes())
      copy_box({to_index_box(b), dense, buffer.in(host_memory), buffer.element_bytes()});
    buffer.written(host_memory, mine);
  }
  u.done();
}

} // namespace tacit::runtime
