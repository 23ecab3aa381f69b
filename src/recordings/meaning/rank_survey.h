// The survey's walk through one rank: the halves of messages, and what calls add up to, of a recording that passes by. It does
// what `matcher` (messages.cpp) does with one that is there.
#pragma once

#include "recordings/meaning/messages.h"
#include "recordings/meaning/names.h"
#include "recordings/meaning/numbering.h"
#include "recordings/record/reader.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace tacit::recordings {

/// What all halves of one kind share.
struct half_kind {
  std::uint32_t comm = 0, from = 0, to = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t path = 0;
  bool bytes_known = false, hashed = false, wildcard = false;
  bool operator==(const half_kind&) const = default;
};
struct hash_of_kind {
  std::size_t operator()(const half_kind& k) const;
};

/// Of what is a hash.
struct hash_itself {
  std::size_t operator()(std::uint64_t hash) const { return hash; }
};

struct half {
  std::uint32_t kind = none; ///< none: took no message
  std::uint32_t call = 0;
  std::uint32_t closed_by = none; ///< call in which it completed
  std::uint32_t hash = 0;         ///< lower half
  std::uint32_t context = 0;      ///< what the rank did before, and this; none: not seen often
  float seconds = 0;
};

/// The halves of one side, in order of posting for each rank.
struct half_list {
  std::vector<half> all;
  numbering<half_kind, hash_of_kind> kinds;
};

/// Halves that were only counted, all of one kind. Where shapes were too many the kind has no tag and no length (`mixed`), and
/// no ranks either.
struct counted_halves {
  half_kind kind;
  bool mixed = false;
  std::uint64_t messages = 0, bytes = 0;
  double seconds = 0;
};

/// Both sides of a run, and the times of the sends.
struct halves {
  half_list sends, receives;
  std::vector<std::int64_t> sent_at;
  std::vector<counted_halves> counted_sends, counted_receives;
  numbering<std::uint64_t, hash_itself> contexts;
  /// While so many are new, few come again, and numbers for all of them would take as much memory as the halves: two million take 100 MB.
  /// More get numbers only where they are less than a quarter of what came, as in a regular run of many ranks.
  static constexpr std::size_t always_numbered = 2'000'000;
  std::uint32_t number_of_context(std::uint64_t hash) {
    if (contexts.size() < std::max(always_numbered, (sends.all.size() + receives.all.size()) / 4))
      return contexts.number_of(hash);
    return contexts.find(hash);
  }
};

/// Takes the records of one rank, in their order.
class rank_survey : public record_sink {
public:
  /// Calls so far.
  virtual std::uint32_t calls() const = 0;
  /// The recording has ended.
  virtual void end(const rank_recording& r) = 0;
};

/// Sums go to `totals`, halves to `found`; all three must outlive the survey.
std::unique_ptr<rank_survey> survey_rank(message_table& totals, run_names& names, halves& found);

} // namespace tacit::recordings
