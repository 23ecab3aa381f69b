// For every MPI call that completes an operation (a site): which operations, whether the program could tell
// the difference, where the completion has to stand at the latest, and whether enough runs in between. Sites
// are independent of each other: each gets a slot of its own, and posts keep their order (COMPILER, condition
// 5).
#include "compiler/pass/overlap.h"

#include "compiler/pass/loop_cost.h"
#include "compiler/pass/pending_tests.h"
#include "compiler/pass/requests.h"
#include "compiler/pass/rewrite.h"
#include "compiler/pass/strip_mine.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>

namespace tacit::compiler {

namespace {

using llvm::OptimizationRemark;
using llvm::OptimizationRemarkAnalysis;
using llvm::OptimizationRemarkMissed;
using operations = llvm::SmallVector<in_flight, 4>;

constexpr const char* pass_name = "mpi-overlap";
// Of the executions, by LLVM's guess, that have no window; a branch of which nothing is known counts one
// half.
constexpr double too_often = 0.6;
constexpr std::int64_t max_elements = 16; // of a Waitall that is taken apart

struct refusal {
  reason why = reason::none;
  std::string detail;
  llvm::Instruction* blocker = nullptr;
};

/// One request of a Waitall.
struct element {
  llvm::Value* request = nullptr;
  operations moved;
  bool known = false; ///< `moved` is complete
};

class function_pass {
public:
  function_pass(function_context& context, effects& effects, const options& options, wait_graph& graph)
      : context_(context), effects_(effects), options_(options), graph_(graph) {}

  bool run() {
    const auto all = sites();
    find_exchanges(all);
    for (const mpi_site& site : all) {
      beyond_ = false;
      consider(site);
      found_.sites++;
      found_.for_callers += beyond_ ? 1 : 0;
    }
    count_unmatched(all);
    hoist_pending_tests(slots_, context_.analyses);
    promote_buffers(slots_, context_.analyses.dominators);
    insert_splits(splits_);
    // What was one loop runs in chunks now: the number of its iterations is no longer that of the inner one.
    for (window& one : windows_)
      if (llvm::any_of(splits_, [&](const split_loop& split) { return split.loop == one.loop; }))
        one.iterations = nullptr;
    insert_pokes(windows_);
    return changed_;
  }

  void refuse_all(const char* why) {
    for (const mpi_site& site : sites())
      if (is_considered(site))
        missed(site, {reason::unknown_effect, why, nullptr});
  }

  [[nodiscard]] const scouting& found() const { return found_; }

private:
  void collect(llvm::CallBase& call, llvm::SmallVectorImpl<mpi_site>& sites) {
    const llvm::Function* callee = call.getCalledFunction();
    if (callee && is_f08_name(callee->getName()))
      return missed(call, callee->getName(), {reason::binding_not_followed, "mpi_f08", nullptr}, 0);
    if (const auto site = recognise(call)) {
      if (!site->hook)
        sites.push_back(*site);
    } else if (const auto known = callee ? known_symbol(callee->getName()) : std::nullopt;
               known && callee->isDeclaration() && is_considered({&call, known->row})) {
      missed(call, callee->getName(),
             {reason::binding_not_followed, "other arguments than MPI describes", nullptr}, 0);
    }
  }

  llvm::SmallVector<mpi_site, 16> sites() {
    llvm::SmallVector<mpi_site, 16> found;
    for (llvm::BasicBlock& block : context_.analyses.function)
      for (llvm::Instruction& at : block)
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&at))
          collect(*call, found);
    return found;
  }

  static bool is_considered(const mpi_site& site) {
    return site.is(mpi_call::Send) || site.is(mpi_call::Recv) || site.is(mpi_call::Sendrecv) ||
           site.is(mpi_call::Ssend) || site.is(call_class::collective) || site.is(call_class::complete);
  }

  void consider(const mpi_site& site) {
    if (site.is(mpi_call::Send) || site.is(mpi_call::Recv) || site.is(mpi_call::Sendrecv))
      consider_blocking(site);
    else if (site.is(mpi_call::Ssend))
      missed(site, {reason::synchronous_send, "", nullptr});
    else if (site.is(call_class::collective))
      consider_collective(site);
    else if (site.is(mpi_call::Wait))
      consider_wait(site);
    else if (site.is(mpi_call::Waitall))
      consider_waitall(site);
    else if (site.is(call_class::complete))
      missed(site, {reason::completion_chosen, "", nullptr});
  }

  /// Posts whose completion is elsewhere.
  void count_unmatched(llvm::ArrayRef<mpi_site> sites) {
    for (const mpi_site& site : sites)
      if ((site.is(call_class::isend) || site.is(call_class::irecv) || site.is(call_class::start)) &&
          !matched_.contains(site.call)) {
        found_.sites++;
        found_.for_callers++;
      }
  }

  // --- blocking calls ---

  void consider_blocking(const mpi_site& site) {
    if (site.language == binding::c_large)
      return missed(site, {reason::binding_not_followed, "large counts", nullptr});
    if (const auto no = observable(site))
      return missed(site, *no);
    const auto all = operations_of(site);
    if (all.empty())
      return missed(site, {reason::buffer_unknown, "", nullptr});
    // Of a combined call only the sending half moves: its receiving half is what the program is waiting for.
    const llvm::ArrayRef<in_flight> moved(all.begin(), 1);
    const placement places = find_places(site, moved);
    draw(site, moved, places);
    if (places.shortest < handshake && may_copy(site))
      return copy(site, places);
    if (!worthwhile(places))
      return missed(site, first_cause(places), places.window);
    const std::string did = std::string(site.row->name) + " split";
    if (options_.act == action::apply) {
      const slot into = new_slot();
      passed(site, did, places);
      complete_at(places, into);
      split_call(site, into);
      done();
    } else {
      could(site, did, places);
    }
  }

  /// Where the completion cannot move, `start_all_collectives` replaces the call in the end.
  void consider_collective(const mpi_site& site) {
    if (site.is(mpi_call::Barrier))
      return missed(site, {reason::synchronizes, "nobody passes before all have come", nullptr});
    if (site.language == binding::c_large)
      return missed(site, {reason::binding_not_followed, "large counts", nullptr});
    if (const auto no = observable(site))
      return missed(site, *no);
    const auto moved = operations_of(site);
    if (moved.empty())
      return missed(site, {reason::buffer_unknown, "", nullptr});
    const placement places = find_places(site, moved);
    draw(site, moved, places);
    if (!worthwhile(places))
      return missed(site, first_cause(places), places.window);
    if (!options_.collectives)
      return missed(site, {reason::collective_blocking, "", nullptr});
    const std::string did = std::string(site.row->name) + " started";
    if (options_.act != action::apply)
      return could(site, did, places);
    const slot into = new_slot();
    passed(site, did, places);
    complete_at(places, into);
    start_collective(site, into, moved);
    done();
  }

  [[nodiscard]] bool may_copy(const mpi_site& site) const {
    return site.is(mpi_call::Send) && options_.rename && options_.mode == motion::aggressive &&
           !context_.waits_elsewhere && !exchanges_.contains(site.call);
  }

  /// Finds the sends beside a receive (in the same loop) that comes from where the send goes. Both partners
  /// send before they wait for each other, so that the send is complete when the receive is, and a copy would
  /// only cost.
  void find_exchanges(llvm::ArrayRef<mpi_site> sites) {
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

  /// For a send that would have to be complete almost at once, at least on some path.
  void copy(const mpi_site& site, const placement& places) {
    beyond_ = false; // needs nobody
    const std::string did = std::string(site.row->name) + " sent from a copy";
    if (options_.act != action::apply)
      return could(site, did, places);
    passed(site, did, places);
    rename_send(site);
    done();
  }

  // --- waits ---

  void consider_wait(const mpi_site& site) {
    llvm::Value* request = site.operand(param_role::request);
    if (const auto no = observable(site))
      return missed(site, *no);
    operations moved;
    if (const auto no = match(site, request_place(site, request), moved))
      return missed(site, *no);
    const placement places = find_places(site, moved);
    draw(site, moved, places);
    if (!worthwhile(places))
      return missed(site, first_cause(places), places.window);
    move_all(site, moved, places);
  }

  void consider_waitall(const mpi_site& site) {
    if (const auto no = observable(site))
      return missed(site, *no);
    llvm::SmallVector<element, 16> elements = elements_of(site);
    consider_requests(site, elements);
    for (const element& one : elements)
      if (auto* address = llvm::dyn_cast<llvm::Instruction>(one.request); address && address->use_empty())
        address->eraseFromParent();
  }

  void consider_requests(const mpi_site& site, llvm::ArrayRef<element> elements) {
    operations all;
    const bool each_known =
        !elements.empty() && llvm::all_of(elements, [](const element& one) { return one.known; });
    if (each_known)
      for (const element& one : elements)
        all.append(one.moved.begin(), one.moved.end());
    else if (const auto no =
                 match(site, llvm::MemoryLocation::getAfter(site.operand(param_role::requests)), all))
      return missed(site, *no);
    const placement together = find_places(site, all);
    draw(site, all, together);
    if ((mixed(all) || some_wait_longer(site, elements, together)) && move_elements(site, elements, together))
      return;
    if (worthwhile(together))
      return move_all(site, all, together);
    missed(site, first_cause(together), together.window);
  }

  /// The requests of a Waitall one by one, if their number is a small constant: each with the operations that
  /// it may stand for.
  llvm::SmallVector<element, 16> elements_of(const mpi_site& site) {
    llvm::SmallVector<element, 16> elements;
    const std::int64_t count = constant_argument(site, site.operand(param_role::request_count)).value_or(0);
    const unsigned bytes = request_bytes(*site.call->getModule(), site.language);
    if (count > max_elements || bytes == 0)
      return elements;
    llvm::IRBuilder<> at(site.call);
    for (std::int64_t i = 0; i < count; ++i) {
      element one;
      one.request = site.operand(param_role::requests);
      if (i > 0)
        one.request =
            at.CreateConstInBoundsGEP1_64(at.getInt8Ty(), one.request, static_cast<std::uint64_t>(i) * bytes);
      one.known =
          !match(site, llvm::MemoryLocation(one.request, llvm::LocationSize::precise(bytes)), one.moved);
      elements.push_back(std::move(one));
    }
    return elements;
  }

  static bool mixed(llvm::ArrayRef<in_flight> all) {
    return llvm::any_of(all, [](const in_flight& one) { return one.writes_buffer; }) &&
           llvm::any_of(all, [](const in_flight& one) { return !one.writes_buffer; });
  }

  /// Buffers that are used one after the other: the last ones are not needed for long after the first.
  bool some_wait_longer(const mpi_site& site, llvm::ArrayRef<element> elements, const placement& together) {
    return elements.size() > 1 && llvm::any_of(elements, [&](const element& one) {
             return one.known && find_places(site, one.moved).window / 2 > together.window;
           });
  }

  void move_all(const mpi_site& site, llvm::ArrayRef<in_flight> all, const placement& places) {
    const std::string did = std::string(site.row->name) + " moved";
    if (options_.act != action::apply)
      return could(site, did, places);
    const slot into = new_slot();
    passed(site, did, places);
    complete_at(places, into);
    if (site.is(mpi_call::Wait))
      defer_wait(site, into, all, uses_ranges(places));
    else
      defer_waitall(site, into, all, uses_ranges(places));
    done();
  }

  /// Takes out of a Waitall those requests that may wait longer (usually the sends), each on its own. False
  /// if there is none.
  bool move_elements(const mpi_site& site, llvm::ArrayRef<element> elements, const placement& together) {
    unsigned moved = 0;
    for (const element& one : elements) {
      if (!one.known)
        continue;
      const placement places = find_places(site, one.moved);
      if (!worthwhile(places))
        continue;
      ++moved;
      if (options_.act != action::apply)
        continue;
      const slot into = new_slot();
      complete_at(places, into);
      defer_element(site, one.request, into, one.moved, uses_ranges(places));
      done();
    }
    if (moved == 0)
      return false;
    const std::string did = std::string(site.row->name) + ": " + std::to_string(moved) + " of " +
                            std::to_string(elements.size()) + " moved";
    options_.act == action::apply ? passed(site, did, together) : could(site, did, together);
    return true;
  }

  // --- conditions ---

  /// Enough runs meanwhile, and not only on ways that are seldom taken.
  [[nodiscard]] bool worthwhile(const placement& places) const {
    return places.window >= options_.min_window && places.soon < too_often;
  }

  std::optional<refusal> observable(const mpi_site& site) {
    if (context_.error_handlers && (site.ierror() || !site.call->use_empty()))
      return refusal{reason::error_code_used, "", nullptr};
    // The status of a combined call is there when its receiving half is: that half stays.
    const bool own_status = site.is(call_class::recv) || site.is(call_class::complete);
    if (own_status && !status_unused(site))
      return beyond_ = true, refusal{reason::status_read, "", nullptr};
    return std::nullopt;
  }

  bool status_unused(const mpi_site& site) {
    llvm::Value* status =
        site.operand(site.is(mpi_call::Waitall) ? param_role::statuses : param_role::status);
    return is_status_ignore(site, status) || status_is_dead(*site.call, status, context_.aliases);
  }

  llvm::MemoryLocation request_place(const mpi_site& site, llvm::Value* request) {
    const unsigned bytes = request_bytes(*site.call->getModule(), site.language);
    return bytes ? llvm::MemoryLocation(request, llvm::LocationSize::precise(bytes))
                 : llvm::MemoryLocation::getBeforeOrAfter(request);
  }

  std::optional<refusal> match(const mpi_site& site, const llvm::MemoryLocation& place, operations& into) {
    const matched_posts found =
        match_request(*site.call, place, context_.aliases, effects_, context_.analyses.loops);
    if (found.why != reason::none) {
      beyond_ = true;
      if (auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(found.blocker);
          call && context_.messengers.contains(call->getCalledFunction()))
        found_.blocking.insert(call);
      return refusal{found.why, found.detail, found.blocker};
    }
    for (const matched_post& post : found.posts) {
      matched_.insert(post.site.call);
      if (post.site.language == binding::c_large)
        return refusal{reason::binding_not_followed, "large counts", post.site.call};
      auto started = operations_of(post.site);
      if (started.empty())
        return refusal{reason::buffer_unknown, std::string(post.site.row->name), post.site.call};
      for (in_flight& operation : started) {
        const auto varies = [&](const llvm::Value* value) {
          return varies_since(context_.analyses.loops, value, *post.site.call, *site.call,
                              post.earlier_iteration);
        };
        if (varies(operation.object))
          return refusal{reason::buffer_varies, "each iteration uses another buffer", post.site.call};
        operation.varies = varies(operation.buffer);
      }
      into.append(started.begin(), started.end());
    }
    const auto persistent = [](const in_flight& one) { return one.persistent; };
    if (llvm::any_of(into, persistent) && !llvm::all_of(into, persistent))
      return refusal{reason::mixed_requests, "persistent and other requests", nullptr};
    return std::nullopt;
  }

  // --- rewriting and remarks ---

  void complete_at(const placement& places, const slot& into) {
    insert_completions(into, places, context_.analyses, splits_, guards_);
    if (options_.poke && !context_.analyses.function.getName().contains(".omp_")) // outlined for threads
      for (llvm::Loop* loop : places.behind)
        windows_.push_back({into, loop, iteration_cost(*loop, context_.analyses.evolution),
                            loop_cost(*loop, context_.analyses.evolution),
                            trip_count(*loop, context_.analyses.evolution)});
  }

  slot new_slot() {
    slots_.push_back(make_slot(context_.analyses.function));
    return slots_.back();
  }

  void done() {
    changed_ = true;
    context_.analyses.evolution.forgetBlockAndLoopDispositions();
  }

  static bool uses_ranges(const placement& places) {
    return llvm::any_of(places.completions, [](const completion& one) { return !one.unless_apart.empty(); });
  }

  static refusal first_cause(const placement& places) {
    if (places.completions.empty())
      return {reason::no_window, "", nullptr};
    const completion& first = places.completions.front();
    return {first.cause.why, first.cause.detail, first.blocker};
  }

  /// The last sentence of the page, which says what to do.
  static std::string remedy(const reason_page& page) {
    const std::size_t before = page.text.rfind(". ");
    std::string sentence(before == std::string_view::npos ? page.text : page.text.substr(before + 2));
    sentence.pop_back(); // the full stop
    return sentence;
  }

  static std::string line_of(const llvm::Instruction* at) {
    return at ? " at " + place_name(*at) : std::string();
  }

  static std::string describe(const placement& places) {
    std::string text = "; " + window_text(places.window) + "; complete before ";
    std::string separator;
    for (const completion& one : places.completions) {
      text += separator + one.cause.detail + line_of(one.blocker) +
              (one.within                 ? " (in the first iteration that needs it)"
               : one.unless_apart.empty() ? ""
                                          : " (if it is the same memory)") +
              " [" + reason_label(one.cause.why) + "]";
      separator = ", ";
    }
    return text;
  }

  template <class Make>
  void emit(Make make) {
    if (!options_.silent)
      context_.remarks.emit(make);
  }

  void passed(const mpi_site& site, const std::string& did, const placement& places) {
    emit([&] { return OptimizationRemark(pass_name, "Moved", site.call) << did << describe(places); });
  }

  void could(const mpi_site& site, const std::string& did, const placement& places) {
    emit([&] {
      return OptimizationRemarkAnalysis(pass_name, "Possible", site.call)
             << "possible: " << did << describe(places);
    });
  }

  void missed(const mpi_site& site, const refusal& no, std::uint64_t window = 0) {
    missed(*site.call, llvm::StringRef(site.row->name.data(), site.row->name.size()), no, window);
  }

  void missed(const llvm::CallBase& call, llvm::StringRef name, const refusal& no, std::uint64_t window) {
    const reason_page* page = find_reason(number(no.why));
    emit([&] {
      OptimizationRemarkMissed remark(pass_name, "NotMoved", &call);
      remark << llvm::ore::NV("Call", name)
             << " not moved: " << llvm::ore::NV("Reason", std::string(page ? page->title : ""));
      if (!no.detail.empty())
        remark << " (" << no.detail << line_of(no.blocker) << ")";
      if (window >= options_.min_window)
        remark << "; what could run meanwhile is on ways that are seldom taken";
      else if (window > 0)
        remark << "; window of " << llvm::ore::NV("Window", static_cast<unsigned>(window))
               << " instructions is too small";
      if (page)
        remark << "; help: " << llvm::ore::NV("Help", remedy(*page));
      return remark << " [" << llvm::ore::NV("Code", reason_label(no.why)) << "]";
    });
  }

  placement find_places(const mpi_site& site, llvm::ArrayRef<in_flight> moved) {
    placement places = place(*site.call, moved, effects_, context_.analyses, options_);
    for (const completion& one : places.completions) {
      if (auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(one.blocker))
        if (const llvm::Function* routine = call->getCalledFunction();
            routine && (context_.messengers.contains(routine) ||
                        (routine->hasExactDefinition() && disturbs_buffer(one.cause.why))))
          found_.blocking.insert(call);
      beyond_ |= ends_for_callers(one, moved);
    }
    return places;
  }

  static bool disturbs_buffer(reason why) {
    return why == reason::buffer_written || why == reason::buffer_read;
  }

  /// True if the callers may know more: what follows the return, or where the pointers that they pass lead.
  static bool ends_for_callers(const completion& one, llvm::ArrayRef<in_flight> moved) {
    if (one.cause.why == reason::function_ends)
      return true;
    if (!disturbs_buffer(one.cause.why) || !one.unless_apart.empty())
      return false;
    const auto is_passed = [](const llvm::Value* pointer) {
      return !llvm::isIdentifiedObject(llvm::getUnderlyingObject(pointer, 0));
    };
    return (one.cause.checkable && is_passed(one.cause.checkable->pointer)) ||
           llvm::any_of(moved, [&](const in_flight& operation) { return is_passed(operation.object); });
  }

  void draw(const mpi_site& site, llvm::ArrayRef<in_flight> moved, const placement& places) {
    if (options_.graph.empty())
      return;
    const unsigned wait = graph_.node(*site.call, std::string(site.row->name));
    for (const in_flight& operation : moved)
      if (operation.post.call != site.call)
        graph_.edge(graph_.node(*operation.post.call, std::string(operation.post.row->name)), wait,
                    wait_graph::edge_kind::completes);
    for (const completion& one : places.completions)
      if (one.blocker)
        graph_.edge(wait, graph_.node(*one.blocker, one.cause.detail), wait_graph::edge_kind::orders,
                    reason_label(one.cause.why));
  }

  function_context& context_;
  effects& effects_;
  const options& options_;
  wait_graph& graph_;
  llvm::SmallPtrSet<const llvm::CallBase*, 8> exchanges_;
  llvm::SmallVector<slot, 8> slots_;
  llvm::SmallVector<window, 8> windows_;
  llvm::SmallVector<split_loop, 8> splits_;
  llvm::SmallVector<guard, 16> guards_;
  scouting found_;
  llvm::SmallPtrSet<const llvm::CallBase*, 16> matched_; ///< posts
  bool beyond_ = false; ///< the site that is being considered could do better as part of a caller
  bool changed_ = false;
};

} // namespace

scouting scout(function_context& context, effects& effects, options options) {
  options.act = action::report;
  options.silent = true;
  options.graph.clear();
  wait_graph unused;
  function_pass pass(context, effects, options, unused);
  pass.run();
  return pass.found();
}

void explain_obstacle(function_context& context, effects& effects, const options& options, const char* what) {
  wait_graph unused;
  function_pass(context, effects, options, unused).refuse_all(what);
}

bool overlap_function(function_context& context, effects& effects, const options& options,
                      wait_graph& graph) {
  return function_pass(context, effects, options, graph).run();
}

} // namespace tacit::compiler
