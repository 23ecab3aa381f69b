#include "runtime/mpi/operators.h"

#include "runtime/mpi/datatype.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <iterator>

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

/// Elements of which every order of combining gives the same bits, by any operator of MPI.
bool is_exact(MPI_Datatype type) {
  const MPI_Datatype exact[] = {
      MPI_CHAR,
      MPI_SIGNED_CHAR,
      MPI_UNSIGNED_CHAR,
      MPI_SHORT,
      MPI_UNSIGNED_SHORT,
      MPI_INT,
      MPI_UNSIGNED,
      MPI_LONG,
      MPI_UNSIGNED_LONG,
      MPI_LONG_LONG,
      MPI_UNSIGNED_LONG_LONG,
      MPI_INT8_T,
      MPI_INT16_T,
      MPI_INT32_T,
      MPI_INT64_T,
      MPI_UINT8_T,
      MPI_UINT16_T,
      MPI_UINT32_T,
      MPI_UINT64_T,
      MPI_C_BOOL,
      MPI_BYTE,
      MPI_AINT,
      MPI_OFFSET,
      MPI_COUNT,
      MPI_2INT,
      MPI_SHORT_INT,
      MPI_LONG_INT,
      MPI_INTEGER,
      MPI_LOGICAL,
  };
  return std::find(std::begin(exact), std::end(exact), type) != std::end(exact);
}

} // namespace

bool is_predefined(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  check_mpi(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner), "MPI_Type_get_envelope");
  return combiner == MPI_COMBINER_NAMED;
}

bound_reducer bind_reducer(MPI_Op operation, MPI_Datatype type) {
  if (is_predefined(type))
    return {operation, type, nullptr};
  auto own = std::make_shared<const own_type>(type);
  const MPI_Datatype kept = own->get();
  return {operation, kept, std::move(own)};
}

std::string name_of_predefined(MPI_Op operation) {
  const std::pair<MPI_Op, const char*> names[] = {
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
  for (const auto& [known, name] : names)
    if (operation == known)
      return name;
  return {};
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
  r.element = static_cast<std::uint32_t>(std::max<std::uint64_t>(flatten(type).size, 1));
  r.commutative = commutes != 0;
  r.rounds = r.operation.empty() || !is_exact(type);
  return r;
}

} // namespace tacit::runtime
