// The graph for Graphviz: a cluster per rank, dependencies dashed, messages solid.
#include "surface/report/graph_page.h"
#include "surface/report/wrap.h"

#include <fmt/format.h>
#include <iterator>

namespace tacit::surface {
namespace {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

std::string label(const graphs::graph& g, op_id id) {
  const graphs::operation& op = g[id];
  const auto data = op.kind == graphs::op_kind::recv ? g.writes(id) : g.reads(id);
  if (op.kind == graphs::op_kind::fence)
    return fmt::format("{}: fence", index(id));
  std::string text =
      fmt::format("{}: {} {}", index(id), graphs::name(op.kind), readable_bytes(graphs::total_length(data)));
  if (!data.empty())
    text += fmt::format(" at {:#x}", data.front().address);
  if (const graphs::reducer_id by = g.reduces_by(id); index(by) < g.reducers().size())
    text += " by " + describe(g.reducers()[index(by)]);
  return text;
}

} // namespace

std::string dot_of(const graph_analysis& a) {
  std::string out = fmt::format(
      "digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n",
      dot_quoted(a.name));
  const auto out_at = std::back_inserter(out);
  std::vector<std::vector<op_id>> of_rank(a.g.ranks());
  for (std::uint32_t i = 0; i < a.g.size(); ++i)
    if (index(a.g[op_id{i}].rank) < a.g.ranks())
      of_rank[index(a.g[op_id{i}].rank)].push_back(op_id{i});
  for (std::uint32_t r = 0; r < a.g.ranks(); ++r) {
    if (of_rank[r].empty())
      continue;
    fmt::format_to(out_at, "  subgraph cluster_{} {{\n    label=\"rank {}\";\n", r, r);
    for (const op_id op : of_rank[r])
      fmt::format_to(out_at, "    o{} [label={}];\n", index(op), dot_quoted(label(a.g, op)));
    out += "  }\n";
  }
  for (const graphs::dependency& d : a.g.dependencies())
    fmt::format_to(out_at, "  o{} -> o{} [style=dashed];\n", index(d.before), index(d.after));
  for (std::uint32_t i = 0; i < a.c.matched.partner.size(); ++i)
    if (a.g[op_id{i}].kind == graphs::op_kind::send && a.c.matched.partner[i] != no_op)
      fmt::format_to(out_at, "  o{} -> o{} [color=\"#0b6e6e\", penwidth=1.6, constraint=true];\n", i,
                     index(a.c.matched.partner[i]));
  return out + "}\n";
}

} // namespace tacit::surface
