#include "graphs/affine/compile_affine.h"

#include "graphs/graph/segments.h"
#include "graphs/part/part_plan.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <chrono>

namespace tacit::graphs {
namespace {

template <typename Pass>
void run_pass(affine_compilation& c, std::string_view name, Pass&& pass) {
  const auto start = std::chrono::steady_clock::now();
  pass();
  c.times.push_back({name, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()});
}

/// What one rank takes part with, message by message.
own_part expand(const affine_list& runs, const graph& of_ranks) {
  own_part out{of_ranks, runs.self(), {}, {}};
  std::optional<std::uint64_t> from_self;
  for (auto at = runs.begin(); at != runs.end(); runs.move_on(at)) {
    const std::optional<plain_message> m = runs.at(at);
    if (!m)
      continue;
    if (m->kind == op_kind::recv)
      out.gets.push_back({m->data.address, 0, m->data.length, m->peer, runs.self()});
    else if (m->peer == runs.self())
      from_self = m->data.address;
    else
      out.gives.push_back({m->peer, {m->data}});
  }
  for (transfer& t : out.gets)
    if (t.source == runs.self())
      t.source_address = from_self.value_or(t.destination_address);
  std::sort(out.gets.begin(), out.gets.end(), [](const transfer& a, const transfer& b) {
    return a.destination_address < b.destination_address;
  });
  return out;
}

std::vector<segment> of_user(std::vector<segment> list) {
  std::erase_if(list, [](const segment& s) { return s.address >= user_memory_end; });
  return list;
}

void add(const segment_list& more, std::vector<segment>& to) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The steps write each byte that the rank receives into, once, and read no byte that it does not send or has received (E1 and E2, as far as
/// one rank can tell; which algorithm moves what to whom is validated where it is chosen, and does not depend on addresses).
bool keeps_to(const rank_plan& steps, const own_part& own) {
  std::vector<segment> written, read, receives, sends;
  for (const step& s : steps.steps) {
    add(s.writes, written);
    add(s.reads, read);
    for (const block& b : s.receives)
      add(b.bytes, written);
    for (const block& b : s.sends)
      add(b.bytes, read);
  }
  for (const transfer& t : own.gets) {
    receives.push_back({t.destination_address, t.length});
    if (t.source == own.self)
      sends.push_back({t.source_address, t.length});
  }
  for (const taken_bytes& t : own.gives)
    append(sends, t.bytes);
  append(sends, receives);
  written = of_user(std::move(written));
  const std::uint64_t bytes = total_length(written);
  const std::vector<segment> wanted = normalized(std::move(receives));
  return bytes == total_length(wanted) && normalized(std::move(written)) == wanted &&
         first_outside(normalized(of_user(std::move(read))), normalized(std::move(sends))).length == 0;
}

} // namespace

bool may_compile_affine(const compile_options& options) {
  return options.disabled.empty() && options.described.empty() && options.make_plan && options.check_races &&
         options.detection.smallest_group <= 3 && options.planning.policy == sync_policy::data &&
         options.planning.progress == region_progress::collective;
}

affine_compilation compile(const affine_graph& g) {
  affine_compilation c;
  run_pass(c, "meaning", [&] {
    affine_search found = find_meaning(g);
    c.why = found.why;
    c.meaning = std::move(found.found);
  });
  if (c.why != affine_refusal::none)
    return c;
  // From here on the graph is known to be one collective, which is its plan.
  run_pass(c, "validate", [&] {
    const std::string fault = fault_of(g, c.meaning);
    if (!fault.empty())
      c.problems.push_back({number(reason::validation_failed), severity::warning, no_rank, no_op,
                            "the plan failed its check and is not used: " + fault,
                            "please report this with the graph; it is compiled message by message"});
  });
  return c;
}

part_finding finding_of(const affine_meaning& m) {
  part_finding out;
  out.kind = m.kind;
  out.root = m.root;
  out.bytes = m.bytes;
  out.whole = true;
  return out;
}

std::optional<rank_plan> steps_of(const affine_list& runs, const part_finding& what, std::string_view plan,
                                  const process_map& where) {
  const graph of_ranks(runs.ranks());
  const own_part own = expand(runs, of_ranks);
  std::optional<rank_plan> steps = own_steps(what, own, plan, where);
  if (steps && !keeps_to(*steps, own))
    return std::nullopt;
  return steps;
}

} // namespace tacit::graphs
