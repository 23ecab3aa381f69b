// A record is a head and then
//
//     words   {number, bits} of each word of places that has any, then their values in order
//     pieces  {offset, bytes} of each piece, then their bytes in order; they may overlap, and take effect in this order
//
// Integers are combined by the functions that combine them before they are sent. Sums and products of floating-point numbers are one
// addition or multiplication each, as MPI's are.
#include "compiler/coalesce/packed_batch.h"

namespace tacit::compiler {
namespace {

struct record_head {
  std::uint32_t op; ///< of `ops`
  arithmetic kind;
  std::uint8_t element_bytes_log2;
  bool has_words;
  std::uint64_t parts; ///< words or pieces
  std::uint64_t bytes; ///< of the values
};
static_assert(sizeof(record_head) % 8 == 0);

struct record_part {
  std::uint64_t at;   ///< number of a word; offset of a piece
  std::uint64_t what; ///< bits; bytes
};

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

class packer {
public:
  explicit packer(growable<char>& to) : to_(to), begin_(to.size) {}

  bool begin(const batch& b, bool words, std::size_t parts, std::size_t bytes) {
    budget unlimited(SIZE_MAX / 2);
    const std::size_t all = sizeof(record_head) + parts * sizeof(record_part) + round_up(bytes);
    if (!to_.make_room(unlimited, all))
      return false;
    const record_head head{b.key.what == operation::put ? 0 : number_of(b.key.op),
                           b.element.kind,
                           static_cast<std::uint8_t>(__builtin_ctz(b.element_bytes)),
                           words,
                           parts,
                           bytes};
    std::memcpy(to_.data + to_.size, &head, sizeof head);
    part_ = to_.data + to_.size + sizeof head;
    value_ = part_ + parts * sizeof(record_part);
    to_.size += all;
    return true;
  }
  void part(std::uint64_t at, std::uint64_t what) {
    const record_part p{at, what};
    std::memcpy(part_, &p, sizeof p);
    part_ += sizeof p;
  }
  void value(const char* from, std::size_t bytes) {
    std::memcpy(value_, from, bytes);
    value_ += bytes;
  }
  void undo() { to_.size = begin_; }

private:
  growable<char>& to_;
  const std::size_t begin_;
  char *part_ = nullptr, *value_ = nullptr;
};

bool pack_numbered(packer& into, const batch& b) {
  std::size_t words = 0;
  b.numbered.for_each_word([&](std::size_t, std::uint64_t) { ++words; });
  if (words == 0)
    return true;
  if (!into.begin(b, true, words, b.numbered.elements() * b.element_bytes))
    return false;
  b.numbered.for_each_word([&](std::size_t w, std::uint64_t bits) { into.part(w, bits); });
  b.numbered.for_each_run(b.element_bytes, [&](MPI_Aint, unsigned count, const char* values) {
    into.value(values, std::size_t{count} * b.element_bytes);
  });
  return true;
}

bool pack_lines(packer& into, batch& b) {
  if (b.lines.elements() == 0)
    return true;
  if (!into.begin(b, false, b.lines.elements(), b.lines.elements() * b.element_bytes))
    return false;
  b.lines.for_each_run(b.element_bytes, [&](MPI_Aint offset, unsigned count, const char* values) {
    for (unsigned i = 0; i < count; ++i)
      into.part(static_cast<std::uint64_t>(offset) + std::uint64_t{i} * b.element_bytes, b.element_bytes);
    into.value(values, std::size_t{count} * b.element_bytes);
  });
  return true;
}

bool pack_listed(packer& into, const batch& b) {
  if (b.list.size() == 0)
    return true;
  if (!into.begin(b, false, b.list.size(), b.list.data_bytes()))
    return false;
  for (const listed& e : b.list) // as it was appended: nothing has arranged it
    into.part(static_cast<std::uint64_t>(e.offset), e.bytes);
  into.value(b.list.data(), b.list.data_bytes());
  return true;
}

template <std::size_t Bytes, typename F>
void each_of_word(std::uint64_t bits, char* places, const char*& value, F apply) {
  for (; bits != 0; bits &= bits - 1, value += Bytes)
    apply(places + static_cast<std::size_t>(__builtin_ctzll(bits)) * Bytes, value);
}

template <std::size_t Bytes>
void carry_out_words(const record_head& head, const record_part* parts, const char* value, char* base,
                     combiner apply) {
  for (std::uint64_t i = 0; i < head.parts; ++i)
    each_of_word<Bytes>(parts[i].what, base + parts[i].at * numbered_table::word_bits * Bytes, value, apply);
}

void carry_out_pieces(const record_head& head, const record_part* parts, const char* value, char* base,
                      combiner apply) {
  const std::size_t step = std::size_t{1} << head.element_bytes_log2;
  for (std::uint64_t i = 0; i < head.parts; ++i) {
    char* const place = base + parts[i].at;
    if (apply)
      for (std::size_t done = 0; done < parts[i].what; done += step)
        apply(place + done, value + done);
    else
      std::memcpy(place, value, parts[i].what);
    value += parts[i].what;
  }
}

void carry_out_record(const record_head& head, const char* behind, char* base) {
  const auto* const parts = reinterpret_cast<const record_part*>(behind);
  const char* const values = behind + head.parts * sizeof(record_part);
  const std::size_t element_bytes = std::size_t{1} << head.element_bytes_log2;
  element_type element;
  element.kind = head.kind;
  element.extent = element_bytes;
  const MPI_Op op = op_of(head.op);
  if (!head.has_words)
    return carry_out_pieces(head, parts, values, base, op == MPI_REPLACE ? nullptr : carrier_of(op, element));
  const combiner apply = op == MPI_REPLACE ? combiner_of(op, element) : carrier_of(op, element);
  switch (element_bytes) {
  case 1:
    return carry_out_words<1>(head, parts, values, base, apply);
  case 2:
    return carry_out_words<2>(head, parts, values, base, apply);
  case 4:
    return carry_out_words<4>(head, parts, values, base, apply);
  case 8:
    return carry_out_words<8>(head, parts, values, base, apply);
  default:
    return carry_out_words<16>(head, parts, values, base, apply);
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
  packer into(to);
  if (pack_numbered(into, b) && pack_lines(into, b) && pack_listed(into, b))
    return true;
  into.undo();
  return false;
}

void carry_out(const char* packed, std::size_t bytes, char* base) {
  for (std::size_t at = 0; at < bytes;) {
    record_head head;
    std::memcpy(&head, packed + at, sizeof head);
    carry_out_record(head, packed + at + sizeof head, base);
    at += sizeof head + head.parts * sizeof(record_part) + round_up(head.bytes);
  }
}

} // namespace tacit::compiler
