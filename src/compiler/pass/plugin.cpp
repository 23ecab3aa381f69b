// The entry point of TacitPass.so: where the pass stands in the pipelines of clang, flang and the link-time
// optimizer.
//
// Per module it runs after the inliner and the scalar simplifications (routines are whole, variables are
// values) and before the vectorizers; at link time it runs first, on the whole program. Reporting works on a
// copy of the module, so that asking what could be done never changes the program; applying tries on copies
// first, so that functions in which nothing moves stay as they were (inlining_plan.h).
#include "compiler/pass/collectives.h"
#include "compiler/pass/datatypes.h"
#include "compiler/pass/hoist.h"
#include "compiler/pass/inline_mpi.h"
#include "compiler/pass/inlining_plan.h"
#include "compiler/pass/mpi_site.h"
#include "compiler/pass/overlap.h"
#include "compiler/pass/source_location.h"
#include "compiler/pass/told_by_others.h"
#include "compiler/pass/watch.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

namespace tacit::compiler {

namespace {

bool calls_mpi(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return function.isDeclaration() && !function.use_empty() &&
           (function.getName().contains("PI_") || function.getName().contains("mpi_"));
  });
}

bool declares(const llvm::Module& module, llvm::ArrayRef<const char*> names) {
  return llvm::any_of(names, [&](const char* name) {
    const llvm::Function* function = module.getFunction(name);
    return function && !function->use_empty();
  });
}

/// One-sided access, memory that processes of a node have in common, and buffers of operations whose requests are freed.
bool exposes_windows(const llvm::Module& module) {
  return frees_requests_unseen(module) || declares(module, {"mmap", "mmap64", "shm_open", "shmat"}) ||
         llvm::any_of(module, [](const llvm::Function& function) {
           return !function.use_empty() && (function.getName().contains_insensitive("mpi_win_") ||
                                            function.getName().contains_insensitive("mpix_win_"));
         });
}

/// Something by which a sender gets to know that a receive has begun: a synchronous send is complete, or a message cannot be
/// cancelled any more (MPI-4.1, 3.4, 3.8.4).
bool sends_synchronously(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    const call_row* row = used_call(function);
    return row && (row->id == mpi_call::Ssend || row->id == mpi_call::Issend ||
                   row->id == mpi_call::Ssend_init || row->id == mpi_call::Cancel);
  });
}

/// Functions by which one piece of memory may get several addresses.
bool maps_memory(const llvm::Module& module) {
  return declares(module,
                  {"mmap", "mmap64", "mremap", "remap_file_pages", "shm_open", "memfd_create", "shmat"}) ||
         llvm::any_of(module, [](const llvm::Function& function) {
           const call_row* row = used_call(function);
           return row && (row->id == mpi_call::Win_shared_query || row->id == mpi_call::Win_allocate_shared);
         });
}

/// Jumps of unknown aim leave no point for a completion.
bool jumps_anywhere(llvm::Function& function) {
  return llvm::any_of(function, [](const llvm::BasicBlock& block) {
    return llvm::isa<llvm::IndirectBrInst, llvm::CallBrInst>(block.getTerminator());
  });
}

/// Which functions of the program MPI runs, that may throw through its calls.
struct throwing {
  const user_code& known;
  bool error_handlers;

  /// What a call throws that would be moved, or that leaves something pending.
  [[nodiscard]] bool through_what_moves(const mpi_site& site) const {
    return is_checked(condition::errors) &&
           (error_handlers || known.anywhere || (site.is(call_class::complete) && known.requests));
  }
  [[nodiscard]] bool through(const mpi_site& site) const {
    return is_checked(condition::errors) &&
           (through_what_moves(site) || (!site.is(call_class::complete) && may_run_user_code(site, known)));
  }
};

bool may_catch(llvm::Function& function, const throwing& thrown) {
  return llvm::any_of(function, [&](llvm::BasicBlock& block) {
    auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator());
    const auto site = invoke ? recognise(*invoke) : std::nullopt;
    return site && thrown.through_what_moves(*site);
  });
}

/// A cycle that is entered at two points is no loop to LLVM, so that what is new in each round is not known.
bool has_other_cycles(llvm::Function& function, const llvm::LoopInfo& loops) {
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&function);
  return llvm::containsIrreducibleCFG<const llvm::BasicBlock*>(order, loops);
}

/// What ends functions in the middle of a computation, without a return and without unwinding: a handler of a signal that jumps out
/// of them (POSIX allows it where the signal interrupts no function that is unsafe), and asynchronous cancellation.
bool is_left_by_signals(const llvm::Module& module) {
  const bool jumps = declares(module, {"siglongjmp", "longjmp", "_longjmp", "__longjmp_chk"});
  return (jumps && declares(module, {"signal", "sigaction", "bsd_signal", "sysv_signal", "__sysv_signal",
                                     "ssignal", "sigset"})) ||
         declares(module, {"pthread_setcanceltype"});
}

/// Why the function cannot be changed; empty if it can.
std::string obstacle(llvm::Function& function, const llvm::LoopInfo& loops, const throwing& thrown,
                     bool left_by_signals) {
  return is_mpi_name(function.getName())            ? wording(remark::stands_for_mpi)
         : function.hasOptNone()                    ? wording(remark::not_optimized)
         : function.callsFunctionThatReturnsTwice() ? wording(remark::calls_setjmp)
         : jumps_anywhere(function)                 ? wording(remark::computed_jumps)
         : left_by_signals                          ? wording(remark::left_by_signals)
         : may_catch(function, thrown)              ? wording(remark::may_catch)
         : has_other_cycles(function, loops)        ? wording(remark::odd_cycle)
                                                    : std::string();
}

/// MPI's functions do not throw, unless functions of the program do that they run; as plain calls they do not end blocks.
void make_plain_calls(llvm::Function& function, const throwing& thrown) {
  llvm::SmallVector<llvm::InvokeInst*, 8> invokes;
  for (llvm::BasicBlock& block : function)
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator()))
      if (const auto site = recognise(*invoke); site && !thrown.through(*site))
        invokes.push_back(invoke);
  for (llvm::InvokeInst* invoke : invokes)
    llvm::changeToCall(invoke);
}

/// Functions of the program by their copies.
using function_origins = llvm::DenseMap<const llvm::Function*, const llvm::Function*>;

/// One look at a module, which changes it.
class module_pass {
public:
  /// `origins`: of the functions of a copy; `plan`: what may be changed, null for everything.
  module_pass(llvm::Module& module, const options& options, function_origins origins = function_origins(),
              const inlining_plan* plan = nullptr)
      : module_(module), options_(options), origins_(std::move(origins)), plan_(plan),
        callbacks_(user_code_of(module)), threads_(may_run_threads(module)),
        left_by_signals_(is_checked(condition::user_code) && is_left_by_signals(module)),
        error_handlers_(options.errors_return || callbacks_.error_handlers) {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }

  void run() {
    const auto order = callees_first(module_);
    if (options_.has(stage::inlining))
      inline_messengers(order);
    effects effects = effects_now();
    for (llvm::Function& function : module_) {
      if (function.isDeclaration() || !may_change(function) || !has_messages(function, true))
        continue;
      if (is_left_alone(function))
        continue;
      prepare(function);
      if (options_.has(stage::inlining))
        inline_what_blocks(function, effects);
      if (!is_left_alone(function))
        run_on(function, effects);
    }
    for (const llvm::Function* routine : messengers_)
      found_.messengers.insert(origin(*routine));
    for (const kept_remark& one : remarks_.all())
      if (one.moved) {
        std::uint64_t& window = found_.windows[origin(*one.in)][one.call];
        window = std::max(window, one.window);
      }
  }

  [[nodiscard]] const wait_graph& graph() const { return graph_; }
  [[nodiscard]] const remark_book& remarks() const { return remarks_; }
  [[nodiscard]] const trial& found() const { return found_; }
  /// The function of the program that this one is a copy of, or itself.
  [[nodiscard]] const llvm::Function* origin(const llvm::Function& function) const {
    const auto known = origins_.find(&function);
    return known == origins_.end() ? &function : known->second;
  }

private:
  [[nodiscard]] bool may_change(const llvm::Function& function) const {
    return !plan_ || plan_->changes.contains(&function);
  }
  [[nodiscard]] bool may_take_in(const llvm::Function& function) const {
    return !plan_ || plan_->takes_in.contains(&function);
  }

  effects effects_now() {
    return effects(
        [this](llvm::Function& function) -> llvm::AAResults& {
          return functions_.getResult<llvm::AAManager>(function);
        },
        [this](llvm::Function& function) -> llvm::DominatorTree& {
          return functions_.getResult<llvm::DominatorTreeAnalysis>(function);
        },
        exposure{exposes_windows(module_), joins_variables(module_), maps_memory(module_),
                 options_.synchronous || sends_synchronously(module_), callbacks_});
  }

  /// MPI-directed inlining (see inline_mpi.h).
  void inline_messengers(llvm::ArrayRef<llvm::Function*> order) {
    effects effects = effects_now();
    for (llvm::Function* routine : order) {
      if (plan_ && !plan_->concerns(*routine)) {
        if (plan_->messengers.contains(routine))
          messengers_.insert(routine);
        continue;
      }
      const bool calls_messengers = calls_one_of(*routine, messengers_);
      if (calls_messengers)
        messengers_.insert(routine);
      if (!has_messages(*routine, options_.collectives))
        continue;
      const auto calls = calls_of(*routine);
      if (calls.empty())
        continue;
      const bool cheap = is_cheap_to_copy(calls);
      if ((calls_messengers || !cheap) && !depends_on_callers(*routine, effects) && !cheap) {
        messengers_.insert(routine);
        continue;
      }
      inline_into_callers(*routine, calls);
    }
  }

  static bool calls_one_of(const llvm::Function& function,
                           const llvm::SmallPtrSetImpl<const llvm::Function*>& routines) {
    return !routines.empty() && llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& at) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
      return call && call->getCalledFunction() && routines.contains(call->getCalledFunction());
    });
  }

  static bool is_cheap_to_copy(llvm::ArrayRef<llvm::CallBase*> calls) {
    return moves_the_only_copy(*calls.front()) ||
           calls.front()->getCalledFunction()->getInstructionCount() <= cheap_copy;
  }

  /// True if most of what the routine starts or completes could do better as part of its callers.
  bool depends_on_callers(llvm::Function& routine, effects& effects) {
    if (!obstacle_in(routine).empty())
      return false;
    prepare(routine);
    for (int round = 0;; ++round) {
      function_context context = context_of(routine);
      const scouting found = scout(context, effects, options_);
      if (round == rounds || !inline_here(routine, found.blocking, true))
        return found.for_callers * 2 > found.sites;
    }
  }

  void inline_into_callers(llvm::Function& routine, llvm::ArrayRef<llvm::CallBase*> calls) {
    for (llvm::CallBase* call : calls) {
      llvm::Function* caller = call->getFunction();
      if (may_take_in(*caller) && inline_routines(call)) {
        took_in(*caller, routine);
        changed_by_inlining(*caller);
      }
    }
    if (!routine.hasLocalLinkage() || !routine.use_empty())
      return;
    forget(routine);
    routine.eraseFromParent();
  }

  /// Inlines the calls; `messengers`: only of routines that communicate. True if it inlined one.
  bool inline_here(llvm::Function& function, const llvm::SmallSetVector<llvm::CallBase*, 8>& blocking,
                   bool messengers) {
    llvm::SmallVector<llvm::CallBase*, 8> calls;
    llvm::SmallVector<const llvm::Function*, 8> routines;
    for (llvm::CallBase* call : blocking)
      if (!messengers || messengers_.contains(call->getCalledFunction())) {
        calls.push_back(call);
        routines.push_back(call->getCalledFunction());
      }
    if (!may_take_in(function) || !inline_routines(calls))
      return false;
    for (const llvm::Function* routine : routines)
      took_in(function, *routine);
    changed_by_inlining(function);
    prepare(function);
    return true;
  }

  void took_in(const llvm::Function& function, const llvm::Function& routine) {
    found_.taken_in[origin(function)].insert(origin(routine));
  }

  void changed_by_inlining(llvm::Function& function) {
    inlined_.insert(&function);
    prepared_.erase(&function);
    functions_.invalidate(function, llvm::PreservedAnalyses::none());
  }

  void forget(llvm::Function& routine) {
    origins_.erase(&routine);
    functions_.clear(routine, routine.getName());
    inlined_.erase(&routine);
    prepared_.erase(&routine);
    messengers_.erase(&routine);
  }

  void prepare(llvm::Function& function) {
    if (!prepared_.insert(&function).second)
      return;
    const bool inlined = inlined_.contains(&function);
    make_plain_calls(function, {callbacks_, error_handlers_});
    llvm::FunctionPassManager passes;
    if (inlined) {
      passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
      passes.addPass(llvm::EarlyCSEPass(true));
      passes.addPass(llvm::InstCombinePass());
      passes.addPass(llvm::SimplifyCFGPass());
      // Loop bounds that a routine got by reference can leave its loops now; address ranges need them
      // outside.
      passes.addPass(
          llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
    }
    passes.addPass(llvm::LoopSimplifyPass());
    passes.run(function, functions_);
    functions_.invalidate(function, llvm::PreservedAnalyses::none());
  }

  function_context context_of(llvm::Function& function) {
    return {{function, functions_.getResult<llvm::DominatorTreeAnalysis>(function),
             functions_.getResult<llvm::LoopAnalysis>(function),
             functions_.getResult<llvm::ScalarEvolutionAnalysis>(function),
             functions_.getResult<llvm::BlockFrequencyAnalysis>(function)},
            functions_.getResult<llvm::AAManager>(function),
            remarks_,
            error_handlers_,
            messengers_};
  }

  std::string obstacle_in(llvm::Function& function) {
    return obstacle(function, functions_.getResult<llvm::LoopAnalysis>(function),
                    {callbacks_, error_handlers_}, left_by_signals_);
  }

  bool is_left_alone(llvm::Function& function) {
    const std::string why = obstacle_in(function);
    if (why.empty())
      return false;
    function_context context = context_of(function);
    explain_obstacle(context, options_, why);
    return true;
  }

  static bool calls_routines(const llvm::Function& function) {
    return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& at) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&at);
      return call && call->getCalledFunction() && call->getCalledFunction()->hasExactDefinition();
    });
  }

  void inline_what_blocks(llvm::Function& function, effects& effects) {
    for (int round = 0; round < rounds && calls_routines(function); ++round) {
      function_context context = context_of(function);
      if (!inline_here(function, scout(context, effects, options_).blocking, false))
        break;
    }
  }

  void run_on(llvm::Function& function, effects& effects) {
    function_context context = context_of(function);
    bool changed = options_.hoist && !threads_ && hoist_posts(context, effects, options_);
    changed |= overlap_function(context, effects, options_, graph_);
    if (!changed)
      return;
    found_.changed.insert(origin(function));
    functions_.invalidate(function, llvm::PreservedAnalyses::none());
    if (llvm::verifyFunction(function, &llvm::errs()))
      llvm::report_fatal_error(llvm::Twine("tacit: ") + wording(remark::pass_broke));
  }

  static constexpr int rounds = 3;            // of routines that call routines
  static constexpr unsigned cheap_copy = 600; // instructions of a routine that may be copied without a reason

  llvm::Module& module_;
  const options& options_;
  function_origins origins_;
  const inlining_plan* plan_;
  trial found_;
  remark_book remarks_;
  user_code callbacks_;
  bool
      threads_; ///< posts stay: what the program has written in front of one is what another thread reads when told by it
  bool left_by_signals_;
  bool error_handlers_; ///< MPI errors may come back to the program
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
  wait_graph graph_;
  llvm::SmallPtrSet<const llvm::Function*, 16> inlined_; ///< others were inlined into them
  llvm::SmallPtrSet<const llvm::Function*, 16> prepared_;
  llvm::SmallPtrSet<const llvm::Function*, 16> messengers_; ///< communicate, and stay routines
};

void write_graph(const wait_graph& graph, const std::string& path) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error) {
    llvm::errs() << "tacit: "
                 << wording(remark::cannot_write, {path, error.message(), reason_label(reason::disk)})
                 << "\n";
    return;
  }
  llvm::StringRef(path).ends_with(".dot") ? graph.print_dot(out) : graph.print_text(out);
}

/// A look at a copy of the module.
class look {
public:
  look(const llvm::Module& module, const options& wanted) {
    llvm::ValueToValueMapTy copies;
    copy_ = llvm::CloneModule(module, copies);
    if (wanted.act == action::report) // the program itself keeps no numbers then
      number_calls(*copy_);
    function_origins origins;
    for (const llvm::Function& function : module)
      if (auto* copy = llvm::dyn_cast_or_null<llvm::Function>(copies.lookup(&function)))
        origins[copy] = &function;
    pass_.emplace(*copy_, wanted, std::move(origins));
    pass_->run();
  }
  [[nodiscard]] const module_pass& pass() const { return *pass_; }

  void say() const {
    pass_->remarks().emit([](const llvm::Function&) { return true; }, {});
  }
  /// Says what became of the calls of the functions that the plan leaves as they are.
  void say_what_stays(const inlining_plan& plan, const call_numbers& moved) const {
    pass_->remarks().emit(
        [&](const llvm::Function& function) { return !plan.changes.contains(pass_->origin(function)); },
        moved);
  }

private:
  std::unique_ptr<llvm::Module> copy_;
  std::optional<module_pass> pass_; ///< of the copy: ends before it
};

void report(const llvm::Module& module, options wanted) {
  wanted.act = action::report;
  const look one(module, wanted);
  one.say();
  if (!wanted.graph.empty())
    write_graph(one.pass().graph(), wanted.graph);
}

/// Says on the way what is left as it is.
inlining_plan make_plan(const llvm::Module& module, const options& wanted) {
  const look with_inlining(module, wanted);
  const trial& gained = with_inlining.pass().found();
  if (gained.changed.empty() || gained.taken_in.empty()) {
    inlining_plan plan = plan_of(gained);
    with_inlining.say_what_stays(plan, moved_by(plan, gained));
    return plan;
  }
  options without_inlining = wanted;
  without_inlining.disabled |= 1U << static_cast<unsigned>(stage::inlining);
  const look without(module, without_inlining);
  inlining_plan plan = plan_of(gained, without.pass().found());
  call_numbers moved = moved_by(plan, gained);
  for (const unsigned call : moved_by(plan, without.pass().found()))
    moved.insert(call);
  without.say_what_stays(plan, moved);
  return plan;
}

/// True if something moved.
bool apply(llvm::Module& module, const options& wanted) {
  number_calls(module);
  const inlining_plan plan = make_plan(module, wanted);
  if (!plan.changes.empty()) {
    module_pass pass(module, wanted, function_origins(), &plan);
    pass.run();
    pass.remarks().emit([](const llvm::Function&) { return true; }, {});
  }
  forget_numbers(module);
  return !plan.changes.empty();
}

/// One line for a file, or for a program that is linked, whose messages cannot move.
void warn_of_no_optimization(const llvm::Module& module) {
  llvm::errs() << "tacit: warning: " << wording(remark::file_not_optimized, {source_of(module)}) << "\n";
}

/// Objects for link-time optimization say of each function whether it was compiled with optimization.
bool is_nowhere_optimized(const llvm::Module& module) {
  bool any = false;
  for (const llvm::Function& function : module)
    if (!function.isDeclaration() && has_messages(function, true)) {
      any = true;
      if (!function.hasOptNone())
        return false;
    }
  return any;
}

class overlap_pass : public llvm::PassInfoMixin<overlap_pass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    options wanted = current_options();
    const bool watched = wanted.act == action::apply && wanted.check;
    if (wanted.act == action::off || !(calls_mpi(module) || watched))
      return llvm::PreservedAnalyses::all();
    if (is_nowhere_optimized(module))
      warn_of_no_optimization(module);
    if (wanted.act == action::report || !wanted.graph.empty()) {
      wanted.silent = wanted.act == action::apply;
      report(module, wanted);
    }
    if (wanted.act == action::report)
      return llvm::PreservedAnalyses::all();
    wanted.graph.clear();
    wanted.silent = false;
    bool changed = apply(module, wanted);
    changed |= announce_freed_requests(module);
    if (wanted.collectives)
      changed |= start_all_collectives(module);
    if (watched)
      changed |= watch_module(module, wanted.synchronous || sends_synchronously(module));
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

/// Without optimization nothing moves, which the user should know; but collectives have to match those of the
/// other files, and these have to know of requests that are freed here.
class collectives_pass : public llvm::PassInfoMixin<collectives_pass> {
public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    const options& asked = current_options();
    if (asked.act != action::off && calls_mpi(module))
      warn_of_no_optimization(module);
    if (asked.act != action::apply)
      return llvm::PreservedAnalyses::all();
    bool changed = announce_freed_requests(module);
    changed |= asked.collectives && start_all_collectives(module);
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void add_to_pipelines(llvm::PassBuilder& builder) {
  builder.registerOptimizerEarlyEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel level) {
        if (level != llvm::OptimizationLevel::O0)
          passes.addPass(overlap_pass());
        else
          passes.addPass(collectives_pass());
      });
  builder.registerFullLinkTimeOptimizationEarlyEPCallback(
      [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) { passes.addPass(overlap_pass()); });
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& passes,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "tacit-overlap")
      return false;
    passes.addPass(overlap_pass());
    return true;
  });
}

} // namespace

} // namespace tacit::compiler

extern "C" __attribute__((visibility("default"))) ::llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "tacit", LLVM_VERSION_STRING, tacit::compiler::add_to_pipelines};
}
