// Deciding: what becomes of an MPI call that completes an operation (a site), and why. Nothing of the program
// changes here. A decision is a plain value: change.h carries it out, explain.h puts it into words.
#pragma once

#include "compiler/pass/effects.h"
#include "compiler/pass/options.h"
#include "compiler/pass/placement.h"
#include "compiler/pass/remark_book.h"

#include <llvm/ADT/SetVector.h>

namespace tacit::compiler {

using operation_list = llvm::SmallVector<in_flight, 4>;

/// What the pass over a function needs of LLVM.
struct function_context {
  function_analyses analyses;
  llvm::AAResults& aliases;
  remark_book& remarks;
  bool error_handlers; ///< the module sets MPI error handlers
  const llvm::SmallPtrSetImpl<const llvm::Function*>&
      messengers; ///< routines with messages that were not inlined
};

enum class outcome : std::uint8_t {
  ignored,     ///< a call that neither completes anything nor could
  stays,       ///< for the reason in `no`
  split,       ///< a blocking call posts, and completes later
  started,     ///< a blocking collective starts, and completes later
  copied,      ///< a blocking send goes from a copy
  moved,       ///< a wait completes later
  taken_apart, ///< some requests of a Waitall complete later, the others where they did
};

struct refusal {
  reason why = reason::none;
  std::string detail = {};
  llvm::Instruction* blocker = nullptr;
  std::uint64_t window = 0; ///< what could have run meanwhile, as in `placement`
};

/// One request of a Waitall.
struct element {
  operation_list pending;
  bool known = false; ///< `pending` is complete
  placement placed;   ///< of its completion alone, if it is known
};

struct decision {
  mpi_site site;
  std::string name; ///< of the call, for people
  outcome becomes = outcome::ignored;
  refusal no;
  operation_list pending;                 ///< what the site completes
  std::optional<placement> placed;        ///< of the completion; none if it did not come to that
  llvm::SmallVector<element, 0> elements; ///< if it is a Waitall that can be taken apart
  unsigned elements_moved = 0;

  // What inlining could gain:
  llvm::SmallSetVector<llvm::CallBase*, 8> blocking;   ///< as in scouting
  llvm::SmallVector<const llvm::CallBase*, 8> matched; ///< posts that the site may complete
  bool for_callers = false;                            ///< the site could do better as part of a caller
};

/// The MPI calls of a function.
struct function_calls {
  llvm::SmallVector<mpi_site, 16> sites;
  llvm::SmallVector<decision, 0> unreadable; ///< calls of bindings that are not followed
};

function_calls calls_in(llvm::Function& function);

/// True if the pass has something to say about this call.
bool is_considered(const mpi_site& site);

/// The decision that a site stays as it is.
decision stays(const mpi_site& site, refusal why);

/// The addresses of the requests of a Waitall, as instructions in front of it: without them nobody can be
/// asked what may change a request. Those that are not used go away with this.
class request_addresses {
public:
  explicit request_addresses(const mpi_site& waitall);
  ~request_addresses();
  request_addresses(const request_addresses&) = delete;
  request_addresses& operator=(const request_addresses&) = delete;

  /// How many there are; none where that is not a small constant.
  [[nodiscard]] std::size_t size() const { return addresses_.size(); }
  llvm::Value* operator[](std::size_t index) const { return addresses_[index]; }

private:
  llvm::SmallVector<llvm::Value*, 16> addresses_;
};

class decider {
public:
  decider(function_context& context, effects& effects, const options& options,
          llvm::ArrayRef<mpi_site> sites);

  [[nodiscard]] decision decide(const mpi_site& site);
  /// Where the completion of these operations, which stood at the site, has to stand.
  [[nodiscard]] placement place(const mpi_site& site, llvm::ArrayRef<in_flight> pending);
  /// Enough runs meanwhile, and not only on paths that are seldom taken.
  [[nodiscard]] bool worthwhile(const placement& placed) const;

private:
  void decide_blocking(decision& made);
  void decide_collective(decision& made);
  void decide_wait(decision& made);
  void decide_waitall(decision& made);

  void place_pending(decision& made, llvm::ArrayRef<in_flight> pending);
  void note(const placement& placed, llvm::ArrayRef<in_flight> pending, decision& made);
  void settle(decision& made, outcome worth_it);
  std::optional<refusal> observable(decision& made);
  std::optional<refusal> overwritten(const decision& made);
  bool status_unused(const mpi_site& site);
  std::optional<refusal> match(decision& made, const llvm::MemoryLocation& requests, operation_list& into);
  void match_elements(decision& made, const request_addresses& addresses);
  void place_elements(decision& made);
  [[nodiscard]] bool may_copy(const mpi_site& site) const;
  void find_exchanges(llvm::ArrayRef<mpi_site> sites);

  function_context& context_;
  effects& effects_;
  const options& options_;
  llvm::SmallPtrSet<const llvm::CallBase*, 8> exchanges_;
};

} // namespace tacit::compiler
