// Recognising MPI calls in LLVM IR: which row of the call table a call is, in which language binding, and
// which operand has which role. C names (MPI_X, PMPI_X, MPI_X_c) and the Fortran names of mpif.h and `use
// mpi` (mpi_x_, pmpi_x_).
#pragma once

#include "vocabulary/calls/mpi_calls.h"

#include <llvm/IR/InstrTypes.h>

#include <optional>
#include <string>

namespace tacit::compiler {

enum class binding : std::uint8_t { c, c_large, fortran };

struct mpi_site {
  llvm::CallBase* call = nullptr;
  const call_row* row = nullptr;
  binding language = binding::c;
  unsigned first = 0;     ///< operands before the MPI arguments (the slot of a hook)
  bool hook = false;      ///< a call of src/compiler/hooks that stands for this MPI call
  bool profiling = false; ///< PMPI_X: what the program's own MPI_X may call, so that no hook may stand for it

  [[nodiscard]] bool is(mpi_call id) const { return row->id == id; }
  [[nodiscard]] bool is(call_class kind) const { return row->kind == kind; }
  /// The operand with this role, or nullptr.
  [[nodiscard]] llvm::Value* operand(param_role role) const;
  /// The role of the call's operand `index`; `other` where the table has none.
  [[nodiscard]] param_role role(unsigned index) const;
  /// The index behind MPI's own operands: flang appends the lengths of CHARACTER arguments.
  [[nodiscard]] unsigned end() const;
  /// Fortran's ierror; nullptr in C.
  [[nodiscard]] llvm::Value* ierror() const;
};

/// What a symbol stands for.
struct named_row {
  const call_row* row = nullptr;
  binding language = binding::c;
  unsigned first = 0; ///< as in mpi_site
  bool hook = false, profiling = false;
};

/// The row of an MPI function or of one of our hooks by its symbol.
std::optional<named_row> known_symbol(llvm::StringRef name);
/// The MPI call that `call` is, if it calls a function that the table knows and that has no body here (a body
/// would be somebody else's MPI).
std::optional<mpi_site> recognise(llvm::CallBase& call);
/// True if a call with these operands, of so many that MPI describes, is one as flang makes it: what follows
/// are lengths.
bool appends_lengths(llvm::ArrayRef<llvm::Type*> operands, std::size_t described);
/// True for a call of one of our hooks.
bool is_hook(const llvm::CallBase& call);
/// The call that this function is, if it is one of MPI's and the module uses it; else null.
const call_row* used_call(const llvm::Function& function);
/// True for the name of a function of MPI, as programs define it that look at their own calls.
bool is_mpi_name(llvm::StringRef name);
/// True for a name of the `mpi_f08` binding, which is not followed (its descriptors hide the buffers).
bool is_f08_name(llvm::StringRef name);

/// True for a blocking collective that the pass may start as a nonblocking one.
bool can_be_started(const call_row& row);
/// The hook that starts it: "__tacit_bcast".
std::string starting_hook(const call_row& row);

/// The constant that an integer argument has, by value (C) or behind a reference (Fortran), if it is known.
std::optional<std::int64_t> constant_argument(const mpi_site& site, const llvm::Value* argument);
/// True if the handle in this operand is one of MPI's predefined datatypes.
bool is_predefined_datatype(const mpi_site& site, const llvm::Value* datatype);
/// Bytes of one element of a predefined datatype, if they are known; 0 else.
std::uint64_t datatype_bytes(const mpi_site& site, const llvm::Value* datatype);
/// True if the handle in this operand is one of MPI's predefined reduction operations.
bool is_predefined_operation(const mpi_site& site, const llvm::Value* operation);
/// True if the pointer is MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE.
bool is_status_ignore(const mpi_site& site, const llvm::Value* status);
/// True if the pointer is MPI_IN_PLACE for sure.
bool is_in_place(const llvm::Value* buffer);
/// True if the pointer is a sentinel (MPI_BOTTOM, MPI_IN_PLACE) and not a buffer.
bool is_buffer_sentinel(const llvm::Value* buffer);

} // namespace tacit::compiler
