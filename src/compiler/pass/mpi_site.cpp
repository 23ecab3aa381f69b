#include "compiler/pass/mpi_site.h"

#include "vocabulary/calls/symbols.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

namespace tacit::compiler {

namespace {

/// parameter_roles, read from the table once: it is asked for every operand of every call.
const std::vector<param_role>& roles_of(const call_row& row) {
  static const std::vector<std::vector<param_role>> by_row = [] {
    std::vector<std::vector<param_role>> made;
    for (const call_row& each : call_rows())
      made.push_back(parameter_roles(each));
    return made;
  }();
  return by_row[static_cast<std::size_t>(row.id) - 1];
}

/// Every symbol of every row: MPI_X, PMPI_X, their _c forms, mpi_x_, pmpi_x_; and the hooks that post an
/// operation.
const llvm::StringMap<named_row>& symbols() {
  static const llvm::StringMap<named_row> table = [] {
    llvm::StringMap<named_row> made;
    for (const call_row& row : call_rows()) {
      const std::string c(row.name);
      const std::string fortran = llvm::StringRef(c).lower() + "_";
      for (const bool profiling : {false, true}) {
        const std::string prefix = profiling ? "P" : "";
        made[prefix + c] = {&row, binding::c, 0, false, profiling};
        made[prefix + c + "_c"] = {&row, binding::c_large, 0, false, profiling};
      }
      made[fortran] = {&row, binding::fortran};
      made["p" + fortran] = {&row, binding::fortran, 0, false, true};
    }
    for (const auto& [hook, call, first] :
         {std::tuple("__tacit_send", "Send", 1U), std::tuple("__tacit_recv", "Recv", 1U),
          std::tuple("__tacit_sendrecv", "Sendrecv", 1U), std::tuple("__tacit_send_renamed", "Send", 1U)}) {
      made[hook] = {find_call(call), binding::c, first, true};
      made[std::string(hook) + "_f"] = {find_call(call), binding::fortran, first, true};
    }
    for (const call_row& row : call_rows())
      if (can_be_started(row)) {
        made[starting_hook(row)] = {&row, binding::c, 1, true};
        made[starting_hook(row) + "_f"] = {&row, binding::fortran, 1, true};
      }
    return made;
  }();
  return table;
}

/// The value of a reference argument: a constant global's, or the one value that every store to the variable
/// stores.
const llvm::Value* value_behind(const llvm::Value* reference) {
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(reference))
    return global->isConstant() && global->hasDefinitiveInitializer() ? global->getInitializer() : nullptr;
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(reference);
  if (!variable)
    return nullptr;
  const llvm::Value* only = nullptr;
  for (const llvm::User* user : variable->users()) {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        store && store->getPointerOperand() == variable) {
      if (only && only != store->getValueOperand())
        return nullptr;
      only = store->getValueOperand();
    } else if (llvm::isa<llvm::CallBase>(user)) {
      const auto* other = llvm::cast<llvm::CallBase>(user);
      if (other->isLifetimeStartOrEnd())
        continue;
      // MPI reads what it gets by reference in an input role; anything else might write.
      const auto site = recognise(const_cast<llvm::CallBase&>(*other));
      if (!site || site->language != binding::fortran)
        return nullptr;
      for (unsigned i = 0; i < other->arg_size(); ++i)
        if (other->getArgOperand(i) == variable &&
            (site->role(i) == param_role::other || writes(site->role(i)) || is_buffer(site->role(i))))
          return nullptr;
    } else if (!llvm::isa<llvm::LoadInst>(user)) {
      return nullptr;
    }
  }
  return only;
}

/// The name of the global variable, or common block, that the value leads to; empty if there is none.
llvm::StringRef global_behind(const llvm::Value* value) {
  const auto* global = llvm::dyn_cast<llvm::GlobalValue>(llvm::getUnderlyingObject(value));
  return global ? global->getName() : llvm::StringRef();
}

/// True for one of the common blocks, as Fortran compilers spell them, whose members are MPI's constants: MPICH's of several
/// constants each, Open MPI's of one.
bool leads_to_common(const llvm::Value* value, std::initializer_list<llvm::StringRef> names) {
  const llvm::StringRef name = global_behind(value).rtrim('_');
  return llvm::any_of(names, [&](llvm::StringRef one) { return name.equals_insensitive(one); });
}

/// True for one of Open MPI's objects: its predefined handles in C are their addresses. A program has no variable of this
/// name with a body.
bool leads_to_object(const mpi_site& site, const llvm::Value* handle, llvm::StringRef prefix) {
  const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(handle));
  return site.language != binding::fortran && global && global->isDeclaration() &&
         global->getName().starts_with(prefix);
}

/// The address that a constant is, without a variable.
std::optional<std::int64_t> constant_address(const llvm::Value* pointer) {
  if (llvm::isa<llvm::ConstantPointerNull>(pointer))
    return 0;
  const auto* address = llvm::dyn_cast<llvm::ConstantExpr>(pointer);
  const auto* number = address && address->getOpcode() == llvm::Instruction::IntToPtr
                           ? llvm::dyn_cast<llvm::ConstantInt>(address->getOperand(0))
                           : nullptr;
  return number ? std::optional(number->getSExtValue()) : std::nullopt;
}

} // namespace

llvm::Value* mpi_site::operand(param_role role) const {
  const auto& roles = roles_of(*row);
  for (unsigned i = 0; i < roles.size() && i + first < call->arg_size(); ++i)
    if (roles[i] == role)
      return call->getArgOperand(i + first);
  return nullptr;
}

param_role mpi_site::role(unsigned index) const {
  const auto& roles = roles_of(*row);
  return index >= first && index - first < roles.size() ? roles[index - first] : param_role::other;
}

llvm::Value* mpi_site::ierror() const {
  return language == binding::fortran ? call->getArgOperand(end() - 1) : nullptr;
}

unsigned mpi_site::end() const {
  const std::size_t described = first + roles_of(*row).size() + (language == binding::fortran ? 1 : 0);
  return hook ? call->arg_size() : static_cast<unsigned>(std::min<std::size_t>(call->arg_size(), described));
}

bool appends_lengths(llvm::ArrayRef<llvm::Type*> operands, std::size_t described) {
  return operands.size() > described &&
         llvm::all_of(operands.drop_front(described),
                      [](const llvm::Type* type) { return type->isIntegerTy(); });
}

std::optional<named_row> known_symbol(llvm::StringRef name) {
  const auto found = symbols().find(name);
  return found == symbols().end() ? std::nullopt : std::optional(found->second);
}

std::optional<mpi_site> recognise(llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return std::nullopt;
  const auto found = symbols().find(callee->getName());
  if (found == symbols().end())
    return std::nullopt;
  const auto [row, language, first, hook, profiling] = found->second;
  const std::size_t expected = roles_of(*row).size() + (language == binding::fortran ? 1 : 0);
  const bool modelled = row->kind != call_class::unknown && row->kind != call_class::local;
  const bool lengths =
      language == binding::fortran && appends_lengths(call.getFunctionType()->params(), expected);
  if (modelled && !hook && call.arg_size() != expected && !lengths)
    return std::nullopt; // not the function that the standard describes
  return mpi_site{&call, row, language, first, hook, profiling};
}

bool is_hook(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->getName().starts_with("__tacit_");
}

bool can_be_started(const call_row& row) {
  switch (row.id) {
  case mpi_call::Allgather:
  case mpi_call::Allgatherv:
  case mpi_call::Allreduce:
  case mpi_call::Alltoall:
  case mpi_call::Alltoallv:
  case mpi_call::Bcast:
  case mpi_call::Gather:
  case mpi_call::Gatherv:
  case mpi_call::Reduce:
  case mpi_call::Scatter:
  case mpi_call::Scatterv:
    return true;
  default:
    return false;
  }
}

std::string starting_hook(const call_row& row) {
  return "__tacit_" + llvm::StringRef(row.name).drop_front(sizeof("MPI_") - 1).lower();
}

const call_row* used_call(const llvm::Function& function) {
  return function.use_empty() ? nullptr : understand_symbol(std::string_view(function.getName())).row;
}

bool is_mpi_name(llvm::StringRef name) {
  return understand_symbol(std::string_view(name)).row != nullptr;
}

bool is_f08_name(llvm::StringRef name) {
  return (name.starts_with("mpi_") || name.starts_with("pmpi_")) &&
         (name.ends_with("_f08_") || name.ends_with("_f08ts_"));
}

std::optional<std::int64_t> constant_argument(const mpi_site& site, const llvm::Value* argument) {
  const llvm::Value* value = site.language == binding::fortran ? value_behind(argument) : argument;
  const auto* constant = value ? llvm::dyn_cast<llvm::ConstantInt>(value) : nullptr;
  return constant ? std::optional(constant->getSExtValue()) : std::nullopt;
}

bool is_predefined_datatype(const mpi_site& site, const llvm::Value* datatype) {
  if (leads_to_object(site, datatype, "ompi_mpi_"))
    return true;
  const auto handle = constant_argument(site, datatype);
  if (!handle)
    return false;
  // MPICH: builtin handles have 0x4c in the first byte (and carry their size); pair types have 0x8c and gaps.
  // Open MPI's Fortran handles are small indices; its derived types come after the predefined ones.
  constexpr std::int64_t open_mpi_predefined = 70;
  return ((*handle >> 24) & 0xff) == 0x4c || (*handle >= 0 && *handle < open_mpi_predefined);
}

std::uint64_t datatype_bytes(const mpi_site& site, const llvm::Value* datatype) {
  if (!is_predefined_datatype(site, datatype))
    return 0;
  if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(datatype->stripPointerCasts()))
    return llvm::StringSwitch<std::uint64_t>(global->getName())
        .Cases("ompi_mpi_char", "ompi_mpi_byte", "ompi_mpi_signed_char", "ompi_mpi_unsigned_char",
               "ompi_mpi_packed", 1)
        .Cases("ompi_mpi_int", "ompi_mpi_unsigned", "ompi_mpi_float", "ompi_mpi_int32_t", "ompi_mpi_uint32_t",
               4)
        .Cases("ompi_mpi_double", "ompi_mpi_long", "ompi_mpi_unsigned_long", "ompi_mpi_int64_t",
               "ompi_mpi_uint64_t", 8)
        .Cases("ompi_mpi_long_long_int", "ompi_mpi_unsigned_long_long", 8)
        .Default(0);
  const std::int64_t handle = constant_argument(site, datatype).value_or(0);
  if (((handle >> 24) & 0xff) == 0x4c)
    return static_cast<std::uint64_t>((handle >> 8) & 0xff); // MPICH keeps the size in the handle
  switch (handle) {                                          // Open MPI's mpif.h
  case 1:                                                    // MPI_BYTE
  case 5:
    return 1; // MPI_CHARACTER
  case 7:     // MPI_INTEGER
  case 13:
    return 4; // MPI_REAL
  case 17:
    return 8; // MPI_DOUBLE_PRECISION
  default:
    return 0;
  }
}

bool is_predefined_operation(const mpi_site& site, const llvm::Value* operation) {
  if (leads_to_object(site, operation, "ompi_mpi_op_"))
    return true;
  const auto handle = constant_argument(site, operation);
  constexpr std::int64_t open_mpi_predefined = 15;
  return handle && (((*handle >> 24) & 0xff) == 0x58 || (*handle >= 0 && *handle < open_mpi_predefined));
}

bool is_status_ignore(const mpi_site& site, const llvm::Value* status) {
  if (site.language == binding::fortran)
    return leads_to_common(
        status, {"mpi_fortran_status_ignore", "mpi_fortran_statuses_ignore", "mpipriv1", "mpipriv2"});
  // Open MPI: a null pointer; MPICH: the address 1.
  const auto address = constant_address(status);
  return address && (*address == 0 || *address == 1);
}

bool is_in_place(const llvm::Value* buffer) {
  // Open MPI, and the standard's binary interface: the address 1; MPICH: -1.
  const auto address = constant_address(buffer);
  return (address && (*address == 1 || *address == -1)) || leads_to_common(buffer, {"mpi_fortran_in_place"});
}

bool is_buffer_sentinel(const llvm::Value* buffer) {
  const llvm::Value* pointer = buffer->stripPointerCasts();
  return constant_address(pointer) == 0 || is_in_place(pointer) ||
         leads_to_common(pointer, {"mpi_fortran_bottom", "mpipriv1"});
}

} // namespace tacit::compiler
