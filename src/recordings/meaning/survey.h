// Recordings that are too long to keep: what everything adds up to, exactly, and which calls stand for the others.
//
// Problem: the analysis needs half a kilobyte for a call, and looks at every one. Of a program that repeats itself
// some rounds say as much as all, if it is known how often each message came.
//
// Idea: two passes over the files. The first one, the survey, walks through all calls and keeps 24 bytes of each half
// of a message. It sums up counts, bytes and times exactly, pairs the halves as match_messages does, and gives each
// message a *class*: ranks, communicator, tag, size and the call paths of both ends. In the order of time a
// message is novel if one of its ranks has seldom come from the message or collective before it to this one. Calls
// near novel messages are kept, in windows; the second pass reads these alone. A message is kept or left out as a whole, so
// what is kept is the recording of a run of the same program with fewer rounds, but for the ends of windows, where rounds are cut. So each window goes on for a while after its last
// novel message, and what touches this edge is no example later (weigh.h).
//
// What was left out is shared among examples from before the gap, so that the messages, bytes and times of every class
// add up exactly; the numbers of episodes follow from them. Whatever is new (another partner, size, tag or path, or the
// same after another message) is seen. What is lost: a program whose messages look the same later in the run, and
// mean something else. A program whose messages do not repeat has no such windows: of it the first part is kept, and the
// others are in the sums. So what is kept is bounded for every run.
//
// Cost: O(records + messages · log messages), 24 bytes for each half of a message and as much for sorting them, and
// what the analysis needs for the calls that are kept.
#pragma once

#include "recordings/meaning/messages.h"
#include "recordings/meaning/numbering.h"
#include "recordings/record/reader.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace tacit::recordings {

class run_names;

/// Messages that look the same: group, sender, receiver, tag, bytes, paths of the sending and of the receiving call, received
/// with a wildcard.
using message_class = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t, std::uint64_t,
                                 std::uint32_t, std::uint32_t, bool>;
struct hash_of_class {
  std::size_t operator()(const message_class& c) const;
};
struct class_total {
  std::uint64_t messages = 0;
  double seconds = 0; ///< in their calls
};
/// What the messages of each class add up to.
struct class_totals {
  numbering<message_class, hash_of_class> classes;
  std::vector<class_total> totals; ///< by number
  class_total& of(const message_class& c) {
    const std::uint32_t number = classes.number_of(c);
    totals.resize(classes.size());
    return totals[number];
  }
};

/// A part of the run that is kept. Times are nanoseconds since the first rank's start.
struct kept_window {
  std::int64_t begin = 0, end = 0; ///< of what is kept, by the time of sends
  std::int64_t first = 0;          ///< the first novel message
  std::int64_t steady = 0;         ///< the last quarter before the edge
  std::int64_t edge =
      0; ///< from here on rounds may be cut; after the end of the run if this is the last window
};

/// What a whole run adds up to.
struct run_survey {
  run_survey();
  ~run_survey();
  message_table totals; ///< names and sums; no messages
  std::unique_ptr<run_names> names;
  class_totals of_classes;
  std::vector<kept_window> windows; ///< one after the other
  /// When the first rank began to count (rank_recording::counting_from), if any did.
  std::optional<std::int64_t> cut;
  /// Of a long run whose messages do not repeat: what was sent later is not kept.
  std::optional<std::int64_t> kept_until;
};

struct surveyed_run {
  recording_set recorded;             ///< the calls that were kept
  std::unique_ptr<run_survey> survey; ///< none: all were
};

struct survey_options {
  /// Runs with fewer records are kept as a whole: a gigabyte of memory is enough for them.
  std::uint64_t smallest = 1'500'000;
  std::uint32_t novelty = 32; ///< so many messages of a class are novel; fewer if that keeps too much
  /// Messages that are kept of a run in which most are novel; with three calls each, two thirds of a gigabyte.
  std::uint64_t most = 750'000;
  progress_callback progress;
};

/// Reads a run: all of it, or what stands for it. Cost as above.
surveyed_run read_run(std::span<const recording_file> files, diagnostics& problems,
                      const survey_options& options = {});

} // namespace tacit::recordings
