// Problem: a program packs, computes, and then posts its receives. Posted before, a large message would be
// under way meanwhile.
//
//   before:  for (…) pack[i] = …;  MPI_Irecv(in, …, &r[0]);  MPI_Isend(pack, …, &r[1]);
//   after:   MPI_Irecv(in, …, &r[0]);  for (…) pack[i] = …;  MPI_Isend(pack, …, &r[1]);
//
// Idea: walk up from the post, instruction by instruction. What the post needs (addresses, a rank read from
// memory, the arguments that Fortran stores for it) moves along: the `group`. Everything else is passed if
// neither the message (effects) nor the memory of the group minds. At the beginning of its block the walk
// goes on in the nearest dominator in the same loop, if that is executed exactly as often (the block
// postdominates it, and no path from it leads back to it without passing the block) and all that lies between
// can be passed: branches and whole loops.
//
// Matching (COMPILER, condition 5): no call of MPI is passed but plain questions (a rank, the time), so that
// posts keep their order among themselves, and before and behind sends, receives, probes and completions.
// Ordering (condition 4): that a receive has started, and that a message has come, tells other ranks that
// this one has got there; posts pass nothing that others could observe (output, atomic or volatile accesses).
// A ready send stays, because it relies on a receive elsewhere.
//
// Cost: every post looks at `max_passed` instructions at most. Posts are taken in program order, so that the
// first makes room for the next.
#include "compiler/pass/hoist.h"

#include "compiler/pass/explain.h"
#include "compiler/pass/fortran_variables.h"
#include "compiler/pass/locals.h"
#include "compiler/pass/requests.h"

#include <llvm/Analysis/PostDominators.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

namespace tacit::compiler {

namespace {

using llvm::BasicBlock;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::MemoryLocation;

constexpr unsigned max_passed = 4000;          // instructions looked at for one post
constexpr std::uint64_t iterations_guess = 64; // of a loop that is passed
constexpr unsigned max_depth = 3;              // of loops that count for the guess

/// MPI's calls but for plain questions: others communicate, or set what the post relies on (a datatype, an
/// error handler).
bool is_more_than_a_question(const mpi_site& site) {
  switch (site.row->id) {
  case mpi_call::Comm_rank:
  case mpi_call::Comm_size:
  case mpi_call::Wtime:
  case mpi_call::Get_count:
  case mpi_call::Get_address:
  case mpi_call::Type_size:
  case mpi_call::Cart_rank:
  case mpi_call::Cart_coords:
  case mpi_call::Cart_shift:
    return false;
  default:
    return true;
  }
}

/// True if the call is, or may lead to, one of MPI that is more than a question. What has no body here and is
/// not MPI's is judged by its effects.
bool uses_mpi(llvm::CallBase& call) {
  llvm::SmallVector<llvm::CallBase*, 16> work{&call};
  llvm::SmallPtrSet<const llvm::Function*, 16> known;
  while (!work.empty()) {
    llvm::CallBase& next = *work.pop_back_val();
    if (const auto site = recognise(next); site ? is_more_than_a_question(*site) : is_hook(next))
      return true;
    llvm::Function* callee = next.getCalledFunction();
    if (!callee || callee->isDeclaration() || !known.insert(callee).second)
      continue;
    for (BasicBlock& block : *callee)
      for (Instruction& at : block)
        if (auto* inner = dyn_cast<llvm::CallBase>(&at))
          work.push_back(inner);
  }
  return false;
}

/// True for an access to errno, which functions of MPI may change: a post is not moved in front of who looks at it.
bool accesses_errno(const Instruction& at) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&at);
  const auto* call = pointer ? dyn_cast<llvm::CallBase>(llvm::getUnderlyingObject(pointer, 0)) : nullptr;
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && (callee->getName() == "__errno_location" || callee->getName() == "__error");
}

class climber {
public:
  climber(const mpi_site& post, llvm::ArrayRef<in_flight> operations, function_context& context,
          effects& effects, const llvm::PostDominatorTree& postdominators)
      : post_(post), operations_(operations), in_(context.analyses), aliases_(context.aliases),
        effects_(effects), postdominators_(postdominators), group_{post.call}, before_(post.call) {
    add_arguments();
  }

  /// Finds how far up the post may move; about so many instructions run between there and where it stood.
  std::uint64_t climb() {
    Instruction* at = post_.call;
    while (at) {
      Instruction* above = at->getPrevNode();
      at = above && !isa<llvm::PHINode>(above) ? pass(*above) : climb_over(*at->getParent());
    }
    return passed_;
  }

  /// Moves the group to where `climb` has come to.
  void move() {
    for (Instruction* one : llvm::reverse(group_))
      one->moveBefore(before_);
  }

private:
  /// The request, and what Fortran passes by reference, seen as data that the post reads or writes. (The
  /// buffer belongs to the operation.)
  void add_arguments() {
    // In Fortran all of them are INTEGERs, as large as a request.
    const unsigned bytes = request_bytes(*post_.call->getModule(), post_.language);
    for (unsigned i = 0; i < post_.call->arg_size(); ++i) {
      llvm::Value* argument = post_.call->getArgOperand(i);
      const param_role role = post_.role(i);
      const bool written = writes(role) || role == param_role::request || argument == post_.ierror();
      if (!argument->getType()->isPointerTy() || is_buffer(role) ||
          (!written && post_.language != binding::fortran)) // a handle by value
        continue;
      in_flight access;
      access.buffer = argument;
      access.object = llvm::getUnderlyingObject(argument, 0);
      access.writes_buffer = written;
      access.starts_at_buffer = true;
      access.bytes = bytes;
      if (isa<llvm::Argument>(access.object))
        access.tag = variable_tag(in_.function, access.object);
      access.local_object = known_to_mpi_only(access.object);
      arguments_.push_back(access);
    }
  }

  /// The instruction if it was passed or joined the group; nullptr where the climb ends.
  Instruction* pass(Instruction& above) {
    if (++seen_ > max_passed)
      return nullptr;
    if (is_needed(above)) {
      if (!can_join(above))
        return nullptr;
      group_.push_back(&above);
      return &above;
    }
    if (!can_pass(above))
      return nullptr;
    before_ = &above;
    passed_ += above.isDebugOrPseudoInst() ? 0 : 1;
    return &above;
  }

  [[nodiscard]] bool is_needed(const Instruction& above) const {
    if (llvm::any_of(above.users(), [&](const llvm::User* user) { return is_in_group(user); }))
      return true;
    const auto* store = dyn_cast<llvm::StoreInst>(&above);
    return store && reads_argument(*store);
  }

  [[nodiscard]] bool is_in_group(const llvm::User* user) const { return llvm::is_contained(group_, user); }

  /// True if the store sets an argument that Fortran passes by reference: a variable of this routine.
  [[nodiscard]] bool reads_argument(const llvm::StoreInst& store) const {
    return post_.language == binding::fortran && isa<llvm::AllocaInst>(store.getPointerOperand()) &&
           llvm::is_contained(post_.call->args(), store.getPointerOperand());
  }

  [[nodiscard]] bool can_join(Instruction& above) const {
    if (above.isTerminator() || isa<llvm::AllocaInst>(above))
      return false;
    if (auto* store = dyn_cast<llvm::StoreInst>(&above))
      return store->isSimple() && reads_argument(*store);
    if (auto* load = dyn_cast<llvm::LoadInst>(&above))
      return load->isSimple();
    return !above.mayReadOrWriteMemory() && llvm::isSafeToSpeculativelyExecute(&above);
  }

  [[nodiscard]] bool can_pass(Instruction& above) {
    if (above.isEHPad() || accesses_errno(above))
      return false;
    if (!(above.mayReadOrWriteMemory() || above.mayThrow() || isa<llvm::CallBase>(above)))
      return true;
    if (auto* call = dyn_cast<llvm::CallBase>(&above))
      if (uses_mpi(*call))
        return false;
    return !disturbs(operations_, above) && !touches_group(above);
  }

  [[nodiscard]] bool disturbs(llvm::ArrayRef<in_flight> operations, Instruction& above) const {
    return llvm::any_of(operations, [&](const in_flight& operation) {
      return effects_.of(above, operation, reach::same_iteration).has_value();
    });
  }

  /// True if the instruction may change what the group reads, or may read or change what it writes.
  [[nodiscard]] bool touches_group(Instruction& above) const {
    return llvm::any_of(group_, [&](Instruction* member) {
      if (member == post_.call)
        return disturbs(arguments_, above);
      if (const auto* load = dyn_cast<llvm::LoadInst>(member))
        return isModSet(aliases_.getModRefInfo(&above, MemoryLocation::get(load)));
      if (const auto* store = dyn_cast<llvm::StoreInst>(member))
        return isModOrRefSet(aliases_.getModRefInfo(&above, MemoryLocation::get(store)));
      return false;
    });
  }

  /// From the beginning of a block to the end of a dominator. The terminator there if it was
  /// passed.
  Instruction* climb_over(BasicBlock& block) {
    const llvm::Loop* loop = in_.loops.getLoopFor(&block);
    const auto* node = in_.dominators.getNode(&block);
    do
      node = node ? node->getIDom() : nullptr;
    while (node && in_.loops.getLoopFor(node->getBlock()) != loop);
    if (!node || needs_phi(block))
      return nullptr;
    BasicBlock& above = *node->getBlock();
    llvm::SmallVector<BasicBlock*, 16> between;
    if (!postdominators_.dominates(&block, &above) || !collect_between(above, block, between))
      return nullptr;
    const unsigned depth = in_.loops.getLoopDepth(&block);
    std::uint64_t cost = 0;
    for (BasicBlock* one : between) {
      seen_ += static_cast<unsigned>(one->size());
      if (seen_ > max_passed ||
          !llvm::all_of(*one, [&](Instruction& at) { return !is_needed(at) && can_pass(at); }))
        return nullptr;
      std::uint64_t times = 1;
      for (unsigned inner = depth; inner < std::min(in_.loops.getLoopDepth(one), depth + max_depth); ++inner)
        times *= iterations_guess;
      cost += one->size() * times;
    }
    passed_ += cost;
    return pass(*above.getTerminator());
  }

  [[nodiscard]] bool needs_phi(BasicBlock& block) const {
    return llvm::any_of(block.phis(), [&](llvm::PHINode& phi) {
      return llvm::any_of(phi.users(), [&](const llvm::User* user) { return is_in_group(user); });
    });
  }

  /// The blocks on the paths from `from` to `to`. False if one of them leads back to `from`.
  static bool collect_between(BasicBlock& from, BasicBlock& to, llvm::SmallVectorImpl<BasicBlock*>& between) {
    llvm::SmallPtrSet<BasicBlock*, 16> known{&to};
    llvm::SmallVector<BasicBlock*, 16> work{&from};
    while (!work.empty())
      for (BasicBlock* next : llvm::successors(work.pop_back_val())) {
        if (next == &from)
          return false;
        if (!known.insert(next).second)
          continue;
        between.push_back(next);
        work.push_back(next);
      }
    return true;
  }

  const mpi_site& post_;
  llvm::ArrayRef<in_flight> operations_;
  function_analyses& in_;
  llvm::AAResults& aliases_;
  effects& effects_;
  const llvm::PostDominatorTree& postdominators_;
  llvm::SmallVector<in_flight, 4> arguments_;
  llvm::SmallVector<Instruction*, 8> group_; ///< what moves, from the post upwards
  Instruction* before_;                      ///< where it may stand
  std::uint64_t passed_ = 0;
  unsigned seen_ = 0;
};

bool may_be_hoisted(const mpi_site& site) {
  return !site.hook && !site.profiling && site.language != binding::c_large &&
         (site.is(mpi_call::Isend) || site.is(mpi_call::Issend) || site.is(mpi_call::Irecv) ||
          site.is(mpi_call::Start));
}

/// What the post starts; empty if that is not known.
llvm::SmallVector<in_flight, 2> started_by(const mpi_site& post, function_context& context,
                                           effects& effects) {
  llvm::SmallVector<in_flight, 2> made;
  if (!post.is(mpi_call::Start)) {
    made = operations_of(post);
  } else {
    const unsigned bytes = request_bytes(*post.call->getModule(), post.language);
    const auto size = bytes ? llvm::LocationSize::precise(bytes) : llvm::LocationSize::beforeOrAfterPointer();
    const matched_posts found =
        match_request(*post.call, MemoryLocation(post.operand(param_role::request), size), context.aliases,
                      effects, context.analyses.loops);
    if (found.why != reason::none)
      return {};
    for (const matched_post& one : found.posts) {
      const auto operations = operations_of(one.site);
      if (operations.empty() || !operations.front().persistent ||
          varies_since(context.analyses.loops, operations.front().buffer, *one.site.call, *post.call,
                       one.earlier_iteration))
        return {};
      made.append(operations.begin(), operations.end());
    }
  }
  for (in_flight& operation : made)
    operation.orders = true;
  settle_variables(made, *post.call, effects);
  return made;
}

} // namespace

bool hoist_posts(function_context& context, effects& effects, const options& options) {
  llvm::SmallVector<mpi_site, 16> posts;
  for (BasicBlock& block : context.analyses.function)
    for (Instruction& at : block)
      if (auto* call = dyn_cast<llvm::CallInst>(&at))
        if (const auto site = recognise(*call); site && may_be_hoisted(*site))
          posts.push_back(*site);
  if (posts.empty())
    return false;
  effects.forget();
  const llvm::PostDominatorTree postdominators(context.analyses.function);
  bool changed = false;
  for (const mpi_site& post : posts) {
    const auto operations = started_by(post, context, effects);
    if (operations.empty() || (context.error_handlers && (post.ierror() || !post.call->use_empty())))
      continue;
    climber up(post, operations, context, effects, postdominators);
    const std::uint64_t passed = up.climb();
    if (passed < options.min_window)
      continue;
    explain_hoisted(post, passed, context.remarks, options);
    up.move();
    changed = true;
  }
  if (changed)
    context.analyses.evolution.forgetAllLoops();
  return changed;
}

} // namespace tacit::compiler
