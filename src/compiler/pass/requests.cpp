#include "compiler/pass/requests.h"

#include "compiler/pass/known_functions.h"
#include "compiler/pass/locals.h"
#include "compiler/pass/source_location.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace tacit::compiler {

namespace {

using llvm::AliasResult;
using llvm::dyn_cast;
using llvm::Instruction;
using llvm::isa;
using llvm::MemoryLocation;

bool only_mpi_knows(const llvm::Value* pointer) {
  return known_to_mpi_only(const_cast<llvm::Value*>(llvm::getUnderlyingObject(pointer, 0)));
}

std::string what(const Instruction& at) {
  const auto* call = dyn_cast<llvm::CallBase>(&at);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? name_of(*callee) : wording(remark::instruction, {at.getOpcodeName()});
}

/// Gives memory without any contents, unlike realloc.
bool allocates(const Instruction& at) {
  const std::string name = what(at);
  return name == "malloc" || name == "calloc" || name == "aligned_alloc" || name == "_Znwm" ||
         name == "_Znam";
}

/// True if the value may be another one in each iteration. It may be computed behind the loop, from what the
/// last iteration left.
bool depends_on(const llvm::Value* value, const llvm::Loop& loop) {
  llvm::SmallVector<const llvm::Value*, 8> work{value};
  llvm::SmallPtrSet<const llvm::Value*, 8> known;
  while (!work.empty()) {
    const auto* made = dyn_cast<Instruction>(work.pop_back_val());
    if (!made || !known.insert(made).second)
      continue;
    if (loop.contains(made))
      return true;
    if (!isa<llvm::PHINode>(made)) // a value of its own: not taken for the one in the loop
      work.append(made->value_op_begin(), made->value_op_end());
  }
  return false;
}

/// How far back the search is.
enum class distance : std::uint8_t {
  none,
  same_iteration,    ///< of all loops around the wait
  earlier_iteration, ///< of one of them, perhaps
  other_place,       ///< and there the request of the wait was another element of its array
};

enum class effect_on_request : std::uint8_t { none, may_match, matches, clears, unknown };

class backward_search {
public:
  backward_search(const MemoryLocation& location, llvm::AAResults& aliases, effects& effects,
                  const llvm::LoopInfo& loops)
      : location_(location), aliases_(aliases), effects_(effects), loops_(loops),
        local_(only_mpi_knows(location.Ptr)) {
    request_.buffer = const_cast<llvm::Value*>(location.Ptr);
    request_.object = llvm::getUnderlyingObject(request_.buffer, 0);
    request_.bytes = location.Size.hasValue() ? location.Size.getValue().getKnownMinValue() : 0;
    request_.starts_at_buffer = true;
    request_.local_object = local_;
  }

  matched_posts run(Instruction& wait) {
    wait_ = &wait;
    persistent_ = starts_persistent(*wait.getFunction());
    search(*wait.getParent(), wait.getIterator());
    while (!work_.empty() && found_.why == reason::none) {
      const auto [block, how] = work_.pop_back_val();
      how_ = how;
      search(*block, block->end());
    }
    if (found_.why == reason::none && found_.posts.empty())
      stop(reason::request_unknown, wording(remark::no_post), nullptr);
    return std::move(found_);
  }

private:
  void stop(reason why, std::string detail, Instruction* at) {
    found_.why = why;
    found_.detail = std::move(detail);
    found_.blocker = at;
  }

  /// A completed persistent request keeps its handle, so that a wait does not end the search for its post.
  bool starts_persistent(llvm::Function& function) {
    for (llvm::BasicBlock& block : function)
      for (Instruction& at : block)
        if (auto* call = dyn_cast<llvm::CallBase>(&at))
          if (const auto site = recognise(*call); site && site->is(call_class::start)) {
            llvm::Value* started = site->is(mpi_call::Start) ? site->operand(param_role::request)
                                                             : site->operand(param_role::requests);
            if (relation(started, llvm::LocationSize::beforeOrAfterPointer()) != AliasResult::NoAlias)
              return true;
          }
    return false;
  }

  void search(llvm::BasicBlock& block, llvm::BasicBlock::iterator from) {
    while (from != block.begin()) {
      Instruction& at = *--from;
      if (&at == request_.object && allocates(at))
        return; // fresh memory holds no request
      const effect_on_request effect = effect_of(at);
      switch (effect) {
      case effect_on_request::none:
        break;
      case effect_on_request::clears:
        return;
      case effect_on_request::unknown:
        return stop(reason::request_touched, wording(remark::request_changed, {llvm::demangle(what(at))}),
                    &at);
      case effect_on_request::may_match:
      case effect_on_request::matches: {
        const auto site = recognise(llvm::cast<llvm::CallBase>(at));
        if (!site)
          return stop(reason::request_touched, wording(remark::request_changed, {what(at)}), &at);
        add_post(*site);
        if (effect == effect_on_request::matches)
          return;
      }
      }
    }
    if (block.isEntryBlock() && !isa<llvm::AllocaInst>(llvm::getUnderlyingObject(location_.Ptr, 0)))
      return stop(reason::request_unknown, wording(remark::posted_before), nullptr);
    for (llvm::BasicBlock* before : llvm::predecessors(&block))
      go_back(block, *before);
  }

  void add_post(const mpi_site& site) {
    const auto same =
        llvm::find_if(found_.posts, [&](const matched_post& one) { return one.site.call == site.call; });
    if (same == found_.posts.end())
      found_.posts.push_back({site, how_ != distance::same_iteration});
    else
      same->earlier_iteration |= how_ != distance::same_iteration;
  }

  void go_back(const llvm::BasicBlock& block, llvm::BasicBlock& before) {
    distance how = how_;
    const llvm::Loop* loop = loops_.getLoopFor(&block);
    if (loop && loop->getHeader() == &block && loop->contains(&before)) {
      if (depends_on(request_.object, *loop))
        return stop(reason::request_unknown, wording(remark::request_elsewhere), nullptr);
      how = std::max(how, depends_on(request_.buffer, *loop) ? distance::other_place
                                                             : distance::earlier_iteration);
    }
    distance& known = seen_[&before];
    if (known >= how)
      return;
    known = how;
    work_.emplace_back(&before, how);
  }

  AliasResult relation(const llvm::Value* pointer, llvm::LocationSize size) {
    if (how_ == distance::other_place)
      return aliases_.alias(MemoryLocation(pointer, size),
                            MemoryLocation::getBeforeOrAfter(request_.object)) == AliasResult::NoAlias
                 ? AliasResult::NoAlias
                 : AliasResult::MayAlias;
    return aliases_.alias(MemoryLocation(pointer, size), location_);
  }

  effect_on_request effect_of(Instruction& at) {
    if (!at.mayWriteToMemory() || at.isDebugOrPseudoInst())
      return effect_on_request::none;
    if (auto* call = dyn_cast<llvm::CallBase>(&at)) {
      if (const auto site = recognise(*call))
        return effect_of_mpi(*site);
      if (call->getCalledFunction() && is_operator_new(call->getCalledFunction()->getName()))
        return effect_on_request::none;
    }
    const auto found = effects_.of(
        at, request_, how_ == distance::other_place ? reach::next_iteration : reach::same_iteration);
    if (!found || found->why == reason::buffer_ends)
      return effect_on_request::none;
    if (found->why == reason::synchronizes || (local_ && found->why == reason::unknown_effect))
      return is_given(at) ? effect_on_request::unknown : effect_on_request::none; // nobody else knows it
    // Setting a request to a constant is setting it to MPI_REQUEST_NULL.
    const auto* store = dyn_cast<llvm::StoreInst>(&at);
    const auto* fill = dyn_cast<llvm::MemSetInst>(&at);
    const bool cleared = (store && isa<llvm::Constant>(store->getValueOperand())) ||
                         (fill && isa<llvm::Constant>(fill->getValue()));
    return cleared ? effect_on_request::none : effect_on_request::unknown;
  }

  /// True if the instruction may get at the request through its operands.
  bool is_given(const Instruction& at) {
    return llvm::any_of(at.operand_values(), [&](const llvm::Value* operand) {
      return operand->getType()->isPointerTy() && (!local_ || may_be_into(operand, request_.object)) &&
             relation(operand, llvm::LocationSize::beforeOrAfterPointer()) != AliasResult::NoAlias;
    });
  }

  effect_on_request effect_of_mpi(const mpi_site& site) {
    llvm::CallBase& call = *site.call;
    if (!local_ && may_run_user_code(site, effects_.exposed().callbacks))
      return effect_on_request::unknown;
    for (unsigned i = site.first; i < call.arg_size(); ++i) {
      llvm::Value* operand = call.getArgOperand(i);
      const param_role role = site.role(i);
      if (!operand->getType()->isPointerTy())
        continue;
      if (role == param_role::new_request) {
        const AliasResult how = relation(operand, location_.Size);
        if (how == AliasResult::NoAlias)
          continue;
        const bool sure = how == AliasResult::MustAlias && location_.Size.isPrecise() &&
                          !varies_since(loops_, operand, call, *wait_, how_ != distance::same_iteration);
        return sure ? effect_on_request::matches : effect_on_request::may_match;
      }
      if (role == param_role::request && site.is(mpi_call::Wait) && location_.Size.isPrecise() &&
          relation(operand, location_.Size) == AliasResult::MustAlias)
        return persistent_ ? effect_on_request::none : effect_on_request::clears;
      const bool request_role = role == param_role::request || role == param_role::requests;
      // No message carries a request that can be waited for: what overwrites a request with one is followed
      // by what sets it again, and that has been met on the way.
      if (!request_role && !is_buffer(role) &&
          (role == param_role::other ? site.is(call_class::unknown) : writes(role)) &&
          relation(operand, llvm::LocationSize::beforeOrAfterPointer()) != AliasResult::NoAlias && !local_)
        return effect_on_request::unknown;
    }
    return effect_on_request::none;
  }

  MemoryLocation location_;
  llvm::AAResults& aliases_;
  effects& effects_;
  const llvm::LoopInfo& loops_;
  in_flight request_; ///< the request seen as data that must not be written
  bool local_;
  bool persistent_ = false;
  matched_posts found_;
  const Instruction* wait_ = nullptr;
  distance how_ = distance::same_iteration;
  llvm::DenseMap<const llvm::BasicBlock*, distance> seen_;
  llvm::SmallVector<std::pair<llvm::BasicBlock*, distance>, 16> work_;
};

} // namespace

bool varies_since(const llvm::LoopInfo& loops, const llvm::Value* value, const Instruction& post,
                  const Instruction& wait, bool earlier_iteration) {
  for (const llvm::Loop* loop = loops.getLoopFor(post.getParent()); loop; loop = loop->getParentLoop())
    if (!loop->isLoopInvariant(value) && (earlier_iteration || !loop->contains(&wait)))
      return true;
  return false;
}

unsigned request_bytes(const llvm::Module& module, binding language) {
  if (language == binding::fortran)
    return 4;
  for (const llvm::Function& function : module)
    for (const llvm::User* user : function.users())
      if (auto* call = dyn_cast<llvm::CallBase>(const_cast<llvm::User*>(user)))
        if (const auto site = recognise(*call); site && site->language != binding::fortran)
          if (const llvm::Value* comm = site->operand(param_role::comm))
            return comm->getType()->isPointerTy() ? 8 : 4;
  return 0;
}

matched_posts match_request(Instruction& wait, const MemoryLocation& location, llvm::AAResults& aliases,
                            effects& effects, const llvm::LoopInfo& loops) {
  return backward_search(location, aliases, effects, loops).run(wait);
}

bool status_is_dead(Instruction& after, llvm::Value* status, llvm::AAResults& aliases) {
  if (!only_mpi_knows(status))
    return false;
  const MemoryLocation location = MemoryLocation::getBeforeOrAfter(status);
  const llvm::Value* object = llvm::getUnderlyingObject(status, 0);
  llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
  llvm::SmallVector<std::pair<llvm::BasicBlock*, llvm::BasicBlock::iterator>, 16> work;
  work.emplace_back(after.getParent(), std::next(after.getIterator()));
  while (!work.empty()) {
    auto [block, at] = work.pop_back_val();
    bool rewritten = false;
    for (; at != block->end() && !rewritten; ++at) {
      if (const auto* load = dyn_cast<llvm::LoadInst>(&*at);
          load && may_be_into(load->getPointerOperand(), object) &&
          !aliases.isNoAlias(MemoryLocation::get(load), location))
        return false;
      auto* call = dyn_cast<llvm::CallBase>(&*at);
      if (!call || (isa<llvm::IntrinsicInst>(call) && !isa<llvm::AnyMemIntrinsic>(call)))
        continue;
      const auto site = recognise(*call);
      for (unsigned i = 0; i < call->arg_size(); ++i) {
        llvm::Value* operand = call->getArgOperand(i);
        if (!operand->getType()->isPointerTy() || !may_be_into(operand, object) ||
            aliases.isNoAlias(MemoryLocation::getBeforeOrAfter(operand), location))
          continue;
        const param_role role = site ? site->role(i) : param_role::other;
        const bool result = role == param_role::status || role == param_role::statuses;
        if (!site || !result || site->is(call_class::local) || site->is(call_class::unknown))
          return false; // MPI_Get_count and the like read it
        // A status is written for sure by blocking calls only; a Test may leave it alone.
        rewritten |= operand == status && isa<llvm::AllocaInst>(status->stripInBoundsConstantOffsets()) &&
                     role == param_role::status && !site->operand(param_role::flag);
      }
    }
    if (rewritten)
      continue;
    for (llvm::BasicBlock* next : llvm::successors(block))
      if (seen.insert(next).second)
        work.emplace_back(next, next->begin());
  }
  return true;
}

} // namespace tacit::compiler
