// Per rank, one walk over the calls finds every sending and receiving half, follows requests from the call
// that posted them to the one that completed them, and shares out the time of every call among what it worked
// for. Then both sides are sorted by channel and paired. Cost O(records · log records).
#include "recordings/meaning/messages.h"

#include "recordings/meaning/calls.h"
#include "recordings/meaning/names.h"
#include "recordings/meaning/survey.h"

#include "vocabulary/calls/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <unordered_map>

namespace tacit::recordings {

bool are_nearby(const location& x, const location& y) {
  const std::uint64_t between = x.offset < y.offset ? y.offset - x.offset : x.offset - y.offset;
  return x.module_path == y.module_path && between < nearby_bytes;
}

bool are_lines_of_one_function(const message_table& table, std::uint32_t path, std::uint32_t other) {
  const call_path &x = table.paths[path], &y = table.paths[other];
  bool near = are_nearby(table.locations[x.location], table.locations[y.location]);
  std::size_t differ = x.location == y.location ? 0 : 1;
  for (std::size_t depth = 0; depth < std::min(x.callers.size(), y.callers.size()); ++depth)
    if (x.callers[depth] != y.callers[depth]) {
      ++differ;
      near = near && are_nearby(table.callers[x.callers[depth]], table.callers[y.callers[depth]]);
    }
  return differ <= 1 && near;
}

namespace {

/// One half of a message before matching.
struct loose_half {
  std::uint32_t comm, from, to;
  std::int32_t tag;
  std::uint32_t recording; ///< of the rank it happened on
  std::uint32_t call;
  std::uint32_t completion = none;
  std::uint32_t told_call = none; ///< of a receive
  std::uint64_t bytes = 0;
  bool bytes_known = false;
  bool wildcard = false;

  auto channel() const { return std::tie(comm, from, to, tag); }
};

/// Of received data only half of the hash is kept (format.h).
bool is_other_content(std::uint64_t sent, std::uint64_t received) {
  return static_cast<std::uint32_t>(sent) != static_cast<std::uint32_t>(received);
}

class matcher {
public:
  matcher(const recording_set& recorded, diagnostics& problems, const progress_callback& progress,
          const run_survey* survey)
      : recorded_(recorded), problems_(problems), progress_(progress), survey_(survey),
        out_(survey ? survey->totals : message_table{}),
        names_(survey ? run_names(*survey->names, out_) : run_names(out_)) {}

  message_table run() {
    names_.world(recorded_.ranks);
    out_.recording_of_rank.assign(
        recorded_.recordings.empty() ? 0 : index(recorded_.recordings.back().rank) + 1, none);
    out_.of_recording.resize(recorded_.recordings.size());
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i) {
      if (progress_)
        progress_("matching", 0.8 * i / static_cast<double>(recorded_.recordings.size()));
      out_.recording_of_rank[index(recorded_.recordings[i].rank)] = i;
      name_paths(i);
      walk(i);
    }
    pair();
    share_times();
    if (survey_)
      take_totals();
    report();
    return std::move(out_);
  }

private:
  void name_paths(std::uint32_t i) {
    const rank_recording& r = recorded_.recordings[i];
    std::vector<std::uint32_t>& of_call = out_.of_recording[i].path_of_call;
    of_call.reserve(r.calls.size());
    rank_names names(names_, r);
    for (const call& one : r.calls)
      of_call.push_back(names.path_of(one));
    out_.of_recording[i].group_of_comm = names.groups();
    out_.location_of_begun.push_back(r.begun ? names_.location(r, r.begun->site, r.begun->id) : none);
  }

  /// World rank of `peer` in the communicator of `c`, or none.
  std::uint32_t world_rank(std::uint32_t i, const call& c, std::int32_t peer) const {
    if (c.comm == none || peer < 0)
      return none;
    const communicator_info& comm = recorded_.recordings[i].communicators[c.comm];
    if (comm.inter || static_cast<std::size_t>(peer) >= comm.members.size())
      return none;
    return comm.members[static_cast<std::size_t>(peer)];
  }

  /// Finds the halves of messages of one rank and where each request was posted.
  void walk(std::uint32_t i) {
    const rank_recording& r = recorded_.recordings[i];
    rank_index& ids = out_.of_recording[i];
    ids.message_of_call.assign(r.calls.size(), none);
    ids.message_of_completion.assign(r.completions.size(), none);
    poster_of_request_.emplace_back(r.request_ids.size(), none);
    poster_of_completion_.emplace_back(r.completions.size(), none);
    open_.clear();
    found_all_.clear();
    found_by_probe_.clear();
    persistent_collectives_.clear();
    initialized_by_.emplace_back();
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      const call& one = r.calls[c];
      const call_class kind = class_of(one);
      if (kind == call_class::collective_init || kind == call_class::neighbor_init)
        for (const std::uint64_t id : r.requests_of(one))
          persistent_collectives_[id] = c;
      const bool posts = is_posting(kind) || kind == call_class::icollective || kind == call_class::ineighbor;
      if (posts && one.requests > 0 && r.requests_of(one)[0] != 0)
        open_[r.requests_of(one)[0]] = c;
      if (kind == call_class::complete)
        for (std::uint64_t q = 0; q < one.requests; ++q)
          poster_of_request_[i][one.first_request + q] = posting_call(r.request_ids[one.first_request + q]);
      for (const completion& done : r.completions_of(c)) {
        const auto at = static_cast<std::size_t>(&done - r.completions.data());
        poster_of_completion_[i][at] = done.request == 0 ? c : posting_call(done.request);
      }
      if ((one.flags & call_failed) == 0) {
        add_half(i, c, kind);
        note_question(r, c, kind);
      }
    }
    complete_receives(i);
  }

  /// Questions whose answer is that a message has come. Which of several requests MPI_Request_get_status_some found is not
  /// recorded: then it may be any.
  void note_question(const rank_recording& r, std::uint32_t c, call_class kind) {
    const call& one = r.calls[c];
    const bool found = (one.flags & call_flag_true) != 0;
    if (kind == call_class::request_query) {
      const std::uint64_t request = one.requests > 0 ? r.requests_of(one)[0] : 0;
      if (request == 0 && (found || one.id == static_cast<std::uint16_t>(mpi_call::Request_get_status_some)))
        found_all_.push_back(c);
      else if (const auto receive =
                   found ? receive_of_call_.find(posting_call(request)) : receive_of_call_.end();
               receive != receive_of_call_.end())
        receives_[receive->second].told_call = std::min(receives_[receive->second].told_call, c);
    }
    const bool waits = one.id == static_cast<std::uint16_t>(mpi_call::Probe) ||
                       one.id == static_cast<std::uint16_t>(mpi_call::Mprobe);
    if ((kind == call_class::probe || kind == call_class::mprobe) && (found || waits) && one.comm != none) {
      constexpr std::size_t most = 1000; // probes for messages that the program never takes add up
      if (found_by_probe_.size() == most)
        found_by_probe_.erase(found_by_probe_.begin());
      found_by_probe_.push_back(c);
    }
  }

  /// The first probe before the receive `h` that may have found its message, or none. The message of a probe is that of the
  /// next receive that fits.
  std::uint32_t probe_before(const rank_recording& r, const loose_half& h, std::int32_t source) {
    std::uint32_t first = none;
    std::erase_if(found_by_probe_, [&](std::uint32_t c) {
      const call& probe = r.calls[c];
      const bool fits = c < h.call && probe.comm == r.calls[h.call].comm &&
                        (probe.tag == any_tag || probe.tag == h.tag) &&
                        (probe.peer == peer_any || probe.peer == source);
      first = fits ? std::min(first, c) : first;
      return fits;
    });
    return first;
  }

  std::uint32_t posting_call(std::uint64_t request) const {
    const auto at = open_.find(request);
    return at == open_.end() ? none : at->second;
  }

  bool starts_collective(const rank_recording& r, const call& c) const {
    return c.requests > 1 && persistent_collectives_.contains(r.requests_of(c)[1]);
  }

  void add_half(std::uint32_t i, std::uint32_t c, call_class kind) {
    const rank_recording& r = recorded_.recordings[i];
    const call& one = r.calls[c];
    const side which = side_of(kind, one.part);
    if (which == side::neither || one.peer == peer_null || one.comm == none)
      return;
    if (kind == call_class::start && starts_collective(r, one)) {
      initialized_by_[i][c] = persistent_collectives_.at(r.requests_of(one)[1]);
      return;
    }
    loose_half h{};
    h.comm = out_.of_recording[i].group_of_comm[one.comm];
    h.tag = one.tag;
    h.recording = i;
    h.call = c;
    if (one.layout != none && (one.count == 0 || r.layouts[one.layout].size <= ~0ull / one.count)) {
      h.bytes = r.layouts[one.layout].size * one.count;
      h.bytes_known = true;
    }
    const std::uint32_t peer = world_rank(i, one, one.peer);
    if (which == side::sends) {
      h.from = static_cast<std::uint32_t>(index(r.rank));
      h.to = peer;
      if (peer == none || peer == not_in_world) {
        ++out_.unmatched_sends;
        if (is_outside(r, one.comm, peer)) {
          ++out_.outside.sends;
          out_.outside.bytes += h.bytes;
        }
      } else {
        sends_.push_back(h);
      }
    } else {
      h.from = peer;
      h.to = static_cast<std::uint32_t>(index(r.rank));
      h.bytes_known = false; // the size of the buffer; the completion knows the message's
      h.wildcard = one.peer == peer_any || one.tag == any_tag;
      receive_of_call_[c] = receives_.size();
      receives_.push_back(h);
    }
  }

  /// What told the program of the messages of rank i before they were complete. The order is that of posting.
  void note_told(std::uint32_t i) {
    const rank_recording& r = recorded_.recordings[i];
    for (std::size_t at = receives_done_; at < receives_.size(); ++at) {
      loose_half& h = receives_[at];
      if (h.comm == none || h.completion == none)
        continue;
      const auto question = std::upper_bound(found_all_.begin(), found_all_.end(), h.call);
      if (question != found_all_.end())
        h.told_call = std::min(h.told_call, *question);
      if (!found_by_probe_.empty())
        h.told_call = std::min(h.told_call, probe_before(r, h, r.completions[h.completion].source));
      if (h.told_call >= r.completions[h.completion].call)
        h.told_call = none;
    }
  }

  /// Gives the receives of rank i what their completions know; drops those that took no message.
  void complete_receives(std::uint32_t i) {
    const rank_recording& r = recorded_.recordings[i];
    for (std::uint32_t at = 0; at < r.completions.size(); ++at) {
      const completion& done = r.completions[at];
      const std::uint32_t poster = poster_of_completion_[i][at];
      const auto receive = poster == none ? receive_of_call_.end() : receive_of_call_.find(poster);
      if (receive == receive_of_call_.end())
        continue;
      loose_half& h = receives_[receive->second];
      if ((done.flags & (completion_cancelled | completion_failed)) != 0) {
        h.comm = none;
        if ((done.flags & completion_cancelled) != 0)
          ++out_.cancelled;
        else
          ++out_.unmatched_receives;
        continue;
      }
      h.completion = at;
      h.from = done.source == peer_null ? none : world_rank(i, r.calls[h.call], done.source);
      h.tag = done.tag;
      h.bytes = done.bytes;
      h.bytes_known = true;
      h.wildcard = h.wildcard || (done.flags & (completion_any_source | completion_any_tag)) != 0;
      if (done.source == peer_null)
        h.comm = none;
    }
    receive_of_call_.clear();
    note_told(i);
    const auto took_nothing = [&](const loose_half& h) {
      if (h.comm == none)
        return true;
      const bool unresolved =
          h.from == none || h.from == not_in_world || (h.completion == none && h.wildcard);
      if (unresolved) {
        ++out_.unmatched_receives;
        if (is_outside(r, r.calls[h.call].comm, h.from))
          ++out_.outside.receives;
      }
      return unresolved;
    };
    const auto first = receives_.begin() + static_cast<std::ptrdiff_t>(receives_done_);
    receives_.erase(std::remove_if(first, receives_.end(), took_nothing), receives_.end());
    receives_done_ = receives_.size();
  }

  /// Pairs the k-th send and receive of each channel. Both lists hold each rank's halves in order of posting.
  void pair() {
    const auto by_channel = [](const loose_half& a, const loose_half& b) {
      return a.channel() < b.channel();
    };
    std::stable_sort(sends_.begin(), sends_.end(), by_channel);
    std::stable_sort(receives_.begin(), receives_.end(), by_channel);
    out_.messages.reserve(std::min(sends_.size(), receives_.size()));
    auto s = sends_.begin();
    auto v = receives_.begin();
    while (s != sends_.end() && v != receives_.end()) {
      if (s->channel() == v->channel())
        add_message(*s++, *v++);
      else if (s->channel() < v->channel())
        unmatched_send(*s++);
      else
        ++out_.unmatched_receives, ++v;
    }
    for (; s != sends_.end(); ++s)
      unmatched_send(*s);
    out_.unmatched_receives += static_cast<std::uint64_t>(receives_.end() - v);
    sends_ = {};
    receives_ = {};
  }

  void unmatched_send(const loose_half& s) {
    if (out_.unmatched_sends++ == 0)
      first_unmatched_ =
          fmt::format("the first: rank {} to rank {}, tag {}, {} B", s.from, s.to, s.tag, s.bytes);
  }

  void add_message(const loose_half& s, const loose_half& v) {
    const auto id = static_cast<std::uint32_t>(out_.messages.size());
    message m;
    m.from = s.from;
    m.to = s.to;
    m.comm = s.comm;
    m.tag = s.tag;
    m.bytes = v.bytes_known ? v.bytes : s.bytes;
    m.send_call = s.call;
    m.recv_call = v.call;
    m.completion = v.completion;
    m.told_call = v.told_call;
    m.wildcard = v.wildcard;
    const call& sent = recorded_.recordings[s.recording].calls[s.call];
    if (v.completion != none) {
      const completion& done = recorded_.recordings[v.recording].completions[v.completion];
      out_.of_recording[v.recording].message_of_completion[v.completion] = id;
      const bool both_hashed =
          (sent.flags & call_hash_valid) != 0 && (done.flags & completion_hash_valid) != 0;
      m.consistent = !(s.bytes_known && v.bytes_known && s.bytes != v.bytes) &&
                     !(both_hashed && is_other_content(sent.hash, done.hash));
    }
    if (!m.consistent && inconsistent_++ == 0)
      first_inconsistent_ =
          fmt::format("the first: rank {} to rank {}, tag {}, {} B", s.from, s.to, s.tag, s.bytes);
    out_.of_recording[s.recording].message_of_call[s.call] = id;
    out_.of_recording[v.recording].message_of_call[v.call] = id;
    out_.messages.push_back(m);
  }

  /// Shares the time of each call among the messages and collectives it posted or waited for.
  void share_times() {
    for (std::uint32_t i = 0; i < recorded_.recordings.size(); ++i) {
      if (progress_)
        progress_("matching", 0.8 + 0.2 * i / static_cast<double>(recorded_.recordings.size()));
      const rank_recording& r = recorded_.recordings[i];
      for (std::size_t at = 0; at < poster_of_completion_[i].size(); ++at) {
        const std::uint32_t poster = poster_of_completion_[i][at];
        std::uint32_t& message = out_.of_recording[i].message_of_completion[at];
        if (message == none && poster != none)
          message = out_.of_recording[i].message_of_call[poster];
      }
      for (std::uint32_t c = 0; c < r.calls.size();) {
        const std::uint32_t end = end_of_call(r, c);
        share_call(i, c, end);
        c = end;
      }
    }
  }

  /// One past the last record of the call whose first one is given.
  static std::uint32_t end_of_call(const rank_recording& r, std::uint32_t first) {
    std::uint32_t end = first + 1;
    while (end < r.calls.size() && r.calls[end].begin == r.calls[first].begin &&
           r.calls[end].id == r.calls[first].id)
      ++end;
    return end;
  }

  /// The records [first, end) are one call.
  void share_call(std::uint32_t i, std::uint32_t first, std::uint32_t end) {
    const rank_recording& r = recorded_.recordings[i];
    const call& one = r.calls[first];
    const call_class kind = class_of(one);
    if (kind == call_class::init || kind == call_class::finalize || kind == call_class::abort)
      return;
    const call_time t = time_in(one, kind, r.seconds_per_tick);
    const double seconds = t.seconds;
    out_.calls += t.calls;
    out_.communication_seconds += seconds;
    const std::uint32_t path = out_.of_recording[i].path_of_call[first], where = out_.paths[path].location;
    out_.path_seconds[path] += seconds;
    out_.location_seconds[where] += seconds;
    out_.location_calls[where] += t.calls;
    if (kind == call_class::unknown || (one.flags & call_unknown) != 0)
      ++out_.unmodelled[one.id], out_.unmodelled_seconds += seconds;
    if (is_collective(kind))
      count_collective(i, first, end);
    for (std::uint32_t c = first; c < end; ++c)
      if (const auto init = initialized_by_[i].find(c); init != initialized_by_[i].end())
        count_collective(i, init->second, end_of_call(r, init->second));
    shared_to_.clear();
    if (kind == call_class::complete) {
      for (std::uint64_t q = 0; q < one.requests; ++q)
        if (const std::uint32_t poster = poster_of_request_[i][one.first_request + q]; poster != none)
          shared_to_.push_back(poster);
    } else {
      for (std::uint32_t c = first; c < end; ++c)
        shared_to_.push_back(c);
    }
    if (shared_to_.empty())
      out_.other_seconds += seconds;
    for (const std::uint32_t c : shared_to_)
      charge(i, c, seconds / static_cast<double>(shared_to_.size()));
  }

  /// Books time on what the call `c` of rank i posted.
  void charge(std::uint32_t i, std::uint32_t c, double seconds) {
    const std::uint32_t message = out_.of_recording[i].message_of_call[c];
    const call& one = recorded_.recordings[i].calls[c];
    if (message != none)
      out_.messages[message].seconds += seconds;
    else if (is_collective(class_of(one)) && one.comm != none)
      collective_of(i, one).seconds += seconds;
    else if (const auto init = initialized_by_[i].find(c); init != initialized_by_[i].end())
      collective_of(i, recorded_.recordings[i].calls[init->second]).seconds += seconds;
    else
      out_.other_seconds += seconds;
  }

  collective_total& collective_of(std::uint32_t i, const call& c) {
    const call_row* row = find_call(c.id);
    const std::uint16_t blocking = row->twin == mpi_call::none ? c.id : static_cast<std::uint16_t>(row->twin);
    return out_.collectives[{blocking, out_.of_recording[i].group_of_comm[c.comm]}];
  }

  void count_collective(std::uint32_t i, std::uint32_t first, std::uint32_t end) {
    const rank_recording& r = recorded_.recordings[i];
    const call& one = r.calls[first];
    if (one.comm == none)
      return;
    collective_total& total = collective_of(i, one);
    ++total.calls;
    for (std::uint32_t c = first; c < end; ++c)
      total.bytes += contributed_bytes(r, one, r.calls[c]);
  }

  /// What was counted here are the calls that were kept; the survey has seen all.
  void take_totals() {
    const message_table& all = survey_->totals;
    out_.location_seconds = all.location_seconds;
    out_.location_calls = all.location_calls;
    out_.path_seconds = all.path_seconds;
    out_.collectives = all.collectives;
    out_.unmodelled = all.unmodelled;
    out_.unmodelled_seconds = all.unmodelled_seconds;
    out_.calls = all.calls;
    out_.counted_calls = all.counted_calls;
    out_.without_example = all.without_example;
    out_.unmatched_sends = all.unmatched_sends;
    out_.unmatched_receives = all.unmatched_receives;
    out_.outside = all.outside;
    out_.cancelled = all.cancelled;
    out_.communication_seconds = all.communication_seconds;
    out_.other_seconds = all.other_seconds;
  }

  void add_problem(reason why, severity level, std::string text, std::string remedy) {
    diagnostic d;
    d.code = number(why);
    d.level = level;
    d.message = std::move(text);
    d.remedy = std::move(remedy);
    problems_.push_back(std::move(d));
  }

  void report() {
    if (inconsistent_ != 0)
      add_problem(reason::bad_file, severity::warning,
                  fmt::format("{} messages differ in length or content between sender and receiver ({}); "
                              "their data is not followed",
                              inconsistent_, first_inconsistent_),
                  "Either the program changed a buffer while a nonblocking send was using it, or two threads "
                  "called MPI at once.");
    if (out_.unmatched_sends > out_.outside.sends)
      add_problem(reason::unmatched, severity::remark,
                  fmt::format("{} sends without a recorded receive{}",
                              out_.unmatched_sends - out_.outside.sends,
                              first_unmatched_.empty() ? "" : " (" + first_unmatched_ + ")"),
                  "Expected if a rank's recording is missing or the run was aborted.");
    if (out_.unmatched_receives > out_.outside.receives)
      add_problem(
          reason::unmatched, severity::remark,
          fmt::format("{} receives without a recorded send", out_.unmatched_receives - out_.outside.receives),
          "Expected if a rank's recording is missing, the run was aborted, or receives were never "
          "completed.");
  }

  const recording_set& recorded_;
  diagnostics& problems_;
  const progress_callback& progress_;
  const run_survey* survey_;
  message_table out_;
  run_names names_;
  std::vector<loose_half> sends_, receives_;
  std::size_t receives_done_ = 0;                                  ///< receives of earlier ranks
  std::unordered_map<std::uint32_t, std::size_t> receive_of_call_; ///< of the current rank, into receives_
  std::unordered_map<std::uint64_t, std::uint32_t> open_;          ///< request → call that posted it
  /// Calls of the current rank, ascending: questions about several requests at once, and probes whose message is not known yet.
  std::vector<std::uint32_t> found_all_, found_by_probe_;
  std::unordered_map<std::uint64_t, std::uint32_t>
      persistent_collectives_; ///< request of an _init call → call
  /// Per recording: the start of a persistent collective → its _init call.
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> initialized_by_;
  std::vector<std::vector<std::uint32_t>> poster_of_request_;    ///< per recording, parallel to request_ids
  std::vector<std::vector<std::uint32_t>> poster_of_completion_; ///< per recording, parallel to completions
  std::vector<std::uint32_t> shared_to_;
  std::uint64_t inconsistent_ = 0;
  std::string first_inconsistent_, first_unmatched_;
};

} // namespace

message_table match_messages(const recording_set& recorded, diagnostics& problems,
                             const progress_callback& progress, const run_survey* survey) {
  return matcher(recorded, problems, progress, survey).run();
}

} // namespace tacit::recordings
