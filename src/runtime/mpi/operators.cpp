#include "runtime/mpi/operators.h"

#include "runtime/mpi/datatype.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

namespace tacit::runtime {
namespace {

class own_type {
public:
  explicit own_type(MPI_Datatype type) {
    check_mpi(MPI_Type_dup(type, &type_), "MPI_Type_dup");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  own_type(const own_type&) = delete;
  own_type& operator=(const own_type&) = delete;
  ~own_type() {
    int over = 0;
    MPI_Finalized(&over);
    if (!over && type_ != MPI_DATATYPE_NULL)
      MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Kinds of elements, as far as they decide which operators combine them and whether every order of combining gives the same bits.
enum class element_kind : std::uint8_t {
  signed_integer,
  unsigned_integer,
  truth_value,
  plain_bytes,
  number_and_place,
  floating,
  complex_number,
  floating_and_place
};

bool rounds(element_kind kind) {
  return kind == element_kind::floating || kind == element_kind::complex_number;
}

/// A type of MPI's own.
struct known_type {
  MPI_Datatype type;
  const char* name;
  element_kind kind;
};

/// The program can rename what MPI_Type_get_name says; these names are ours. Fortran's types may be null.
std::vector<known_type> known_types() {
  using enum element_kind;
  std::vector<known_type> out{
      {MPI_SIGNED_CHAR, "signed char", signed_integer},
      {MPI_SHORT, "short", signed_integer},
      {MPI_INT, "int", signed_integer},
      {MPI_LONG, "long", signed_integer},
      {MPI_LONG_LONG, "long long", signed_integer},
      {MPI_INT8_T, "int8_t", signed_integer},
      {MPI_INT16_T, "int16_t", signed_integer},
      {MPI_INT32_T, "int32_t", signed_integer},
      {MPI_INT64_T, "int64_t", signed_integer},
      {MPI_AINT, "MPI_Aint", signed_integer},
      {MPI_OFFSET, "MPI_Offset", signed_integer},
      {MPI_COUNT, "MPI_Count", signed_integer},
      {MPI_UNSIGNED_CHAR, "unsigned char", unsigned_integer},
      {MPI_UNSIGNED_SHORT, "unsigned short", unsigned_integer},
      {MPI_UNSIGNED, "unsigned", unsigned_integer},
      {MPI_UNSIGNED_LONG, "unsigned long", unsigned_integer},
      {MPI_UNSIGNED_LONG_LONG, "unsigned long long", unsigned_integer},
      {MPI_UINT8_T, "uint8_t", unsigned_integer},
      {MPI_UINT16_T, "uint16_t", unsigned_integer},
      {MPI_UINT32_T, "uint32_t", unsigned_integer},
      {MPI_UINT64_T, "uint64_t", unsigned_integer},
      {MPI_C_BOOL, "bool", truth_value},
      {MPI_BYTE, "byte", plain_bytes},
      {MPI_2INT, "two ints", number_and_place},
      {MPI_SHORT_INT, "short and int", number_and_place},
      {MPI_LONG_INT, "long and int", number_and_place},
      {MPI_FLOAT_INT, "float and int", floating_and_place},
      {MPI_DOUBLE_INT, "double and int", floating_and_place},
      {MPI_LONG_DOUBLE_INT, "long double and int", floating_and_place},
      {MPI_FLOAT, "float", floating},
      {MPI_DOUBLE, "double", floating},
      {MPI_LONG_DOUBLE, "long double", floating},
      {MPI_C_FLOAT_COMPLEX, "float complex", complex_number},
      {MPI_C_DOUBLE_COMPLEX, "double complex", complex_number},
      {MPI_C_LONG_DOUBLE_COMPLEX, "long double complex", complex_number},
      {MPI_INTEGER, "INTEGER", signed_integer},
      {MPI_REAL, "REAL", floating},
      {MPI_DOUBLE_PRECISION, "DOUBLE PRECISION", floating},
      {MPI_COMPLEX, "COMPLEX", complex_number},
      {MPI_DOUBLE_COMPLEX, "DOUBLE COMPLEX", complex_number},
      {MPI_LOGICAL, "LOGICAL", truth_value},
      {MPI_2INTEGER, "two INTEGERs", number_and_place},
      {MPI_2REAL, "two REALs", floating_and_place},
      {MPI_2DOUBLE_PRECISION, "two DOUBLE PRECISIONs", floating_and_place},
  };
  std::erase_if(out, [](const known_type& t) { return t.type == MPI_DATATYPE_NULL; });
  return out;
}

const known_type* find_known(MPI_Datatype type) {
  static const std::vector<known_type> known = known_types();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const known_type& t) { return t.type == type; });
  return found == known.end() ? nullptr : &*found;
}

bool is_one_of(MPI_Op operation, std::initializer_list<MPI_Op> list) {
  return std::find(list.begin(), list.end(), operation) != list.end();
}

/// Whether every order of combining gives the same bits under every MPI. Not so, though integers: sums and products of 8 and 16 bits,
/// which Open MPI's vector code saturates and its scalar code wraps around, and minima and maxima of unsigned types, which some
/// versions compare as signed ones in vectors.
bool is_exact(MPI_Op operation, const known_type& type, std::uint64_t bytes) {
  const bool integer =
      type.kind == element_kind::signed_integer || type.kind == element_kind::unsigned_integer;
  if (is_one_of(operation, {MPI_SUM, MPI_PROD}))
    return integer && bytes >= 4;
  if (is_one_of(operation, {MPI_MAX, MPI_MIN}))
    return type.kind == element_kind::signed_integer;
  if (is_one_of(operation, {MPI_LAND, MPI_LOR, MPI_LXOR}))
    return integer || type.kind == element_kind::truth_value;
  if (is_one_of(operation, {MPI_BAND, MPI_BOR, MPI_BXOR}))
    return integer || type.kind == element_kind::plain_bytes;
  return is_one_of(operation, {MPI_MAXLOC, MPI_MINLOC}) && type.kind == element_kind::number_and_place;
}

/// MPI-4.1, 6.9.2 and 6.9.4.
bool takes(MPI_Op operation, element_kind kind) {
  const bool integer = kind == element_kind::signed_integer || kind == element_kind::unsigned_integer;
  if (is_one_of(operation, {MPI_SUM, MPI_PROD}))
    return integer || rounds(kind);
  if (is_one_of(operation, {MPI_MAX, MPI_MIN}))
    return integer || kind == element_kind::floating;
  if (is_one_of(operation, {MPI_LAND, MPI_LOR, MPI_LXOR}))
    return integer || kind == element_kind::truth_value;
  if (is_one_of(operation, {MPI_BAND, MPI_BOR, MPI_BXOR}))
    return integer || kind == element_kind::plain_bytes;
  return kind == element_kind::number_and_place || kind == element_kind::floating_and_place;
}

/// Whether the same operands give the same bits wherever they lie and however many are combined at once. Sums and products in floating
/// point are rounded alike by vector and scalar code (which of two NaNs is left is nobody's promise); what is not exact for its vector
/// code is not, and nobody knows what a function of the program looks at.
bool is_steady(MPI_Op operation, const known_type& type, std::uint64_t bytes) {
  return is_exact(operation, type, bytes) || (is_one_of(operation, {MPI_SUM, MPI_PROD}) && rounds(type.kind));
}

const std::vector<std::pair<MPI_Op, const char*>>& known_operators() {
  static const std::vector<std::pair<MPI_Op, const char*>> known{
      {MPI_SUM, "sum"},
      {MPI_PROD, "product"},
      {MPI_MAX, "maximum"},
      {MPI_MIN, "minimum"},
      {MPI_LAND, "and"},
      {MPI_LOR, "or"},
      {MPI_LXOR, "xor"},
      {MPI_BAND, "bitwise and"},
      {MPI_BOR, "bitwise or"},
      {MPI_BXOR, "bitwise xor"},
      {MPI_MAXLOC, "maximum with place"},
      {MPI_MINLOC, "minimum with place"},
  };
  return known;
}

int combiner_of(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  check_mpi(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  return combiner;
}

/// What the type of the program behind it needs at most: what divides its extent.
std::size_t likely_alignment(MPI_Datatype type) {
  const auto extent = static_cast<std::uint64_t>(flatten(type).extent);
  return std::min<std::uint64_t>(alignof(std::max_align_t), extent == 0 ? 1 : extent & (~extent + 1));
}

} // namespace

bool is_predefined(MPI_Datatype type) {
  return combiner_of(type) == MPI_COMBINER_NAMED;
}

std::string why_not_combined(MPI_Op operation, MPI_Datatype type) {
  const std::string name = name_of_predefined(operation);
  if (name.empty())
    return {};
  const int combiner = combiner_of(type);
  if (combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
      combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER)
    return fmt::format("MPI's operator for the {} does not combine elements of a type of the program", name);
  const known_type* const known = combiner == MPI_COMBINER_NAMED ? find_known(type) : nullptr;
  if (!known || takes(operation, known->kind))
    return {};
  return fmt::format("MPI's operator for the {} does not combine elements of type {}", name, known->name);
}

bool lies_well(const bound_reducer& by, std::uint64_t address) {
  return address % by.alignment == 0;
}

bound_reducer bind_reducer(MPI_Op operation, MPI_Datatype type) {
  bound_reducer out{operation, type, nullptr,
                    name_of_predefined(operation).empty() ? likely_alignment(type) : 1};
  if (is_predefined(type))
    return out;
  auto own = std::make_shared<const own_type>(type);
  out.type = own->get();
  out.keeps_type = std::move(own);
  return out;
}

std::string name_of_predefined(MPI_Op operation) {
  for (const auto& [known, name] : known_operators())
    if (operation == known)
      return name;
  return {};
}

bound_reducer bind_predefined(const graphs::reducer& r) {
  bound_reducer out;
  for (const auto& [known, name] : known_operators())
    if (r.operation == name)
      out.operation = known;
  for (const known_type& t : known_types())
    if (r.type == t.name)
      out.type = t.type;
  return out;
}

element_loop own_loop(MPI_Op operation, MPI_Datatype type) {
  const known_type* const known = is_predefined(type) ? find_known(type) : nullptr;
  if (!known)
    return nullptr;
  const layout element = flatten(type);
  if (!is_steady(operation, *known, element.size))
    return nullptr;
  const bool floating = known->kind == element_kind::floating;
  if (!floating && known->kind != element_kind::signed_integer &&
      known->kind != element_kind::unsigned_integer)
    return nullptr;
  return loop_over_elements(name_of_predefined(operation), floating, element.size);
}

bool combines(MPI_Op operation) {
  return operation != MPI_OP_NULL && operation != MPI_REPLACE && operation != MPI_NO_OP;
}

graphs::reducer describe_reducer(MPI_Op operation, MPI_Datatype type) {
  graphs::reducer r;
  int commutes = 1, length = 0;
  char name[MPI_MAX_OBJECT_NAME] = {};
  check_mpi(MPI_Op_commutative(operation, &commutes), "MPI_Op_commutative");
  check_mpi(MPI_Type_get_name(type, name, &length), "MPI_Type_get_name");
  r.operation = name_of_predefined(operation);
  r.type = name;
  const layout element = flatten(type);
  if (element.size > std::numeric_limits<std::uint32_t>::max())
    throw datatype_error(
        fmt::format("elements of {} B are too long to be combined in a graph", element.size));
  r.element = static_cast<std::uint32_t>(std::max<std::uint64_t>(element.size, 1));
  r.commutative = commutes != 0;
  r.rounds = true;
  r.anywhere = false;
  r.varies = true;
  const known_type* const known = is_predefined(type) ? find_known(type) : nullptr;
  if (!known)
    return r;
  r.type = known->name;
  r.rounds = !is_exact(operation, *known, element.size);
  r.varies = !is_steady(operation, *known, element.size);
  r.anywhere = !r.operation.empty() && static_cast<std::uint64_t>(element.extent) == element.size;
  return r;
}

graphs::reducer describe_shared_reducer(MPI_Op operation, MPI_Datatype type) {
  graphs::reducer r = describe_reducer(operation, type);
  if (r.anywhere)
    return r;
  const layout element = flatten(type);
  r.operation.clear();
  r.rounds = true;
  r.varies = true;
  r.type = fmt::format("elements of {} B", element.size);
  r.anywhere = element.size <= std::numeric_limits<int>::max() && element.segments.size() == 1 &&
               element.segments.front().displacement == 0 &&
               static_cast<std::uint64_t>(element.extent) == element.size;
  return r;
}

} // namespace tacit::runtime
