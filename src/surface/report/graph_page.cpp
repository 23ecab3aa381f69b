#include "surface/report/graph_page.h"

#include "graphs/detect/other_numbers.h"
#include "surface/report/timeline.h"
#include "surface/report/wrap.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <span>

namespace tacit::surface {
namespace {

constexpr std::size_t most_drawn = 20000;     ///< messages kept in a picture; the renderers cut further
constexpr std::size_t most_table_rows = 5000; ///< of the tables of transfers and wait sets

template <typename Slices>
std::uint64_t bytes_of(const Slices& slices) {
  std::uint64_t sum = 0;
  for (const graphs::slice s : slices)
    sum += s.length;
  return sum;
}

struct counts {
  std::uint64_t of_kind[graphs::op_kinds] = {};
  std::uint64_t bytes = 0;
  std::uint64_t messages() const { return of_kind[static_cast<int>(graphs::op_kind::send)]; }
};

counts count(const graphs::graph& g) {
  counts n;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    ++n.of_kind[static_cast<int>(g[op_id{i}].kind)];
    if (g[op_id{i}].kind == graphs::op_kind::send)
      n.bytes += graphs::total_length(g.reads(op_id{i}));
  }
  return n;
}

matrix matrix_of(const graphs::graph& g) {
  std::map<std::pair<rank_id, rank_id>, matrix_cell> cells;
  for (std::uint32_t i = 0; i < g.size(); ++i) {
    const graphs::operation& op = g[op_id{i}];
    if (op.kind != graphs::op_kind::send || index(op.rank) >= g.ranks() || index(op.peer) >= g.ranks())
      continue;
    matrix_cell& cell = cells[{op.rank, op.peer}];
    cell.from = static_cast<std::uint32_t>(index(op.rank));
    cell.to = static_cast<std::uint32_t>(index(op.peer));
    cell.bytes += graphs::total_length(g.reads(op_id{i}));
    ++cell.messages;
  }
  matrix m{.ranks = g.ranks(), .cells = {}};
  for (const auto& [pair, cell] : cells)
    m.cells.push_back(cell);
  return m;
}

std::string list_of_findings(const graphs::graph& g, const graphs::findings& f) {
  std::map<std::string, std::uint64_t> times;
  std::vector<std::string> order;
  for (const graphs::finding& x : f.found)
    if (times[describe(x, g)]++ == 0)
      order.push_back(describe(x, g));
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 4); ++i) {
    if (i > 0)
      text += i + 1 == order.size() ? " and " : ", ";
    text += times[order[i]] > 1 ? fmt::format("{} × {}", times[order[i]], order[i]) : "one " + order[i];
  }
  return order.size() > 4 ? text + ", …" : text;
}

std::string words(const graphs::graph& g, const graphs::findings& of_stage) {
  std::string found = of_stage.found.empty() ? "no collective" : list_of_findings(g, of_stage);
  if (of_stage.residual.empty())
    return found;
  return found + fmt::format(", {} of no collective", counted(of_stage.residual.size(), "transfer"));
}

/// "In stages: (1, 3, …) 4 × alltoall on …; (2) …, 12 transfers of no collective." Each kind of stage once, the first few kinds.
std::string words(const graphs::graph& g, const graphs::staged& parts) {
  constexpr std::size_t kinds_named = 4, stages_named = 3;
  std::vector<std::pair<std::string, std::vector<std::size_t>>> kinds;
  for (std::size_t s = 0; s < parts.stages.size(); ++s) {
    const std::string one = words(g, parts.stages[s].found);
    auto kind = std::ranges::find(kinds, one, [](const auto& k) { return k.first; });
    if (kind == kinds.end())
      kind = kinds.insert(kinds.end(), {one, {}});
    kind->second.push_back(s + 1);
  }
  std::string text = fmt::format("In {}:", counted(parts.stages.size(), "stage"));
  for (std::size_t k = 0; k < std::min(kinds.size(), kinds_named); ++k) {
    const auto& [what, stages] = kinds[k];
    const auto named = std::span(stages).first(std::min(stages.size(), stages_named));
    text += fmt::format("{} ({}{}) {}", k == 0 ? "" : ";", fmt::join(named, ", "),
                        named.size() < stages.size() ? ", …" : "", what);
  }
  if (kinds.size() > kinds_named)
    text += fmt::format("; {} more kinds", kinds.size() - kinds_named);
  return text + ".";
}

void add_headlines(page& p, const graph_analysis& a, const counts& n) {
  const graphs::compilation& c = a.c;
  if (has_errors(c.problems)) {
    const auto errors = std::ranges::count(c.problems, severity::error, &diagnostic::level);
    p.headlines.push_back(fmt::format("The graph has {}, so what it means could not be worked out.",
                                      counted(static_cast<std::uint64_t>(errors), "error")));
    return;
  }
  if (!c.moved.complete) {
    p.headlines.emplace_back("The bytes could not be followed within the budget; the graph runs as written.");
    return;
  }
  if (c.found.found.empty())
    p.headlines.push_back(fmt::format("{} on {} form no collective.", counted(n.messages(), "message"),
                                      counted(a.g.ranks(), "rank")));
  else if (c.found.residual.empty())
    p.headlines.push_back(fmt::format("{} do the work of {}.", counted(n.messages(), "message"),
                                      list_of_findings(a.g, c.found)));
  else
    p.headlines.push_back(fmt::format("Among {}: {}; in no collective: {} of {}.",
                                      counted(n.messages(), "message"), list_of_findings(a.g, c.found),
                                      counted(c.found.residual.size(), "transfer"),
                                      readable_bytes(bytes_of(c.found.residual))));
  if (!c.in_stages.stages.empty())
    p.headlines.push_back(words(a.g, c.in_stages));
  if (!c.in_stages.why_not.empty())
    p.headlines.push_back("Stages are not looked at by themselves: " + c.in_stages.why_not + ".");
  if (c.schedule.ranks.empty())
    return;
  if (c.schedule.as_written)
    p.headlines.push_back(c.schedule.why_as_written == reason::none
                              ? "It runs as written: " + c.schedule.detail + "."
                              : fmt::format("It runs as written ({}): {}.",
                                            reason_label(c.schedule.why_as_written), c.schedule.detail));
  else
    p.headlines.emplace_back(
        "The replacement was replayed byte by byte and leaves behind exactly what the graph leaves behind.");
  if (const std::size_t kept = c.moves().kept_operations.size(); kept > 0 && !c.schedule.as_written)
    p.headlines.push_back(fmt::format("{} touch bytes of reductions or computations and keep their order.",
                                      counted(kept, "operation")));
}

/// A pattern of the user's own.
finding_card card_of(const graphs::described_finding& f, const graph_analysis& a) {
  finding_card card;
  card.title = fmt::format("{} on {}", f.name, describe_group(a.g, f.comm));
  card.certainty = fmt::format("exact, for this graph on {}", counted(a.g.ranks(), "rank"));
  if (f.root != no_rank)
    card.facts.emplace_back("root", fmt::format("rank {}", index(f.root)));
  for (const auto& [name, bytes] : f.lengths)
    card.facts.emplace_back(name, readable_bytes(bytes));
  card.facts.emplace_back("made of", f.leftover ? "what collectives leave" : "all that these ranks exchange");
  if (!f.says.empty())
    card.facts.emplace_back("says", f.says);
  card.why = reason::described;
  card.why_detail = "It is recognised, not replaced.";
  return card;
}

void add_findings(page& p, const graph_analysis& a) {
  for (const graphs::finding& f : a.c.found.found) {
    finding_card card;
    card.title = describe(f, a.g);
    card.call = fmt::format("MPI_{}", name(f.kind));
    card.call[4] = static_cast<char>(card.call[4] - 'a' + 'A');
    card.certainty = fmt::format("exact, for this graph on {}", counted(a.g.ranks(), "rank"));
    if (const std::string why = graphs::why_on_this_number_only(a.g, a.c.moves(), f); !why.empty())
      card.certainty += fmt::format("; perhaps on this number only: {}", why);
    if (f.root != no_rank)
      card.facts.emplace_back("root", fmt::format("rank {}", index(f.root)));
    card.facts.emplace_back("group", describe_group(a.g, f.comm));
    if (is_reduction(f.kind)) {
      card.facts.emplace_back(row_of(f.kind).moves == signature::all_into_each ? "bytes per block"
                                                                               : "bytes of each rank",
                              readable_bytes(f.bytes));
      card.facts.emplace_back("combines", describe(a.g.reducers()[index(f.by)]));
      if (!f.order.empty())
        card.facts.emplace_back("must combine",
                                fmt::format("{}, by position in the group: MPI's own collective need not",
                                            graphs::describe(f.order)));
    } else if (f.kind != pattern::barrier) {
      card.facts.emplace_back("bytes per block", readable_bytes(f.bytes));
      card.facts.emplace_back("bytes in all", readable_bytes(bytes_of(f.slices)));
    }
    if (f.blocks > 1)
      card.facts.emplace_back("pieces per block", fmt::format("{} (needs a datatype)", f.blocks));
    card.replaced = !a.c.schedule.ranks.empty() && !a.c.schedule.as_written;
    if (card.replaced) {
      card.why_detail = "The schedule uses it in place of the messages.";
    } else if (a.c.schedule.as_written) {
      card.why = a.c.schedule.why_as_written;
      card.why_detail = a.c.schedule.detail;
    }
    p.findings.push_back(std::move(card));
  }
  for (const graphs::described_finding& f : a.c.described.found)
    p.findings.push_back(card_of(f, a));
  p.left_title = "Not found, because …";
  for (const graphs::described_miss& m : a.c.described.missed)
    p.left.push_back({.what = m.name, .why = reason::described_differs, .detail = m.detail, .sites = {}});
  for (const graphs::refusal& r : a.c.found.refused)
    p.left.push_back({.what = fmt::format("{} on {}", name(r.kind), describe_group(a.g, r.comm)),
                      .why = r.why,
                      .detail = r.detail,
                      .sites = {}});
}

void add_problems(page& p, const graph_analysis& a) {
  constexpr const char* levels[] = {"error", "warning", "remark"};
  for (const diagnostic& d : a.c.problems) {
    const bool known_line = d.op != no_op && index(d.op) < a.lines.size();
    p.problems.push_back({levels[static_cast<int>(d.level)], reason{d.code}, d.message, d.remedy,
                          known_line ? fmt::format("line {}", a.lines[index(d.op)]) : ""});
  }
}

table transfers_table(const graphs::compilation& c) {
  table t{.title = "Transfers",
          .note = fmt::format("{}: bytes that the graph leaves behind, and where they come from.",
                              counted(c.moves().list.size(), "transfer")),
          .head = {"destination", "address", "bytes", "source", "address"},
          .rows = {}};
  for (const graphs::transfer& x : c.moves().list) {
    if (t.rows.size() == most_table_rows) {
      t.note += fmt::format(" The first {} are listed.", most_table_rows);
      break;
    }
    const bool known = x.source != no_rank;
    t.rows.push_back(
        {fmt::format("rank {}", index(x.destination)), fmt::format("{:#x}", x.destination_address),
         fmt::format("{}", x.length),
         known ? fmt::format("rank {}", index(x.source)) : fmt::format("computed by op {}", x.source_address),
         known ? fmt::format("{:#x}", x.source_address) : ""});
  }
  return t;
}

/// The first pieces of an operand: bytes of ranks, or of what other reductions make.
std::string operand_text(const graphs::transfers& t, const std::vector<graphs::fragment>& pieces) {
  constexpr std::size_t shown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(pieces.size(), shown); ++i) {
    const graphs::fragment& f = pieces[i];
    text += i > 0 ? ", " : "";
    if (f.source == graphs::combined)
      text += fmt::format("op {}", index(made_by(t, f.source_address).op));
    else if (f.source == no_rank)
      text += fmt::format("computed by op {}", f.source_address);
    else
      text += fmt::format("rank {} {:#x}", index(f.source), f.source_address);
  }
  return pieces.size() > shown ? text + ", …" : text;
}

table reductions_table(const graph_analysis& a) {
  const graphs::transfers& moved = a.c.moved;
  table t{.title = "Reductions",
          .note = fmt::format("{}: what each combines, in that order.",
                              counted(moved.reductions.size(), "reduction")),
          .head = {"operation", "rank", "operator", "bytes", "left", "right"},
          .rows = {}};
  for (const graphs::reduction& r : moved.reductions) {
    if (t.rows.size() == most_table_rows) {
      t.note += fmt::format(" The first {} are listed.", most_table_rows);
      break;
    }
    t.rows.push_back({fmt::format("{}", index(r.op)), fmt::format("rank {}", index(a.g[r.op].rank)),
                      describe(a.g.reducers()[index(a.g.reduces_by(r.op))]), fmt::format("{}", r.length),
                      operand_text(moved, r.left), operand_text(moved, r.right)});
  }
  return t;
}

table wait_sets_table(const graph_analysis& a) {
  table t{.title = "Wait sets",
          .note = "The ranks each rank must have heard from before it can leave the graph.",
          .head = {"rank", "waits for"},
          .rows = {}};
  const graphs::wait_sets all =
      graphs::compute_wait_sets(a.g, a.c.matched, a.c.order, graphs::sync_paths::all);
  for (std::uint32_t r = 0; r < a.g.ranks(); ++r)
    t.rows.push_back({fmt::format("rank {}", r), wait_set_text(all, rank_id{r}, a.g.ranks())});
  return t;
}

table times_table(const graphs::compilation& c) {
  table t{.title = "Passes", .note = "What the analysis itself cost.", .head = {"pass", "time"}, .rows = {}};
  for (const graphs::pass_time& pass : c.times)
    t.rows.push_back({std::string(pass.name), readable_seconds(pass.seconds)});
  return t;
}

void add_facts(page& p, const graph_analysis& a, const counts& n) {
  p.facts = {{"graph file", std::string(a.name)}, {"ranks", fmt::format("{}", a.g.ranks())}};
  for (std::size_t c = 1; c < std::min<std::size_t>(a.g.communicators().size(), 32); ++c)
    p.facts.emplace_back("communicator", describe_group(a.g, comm_id{static_cast<std::uint16_t>(c)}));
  for (int kind = 0; kind < static_cast<int>(graphs::op_kinds); ++kind)
    if (n.of_kind[kind] > 0)
      p.facts.emplace_back(fmt::format("{} operations", graphs::name(graphs::op_kind(kind))),
                           fmt::format("{}", n.of_kind[kind]));
  p.facts.emplace_back("dependencies", fmt::format("{}", a.g.dependencies().size()));
}

} // namespace

std::string describe_group(const graphs::graph& g, comm_id comm) {
  if (comm == world)
    return fmt::format("all {}", counted(g.ranks(), "rank"));
  const graphs::communicator& c = g.communicators()[index(comm)];
  return fmt::format("{} ({})", c.name.empty() ? fmt::format("communicator {}", index(comm)) : c.name,
                     counted(c.members.size(), "rank"));
}

std::string describe(const graphs::finding& f, const graphs::graph& g) {
  std::string text = fmt::format("{} on {}", name(f.kind), describe_group(g, f.comm));
  if (f.root != no_rank)
    text += fmt::format(", root {}", index(f.root));
  if (f.kind != pattern::barrier)
    text += ", " + readable_bytes(f.bytes) + " per block";
  if (!f.order.empty())
    text += ", in the order of the graph";
  return text;
}

std::string wait_set_text(const graphs::wait_sets& w, rank_id rank, std::uint32_t ranks) {
  std::string text;
  for (std::uint32_t r = 0; r < ranks;) {
    if (!w.contains(rank, rank_id{r})) {
      ++r;
      continue;
    }
    std::uint32_t end = r + 1;
    while (end < ranks && w.contains(rank, rank_id{end}))
      ++end;
    text += text.empty() ? "" : ", ";
    text += end - r > 2 ? fmt::format("{}–{}", r, end - 1) : fmt::format("{}", r);
    r = end - r > 2 ? end : r + 1;
  }
  return text.empty() ? "nobody" : text;
}

page page_of(const graph_analysis& a) {
  page p;
  const counts n = count(a.g);
  p.title = std::string(a.name);
  p.subtitle = fmt::format("communication graph, {}", counted(a.g.ranks(), "rank"));
  add_headlines(p, a, n);
  add_problems(p, a);
  add_facts(p, a, n);
  p.figures = {{fmt::format("{}", a.g.ranks()), a.g.ranks() == 1 ? "rank" : "ranks"},
               {fmt::format("{}", n.messages()), "messages as written"},
               {readable_bytes(n.bytes), "sent as written"}};
  p.communication = matrix_of(a.g);
  const auto caption = [](const timeline& l) {
    std::string text = counted(l.messages.size(), "message");
    return l.calls.empty() ? text : fmt::format("{}, {}", counted(l.calls.size(), "collective call"), text);
  };
  const bool ordered =
      a.c.order.order.size() == a.g.size() && a.c.matched.partner.size() == a.g.size() && a.g.size() > 0;
  if (ordered)
    p.before = timeline_of(a.g, a.c.matched, a.c.order, most_drawn);
  p.before.caption = caption(p.before);
  if (ordered)
    p.figures.emplace_back(fmt::format("{}", p.before.steps > 0 ? p.before.steps - 1 : 0),
                           "steps as written");
  if (!has_errors(a.c.problems) && a.c.moved.complete) {
    add_findings(p, a);
    if (!a.c.schedule.ranks.empty() && !a.c.schedule.as_written)
      p.after = timeline_of(a.g, a.c.schedule, most_drawn);
    p.after.caption = caption(p.after);
    p.figures.emplace_back(fmt::format("{}", a.c.found.found.size()), "collectives found");
    p.figures.emplace_back(fmt::format("{}", a.c.found.residual.size()), "transfers left over");
    p.tables.push_back(transfers_table(a.c));
    if (!a.c.moved.reductions.empty())
      p.tables.push_back(reductions_table(a));
  }
  if (ordered && a.g.ranks() <= most_wait_sets)
    p.tables.push_back(wait_sets_table(a));
  p.tables.push_back(times_table(a.c));
  return p;
}

} // namespace tacit::surface
