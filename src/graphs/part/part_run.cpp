// Every rank executes its own operations on descriptors: a send tells where the bytes of its message were when the graph began, a
// receive notes that about the bytes it fills. What stays noted at the end are the rank's final receives (flow.h), and no rank has seen
// more of the graph than its own part and the messages to it.
//
// Matching   is by numbers, not by the order in which messages travel: a message says the how manieth it is from its sender with its
//            communicator and tag, in order of creation, and goes to the receive with that number (SEMANTICS 1). So operations may be carried out in any
//            order that their dependencies allow, and messages may be put together.
// Parcels    Everything that can be sent before something must be received goes to each rank in one parcel. In it, messages that follow
//            each other, with bytes that follow each other, are one run (rank and address advance by constants): 4,096 messages from one
//            array to one rank are 56 bytes.
// Trust      A part's own dependencies order whatever its operations have in common (`may_race`, which is asked apart); so the order
//            does not matter. What is wrong with a graph (a message without receive, or of another length) is noted, and the one rank that
//            then gets all parts says what it is.
//
// Cost O(operations log operations + fragments moved).
#include "graphs/part/part_run.h"

#include "graphs/flow/live_bytes.h"
#include "graphs/graph/segments.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace tacit::graphs {
namespace {

/// Messages of a parcel: `count` from `first` on, with this communicator and tag. Its fragments follow; with several messages it is one, and each
/// message's begins `stride` bytes behind that of the message before.
struct run_head {
  std::uint64_t comm = 0;
  std::int32_t tag = 0;
  std::uint32_t first = 0, count = 1, fragments = 0;
  std::int64_t stride = 0;
};

struct told_fragment {
  std::uint64_t source_address = 0, length = 0;
  std::uint32_t source = 0, unused = 0;
};

template <typename T>
void put(std::vector<std::byte>& into, const T& value) {
  const std::size_t at = into.size();
  into.resize(at + sizeof value);
  std::memcpy(into.data() + at, &value, sizeof value);
}

template <typename T>
T get(std::span<const std::byte> from, std::size_t at) {
  if (at > from.size() || sizeof(T) > from.size() - at)
    throw std::runtime_error("a parcel ends early");
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

} // namespace

part_run::part_run(const graph& part, rank_id self, const flow_options& budget,
                   std::span<const std::uint64_t> names)
    : g_(part), self_(self), names_(names.begin(), names.end()), most_moved_(budget.fragment_budget),
      left_(part.size()), budget_(budget.memory_budget), memory_(self),
      content_(counted_allocator<fragment>(budget_)), missing_(part.size(), 0), carried_out_(part.size(), 0),
      number_(part.size(), 0), box_of_(part.ranks(), none) {
  receives_ = channels_of(op_kind::recv);
  number_sends();
  list_successors();
  for (std::uint32_t i = 0; i < g_.size(); ++i) {
    missing_[i] += g_.operations()[i].kind == op_kind::recv ? 1 : 0;
    if (missing_[i] == 0)
      ready_.push_back(i);
  }
}

part_run::channels part_run::channels_of(op_kind kind) const {
  channels out;
  for (std::uint32_t i = 0; i < g_.size(); ++i)
    if (g_.operations()[i].kind == kind)
      out.list.push_back(i);
  const auto key = [&](std::uint32_t i) {
    const operation& o = g_.operations()[i];
    return std::tuple(o.peer, name_of(o.comm), o.tag);
  };
  const auto before = [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); };
  if (!std::is_sorted(out.list.begin(), out.list.end(), before))
    std::stable_sort(out.list.begin(), out.list.end(), before);
  for (std::uint32_t i = 0; i < out.list.size(); ++i) {
    const auto [peer, comm, tag] = key(out.list[i]);
    if (i == 0 || key(out.list[i - 1]) != std::tuple(peer, comm, tag))
      out.all.push_back({static_cast<std::uint32_t>(index(peer)), comm, tag, i, 0});
    ++out.all.back().count;
  }
  return out;
}

std::uint64_t part_run::name_of(comm_id comm) const {
  return comm == world || names_.empty() ? index(comm) : names_[index(comm) - 1];
}

const part_run::channel* part_run::channels::find(std::uint32_t peer, const message& which) const {
  const auto wanted = std::tie(peer, which.comm, which.tag);
  const auto key = [](const channel& c) { return std::tie(c.peer, c.comm, c.tag); };
  const auto at =
      std::partition_point(all.begin(), all.end(), [&](const channel& c) { return key(c) < wanted; });
  return at != all.end() && key(*at) == wanted ? &*at : nullptr;
}

void part_run::number_sends() {
  const channels sends = channels_of(op_kind::send);
  for (const channel& c : sends.all)
    for (std::uint32_t k = 0; k < c.count; ++k)
      number_[sends.list[c.first + k]] = k;
}

void part_run::list_successors() {
  first_after_.assign(g_.size() + 1, 0);
  for (const dependency& d : g_.dependencies()) {
    ++first_after_[index(d.before) + 1];
    ++missing_[index(d.after)];
  }
  std::partial_sum(first_after_.begin(), first_after_.end(), first_after_.begin());
  after_.resize(g_.dependencies().size());
  std::vector<std::uint32_t> next(first_after_.begin(), first_after_.end() - 1);
  for (const dependency& d : g_.dependencies())
    after_[next[index(d.before)]++] = static_cast<std::uint32_t>(index(d.after));
}

void part_run::advance() {
  while (!ready_.empty()) {
    const std::uint32_t op = ready_.front();
    ready_.pop_front();
    carry_out(op);
  }
}

/// A receive comes here only after its message was parked.
void part_run::carry_out(std::uint32_t op) {
  content_.clear();
  switch (g_.operations()[op].kind) {
  case op_kind::send:
    load(op);
    send(op);
    break;
  case op_kind::copy:
    load(op);
    store(op);
    break;
  case op_kind::recv: {
    const auto message = parked_.extract(op);
    try {
      content_.assign(message.mapped().begin(), message.mapped().end());
    } catch (const over_budget&) {
      give_up();
    }
    store(op);
    break;
  }
  default:
    note(part_refusal::kinds);
    break;
  }
  complete(op);
}

void part_run::complete(std::uint32_t op) {
  carried_out_[op] = 1;
  --left_;
  for (std::uint32_t i = first_after_[op]; i < first_after_[op + 1]; ++i)
    release(after_[i]);
}

void part_run::release(std::uint32_t op) {
  if (--missing_[op] == 0)
    ready_.push_back(op);
}

op_id part_run::first_left() const {
  const auto at = std::find(carried_out_.begin(), carried_out_.end(), char{0});
  return at == carried_out_.end() ? no_op : op_id{static_cast<std::uint32_t>(at - carried_out_.begin())};
}

/// Beyond the budget everybody still gets every message, but an empty one.
void part_run::count_moved(std::size_t fragments) {
  moved_ += fragments;
  if (moved_ > most_moved_)
    give_up();
}

void part_run::give_up() {
  given_up_ = true;
  note(part_refusal::budget);
}

void part_run::load(std::uint32_t op) {
  if (given_up_)
    return;
  try {
    std::uint64_t offset = 0;
    for (const segment& s : g_.reads(op_id{op}))
      if (s.length > 0) {
        memory_.read(s, offset, content_);
        offset += s.length;
      }
    count_moved(content_.size());
  } catch (const over_budget&) {
    content_.clear();
    give_up();
  }
}

/// What is longer than its message is filled from its beginning.
void part_run::store(std::uint32_t op) {
  if (given_up_)
    return;
  const std::span<const segment> into = g_.writes(op_id{op});
  const std::uint64_t length = content_.empty() ? 0 : content_.back().end();
  if (total_length(into) < length)
    return note(part_refusal::lengths);
  count_moved(content_.size());
  try {
    std::uint64_t offset = 0;
    std::size_t next = 0;
    for (const segment& s : into) {
      const std::uint64_t end = offset + s.length, last = std::min(end, length);
      while (offset < last) {
        const std::uint64_t stop = std::min(last, content_[next].end());
        fragment part = content_[next].part(offset, stop);
        part.address = s.address + (s.length - (end - offset));
        memory_.write(part, budget_);
        next += stop == content_[next].end() ? 1 : 0;
        offset = stop;
      }
    }
  } catch (const over_budget&) {
    give_up();
  }
}

void part_run::send(std::uint32_t op) {
  const operation& o = g_.operations()[op];
  const message which{name_of(o.comm), o.tag, number_[op]};
  if (o.peer == self_)
    return arrive(static_cast<std::uint32_t>(index(self_)), which);
  std::uint32_t& at = box_of_[index(o.peer)];
  if (at == none) {
    at = static_cast<std::uint32_t>(boxes_.size());
    boxes_.push_back({o.peer, {}, ~std::size_t{0}});
  }
  append_run(boxes_[at], which);
}

/// True if the message in `content_` continues the last run of the box.
bool part_run::extend_run(outbox& box, message which) const {
  if (box.last == ~std::size_t{0} || content_.size() != 1)
    return false;
  auto head = get<run_head>(box.bytes, box.last);
  const auto first = get<told_fragment>(box.bytes, box.last + sizeof head);
  const fragment& f = content_.front();
  if (head.fragments != 1 || head.comm != which.comm || head.tag != which.tag ||
      head.first + head.count != which.number || first.source != index(f.source) || first.length != f.length)
    return false;
  const std::uint64_t distance = f.source_address - first.source_address;
  if (head.count == 1)
    head.stride = static_cast<std::int64_t>(distance);
  else if (distance != static_cast<std::uint64_t>(head.stride) * head.count)
    return false;
  ++head.count;
  std::memcpy(box.bytes.data() + box.last, &head, sizeof head);
  return true;
}

void part_run::append_run(outbox& box, message which) {
  if (extend_run(box, which))
    return;
  box.last = box.bytes.size();
  put(box.bytes,
      run_head{which.comm, which.tag, which.number, 1, static_cast<std::uint32_t>(content_.size()), 0});
  for (const fragment& f : content_)
    put(box.bytes, told_fragment{f.source_address, f.length, static_cast<std::uint32_t>(index(f.source)), 0});
}

std::vector<parcel> part_run::take_parcels() {
  std::vector<parcel> out;
  out.reserve(boxes_.size());
  for (outbox& box : boxes_) {
    box_of_[index(box.to)] = none;
    out.push_back({box.to, std::move(box.bytes)});
  }
  boxes_.clear();
  return out;
}

void part_run::deliver(rank_id from, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto head = get<run_head>(bytes, at);
    at += sizeof head;
    const std::size_t pieces = at;
    for (std::uint32_t k = 0; k < head.count; ++k) {
      content_.clear();
      std::uint64_t offset = 0;
      try {
        for (std::uint32_t i = 0; i < head.fragments; ++i) {
          const auto p = get<told_fragment>(bytes, pieces + i * sizeof(told_fragment));
          content_.push_back({offset, p.length,
                              p.source_address + static_cast<std::uint64_t>(head.stride) * k,
                              rank_id{p.source}, 0});
          offset += p.length;
        }
      } catch (const over_budget&) {
        content_.clear();
        give_up();
      }
      arrive(static_cast<std::uint32_t>(index(from)), {head.comm, head.tag, head.first + k});
    }
    at = pieces + head.fragments * sizeof(told_fragment);
  }
}

void part_run::arrive(std::uint32_t from, message which) {
  if (!last_channel_ || last_channel_->peer != from || last_channel_->comm != which.comm ||
      last_channel_->tag != which.tag)
    last_channel_ = receives_.find(from, which);
  if (!last_channel_ || which.number >= last_channel_->count)
    return note(part_refusal::unmatched);
  const std::uint32_t op = receives_.list[last_channel_->first + which.number];
  if (missing_[op] == 1) {
    missing_[op] = 0;
    store(op);
    return complete(op);
  }
  parked_[op].assign(content_.begin(), content_.end());
  release(op);
}

std::vector<transfer> part_run::result() const {
  std::vector<transfer> list;
  live_bytes live(g_);
  memory_.each([&](const fragment& whole) {
    live.filter(self_, whole, [&](const fragment& f) {
      list.push_back({f.address, f.source_address, f.length, f.source, self_});
    });
  });
  return list;
}

namespace {

/// What all operations read, or write, in the order of addresses.
std::vector<segment> in_order_of_addresses(const graph& part,
                                           std::span<const segment> (graph::*bytes)(op_id) const) {
  std::vector<segment> all;
  all.reserve(part.size());
  for (std::uint32_t i = 0; i < part.size(); ++i)
    for (const segment& s : (part.*bytes)(op_id{i}))
      if (s.length > 0)
        all.push_back(s);
  const auto before = [](const segment& a, const segment& b) { return a.address < b.address; };
  if (!std::is_sorted(all.begin(), all.end(), before)) // as programs list their buffers
    std::sort(all.begin(), all.end(), before);
  return all;
}

/// Some byte is touched twice and written at least once, in whatever order.
bool overlaps(const graph& part) {
  std::vector<segment> writes = in_order_of_addresses(part, &graph::writes);
  const auto meet = [](const segment& a, const segment& b) { return b.address - a.address < a.length; };
  if (std::adjacent_find(writes.begin(), writes.end(), meet) != writes.end())
    return true;
  return overlap_in_order(normalized(in_order_of_addresses(part, &graph::reads)),
                          normalized(std::move(writes)));
}

} // namespace

void only_declared_is_read(graph& part, rank_id self) {
  part.live_out(self, {});
}

bool may_race(const graph& part, rank_id self) {
  if (!overlaps(part))
    return false;
  // Receives stand without their sends here, so what they write is that of a computation.
  graph alone(part.ranks());
  run_order order;
  for (std::uint32_t i = 0; i < part.size(); ++i)
    order.order.push_back(alone.opaque(self, part.reads(op_id{i}), part.writes(op_id{i})));
  for (const dependency& d : part.dependencies())
    alone.depend(d.before, d.after);
  diagnostics problems;
  check_races(alone, {std::vector<op_id>(alone.size(), no_op)}, order, problems);
  return has_errors(problems);
}

} // namespace tacit::graphs
