// What a report says, before it is text or HTML: plain values that both products (the analysis of a graph,
// the analysis of a recording) are turned into. Nothing here knows how it will look.
#pragma once

#include "vocabulary/calls/reasons.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tacit::surface {

/// Bytes and messages from one rank to another.
struct matrix_cell {
  std::uint32_t from = 0, to = 0;
  std::uint64_t bytes = 0, messages = 0;
};

struct matrix {
  std::uint32_t ranks = 0;
  std::vector<matrix_cell> cells; ///< sorted by (from, to), only pairs with messages
};

/// A message between two rows of a timeline.
struct timeline_message {
  std::uint32_t from = 0, to = 0;   ///< ranks
  std::uint32_t start = 0, end = 0; ///< steps, from 0
  std::uint64_t bytes = 0;
  bool forwarded = false; ///< carries bytes that its sender received before
};

/// A collective call: all its members at one step.
struct timeline_call {
  std::uint32_t step = 0;
  std::vector<std::uint32_t> members;
  std::optional<std::uint32_t> root;
  std::string label;
};

/// Local work of a rank at a step.
struct timeline_mark {
  std::uint32_t rank = 0, step = 0;
  std::string label;
};

/// A space-time picture: one row per rank, steps of dependence from left to right.
struct timeline {
  std::string caption;
  std::uint32_t ranks = 0;
  std::vector<std::uint32_t> only; ///< the rows to draw, ascending; empty: all ranks
  std::uint32_t steps = 0;
  bool cut = false; ///< only the first messages are in it
  std::vector<timeline_message> messages;
  std::vector<timeline_call> calls;
  std::vector<timeline_mark> marks;
  bool empty() const { return messages.empty() && calls.empty() && marks.empty(); }
};

/// What is shown of one thing that was recognised in a graph or recording.
struct finding_card {
  std::string title; ///< "broadcast by a ring"
  std::string call;  ///< the MPI call that says the same, if there is one
  std::vector<std::pair<std::string, std::string>> facts; ///< group, roots, sizes, times, …
  double share = -1;                                      ///< of the run's time, 0 … 1; negative: not known
  double seconds = -1;                                    ///< of one rank on average; negative: not known
  std::vector<std::string> sites;                         ///< call sites
  std::string certainty;                                  ///< how sure it is, in words
  bool replaced = false;
  bool collective = true;    ///< a collective, not other messages
  reason why = reason::none; ///< left alone because
  std::string why_detail;
  timeline before, after;
};

/// Something that was looked at and is no collective.
struct left_alone {
  std::string what;
  reason why = reason::none;
  std::string detail;
  std::uint64_t messages = 0, bytes = 0;
  double share = -1;
  std::vector<std::string> sites;
};

struct problem_line {
  std::string level; ///< "error", "warning", "remark"
  reason code = reason::none;
  std::string message, remedy, location;
};

/// A time among others, drawn as a bar.
struct bar {
  std::string label, remark; ///< remark: behind the number
  double seconds = 0;        ///< above zero
  double low = 0, high = 0;  ///< the spread, drawn as a line if they differ
  bool marked = false;       ///< the one that the reader looks for
};

struct table {
  std::string title;
  std::string note;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows; ///< first column left, the others right aligned
  std::vector<bar> bars = {};                 ///< drawn above the rows
};

/// Curves on logarithmic axes; values must be above zero.
struct plot {
  struct point {
    double x = 0, y = 0, low = 0, high = 0; ///< low to high: the spread, drawn as a bar if they differ
  };
  struct curve {
    std::string name;
    std::vector<point> points; ///< by rising x
  };
  std::string title, note, x_axis, y_axis;
  bool x_bytes = false, y_seconds = false; ///< how numbers on the axes are written
  std::vector<curve> curves;               ///< at most 8 are drawn
};

/// Things in the order in which they first happened, one below the other, and what leads from one to another.
struct diagram {
  enum class style : std::uint8_t { work, collective, message, order };
  struct row {
    std::string label;
    std::uint64_t count = 1;
    style kind = style::work;
  };
  struct arc {
    std::size_t from = 0,
                to = 0; ///< rows; downwards on the right, upwards (in the next round of a loop) on the left
    std::string label;
    std::uint64_t count = 1;
    style kind = style::order;
  };
  std::string title, note;
  std::vector<row> rows;
  std::vector<arc> arcs;
};

/// Data that a task needs of another one, on other ranks.
struct task_exchange {
  std::string producer, consumer, buffer;
  std::uint64_t times = 1;
  std::string collective;     ///< what was discovered; empty: messages
  std::uint64_t replaced = 0; ///< messages of the rank that wrote it down, each time; 0: not known
  reason why = reason::none;  ///< of messages
  bool ahead = false;         ///< brings more than the consumer needs, for a later one
};

/// What a program of tasks did, beside its messages.
struct task_story {
  std::uint32_t ranks = 1, rank = 0; ///< whose commands are drawn
  std::uint64_t tasks = 0, left_out = 0;
  std::vector<task_exchange> exchanges; ///< most frequent first
  diagram graph, commands;
};

struct page {
  std::string title;                                        ///< "hpcc"
  std::string subtitle;                                     ///< "recorded on 4 ranks, 21 November 2026"
  std::vector<std::pair<std::string, std::string>> facts;   ///< what was run, how
  std::vector<std::pair<std::string, std::string>> figures; ///< a few numbers to see at once: value, what
  std::vector<std::string> headlines;                       ///< whole sentences, most important first
  std::vector<problem_line> problems;
  std::vector<finding_card> findings; ///< by share of time, largest first
  matrix communication;
  timeline before, after;          ///< of the whole, where that makes sense (graphs)
  std::optional<task_story> tasks; ///< of programs of tasks
  std::vector<left_alone> left;
  std::string left_title = "Left alone, because …";
  std::vector<plot> plots;
  std::vector<table> tables; ///< collectives used, recorder cost, transfers, wait sets, …
  std::vector<std::string> notes;
};

} // namespace tacit::surface
