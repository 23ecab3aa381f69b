// The statements of a graph text, as they stand there: no label is looked up, and nothing is in the order of creation yet.
#pragma once

#include "graphs/graph/graph.h"
#include "graphs/graph/text_lexer.h"
#include "vocabulary/base/diagnostic.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit::graphs::text {

enum class statement : std::uint8_t { send, recv, copy, opaque, fence, put, get, reduce };

/// Entries of parsed_graph::segments_of_all.
struct segments {
  std::uint32_t first = 0, count = 0;
};

struct reference {
  token name;
  bool target = false; ///< the operation that a put or get makes at the other rank
};

/// Entries of parsed_graph::references_of_all.
struct references {
  std::uint32_t first = 0, count = 0;
};

constexpr std::uint32_t no_operator = std::numeric_limits<std::uint32_t>::max();

struct parsed_operation {
  statement kind = statement::send;
  comm_id comm = world;
  rank_id rank = no_rank, peer = no_rank;
  std::int32_t tag = 0;
  std::uint32_t reducer = no_operator;
  segments reads, writes; ///< put, get: `writes` is the remote side
  references after, target_after;
  token label; ///< kind file_end: none
  std::uint32_t line = 0;
};

struct parsed_graph {
  std::uint32_t ranks = 0;
  std::vector<std::string> communicators;   ///< names, the world first
  std::vector<std::vector<rank_id>> groups; ///< without the world
  std::vector<std::string> operator_names;
  std::vector<reducer> operators;
  std::vector<parsed_operation> operations;
  std::vector<segment> segments_of_all;
  std::vector<reference> references_of_all;
  std::vector<std::pair<rank_id, segment>> scratch, live;

  std::span<const segment> bytes(const segments& list) const {
    return std::span(segments_of_all).subspan(list.first, list.count);
  }
  std::span<const reference> named(const references& list) const {
    return std::span(references_of_all).subspan(list.first, list.count);
  }
};

/// What is wrong with a text, with line and column, as many times as anybody wants to read.
class text_problems {
public:
  explicit text_problems(diagnostics& list) : list_(list) {}
  void report(const token& at, const std::string& what,
              std::string remedy = "correct the line; docs/graph-format.md describes the format");
  bool any() const { return count_ > 0; }
  bool are_enough() const;

private:
  diagnostics& list_;
  std::size_t count_ = 0;
};

/// Reads all statements; nothing if there were problems. What is returned points into the text.
std::optional<parsed_graph> read_statements(std::string_view text, text_problems& problems);

} // namespace tacit::graphs::text
