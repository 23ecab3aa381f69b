// Collects diagnostics of one kind: the first few in full, the rest counted, because a graph with one mistake
// in a loop has it a hundred thousand times.
#pragma once

#include "vocabulary/base/diagnostic.h"
#include "vocabulary/calls/reasons.h"

#include <cstddef>
#include <string>

namespace tacit::graphs {

class problem_list {
public:
  /// Appends to `out`; the caller keeps it alive. `kind` is what the closing line calls the rest: "unmatched
  /// sends".
  problem_list(diagnostics& out, reason code, severity level, std::string kind)
      : out_(out), code_(code), level_(level), kind_(std::move(kind)) {}
  problem_list(const problem_list&) = delete;
  problem_list& operator=(const problem_list&) = delete;
  ~problem_list() { close(); }

  /// Counts one more; true if it should be described by `add`, so that callers format only what is shown.
  bool count() { return ++counted_ <= shown_at_most; }

  void add(rank_id rank, op_id op, std::string message, std::string remedy) {
    out_.push_back({number(code_), level_, rank, op, std::move(message), std::move(remedy)});
  }

  std::size_t counted() const { return counted_; }
  /// The search ended before everything was counted: the closing line says "at least".
  void stopped_early() { complete_ = false; }

  static constexpr std::size_t shown_at_most = 20;

private:
  void close() {
    if (counted_ <= shown_at_most)
      return;
    add(no_rank, no_op,
        std::string(complete_ ? "and " : "and at least ") + std::to_string(counted_ - shown_at_most) +
            " more " + kind_,
        "remove the causes named above first; the rest are often the same mistake");
  }

  diagnostics& out_;
  reason code_;
  severity level_;
  std::string kind_;
  std::size_t counted_ = 0;
  bool complete_ = true;
};

} // namespace tacit::graphs
