// Where the completion of a pending operation has to stand.
//
// Problem: the wait of an operation stood at one point p. From p on, the operation may stay pending along
// every path up to the first instruction that conflicts with it. Find the points, as late as possible, such
// that every path from p completes the operation before a conflict, and as few of them as possible are inside
// loops that p is not in.
//
// Idea: walk forward from p over the control-flow graph. A block is entered pending if some path brings the
// pending operation to it; it is left pending unless something in it conflicts. A loop that is entered
// pending is one step: if nothing in it conflicts, the operation stays pending through it; conflicts with
// plain accesses whose addresses can be told before the loop become one comparison at run time there; any
// other conflict completes the operation before the loop. Completing an empty slot does nothing, so paths
// that do not come from p need no flag.
//
// A loop whose accesses to the buffer move on with its iterations (a stencil that reaches the halo in its
// last row, a loop over received messages) is entered pending, too: the operation completes between two
// iterations, before the first one that touches the buffer. Which one that is, the hook computes from the
// buffer and the ranges of the first iteration and their step. The order of the iterations stays.
//
// This replaces the walk up the dominator tree of the seed (Algorithm 1), which can climb to the block that
// it came from. The two modes keep the seed's names: conservative (Algorithm 1) stays in the innermost loop
// ("interval") of the wait; aggressive (Algorithm 2) also follows the back edge and the exits of that loop.
//
// Cost: every block is scanned at most twice (once per `reach`), every loop once more; blocks are taken in
// the order of their distance from the wait. Termination: reach only grows.
#pragma once

#include "compiler/pass/options.h"
#include "compiler/pass/pending_conflicts.h"

#include <limits>

namespace tacit::compiler {

/// Instructions that run while two ranks agree on a large message (a few microseconds).
constexpr std::uint64_t handshake = 10000;

struct completion {
  llvm::Instruction* before = nullptr;             ///< complete before this instruction …
  llvm::BasicBlock *from = nullptr, *to = nullptr; ///< … or on this edge
  llvm::SmallVector<checked_range, 4>
      unless_apart;             ///< if not empty: only if one of these would disturb the operation
  llvm::Loop* within = nullptr; ///< … or between the iterations of this loop that stands there: before the
                                ///< first whose ranges (`unless_apart`, per iteration) would disturb it
  conflict cause;
  llvm::Instruction* blocker = nullptr; ///< the instruction that conflicts, if it is one
};

struct placement {
  llvm::SmallVector<completion, 4> completions;
  llvm::SmallVector<llvm::Loop*, 4> passed; ///< loops that run as a whole while the operation is pending
  /// The outermost loops behind the wait in which it is pending, perhaps not in all of their iterations.
  llvm::SmallVector<llvm::Loop*, 4> behind;
  /// Instructions on the shortest path from the wait to a completion, within the innermost loop of the wait
  /// if it is in one (paths out of it are taken once).
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
  /// Instructions that run meanwhile, on all paths together; a handshake for each exchange among them.
  std::uint64_t window = 0;
  unsigned exchanges =
      0; ///< calls among them that wait for a partner: the two messages are under way together
  /// Without the handshakes.
  [[nodiscard]] std::uint64_t instructions() const { return window - exchanges * handshake; }
  /// The share of executions, by LLVM's guess, in which the operation has to be complete before the least
  /// window has passed.
  double soon = 0;
};

/// Places the completion of `operations`, which are pending from just after `wait` on.
placement place_completions(llvm::Instruction& wait, llvm::ArrayRef<in_flight> operations, effects& effects,
                            function_analyses& in, const options& options);

} // namespace tacit::compiler
