// Check mode completes every operation where the program does, and so hides what goes wrong: who reads a buffer too early
// finds garbage, and who tells others too early tells the truth. What pages can show is not enough (hooks/check.c).
//
// So a file can be compiled for check mode. The program then says before each access to memory which bytes it is about to
// touch, before each call of MPI whether it tells others something, and before it returns which slots end. None of this asks
// effects.cpp or placement.cpp, whose errors it is to find: only classes of the call table, and which memory nobody else
// can have. Cost: a call for each access, in files that are compiled so.
#include "compiler/pass/watch.h"

#include "compiler/pass/known_functions.h"
#include "compiler/pass/user_code.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace tacit::compiler {

namespace {

using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

/// Before an instruction, with a place in the source, as calls have to have one where their function has.
struct builder_before : IRBuilder<> {
  explicit builder_before(Instruction& next) : IRBuilder<>(&next) {
    if (llvm::DISubprogram* scope = next.getFunction()->getSubprogram(); scope && !next.getDebugLoc())
      SetCurrentDebugLocation(llvm::DILocation::get(next.getContext(), 0, 0, scope));
  }
};

bool is_local(const Value* pointer) {
  return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer, 0));
}

/// Nobody else has the address: no message is there.
bool is_private(const Value* pointer) {
  const Value* object = llvm::getUnderlyingObject(pointer, 0);
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object))
    return global->isConstant();
  return llvm::isa<llvm::AllocaInst>(object) &&
         !llvm::PointerMayBeCaptured(object, /*ReturnCaptures=*/true, /*StoreCaptures=*/true);
}

enum access : unsigned { reads = 0, writes = 1, copies = 2 };

void watch_access(Instruction& next, Value* pointer, Value* bytes, unsigned how) {
  if (pointer->getType()->getPointerAddressSpace() != 0 || is_private(pointer))
    return;
  builder_before at(next);
  call_hook(at, "__tacit_watch_access", at.getVoidTy(),
            {pointer, at.CreateZExtOrTrunc(bytes, at.getInt64Ty()), at.getInt32(how), location_of(next)});
}

bool watch_accesses(Instruction& at) {
  const llvm::DataLayout& layout = at.getModule()->getDataLayout();
  const auto bytes_of = [&](llvm::Type* type) -> Value* {
    const llvm::TypeSize size = layout.getTypeStoreSize(type);
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(at.getContext()), size.getKnownMinValue());
  };
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&at))
    watch_access(at, load->getPointerOperand(), bytes_of(load->getType()), reads);
  else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&at))
    watch_access(at, store->getPointerOperand(), bytes_of(store->getValueOperand()->getType()), writes);
  else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&at))
    watch_access(at, update->getPointerOperand(), bytes_of(update->getType()), writes);
  else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&at))
    watch_access(at, exchange->getPointerOperand(), bytes_of(exchange->getNewValOperand()->getType()),
                 writes);
  else if (auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&at)) {
    if (auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(memory))
      watch_access(at, transfer->getRawSource(), memory->getLength(), copies);
    watch_access(at, memory->getRawDest(), memory->getLength(), writes);
  } else {
    return false;
  }
  return true;
}

/// Calls that others may learn something from, or that ask what has come from them: all but those that only concern this
/// rank, its own operations, and what it waits for.
bool tells_others(const mpi_site& site, bool synchronous) {
  switch (site.row->kind) {
  case call_class::recv:
  case call_class::irecv:
  case call_class::mprobe:
  case call_class::mrecv:
  case call_class::imrecv:
    return synchronous || site.is(mpi_call::Improbe);
  case call_class::probe:
    return site.is(mpi_call::Iprobe);
  case call_class::send_init:
  case call_class::recv_init:
  case call_class::complete:
  case call_class::request_query:
  case call_class::request_free:
  case call_class::type_make:
  case call_class::type_free:
  case call_class::local:
    return false;
  default:
    return true;
  }
}

/// Calls that look at the status, or in Fortran at the error code, which they are given first.
bool looks_at_result(const mpi_site& site) {
  switch (site.row->id) {
  case mpi_call::Get_count:
  case mpi_call::Get_elements:
  case mpi_call::Get_elements_x:
  case mpi_call::Test_cancelled:
    return true;
  case mpi_call::Error_class:
  case mpi_call::Error_string:
    return site.language == binding::fortran;
  default:
    return false;
  }
}

Value* text(IRBuilder<>& at, llvm::StringRef name) {
  return at.CreateGlobalString(name, "tacit.name");
}

void watch_call(const mpi_site& site, bool synchronous) {
  llvm::CallBase& call = *site.call;
  builder_before at(call);
  if (tells_others(site, synchronous)) {
    Value* own =
        site.hook && site.first > 0 ? call.getArgOperand(0) : llvm::ConstantPointerNull::get(at.getPtrTy());
    call_hook(at, "__tacit_watch_call", at.getVoidTy(), {own, text(at, site.row->name), location_of(call)});
  } else if (looks_at_result(site)) {
    call_hook(at, "__tacit_watch_argument", at.getVoidTy(), {call.getArgOperand(0), location_of(call)});
  }
}

/// What reductions give that are still to be done depends on it.
bool sets_rounding(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
  case llvm::Intrinsic::set_rounding:
  case llvm::Intrinsic::set_fpenv:
  case llvm::Intrinsic::reset_fpenv:
  case llvm::Intrinsic::set_fpmode:
  case llvm::Intrinsic::reset_fpmode:
    return true;
  default:
    return false;
  }
}

/// Why nothing may be pending before the instruction, whatever it is; empty if something may.
std::string anything_by(Instruction& at, const user_code& known) {
  if (at.isAtomic() || at.isVolatile())
    return wording(remark::atomic_access);
  auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
  if (const auto* intrinsic = llvm::dyn_cast_or_null<llvm::IntrinsicInst>(call))
    return sets_rounding(*intrinsic) ? wording(remark::rounding) : std::string();
  if (!call || is_hook(*call))
    return "";
  if (const auto site = recognise(*call)) {
    // What a wait runs for a request that stays in it, it runs as written while the others are pending.
    const bool runs = !site->is(call_class::complete) && runs_user_code(*site, known);
    return runs || site->is(call_class::unknown) || site->is(call_class::pcontrol) ||
                   site->is(call_class::finalize)
               ? std::string(site->row->name)
               : std::string();
  }
  const llvm::Function* callee = call->getCalledFunction();
  if (!callee)
    return wording(remark::function_pointer);
  if ((callee->hasExactDefinition() && !call->doesNotReturn()) || is_pure_function(callee->getName()) ||
      is_argument_function(callee->getName()) || (call->doesNotAccessMemory() && call->doesNotThrow()))
    return "";
  return callee->getName().str();
}

bool is_return(const Instruction& end) {
  return llvm::isa<llvm::ReturnInst, llvm::ResumeInst>(end) && !end.getParent()->getTerminatingMustTailCall();
}

} // namespace

unseen_results unseen_by(const mpi_site& site) {
  unseen_results found;
  found.by_reference = site.language == binding::fortran;
  found.ierror = site.ierror();
  // The status of a combined call is that of its receiving half, which stays.
  if (!site.is(call_class::recv) && !site.is(call_class::complete))
    return found;
  const bool many = site.is(mpi_call::Waitall);
  Value* statuses = site.operand(many ? param_role::statuses : param_role::status);
  if (!statuses || is_status_ignore(site, statuses))
    return found;
  found.statuses = statuses;
  found.count = many ? site.operand(param_role::request_count) : nullptr;
  return found;
}

namespace {

void watch_statuses(IRBuilder<>& at, const slot& into, Value* statuses, unsigned first, Value* count) {
  call_hook(at, "__tacit_watch_status", at.getVoidTy(),
            {into.storage, statuses, at.getInt32(first), count, at.getInt32(is_local(statuses))});
}

/// The call has written its error code, with its operation pending.
void watch_code_written(IRBuilder<>& at, llvm::CallBase& waited, Value* ierror) {
  constexpr std::uint64_t bytes = 4; // an INTEGER of Fortran
  if (!is_private(ierror))
    call_hook(at, "__tacit_watch_access", at.getVoidTy(),
              {ierror, at.getInt64(bytes), at.getInt32(writes), location_of(waited)});
}

} // namespace

void watch_status_of_element(llvm::CallBase& waitall, const slot& into, const unseen_results& results,
                             unsigned element) {
  builder_before at(*waitall.getNextNode());
  at.SetCurrentDebugLocation(waitall.getDebugLoc());
  if (results.statuses)
    watch_statuses(at, into, results.statuses, element, at.getInt32(1));
  if (results.ierror)
    watch_code_written(at, waitall, results.ierror);
}

void watch_results(llvm::CallInst& hook, const slot& into, const unseen_results& results) {
  builder_before at(*hook.getNextNode());
  at.SetCurrentDebugLocation(hook.getDebugLoc());
  if (results.statuses) {
    Value* count = !results.count         ? at.getInt32(1)
                   : results.by_reference ? at.CreateLoad(at.getInt32Ty(), results.count)
                                          : results.count;
    watch_statuses(at, into, results.statuses, 0, count);
  }
  if (results.ierror) {
    call_hook(at, "__tacit_watch_code", at.getVoidTy(),
              {into.storage, results.ierror, at.getInt32(is_local(results.ierror))});
    watch_code_written(at, hook, results.ierror);
  } else if (!hook.use_empty()) {
    call_hook(at, "__tacit_watch_code", at.getVoidTy(),
              {into.storage, llvm::ConstantPointerNull::get(at.getPtrTy()), at.getInt32(0)});
  }
}

void watch_slots(llvm::Function& function, llvm::ArrayRef<slot> slots, bool copies) {
  const user_code known = user_code_of(*function.getParent());
  llvm::SmallVector<Instruction*, 16> returns;
  llvm::SmallVector<std::pair<Instruction*, std::string>, 16> anything;
  for (Instruction& at : llvm::instructions(function))
    if (is_return(at))
      returns.push_back(&at);
    else if (std::string what = anything_by(at, known); !what.empty())
      anything.emplace_back(&at, std::move(what));
  for (Instruction* end : returns) {
    builder_before at(*end);
    for (const slot& one : slots)
      call_hook(at, "__tacit_watch_return", at.getVoidTy(), {one.storage});
  }
  for (const auto& [next, what] : anything) {
    builder_before at(*next);
    Value* name = text(at, what);
    if (copies)
      call_hook(at, "__tacit_watch_copies", at.getVoidTy(), {name, location_of(*next)});
    for (const slot& one : slots)
      call_hook(at, "__tacit_watch_anything", at.getVoidTy(), {one.storage, name, location_of(*next)});
  }
}

bool watch_module(llvm::Module& module, bool synchronous) {
  llvm::SmallVector<Instruction*, 64> all;
  for (llvm::Function& function : module)
    if (!function.hasFnAttribute(llvm::Attribute::Naked))
      for (Instruction& at : llvm::instructions(function))
        all.push_back(&at);
  bool any = false;
  for (Instruction* at : all) {
    if (watch_accesses(*at)) {
      any = true;
    } else if (auto* call = llvm::dyn_cast<llvm::CallBase>(at)) {
      const auto site = recognise(*call);
      if (site) {
        watch_call(*site, synchronous);
        any = true;
      }
    }
  }
  return any;
}

} // namespace tacit::compiler
