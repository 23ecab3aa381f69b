// Why ranks that analyse a graph together leave it to the one that knows all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tacit::graphs {

// In the order in which they are told if ranks have several.
#define TACIT_REFUSALS(ROW)                                                                                  \
  ROW(none, "")                                                                                              \
  ROW(not_asked, "the graph is small, or TACIT_COMPILE asks for one rank")                                   \
  ROW(options, "options are given of which one rank decides: a policy, waiting, tuning, a plan, or no plan") \
  ROW(few_ranks, "there are fewer than three ranks")                                                         \
  ROW(kinds, "there are operations other than sends, receives and copies")                                   \
  ROW(synchronizing, "there are messages of no bytes, or marks between stages")                              \
  ROW(malformed, "an operation is malformed, or uses addresses that plans keep for themselves")              \
  ROW(memory, "a rank lacked memory")                                                                        \
  ROW(budget, "following the bytes of one rank needed more fragments or memory than a part may")             \
  ROW(unmatched, "a message has no receive")                                                                 \
  ROW(stuck, "operations wait for messages that never come")                                                 \
  ROW(lengths, "a message is longer than its receive")                                                       \
  ROW(race, "operations touch the same bytes and only messages order them, if anything does")                \
  ROW(local_moves, "bytes move within a rank")                                                               \
  ROW(repeated, "a rank gets the same bytes of another one twice")                                           \
  ROW(nothing_moves, "nothing moves")                                                                        \
  ROW(not_full, "what moves is not one collective of all ranks")                                             \
  ROW(not_uniform, "blocks differ in length")                                                                \
  ROW(mixed, "some bytes go to several ranks and others do not")                                             \
  ROW(too_many,                                                                                              \
      "every rank sends to every other one, and there are more ranks than algorithms are compared for")      \
  ROW(no_choice, "no way to carry it out was found")                                                         \
  ROW(check, "the plan of a rank failed its check")

enum class part_refusal : std::uint8_t {
#define TACIT_ROW(name, words) name,
  TACIT_REFUSALS(TACIT_ROW)
#undef TACIT_ROW
};

/// All is well with the graph, and every rank knows what it gets; but what that is all together the numbers do not say.
constexpr bool is_about_shape(part_refusal why) {
  switch (why) {
  case part_refusal::local_moves:
  case part_refusal::repeated:
  case part_refusal::not_full:
  case part_refusal::not_uniform:
  case part_refusal::mixed:
  case part_refusal::too_many:
  case part_refusal::no_choice:
    return true;
  default:
    return false;
  }
}

inline std::string_view words(part_refusal why) {
  constexpr std::string_view all[] = {
#define TACIT_ROW(name, words) words,
      TACIT_REFUSALS(TACIT_ROW)
#undef TACIT_ROW
  };
  return all[static_cast<std::size_t>(why)];
}

#undef TACIT_REFUSALS

} // namespace tacit::graphs
