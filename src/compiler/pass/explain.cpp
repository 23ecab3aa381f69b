#include "compiler/pass/explain.h"

#include "compiler/pass/source_location.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LLVMRemarkStreamer.h>

namespace tacit::compiler {

namespace {

constexpr const char* pass_name = "mpi-overlap";
// Instructions. Large numbers are guesses about nested loops multiplied, which nobody should take for a
// measurement: they are only said to be large.
constexpr std::uint64_t vast = 1'000'000;

using said = std::vector<remark_piece>;

void add(said& text, remark which, std::initializer_list<std::string> values = {}) {
  for (remark_piece& piece : pieces_of(which, values))
    text.push_back(std::move(piece));
}

template <class Remark>
Remark& put(Remark& into, const said& text) {
  for (const remark_piece& piece : text)
    if (piece.key.empty())
      into << piece.text;
    else
      into << llvm::ore::NV(llvm::StringRef(piece.key), piece.text);
  return into;
}

std::string location_of(const llvm::Instruction* at) {
  return at ? wording(remark::location, {location_name(*at)}) : std::string();
}

void say_instructions(said& text, std::uint64_t count) {
  if (count > vast)
    add(text, remark::window_vast);
  else
    add(text, remark::window_counted, {std::to_string(count)});
}

void say_window(said& text, const placement& placed) {
  say_instructions(text, placed.instructions());
  if (placed.exchanges > 0)
    add(text, remark::window_exchanges);
}

void say_outcome(said& text, const decision& made) {
  switch (made.becomes) {
  case outcome::split:
    return add(text, remark::split, {made.name});
  case outcome::started:
    return add(text, remark::started, {made.name});
  case outcome::copied:
    return add(text, remark::copied, {made.name});
  case outcome::moved:
    return add(text, remark::moved, {made.name});
  case outcome::taken_apart:
    return add(text, remark::taken_apart,
               {made.name, std::to_string(made.elements_moved), std::to_string(made.elements.size())});
  case outcome::ignored:
  case outcome::stays:
    return;
  }
}

void say_completions(said& text, const placement& placed) {
  add(text, remark::completes_before);
  for (const completion& one : placed.completions) {
    if (&one != placed.completions.begin())
      add(text, remark::next_completion);
    add(text,
        one.within                 ? remark::in_iteration
        : one.unless_apart.empty() ? remark::always
                                   : remark::if_same_memory,
        {one.cause.detail, location_of(one.blocker), reason_label(one.cause.why)});
  }
}

void say_refusal(said& text, const decision& made, const options& options) {
  const refusal& no = made.no;
  const reason_page* page = find_reason(number(no.why));
  add(text, remark::stays, {made.name, std::string(page ? page->title : "")});
  if (!no.detail.empty())
    add(text, remark::stays_because, {no.detail, location_of(no.blocker)});
  if (no.window >= options.min_window)
    add(text, remark::seldom);
  else if (no.window > 0)
    add(text, remark::window_small, {std::to_string(no.window)});
  if (page)
    add(text, remark::help, {remedy(*page)});
  add(text, remark::code, {reason_label(no.why)});
}

/// Nobody reads remarks unless somebody has asked for them.
bool are_read(const llvm::LLVMContext& context) {
  return context.getLLVMRemarkStreamer() || context.getDiagHandlerPtr()->isAnyRemarkEnabled();
}

template <class Remark>
void keep(const char* name, const llvm::CallBase& call, kept_remark one, said text, remark_book& remarks,
          const options& options) {
  one.call = number_of(call);
  one.in = call.getFunction();
  const llvm::DiagnosticLocation where = source_location(call);
  if (!where.isValid())
    add(text, remark::in_function, {location_name(call)});
  if (!options.silent && are_read(call.getContext())) {
    one.text = std::make_unique<Remark>(pass_name, name, where, call.getParent());
    put(static_cast<Remark&>(*one.text), text);
  }
  remarks.add(std::move(one));
}

/// What was done, or could be, is a remark of one kind or of the other.
void keep_done(const char* name, const llvm::CallBase& call, std::uint64_t window, said text,
               remark_book& remarks, const options& options) {
  kept_remark one;
  one.moved = true;
  one.window = window;
  if (options.act == action::apply)
    return keep<llvm::OptimizationRemark>(name, call, std::move(one), std::move(text), remarks, options);
  said possible = pieces_of(remark::possible);
  possible.insert(possible.end(), text.begin(), text.end());
  keep<llvm::OptimizationRemarkAnalysis>("Possible", call, std::move(one), std::move(possible), remarks,
                                         options);
}

} // namespace

void explain(const decision& made, remark_book& remarks, const options& options) {
  if (made.becomes == outcome::ignored)
    return;
  said text;
  if (made.becomes == outcome::stays) {
    say_refusal(text, made, options);
    keep<llvm::OptimizationRemarkMissed>("NotMoved", *made.site.call, {}, std::move(text), remarks, options);
    return;
  }
  say_outcome(text, made);
  say_window(text, *made.placed);
  say_completions(text, *made.placed);
  keep_done("Moved", *made.site.call, made.placed->window, std::move(text), remarks, options);
}

void explain_hoisted(const mpi_site& post, std::uint64_t window, remark_book& remarks,
                     const options& options) {
  said text = pieces_of(remark::posted_earlier, {std::string(post.row->name)});
  say_instructions(text, window);
  keep_done("Hoisted", *post.call, window, std::move(text), remarks, options);
}

void draw(const decision& made, wait_graph& graph) {
  if (!made.placed)
    return;
  const llvm::CallBase& site = *made.site.call;
  const unsigned wait = graph.node(site, made.name);
  for (const in_flight& operation : made.pending)
    if (operation.post.call != &site)
      graph.edge(graph.node(*operation.post.call, std::string(operation.post.row->name)), wait,
                 wait_graph::edge_kind::completes);
  for (const completion& one : made.placed->completions)
    if (one.blocker)
      graph.edge(wait, graph.node(*one.blocker, one.cause.detail), wait_graph::edge_kind::orders,
                 reason_label(one.cause.why));
}

} // namespace tacit::compiler
