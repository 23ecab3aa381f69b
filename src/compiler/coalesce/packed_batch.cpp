// A record is a head and then values, one behind the other, and then what they are
//
//     words   {number, bits} of words of places: which of them have a value
//     pieces  {offset, bytes}; they may overlap, and take effect in this order
//
// It ends when it has `most_entries` of them, or no room for the values of another.
//
// Integers are combined by the functions that combine them before they are sent. Sums and products of floating-point numbers are one
// addition or multiplication each, as MPI's are.
#include "compiler/coalesce/packed_batch.h"

#include <algorithm>

namespace tacit::compiler {
namespace {

struct record_head {
  std::uint32_t op; ///< of `ops`
  arithmetic kind;
  std::uint8_t element_bytes_log2;
  bool has_words;
  std::uint64_t entries; ///< words or pieces
  std::uint64_t bytes;   ///< of the values
};
static_assert(sizeof(record_head) % 8 == 0);

struct record_entry {
  std::uint64_t at;   ///< number of a word; offset of a piece
  std::uint64_t what; ///< bits; bytes
};

constexpr std::size_t most_entries = 128, most_values = 16 * 1024;
static_assert(sizeof(record_head) + most_values + most_entries * sizeof(record_entry) <= largest_record);
static_assert(most_values >= std::size_t{16} * numbered_table::word_bits);

constexpr std::uint32_t no_op = UINT32_MAX;

/// A put stores, as MPI_REPLACE does.
MPI_Op op_of(std::uint32_t number) {
  const MPI_Op ops[] = {MPI_REPLACE, MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX, MPI_BAND,
                        MPI_BOR,     MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR};
  return number < sizeof ops / sizeof *ops ? ops[number] : MPI_OP_NULL;
}

std::uint32_t number_of(MPI_Op op) {
  for (std::uint32_t n = 0; op_of(n) != MPI_OP_NULL; ++n)
    if (op_of(n) == op)
      return n;
  return no_op;
}

template <typename T, bool Adds>
bool compute(void* collected, const void* value) {
  T a, b;
  std::memcpy(&a, collected, sizeof a);
  std::memcpy(&b, value, sizeof b);
  a = Adds ? a + b : a * b;
  std::memcpy(collected, &a, sizeof a);
  return true;
}

/// Null: the target had better leave it to MPI. Minimum and maximum are compared by MPI libraries in ways of their own (combine.cpp).
combiner carrier_of(MPI_Op op, const element_type& element) {
  const bool compares = op == MPI_MIN || op == MPI_MAX;
  if (element.kind == arithmetic::none || (compares && element.kind != arithmetic::sign))
    return nullptr;
  if (element.kind != arithmetic::real || op == MPI_REPLACE)
    return combiner_of(op, element);
  const bool wide = element.extent == sizeof(double);
  if (op == MPI_SUM)
    return wide ? compute<double, true> : compute<float, true>;
  if (op == MPI_PROD)
    return wide ? compute<double, false> : compute<float, false>;
  return nullptr;
}

bool is_stored(const batch& b) {
  return b.key.what == operation::put ||
         (b.key.what == operation::accumulate && b.key.op == MPI_REPLACE && b.element.solid);
}

std::size_t round_up(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

std::size_t bytes_of(const record_head& head) {
  return sizeof head + round_up(head.bytes) + head.entries * sizeof(record_entry);
}

record_head head_at(const char* packed) {
  record_head head;
  std::memcpy(&head, packed, sizeof head);
  return head;
}

/// Appends records of one batch. What it has begun to write lies behind the end of `to` until the record ends.
class packer {
public:
  packer(growable<char>& to, const batch& b) : to_(to), begin_(to.size) {
    head_.op = b.key.what == operation::put ? 0 : number_of(b.key.op);
    head_.kind = b.element.kind;
    head_.element_bytes_log2 = static_cast<std::uint8_t>(__builtin_ctz(b.element_bytes));
  }

  /// Its values, so many bytes, are what comes next. False: there is no memory.
  bool add(bool word, const record_entry& entry, std::size_t bytes) {
    if (head_.entries == most_entries || head_.bytes + bytes > most_values || word != head_.has_words)
      end_record();
    if (head_.entries == 0) {
      budget memory = unlimited();
      if (!to_.make_room(memory, largest_record))
        return false;
      head_.has_words = word;
    }
    entries_[head_.entries++] = entry;
    return true;
  }
  void value(const char* from, std::size_t bytes) {
    std::memcpy(to_.data + to_.size + sizeof head_ + head_.bytes, from, bytes);
    head_.bytes += bytes;
  }
  void end_record() {
    if (head_.entries == 0)
      return;
    char* const to = to_.data + to_.size;
    std::memcpy(to, &head_, sizeof head_);
    std::memcpy(to + sizeof head_ + round_up(head_.bytes), entries_, head_.entries * sizeof *entries_);
    to_.size += bytes_of(head_);
    head_.entries = head_.bytes = 0;
  }
  void undo() { to_.size = begin_; }

private:
  growable<char>& to_;
  const std::size_t begin_;
  record_head head_{}; ///< of the record that has begun, if that has any entry
  record_entry entries_[most_entries];
};

bool pack_numbered(packer& into, const batch& b) {
  bool all = true;
  b.numbered.for_each_word([&](std::size_t w, std::uint64_t bits) {
    all = all &&
          into.add(true, {w, bits}, static_cast<std::size_t>(__builtin_popcountll(bits)) * b.element_bytes);
    if (all)
      b.numbered.for_each_run_of_word(w, bits, b.element_bytes,
                                      [&](MPI_Aint, unsigned count, const char* values) {
                                        into.value(values, std::size_t{count} * b.element_bytes);
                                      });
  });
  return all;
}

bool pack_lines(packer& into, batch& b) {
  bool all = true;
  if (b.lines.elements() == 0)
    return all;
  b.lines.for_each_run(b.element_bytes, [&](MPI_Aint offset, unsigned count, const char* values) {
    const std::size_t bytes = std::size_t{count} * b.element_bytes;
    all = all && into.add(false, {static_cast<std::uint64_t>(offset), bytes}, bytes);
    if (all)
      into.value(values, bytes);
  });
  return all;
}

/// As it was appended: nothing has arranged it.
bool pack_listed(packer& into, const batch& b) {
  for (const listed& e : b.list)
    for (std::size_t done = 0; done < e.bytes;) {
      const std::size_t bytes = std::min(most_values, e.bytes - done);
      if (!into.add(false, {static_cast<std::uint64_t>(e.offset) + done, bytes}, bytes))
        return false;
      into.value(b.list.data() + e.packed + done, bytes);
      done += bytes;
    }
  return true;
}

template <std::size_t Bytes, typename F>
void each_of_word(std::uint64_t bits, char* places, const char*& value, F apply) {
  for (; bits != 0; bits &= bits - 1, value += Bytes)
    apply(places + static_cast<std::size_t>(__builtin_ctzll(bits)) * Bytes, value);
}

template <std::size_t Bytes>
void carry_out_words(const record_head& head, const record_entry* entries, const char* value, char* base,
                     combiner apply) {
  for (std::uint64_t i = 0; i < head.entries; ++i)
    each_of_word<Bytes>(entries[i].what, base + entries[i].at * numbered_table::word_bits * Bytes, value,
                        apply);
}

void carry_out_pieces(const record_head& head, const record_entry* entries, const char* value, char* base,
                      combiner apply) {
  const std::size_t step = std::size_t{1} << head.element_bytes_log2;
  for (std::uint64_t i = 0; i < head.entries; ++i) {
    char* const place = base + entries[i].at;
    if (apply)
      for (std::size_t done = 0; done < entries[i].what; done += step)
        apply(place + done, value + done);
    else
      std::memcpy(place, value, entries[i].what);
    value += entries[i].what;
  }
}

void carry_out_record(const record_head& head, const char* values, char* base) {
  const auto* const entries = reinterpret_cast<const record_entry*>(values + round_up(head.bytes));
  const std::size_t element_bytes = std::size_t{1} << head.element_bytes_log2;
  element_type element;
  element.kind = head.kind;
  element.extent = element_bytes;
  const MPI_Op op = op_of(head.op);
  if (!head.has_words)
    return carry_out_pieces(head, entries, values, base,
                            op == MPI_REPLACE ? nullptr : carrier_of(op, element));
  const combiner apply = op == MPI_REPLACE ? combiner_of(op, element) : carrier_of(op, element);
  switch (element_bytes) {
  case 1:
    return carry_out_words<1>(head, entries, values, base, apply);
  case 2:
    return carry_out_words<2>(head, entries, values, base, apply);
  case 4:
    return carry_out_words<4>(head, entries, values, base, apply);
  case 8:
    return carry_out_words<8>(head, entries, values, base, apply);
  default:
    return carry_out_words<16>(head, entries, values, base, apply);
  }
}

} // namespace

bool is_packable(const batch& b) {
  const bool is_power = (b.element_bytes & (b.element_bytes - 1)) == 0;
  return is_power && (is_stored(b) || (b.key.what == operation::accumulate && number_of(b.key.op) != no_op &&
                                       carrier_of(b.key.op, b.element)));
}

bool pack(growable<char>& to, batch& b) {
  b.numbered.hide();
  packer into(to, b);
  if (pack_numbered(into, b) && pack_lines(into, b) && pack_listed(into, b)) {
    into.end_record();
    return true;
  }
  into.undo();
  return false;
}

std::size_t whole_records(const char* packed, std::size_t bytes, std::size_t most) {
  std::size_t at = 0;
  while (at < bytes) {
    const std::size_t next = at + bytes_of(head_at(packed + at));
    if (next > most)
      break;
    at = next;
  }
  return at;
}

void carry_out(const char* packed, std::size_t bytes, char* base) {
  for (std::size_t at = 0; at < bytes;) {
    const record_head head = head_at(packed + at);
    carry_out_record(head, packed + at + sizeof head, base);
    at += bytes_of(head);
  }
}

} // namespace tacit::compiler
