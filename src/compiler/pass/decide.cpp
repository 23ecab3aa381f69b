// For every site: which operations it completes, whether the program could tell the difference, where the
// completion has to stand at the latest, and whether enough runs in between. Sites are independent of each
// other: each gets a slot of its own, and posts keep their order (COMPILER, condition 5).
#include "compiler/pass/decide.h"

#include "compiler/pass/fortran_variables.h"
#include "compiler/pass/requests.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>

namespace tacit::compiler {

namespace {

// Of the executions, by LLVM's guess, that have no window; a branch of which nothing is known counts one
// half.
constexpr double too_often = 0.6;
constexpr std::int64_t max_elements = 16; // of a Waitall that is taken apart

void refuse(decision& made, refusal no) {
  made.becomes = outcome::stays;
  made.no = std::move(no);
}

decision unreadable(llvm::CallBase& call, llvm::StringRef name, std::string why) {
  decision made;
  made.site.call = &call;
  made.name = name;
  refuse(made, {reason::binding_not_followed, std::move(why)});
  return made;
}

void collect(llvm::CallBase& call, function_calls& found) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee && is_f08_name(callee->getName())) {
    found.unreadable.push_back(unreadable(call, callee->getName(), wording(remark::binding_f08)));
  } else if (const auto site = recognise(call)) {
    // Blocking collectives keep matching those that `start_all_collectives` replaces under both names.
    if (callee && site->profiling && is_considered(*site) && !site->is(call_class::collective))
      found.unreadable.push_back(unreadable(call, callee->getName(), wording(remark::binding_profiling)));
    else if (!site->hook)
      found.sites.push_back(*site);
  } else if (const auto known = callee ? known_symbol(callee->getName()) : std::nullopt;
             known && callee->isDeclaration() && is_considered({&call, known->row})) {
    found.unreadable.push_back(unreadable(call, callee->getName(), wording(remark::other_arguments)));
  }
}

/// Why the completion cannot stand any later.
refusal first_cause(const placement& placed) {
  if (placed.completions.empty())
    return {reason::no_window, "", nullptr, placed.window};
  const completion& first = placed.completions.front();
  return {first.cause.why, first.cause.detail, first.blocker, placed.window};
}

bool disturbs_buffer(reason why) {
  return why == reason::buffer_written || why == reason::buffer_read;
}

/// True if the callers may know more: what follows the return, or where the pointers that they pass lead.
bool ends_for_callers(const completion& one, llvm::ArrayRef<in_flight> pending) {
  if (one.cause.why == reason::function_ends)
    return true;
  if (!disturbs_buffer(one.cause.why) || !one.unless_apart.empty())
    return false;
  const auto is_passed = [](const llvm::Value* pointer) {
    return !llvm::isIdentifiedObject(llvm::getUnderlyingObject(pointer, 0));
  };
  return (one.cause.checkable && is_passed(one.cause.checkable->pointer)) ||
         llvm::any_of(pending, [&](const in_flight& operation) { return is_passed(operation.object); });
}

bool mixed(llvm::ArrayRef<in_flight> all) {
  return llvm::any_of(all, [](const in_flight& one) { return one.writes_buffer; }) &&
         llvm::any_of(all, [](const in_flight& one) { return !one.writes_buffer; });
}

llvm::MemoryLocation request_location(const mpi_site& site, llvm::Value* request) {
  const unsigned bytes = request_bytes(*site.call->getModule(), site.language);
  return bytes ? llvm::MemoryLocation(request, llvm::LocationSize::precise(bytes))
               : llvm::MemoryLocation::getBeforeOrAfter(request);
}

} // namespace

function_calls calls_in(llvm::Function& function) {
  function_calls found;
  for (llvm::BasicBlock& block : function)
    for (llvm::Instruction& at : block)
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&at))
        collect(*call, found);
  return found;
}

bool is_considered(const mpi_site& site) {
  return site.is(mpi_call::Send) || site.is(mpi_call::Recv) || site.is(mpi_call::Sendrecv) ||
         site.is(mpi_call::Ssend) || site.is(call_class::collective) || site.is(call_class::complete);
}

decision stays(const mpi_site& site, refusal why) {
  decision made;
  made.site = site;
  made.name = site.row->name;
  refuse(made, std::move(why));
  return made;
}

request_addresses::request_addresses(const mpi_site& waitall) {
  const std::int64_t count =
      constant_argument(waitall, waitall.operand(param_role::request_count)).value_or(0);
  const unsigned bytes = request_bytes(*waitall.call->getModule(), waitall.language);
  if (count > max_elements || bytes == 0)
    return;
  llvm::IRBuilder<> at(waitall.call);
  llvm::Value* first = waitall.operand(param_role::requests);
  for (std::int64_t i = 0; i < count; ++i)
    addresses_.push_back(
        i == 0 ? first
               : at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), first, static_cast<std::uint64_t>(i) * bytes));
}

request_addresses::~request_addresses() {
  for (llvm::Value* one : llvm::drop_begin(addresses_, addresses_.empty() ? 0 : 1))
    if (auto* address = llvm::dyn_cast<llvm::Instruction>(one); address && address->use_empty())
      address->eraseFromParent();
}

decider::decider(function_context& context, effects& effects, const options& options,
                 llvm::ArrayRef<mpi_site> sites)
    : context_(context), effects_(effects), options_(options) {
  effects_.forget();
  find_exchanges(sites);
}

decision decider::decide(const mpi_site& site) {
  decision made;
  made.site = site;
  made.name = site.row->name;
  if (site.is(mpi_call::Send) || site.is(mpi_call::Recv) || site.is(mpi_call::Sendrecv))
    decide_blocking(made);
  else if (site.is(mpi_call::Ssend))
    refuse(made, {reason::synchronous_send});
  else if (site.is(call_class::collective))
    decide_collective(made);
  else if (site.is(mpi_call::Wait))
    decide_wait(made);
  else if (site.is(mpi_call::Waitall))
    decide_waitall(made);
  else if (site.is(call_class::complete))
    refuse(made, {reason::completion_chosen});
  return made;
}

// --- blocking calls ---

void decider::decide_blocking(decision& made) {
  const mpi_site& site = made.site;
  if (site.language == binding::c_large)
    return refuse(made, {reason::binding_not_followed, wording(remark::large_counts)});
  if (auto no = observable(made))
    return refuse(made, *no);
  const auto all = operations_of(site);
  if (all.empty())
    return refuse(made, {reason::buffer_unknown});
  // Of a combined call only the sending half moves: its receiving half is what the program is waiting for.
  place_pending(made, llvm::ArrayRef<in_flight>(all).take_front());
  if (auto no = overwritten(made))
    return refuse(made, *no);
  // For a send that would have to be complete almost at once, at least on some path.
  if (made.placed->shortest < handshake && may_copy(site)) {
    placement of_copy = place(site, copy_of(site));
    if (worthwhile(of_copy)) {
      made.becomes = outcome::copied;
      made.placed = std::move(of_copy);
      made.for_callers = false; // needs nobody
      return;
    }
  }
  settle(made, outcome::split);
}

/// Where the completion cannot move, `start_all_collectives` replaces the call in the end.
void decider::decide_collective(decision& made) {
  const mpi_site& site = made.site;
  if (site.is(mpi_call::Barrier))
    return refuse(made, {reason::synchronizes, wording(remark::all_must_come)});
  if (site.language == binding::c_large)
    return refuse(made, {reason::binding_not_followed, wording(remark::large_counts)});
  if (auto no = observable(made))
    return refuse(made, *no);
  const auto all = operations_of(site);
  if (all.empty())
    return refuse(made, {reason::buffer_unknown});
  place_pending(made, all);
  if (auto no = overwritten(made))
    return refuse(made, *no);
  settle(made, outcome::started);
  if (made.becomes == outcome::started && !options_.collectives)
    refuse(made, {reason::collective_blocking});
}

bool decider::may_copy(const mpi_site& site) const {
  return site.is(mpi_call::Send) && options_.rename && options_.mode == motion::aggressive &&
         !exchanges_.contains(site.call);
}

/// Finds the sends beside a receive (in the same loop) that comes from where the send goes. Both partners
/// send before they wait for each other, so that the send is complete when the receive is, and a copy would
/// only cost.
void decider::find_exchanges(llvm::ArrayRef<mpi_site> sites) {
  const auto loop_of = [&](const mpi_site& site) {
    return context_.analyses.loops.getLoopFor(site.call->getParent());
  };
  for (const mpi_site& send : sites)
    if (const llvm::Value* partner = send.is(mpi_call::Send) ? send.operand(param_role::dest) : nullptr)
      if (llvm::any_of(sites, [&](const mpi_site& other) {
            return other.operand(param_role::source) == partner && loop_of(other) == loop_of(send);
          }))
        exchanges_.insert(send.call);
}

// --- waits ---

void decider::decide_wait(decision& made) {
  if (auto no = observable(made))
    return refuse(made, *no);
  operation_list pending;
  const auto request = request_location(made.site, made.site.operand(param_role::request));
  if (auto no = match(made, request, pending))
    return refuse(made, *no);
  place_pending(made, pending);
  if (auto no = overwritten(made))
    return refuse(made, *no);
  settle(made, outcome::moved);
}

void decider::decide_waitall(decision& made) {
  if (auto no = observable(made))
    return refuse(made, *no);
  const request_addresses addresses(made.site);
  match_elements(made, addresses);
  operation_list all;
  const auto is_known = [](const element& one) { return one.known; };
  if (!made.elements.empty() && llvm::all_of(made.elements, is_known))
    for (const element& one : made.elements)
      all.append(one.pending.begin(), one.pending.end());
  else if (auto no =
               match(made, llvm::MemoryLocation::getAfter(made.site.operand(param_role::requests)), all))
    return refuse(made, *no);
  place_pending(made, all);
  if (auto no = overwritten(made))
    return refuse(made, *no);
  place_elements(made);
  // Buffers that are used one after the other: the last ones are not needed for long after the first.
  const bool some_wait_longer =
      made.elements.size() > 1 && llvm::any_of(made.elements, [&](const element& one) {
        return one.known && one.placed.window / 2 > made.placed->window;
      });
  if (options_.has(stage::apart) && (mixed(all) || some_wait_longer) && made.elements_moved > 0)
    made.becomes = outcome::taken_apart;
  else
    settle(made, outcome::moved);
}

/// The operations that each request of a Waitall may stand for.
void decider::match_elements(decision& made, const request_addresses& addresses) {
  const unsigned bytes = request_bytes(*made.site.call->getModule(), made.site.language);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const llvm::MemoryLocation request(addresses[i], llvm::LocationSize::precise(bytes));
    element& one = made.elements.emplace_back();
    one.known = !match(made, request, one.pending);
  }
}

void decider::place_elements(decision& made) {
  for (element& one : made.elements) {
    if (!one.known)
      continue;
    settle_variables(one.pending, *made.site.call, effects_);
    one.placed = place(made.site, one.pending);
    note(one.placed, one.pending, made);
    made.elements_moved += worthwhile(one.placed) ? 1 : 0;
  }
}

// --- conditions ---

bool decider::worthwhile(const placement& placed) const {
  return placed.window >= options_.min_window && placed.soon < too_often;
}

/// Moves the site if that is worth it.
void decider::settle(decision& made, outcome worth_it) {
  if (worthwhile(*made.placed))
    made.becomes = worth_it;
  else
    refuse(made, first_cause(*made.placed));
}

std::optional<refusal> decider::observable(decision& made) {
  const mpi_site& site = made.site;
  // The receive that is posted for a combined call cannot be taken back if its send fails at once.
  const bool looked_at = site.ierror() || !site.call->use_empty() || site.is(mpi_call::Sendrecv);
  if (is_checked(condition::errors) && context_.error_handlers && looked_at)
    return refusal{reason::error_code_used};
  // The status of a combined call is there when its receiving half is: that half stays.
  const bool own_status = site.is(call_class::recv) || site.is(call_class::complete);
  if (is_checked(condition::status) && own_status && !status_unused(site))
    return made.for_callers = true, refusal{reason::status_read};
  return std::nullopt;
}

/// The error code is written where the call stood: if it is part of the message, the completion, which comes later, would write over
/// it, or the message be sent with it.
std::optional<refusal> decider::overwritten(const decision& made) {
  for (const in_flight& operation : made.pending)
    if (auto found = effects_.of_error_code(made.site, operation))
      return refusal{found->why, std::move(found->detail), made.site.call};
  return std::nullopt;
}

bool decider::status_unused(const mpi_site& site) {
  llvm::Value* status = site.operand(site.is(mpi_call::Waitall) ? param_role::statuses : param_role::status);
  return is_status_ignore(site, status) || status_is_dead(*site.call, status, context_.aliases);
}

std::optional<refusal> decider::match(decision& made, const llvm::MemoryLocation& requests,
                                      operation_list& into) {
  const mpi_site& site = made.site;
  const matched_posts found =
      match_request(*site.call, requests, context_.aliases, effects_, context_.analyses.loops);
  if (found.why != reason::none) {
    made.for_callers = true;
    if (auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(found.blocker);
        call && context_.messengers.contains(call->getCalledFunction()))
      made.blocking.insert(call);
    return refusal{found.why, found.detail, found.blocker};
  }
  for (const matched_post& post : found.posts) {
    made.matched.push_back(post.site.call);
    if (post.site.language == binding::c_large)
      return refusal{reason::binding_not_followed, wording(remark::large_counts), post.site.call};
    auto started = operations_of(post.site);
    if (started.empty())
      return refusal{reason::buffer_unknown, std::string(post.site.row->name), post.site.call};
    for (in_flight& operation : started) {
      const auto varies = [&](const llvm::Value* value) {
        return varies_since(context_.analyses.loops, value, *post.site.call, *site.call,
                            post.earlier_iteration);
      };
      if (varies(operation.object))
        return refusal{reason::buffer_varies, wording(remark::each_buffer), post.site.call};
      operation.varies = varies(operation.buffer);
    }
    into.append(started.begin(), started.end());
  }
  const auto persistent = [](const in_flight& one) { return one.persistent; };
  if (llvm::any_of(into, persistent) && !llvm::all_of(into, persistent))
    return refusal{reason::mixed_requests, wording(remark::mixed_persistence)};
  return std::nullopt;
}

placement decider::place(const mpi_site& site, llvm::ArrayRef<in_flight> pending) {
  return place_completions(*site.call, pending, effects_, context_.analyses, options_);
}

void decider::place_pending(decision& made, llvm::ArrayRef<in_flight> pending) {
  made.pending.assign(pending.begin(), pending.end());
  settle_variables(made.pending, *made.site.call, effects_);
  made.placed = place(made.site, made.pending);
  note(*made.placed, made.pending, made);
}

/// What inlining could change about this placement.
void decider::note(const placement& placed, llvm::ArrayRef<in_flight> pending, decision& made) {
  for (const completion& one : placed.completions) {
    if (auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(one.blocker))
      if (const llvm::Function* routine = call->getCalledFunction();
          routine && (context_.messengers.contains(routine) ||
                      (routine->hasExactDefinition() && disturbs_buffer(one.cause.why))))
        made.blocking.insert(call);
    made.for_callers |= ends_for_callers(one, pending);
  }
}

} // namespace tacit::compiler
