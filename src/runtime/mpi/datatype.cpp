// A datatype is a tree of constructors (MPI calls them combiners). `flatten` walks it from the top: each
// constructor says at which displacements which inner type stands, so its segments are the inner type's
// segments shifted there, in that order. Recursion ends at named types. A run of inner elements that are
// dense (one segment as long as the extent) is one segment, so contiguous types cost O(1) whatever their
// count. Cost O(segments · depth).
//
// Subarray and darray list, per dimension, which indices belong to the process; the type map is their product
// in storage order (MPI-4.1 section 5.1.3, 5.1.4).
#include "runtime/mpi/datatype.h"

#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace tacit::runtime {
namespace {

[[noreturn]] void refuse_pieces() {
  throw too_many_pieces(fmt::format(
      "datatype with more than {} separate pieces, the limit that TACIT_PIECES sets", piece_limit()));
}

void append(std::vector<layout_segment>& list, std::int64_t displacement, std::uint64_t length) {
  if (length == 0)
    return;
  if (!list.empty() &&
      list.back().displacement + static_cast<std::int64_t>(list.back().length) == displacement) {
    list.back().length += length;
    return;
  }
  if (list.size() >= piece_limit())
    refuse_pieces();
  list.push_back({displacement, length});
}

/// `count` times `each` pieces are coming, some of which may continue the one before.
void make_room(std::vector<layout_segment>& list, std::int64_t count, std::size_t each) {
  const std::size_t most = piece_limit();
  const auto elements = static_cast<std::uint64_t>(count);
  if (elements > most / std::max<std::size_t>(each - 1, 1)) // in each element at most one does
    refuse_pieces();
  const std::size_t wanted = list.size() + elements * each;
  if (wanted > list.capacity())
    list.reserve(std::max(wanted, 2 * list.capacity()));
}

bool is_dense(const layout& inner) {
  return inner.segments.size() == 1 && static_cast<std::int64_t>(inner.segments[0].length) == inner.extent;
}

/// `count` elements of `inner`, the first one at `displacement`.
void repeat(std::vector<layout_segment>& list, std::int64_t displacement, std::int64_t count,
            const layout& inner) {
  if (count <= 0 || inner.segments.empty())
    return;
  if (is_dense(inner)) {
    append(list, displacement + inner.segments[0].displacement,
           static_cast<std::uint64_t>(count) * inner.segments[0].length);
    return;
  }
  make_room(list, count, inner.segments.size());
  for (std::int64_t i = 0; i < count; ++i)
    for (const layout_segment& s : inner.segments)
      append(list, displacement + i * inner.extent + s.displacement, s.length);
}

/// The arguments with which a type was made. Large-count constructors (MPI-4) give their numbers as counts
/// instead of integers and addresses; `numbers` and `addresses` hold them either way.
struct arguments {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> addresses;
  std::vector<std::int64_t> large; ///< only of large-count constructors
  std::vector<MPI_Datatype> types;
};

arguments arguments_of(MPI_Datatype type) {
  arguments a;
#if MPI_VERSION >= 4
  MPI_Count ints = 0, addresses = 0, large = 0, types = 0;
  if (PMPI_Type_get_envelope_c(type, &ints, &addresses, &large, &types, &a.combiner) != MPI_SUCCESS)
    throw datatype_error("MPI_Type_get_envelope failed");
#else
  int ints = 0, addresses = 0, large = 0, types = 0;
  if (PMPI_Type_get_envelope(type, &ints, &addresses, &types, &a.combiner) != MPI_SUCCESS)
    throw datatype_error("MPI_Type_get_envelope failed");
#endif
  if (types == 0)
    return a; // named, or one of the parametrized Fortran types
  std::vector<int> int_values(static_cast<std::size_t>(ints) + 1);
  std::vector<MPI_Aint> address_values(static_cast<std::size_t>(addresses) + 1);
  std::vector<MPI_Count> large_values(static_cast<std::size_t>(large) + 1);
  a.types.resize(static_cast<std::size_t>(types));
#if MPI_VERSION >= 4
  const int result = PMPI_Type_get_contents_c(type, ints, addresses, large, types, int_values.data(),
                                              address_values.data(), large_values.data(), a.types.data());
#else
  const int result = PMPI_Type_get_contents(type, ints, addresses, types, int_values.data(),
                                            address_values.data(), a.types.data());
#endif
  if (result != MPI_SUCCESS)
    throw datatype_error("MPI_Type_get_contents failed");
  a.numbers.assign(int_values.begin(), int_values.end() - 1);
  a.addresses.assign(address_values.begin(), address_values.end() - 1);
  a.large.assign(large_values.begin(), large_values.end() - 1);
  return a;
}

bool is_named(MPI_Datatype type) {
  int ints = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
  MPI_Count ints_c = 0, addresses_c = 0, large = 0, types_c = 0;
  (void)ints, (void)addresses, (void)types;
  PMPI_Type_get_envelope_c(type, &ints_c, &addresses_c, &large, &types_c, &combiner);
#else
  PMPI_Type_get_envelope(type, &ints, &addresses, &types, &combiner);
#endif
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_COMPLEX || combiner == MPI_COMBINER_F90_INTEGER;
}

/// Inner types returned by MPI_Type_get_contents are new references, except named ones.
struct owned_types {
  std::vector<MPI_Datatype>& types;
  ~owned_types() {
    for (MPI_Datatype& type : types)
      if (!is_named(type))
        PMPI_Type_free(&type);
  }
};

std::int64_t extent_of(MPI_Datatype type) {
  MPI_Count lower = 0, extent = 0;
  if (PMPI_Type_get_extent_x(type, &lower, &extent) != MPI_SUCCESS)
    throw datatype_error("MPI_Type_get_extent failed");
  return extent;
}

/// A pair type for MPI_MINLOC: value, then an int at its natural alignment; `value_bytes` of data in the
/// value.
bool flatten_pair(MPI_Datatype type, layout& out) {
  struct pair_type {
    MPI_Datatype type;
    std::uint64_t value_bytes;
    std::int64_t index_offset;
  };
  struct short_int {
    short value;
    int index;
  };
  struct double_int {
    double value;
    int index;
  };
  struct long_int {
    long value;
    int index;
  };
  struct long_double_int {
    long double value;
    int index;
  };
  const pair_type pairs[] = {
      {MPI_SHORT_INT, sizeof(short), offsetof(short_int, index)},
      {MPI_DOUBLE_INT, sizeof(double), offsetof(double_int, index)},
      {MPI_LONG_INT, sizeof(long), offsetof(long_int, index)},
      {MPI_LONG_DOUBLE_INT, sizeof(long double), offsetof(long_double_int, index)},
  };
  for (const pair_type& p : pairs) {
    if (type != p.type)
      continue;
    append(out.segments, 0, p.value_bytes);
    append(out.segments, p.index_offset, sizeof(int));
    return true;
  }
  return false;
}

layout flatten_named(MPI_Datatype type) {
  layout out;
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
    throw datatype_error("MPI_Type_size failed");
  out.extent = extent_of(type);
  if (!flatten_pair(type, out))
    append(out.segments, 0, static_cast<std::uint64_t>(size));
  return out;
}

/// Element indices along one dimension of a subarray or darray.
using index_list = std::vector<std::int64_t>;

/// All combinations of the dimensions' indices in storage order (the first dimension varies slowest if
/// `c_order`).
void fill_array(const std::vector<index_list>& owned, const std::vector<std::int64_t>& sizes, bool c_order,
                const layout& inner, layout& out) {
  const std::size_t n = sizes.size();
  std::vector<std::size_t> slow_to_fast(n);
  for (std::size_t d = 0; d < n; ++d)
    slow_to_fast[d] = c_order ? d : n - 1 - d;
  std::vector<std::int64_t> stride(n);
  std::int64_t elements = 1;
  for (std::size_t k = n; k-- > 0; elements *= sizes[slow_to_fast[k]])
    stride[slow_to_fast[k]] = elements;
  out.extent = elements * inner.extent;
  for (const index_list& list : owned)
    if (list.empty())
      return;
  std::vector<std::size_t> at(n, 0);
  while (true) {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < n; ++d)
      element += owned[d][at[d]] * stride[d];
    const std::size_t fastest = slow_to_fast.back();
    // Runs of consecutive indices along the fastest dimension are one repetition.
    std::size_t run = 1;
    while (at[fastest] + run < owned[fastest].size() &&
           owned[fastest][at[fastest] + run] == owned[fastest][at[fastest]] + static_cast<std::int64_t>(run))
      ++run;
    repeat(out.segments, element * inner.extent, static_cast<std::int64_t>(run), inner);
    at[fastest] += run - 1;
    std::size_t k = n;
    while (k > 0 && ++at[slow_to_fast[k - 1]] == owned[slow_to_fast[k - 1]].size())
      at[slow_to_fast[--k]] = 0;
    if (k == 0)
      return;
  }
}

layout flatten_subarray(const arguments& a, const layout& inner) {
  const auto n = static_cast<std::size_t>(a.numbers[0]);
  const bool large = !a.large.empty();
  const auto& values = large ? a.large : a.numbers;
  const std::size_t base = large ? 0 : 1;
  std::vector<std::int64_t> sizes(n);
  std::vector<index_list> owned(n);
  for (std::size_t d = 0; d < n; ++d) {
    sizes[d] = values[base + d];
    for (std::int64_t i = 0; i < values[base + n + d]; ++i)
      owned[d].push_back(values[base + 2 * n + d] + i);
  }
  layout out;
  fill_array(owned, sizes, a.numbers.back() == MPI_ORDER_C, inner, out);
  return out;
}

/// The indices of one dimension that process `coordinate` of `processes` owns.
index_list distributed(std::int64_t size, std::int64_t distribution, std::int64_t argument,
                       std::int64_t processes, std::int64_t coordinate) {
  std::int64_t block = size; // MPI_DISTRIBUTE_NONE
  if (distribution == MPI_DISTRIBUTE_BLOCK)
    block = argument == MPI_DISTRIBUTE_DFLT_DARG ? (size + processes - 1) / processes : argument;
  if (distribution == MPI_DISTRIBUTE_CYCLIC)
    block = argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
  if (distribution == MPI_DISTRIBUTE_NONE)
    processes = 1, coordinate = 0;
  index_list out;
  for (std::int64_t first = coordinate * block; first < size; first += processes * block)
    for (std::int64_t i = first; i < std::min(first + block, size); ++i)
      out.push_back(i);
  return out;
}

layout flatten_darray(const arguments& a, const layout& inner) {
  // integers: size, rank, ndims, [gsizes,] distribs, dargs, psizes, order; gsizes are counts in the large
  // form
  const auto n = static_cast<std::size_t>(a.numbers[2]);
  const bool large = !a.large.empty();
  std::size_t next = 3;
  std::vector<std::int64_t> sizes(n);
  for (std::size_t d = 0; d < n; ++d)
    sizes[d] = large ? a.large[d] : a.numbers[next + d];
  if (!large)
    next += n;
  const auto* kinds = &a.numbers[next];
  const auto* args = &a.numbers[next + n];
  const auto* processes = &a.numbers[next + 2 * n];
  std::vector<index_list> owned(n);
  std::int64_t rank = a.numbers[1];
  for (std::size_t d = n; d-- > 0;) { // the process grid is always in row-major order
    owned[d] = distributed(sizes[d], kinds[d], args[d], processes[d], rank % processes[d]);
    rank /= processes[d];
  }
  layout out;
  fill_array(owned, sizes, a.numbers.back() == MPI_ORDER_C, inner, out);
  return out;
}

/// Reads the arguments in the order of the constructor's signature, small or large form.
class argument_reader {
public:
  explicit argument_reader(const arguments& a) : a_(a) {}
  std::int64_t number() { return a_.large.empty() ? a_.numbers[number_++] : a_.large[large_++]; }
  /// Strides and displacements in bytes.
  std::int64_t address() { return a_.large.empty() ? a_.addresses[address_++] : a_.large[large_++]; }
  std::vector<std::int64_t> numbers(std::int64_t n) {
    std::vector<std::int64_t> out(static_cast<std::size_t>(n));
    for (std::int64_t& x : out)
      x = number();
    return out;
  }

private:
  const arguments& a_;
  std::size_t number_ = 0, address_ = 0, large_ = 0;
};

layout flatten_blocks(const arguments& a, const layout& inner) {
  argument_reader in(a);
  layout out;
  auto& list = out.segments;
  switch (a.combiner) {
  case MPI_COMBINER_DUP:
  case MPI_COMBINER_RESIZED:
    list = inner.segments;
    break;
  case MPI_COMBINER_CONTIGUOUS:
    repeat(list, 0, in.number(), inner);
    break;
  case MPI_COMBINER_VECTOR:
  case MPI_COMBINER_HVECTOR: {
    const std::int64_t count = in.number(), length = in.number();
    const std::int64_t stride =
        a.combiner == MPI_COMBINER_HVECTOR ? in.address() : in.number() * inner.extent;
    if (is_dense(inner) && stride == length * inner.extent) {
      repeat(list, 0, count * length, inner);
      break;
    }
    if (is_dense(inner) && length > 0)
      make_room(list, count, 1);
    for (std::int64_t i = 0; i < count; ++i)
      repeat(list, i * stride, length, inner);
    break;
  }
  case MPI_COMBINER_INDEXED:
  case MPI_COMBINER_HINDEXED: {
    const std::int64_t count = in.number();
    const std::vector<std::int64_t> lengths = in.numbers(count);
    for (const std::int64_t length : lengths)
      repeat(list, a.combiner == MPI_COMBINER_HINDEXED ? in.address() : in.number() * inner.extent, length,
             inner);
    break;
  }
  case MPI_COMBINER_INDEXED_BLOCK:
  case MPI_COMBINER_HINDEXED_BLOCK: {
    const std::int64_t count = in.number(), length = in.number();
    for (std::int64_t i = 0; i < count; ++i)
      repeat(list, a.combiner == MPI_COMBINER_HINDEXED_BLOCK ? in.address() : in.number() * inner.extent,
             length, inner);
    break;
  }
  default:
    throw datatype_error(
        fmt::format("datatype made by a constructor that is not known (combiner {})", a.combiner));
  }
  return out;
}

layout flatten_struct(const arguments& a) {
  argument_reader in(a);
  const std::int64_t count = in.number();
  const std::vector<std::int64_t> lengths = in.numbers(count);
  layout out;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::int64_t displacement = in.address();
    repeat(out.segments, displacement, lengths[i], flatten(a.types[i]));
  }
  return out;
}

} // namespace

std::size_t piece_limit() {
  static const std::size_t limit = [] {
    const std::uint64_t most = whole_number(given(setting::pieces)).value_or(most_pieces);
    return most > 0 ? std::min<std::uint64_t>(most, most_pieces) : most_pieces;
  }();
  return limit;
}

layout flatten(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL)
    throw datatype_error("MPI_DATATYPE_NULL");
  arguments a = arguments_of(type);
  layout out;
  if (a.types.empty()) {
    out = flatten_named(type);
  } else {
    const owned_types owned{a.types};
    if (a.combiner == MPI_COMBINER_STRUCT)
      out = flatten_struct(a);
    else if (a.combiner == MPI_COMBINER_SUBARRAY)
      out = flatten_subarray(a, flatten(a.types[0]));
    else if (a.combiner == MPI_COMBINER_DARRAY)
      out = flatten_darray(a, flatten(a.types[0]));
    else
      out = flatten_blocks(a, flatten(a.types[0]));
    out.extent = extent_of(type);
  }
  for (const layout_segment& s : out.segments)
    out.size += s.length;
  return out;
}

std::vector<graphs::segment> segments_of(const void* buffer, std::uint64_t count, const layout& element) {
  std::int64_t span = 0, size = 0;
  if (count > std::uint64_t{1} << 62 ||
      __builtin_mul_overflow(static_cast<std::int64_t>(count), element.extent, &span) ||
      __builtin_mul_overflow(static_cast<std::int64_t>(count), static_cast<std::int64_t>(element.size),
                             &size))
    throw datatype_error(fmt::format("{} elements of {} B and extent {} are more than an address space holds",
                                     count, element.size, element.extent));
  std::vector<graphs::segment> out;
  if (count == 0 || element.segments.empty())
    return out;
  const auto address_of = [&](std::uint64_t i, const layout_segment& s) {
    return reinterpret_cast<std::uint64_t>(buffer) + i * static_cast<std::uint64_t>(element.extent) +
           static_cast<std::uint64_t>(s.displacement);
  };
  if (is_dense(element)) {
    out.push_back({address_of(0, element.segments[0]), static_cast<std::uint64_t>(size)});
    return out;
  }
  const std::size_t each = element.segments.size();
  if (count > piece_limit() / std::max<std::size_t>(each - 1, 1))
    refuse_pieces();
  out.reserve(count * each);
  for (std::uint64_t i = 0; i < count; ++i)
    for (const layout_segment& s : element.segments)
      if (!out.empty() && out.back().address + out.back().length == address_of(i, s))
        out.back().length += s.length;
      else
        out.push_back({address_of(i, s), s.length});
  if (out.size() > piece_limit())
    refuse_pieces();
  return out;
}

} // namespace tacit::runtime
