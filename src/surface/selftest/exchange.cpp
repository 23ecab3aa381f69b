#include "surface/selftest/exchange.h"

#include "surface/selftest/hash.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tacit::surface {
namespace {

constexpr std::ptrdiff_t margin = 64;
/// Salts, so that choices for different purposes differ.
enum : std::uint64_t { of_units = 1, of_pairs, of_order, of_gaps, of_canaries, of_values };

std::uint64_t u(int value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

/// The bytes of an element. What an untouched receive buffer holds is the canary of no sender.
void write_value(unsigned char* to, std::size_t size, std::uint64_t exchange_number, const origin& from,
                 std::uint64_t element, int iteration) {
  const std::uint64_t value =
      hash({of_values, exchange_number, u(from.sender), u(from.slot), element, u(iteration)});
  std::memcpy(to, &value, size);
}

void fill_canaries(std::vector<unsigned char>& memory, bool sending, int iteration) {
  for (std::size_t i = 0; i < memory.size(); i += 8) {
    const std::uint64_t value = hash({of_canaries, sending, i, u(iteration)});
    std::memcpy(&memory[i], &value, std::min<std::size_t>(8, memory.size() - i));
  }
}

bool has_displacements(call what) {
  return what == call::allgatherv || what == call::alltoallv || what == call::alltoallw;
}

} // namespace

exchange::exchange(const variant& how, const topology& where, int rank, const sample_types& types,
                   MPI_Comm comm)
    : how_(how), where_(&where), types_(&types), rank_(rank),
      gathers_(how.what == call::allgather || how.what == call::allgatherv) {
  arguments_.what = how.what;
  arguments_.comm = comm;
  const int out = gathers_ ? 1 : static_cast<int>(where.destinations[at(rank)].size());
  for (int slot = 0; slot < out; ++slot)
    send_.blocks.push_back({0, 0, nullptr, {rank, slot}});
  for (int slot = 0; slot < static_cast<int>(where.sources[at(rank)].size()); ++slot)
    recv_.blocks.push_back({0, 0, nullptr, expected_origin(where, rank, slot)});
  lay_out(send_, arguments_.send, true, comm);
  lay_out(recv_, arguments_.recv, false, comm);
}

/// Which datatypes an edge has is said by its sender; a gathered block is the same for all edges.
std::size_t exchange::pair_of(int sender, int slot) const {
  if (!how_.mixed || how_.what != call::alltoallw)
    return how_.pair;
  return hash({of_pairs, how_.number, u(sender), u(slot)}) % types_->pairs().size();
}

int exchange::units_of(int sender, int slot) const {
  const bool can_vary = has_displacements(how_.what);
  if (!how_.vary || !can_vary)
    return how_.units;
  return static_cast<int>(hash({of_units, how_.number, u(sender), u(gathers_ ? 0 : slot)}) %
                          static_cast<std::uint64_t>(2 * how_.units + 1));
}

/// Where the blocks lie, relative to the buffer argument and in its unit (extents, or bytes for w); returns
/// the lowest byte that is used. Blocks never overlap: every sample type lies within its bounds.
std::ptrdiff_t exchange::place_blocks(side& layout, std::vector<std::ptrdiff_t>& places, bool sending) const {
  const bool in_bytes = how_.what == call::alltoallw;
  std::vector<int> order(layout.blocks.size());
  std::iota(order.begin(), order.end(), 0);
  choices random(hash({of_order, how_.number, u(rank_), sending}));
  const bool spread = how_.spread && has_displacements(how_.what) && !(sending && gathers_);
  if (spread)
    random.shuffle(order);
  std::ptrdiff_t next = 0;
  for (const int slot : order) {
    const block& b = layout.blocks[at(slot)];
    if (spread)
      next += std::ptrdiff_t{random.below(3)} * (in_bytes ? 8 : 1);
    places[at(slot)] = next;
    const std::ptrdiff_t bytes = b.count * b.type->extent;
    next += in_bytes ? (bytes + 7) / 8 * 8 : b.count;
    if (in_bytes)
      next += 16; // room for lower bounds that are not those of the block before
  }
  if (spread) { // the buffer argument points into the middle
    const std::ptrdiff_t middle = next / 2 / 8 * 8;
    for (std::ptrdiff_t& displacement : places)
      displacement -= middle;
    return -middle;
  }
  return 0;
}

void exchange::lay_out(side& layout, side_arguments& given, bool sending, MPI_Comm) {
  const std::vector<type_pair>& pairs = types_->pairs();
  for (block& b : layout.blocks) {
    // Nobody's block has a count and a type all the same.
    const int sender = b.from.sender == nobody ? rank_ : b.from.sender;
    const type_pair& pair = pairs[pair_of(sender, b.from.slot)];
    b.type = sending ? &pair.send : &pair.recv;
    b.count = units_of(sender, b.from.slot) * (sending ? pair.send_count : pair.recv_count);
  }
  const bool in_bytes = how_.what == call::alltoallw;
  const type_pair& usual = pairs[how_.pair];
  const sample_type& type = sending ? usual.send : usual.recv;
  const std::ptrdiff_t unit = in_bytes ? 1 : type.extent;
  std::vector<std::ptrdiff_t> places(layout.blocks.size());
  const std::ptrdiff_t low = place_blocks(layout, places, sending) * unit;
  const std::ptrdiff_t base = (margin - low + 7) / 8 * 8;
  std::ptrdiff_t high = base;
  for (std::size_t i = 0; i < places.size(); ++i) {
    block& b = layout.blocks[i];
    b.start = base + places[i] * unit;
    high = std::max(high, b.start + b.count * b.type->extent);
  }
  layout.memory.resize(static_cast<std::size_t>(high + margin));

  auto* const buffer = layout.memory.data() + base;
  given.buffer = how_.bottom && in_bytes ? MPI_BOTTOM : buffer;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const block& b = layout.blocks[i];
    given.counts.push_back(b.count);
    given.types.push_back(b.type->handle);
    given.displs.push_back(in_bytes ? 0 : static_cast<int>(places[i]));
    given.bytes.push_back(how_.bottom ? reinterpret_cast<MPI_Aint>(buffer) + places[i] : places[i]);
  }
  // What stands for all blocks, and for none.
  given.counts.push_back(how_.units * (sending ? usual.send_count : usual.recv_count));
  given.types.push_back(type.handle);
  given.displs.push_back(0);
  given.bytes.push_back(0);
}

template <typename Use>
void exchange::for_each_piece(const block& b, const Use& use) {
  std::uint64_t number = 0;
  for (int i = 0; i < b.count; ++i)
    for (const element& e : b.type->elements)
      use(piece{b.start + i * b.type->extent + e.offset, e.size, number++});
}

void exchange::write_blocks(std::vector<unsigned char>& memory, const side& layout, int iteration) const {
  for (const block& b : layout.blocks)
    if (b.from.sender != nobody)
      for_each_piece(b, [&](const piece& p) {
        const origin from{b.from.sender, gathers_ ? 0 : b.from.slot};
        write_value(&memory[static_cast<std::size_t>(p.start)], p.size, how_.number, from, p.number,
                    iteration);
      });
}

void exchange::fill(int iteration) {
  fill_canaries(send_.memory, true, iteration);
  write_blocks(send_.memory, send_, iteration);
  fill_canaries(recv_.memory, false, iteration);
}

std::string exchange::check(int iteration) const {
  std::vector<unsigned char> expected(recv_.memory.size());
  fill_canaries(expected, false, iteration);
  write_blocks(expected, recv_, iteration);
  if (const auto [wrong, right] = std::ranges::mismatch(recv_.memory, expected); right != expected.end())
    return describe(wrong - recv_.memory.begin(), iteration);
  expected.resize(send_.memory.size());
  fill_canaries(expected, true, iteration);
  write_blocks(expected, send_, iteration);
  if (const auto [wrong, right] = std::ranges::mismatch(send_.memory, expected); right != expected.end())
    return "the send buffer was changed at byte " + std::to_string(wrong - send_.memory.begin() - margin);
  return {};
}

std::string exchange::describe(std::ptrdiff_t where, int iteration) const {
  for (std::size_t slot = 0; slot < recv_.blocks.size(); ++slot) {
    const block& b = recv_.blocks[slot];
    const piece* hit = nullptr;
    piece found{};
    for_each_piece(b, [&](const piece& p) {
      if (!hit && where >= p.start && where < p.start + static_cast<std::ptrdiff_t>(p.size)) {
        found = p;
        hit = &found;
      }
    });
    if (!hit)
      continue;
    const std::string expected = b.from.sender == nobody
                                     ? "nothing (open boundary)"
                                     : "slot " + std::to_string(gathers_ ? 0 : b.from.slot) + " of rank " +
                                           std::to_string(b.from.sender);
    return "slot " + std::to_string(slot) + ", element " + std::to_string(found.number) + ": expected " +
           expected + ", got " +
           whose(&recv_.memory[static_cast<std::size_t>(found.start)], found, iteration);
  }
  return "byte " + std::to_string(where - margin) +
         " of the receive buffer belongs to no block and was written";
}

/// Whose element stands there instead of the right one.
std::string exchange::whose(const unsigned char* bytes, const piece& element, int iteration) const {
  unsigned char candidate[8];
  for (const int back : {0, 1})
    for (int sender = 0; sender < static_cast<int>(where_->destinations.size()); ++sender) {
      const int slots = gathers_ ? 1 : static_cast<int>(where_->destinations[at(sender)].size());
      for (int slot = 0; slot < slots; ++slot) {
        write_value(candidate, element.size, how_.number, {sender, slot}, element.number, iteration - back);
        if (std::memcmp(candidate, bytes, element.size) == 0)
          return "slot " + std::to_string(slot) + " of rank " + std::to_string(sender) +
                 (back ? " of the iteration before" : "");
      }
    }
  std::vector<unsigned char> untouched(recv_.memory.size());
  fill_canaries(untouched, false, iteration);
  const auto start = static_cast<std::size_t>(element.start);
  if (std::memcmp(&untouched[start], bytes, element.size) == 0)
    return "nothing";
  return "bytes that belong elsewhere";
}

std::string exchange::words() const {
  std::string text(call_names[static_cast<std::size_t>(how_.what)]);
  text += " of ";
  text += how_.mixed && how_.what == call::alltoallw ? "different types" : types_->pairs()[how_.pair].words;
  text += how_.units == 0 ? ", no elements" : how_.units > 100 ? ", long" : "";
  if (has_displacements(how_.what))
    text += std::string(how_.vary ? ", different counts" : "") + (how_.bottom ? ", MPI_BOTTOM" : "");
  return text;
}

} // namespace tacit::surface
