#include "compiler/annotate/sink_waits.h"

#include "compiler/annotate/ast_visitor.h"
#include "compiler/annotate/containers.h"
#include "compiler/annotate/function_facts.h"
#include "compiler/annotate/moved_arguments.h"
#include "compiler/annotate/touches.h"

#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <set>

namespace tacit::compiler {
namespace {

using clang::dyn_cast;
using clang::isa;

/// A wait, the posts that it may complete, and where it goes.
struct sinking_wait {
  mpi_use use;
  const clang::VarDecl* requests = nullptr;
  std::vector<mpi_use> uses; ///< all calls of the function that get the requests
  const clang::CompoundStmt* block = nullptr;
  std::vector<pending_message> messages;
  std::optional<obstacle> refused, limit;
  const clang::Stmt* before = nullptr; ///< null: the end of the block
};

/// Where a tree names a variable, and the assignments and comparisons in it.
class request_mentions : public ast_visitor {
public:
  explicit request_mentions(const clang::VarDecl* variable) : variable_(variable) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* name) override {
    if (name->getDecl() == variable_)
      found.insert(name);
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* o) override {
    if (o->getOpcode() == clang::BO_Assign || o->isEqualityOp())
      operators.push_back(o);
    return true;
  }
  std::set<const clang::DeclRefExpr*> found;
  std::vector<const clang::BinaryOperator*> operators;

private:
  const clang::VarDecl* variable_;
};

request_mentions mentions_in(const clang::Stmt* s, const clang::VarDecl* variable) {
  request_mentions walk(variable);
  walk.TraverseStmt(const_cast<clang::Stmt*>(s));
  return walk;
}

bool mentions(const clang::Stmt* s, const clang::VarDecl* variable) {
  return !mentions_in(s, variable).found.empty();
}

/// MPI_REQUEST_NULL, or a list of it, and nothing else.
bool is_null_request(std::string text) {
  static constexpr std::string_view null = "MPI_REQUEST_NULL";
  for (auto at = text.find(null); at != std::string::npos; at = text.find(null))
    text.replace(at, null.size(), "0");
  return text.find('0') != std::string::npos && text.find_first_not_of(" \t\r\n{},0") == std::string::npos;
}

bool is_wait(const mpi_use& use) {
  return use.is({mpi_call::Wait, mpi_call::Waitall});
}

class wait_planner {
public:
  wait_planner(const unit& of, const annotated_statement& at, const function_facts& facts)
      : of_(of), at_(at), facts_(facts) {}

  std::vector<sinking_wait> make() {
    std::vector<sinking_wait> made;
    for (const mpi_use& use : mpi_uses_in(at_.statement))
      if (is_wait(use))
        if (auto planned = plan(use))
          made.push_back(std::move(*planned));
    return made;
  }

private:
  /// Nothing if the annotation is not about this wait.
  std::optional<sinking_wait> plan(const mpi_use& use) {
    sinking_wait made;
    made.use = use;
    made.block = dyn_cast<clang::CompoundStmt>(facts_.parent_of(use.call));
    const block_view in{of_.context, facts_,
                        made.block ? static_cast<const clang::Stmt*>(made.block) : at_.statement};
    made.requests = requests_of(use, in);
    const std::vector<mpi_use> posts = made.requests ? uses_of(made.requests, in) : std::vector<mpi_use>{};
    const bool listed = names(at_.by.says.groups, use, of_.context) ||
                        (!made.requests && may_complete_listed(in)) ||
                        (!posts.empty() && std::all_of(posts.begin(), posts.end(), [&](const mpi_use& p) {
                          return is_wait(p) || names(at_.by.says.groups, p, of_.context);
                        }));
    if (!listed)
      return std::nullopt;
    made.uses = posts;
    made.refused = fault_of(made, posts);
    if (made.refused)
      return made;
    for (const mpi_use& post : posts)
      if (!is_wait(post))
        made.messages.push_back(message_of(post, use, in));
    for (const pending_message& m : made.messages)
      for (const touch& t : m.memory)
        if (!t.what.base)
          made.refused = obstacle{reason::buffer_unknown, wording(remark::a_buffer_unknown), t.at};
    if (made.messages.empty())
      made.refused = obstacle{reason::request_unknown, wording(remark::no_post), use.call->getExprLoc()};
    if (!made.refused)
      sink(made, in);
    return made;
  }

  const clang::VarDecl* requests_of(const mpi_use& use, const block_view& in) const {
    for (const param_role role : {param_role::request, param_role::requests, param_role::new_request})
      if (const clang::Expr* argument = use.argument(role)) {
        const memory place = memory_at(argument, in);
        return !place.pointed || is_owner(place.base) ? place.base : nullptr;
      }
    return nullptr;
  }

  static bool is_owner(const clang::VarDecl* variable) {
    return variable && kind_of_container(variable->getType()) == container_kind::owner;
  }

  /// Only MPI gets at the requests but by the variable's name.
  bool are_own(const clang::VarDecl* requests) const {
    return is_owner(requests) ? facts_.has_private_elements(requests) : facts_.is_private(requests);
  }

  /// Another wait, or a message that the annotation lists, has a request that cannot be followed either.
  bool may_complete_listed(const block_view& in) const {
    const std::vector<mpi_use> uses = mpi_uses_in(at_.statement);
    return std::any_of(uses.begin(), uses.end(), [&](const mpi_use& use) {
      return use.is({mpi_call::Isend, mpi_call::Irecv}) && !requests_of(use, in) &&
             names(at_.by.says.groups, use, of_.context);
    });
  }

  /// All calls of the function that get these requests.
  std::vector<mpi_use> uses_of(const clang::VarDecl* requests, const block_view& in) const {
    std::vector<mpi_use> made;
    for (const mpi_use& use : mpi_uses_in(at_.function->getBody()))
      if (mentions(use.call, requests) && requests_of(use, in) == requests)
        made.push_back(use);
    return made;
  }

  std::optional<obstacle> fault_of(const sinking_wait& w, const std::vector<mpi_use>& posts) const {
    const clang::SourceLocation at = w.use.call->getExprLoc();
    if (!w.block || !span_with_pragmas(of_, w.use.call) || !source(of_.context).span_of_statement(w.use.call))
      return obstacle{reason::no_statement_of_its_own, wording(remark::no_statement_of_block), at};
    if (facts_.has_odd_jumps() || llvm::isa_and_nonnull<clang::SwitchStmt>(facts_.parent_of(w.block)))
      return obstacle{reason::jumps, wording(remark::odd_jumps_or_switch),
                      facts_.has_odd_jumps() ? facts_.odd_jump()->getBeginLoc() : at};
    if (has_directives(of_, w.block))
      return obstacle{reason::in_macro, wording(remark::block_under_conditions), at};
    if (!are_own(w.requests))
      return obstacle{reason::request_touched, wording(remark::request_not_own), at};
    if (const auto elsewhere = use_beside(w.requests, posts))
      return obstacle{reason::request_touched, wording(remark::request_shared), *elsewhere};
    for (const mpi_use& post : posts) {
      if (!is_wait(post) && !post.is({mpi_call::Isend, mpi_call::Irsend, mpi_call::Irecv}))
        return obstacle{reason::request_touched, wording(remark::uses_request, {post.name}),
                        post.call->getExprLoc()};
      for (const clang::Expr* argument : post.call->arguments())
        if (const auto wildcard = wildcard_in(text_of(of_, argument)))
          return obstacle{reason::wildcard_receive, wording(*wildcard), argument->getExprLoc()};
    }
    return std::nullopt;
  }

  /// No requests of others: null ones, or those of a container that is made with their number.
  bool begins_with_none(const clang::Expr& init) const {
    const auto* made = dyn_cast<clang::CXXConstructExpr>(init.IgnoreImplicit());
    if (!made)
      return is_null_request(text_of(of_, &init));
    unsigned count = made->getNumArgs();
    while (count > 0 && isa<clang::CXXDefaultArgExpr>(made->getArg(count - 1)))
      --count;
    const bool numbered = count > 0 && made->getArg(0)->IgnoreImplicit()->getType()->isIntegerType();
    return count == 0 || (count == 1 && numbered) ||
           (count == 2 && numbered && is_null_request(text_of(of_, made->getArg(1))));
  }

  /// Where the requests may come from or go to but by these calls: then a wait may complete messages of others. Null requests are none.
  std::optional<clang::SourceLocation> use_beside(const clang::VarDecl* requests,
                                                  const std::vector<mpi_use>& calls) const {
    if (isa<clang::ParmVarDecl>(requests) || (requests->hasInit() && !begins_with_none(*requests->getInit())))
      return requests->getLocation();
    request_mentions all = mentions_in(at_.function->getBody(), requests);
    const auto known = [&](const clang::Stmt* s) {
      for (const clang::DeclRefExpr* name : mentions_in(s, requests).found)
        all.found.erase(name);
    };
    for (const mpi_use& use : calls)
      known(use.call);
    for (const clang::BinaryOperator* o : all.operators)
      if (is_null_request(text_of(of_, o->getRHS())))
        known(o->getLHS());
    return all.found.empty() ? std::nullopt : std::optional((*all.found.begin())->getLocation());
  }

  bool is_inside(const clang::Stmt* s, const clang::Stmt* block) const {
    while (s && s != block)
      s = facts_.parent_of(s);
    return s != nullptr;
  }

  /// Buffer, and statuses of the wait that somebody reads. Ranges hold only while their variables do: in this block.
  pending_message message_of(const mpi_use& post, const mpi_use& wait, const block_view& in) const {
    pending_message made{post, {}};
    const bool receives = post.is({mpi_call::Irecv});
    const clang::Expr* buffer = post.argument(receives ? param_role::out_buf : param_role::in_buf);
    memory place = message_at(buffer, post.argument(param_role::count),
                              text_of(of_, post.argument(param_role::datatype)), in);
    if (!is_inside(post.call, in.block))
      place.from = std::nullopt;
    made.memory.push_back({place, receives, buffer->getExprLoc()});
    for (const touch& t : statuses_of(wait, in))
      made.memory.push_back(t);
    return made;
  }

  std::vector<touch> statuses_of(const mpi_use& wait, const block_view& in) const {
    for (const param_role role : {param_role::status, param_role::statuses})
      if (const clang::Expr* status = wait.argument(role);
          status && text_of(of_, status).find("IGNORE") == std::string::npos) {
        const memory place = memory_at(status, in);
        if (place.pointed || !facts_.is_dead_status(place.base))
          return {{place, true, status->getExprLoc()}};
      }
    return {};
  }

  void sink(sinking_wait& w, const block_view& in) const {
    // Other messages that the annotation lists, and waits for other requests: they were under way together before.
    const listed_message listed = [&](const mpi_use& other) -> std::optional<pending_message> {
      const clang::VarDecl* requests = requests_of(other, in);
      if (is_wait(other) && requests && requests != w.requests && are_own(requests))
        return pending_message{other, statuses_of(other, in)};
      if (!other.is({mpi_call::Isend, mpi_call::Irecv}) || !names(at_.by.says.groups, other, of_.context))
        return std::nullopt;
      return message_of(other, other, in);
    };
    const moved_arguments arguments({w.use.call->arguments().begin(), w.use.call->arguments().end()}, facts_);
    w.refused = arguments.fault();
    if (w.refused)
      return;
    bool work = false;
    auto next =
        std::find(w.block->body_begin(), w.block->body_end(), static_cast<const clang::Stmt*>(w.use.call));
    for (++next; next != w.block->body_end(); ++next) {
      w.limit = obstacle_at(w, *next, arguments, in, listed);
      if (w.limit) {
        w.before = *next;
        break;
      }
      work |= takes_time(*next) && !is_a_wait(*next);
    }
    if (!work)
      w.refused = w.limit.value_or(
          obstacle{reason::no_window, wording(remark::idle_until_end), w.block->getRBracLoc()});
    else if (w.before && !place_before(of_, w.before, true))
      w.refused =
          obstacle{reason::in_macro, wording(remark::completion_out_of_macro), w.before->getBeginLoc()};
  }

  static bool is_a_wait(const clang::Stmt* s) {
    const auto use = mpi_use_of(s);
    return use && is_wait(*use);
  }

  std::optional<obstacle> obstacle_at(const sinking_wait& w, const clang::Stmt* next,
                                      const moved_arguments& arguments, const block_view& in,
                                      const listed_message& listed) const {
    if (mentions(next, w.requests))
      return obstacle{reason::request_touched, wording(remark::request_used), next->getBeginLoc()};
    if (auto found = arguments.changed_by(next))
      return found;
    if (may_throw(next, of_.context)) // the request is the program's own: no guard can be put around it
      return obstacle{reason::unknown_effect, wording(remark::exception_leaves_message), next->getBeginLoc()};
    for (const pending_message& m : w.messages)
      if (auto found = obstacle_in(next, m, of_, in, listed))
        return found;
    return std::nullopt;
  }

  const unit& of_;
  const annotated_statement& at_;
  const function_facts& facts_;
};

/// The line with the wait goes, and comes again where it is needed.
void move(const unit& of, const sinking_wait& w, bool checked, edits_by_file& edits) {
  const source text(of.context);
  const span_of_text old = *text.span_of_statement(w.use.call);
  std::string code = text.text(old);
  if (checked) {
    code.clear();
    for (const clang::Expr* argument : w.use.call->arguments())
      code += (code.empty() ? checked_name(w.use.name) + "(" : ", ") + text_of(of, argument);
    code += ");";
  }
  const std::string_view all = text.whole(old.file);
  const unsigned begin = text.line_start(old);
  const bool whole_line = begin != old.begin || (begin > 0 && all[begin - 1] == '\n');
  const unsigned end = whole_line && old.end < all.size() && all[old.end] == '\n' ? old.end + 1 : old.end;
  file_edits& file = edits[old.file];
  file.replace(begin, end - begin, "");
  if (w.before)
    return file.insert(place_before(of, w.before, true)->begin,
                       "/* tacit: complete before what follows. */\n" + code + "\n");
  const span_of_text brace = *text.span({w.block->getRBracLoc(), w.block->getRBracLoc()});
  file.insert(text.line_start(brace), "/* tacit: complete before the block ends. */\n" + code + "\n");
}

bool is_movable(const unit& of, const sinking_wait& w, const changes& into) {
  const bool writable =
      w.block && (w.before || source(of.context).span({w.block->getRBracLoc(), w.block->getRBracLoc()}));
  return !w.refused && writable && !into.has(w.use.call);
}

/// Posts and waits all become calls that check, or none: what a receive brings comes into the program's buffer with its wait.
bool can_be_checked(const unit& of, const sinking_wait& w, const changes& into) {
  const source text(of.context);
  return std::all_of(w.uses.begin(), w.uses.end(), [&](const mpi_use& use) {
    return !into.has(use.call) && text.span(use.call->getCallee()->getSourceRange()) &&
           text.span(use.call->getArg(use.call->getNumArgs() - 1)->getSourceRange());
  });
}

void check_in_place(const unit& of, const mpi_use& use, changes& into) {
  const source text(of.context);
  const span_of_text callee = *text.span(use.call->getCallee()->getSourceRange());
  const span_of_text last = *text.span(use.call->getArg(use.call->getNumArgs() - 1)->getSourceRange());
  file_edits& file = into.edits[callee.file];
  file.replace(callee.begin, callee.end - callee.begin, checked_name(use.name));
  if (!is_wait(use))
    file.insert(last.end, location_argument(of, use.call->getExprLoc()));
  into.calls.push_back(use.call);
}

/// The requests whose messages are checked; their calls that stay where they are are changed.
std::set<const clang::VarDecl*> check_requests(const unit& of, const std::vector<sinking_wait>& waits,
                                               changes& into) {
  std::set<const clang::VarDecl*> made;
  for (const sinking_wait& w : waits)
    if (is_movable(of, w, into) && !made.contains(w.requests) && can_be_checked(of, w, into))
      made.insert(w.requests);
  std::set<const clang::CallExpr*> moves;
  for (const sinking_wait& w : waits)
    if (is_movable(of, w, into))
      moves.insert(w.use.call);
  std::set<const clang::CallExpr*> done;
  for (const sinking_wait& w : waits)
    if (made.contains(w.requests))
      for (const mpi_use& use : w.uses)
        if (!moves.contains(use.call) && done.insert(use.call).second)
          check_in_place(of, use, into);
  return made;
}

} // namespace

sunk_waits sink_waits(const unit& of, const annotated_statement& at, const function_facts& facts,
                      changes& into) {
  const source text(of.context);
  const std::vector<sinking_wait> waits = wait_planner(of, at, facts).make();
  bool moved = false;
  const std::set<const clang::VarDecl*> checked =
      of.checked ? check_requests(of, waits, into) : std::set<const clang::VarDecl*>{};
  for (const sinking_wait& w : waits) {
    if (!is_movable(of, w, into)) {
      const obstacle why = w.refused.value_or(
          obstacle{reason::in_macro, wording(remark::block_out_of_macro), w.use.call->getExprLoc()});
      into.said.push_back(stays(at, w.use.name, why.why,
                                why.detail + wording(remark::location, {location_name(of, why.at)}),
                                w.use.call->getExprLoc()));
      continue;
    }
    move(of, w, checked.contains(w.requests), into.edits);
    into.calls.push_back(w.use.call);
    moved = true;
    std::string said = wording(remark::moved, {w.use.name}) + wording(remark::completes_before);
    said += w.limit ? wording(remark::always,
                              {w.limit->detail, wording(remark::location, {location_name(of, w.limit->at)}),
                               vocabulary::reason_label(w.limit->why)})
                    : wording(remark::block_ends);
    into.said.push_back({severity::remark, w.use.call->getExprLoc(), reason::none, said, "", {}});
  }
  return {!waits.empty(), moved};
}

} // namespace tacit::compiler
