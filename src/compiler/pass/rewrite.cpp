#include "compiler/pass/rewrite.h"

#include "compiler/hooks/parts.h"
#include "compiler/pass/options.h"
#include "compiler/pass/source_location.h"
#include "compiler/pass/strip_mine.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/bit.h>
#include <llvm/Analysis/BranchProbabilityInfo.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/DomTreeUpdater.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace tacit::compiler {

namespace {

using llvm::IRBuilder;
using llvm::Type;
using llvm::Value;

constexpr std::uint64_t poke_interval = 1 << 17; // instructions between two chances for MPI to progress
constexpr std::uint64_t poke_worth = 1
                                     << 13; // instructions of a loop that needs no chance inside it, at most
constexpr unsigned slot_words = 64;         // sizeof(tacit_slot) / 8

std::string named(const char* hook, binding language) {
  return language == binding::fortran ? std::string(hook) + "_f" : std::string(hook);
}

llvm::CallInst& replace(llvm::CallBase& old, llvm::CallInst& by) {
  by.setDebugLoc(old.getDebugLoc());
  old.replaceAllUsesWith(&by);
  old.eraseFromParent();
  return by;
}

void remember(const in_flight& operation, const slot& into) {
  IRBuilder<> at(operation.post.call->getNextNode());
  at.SetCurrentDebugLocation(operation.post.call->getDebugLoc());
  at.CreateStore(operation.buffer, into.buffer);
}

/// Lets the slot know which bytes the operation uses: where they are compared with others, or else in check
/// mode only.
void note(const in_flight& operation, const slot& into, bool compared) {
  const mpi_site& post = operation.post;
  IRBuilder<> at(post.call->getNextNode());
  at.SetCurrentDebugLocation(post.call->getDebugLoc());
  call_hook(at, named("__tacit_note", post.language), at.getVoidTy(),
            {into.storage, operation.buffer, post.operand(param_role::count),
             post.operand(param_role::datatype),
             at.getInt32((operation.writes_buffer ? 1U : 0U) | (compared ? 0U : 2U) |
                         (post.is(mpi_call::Issend) || post.is(mpi_call::Ssend_init) ? 4U : 0U)),
             post.operand(param_role::new_request)});
}

unsigned parts_of(const call_row& row) {
  switch (row.id) {
  case mpi_call::Isendrecv:
    return parts_pair;
  case mpi_call::Ibcast:
    return broadcast;
  case mpi_call::Ireduce:
    return to_root;
  case mpi_call::Igather:
  case mpi_call::Igatherv:
    return unsigned{to_root} | parts_received_per_rank;
  case mpi_call::Iscatter:
  case mpi_call::Iscatterv:
    return unsigned{from_root} | parts_sent_per_rank;
  case mpi_call::Ialltoall:
  case mpi_call::Ialltoallv:
    return unsigned{symmetric} | parts_sent_per_rank | parts_received_per_rank;
  case mpi_call::Iallgather:
  case mpi_call::Iallgatherv:
    return unsigned{symmetric} | parts_received_per_rank;
  case mpi_call::Ireduce_scatter:
    return unsigned{symmetric} | parts_scattered;
  case mpi_call::Ireduce_scatter_block:
    return unsigned{symmetric} | parts_sent_per_rank;
  default:
    return symmetric;
  }
}

/// Lets check mode know all pieces of memory that one operation uses.
void note_parts(const mpi_site& post, const slot& into) {
  IRBuilder<> at(post.call->getNextNode());
  at.SetCurrentDebugLocation(post.call->getDebugLoc());
  const bool fortran = post.language == binding::fortran;
  const auto first_of = [&](std::initializer_list<param_role> roles) -> Value* {
    for (const param_role role : roles)
      if (Value* operand = post.operand(role))
        return operand;
    return nullptr;
  };
  Value* null = llvm::ConstantPointerNull::get(at.getPtrTy());
  const auto pointer = [&](std::initializer_list<param_role> roles) {
    Value* operand = first_of(roles);
    return operand ? operand : null;
  };
  const auto number = [&](std::initializer_list<param_role> roles) -> Value* {
    Value* operand = first_of(roles);
    return operand ? operand : fortran ? null : static_cast<Value*>(at.getInt32(0));
  };
  using enum param_role;
  call_hook(at, named("__tacit_note_parts", post.language), at.getVoidTy(),
            {into.storage, at.getInt32(parts_of(*post.row)), pointer({send_buf}),
             number({send_count, count, recv_count}), pointer({send_counts}), pointer({send_displs}),
             first_of({send_type, datatype}), pointer({recv_buf, inout_buf}), number({recv_count, count}),
             pointer({recv_counts}), pointer({recv_displs}), first_of({recv_type, datatype}), number({root}),
             first_of({comm}), post.operand(new_request)});
}

bool started(llvm::ArrayRef<in_flight> operations) {
  return operations.front().persistent;
}

void after_posts(llvm::ArrayRef<in_flight> operations, const slot& into, bool ranges) {
  llvm::SmallPtrSet<const llvm::CallBase*, 4> noted;
  for (const in_flight& operation : operations) {
    remember(operation, into);
    if (operation.comparable)
      note(operation, into, ranges);
    else if (noted.insert(operation.post.call).second)
      note_parts(operation.post, into);
  }
}

/// The end of a block that runs, before the instruction, if the slot is not empty. Most slots are empty most
/// of the time (nothing was posted on this path, or it is complete): that costs a load and a branch.
llvm::Instruction* if_pending(llvm::Instruction* before, const slot& pending,
                              llvm::DomTreeUpdater* dominators = nullptr, llvm::LoopInfo* loops = nullptr) {
  IRBuilder<> test(before);
  test.SetCurrentDebugLocation(before->getDebugLoc());
  Value* occupied =
      test.CreateIsNotNull(test.CreateLoad(test.getInt32Ty(), pending.storage, "tacit.pending"));
  return llvm::SplitBlockAndInsertIfThen(occupied, before, false, nullptr, dominators, loops);
}

/// Where operations are completed before an instruction if one of them is pending, with the ends of the
/// ranges that are compared.
guard make_guard(llvm::Instruction* before, const slot& pending, llvm::ArrayRef<checked_range> unless_apart,
                 function_analyses& in) {
  llvm::DomTreeUpdater dominators(in.dominators, llvm::DomTreeUpdater::UpdateStrategy::Eager);
  llvm::Instruction* inside = if_pending(before, pending, &dominators, &in.loops);
  in.evolution.forgetBlockAndLoopDispositions();
  llvm::BasicBlock* test = inside->getParent()->getSinglePredecessor();
  const llvm::BlockFrequency often = in.frequencies.getBlockFreq(test);
  in.frequencies.setBlockFreq(inside->getParent(), often);
  in.frequencies.setBlockFreq(before->getParent(), often);
  guard made{before,
             {unless_apart.begin(), unless_apart.end()},
             llvm::cast<llvm::BranchInst>(test->getTerminator()),
             inside,
             {}};
  llvm::SCEVExpander expander(in.evolution, before->getModule()->getDataLayout(), "tacit");
  for (const checked_range& range : unless_apart) {
    const auto address = [&](const llvm::SCEV* end) {
      Value* value = expander.expandCodeFor(end, nullptr, inside);
      IRBuilder<> at(inside);
      return value->getType()->isPointerTy() ? value : at.CreateIntToPtr(value, at.getPtrTy());
    };
    Value* low = address(range.bytes.low);
    made.ends.emplace_back(low, address(range.bytes.high));
  }
  return made;
}

bool same_range(const checked_range& one, const checked_range& other) {
  return one.bytes.low == other.bytes.low && one.bytes.high == other.bytes.high && one.writes == other.writes;
}

/// The guard in front of the instruction that makes the same comparisons, opened for one more slot; nullptr
/// if there is none. The requests of a Waitall usually meet the same accesses one after the other, and the
/// comparisons are the larger part of what a guard costs to compile.
guard* find_guard(llvm::SmallVectorImpl<guard>& guards, const llvm::Instruction* before, const slot& pending,
                  llvm::ArrayRef<checked_range> unless_apart) {
  const auto same = [&](const guard& one) {
    return one.before == before && llvm::equal(one.unless_apart, unless_apart, same_range);
  };
  guard* found = llvm::find_if(guards, same);
  if (found == guards.end())
    return nullptr;
  auto& occupied = *llvm::cast<llvm::ICmpInst>(found->test->getCondition());
  IRBuilder<> test(&occupied);
  occupied.setOperand(0, test.CreateOr(occupied.getOperand(0),
                                       test.CreateLoad(test.getInt32Ty(), pending.storage, "tacit.pending")));
  return found;
}

/// Completes what is pending, before the instruction.
void complete(llvm::Instruction* before, const slot& pending, llvm::ArrayRef<checked_range> unless_apart,
              function_analyses& in, llvm::SmallVectorImpl<guard>& guards) {
  guard* there = find_guard(guards, before, pending, unless_apart);
  if (!there)
    there = &guards.emplace_back(make_guard(before, pending, unless_apart, in));
  IRBuilder<> at(there->end);
  at.SetCurrentDebugLocation(before->getDebugLoc());
  Value* buffer = at.CreateLoad(at.getPtrTy(), pending.buffer);
  if (unless_apart.empty())
    call_hook(at, "__tacit_wait", at.getVoidTy(), {pending.storage, buffer});
  for (const auto& [range, ends] : llvm::zip(unless_apart, there->ends))
    call_hook(at, "__tacit_wait_overlap", at.getVoidTy(),
              {pending.storage, buffer, ends.first, ends.second, at.getInt32(range.writes)});
}

/// Calls have to have a location where their function has one.
void locate(llvm::CallInst& call) {
  if (llvm::DISubprogram* scope = call.getFunction()->getSubprogram())
    call.setDebugLoc(llvm::DILocation::get(call.getContext(), 0, 0, scope));
}

/// An edge that keeps its identity while others are split: that may put a block before its end, to which
/// other edges out of a loop lead as well.
struct edge {
  llvm::Instruction* from = nullptr;
  unsigned successor = 0;
  llvm::BlockFrequency often;
};

edge edge_between(llvm::BasicBlock& from, llvm::BasicBlock& to, const function_analyses& in) {
  return {from.getTerminator(), llvm::GetSuccessorNumber(&from, &to),
          in.frequencies.getBlockFreq(&from) * in.frequencies.getBPI()->getEdgeProbability(&from, &to)};
}

llvm::BasicBlock& split_edge(const edge& at, function_analyses& in) {
  // All edges between the two: a switch may have several.
  auto options = llvm::CriticalEdgeSplittingOptions(&in.dominators, &in.loops).setPreserveLCSSA();
  if (is_checked(condition::control))
    options.setMergeIdenticalEdges();
  llvm::BasicBlock* between = llvm::SplitCriticalEdge(at.from, at.successor, options);
  if (!between)
    between =
        llvm::SplitEdge(at.from->getParent(), at.from->getSuccessor(at.successor), &in.dominators, &in.loops);
  in.frequencies.setBlockFreq(between, at.often);
  return *between;
}

void poke_before(llvm::Instruction& next, const slot& pending) {
  IRBuilder<> at(&next);
  llvm::CallInst* poke = call_hook(at, "__tacit_poke", at.getVoidTy(), {pending.storage});
  poke->getCalledFunction()->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
  locate(*poke);
}

void poke_in(llvm::Loop& loop, llvm::ArrayRef<const window*> windows) {
  const std::uint64_t iteration = std::max<std::uint64_t>(windows.front()->iteration_cost, 1);
  if (iteration < poke_interval / 8) {
    if (llvm::Instruction* between =
            strip_mine(loop, llvm::bit_floor(poke_interval / iteration), windows.front()->iterations))
      for (const window* one : windows)
        poke_before(*between, one->pending);
  } else if (llvm::BasicBlock* latch = loop.getLoopLatch()) {
    llvm::Instruction* end = latch->getTerminator(); // stays the end of the iteration
    for (const window* one : windows)
      poke_before(*if_pending(end, one->pending), one->pending);
  }
}

/// Computes before the loop what the first iteration accesses, unless that was done for another slot.
void prepare_splits(const slot& pending, const completion& one, llvm::ScalarEvolution& evolution,
                    llvm::SmallVectorImpl<split_loop>& splits) {
  llvm::Instruction* before = one.within->getLoopPreheader()->getTerminator();
  llvm::SCEVExpander expander(evolution, before->getModule()->getDataLayout(), "tacit");
  IRBuilder<> at(before);
  at.SetCurrentDebugLocation(before->getDebugLoc());
  Value* buffer = at.CreateLoad(at.getPtrTy(), pending.buffer);
  const auto number = [&](const llvm::SCEV* expression) {
    Value* value = expander.expandCodeFor(expression, nullptr, before);
    IRBuilder<> here(before);
    return value->getType()->isPointerTy() ? here.CreatePtrToInt(value, here.getInt64Ty())
                                           : here.CreateSExt(value, here.getInt64Ty());
  };
  const auto* of_loop =
      llvm::find_if(splits, [&](const split_loop& other) { return other.loop == one.within; });
  Value* iterations = of_loop != splits.end() ? of_loop->iterations : trip_count(*one.within, evolution);
  for (const checked_range& range : one.unless_apart) {
    const auto* same = llvm::find_if(splits, [&](const split_loop& other) {
      return other.loop == one.within && same_range(other.range, range);
    });
    split_loop made{pending, one.within, range, buffer, {}, {}, {}, iterations};
    if (same != splits.end()) {
      made.low = same->low, made.high = same->high, made.step = same->step;
    } else {
      made.low = number(first_value(range.bytes.low));
      made.high = number(first_value(range.bytes.high));
      made.step = number(step_of(range.bytes.low, evolution));
    }
    splits.push_back(made);
  }
}

/// How many iterations may run before one of the operations has to be complete.
Value* iterations_until(IRBuilder<>& at, Value* finished, llvm::ArrayRef<const split_loop*> splits) {
  // The requests of a Waitall meet the same accesses.
  llvm::DenseMap<std::pair<Value*, Value*>, Value*> ends;
  const auto advanced = [&](Value* first, Value* step) {
    Value*& distance = ends[{nullptr, step}];
    if (!distance)
      distance = at.CreateMul(finished, step);
    Value* const offset = distance;
    Value*& end = ends[{first, step}];
    if (!end)
      end = at.CreateAdd(first, offset);
    return end;
  };
  Value* least = nullptr;
  for (const split_loop* one : splits) {
    Value* low = advanced(one->low, one->step);
    llvm::CallInst* until = call_hook(at, "__tacit_until", at.getInt64Ty(),
                                      {one->pending.storage, one->buffer, low, advanced(one->high, one->step),
                                       one->step, at.getInt32(one->range.writes)});
    locate(*until);
    least = least ? at.CreateBinaryIntrinsic(llvm::Intrinsic::umin, least, until) : until;
  }
  return least;
}

} // namespace

llvm::CallInst* call_hook(IRBuilder<>& at, llvm::StringRef name, Type* result,
                          llvm::ArrayRef<Value*> operands) {
  llvm::SmallVector<Type*, 12> types;
  for (const Value* operand : operands)
    types.push_back(operand->getType());
  llvm::Module& module = *at.GetInsertBlock()->getModule();
  llvm::FunctionCallee hook = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(hook.getCallee()))
    function->setDoesNotThrow();
  return at.CreateCall(hook, operands);
}

Value* location_of(const llvm::Instruction& call) {
  llvm::Module& module = *const_cast<llvm::Module*>(call.getModule());
  const std::string text = location_name(call);
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(module.getContext(), text);
  const std::string name = "tacit.location." + text;
  if (llvm::GlobalVariable* known = module.getGlobalVariable(name, true))
    return known;
  auto* made = new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage,
                                        bytes, name);
  made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return made;
}

slot make_slot(const llvm::Instruction& site, bool watched) {
  llvm::Function& function = *const_cast<llvm::Function*>(site.getFunction());
  Value* location = location_of(site);
  IRBuilder<> at(&*function.getEntryBlock().getFirstInsertionPt());
  Type* words = llvm::ArrayType::get(at.getInt64Ty(), slot_words);
  slot made;
  made.storage = at.CreateAlloca(words, nullptr, "tacit.slot");
  made.buffer = at.CreateAlloca(at.getPtrTy(), nullptr, "tacit.buffer");
  at.CreateStore(at.getInt32(0), made.storage); // the hooks clear the rest when they first use it
  at.CreateStore(at.getInt32(watched ? 2 : 0),
                 at.CreateConstInBoundsGEP1_32(at.getInt32Ty(), made.storage, 1));
  at.CreateStore(location, at.CreateConstInBoundsGEP1_64(at.getInt64Ty(), made.storage, 1));
  at.CreateStore(llvm::ConstantPointerNull::get(at.getPtrTy()), made.buffer);
  return made;
}

void insert_completions(const slot& pending, const placement& placed, function_analyses& in,
                        llvm::SmallVectorImpl<split_loop>& splits, llvm::SmallVectorImpl<guard>& guards) {
  llvm::SmallVector<std::pair<const completion*, edge>, 8> edges;
  llvm::SmallVector<std::pair<const completion*, llvm::Instruction*>, 8> found;
  for (const completion& one : placed.completions)
    if (one.within)
      prepare_splits(pending, one, in.evolution, splits);
    else if (one.before)
      found.emplace_back(&one, one.before);
    else
      edges.emplace_back(&one, edge_between(*one.from, *one.to, in));
  // Edges first: completing before an instruction splits its block, and with it the edges that leave it.
  for (const auto& [one, at] : edges)
    found.emplace_back(one, split_edge(at, in).getTerminator());
  for (const auto& [one, before] : found)
    complete(before, pending, one->unless_apart, in, guards);
}

void insert_splits(llvm::ArrayRef<split_loop> splits) {
  llvm::MapVector<llvm::Loop*, llvm::SmallVector<const split_loop*, 4>> of_loop;
  for (const split_loop& one : splits)
    of_loop[one.loop].push_back(&one);
  for (auto& [loop, parts] : of_loop) {
    const auto length = [&parts = parts](IRBuilder<>& at, Value* finished) {
      return iterations_until(at, finished, parts);
    };
    if (run_in_chunks(*loop, length, parts.front()->iterations))
      continue;
    // Another completion has changed the form of the loop: complete before it.
    for (const split_loop* one : parts) {
      IRBuilder<> at(loop->getLoopPreheader()->getTerminator());
      locate(*call_hook(at, "__tacit_wait", at.getVoidTy(), {one->pending.storage, one->buffer}));
    }
  }
}

void insert_pokes(llvm::ArrayRef<window> windows) {
  llvm::MapVector<llvm::Loop*, llvm::SmallVector<const window*, 4>> of_loop;
  for (const window& one : windows)
    if (one.cost >= poke_worth)
      of_loop[one.loop].push_back(&one);
  // Outer loops first: chunks of a loop hide the ends of those around it.
  auto order = of_loop.takeVector();
  llvm::stable_sort(order, [](const auto& one, const auto& other) {
    return one.first->getLoopDepth() < other.first->getLoopDepth();
  });
  for (const auto& [loop, all] : order)
    poke_in(*loop, all);
}

llvm::CallInst& split_call(const mpi_site& site, const slot& into) {
  llvm::CallBase& call = *site.call;
  const auto roles = parameter_roles(*site.row);
  const bool receive = site.is(mpi_call::Recv);
  llvm::SmallVector<Value*, 14> operands{into.storage};
  for (unsigned i = 0; i < site.end(); ++i)
    if (!(receive && i < roles.size() && roles[i] == param_role::status))
      operands.push_back(call.getArgOperand(i));
  const char* hook = site.is(mpi_call::Send) ? "__tacit_send" : receive ? "__tacit_recv" : "__tacit_sendrecv";
  IRBuilder<> at(&call);
  Value* buffer = site.is(mpi_call::Sendrecv) ? site.operand(param_role::send_buf) : call.getArgOperand(0);
  llvm::CallInst* posted = call_hook(at, named(hook, site.language), call.getType(), operands);
  at.CreateStore(buffer, into.buffer);
  return replace(call, *posted);
}

llvm::CallInst& start_collective(const mpi_site& site, const slot& into,
                                 llvm::ArrayRef<in_flight> operations) {
  llvm::SmallVector<Value*, 12> operands{into.storage};
  operands.append(site.call->arg_begin(), site.call->arg_begin() + site.end());
  IRBuilder<> at(site.call);
  llvm::CallInst* posted =
      call_hook(at, named(starting_hook(*site.row).c_str(), site.language), site.call->getType(), operands);
  // What is written matters most to whoever comes after.
  const auto* named = llvm::find_if(operations, [](const in_flight& one) { return one.writes_buffer; });
  at.CreateStore((named != operations.end() ? *named : operations.front()).buffer, into.buffer);
  return replace(*site.call, *posted);
}

void complete_copies(const placement& placed, function_analyses& in,
                     llvm::SmallPtrSetImpl<const llvm::Instruction*>& before) {
  llvm::SmallVector<edge, 8> edges;
  llvm::SmallVector<llvm::Instruction*, 8> points;
  for (const completion& one : placed.completions)
    if (one.before)
      points.push_back(one.before);
    else
      edges.push_back(edge_between(*one.from, *one.to, in));
  for (const edge& at : edges)
    points.push_back(split_edge(at, in).getTerminator());
  for (llvm::Instruction* point : points)
    if (before.insert(point).second) {
      IRBuilder<> at(point);
      locate(*call_hook(at, "__tacit_complete_copies", at.getVoidTy(), {}));
    }
}

void rename_send(const mpi_site& site) {
  IRBuilder<> at(site.call);
  llvm::SmallVector<Value*, 8> operands{location_of(*site.call)};
  operands.append(site.call->arg_begin(), site.call->arg_begin() + site.end());
  replace(*site.call,
          *call_hook(at, named("__tacit_send_renamed", site.language), site.call->getType(), operands));
}

llvm::CallInst& defer_wait(const mpi_site& site, const slot& into, llvm::ArrayRef<in_flight> operations,
                           bool ranges) {
  after_posts(operations, into, ranges);
  IRBuilder<> at(site.call);
  llvm::SmallVector<Value*, 3> operands{into.storage, site.operand(param_role::request)};
  if (Value* ierror = site.ierror())
    operands.push_back(ierror);
  return replace(
      *site.call,
      *call_hook(at, named(started(operations) ? "__tacit_defer_started" : "__tacit_defer", site.language),
                 site.call->getType(), operands));
}

llvm::CallInst& defer_waitall(const mpi_site& site, const slot& into, llvm::ArrayRef<in_flight> operations,
                              bool ranges) {
  after_posts(operations, into, ranges);
  IRBuilder<> at(site.call);
  llvm::SmallVector<Value*, 4> operands{into.storage, site.operand(param_role::request_count),
                                        site.operand(param_role::requests)};
  if (Value* ierror = site.ierror())
    operands.push_back(ierror);
  return replace(*site.call,
                 *call_hook(at,
                            named(started(operations) ? "__tacit_defer_all_started" : "__tacit_defer_all",
                                  site.language),
                            site.call->getType(), operands));
}

void defer_element(const mpi_site& waitall, Value* request, const slot& into,
                   llvm::ArrayRef<in_flight> operations, bool ranges) {
  after_posts(operations, into, ranges);
  IRBuilder<> at(waitall.call);
  at.SetCurrentDebugLocation(waitall.call->getDebugLoc());
  llvm::SmallVector<Value*, 4> operands{into.storage, request, at.getInt32(started(operations))};
  if (Value* ierror = waitall.ierror())
    operands.push_back(ierror);
  Type* result = waitall.language == binding::fortran ? at.getVoidTy() : static_cast<Type*>(at.getInt32Ty());
  call_hook(at, named("__tacit_defer_element", waitall.language), result, operands);
}

void promote_buffers(llvm::ArrayRef<slot> slots, llvm::DominatorTree& dominators) {
  llvm::SmallVector<llvm::AllocaInst*, 16> variables;
  for (const slot& one : slots)
    if (llvm::isAllocaPromotable(one.buffer))
      variables.push_back(one.buffer);
  if (!variables.empty())
    llvm::PromoteMemToReg(variables, dominators);
}

} // namespace tacit::compiler
