// What an instruction does to a pending operation: the conflicts that end the region in which it may stay
// pending.
//
// An instruction conflicts with a pending operation if it may touch the bytes of the operation as the
// operation forbids it (COMPILER, condition 2), if the completion of the operation must come before it
// (condition 4), or if nothing is known about it. Everything that is not shown to be harmless conflicts.
// Conflicts of plain loads and stores with bytes of unknown location are `checkable`: comparing the two
// address ranges at run time decides them.
#pragma once

#include "compiler/pass/in_flight.h"
#include "compiler/pass/user_code.h"
#include "vocabulary/calls/reasons.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/IR/Dominators.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tacit::compiler {

/// A plain load or store; its bytes can be compared with those of a pending operation at run time.
struct plain_access {
  llvm::Value* pointer = nullptr;
  std::uint64_t bytes = 0;
  bool writes = false;
};

struct conflict {
  reason why = reason::none;
  std::string detail;
  std::optional<plain_access> checkable;
};

/// What calling a function with a body here may do, as far as pending operations care.
struct call_summary {
  llvm::SmallPtrSet<const llvm::Value*, 8> reads, writes; ///< globals, and arguments of the function
  bool reads_anything = false, writes_anything = false;   ///< through pointers of unknown origin
  bool communicates = false;                              ///< sends, or takes part in a collective
  bool asks_the_time = false; ///< or another question to which the answer may change
  std::string unknown;        ///< the first thing inside that nothing is known about; also what may throw
};

/// What a module does that makes more memory matter than the buffers that it names.
struct exposure {
  /// It shares memory with other ranks: they may write a buffer, and read or write other memory, as soon as a
  /// message or a collective tells them to.
  bool windows = false;
  /// It makes datatypes that lead from one variable to another (datatypes.h).
  bool joined_variables = false;
  /// It may have one piece of memory at several addresses, so that comparing addresses says nothing.
  bool mapped_memory = false;
  /// The program sends in synchronous mode, or cancels messages: that a receive begins tells its sender that this rank has
  /// come so far.
  bool synchronous_sends = false;
  user_code callbacks = {};
};

class effects {
public:
  effects(std::function<llvm::AAResults&(llvm::Function&)> aliases,
          std::function<llvm::DominatorTree&(llvm::Function&)> dominators, exposure exposed)
      : aliases_(std::move(aliases)), dominators_(std::move(dominators)), exposed_(exposed) {}

  /// The conflict of the instruction with the operation, if there is one.
  std::optional<conflict> of(llvm::Instruction& at, const in_flight& operation, reach how);
  /// The conflict of what a call itself writes where it stands, if only its completion moves: in Fortran its error code, which may be
  /// part of the message.
  std::optional<conflict> of_error_code(const mpi_site& site, const in_flight& operation);
  [[nodiscard]] const exposure& exposed() const { return exposed_; }
  /// True if a loop that does this again and again may wait for what others do meanwhile.
  bool asks_the_time(llvm::Instruction& at);
  /// To be called before decisions about a function that has changed.
  void forget() { same_time_.clear(); }

private:
  std::optional<conflict> of_access(llvm::Instruction& at, const in_flight& operation, reach how);
  std::optional<conflict> of_call(llvm::CallBase& call, const in_flight& operation, reach how);
  std::optional<conflict> of_mpi(const mpi_site& site, const in_flight& operation, reach how);
  std::optional<conflict> of_body(llvm::CallBase& call, const in_flight& operation, reach how);
  bool may_touch(llvm::Function& in, const in_flight& operation, const llvm::MemoryLocation& where,
                 reach how);
  /// True if other ranks may access what the pointer leads to, and the operation tells when they do.
  [[nodiscard]] bool is_ordered(const in_flight& operation, const llvm::Value* pointer) const;
  const call_summary& summary_of(llvm::Function& function);
  void add_to_summary(call_summary& summary, llvm::Instruction& instruction);

  bool held_different_memory(const in_flight& operation, const llvm::Value* other);

  std::function<llvm::AAResults&(llvm::Function&)> aliases_;
  std::function<llvm::DominatorTree&(llvm::Function&)> dominators_;
  exposure exposed_;
  std::map<const llvm::Function*, call_summary> summaries_;
  std::map<std::pair<const llvm::LoadInst*, const llvm::LoadInst*>, bool> same_time_;
};

} // namespace tacit::compiler
