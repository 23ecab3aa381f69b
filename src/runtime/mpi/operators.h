// Operators of MPI, as graphs and plans speak of them.
#pragma once

#include "graphs/graph/graph.h"
#include "runtime/mpi/element_loops.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <string>

namespace tacit::runtime {

/// An operator with the datatype of its elements, for MPI_Reduce_local. The type is committed and lives as long as
/// one of these does; an operator of the program's own is the program's business.
struct bound_reducer {
  MPI_Op operation = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  std::shared_ptr<const void> keeps_type; ///< null if MPI's own type
  std::size_t alignment = 1;              ///< that a function of the program may count on
};

/// Any type, committed or not; it may be freed afterwards. Throws mpi_error, std::bad_alloc.
bound_reducer bind_reducer(MPI_Op operation, MPI_Datatype type);

/// Whether operands at this address may be given to the operator. Bytes that a rank only sends can lie anywhere.
bool lies_well(const bound_reducer& by, std::uint64_t address);

/// "sum" for MPI_SUM …; empty for an operator of the program.
std::string name_of_predefined(MPI_Op operation);

/// Why one of MPI's own operators combines no elements of the type, as far as we know; else empty. Throws mpi_error.
std::string why_not_combined(MPI_Op operation, MPI_Datatype type);

/// Whether MPI_Reduce_local can take it: not null, no MPI_REPLACE and no MPI_NO_OP.
bool combines(MPI_Op operation);

bool is_predefined(MPI_Datatype type);

/// What does the same as MPI_Reduce_local bit for bit, under every MPI; null: only MPI does. Throws mpi_error.
element_loop own_loop(MPI_Op operation, MPI_Datatype type);

/// That of a reducer that is `anywhere`, on a rank whose part of the graph does not have it.
bound_reducer bind_predefined(const graphs::reducer& r);

/// What is the same on all ranks, of an operator and type of MPI's own. Whatever is not integer or logical may
/// round: also the largest of +0 and -0, or of two NaNs, depends on the order.
graphs::reducer describe_reducer(MPI_Op operation, MPI_Datatype type);

/// The same of an operator that all ranks have by agreement, without a name; what is `anywhere` without that is as above. What a
/// function computes is not known, so that another order counts as another result.
graphs::reducer describe_shared_reducer(MPI_Op operation, MPI_Datatype type);

} // namespace tacit::runtime
