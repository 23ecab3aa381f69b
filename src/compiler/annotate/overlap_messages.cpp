#include "compiler/annotate/overlap_messages.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/moved_arguments.h"
#include "compiler/annotate/sink_waits.h"
#include "compiler/annotate/strided_stores.h"
#include "compiler/annotate/touches.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>
#include <map>
#include <set>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

using blocks = std::vector<const clang::CompoundStmt*>;

/// Where the wait is inserted: before a statement of a block, or at the block's end.
struct insertion_point {
  const clang::CompoundStmt* block = nullptr;
  const clang::Stmt* before = nullptr;
};

/// A message and what becomes of it.
struct planned_message {
  pending_message message;
  const clang::Stmt* statement = nullptr; ///< the call as a statement
  const clang::CompoundStmt* home = nullptr;
  const clang::Stmt* top = nullptr;         ///< the statement of `home` with the call in it
  const clang::Stmt* post_before = nullptr; ///< a statement of `home`, if it is posted earlier than it stands
  insertion_point wait;
  std::optional<obstacle> limit;           ///< why the wait stands there; nothing: the block ends
  const clang::Stmt* unwritable = nullptr; ///< it would stand before this one, where nothing can be written
  bool hides_work = false;                 ///< something runs between post and wait
  std::optional<obstacle> refused;
  std::string refused_by;           ///< by whom, if that is a choice
  bool status_counts = false;       ///< somebody may read it
  bool calls_run_meanwhile = false; ///< of functions that may throw
  int request = 0;                  ///< the first of one or two
};

bool is_message(const mpi_use& use) {
  return use.is({mpi_call::Send, mpi_call::Ssend, mpi_call::Rsend, mpi_call::Bsend, mpi_call::Recv,
                 mpi_call::Sendrecv, mpi_call::Sendrecv_replace});
}

/// MPI_STATUS_IGNORE, also by a macro of the program's own: a constant in both libraries.
bool is_ignored(const clang::Expr* status) {
  return !status || isa<clang::IntegerLiteral>(status->IgnoreParenCasts());
}

/// The message's memory; its status counts where somebody may read it.
pending_message message_of(const mpi_use& use, const block_view& in) {
  pending_message made{use, buffers_of(use, in)};
  const clang::Expr* status = use.argument(param_role::status);
  if (!is_ignored(status)) {
    const memory written = memory_at(status, in);
    if (!in.facts.is_dead_status(written.base) || written.pointed)
      made.memory.push_back({written, true, status->getExprLoc()});
  }
  return made;
}

/// What an `if` declares in its head ends with it.
bool declares(const clang::IfStmt& conditional) {
  return conditional.getInit() || conditional.getConditionVariable();
}

/// The block that a call belongs to: branches of conditionals belong to the block around them.
const clang::CompoundStmt* home_of(const clang::Stmt* statement, const function_facts& facts,
                                   const clang::Stmt*& top) {
  top = statement;
  const clang::CompoundStmt* home = nullptr;
  for (const clang::Stmt* at = statement; at; at = facts.parent_of(at)) {
    const clang::Stmt* parent = facts.parent_of(at);
    if (!parent)
      break;
    const auto* conditional = dyn_cast<clang::IfStmt>(parent);
    const bool branch = conditional && !declares(*conditional) &&
                        (conditional->getThen() == at || conditional->getElse() == at);
    if (const auto* block = dyn_cast<clang::CompoundStmt>(parent)) {
      home = block;
      top = at;
      const auto* above = llvm::dyn_cast_or_null<clang::IfStmt>(facts.parent_of(block));
      if (!above || declares(*above) || (above->getThen() != block && above->getElse() != block))
        return home;
    } else if (!branch) {
      return home;
    }
  }
  return home;
}

class message_planner {
public:
  message_planner(const unit& of, const annotated_statement& at, const function_facts& facts,
                  const platform_choices& by)
      : of_(of), at_(at), facts_(facts), by_(by) {}

  std::vector<planned_message> make() {
    std::vector<planned_message> made;
    for (const mpi_use& use : mpi_uses_in(at_.statement))
      if (is_message(use) && names(at_.by.says.groups, use, of_.context))
        made.push_back(plan(use));
    return made;
  }

  /// Step 7 of the paper's algorithm: up, past statements that the tree shows to be harmless. What is only claimed to be independent
  /// (`indep`) may receive, too, and posts for receiving keep their order, unless the other one has moved up itself; a receive passes
  /// listed sends. None moves to where another message may still be under way with memory of this one.
  void place_posts(std::vector<planned_message>& messages) const {
    for (planned_message& m : messages)
      if (!m.refused && may_be_posted_earlier(m))
        place_post(m, messages);
  }

  static void refuse_idle(std::vector<planned_message>& messages) {
    for (planned_message& m : messages)
      if (!m.refused && !m.hides_work && m.unwritable)
        m.refused = obstacle{reason::in_macro, wording(remark::nothing_at_ends), m.unwritable->getBeginLoc()};
      else if (!m.refused && !m.hides_work)
        m.refused = m.limit.value_or(
            obstacle{reason::no_window, wording(remark::idle_until_end), m.home->getRBracLoc()});
  }

private:
  /// A statement of its own in the block, which no pragma is about. MPI_Rsend relies on what comes before it.
  bool may_be_posted_earlier(const planned_message& m) const {
    return m.message.use.is({mpi_call::Recv, mpi_call::Send}) && m.statement == m.top &&
           std::none_of(of_.annotated.begin(), of_.annotated.end(),
                        [&](const annotated_statement& a) { return a.statement == m.statement; });
  }

  void place_post(planned_message& m, const std::vector<planned_message>& messages) const {
    const block_view in{of_.context, facts_, m.home};
    const auto calls = m.message.use.call->arguments();
    const bool receives = m.message.use.is({mpi_call::Recv});
    // The last argument of a receive is its status, which is not needed before it completes.
    const std::vector<const clang::Expr*> given(calls.begin(),
                                                receives ? std::prev(calls.end()) : calls.end());
    const std::vector<annotated_statement> no_claims;
    const unit proven{of_.context, is_assumed(post_rule::claims) ? of_.annotated : no_claims};
    const listed_message sends = [&](const mpi_use& other) -> std::optional<pending_message> {
      const bool passes =
          (receives && other.is({mpi_call::Send})) || (is_assumed(post_rule::messages) && is_message(other));
      if (!passes || !is_listed(other))
        return std::nullopt;
      return known_message(other, in);
    };
    auto at = std::find(m.home->body_begin(), m.home->body_end(), m.statement);
    while (at != m.home->body_begin() && !is_end_of_another(m, *at, messages, in)) {
      const clang::Stmt* before = *--at;
      const auto moved = std::find_if(messages.begin(), messages.end(), [&](const planned_message& other) {
        return other.statement == before && other.post_before;
      });
      if (moved != messages.end())
        continue; // it is not there any more
      const auto steady = steady_variables(before, m.message.use.call, nullptr, in);
      const moved_arguments arguments(given, facts_, &steady);
      if ((arguments.fault() || arguments.changed_by(before)) && !is_assumed(post_rule::arguments))
        return;
      const auto found = obstacle_in(before, m.message, proven, in, sends);
      if (may_throw(before, of_.context) && !is_assumed(post_rule::control))
        return;
      if ((found && !is_assumed(rule_of(*found))) || !span_with_pragmas(of_, before))
        return;
      if (takes_time(before) || m.post_before) {
        m.hides_work |= takes_time(before);
        m.post_before = before;
      }
    }
  }

  bool is_listed(const mpi_use& use) const {
    const auto [known, is_new] = listed_.try_emplace(use.call);
    if (is_new)
      known->second = names(at_.by.says.groups, use, of_.context);
    return known->second;
  }

  /// Each is asked for by all others.
  const pending_message& known_message(const mpi_use& use, const block_view& in) const {
    const auto key = std::pair(use.call, in.block);
    auto known = messages_.find(key);
    if (known == messages_.end())
      known = messages_.emplace(key, message_of(use, in)).first;
    return known->second;
  }

  bool is_assumed(post_rule one) const { return of_.assumed == one; }

  static post_rule rule_of(const obstacle& o) {
    if (o.why == reason::buffer_read || o.why == reason::buffer_written)
      return post_rule::data;
    return o.why == reason::function_ends ? post_rule::control : post_rule::calls;
  }

  /// Another post has moved up to this statement, or what is completed before it shares memory with the message.
  bool is_end_of_another(const planned_message& m, const clang::Stmt* at,
                         const std::vector<planned_message>& messages, const block_view& in) const {
    return std::any_of(messages.begin(), messages.end(), [&](const planned_message& other) {
      if (&other == &m || other.refused)
        return false;
      if (other.post_before == at && !is_assumed(post_rule::order))
        return true;
      return other.wait.before == at && share_memory(m, other, in) && !is_assumed(post_rule::completion);
    });
  }

  static bool share_memory(const planned_message& m, const planned_message& other, const block_view& in) {
    for (const touch& a : m.message.memory)
      for (const touch& b : other.message.memory)
        if ((a.writes || b.writes) && (!a.what.base || a.what.base == b.what.base) &&
            may_alias(a.what, b.what, in))
          return true;
    return false;
  }

  planned_message plan(const mpi_use& use) {
    planned_message made;
    made.message.use = use;
    made.statement = statement_of(use.call, facts_);
    made.refused = fault_of(use, made.statement);
    if (made.refused)
      return made;
    made.home = home_of(made.statement, facts_, made.top);
    if (!made.home || isa_switch(facts_.parent_of(made.home)))
      made.refused =
          obstacle{reason::no_statement_of_its_own, wording(remark::no_block), use.call->getExprLoc()};
    else if (has_directives(of_, made.home))
      made.refused =
          obstacle{reason::in_macro, wording(remark::block_under_conditions), use.call->getExprLoc()};
    if (made.refused)
      return made;
    const block_view in{of_.context, facts_, made.home};
    made.message = message_of(use, in);
    const clang::Expr* given = use.argument(param_role::status);
    for (const touch& t : made.message.memory) {
      made.status_counts |= given && t.at == given->getExprLoc();
      if (!t.what.base)
        made.refused = obstacle{reason::buffer_unknown, wording(remark::its_buffer_unknown), t.at};
    }
    const moved_arguments status({use.argument(param_role::status)}, facts_);
    if (!made.refused)
      made.refused = status.fault();
    if (!made.refused && use.is({mpi_call::Send}))
      choose(made);
    if (!made.refused)
      place_wait(made, in, status);
    return made;
  }

  /// Checked programs have every message under way, on whatever machine.
  void choose(planned_message& send) const {
    const std::optional<polynomial>& length = send.message.memory.front().what.length;
    const bool is_constant = length && std::all_of(length->begin(), length->end(), [](const auto& term) {
                               return term.first.empty() && term.second >= 0;
                             });
    const auto bytes =
        is_constant ? std::optional(length->empty() ? 0 : static_cast<std::uint64_t>(length->begin()->second))
                    : std::nullopt;
    const send_choice choice = choose_send(at_.by.says, bytes, by_);
    if (choice.overlaps || of_.checked)
      return;
    send.refused = obstacle{reason::no_window, choice.reason, send.message.use.call->getExprLoc()};
    send.refused_by = choice.by;
  }

  static bool isa_switch(const clang::Stmt* s) { return llvm::isa_and_nonnull<clang::SwitchStmt>(s); }

  /// What can be seen without looking at other statements.
  std::optional<obstacle> fault_of(const mpi_use& use, const clang::Stmt* statement) const {
    const clang::SourceLocation at = use.call->getExprLoc();
    if (use.is({mpi_call::Ssend}))
      return obstacle{reason::synchronizes, wording(remark::returns_with_receive), at};
    if (use.is({mpi_call::Bsend, mpi_call::Sendrecv_replace}))
      return obstacle{reason::no_window, wording(remark::nothing_to_gain), at};
    if (!statement)
      return obstacle{reason::no_statement_of_its_own, why_no_statement(use.call, facts_), at};
    if (facts_.has_odd_jumps())
      return obstacle{reason::jumps, wording(remark::odd_jumps), facts_.odd_jump()->getBeginLoc()};
    const source text(of_.context);
    bool whole = text.span(use.call->getCallee()->getSourceRange()) && text.span_of_statement(statement);
    for (const clang::Expr* argument : use.call->arguments())
      whole = whole && text.span(argument->getSourceRange());
    if (!whole)
      return obstacle{reason::in_macro, wording(remark::out_of_macro), at};
    for (const clang::Expr* argument : use.call->arguments()) {
      const std::string written = text.text(argument->getSourceRange());
      if (const auto wildcard = wildcard_in(written))
        return obstacle{reason::wildcard_receive, wording(*wildcard), argument->getExprLoc()};
      if (use.is({mpi_call::Sendrecv}) && !is_free_of_side_effects(argument, of_.context))
        return obstacle{reason::no_statement_of_its_own, wording(remark::side_effects),
                        argument->getExprLoc()};
    }
    return std::nullopt;
  }

  /// Walks on from the call, block by block outwards, up to the first obstacle.
  void place_wait(planned_message& m, const block_view& in, const moved_arguments& status) {
    const listed_message listed = [&](const mpi_use& other) -> std::optional<pending_message> {
      if (!is_message(other) || !is_listed(other))
        return std::nullopt;
      return known_message(other, in);
    };
    for (const clang::Stmt* at = m.statement; at != m.home; at = facts_.parent_of(at)) {
      const auto* block = dyn_cast<clang::CompoundStmt>(facts_.parent_of(at));
      if (!block)
        continue;
      m.wait = {block, nullptr};
      auto next = std::find(block->body_begin(), block->body_end(), at);
      for (++next; next != block->body_end(); ++next) {
        auto found = status.changed_by(*next);
        if (!found)
          found = obstacle_in(*next, m.message, of_, in, listed);
        if (found) {
          m.limit = std::move(found);
          m.wait.before = writable_from(*next, at, *block);
          m.unwritable = m.wait.before == *next ? nullptr : *next;
          break;
        }
      }
      const auto end = std::find(block->body_begin(), block->body_end(), m.wait.before);
      for (auto passed = std::next(std::find(block->body_begin(), block->body_end(), at)); passed != end;
           ++passed) {
        m.hides_work |= takes_time(*passed);
        m.calls_run_meanwhile |= may_throw(*passed, of_.context);
      }
      if (m.limit)
        break;
      // What this branch declares goes with it, and the message's memory may belong to it.
      if (block != m.home && std::any_of(block->body_begin(), block->body_end(),
                                         [](const clang::Stmt* s) { return isa<clang::DeclStmt>(s); })) {
        m.limit = obstacle{reason::buffer_ends, wording(remark::branch_ends), block->getRBracLoc()};
        break;
      }
    }
  }

  /// The statement, or the last one before it and behind the post that something can be written before.
  const clang::Stmt* writable_from(const clang::Stmt* statement, const clang::Stmt* post,
                                   const clang::CompoundStmt& block) const {
    auto at = std::find(block.body_begin(), block.body_end(), statement);
    while (!place_before(of_, *at, true) && *std::prev(at) != post)
      --at;
    return *at;
  }

  const unit& of_;
  const annotated_statement& at_;
  const function_facts& facts_;
  const platform_choices& by_;
  mutable std::map<const clang::CallExpr*, bool> listed_; ///< as far as they were asked for
  mutable std::map<std::pair<const clang::CallExpr*, const clang::Stmt*>, pending_message>
      messages_; ///< of a block
};

/// An `indep` statement of the block, later than the message, that surely uses its buffer.
void check_claims(const unit& of, const std::vector<planned_message>& messages, const function_facts& facts,
                  findings& said) {
  for (const planned_message& m : messages) {
    if (!m.home)
      continue;
    const block_view in{of.context, facts, m.home};
    const auto from = std::find(m.home->body_begin(), m.home->body_end(), m.top);
    for (auto s = from; s != m.home->body_end(); ++s)
      for (const annotated_statement& a : of.annotated) {
        const bool claimed = a.by.says.kind == annotation_kind::indep && a.statement == *s && s != from &&
                             names(a.by.says.groups, m.message.use, of.context);
        if (!claimed)
          continue;
        if (const auto wrong = contradiction_in(*s, m.message, in))
          said.push_back({severity::error, wrong->at, reason::claim_false,
                          wording(remark::not_independent_of_message, {m.message.use.name, wrong->detail}),
                          wording(remark::message_is_here), m.message.use.call->getExprLoc()});
      }
  }
}

/// Writes the calls of one block.
class block_writer {
public:
  block_writer(const unit& of, const annotated_statement& at, const function_facts& facts, changes& into)
      : of_(of), text_(of.context), facts_(facts), into_(into),
        requests_(free_name(of, at, "tacit_requests")), guard_(free_name(of, at, "tacit_guard")) {}

  void write(const std::vector<planned_message*>& messages) {
    int count = 0;
    bool guarded = false;
    for (planned_message* m : messages) {
      m->request = count;
      count += m->message.use.is({mpi_call::Sendrecv}) ? 2 : 1;
      guarded |= m->calls_run_meanwhile;
    }
    declare(first_post(messages), count, guarded);
    for (const planned_message* m : messages)
      post(*m);
    std::vector<std::pair<insertion_point, std::vector<const planned_message*>>> waits;
    for (const planned_message* m : messages) {
      const auto same = [&](const auto& p) {
        return p.first.block == m->wait.block && p.first.before == m->wait.before;
      };
      auto found = std::find_if(waits.begin(), waits.end(), same);
      if (found == waits.end())
        found = waits.insert(waits.end(), {m->wait, {}});
      found->second.push_back(m);
    }
    for (const auto& [at, waiting] : waits)
      wait(at, waiting);
    for (const planned_message* m : messages) // behind completions that are inserted there, too
      if (m->post_before)
        move_post(*m);
  }

private:
  const clang::Stmt* first_post(const std::vector<planned_message*>& messages) const {
    const clang::CompoundStmt* home = messages.front()->home;
    return *std::find_if(home->body_begin(), home->body_end(), [&](const clang::Stmt* s) {
      return std::any_of(messages.begin(), messages.end(), [&](const planned_message* m) {
        return s == (m->post_before ? m->post_before : m->top);
      });
    });
  }

  void declare(const clang::Stmt* first, int count, bool guarded) {
    std::string nulls;
    for (int i = 0; i < count; ++i)
      nulls += i == 0 ? "MPI_REQUEST_NULL" : ", MPI_REQUEST_NULL";
    std::string code = "/* tacit: these messages travel while independent statements run. */\nMPI_Request " +
                       requests_ + "[" + std::to_string(count) + "] = {" + nulls + "};\n";
    if (guarded)
      code += "/* tacit: an exception leaves none of them behind. */\nstruct " + guard_ +
              "_type {\nMPI_Request* requests;\n~" + guard_ + "_type() { " + name_of("MPI_Waitall") + "(" +
              std::to_string(count) + ", requests, MPI_STATUSES_IGNORE); }\n} " + guard_ + "{" + requests_ +
              "};\n";
    const span_of_text span = *span_with_pragmas(of_, first);
    into_.edits[span.file].insert(span.begin, code);
  }

  void move_post(const planned_message& m) {
    const mpi_use& use = m.message.use;
    std::string code = name_of(nonblocking(use.name)) + "(";
    const unsigned last = use.call->getNumArgs() - (use.is({mpi_call::Recv}) ? 1 : 0);
    for (unsigned i = 0; i < last; ++i)
      code += text_of(of_, use.call->getArg(i)) + ", ";
    const span_of_text span = *span_with_pragmas(of_, m.post_before);
    into_.edits[span.file].insert(span.begin, code + posted(m, m.request) + ");\n");
    const span_of_text here = *text_.span_of_statement(m.statement);
    into_.edits[here.file].replace(here.begin, here.end - here.begin,
                                   "/* tacit: " + use.name + " is posted above. */");
  }

  std::string name_of(const std::string& mpi_name) const {
    return of_.checked ? checked_name(mpi_name) : mpi_name;
  }

  /// The last arguments of a call that posts.
  std::string posted(const planned_message& m, int number) const {
    return request(number) + (of_.checked ? location_argument(of_, m.message.use.call->getExprLoc()) : "");
  }

  std::string request(int number) const { return "&" + requests_ + "[" + std::to_string(number) + "]"; }

  void post(const planned_message& m) {
    const mpi_use& use = m.message.use;
    into_.calls.push_back(use.call);
    if (m.post_before)
      return;
    if (use.is({mpi_call::Sendrecv}))
      return post_both(m);
    const span_of_text callee = *text_.span(use.call->getCallee()->getSourceRange());
    file_edits& file = into_.edits[callee.file];
    file.replace(callee.begin, callee.end - callee.begin, name_of(nonblocking(use.name)));
    const span_of_text last = *text_.span(use.call->getArg(use.call->getNumArgs() - 1)->getSourceRange());
    if (use.is({mpi_call::Recv}))
      file.replace(last.begin, last.end - last.begin, posted(m, m.request));
    else
      file.insert(last.end, ", " + posted(m, m.request));
  }

  static std::string nonblocking(const std::string& name) { // MPI_Send_c: MPI_Isend_c
    std::string made = "MPI_I" + name.substr(4);
    made[5] = static_cast<char>(std::tolower(static_cast<unsigned char>(made[5])));
    return made;
  }

  void post_both(const planned_message& m) {
    const mpi_use& use = m.message.use;
    const std::string large = use.name.ends_with("_c") ? "_c" : "";
    const auto call = [&](const char* name, std::initializer_list<param_role> roles, int number) {
      std::string code = name_of(name + large) + "(";
      for (const param_role role : roles)
        code += text_of(of_, use.argument(role)) + ", ";
      return code + posted(m, number) + ");";
    };
    const std::string code = call("MPI_Irecv",
                                  {param_role::recv_buf, param_role::recv_count, param_role::recv_type,
                                   param_role::source, param_role::recv_tag, param_role::comm},
                                  m.request) +
                             "\n" +
                             call("MPI_Isend",
                                  {param_role::send_buf, param_role::send_count, param_role::send_type,
                                   param_role::dest, param_role::send_tag, param_role::comm},
                                  m.request + 1);
    const span_of_text span = *text_.span_of_statement(m.statement);
    const bool in_block = isa<clang::CompoundStmt>(facts_.parent_of(m.statement));
    into_.edits[span.file].replace(span.begin, span.end - span.begin, in_block ? code : "{\n" + code + "\n}");
  }

  void wait(const insertion_point& point, const std::vector<const planned_message*>& waiting) {
    std::string code = "/* tacit: complete before what follows. */\n";
    if (!point.before)
      code = "/* tacit: complete before the block ends. */\n";
    std::vector<std::pair<int, std::string>> completions; // of a request, with its status
    std::set<int> conditional; // the wait for a request that was never posted would empty the status
    for (const planned_message* m : waiting) {
      const clang::Expr* status = m->message.use.argument(param_role::status);
      completions.emplace_back(m->request, is_ignored(status) ? "MPI_STATUS_IGNORE" : text_of(of_, status));
      if (facts_.parent_of(m->statement) != point.block && m->status_counts)
        conditional.insert(m->request);
      if (m->message.use.is({mpi_call::Sendrecv}))
        completions.emplace_back(m->request + 1, "MPI_STATUS_IGNORE");
    }
    for (auto first = completions.begin(); first != completions.end();) {
      auto last = std::next(first);
      while (last != completions.end() && first->second == "MPI_STATUS_IGNORE" &&
             last->second == first->second && last->first == std::prev(last)->first + 1)
        ++last;
      const auto count = std::distance(first, last);
      if (conditional.contains(first->first))
        code += "if (" + requests_ + "[" + std::to_string(first->first) + "] != MPI_REQUEST_NULL)\n";
      code += count == 1 ? name_of("MPI_Wait") + "(" + request(first->first) + ", " + first->second + ");\n"
                         : name_of("MPI_Waitall") + "(" + std::to_string(count) + ", " +
                               request(first->first) + ", MPI_STATUSES_IGNORE);\n";
      first = last;
    }
    if (point.before) {
      const span_of_text at = *place_before(of_, point.before, true);
      into_.edits[at.file].insert(at.begin, code);
    } else {
      const span_of_text brace = *text_.span({point.block->getRBracLoc(), point.block->getRBracLoc()});
      into_.edits[brace.file].insert(text_.line_start(brace), code);
    }
  }

  const unit& of_;
  source text_;
  const function_facts& facts_;
  changes& into_;
  std::string requests_, guard_;
};

/// Wherever something will be written, the text is its own.
bool is_writable(const unit& of, const planned_message& m) {
  const source text(of.context);
  const clang::SourceLocation end = m.wait.block->getRBracLoc();
  return span_with_pragmas(of, m.top) &&
         (m.wait.before ? place_before(of, m.wait.before, true) : text.span({end, end}));
}

/// Of what would be written, the call itself where it is another annotation's.
clang::SourceLocation unwritable_place(const unit& of, const planned_message& m) {
  if (m.wait.before && !place_before(of, m.wait.before, true))
    return m.wait.before->getBeginLoc();
  return !m.wait.before && !is_writable(of, m) && span_with_pragmas(of, m.top)
             ? m.wait.block->getRBracLoc()
             : m.message.use.call->getExprLoc();
}

std::string words_of(const unit& of, const obstacle& o) {
  return wording(remark::always, {o.detail, wording(remark::location, {location_name(of, o.at)}),
                                  vocabulary::reason_label(o.why)});
}

void say(const unit& of, const planned_message& m, findings& said) {
  std::string text = wording(remark::started, {m.message.use.name}) + wording(remark::completes_before);
  text += m.limit ? words_of(of, *m.limit) : wording(remark::block_ends);
  if (m.post_before)
    text += wording(remark::posted_already,
                    {wording(remark::location, {location_name(of, m.post_before->getBeginLoc())})});
  said.push_back({severity::remark, m.message.use.call->getExprLoc(), reason::none, text, "", {}});
}

} // namespace

void overlap_messages(const unit& of, const annotated_statement& at, const platform_choices& by,
                      changes& into) {
  if (auto fault = fault_of_text(of, at)) {
    into.said.push_back(*fault);
    return;
  }
  const function_facts facts(*at.function);
  message_planner plans(of, at, facts, by);
  std::vector<planned_message> messages = plans.make();
  check_claims(of, messages, facts, into.said);
  const sunk_waits waits = sink_waits(of, at, facts, into);
  if (!waits.moved) // their messages are under way where these would be posted
    plans.place_posts(messages);
  message_planner::refuse_idle(messages);
  if (messages.empty() && !waits.listed)
    into.said.push_back(stays(at, wording(remark::the_statement), reason::nothing_annotated,
                              wording(remark::no_listed_message)));
  std::vector<std::pair<const clang::CompoundStmt*, std::vector<planned_message*>>> homes;
  for (planned_message& m : messages) {
    if (!m.refused && (!is_writable(of, m) || into.has(m.message.use.call)))
      m.refused = obstacle{reason::in_macro, wording(remark::nothing_at_ends), unwritable_place(of, m)};
    if (m.refused) {
      into.said.push_back(
          stays(at, m.message.use.name, m.refused->why,
                m.refused->detail + wording(remark::location, {location_name(of, m.refused->at)}),
                m.message.use.call->getExprLoc()));
      into.said.back().decided_by = m.refused_by;
      continue;
    }
    auto found = std::find_if(homes.begin(), homes.end(), [&](const auto& h) { return h.first == m.home; });
    if (found == homes.end())
      found = homes.insert(homes.end(), {m.home, {}});
    found->second.push_back(&m);
    say(of, m, into.said);
  }
  for (auto& [home, list] : homes)
    block_writer(of, at, facts, into).write(list);
  if (!homes.empty() || waits.moved)
    mark(of, at.by, into.edits);
  if (of.checked && (!homes.empty() || waits.moved))
    include_run_time(of, of.context.getSourceManager().getFileID(at.by.begin), into.edits);
}

} // namespace tacit::compiler
