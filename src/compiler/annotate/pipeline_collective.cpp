#include "compiler/annotate/pipeline_collective.h"

#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/moved_arguments.h"
#include "compiler/annotate/strided_stores.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <cstdio>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

/// A call and the loop in front of it.
struct planned_exchange {
  mpi_use use;
  const clang::Stmt* statement = nullptr; ///< the call as a statement
  const clang::ForStmt* loop = nullptr;
  counted_loop counted;
  std::vector<strided_store> stores;
  std::optional<obstacle> refused;
};

/// The statement of the block before this one; null if it is the first, or no statement of a block.
const clang::Stmt* statement_before(const clang::Stmt* s, const function_facts& facts) {
  const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(facts.parent_of(s));
  const clang::Stmt* before = nullptr;
  if (block)
    for (const clang::Stmt* each : block->body()) {
      if (each == s)
        return before;
      before = each;
    }
  return nullptr;
}

/// The call that a statement is, perhaps with `(void)` in front.
const clang::Stmt* call_in(const clang::Stmt* s) {
  const auto* e = llvm::dyn_cast_or_null<clang::Expr>(s);
  const auto* cast = e ? dyn_cast<clang::CastExpr>(e->IgnoreParens()) : nullptr;
  return cast && cast->getCastKind() == clang::CK_ToVoid ? cast->getSubExpr()->IgnoreParens() : s;
}

const clang::Stmt* statement_behind(const clang::Stmt* s, const function_facts& facts) {
  const auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(facts.parent_of(s));
  if (!block)
    return nullptr;
  const auto found = std::find(block->body_begin(), block->body_end(), s);
  return found == block->body_end() || std::next(found) == block->body_end() ? nullptr : *std::next(found);
}

class pipeline_planner {
public:
  pipeline_planner(const unit& of, const annotated_statement& at, const function_facts& facts)
      : of_(of), at_(at), facts_(facts) {}

  std::vector<planned_exchange> make() const {
    std::vector<planned_exchange> made;
    std::vector<mpi_use> uses = mpi_uses_in(at_.statement);
    if (const auto behind = mpi_use_of(call_in(statement_behind(at_.statement, facts_))))
      uses.push_back(*behind); // the annotation is on the loop itself
    for (const mpi_use& use : uses)
      if (names(at_.by.says.groups, use, of_.context))
        made.push_back(plan(use));
    return made;
  }

private:
  planned_exchange plan(const mpi_use& use) const {
    planned_exchange made;
    made.use = use;
    made.statement = statement_of(use.call, facts_);
    made.refused = fault_of_call(made);
    if (made.refused)
      return made;
    const clang::SourceLocation at = use.call->getExprLoc();
    made.loop = llvm::dyn_cast_or_null<clang::ForStmt>(statement_before(made.statement, facts_));
    if (!made.loop) {
      made.refused = obstacle{reason::no_statement_of_its_own, wording(remark::no_loop), at};
      return made;
    }
    block_view in{of_.context, facts_, made.loop};
    const std::set<const clang::VarDecl*> steady =
        steady_variables(made.loop, use.call, memory_at(use.call->getArg(0), in).base, in);
    in.steady = &steady;
    made.refused = fault_of_loop(made, in);
    const auto counted = counted_loop_of(made.loop, in);
    if (!made.refused && !counted)
      made.refused =
          obstacle{reason::collective_stays, wording(remark::not_counted), made.loop->getBeginLoc()};
    if (made.refused)
      return made;
    made.counted = *counted;
    fill_stores(made, in);
    return made;
  }

  std::optional<obstacle> fault_of_call(const planned_exchange& e) const {
    const mpi_use& use = e.use;
    const clang::SourceLocation at = use.call->getExprLoc();
    if (use.name == "MPI_Alltoall_c")
      return obstacle{reason::collective_stays, wording(remark::counts_may_be_large), at};
    if (use.name != "MPI_Alltoall")
      return obstacle{reason::collective_stays, wording(remark::only_alltoall), at};
    if (!e.statement)
      return obstacle{reason::no_statement_of_its_own, why_no_statement(e.use.call, facts_), at};
    const source text(of_.context);
    bool whole = text.span(use.call->getCallee()->getSourceRange()).has_value();
    for (const clang::Expr* argument : use.call->arguments())
      whole = whole && text.span(argument->getSourceRange());
    if (!whole || !text.span_of_statement(e.statement))
      return obstacle{reason::in_macro, wording(remark::out_of_macro), at};
    if (facts_.has_odd_jumps())
      return obstacle{reason::jumps, wording(remark::odd_jumps), facts_.odd_jump()->getBeginLoc()};
    const std::string type = text_of(of_, use.call->getArg(2));
    if (type != text_of(of_, use.call->getArg(5)) || !size_of_datatype(type, of_.context))
      return obstacle{reason::collective_stays, wording(remark::datatypes_differ), at};
    return std::nullopt;
  }

  std::optional<obstacle> fault_of_loop(const planned_exchange& e, const block_view& in) const {
    const source text(of_.context);
    const clang::SourceLocation at = e.loop->getBeginLoc();
    if (text.span_of_statement(e.loop) && !span_with_pragmas(of_, e.loop))
      return obstacle{reason::in_macro, wording(remark::pragma_before_loop), at};
    if (!span_with_pragmas(of_, e.loop) || !text.span(e.loop->getBody()->getSourceRange()))
      return obstacle{reason::in_macro, wording(remark::loop_out_of_macro), at};
    if (llvm::isa_and_nonnull<clang::SwitchStmt>(facts_.parent_of(facts_.parent_of(e.loop))))
      return obstacle{reason::jumps, wording(remark::block_is_switch), at};
    const auto call = text.span_of_statement(e.statement);
    if (!call ||
        has_directives(of_, span_of_text{call->file, text.span_of_statement(e.loop)->begin, call->end}))
      return obstacle{reason::in_macro, wording(remark::loop_under_conditions), at};
    if (!isa<clang::CompoundStmt>(e.loop->getBody()) && !span_with_pragmas(of_, e.loop->getBody()))
      return obstacle{reason::in_macro, wording(remark::pragma_before_body),
                      e.loop->getBody()->getBeginLoc()};
    if (const clang::Stmt* jump = jump_out_of(e.loop))
      return obstacle{reason::function_ends, wording(remark::leaves_loop), jump->getBeginLoc()};
    const moved_arguments arguments({e.use.call->arguments().begin(), e.use.call->arguments().end()}, facts_,
                                    in.steady);
    if (arguments.fault())
      return obstacle{arguments.fault()->why, wording(remark::argument_not_steady), arguments.fault()->at};
    if (auto changed = arguments.changed_by(e.loop))
      return changed;
    return std::nullopt;
  }

  void fill_stores(planned_exchange& e, const block_view& in) const {
    const memory origin = memory_at(e.use.call->getArg(0), in);
    const memory target = memory_at(e.use.call->getArg(3), in);
    const auto steady = [&](const memory& m) {
      return m.base && (!m.pointed || in.steady->contains(m.base) ||
                        (facts_.is_private(m.base) && !function_facts::may_change(m.base, e.loop)));
    };
    if (!steady(origin) || !origin.from || !steady(target))
      e.refused =
          obstacle{reason::buffer_unknown, wording(remark::a_buffer_unknown), e.use.call->getExprLoc()};
    else if (origin.base == target.base)
      e.refused =
          obstacle{reason::buffer_unknown, wording(remark::buffers_are_one), e.use.call->getExprLoc()};
    if (e.refused)
      return;
    store_search search(of_, in, e.use, at_.function->getBody(), origin, target);
    search.walk(e.loop, e.counted);
    e.refused = search.found;
    e.stores = search.stores;
    if (!e.refused && e.stores.empty())
      e.refused = obstacle{reason::nothing_annotated, wording(remark::no_store), e.loop->getBeginLoc()};
  }

  const unit& of_;
  const annotated_statement& at_;
  const function_facts& facts_;
};

std::string initializer_of(const strided_store& s) {
  std::string made = "{" + code_of(s.from) + ", " + code_of(s.step) + ", " + code_of(s.bytes) + ", {";
  for (std::size_t i = 0; i < s.inner.size(); ++i)
    made += std::string(i == 0 ? "{" : ", {") + code_of(s.inner[i].stride) + ", " + s.inner[i].first + ", " +
            s.inner[i].last + "}";
  return made + (s.inner.empty() ? "{0, 0, 0}}}" : "}}");
}

using exchange_way = exchange_choice::way;

const char* when_of(exchange_way how) {
  switch (how) {
  case exchange_way::in_parts:
    return "TACIT_PIPELINE_ALWAYS";
  case exchange_way::by_puts:
    return "TACIT_PIPELINE_PUTS";
  case exchange_way::predicted:
    return "TACIT_PIPELINE_PREDICTED";
  default:
    return "TACIT_PIPELINE_MEASURED";
  }
}

remark remark_of(exchange_way how) {
  return how == exchange_way::in_parts  ? remark::pipelined
         : how == exchange_way::by_puts ? remark::put_in_rows
                                        : remark::travels_as_chosen;
}

std::string initializer_of(const exchange_costs& c) {
  char numbers[256];
  std::snprintf(numbers, sizeof numbers, "{%.3g, %.3g, %.2g, %.3g, %.3g, %.3g, %.3g, %.3g, %.2g, %.3g, %g}",
                c.latency, c.of_byte, c.progress, c.send, c.receive, c.put, c.put_latency, c.put_of_byte,
                c.put_progress, c.copy, c.cores);
  return numbers;
}

void write(const unit& of, const planned_exchange& e, const exchange_choice& choice,
           const platform_choices& by, const std::string& name, const std::string& stores, changes& into) {
  const source text(of.context);
  std::string code =
      "/* tacit: parts of the exchange begin while later ones are computed, where that is faster. */\n"
      "tacit_pipeline " +
      name + ";\nconst tacit_pipeline_store " + stores + "[] = {";
  for (std::size_t i = 0; i < e.stores.size(); ++i)
    code += (i == 0 ? "" : ", ") + initializer_of(e.stores[i]);
  code += "};\n";
  std::string costs = "NULL";
  if (choice.how == exchange_way::predicted) {
    costs = "&" + name + "_costs";
    code += "const tacit_pipeline_costs " + name + "_costs = " + initializer_of(*by.exchanges) + ";\n";
  }
  code += "tacit_pipeline_begin(&" + name + ", " + when_of(choice.how) + ", " + costs;
  for (const clang::Expr* argument : e.use.call->arguments())
    code += ", " + text_of(of, argument);
  code += ", " + e.counted.first + ", " + e.counted.last + ", " + stores + ", " +
          std::to_string(e.stores.size()) + ", __FILE__, __LINE__);\n";
  const span_of_text loop = *span_with_pragmas(of, e.loop);
  file_edits& file = into.edits[loop.file];
  file.insert(loop.begin, code);
  const std::string reached =
      "tacit_pipeline_reached(&" + name + ", " + e.counted.counter->getNameAsString() + ");";
  const clang::Stmt* body = e.loop->getBody();
  if (const auto* block = dyn_cast<clang::CompoundStmt>(body)) {
    file.insert(text.span(clang::SourceRange(block->getLBracLoc()))->end, "\n" + reached);
  } else {
    const span_of_text inner = *span_with_pragmas(of, body);
    file.insert(inner.begin, "{\n" + reached + "\n");
    file.insert(inner.end, "\n}");
  }
  const span_of_text callee = *text.span(e.use.call->getCallee()->getSourceRange());
  file.replace(callee.begin, callee.end - callee.begin, "tacit_pipeline_alltoall");
  file.insert(text.span(e.use.call->getArg(0)->getSourceRange())->begin, "&" + name + ", ");
  into.calls.push_back(e.use.call);
  into.said.push_back({severity::remark,
                       e.use.call->getExprLoc(),
                       reason::none,
                       wording(remark_of(choice.how), {e.use.name}) +
                           wording(remark::location, {location_name(of, e.loop->getBeginLoc())}) +
                           wording(remark::decided, {choice.reason}),
                       "",
                       {},
                       choice.by});
}

} // namespace

void pipeline_collectives(const unit& of, const annotated_statement& at, const platform_choices& by,
                          changes& into) {
  if (auto fault = fault_of_text(of, at))
    return into.said.push_back(*fault);
  const function_facts facts(*at.function);
  std::vector<planned_exchange> exchanges = pipeline_planner(of, at, facts).make();
  if (exchanges.empty())
    return into.said.push_back(stays(at, wording(remark::the_statement), reason::nothing_annotated,
                                     wording(remark::no_listed_collective)));
  const exchange_choice choice = choose_exchange(at.by.says, by);
  int written = 0;
  for (planned_exchange& e : exchanges) {
    if (!e.refused && into.has(e.use.call))
      e.refused =
          obstacle{reason::nothing_annotated, wording(remark::changed_already), e.use.call->getExprLoc()};
    const bool stays_by_choice = !e.refused && choice.how == exchange_way::as_written;
    if (stays_by_choice)
      e.refused = obstacle{reason::collective_stays, choice.reason, e.use.call->getExprLoc()};
    if (e.refused) {
      into.said.push_back(
          stays(at, e.use.name, e.refused->why,
                e.refused->detail + wording(remark::location, {location_name(of, e.refused->at)}),
                e.use.call->getExprLoc()));
      into.said.back().decided_by = stays_by_choice ? choice.by : "";
      continue;
    }
    const std::string number = written++ == 0 ? "" : "_" + std::to_string(written);
    write(of, e, choice, by, free_name(of, at, "tacit_exchange" + number),
          free_name(of, at, "tacit_stores" + number), into);
  }
  if (written == 0)
    return;
  mark(of, at.by, into.edits);
  include_run_time(of, of.context.getSourceManager().getFileID(at.by.begin), into.edits);
}

} // namespace tacit::compiler
