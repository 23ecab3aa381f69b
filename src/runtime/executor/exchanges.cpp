#include "runtime/executor/exchanges.h"

#include "runtime/executor/shapes.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tacit::runtime {

namespace {

tasks::rank_id to_rank(int rank) {
  return static_cast<tasks::rank_id>(rank);
}
int to_int(tasks::rank_id rank) {
  return static_cast<int>(rank);
}

/// Each message has its place in the order of exchanges.
constexpr int exchange_tag = 1;

/// Repeated exchanges that get channels, the first ones of a program: their memory is up to 256 KiB a message, and is kept.
constexpr int most_connections = 64;

/// What all ranks take alike, even if they were told different things.
known_variant variant_for_all(MPI_Comm world, bool crowded) {
  const std::string_view told = vocabulary::given(vocabulary::setting::task_exchanges);
  std::array<int, 3> any{crowded ? 1 : 0, told == "messages" ? 1 : 0, told == "collectives" ? 1 : 0};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, any.data(), 3, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
  if (any[1] || any[2])
    return {any[1] ? exchange_variant::messages : exchange_variant::collective, true};
  return variant_for(size_of(world), any[0] != 0);
}

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
  std::shared_ptr<repeated_exchange> repeated; ///< null: not of all ranks, or a reduction
  task_function done;
  bool ready = false;
  std::size_t waits = 0;                 ///< for copies
  std::size_t left = 0;                  ///< messages
  std::optional<partial_result> partial; ///< of reductions
  const tasks::collective& exchange() const { return *command->exchange; }
};

exchanges::exchanges(MPI_Comm world, surroundings around)
    : collectives_(private_communicator::like(world)), messages_(private_communicator::like(world)),
      reductions_(private_communicator::like(world)), connecting_(private_communicator::like(world)),
      rank_(rank_in(world)), size_(size_of(world)), around_(std::move(around)),
      known_(variant_for_all(world, !around_.may_use_memory)),
      trials_([this](std::vector<double> mine, std::function<void(const std::vector<double>&)> then) {
        agree(std::move(mine), std::move(then));
      }) {}

void exchanges::abandon() noexcept {
  for (const auto& [signature, plan] : plans_)
    if (plan->repeated)
      plan->repeated->keep();
  for (const auto& [signature, repeated] : repeated_) {
    if (repeated->native)
      repeated->native->keep();
    if (repeated->shared)
      repeated->shared->keep();
  }
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

std::shared_ptr<exchanges::local_plan> exchanges::make_plan(const tasks::command& c) {
  auto made = std::make_shared<local_plan>();
  const tasks::collective& x = *c.exchange;
  if (reduces(x.kind))
    return made;
  const auto add = [&](std::vector<packet>& to, packet&& p) {
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
  return made;
}

/// Of an exchange of all ranks. Null: it goes as messages.
std::shared_ptr<native_exchange> exchanges::make_native(const tasks::collective& x, const local_plan& p) {
  if (known_.settled && known_.first == exchange_variant::messages)
    return nullptr;
  return x.kind == tasks::collective_kind::alltoall ? alltoall_of(x, p) : in_place(x);
}

/// Null if it is too long for MPI's counts. Every rank has to come to the same answer: from what all want together, which no rank alone
/// exceeds in what it sends or gets.
std::shared_ptr<native_exchange> exchanges::alltoall_of(const tasks::collective& x,
                                                        const local_plan& p) const {
  std::size_t wanted = 0;
  for (const auto& part : x.parts)
    for (int rank = 0; rank < size_; ++rank)
      wanted += bytes_of(wanted_by(part, rank), around_.buffer(part.buffer).element_bytes());
  if (wanted > std::numeric_limits<int>::max())
    return nullptr;
  const auto counts = [this](const std::vector<packet>& packets) {
    std::vector<int> bytes(static_cast<std::size_t>(size_), 0);
    for (const packet& one : packets)
      bytes[static_cast<std::size_t>(one.rank)] = static_cast<int>(one.bytes);
    return bytes;
  };
  return std::make_shared<native_exchange>(counts(p.sends), counts(p.receives));
}

/// What a rank contributes to a collective in place, or gets from it, or nothing if it cannot be one.
std::optional<tasks::region> exchanges::piece_in_place(const tasks::collective& x, int rank) const {
  using kind = tasks::collective_kind;
  const tasks::exchange_part& part = x.parts[0];
  const tasks::region everything = tasks::region(part.where);
  const auto number = static_cast<std::uint32_t>(rank);
  const bool root = rank == to_int(x.root);
  if (x.kind == kind::allgather) { // whoever does not want all of it is better served by messages
    if (!part.wanted.piece(number).contains(everything))
      return std::nullopt;
    return contribution(part, to_rank(rank));
  }
  if (x.kind == kind::gather)
    return root ? intersection(part.owner.piece(number), everything) : moved(part, to_rank(rank), x.root);
  // scatter, broadcast: what a rank gets, or has from the start
  tasks::region own =
      root ? intersection(part.wanted.piece(number), everything) : moved(part, x.root, to_rank(rank));
  if (x.kind == kind::broadcast && !root && !(own == contribution(part, x.root)))
    return std::nullopt;
  return own;
}

/// Broadcast, gather, scatter and allgather of one buffer whose pieces lie in one piece each, nobody having any of it yet. Else null.
std::shared_ptr<native_exchange> exchanges::in_place(const tasks::collective& x) {
  using kind = tasks::collective_kind;
  using native = native_exchange::kind;
  if (x.parts.size() != 1 || x.kind == kind::halo || !x.parts[0].held.empty())
    return nullptr;
  local_buffer& buffer = around_.buffer(x.parts[0].buffer);
  const detail::allocation& memory = buffer.in(host_memory);
  auto* base = static_cast<std::byte*>(memory.data);
  std::vector<int> counts, offsets;
  for (int r = 0; r < size_; ++r) {
    const std::optional<tasks::region> own = piece_in_place(x, r);
    const std::byte* first = !own           ? nullptr
                             : own->empty() ? base
                                            : contiguous(*own, memory, buffer.element_bytes());
    if (!first)
      return nullptr;
    const std::size_t offset = static_cast<std::size_t>(first - base) / buffer.element_bytes();
    const auto count = static_cast<std::size_t>(own->volume());
    if (offset + count > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      return nullptr;
    counts.push_back(static_cast<int>(count));
    offsets.push_back(static_cast<int>(offset));
  }
  const native what = x.kind == kind::allgather ? native::allgather
                      : x.kind == kind::gather  ? native::gather
                      : x.kind == kind::scatter ? native::scatter
                                                : native::broadcast;
  return std::make_shared<native_exchange>(what, x.root == tasks::no_rank ? 0 : to_int(x.root), base,
                                           element_type(buffer.element_bytes()), buffer.element_bytes(),
                                           std::move(counts), std::move(offsets));
}

MPI_Datatype exchanges::element_type(std::size_t bytes) {
  MPI_Datatype& element = elements_.try_emplace(bytes, MPI_DATATYPE_NULL).first->second;
  if (element == MPI_DATATYPE_NULL) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &element), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&element), "MPI_Type_commit");
  }
  return element;
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
  u.waits = 1;
  const task_function one = [this, &u] {
    if (--u.waits == 0) {
      u.ready = true;
      go_on();
    }
  };
  const tasks::collective& x = u.exchange();
  for (const packet& p : u.plan->sends)
    for (const piece& send : p.pieces)
      u.waits += around_.buffer(x.parts[send.part].buffer).bring(host_memory, send.what, one);
  for (const packet& p : u.plan->receives)
    for (const piece& receive : p.pieces)
      u.waits += around_.buffer(x.parts[receive.part].buffer).quiet(receive.what, one);
  if (reduces(x.kind))
    for (const tasks::exchange_part& part : x.parts) {
      local_buffer& buffer = around_.buffer(part.buffer);
      u.waits += buffer.quiet(wanted_by(part, rank_), one);
    }
  if (--u.waits == 0)
    u.ready = true;
}

void exchanges::go_on() {
  while (!in_order_.empty() && in_order_.front()->ready) {
    const auto u = in_order_.front();
    if (!u->repeated)
      u->repeated = repeated_of(*u);
    if (u->repeated && !u->repeated->may_start())
      return;
    in_order_.pop_front();
    begin(u);
  }
}

void exchanges::begin(const std::shared_ptr<under_way>& u) {
  if (reduces(u->exchange().kind))
    begin_reduction(u);
  else if (u->repeated && u->repeated->native &&
           trials_.next(u->repeated->tried, MPI_Wtime()) == exchange_variant::collective)
    begin_native(u);
  else
    begin_messages(u);
}

/// For a trial: what waits for the result may start then.
void exchanges::agree(std::vector<double> mine, std::function<void(const std::vector<double>&)> then) {
  const auto numbers = std::make_shared<std::vector<double>>(std::move(mine));
  const auto start = [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, numbers->data(), static_cast<int>(numbers->size()), MPI_DOUBLE,
                             MPI_MAX, collectives_.comm(), &request),
              "MPI_Iallreduce");
    return request;
  };
  around_.requests->add(start, [this, numbers, then = std::move(then)](const MPI_Status&) {
    then(*numbers);
    go_on();
  });
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

/// To be called for each exchange, in their order. Null: it is not one that all ranks know. What begins anew here does on all ranks, with
/// a native exchange of its own: that of a plan, which each rank forgets at times of its own, might be persistent here only.
std::shared_ptr<exchanges::repeated_exchange> exchanges::repeated_of(const under_way& u) {
  constexpr std::size_t most_kept = 64;
  if (u.command->members.size() != static_cast<std::uint32_t>(size_) || reduces(u.exchange().kind))
    return nullptr;
  const std::uint64_t key = u.exchange().signature;
  if (const auto known = repeated_.find(key); key != 0 && known != repeated_.end())
    return known->second;
  auto made = std::make_shared<repeated_exchange>();
  made->native = make_native(u.exchange(), *u.plan);
  *made->tried = {known_.first, known_.settled || key == 0};
  if (key != 0) {
    if (repeated_.size() >= 2 * most_kept)
      std::erase_if(repeated_, [](const auto& entry) { return !entry.second->connects; });
    repeated_[key] = made;
  }
  return made;
}

void exchanges::begin_native(const std::shared_ptr<under_way>& u) {
  repeated_exchange& repeated = *u->repeated;
  native_exchange& native = *repeated.native;
  native.make_room();
  if (++repeated.uses_of_native == 2)
    native.prepare(collectives_.comm());
  if (native.packed())
    for (const packet& s : u->plan->sends)
      pack_into(*u, s, native.sent_to(s.rank));
  repeated.under_way = true;
  const auto start = [&] { return native.start(collectives_.comm()); };
  around_.requests->add(start, [this, u](const MPI_Status&) {
    native_exchange& done = *u->repeated->native;
    if (done.packed())
      for (const packet& r : u->plan->receives)
        unpack_from(*u, r, done.received_from(r.rank));
    ended(u);
  });
}

/// One that waits for this one may start now.
void exchanges::ended(const std::shared_ptr<under_way>& u) {
  u->repeated->under_way = false;
  arrived(u);
  go_on();
}

message_set::message exchanges::laid_out(const tasks::collective& x, const packet& p) const {
  message_set::message made{p.rank, p.bytes};
  if (p.pieces.size() == 1) {
    local_buffer& buffer = around_.buffer(x.parts[p.pieces[0].part].buffer);
    made.in_place = contiguous(p.pieces[0].what, buffer.in(host_memory), buffer.element_bytes());
  }
  return made;
}

std::shared_ptr<message_set> exchanges::new_messages(const under_way& u) const {
  std::vector<message_set::message> sends, receives;
  for (const packet& s : u.plan->sends)
    sends.push_back(laid_out(u.exchange(), s));
  for (const packet& r : u.plan->receives)
    receives.push_back(laid_out(u.exchange(), r));
  return std::make_shared<message_set>(std::move(sends), std::move(receives));
}

/// To be called by all ranks, in the order of exchanges: the number of the connection is the same on all.
void exchanges::connect(const under_way& u) {
  repeated_exchange& repeated = *u.repeated;
  if (connections_ == most_connections || u.exchange().signature == 0)
    return;
  const int number = connections_++;
  repeated.connects = true;
  repeated.shared = new_messages(u);
  if (!repeated.shared->may_share(around_.beside, around_.may_use_memory)) {
    repeated.shared = nullptr;
    return;
  }
  repeated.shared->connect(*around_.requests, connecting_.comm(), number, [this, r = u.repeated] {
    if (r->shared->shares())
      r->shared->prepare(messages_.comm(), exchange_tag);
    else
      r->shared = nullptr;
    go_on();
  });
}

/// Those that go through memory; or those of its signature, unless they are under way.
std::shared_ptr<message_set> exchanges::messages_of(const under_way& u) {
  const bool connecting = u.repeated && u.repeated->shared;
  if (connecting && u.repeated->uses > 2)
    return u.repeated->shared;
  local_plan& p = *u.plan;
  if (p.repeated && p.repeated.use_count() == 1)
    return p.repeated;
  auto made = new_messages(u);
  if (++p.uses >= 2 && !p.repeated && !connecting && u.exchange().signature != 0) {
    made->prepare(messages_.comm(), exchange_tag);
    p.repeated = made;
  }
  return made;
}

/// All goes through memory.
void exchanges::begin_channels(const std::shared_ptr<under_way>& u) {
  message_set& messages = *u->messages;
  for (std::size_t i = 0; i < u->plan->sends.size(); ++i)
    if (const message_set::message& m = messages.sends()[i]; !m.in_place)
      pack_into(*u, u->plan->sends[i], m.at);
  u->repeated->under_way = true;
  messages.start_channels(*around_.requests, [this, u] {
    for (std::size_t i = 0; i < u->plan->receives.size(); ++i)
      if (const message_set::message& m = u->messages->receives()[i]; !m.in_place)
        unpack_from(*u, u->plan->receives[i], m.at);
    ended(u);
  });
}

void exchanges::begin_messages(const std::shared_ptr<under_way>& u) {
  const local_plan& p = *u->plan;
  if (u->repeated && ++u->repeated->uses == 2)
    connect(*u);
  if (u->repeated && u->repeated->native && u->repeated->tried->settled && !u->repeated->tried->agreeing)
    u->repeated->native->release();
  u->messages = messages_of(*u);
  message_set& messages = *u->messages;
  if (messages.by_mpi() == 0 && messages.shares())
    return begin_channels(u);
  u->left = 2 + messages.by_mpi();
  const auto one = [this, u](std::size_t) {
    if (--u->left == 0)
      u->repeated && u->repeated->under_way ? ended(u) : arrived(u);
  };
  const auto take = [this, u](std::size_t number) {
    if (const message_set::message& m = u->messages->receives()[number]; !m.in_place)
      unpack_from(*u, u->plan->receives[number], m.at);
  };
  const auto receive = [&] {
    messages.start_receives(*around_.requests, messages_.comm(), exchange_tag,
                            [take, one](std::size_t number) {
                              take(number);
                              one(number);
                            });
  };
  const auto send = [&] {
    for (std::size_t i = 0; i < p.sends.size(); ++i)
      if (const message_set::message& m = messages.sends()[i]; !m.in_place)
        pack_into(*u, p.sends[i], m.at);
    messages.start_sends(*around_.requests, messages_.comm(), exchange_tag, one);
  };
  // A receive that finds a long message announced copies it at once: before this rank has announced its own, the two copies would
  // take place one after the other. Short ones had better find their receives.
  if (messages.sends_long_ones()) {
    send();
    receive();
  } else {
    receive();
    send();
  }
  if (messages.shares()) {
    u->repeated->under_way = true;
    messages.start_channels(*around_.requests, [u, take, one] {
      for (std::size_t i = 0; i < u->plan->receives.size(); ++i)
        if (u->messages->receives_by_channel(i))
          take(i);
      one(0);
    });
  } else {
    one(0);
  }
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
  combine_together(*around_.requests, reductions_.comm(), static_cast<std::uint64_t>(u->command->number),
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
