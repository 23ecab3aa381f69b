#include "compiler/pass/wait_graph.h"

#include "compiler/pass/source_location.h"
#include "vocabulary/calls/remarks.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Function.h>

namespace tacit::compiler {

unsigned wait_graph::node(const llvm::Instruction& at, const std::string& what) {
  const auto [found, fresh] = known_.try_emplace(&at, static_cast<unsigned>(nodes_.size()));
  if (fresh)
    nodes_.push_back(what + wording(remark::location, {location_name(at)}));
  return found->second;
}

void wait_graph::edge(unsigned from, unsigned to, edge_kind kind, const std::string& label) {
  edges_.push_back({from, to, kind, label});
}

void wait_graph::print_text(llvm::raw_ostream& out) const {
  for (unsigned i = 0; i < nodes_.size(); ++i)
    out << "W" << i + 1 << "  " << nodes_[i] << "\n";
  for (const connection& one : edges_)
    out << "W" << one.from + 1 << (one.kind == edge_kind::completes ? " --> W" : " ==> W") << one.to + 1
        << (one.label.empty() ? "" : "  " + one.label) << "\n";
}

void wait_graph::print_dot(llvm::raw_ostream& out) const {
  out << "digraph wait_graph {\n  node [shape=box];\n";
  for (unsigned i = 0; i < nodes_.size(); ++i) {
    out << "  W" << i + 1 << " [label=\"";
    llvm::printEscapedString(nodes_[i], out);
    out << "\"];\n";
  }
  for (const connection& one : edges_) {
    out << "  W" << one.from + 1 << " -> W" << one.to + 1
        << " [style=" << (one.kind == edge_kind::completes ? "solid" : "dotted") << ", label=\"";
    llvm::printEscapedString(one.label, out);
    out << "\"];\n";
  }
  out << "}\n";
}

} // namespace tacit::compiler
