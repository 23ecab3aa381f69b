// Happens-before, from where receivers know of the messages (known_at) to the calls asked about: along each rank's calls, from a
// send to where its receiver knows of it, through the k-th collective call of a communicator to the k-th one on its
// other members, and from a call outside the model to all that end later on other ranks. Only what begins before the last of
// the calls asked about can matter; so a round is looked at for as long as it takes. Cost O(calls meanwhile · log calls), and once
// O(calls) for the lists of collective calls.
#include "recordings/meaning/word_of_messages.h"

#include "recordings/meaning/components.h"

#include <algorithm>
#include <limits>

namespace tacit::recordings {
namespace {

constexpr std::uint32_t most_looks =
    200'000; // calls; a round of a real program has some hundred on each rank

bool is_unmodelled(const call& c) {
  return class_of(c) == call_class::unknown || (c.flags & call_unknown) != 0;
}

} // namespace

word_of_messages::word_of_messages(const recording_set& recorded, const message_table& table)
    : recorded_(recorded), table_(table), first_start_(std::numeric_limits<std::int64_t>::max()) {
  for (const rank_recording& r : recorded.recordings)
    first_start_ = std::min(first_start_, r.start_unix_ns);
}

void word_of_messages::list_collectives() {
  listed_ = true;
  collectives_.resize(recorded_.recordings.size());
  unmodelled_.resize(recorded_.recordings.size());
  for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i) {
    const rank_recording& r = recorded_.recordings[i];
    for (std::uint32_t c = 0; c < r.calls.size(); ++c)
      if (const call& one = r.calls[c]; is_unmodelled(one))
        unmodelled_[i].push_back(c);
      else if (one.part == 0 && one.comm != none && is_collective(class_of(one)))
        collectives_[i][table_.of_recording[i].group_of_comm[one.comm]].push_back(c);
  }
}

double word_of_messages::seconds_at(std::uint32_t recording, std::uint64_t tick) const {
  const rank_recording& r = recorded_.recordings[recording];
  return static_cast<double>(r.start_unix_ns - first_start_) * 1e-9 +
         static_cast<double>(static_cast<std::int64_t>(tick - r.start_tick)) * r.seconds_per_tick;
}

bool word_of_messages::may_come_before(std::span<const std::uint32_t> messages,
                                       std::span<const first_call> calls) {
  if (!listed_)
    list_collectives();
  word_.assign(recorded_.recordings.size(), none);
  open_.clear();
  double horizon = 0;
  for (const first_call& s : calls) {
    const std::uint32_t i = table_.recording_of_rank[s.rank];
    horizon = std::max(horizon, seconds_at(i, recorded_.recordings[i].calls[s.call].begin));
  }
  for (const std::uint32_t id : messages) {
    const message& m = table_.messages[id];
    if (const std::uint32_t known = known_at(recorded_, table_, m); known != never && m.from != m.to)
      come_to(table_.recording_of_rank[m.to], known);
  }
  std::vector<std::uint32_t> seen_from(recorded_.recordings.size(), none);
  for (std::uint32_t looks = 0; !open_.empty();) {
    const std::uint32_t i = open_.back();
    open_.pop_back();
    const rank_recording& r = recorded_.recordings[i];
    const std::uint32_t begin = word_[i] + 1;
    const auto end = std::min(seen_from[i], static_cast<std::uint32_t>(r.calls.size()));
    seen_from[i] = std::min(seen_from[i], begin);
    for (std::uint32_t c = begin; c < end && seconds_at(i, r.calls[c].begin) <= horizon; ++c) {
      if (++looks == most_looks)
        return true;
      pass_on(i, c);
    }
  }
  return std::ranges::any_of(calls, [&](const first_call& s) {
    const std::uint32_t word = word_[table_.recording_of_rank[s.rank]];
    return word != none && word < s.call;
  });
}

/// The rank may know of the messages when the call has returned.
void word_of_messages::come_to(std::uint32_t recording, std::uint32_t position) {
  if (position >= word_[recording])
    return;
  word_[recording] = position;
  open_.push_back(recording);
}

/// What the call, which begins when its rank may know, tells others.
void word_of_messages::pass_on(std::uint32_t recording, std::uint32_t position) {
  const call& one = recorded_.recordings[recording].calls[position];
  if (const std::uint32_t id = table_.of_recording[recording].message_of_call[position]; id != none) {
    const message& m = table_.messages[id];
    const bool sends = m.send_call == position && table_.recording_of_rank[m.from] == recording;
    if (const std::uint32_t known = sends ? known_at(recorded_, table_, m) : never; known != never)
      come_to(table_.recording_of_rank[m.to], known);
  }
  if (is_unmodelled(one)) {
    const double begin = seconds_at(recording, one.begin);
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i) {
      const std::vector<std::uint32_t>& list = unmodelled_[i];
      const auto later = std::lower_bound(list.begin(), list.end(), begin, [&](std::uint32_t c, double t) {
        return seconds_at(i, recorded_.recordings[i].calls[c].end) < t;
      });
      if (i != recording && later != list.end())
        come_to(i, *later);
    }
  } else if (one.part == 0 && one.comm != none && is_collective(class_of(one))) {
    const std::uint32_t group = table_.of_recording[recording].group_of_comm[one.comm];
    const std::vector<std::uint32_t>& own = collectives_[recording][group];
    const auto number = std::lower_bound(own.begin(), own.end(), position) - own.begin();
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i)
      if (const auto list = collectives_[i].find(group);
          i != recording && list != collectives_[i].end() &&
          number < static_cast<std::ptrdiff_t>(list->second.size()))
        come_to(i, list->second[static_cast<std::size_t>(number)]);
  }
}

} // namespace tacit::recordings
