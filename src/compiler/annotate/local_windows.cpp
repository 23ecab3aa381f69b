#include "compiler/annotate/local_windows.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/mpi_use.h"
#include "compiler/annotate/window_variable.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

/// What one window's operations are in the annotated statement.
struct window_calls {
  const window_buffer* window;
  std::vector<mpi_use> moves;  ///< Put, Get
  std::vector<mpi_use> ends;   ///< calls that end an epoch or order operations
  std::vector<mpi_use> fences; ///< of them, and MPI_Win_post: those with an assertion
  std::vector<mpi_use> locks;  ///< MPI_Win_lock
  std::vector<mpi_use> others; ///< operations that stay
  bool shared_locks_only = true;
};

bool ends_epoch(const mpi_use& use) {
  return use.is({mpi_call::Win_fence, mpi_call::Win_complete, mpi_call::Win_unlock, mpi_call::Win_unlock_all,
                 mpi_call::Win_flush, mpi_call::Win_flush_all, mpi_call::Win_flush_local,
                 mpi_call::Win_flush_local_all, mpi_call::Win_post});
}

bool is_move(const mpi_use& use) {
  return use.is({mpi_call::Put, mpi_call::Get});
}

bool is_other_operation(const mpi_use& use) {
  return use.is({mpi_call::Accumulate, mpi_call::Get_accumulate, mpi_call::Fetch_and_op,
                 mpi_call::Compare_and_swap, mpi_call::Rput, mpi_call::Rget, mpi_call::Raccumulate,
                 mpi_call::Rget_accumulate});
}

window_calls calls_of(const unit& of, const std::vector<mpi_use>& uses, const window_buffer& window) {
  const source text(of.context);
  window_calls made{&window, {}, {}, {}, {}, {}, true};
  bool locks = false;
  for (const mpi_use& use : uses) {
    const clang::Expr* named = window_argument(use);
    if (!is_window(named, window.window.text, of.context))
      continue;
    const bool writable = text.span(use.call->getCallee()->getSourceRange()) &&
                          text.span(use.call->getArg(0)->getSourceRange());
    if (use.is({mpi_call::Win_fence, mpi_call::Win_start, mpi_call::Win_complete, mpi_call::Win_post}))
      made.shared_locks_only = false;
    locks |= use.is({mpi_call::Win_lock, mpi_call::Win_lock_all});
    if (use.is({mpi_call::Win_lock})) {
      made.shared_locks_only &=
          same_code(text.text(use.call->getArg(0)->getSourceRange()), "MPI_LOCK_SHARED");
      made.locks.push_back(use);
    }
    if (ends_epoch(use))
      made.ends.push_back(use);
    if (use.is({mpi_call::Win_fence, mpi_call::Win_post}))
      made.fences.push_back(use);
    if (is_move(use) && writable)
      made.moves.push_back(use);
    else if (is_move(use) || is_other_operation(use))
      made.others.push_back(use);
  }
  made.shared_locks_only &= locks;
  return made;
}

/// Somewhere else in the file a fence may be told that nothing was stored.
bool has_no_store_outside(const unit& of, const annotated_statement& at, clang::FileID file) {
  const std::vector<unsigned>& places = words_in(of, file).no_store;
  if (places.empty())
    return false;
  const std::optional<span_of_text> inside = source(of.context).span_of_statement(at.statement);
  return std::any_of(places.begin(), places.end(), [&](unsigned place) {
    return !inside || inside->file != file || place < inside->begin || place >= inside->end;
  });
}

/// The statement of a block that is this call and nothing else; null if it is a part of something.
const clang::Stmt* statement_of(const function_facts& facts, const clang::CallExpr* call) {
  const clang::Stmt* at = call;
  for (const clang::Stmt* up = facts.parent_of(at); up; up = facts.parent_of(at)) {
    if (isa<clang::CompoundStmt>(up))
      return at;
    if (!isa<clang::ParenExpr, clang::CastExpr, clang::ExprWithCleanups>(up))
      return nullptr;
    at = up;
  }
  return nullptr;
}

void rename(const unit& of, const mpi_use& use, const std::string& name, const std::string& first,
            changes& into) {
  const source text(of.context);
  const span_of_text callee = *text.span(use.call->getCallee()->getSourceRange());
  into.edits[callee.file].replace(callee.begin, callee.end - callee.begin, name);
  const span_of_text argument = *text.span(use.call->getArg(0)->getSourceRange());
  into.edits[argument.file].insert(argument.begin, first + ", ");
  into.calls.push_back(use.call);
}

/// An argument becomes `before` argument `behind`.
void wrap(const unit& of, const clang::Expr* argument, const std::string& before, const std::string& behind,
          changes& into) {
  const span_of_text place = *source(of.context).span(argument->getSourceRange());
  into.edits[place.file].insert(place.begin, before);
  into.edits[place.file].insert(place.end, behind);
}

bool is_in_block(const function_facts& facts, const annotated_statement& at) {
  return llvm::isa_and_nonnull<clang::CompoundStmt>(facts.parent_of(at.statement));
}

/// A copy whose address stays in the function: the compiler keeps it in registers, whatever is stored meanwhile.
std::string declaration(const std::string& name, const window_buffer& window, const std::string& flags) {
  return "const tacit_local " + name + "[1] = {*tacit_local_of(" + window.window.text + ", " +
         window.more.front().text + ", " + (flags.empty() ? "0" : flags) + ")};";
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string made;
  for (const std::string& part : parts)
    made += (made.empty() ? "" : between) + part;
  return made;
}

/// A variable of its own, declared before the statement and used in it; nobody may jump past that.
std::optional<finding> fault_of(const unit& of, const annotated_statement& at, const function_facts& facts) {
  if (auto fault = fault_of_text(of, at))
    return fault;
  const clang::Stmt* parent = facts.parent_of(at.statement);
  const clang::Stmt* above = parent ? facts.parent_of(parent) : nullptr;
  if (facts.has_odd_jumps() || llvm::isa_and_nonnull<clang::SwitchStmt>(above) ||
      isa<clang::DeclStmt, clang::SwitchCase>(at.statement))
    return stays(at, wording(remark::the_statement), reason::jumps, wording(remark::passes_declaration));
  return std::nullopt;
}

/// Declared in the annotated statement: another variable than the one that the pragma names, even if it is called alike.
bool is_declared_in(const unit& of, const annotated_statement& at, const clang::VarDecl* variable) {
  const clang::SourceManager& sources = of.context.getSourceManager();
  return sources.isPointWithin(sources.getExpansionLoc(variable->getLocation()),
                               sources.getExpansionLoc(at.statement->getBeginLoc()),
                               sources.getExpansionLoc(at.statement->getEndLoc()));
}

/// The one variable of the window in all calls; null if there are several, or something else.
const clang::VarDecl* variable_in(const window_calls& calls) {
  const clang::VarDecl* one = nullptr;
  for (const std::vector<mpi_use>* some : {&calls.moves, &calls.locks, &calls.ends})
    for (const mpi_use& use : *some) {
      const clang::VarDecl* variable = variable_of(window_argument(use));
      if (!variable || (one && variable->getCanonicalDecl() != one->getCanonicalDecl()))
        return nullptr;
      one = variable;
    }
  return one;
}

/// The window must be there, and be the same, from the declaration on.
std::optional<finding> fault_of_window(const unit& of, const annotated_statement& at,
                                       const function_facts& facts, const window_calls& calls,
                                       clang::SourceLocation where) {
  const std::string what = wording(remark::the_window, {calls.window->window.text});
  const clang::VarDecl* variable = variable_in(calls);
  if (!variable || is_declared_in(of, at, variable) || facts.changes(at.statement, variable))
    return stays(at, what, reason::window_elsewhere, wording(remark::window_not_steady), where);
  if (!has_value_at(*variable, at.statement, facts))
    return stays(at, what, reason::window_elsewhere, wording(remark::window_not_there), where);
  if (const clang::Stmt* by = unseen_change(of, at, *calls.window, *variable, facts))
    return stays(at, what, reason::window_elsewhere, wording(remark::window_may_change), by->getBeginLoc());
  return std::nullopt;
}

std::optional<finding> fault_of(const unit& of, const annotated_statement& at, const function_facts& facts,
                                const window_calls& calls, const changes& done) {
  const std::string what = wording(remark::the_window, {calls.window->window.text});
  if (calls.moves.empty())
    return stays(at, what, reason::nothing_annotated, wording(remark::no_put_or_get));
  for (const mpi_use& move : calls.moves)
    if (done.has(move.call))
      return stays(at, what, reason::nothing_annotated, wording(remark::collected_already),
                   move.call->getExprLoc());
  if (auto fault = fault_of_window(of, at, facts, calls, calls.moves.front().call->getExprLoc()))
    return fault;
  for (const mpi_use& end : calls.ends)
    if (!source(of.context).span(end.call->getSourceRange()))
      return stays(at, what, reason::in_macro, wording(remark::call_out_of_macro, {end.name}),
                   end.call->getExprLoc());
  if (has_no_store_outside(of, at, of.context.getSourceManager().getFileID(at.by.begin)))
    return stays(at, what, reason::epoch_unclear, wording(remark::no_store_elsewhere));
  return std::nullopt;
}

bool says_exclusive_lock(const unit& of, const annotated_statement& at) {
  return words_in(of, of.context.getSourceManager().getFileID(at.by.begin)).exclusive_lock;
}

void change_moves(const unit& of, const function_facts& facts, const window_calls& calls,
                  const std::string& name, const choice_made& choice, changes& into) {
  const source text(of.context);
  for (const mpi_use& move : calls.moves) {
    const std::string large = move.name.ends_with("_c") ? "_c" : "";
    rename(of, move, (move.is({mpi_call::Put}) ? "tacit_local_put" : "tacit_local_get") + large, name, into);
    into.said.push_back({severity::remark,
                         move.call->getExprLoc(),
                         reason::none,
                         wording(remark::local_copy, {move.name}) + choice.reason,
                         "",
                         {},
                         choice.by});
  }
  for (const mpi_use& fence : calls.fences) {
    const clang::Expr* assertion = fence.call->getArg(fence.is({mpi_call::Win_post}) ? 1 : 0);
    if (text.text(assertion->getSourceRange()) != "0")
      wrap(of, assertion, "tacit_local_assert(" + name + ", ", ")", into);
  }
  for (const mpi_use& end : calls.ends) {
    const clang::Stmt* statement = statement_of(facts, end.call);
    const auto place = statement ? span_with_pragmas(of, statement) : std::nullopt;
    if (place) {
      into.edits[place->file].insert(place->begin, "tacit_local_sync(" + name + ");\n");
      continue;
    }
    // A branch without braces, or part of an expression.
    const span_of_text call = *text.span(end.call->getSourceRange());
    into.edits[call.file].insert(call.begin, "(tacit_local_sync(" + name + "), ");
    into.edits[call.file].insert(call.end, ")");
  }
}

/// What has decided about copies; nothing where nobody was asked, which is as always.
std::string said_of(const coherence_choice& caches, const node_choice& others, bool possible) {
  if (caches.reason.empty() && !is_by_platform(others))
    return "";
  return wording(remark::decided,
                 {(caches.reason.empty() ? wording(remark::found_at_run_time) : caches.reason) +
                  (possible ? others.reason : "")});
}

/// Why operations of a window whose puts and gets have become copies are still MPI's.
void say_others(const annotated_statement& at, const window_calls& calls, changes& into) {
  for (const mpi_use& other : calls.others)
    into.said.push_back(is_move(other) ? stays(at, other.name, reason::in_macro,
                                               wording(remark::out_of_macro), other.call->getExprLoc())
                                       : stays(at, other.name, reason::operation_stays,
                                               wording(remark::only_put_and_get), other.call->getExprLoc()));
}

/// Assignments between the buffer and something else, as statements of a block.
struct buffer_access {
  const clang::BinaryOperator* assignment;
  const clang::ArraySubscriptExpr* element;
  bool stores;
};

class buffer_accesses : public ast_visitor {
public:
  buffer_accesses(const unit& of, const annotated_statement& at, const function_facts& facts,
                  std::string buffer)
      : of_(of), at_(at), facts_(facts), buffer_(std::move(buffer)) {}

  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->getOpcode() != clang::BO_Assign || !is_statement(b))
      return true;
    const auto* left = element_of(b->getLHS());
    const auto* right = element_of(b->getRHS());
    if (left && !right && !mentions(b->getRHS()))
      found.push_back({b, left, true});
    else if (right && !left && !mentions(b->getLHS()))
      found.push_back({b, right, false});
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    uses += is_buffer(name) ? 1 : 0;
    return true;
  }
  std::vector<buffer_access> found;
  std::size_t uses = 0;

private:
  /// Of a block, or the body of a loop; what stands in the head of one is an expression.
  bool is_statement(const clang::BinaryOperator* b) const {
    const clang::Stmt* parent = facts_.parent_of(b);
    const auto* loop = llvm::dyn_cast_or_null<clang::ForStmt>(parent);
    return loop ? loop->getBody() == b : llvm::isa_and_nonnull<clang::CompoundStmt>(parent);
  }
  bool is_buffer(const clang::DeclRefExpr* name) const {
    const auto* variable = dyn_cast<clang::VarDecl>(name->getDecl());
    return variable && name->getNameInfo().getAsString() == buffer_ && !is_declared_in(of_, at_, variable);
  }
  const clang::ArraySubscriptExpr* element_of(const clang::Expr* e) const {
    const auto* element = dyn_cast<clang::ArraySubscriptExpr>(e->IgnoreParenImpCasts());
    const auto* base =
        element ? dyn_cast<clang::DeclRefExpr>(element->getBase()->IgnoreParenImpCasts()) : nullptr;
    return base && is_buffer(base) && !mentions(element->getIdx()) ? element : nullptr;
  }
  bool mentions(const clang::Stmt* s) const {
    if (const auto* name = dyn_cast<clang::DeclRefExpr>(s))
      return is_buffer(name);
    return std::any_of(s->child_begin(), s->child_end(),
                       [&](const clang::Stmt* c) { return c && mentions(c); });
  }
  const unit& of_;
  const annotated_statement& at_;
  const function_facts& facts_;
  std::string buffer_;
};

/// A store as `{ T tacit_value = …; MPI_Put(&tacit_value, …); MPI_Win_flush(…); }`, a load as MPI_Get into its variable.
void through_window(const unit& of, const window_calls& calls, const buffer_access& access,
                    const std::string& value, changes& into) {
  const source text(of.context);
  const window_buffer& w = *calls.window;
  const std::string target = text.text(calls.locks.front().call->getArg(1)->getSourceRange());
  const std::string type = w.more.front().text;
  const std::string where = "1, " + type + ", " + target + ", " +
                            text.text(access.element->getIdx()->getSourceRange()) + ", 1, " + type + ", " +
                            w.window.text + "); MPI_Win_flush(" + target + ", " + w.window.text + "); }";
  const std::string other = text.text(
      (access.stores ? access.assignment->getRHS() : access.assignment->getLHS())->getSourceRange());
  const std::string code =
      access.stores ? "{ " + w.type.text + " " + value + " = " + other + "; MPI_Put(&" + value + ", " + where
                    : "{ " + w.type.text + " " + value + "; MPI_Get(&" + value + ", " +
                          where.substr(0, where.size() - 1) + other + " = " + value + "; }";
  const span_of_text place = *text.span_of_statement(access.assignment);
  into.edits[place.file].replace(place.begin, place.end - place.begin, code);
  into.said.push_back({severity::remark,
                       access.assignment->getExprLoc(),
                       reason::none,
                       wording(remark::through_window,
                               {access.stores ? wording(remark::the_store) : wording(remark::the_load),
                                access.stores ? "MPI_Put" : "MPI_Get"}),
                       "",
                       {}});
}

struct unknown_call {
  std::string name;
  clang::SourceLocation at;
};

/// Something other than MPI's locks and harmless functions is called, which the lock may protect, too.
std::optional<unknown_call> find_unknown_call(const unit& of, const annotated_statement& at,
                                              const window_buffer& window) {
  class finder : public ast_visitor {
  public:
    finder(const unit& of, const annotated_statement& at, const window_buffer& window)
        : of_(of), at_(at), window_(window) {}
    bool shouldVisitImplicitCode() const override { return true; }
    bool VisitCallExpr(clang::CallExpr* call) override {
      const auto use = mpi_use_of(call);
      const bool known = use ? use->row->kind == call_class::local || window_argument(*use) != nullptr
                             : is_harmless(call, of_.context);
      const clang::FunctionDecl* callee = call->getDirectCallee();
      return known || is_independent(call) ||
             keep(callee ? callee->getNameAsString() : wording(remark::some_function), call->getExprLoc());
    }
    bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
      const clang::CXXConstructorDecl* by = made->getConstructor();
      return by->isTrivial() || is_independent(made) || keep(by->getNameAsString(), made->getExprLoc());
    }
    bool VisitVarDecl(clang::VarDecl* v) override {
      return !calls_at_end_of_scope(*v) ||
             keep(wording(remark::destructor_of, {v->getNameAsString()}), v->getLocation());
    }
    /// Destructors of temporaries, and memory by functions that a program may replace.
    bool VisitStmt(clang::Stmt* s) override {
      const auto* e = dyn_cast<clang::Expr>(s);
      return !e || !isa<clang::CXXBindTemporaryExpr, clang::CXXNewExpr, clang::CXXDeleteExpr>(e) ||
             is_independent(e) || keep(wording(remark::some_function), e->getExprLoc());
    }
    std::optional<unknown_call> found;

  private:
    bool is_independent(const clang::Expr* e) const {
      const auto around = annotations_around(of_, e, annotation_kind::indep, at_.statement);
      return std::any_of(around.begin(), around.end(), [&](const annotated_statement* a) {
        return names_window(a->by.says.groups, window_.window.text);
      });
    }
    bool keep(std::string name, clang::SourceLocation where) {
      found = {std::move(name), where};
      return false;
    }

    const unit& of_;
    const annotated_statement& at_;
    const window_buffer& window_;
  };
  finder walk(of, at, window);
  walk.TraverseStmt(const_cast<clang::Stmt*>(at.statement));
  return walk.found;
}

std::optional<finding> fault_of_locks(const unit& of, const annotated_statement& at,
                                      const function_facts& facts, const window_calls& calls) {
  const std::string what = wording(remark::the_window, {calls.window->window.text});
  const source text(of.context);
  if (!at.by.says.no_overlap)
    return stays(at, what, reason::claim_missing, wording(remark::may_overlap));
  const bool locked =
      !calls.locks.empty() && std::any_of(calls.ends.begin(), calls.ends.end(),
                                          [](const mpi_use& u) { return u.is({mpi_call::Win_unlock}); });
  if (!locked)
    return stays(at, what, reason::epoch_unclear, wording(remark::no_lock));
  for (const mpi_use& lock : calls.locks)
    if (!text.span(lock.call->getArg(0)->getSourceRange()))
      return stays(at, what, reason::in_macro, wording(remark::lock_out_of_macro), lock.call->getExprLoc());
  if (auto fault = fault_of_window(of, at, facts, calls, calls.locks.front().call->getExprLoc()))
    return fault;
  if (const auto call = find_unknown_call(of, at, *calls.window))
    return stays(at, what, reason::unknown_effect, wording(remark::may_rely_on_lock, {call->name}), call->at);
  return std::nullopt;
}

/// Empty, or why loads and stores of the buffer cannot all become calls.
std::optional<finding> fault_of_accesses(const unit& of, const annotated_statement& at,
                                         const window_calls& calls, const buffer_accesses& walk) {
  const std::string what = wording(remark::the_buffer, {calls.window->buffer.text});
  const source text(of.context);
  if (walk.found.empty())
    return stays(at, what, reason::nothing_annotated, wording(remark::no_assignment));
  if (walk.uses != walk.found.size())
    return stays(at, what, reason::epoch_unclear, wording(remark::used_otherwise));
  if (calls.locks.size() != 1)
    return stays(at, what, reason::epoch_unclear, wording(remark::several_locks));
  const clang::Expr* target = calls.locks.front().call->getArg(1);
  const clang::VarDecl* variable = variable_of(target);
  if (!isa<clang::IntegerLiteral>(target->IgnoreParenImpCasts()) &&
      (!variable || function_facts::may_change(variable, at.statement)))
    return stays(at, what, reason::epoch_unclear, wording(remark::rank_not_steady));
  for (const buffer_access& access : walk.found)
    if (!text.span_of_statement(access.assignment) ||
        access.element->getType().getAsString() != calls.window->type.text)
      return stays(at, what, reason::in_macro, wording(remark::assignment_unfit),
                   access.assignment->getExprLoc());
  return std::nullopt;
}

/// What the changed calls use stands before the statement, behind a comment with the reason; nothing where no call was changed.
void declare(const unit& of, const annotated_statement& at, const function_facts& facts,
             const std::string& comment, const std::vector<std::string>& declarations, changes& into) {
  if (declarations.empty())
    return;
  surround(of, at.statement, is_in_block(facts, at), comment + "\n" + joined(declarations, "\n"), "",
           into.edits);
  mark(of, at.by, into.edits);
  include_run_time(of, of.context.getSourceManager().getFileID(at.by.begin), into.edits);
}

} // namespace

void use_local_memory(const unit& of, const annotated_statement& at, const platform_choices& by,
                      changes& into) {
  const coherence_choice caches = choose_coherence(at.by.says, by);
  if (!caches.coherent) {
    into.said.push_back(stays(at, wording(remark::the_statement), reason::claim_missing,
                              is_by_platform(caches) ? caches.reason : wording(remark::not_coherent)));
    into.said.back().decided_by = caches.by;
    return;
  }
  const node_choice others = choose_node_memory(by);
  const function_facts facts(*at.function);
  if (auto fault = fault_of(of, at, facts)) {
    into.said.push_back(*fault);
    return;
  }
  const std::vector<mpi_use> uses = mpi_uses_in(at.statement);
  std::vector<std::string> declarations;
  for (const window_buffer& w : at.by.says.windows) {
    const window_calls calls = calls_of(of, uses, w);
    if (auto fault = fault_of(of, at, facts, calls, into)) {
      into.said.push_back(*fault);
      continue;
    }
    std::string name = free_name(of, at, "tacit_local_" + std::to_string(declarations.size() + 1));
    if (at.by.says.windows.size() == 1)
      name = free_name(of, at, "tacit_window");
    const bool possible = calls.shared_locks_only && !says_exclusive_lock(of, at),
               node = possible && others.reaches;
    declarations.push_back(declaration(name, w, node ? "TACIT_LOCAL_NODE" : ""));
    const bool by_node = caches.reason.empty() && possible && is_by_platform(others);
    change_moves(of, facts, calls, name, {said_of(caches, others, possible), by_node ? others.by : caches.by},
                 into);
    say_others(at, calls, into);
  }
  declare(of, at, facts, "/* tacit: plain copies where the memory of the target can be reached. */",
          declarations, into);
}

void relax_locks(const unit& of, const annotated_statement& at, const platform_choices& by, changes& into) {
  const coherence_choice caches = choose_coherence(at.by.says, by);
  const bool coherent = caches.coherent;
  const std::string decided = caches.reason.empty() ? "" : wording(remark::decided, {caches.reason});
  const function_facts facts(*at.function);
  const std::vector<window_buffer>& windows = at.by.says.windows;
  for (std::size_t i = 0; at.by.says.no_overlap && i < windows.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (same_code(windows[i].buffer.text, windows[j].buffer.text) &&
          !same_code(windows[i].window.text, windows[j].window.text))
        return into.said.push_back({severity::error,
                                    at.by.begin,
                                    reason::claim_false,
                                    wording(remark::windows_overlap, {windows[i].buffer.text}),
                                    "",
                                    {}});
  if (auto fault = fault_of(of, at, facts)) {
    into.said.push_back(*fault);
    return;
  }
  const std::vector<mpi_use> uses = mpi_uses_in(at.statement);
  std::vector<std::string> declarations;
  for (const window_buffer& w : at.by.says.windows) {
    const window_calls calls = calls_of(of, uses, w);
    if (auto fault = fault_of_locks(of, at, facts, calls)) {
      into.said.push_back(*fault);
      continue;
    }
    buffer_accesses walk(of, at, facts, w.buffer.text);
    walk.TraverseStmt(const_cast<clang::Stmt*>(at.statement));
    if (!coherent)
      if (auto fault = fault_of_accesses(of, at, calls, walk)) {
        into.said.push_back(*fault);
        continue;
      }
    const std::string name = free_name(of, at, "tacit_lock_" + std::to_string(declarations.size() + 1));
    declarations.push_back(declaration(name, w, "TACIT_LOCAL_NO_OVERLAP"));
    for (const mpi_use& lock : calls.locks) {
      if (coherent && of.checked)
        wrap(of, lock.call->getArg(0), "tacit_checked_lock_type(" + name + ", ",
             location_argument(of, at.by.begin) + ")", into);
      else
        wrap(of, lock.call->getArg(0),
             (coherent ? "tacit_local_lock_type(" : "tacit_local_rma_lock_type(") + name + ", ", ")", into);
      into.said.push_back({severity::remark,
                           lock.call->getExprLoc(),
                           reason::none,
                           wording(remark::lock_relaxed, {lock.name}) + decided,
                           "",
                           {},
                           caches.by});
    }
    if (!coherent)
      for (const buffer_access& access : walk.found)
        through_window(of, calls, access, free_name(of, at, "tacit_value"), into);
  }
  declare(of, at, facts,
          coherent
              ? "/* tacit: nothing overlaps, so that a shared lock suffices where the window is unified. */"
              : "/* tacit: nothing overlaps, so that a shared lock suffices for puts and gets. */",
          declarations, into);
}

} // namespace tacit::compiler
