#include "compiler/annotate/coalesce_windows.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/containers.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/memory.h"
#include "compiler/annotate/mpi_use.h"
#include "compiler/annotate/window_names.h"
#include "compiler/coalesce/largest_piece.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/SourceManager.h>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

/// The run time's name for a call of MPI on a window of the region; empty: it has none.
std::string run_time_name(const mpi_use& use) {
  static const std::pair<mpi_call, const char*> names[] = {
      {mpi_call::Put, "tacit_put"},
      {mpi_call::Get, "tacit_get"},
      {mpi_call::Accumulate, "tacit_accumulate"},
      {mpi_call::Get_accumulate, "tacit_get_accumulate"},
      {mpi_call::Fetch_and_op, "tacit_fetch_and_op"},
      {mpi_call::Compare_and_swap, "tacit_compare_and_swap"},
      {mpi_call::Win_fence, "tacit_win_fence"},
      {mpi_call::Win_complete, "tacit_win_complete"},
      {mpi_call::Win_unlock, "tacit_win_unlock"},
      {mpi_call::Win_unlock_all, "tacit_win_unlock_all"},
      {mpi_call::Win_flush, "tacit_win_flush"},
      {mpi_call::Win_flush_all, "tacit_win_flush_all"},
      {mpi_call::Win_flush_local, "tacit_win_flush_local"},
      {mpi_call::Win_flush_local_all, "tacit_win_flush_local_all"},
      {mpi_call::Win_lock, "tacit_win_lock"},
      {mpi_call::Win_lock_all, "tacit_win_lock_all"},
  };
  for (const auto& [call, name] : names)
    if (use.row->id == call)
      return std::string(name) + (use.name.ends_with("_c") ? "_c" : "");
  return {};
}

bool is_operation(const mpi_use& use) {
  return use.is({mpi_call::Put, mpi_call::Get, mpi_call::Accumulate, mpi_call::Get_accumulate,
                 mpi_call::Fetch_and_op, mpi_call::Compare_and_swap});
}

/// Calls that neither operate on a window nor complete anything on it for this process.
bool leaves_operations_alone(const mpi_use& use) {
  return use.row->kind == call_class::local ||
         use.is({mpi_call::Win_post, mpi_call::Win_start, mpi_call::Win_wait, mpi_call::Win_test,
                 mpi_call::Win_sync, mpi_call::Win_lock, mpi_call::Win_lock_all});
}

std::optional<std::int64_t> constant_of(const clang::Expr* e, const clang::ASTContext& context) {
  clang::Expr::EvalResult value;
  if (!e || e->isValueDependent() || !e->EvaluateAsInt(value, context) ||
      value.Val.getInt().getSignificantBits() > 63)
    return std::nullopt;
  return value.Val.getInt().getExtValue();
}

/// Which arguments say how much an operation does at the target, and by what; -1: it has no such argument.
struct target_arguments {
  int count, type, op;
};

target_arguments target_arguments_of(const mpi_use& use) {
  if (use.is({mpi_call::Fetch_and_op}))
    return {-1, 2, 5};
  if (use.is({mpi_call::Get_accumulate}))
    return {8, 9, 10};
  return {5, 6, use.is({mpi_call::Accumulate}) ? 7 : -1};
}

/// Empty, or why the run time never collects the operation (docs/coalescing.md), as far as the text says it.
std::string reason_not_collected(const mpi_use& use, const clang::ASTContext& context) {
  if (use.is({mpi_call::Compare_and_swap}))
    return wording(remark::compares_first);
  const target_arguments at = target_arguments_of(use);
  const auto text_at = [&](int argument) {
    return source(context).text(use.call->getArg(static_cast<unsigned>(argument))->getSourceRange());
  };
  const auto size = size_of_datatype(text_at(at.type), context);
  if (size && *size <= 2 && at.op >= 0 && text_at(at.op) == "MPI_SUM")
    return wording(remark::sums_of_few_bits);
  const auto count =
      at.count < 0 ? std::nullopt : constant_of(use.call->getArg(static_cast<unsigned>(at.count)), context);
  if (size && count && *count > largest_piece / *size)
    return wording(remark::gains_nothing, {std::to_string(*count * *size), std::to_string(largest_piece)});
  return {};
}

/// Everything in a statement that calls something, also without the look of a call.
class call_finder : public ast_visitor {
public:
  call_finder(clang::ASTContext& context, const function_facts& facts) : context_(context), facts_(facts) {}
  bool shouldVisitImplicitCode() const override { return true; }
  bool shouldVisitClasses() const override { return false; }
  bool VisitCallExpr(clang::CallExpr* c) override {
    if ((!isa<clang::CXXOperatorCallExpr>(c) || !c->getDirectCallee() ||
         !c->getDirectCallee()->isTrivial()) &&
        !is_step(c))
      calls.push_back(c);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* c) override {
    if (!c->getConstructor()->isTrivial() && !is_step(c))
      calls.push_back(c);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* v) override {
    if (calls_at_end_of_scope(*v))
      hide(wording(remark::destructor_of, {v->getNameAsString()}), v->getLocation());
    return true;
  }
  bool VisitStmt(clang::Stmt* s) override {
    if (const std::string what = words_of_hidden(s); !what.empty())
      hide(what, s->getBeginLoc());
    return true;
  }
  struct hidden_call {
    std::string name;
    clang::SourceLocation at;
  };
  std::vector<const clang::Expr*> calls;
  std::optional<hidden_call> hidden; ///< the first one that has no place of its own in the text

private:
  /// Of iterators of a container, in the head of a loop over it.
  bool is_step(const clang::Stmt* s) const {
    for (const clang::Stmt* up = facts_.parent_of(s); up; s = up, up = facts_.parent_of(s))
      if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(up))
        return s != loop->getBody() && s != loop->getRangeStmt() && s != loop->getInit() &&
               steps_through_container(*loop);
      else if (isa<clang::CompoundStmt>(up))
        return false;
    return false;
  }

  /// A lambda that only computes may be called wherever it is.
  std::string words_of_hidden(const clang::Stmt* s) const {
    if (const auto* lambda = dyn_cast<clang::LambdaExpr>(s))
      return only_computes(*lambda, context_) ? "" : wording(remark::a_lambda);
    if (const auto* loop = dyn_cast<clang::CXXForRangeStmt>(s))
      return steps_through_container(*loop) ? "" : wording(remark::a_range_for);
    if (isa<clang::CXXNewExpr, clang::CXXDeleteExpr>(s))
      return wording(remark::new_or_delete);
    if (isa<clang::CXXBindTemporaryExpr>(s))
      return wording(remark::destructor_of, {wording(remark::a_temporary)});
    if (isa<clang::GCCAsmStmt>(s))
      return wording(remark::inline_assembly);
    if (isa<clang::OMPExecutableDirective>(s))
      return wording(remark::openmp_directive);
    if (may_initialize(s))
      return wording(remark::initializer_of, {source(context_).text(s->getSourceRange())});
    return isa<clang::CoroutineSuspendExpr>(s) ? wording(remark::a_coroutine) : "";
  }
  void hide(std::string name, clang::SourceLocation at) {
    if (!hidden)
      hidden = {std::move(name), at};
  }

  clang::ASTContext& context_;
  const function_facts& facts_;
};

/// The name of a member of the object whose function this is: of `this->m` and of `m`; empty for anything else.
std::string own_member(const clang::Expr* e) {
  const auto* member = e ? dyn_cast<clang::MemberExpr>(e->IgnoreParenImpCasts()) : nullptr;
  return member && !member->hasQualifier() &&
                 isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())
             ? member->getMemberDecl()->getNameAsString()
             : std::string();
}

/// Of a member's name in the function itself, which would be another variable.
bool is_declared_in(const clang::FunctionDecl& function, const std::string& name) {
  class finder : public ast_visitor {
  public:
    explicit finder(const std::string& name) : name_(name) {}
    bool VisitNamedDecl(clang::NamedDecl* d) override {
      found |= d->getDeclName().isIdentifier() && d->getName() == name_;
      return !found;
    }
    bool found = false;

  private:
    const std::string& name_;
  };
  finder walk(name);
  walk.TraverseDecl(const_cast<clang::FunctionDecl*>(&function));
  return walk.found;
}

/// A member may be written as `m` in the one place and as `this->m` in the other.
bool is_own_window(const clang::Expr* window, const std::string& listed, const annotated_statement& at) {
  const std::string name = own_member(window);
  return !name.empty() && (same_code(listed, "this->" + name) ||
                           (same_code(listed, name) && !is_declared_in(*at.function, name)));
}

bool is_listed(const unit& of, const annotated_statement& at, const mpi_use& use) {
  const clang::Expr* window = window_argument(use);
  return std::any_of(at.by.says.windows.begin(), at.by.says.windows.end(), [&](const window_buffer& w) {
    return is_window(window, w.window.text, of.context) || is_own_window(window, w.window.text, at);
  });
}

/// Whoever comes to its fences by the same annotation waits for it, whatever it collects.
bool is_awaited(const unit& of, const annotated_statement& at) {
  const std::vector<mpi_use> uses =
      at.by.says.collective ? mpi_uses_in(at.statement) : std::vector<mpi_use>();
  return std::any_of(uses.begin(), uses.end(), [&](const mpi_use& use) {
    return use.is({mpi_call::Win_fence}) && is_listed(of, at, use);
  });
}

struct rename {
  const clang::CallExpr* call;
  std::string name;
};

struct send {
  const clang::Stmt* before = nullptr; ///< a statement of a block, or the call itself
  const clang::Expr* call = nullptr;
  std::string name;           ///< of what is called
  bool operates = false;      ///< on a window that may be one of the region's; else it may synchronize
  bool in_expression = false; ///< the call becomes (send, call)
};

/// What will be changed, or why nothing is.
struct region_plan {
  std::vector<rename> renames;
  std::vector<send> sends;
  std::vector<mpi_use> operations; ///< on listed windows
  std::optional<finding> refused;
};

class coalesce_planner {
public:
  coalesce_planner(const unit& of, const annotated_statement& at, const function_facts& facts)
      : of_(of), at_(at), facts_(facts), text_(of.context) {}

  region_plan make() {
    if (auto fault = fault_of_text(of_, at_))
      return refuse(*fault);
    if (facts_.has_odd_jumps() || isa_and_nonnull<clang::SwitchStmt>(grandparent()) ||
        isa<clang::DeclStmt, clang::SwitchCase, clang::LabelStmt>(at_.statement))
      return refuse(
          stays(at_, wording(remark::the_statement), reason::jumps, wording(remark::passes_region_start)));
    call_finder walk(of_.context, facts_);
    walk.TraverseStmt(const_cast<clang::Stmt*>(at_.statement));
    if (walk.hidden)
      return refuse(stays(at_, wording(remark::the_statement), reason::epoch_unclear,
                          wording(remark::calls_hidden, {walk.hidden->name, place_of(walk.hidden->at)})));
    for (const clang::Expr* call : walk.calls)
      if (const auto use = mpi_use_of(call); use && is_operation(*use) && on_listed(*use))
        plan_.operations.push_back(*use);
    if (plan_.operations.empty() && !is_awaited(of_, at_))
      return refuse(stays(at_, wording(remark::the_statement), reason::nothing_annotated,
                          wording(remark::no_listed_operation)));
    if (const std::string reason = reason_for_none(); !reason.empty() && !is_awaited(of_, at_))
      return refuse(stays(at_, wording(remark::the_statement), reason::operation_stays, reason));
    for (const clang::Expr* call : walk.calls)
      if (!plan_.refused)
        look_at(call);
    return std::move(plan_);
  }

private:
  template <class T>
  static bool isa_and_nonnull(const clang::Stmt* s) {
    return s && isa<T>(s);
  }

  region_plan refuse(finding why) {
    plan_ = {};
    plan_.refused = std::move(why);
    return std::move(plan_);
  }

  const clang::Stmt* grandparent() const {
    const clang::Stmt* parent = facts_.parent_of(at_.statement);
    return parent ? facts_.parent_of(parent) : nullptr;
  }

  /// In the words of a remark.
  std::string place_of(clang::SourceLocation at) const {
    return wording(remark::location, {location_name(of_, at)});
  }

  bool on_listed(const mpi_use& use) const { return is_listed(of_, at_, use); }

  /// Empty, or why not one of the operations is collected.
  std::string reason_for_none() const {
    std::string said;
    for (const mpi_use& operation : plan_.operations) {
      const std::string reason = reason_not_collected(operation, of_.context);
      if (reason.empty())
        return {};
      said = wording(remark::not_collected, {operation.name, reason});
    }
    return said;
  }

  /// As far as names tell (window_names.h); what a macro stands for may be any.
  bool is_another_window(const mpi_use& use) const {
    const clang::Expr* window = window_argument(use);
    if (!window || std::any_of(at_.by.says.windows.begin(), at_.by.says.windows.end(),
                               [&](const window_buffer& w) { return has_macro(w.window.text, of_.context); }))
      return false;
    return std::none_of(plan_.operations.begin(), plan_.operations.end(), [&](const mpi_use& operation) {
      return names_of_windows(of_).may_be_one(window, window_argument(operation));
    });
  }

  /// The user says that the statement has nothing to do with any of the windows.
  bool is_independent(const clang::Expr* call) const {
    for (const annotated_statement* a : annotations_around(of_, call, annotation_kind::indep, at_.statement))
      if (std::all_of(at_.by.says.windows.begin(), at_.by.says.windows.end(),
                      [&](const window_buffer& w) { return names_window(a->by.says.groups, w.window.text); }))
        return true;
    return false;
  }

  void look_at(const clang::Expr* call) {
    const auto use = mpi_use_of(call);
    if (use && on_listed(*use) && !run_time_name(*use).empty())
      return look_at_listed(*use);
    if (is_independent(call))
      return;
    if (use ? needs_send(*use)
            : !(isa<clang::CallExpr>(call) && only_computes(llvm::cast<clang::CallExpr>(call), of_.context)))
      send_before(call, use ? use->name : name_of(call));
  }

  void look_at_listed(const mpi_use& use) {
    if (is_independent(use.call)) {
      plan_.refused = finding{severity::error,
                              use.call->getExprLoc(),
                              reason::claim_false,
                              wording(remark::not_independent_of_window, {use.name}),
                              wording(remark::window_is_here),
                              at_.by.begin};
      return;
    }
    if (text_.span(use.call->getCallee()->getSourceRange()) &&
        text_.span(use.call->getArg(0)->getSourceRange()))
      plan_.renames.push_back({use.call, run_time_name(use)});
    else
      send_before(use.call, use.name);
  }

  bool needs_send(const mpi_use& use) const {
    // Functions of operations may not communicate; those of attributes, requests and error handlers may.
    using vocabulary::user_function;
    for (const user_function how :
         {user_function::attributes, user_function::requests, user_function::handler})
      if (vocabulary::has(*use.row, how))
        return true;
    const clang::Expr* window = window_argument(use);
    if (!window)
      return use.row->kind == call_class::unknown || use.row->kind == call_class::finalize;
    return !leaves_operations_alone(use) && (on_listed(use) || !is_another_window(use));
  }

  static std::string name_of(const clang::Expr* call) {
    const auto* c = dyn_cast<clang::CallExpr>(call);
    const clang::FunctionDecl* callee = c ? c->getDirectCallee() : nullptr;
    if (const auto* made = dyn_cast<clang::CXXConstructExpr>(call))
      callee = made->getConstructor();
    return callee ? callee->getNameAsString() : wording(remark::some_function);
  }

  /// Part of its text that is evaluated there. Copies into the variable of a `catch`, types (`decltype(f())`) and the `get` of structured
  /// bindings are called, or named, elsewhere, and have no statement above them.
  bool is_in_statement(const clang::Stmt* call) const {
    const clang::Stmt* s = call;
    while (s && s != at_.statement)
      s = facts_.parent_of(s);
    return s;
  }

  /// The statement of a block in which it stands, behind labels: what is written in front of one is passed by.
  const clang::Stmt* statement_around(const clang::Stmt* call) const {
    for (const clang::Stmt* s = call; s && s != at_.statement; s = facts_.parent_of(s)) {
      const clang::Stmt* parent = facts_.parent_of(s);
      const auto* label = llvm::dyn_cast_or_null<clang::SwitchCase>(parent);
      if (label && label->getSubStmt() != s)
        return nullptr;
      while (isa_and_nonnull<clang::SwitchCase>(parent))
        parent = facts_.parent_of(parent);
      if (isa_and_nonnull<clang::CompoundStmt>(parent))
        return s;
    }
    return nullptr;
  }

  bool has_operation(const clang::Stmt* statement) const {
    const std::vector<mpi_use> uses = mpi_uses_in(statement);
    return std::any_of(uses.begin(), uses.end(),
                       [&](const mpi_use& u) { return is_operation(u) && on_listed(u); });
  }

  static bool operates(const clang::Expr* call) {
    const auto use = mpi_use_of(call);
    return use && (is_operation(*use) || use->is({mpi_call::Rput, mpi_call::Rget, mpi_call::Raccumulate,
                                                  mpi_call::Rget_accumulate}));
  }

  void send_before(const clang::Expr* call, const std::string& name) {
    const clang::Stmt* around = statement_around(call);
    const auto is_there = [&](const clang::Stmt* s) {
      return std::any_of(plan_.sends.begin(), plan_.sends.end(),
                         [&](const send& done) { return done.before == s && !done.in_expression; });
    };
    if (around && !has_operation(around) && place_before(of_, around, false)) {
      if (!is_there(around))
        plan_.sends.push_back({around, call, name, operates(call), false});
    } else if (isa<clang::CallExpr>(call) && !isa<clang::CXXOperatorCallExpr>(call) &&
               is_in_statement(call) && text_.span(call->getSourceRange())) {
      plan_.sends.push_back({call, call, name, operates(call), true});
    } else {
      plan_.refused = stays(at_, wording(remark::the_statement), reason::epoch_unclear,
                            wording(remark::nothing_before, {name, place_of(call->getExprLoc())}));
    }
  }

  const unit& of_;
  const annotated_statement& at_;
  const function_facts& facts_;
  source text_;
  region_plan plan_;
};

bool synchronizes(const mpi_use& use) {
  return window_argument(use) && !is_operation(use);
}

/// The target's rank and the place there, where both are constants and something is moved. The roles of one-sided calls are not in the table.
std::optional<std::pair<std::int64_t, std::int64_t>> constant_place(const mpi_use& use,
                                                                    const clang::ASTContext& context) {
  if (!use.is({mpi_call::Put, mpi_call::Get, mpi_call::Accumulate}))
    return std::nullopt;
  const auto target = constant_of(use.call->getArg(3), context);
  const auto place = constant_of(use.call->getArg(4), context);
  const auto count = constant_of(use.call->getArg(5), context);
  const bool moves = target && *target >= 0 && count && *count > 0; // MPI_PROC_NULL is negative everywhere
  return moves && place ? std::optional(std::pair(*target, *place)) : std::nullopt;
}

/// Operations one after the other in one block that go to the same place, with nothing between that ends an epoch.
std::optional<finding> contradiction(const unit& of, const annotated_statement& at,
                                     const function_facts& facts) {
  const source text(of.context);
  const std::vector<mpi_use> uses = mpi_uses_in(at.statement);
  for (std::size_t i = 0; i < uses.size(); ++i)
    for (std::size_t j = i + 1; j < uses.size() && !synchronizes(uses[j]); ++j) {
      const auto first = is_operation(uses[i]) ? constant_place(uses[i], of.context) : std::nullopt;
      const clang::Stmt* block = facts.parent_of(uses[i].call);
      if (first && first == constant_place(uses[j], of.context) &&
          llvm::isa_and_nonnull<clang::CompoundStmt>(block) && block == facts.parent_of(uses[j].call) &&
          same_code(text.text(window_argument(uses[i])->getSourceRange()),
                    text.text(window_argument(uses[j])->getSourceRange())))
        return finding{severity::error,
                       uses[j].call->getExprLoc(),
                       reason::claim_false,
                       wording(remark::operations_overlap, {uses[j].name, uses[i].name}),
                       wording(remark::operation_is_here),
                       uses[i].call->getExprLoc()};
    }
  return std::nullopt;
}

std::string flags_of(const annotation& says) {
  if (says.no_overlap && says.collective)
    return "TACIT_COALESCE_NO_OVERLAP | TACIT_COALESCE_COLLECTIVE";
  return says.no_overlap ? "TACIT_COALESCE_NO_OVERLAP" : says.collective ? "TACIT_COALESCE_COLLECTIVE" : "0";
}

std::string begin_call(const annotated_statement& at, const coalescing_choice& choice) {
  return "tacit_coalesce_begin(" + std::to_string(choice.factor) + ", " +
         std::to_string(choice.memory_limit) + ", " + flags_of(at.by.says) + ", __FILE__, __LINE__)";
}

operation_kinds kinds_of(const std::vector<mpi_use>& operations, const clang::ASTContext& context) {
  operation_kinds made;
  for (const mpi_use& use : operations) {
    if (!reason_not_collected(use, context).empty())
      continue;
    const bool put = use.is({mpi_call::Put}), get = use.is({mpi_call::Get});
    made.puts |= put;
    made.gets |= get;
    made.accumulates |= !put && !get;
  }
  return made;
}

finding said_of(const unit& of, const mpi_use& operation, const coalescing_choice& choice) {
  const clang::SourceLocation where = operation.call->getExprLoc();
  if (const std::string reason = reason_not_collected(operation, of.context); !reason.empty())
    return {severity::remark,
            where,
            reason::operation_stays,
            wording(remark::not_collected, {operation.name, reason}),
            "",
            {}};
  return {severity::remark,
          where,
          reason::none,
          wording(remark::collected, {operation.name}) +
              (choice.reason.empty() ? "" : wording(remark::decided, {choice.reason})),
          "",
          {},
          choice.by};
}

void change(const unit& of, const annotated_statement& at, const function_facts& facts,
            const region_plan& plan, const coalescing_choice& choice, changes& into) {
  const source text(of.context);
  const clang::FileID file = of.context.getSourceManager().getFileID(at.by.begin);
  const std::string region = free_name(of, at, "tacit_region");
  const std::string send = "tacit_coalesce_send(" + region + ", MPI_WIN_NULL, TACIT_ALL_TARGETS)";
  surround(of, at.statement, llvm::isa_and_nonnull<clang::CompoundStmt>(facts.parent_of(at.statement)),
           "/* tacit: small one-sided operations on these windows are collected and sent together. */\n"
           "TACIT_COALESCE_GUARDED tacit_coalesce* " +
               region + " = " + begin_call(at, choice) + ";",
           "tacit_coalesce_leave(&" + region + ");", into.edits);
  for (const rename& r : plan.renames) {
    const span_of_text callee = *text.span(r.call->getCallee()->getSourceRange());
    into.edits[callee.file].replace(callee.begin, callee.end - callee.begin, r.name);
    const span_of_text first = *text.span(r.call->getArg(0)->getSourceRange());
    into.edits[first.file].insert(first.begin, region + ", ");
    into.calls.push_back(r.call);
  }
  for (const auto& s : plan.sends) {
    if (!s.in_expression) {
      const span_of_text place = *place_before(of, s.before, false);
      into.edits[place.file].insert(place.begin, "/* tacit: " + s.name +
                                                     (s.operates ? " may be for one of these windows. */\n"
                                                                 : " may synchronize. */\n") +
                                                     send + ";\n");
    } else {
      const span_of_text place = *text.span(s.call->getSourceRange());
      into.edits[place.file].insert(place.begin, "(" + send + ", ");
      into.edits[place.file].insert(place.end, ")");
    }
    into.said.push_back({severity::remark,
                         s.call->getExprLoc(),
                         reason::sent_early,
                         wording(s.operates ? remark::sent_before_operation : remark::sent_before, {s.name}),
                         "",
                         {}});
  }
  for (const mpi_use& operation : plan.operations)
    if (choice.collects && into.has(operation.call))
      into.said.push_back(said_of(of, operation, choice));
  mark(of, at.by, into.edits);
  include_run_time(of, file, into.edits);
}

/// With `collective` it is no matter of speed.
void say_refused(const unit& of, const annotated_statement& at, finding why, findings& said) {
  if (is_awaited(of, at) && why.level == severity::remark) {
    why.level = severity::warning;
    why.note = wording(remark::others_wait);
    why.note_at = at.by.begin;
  }
  said.push_back(std::move(why));
}

} // namespace

void coalesce_windows(const unit& of, const annotated_statement& at, const platform_choices& by,
                      changes& into) {
  const function_facts facts(*at.function);
  for (const annotated_statement& outer : of.annotated)
    if (&outer != &at && outer.by.says.kind == annotation_kind::osc_coalesce &&
        outer.function == at.function) {
      const auto around =
          annotations_around(of, at.statement, annotation_kind::osc_coalesce, outer.statement);
      if (outer.statement != at.statement &&
          std::find(around.begin(), around.end(), &outer) != around.end()) {
        into.said.push_back(stays(at, wording(remark::the_statement), reason::nothing_annotated,
                                  wording(remark::in_another_region)));
        return;
      }
    }
  if (at.by.says.no_overlap)
    if (auto wrong = contradiction(of, at, facts))
      into.said.push_back(*wrong);
  const region_plan plan = coalesce_planner(of, at, facts).make();
  if (plan.refused)
    return say_refused(of, at, *plan.refused, into.said);
  coalescing_choice choice = choose_coalescing(at.by.says, kinds_of(plan.operations, of.context), by);
  if (!choice.collects) {
    into.said.push_back(stays(at, wording(remark::the_statement), reason::operation_stays, choice.reason));
    into.said.back().decided_by = choice.by;
    choice.factor = 1; // with which the run time leaves operations to MPI
  }
  if (choice.collects || is_awaited(of, at))
    change(of, at, facts, plan, choice, into);
}

} // namespace tacit::compiler
