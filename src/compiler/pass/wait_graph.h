// The WaitGraph of seed 001, section 3.1, for people to look at: posts, waits and the accesses that end their
// windows.
#pragma once

#include <llvm/IR/Instruction.h>
#include <llvm/Support/raw_ostream.h>

#include <map>
#include <string>
#include <vector>

namespace tacit::compiler {

class wait_graph {
public:
  enum class edge_kind : std::uint8_t { completes, orders };

  /// The node of an instruction, described as "MPI_Isend at file.c:12".
  unsigned node(const llvm::Instruction& at, const std::string& what);
  void edge(unsigned from, unsigned to, edge_kind kind, const std::string& label = {});

  void print_text(llvm::raw_ostream& out) const;
  void print_dot(llvm::raw_ostream& out) const;
  [[nodiscard]] bool empty() const { return nodes_.empty(); }

private:
  struct connection {
    unsigned from, to;
    edge_kind kind;
    std::string label;
  };
  std::map<const llvm::Instruction*, unsigned> known_;
  std::vector<std::string> nodes_;
  std::vector<connection> edges_;
};

} // namespace tacit::compiler
