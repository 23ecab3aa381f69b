// The analysis of a recording, in the order in which it happens: read this first.
//
// Recordings become messages (who took which send), messages get their provenance (which bytes were seen
// forwarded), fall into episodes (what belongs together), are judged by the core as small communication
// graphs, and are put together again as activities of the program's call sites. Every step is a function over
// plain values, and none changes what an earlier one has made.
#include "recordings/meaning/analysis.h"

#include "recordings/meaning/activities.h"
#include "recordings/meaning/doubts.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/groups.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/phases.h"
#include "recordings/meaning/provenance.h"
#include "recordings/meaning/shapes.h"
#include "recordings/meaning/symbols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace tacit::recordings {
namespace {

/// What a rank spent between MPI_Init and MPI_Finalize. Starting and ending a job is neither the program's time
/// nor communication.
double program_seconds(const rank_recording& r) {
  std::uint64_t begin = r.start_tick, end = r.end_tick;
  for (const call& c : r.calls) {
    if (class_of(c) == call_class::init)
      begin = std::max(begin, c.end);
    if (class_of(c) == call_class::finalize)
      end = std::min(end, c.begin);
  }
  return begin < end ? static_cast<double>(end - begin) * r.seconds_per_tick : 0;
}

/// How many of these records have the flag.
template <typename Record>
std::uint64_t with_flag(const std::vector<Record>& list, std::uint16_t flag) {
  return static_cast<std::uint64_t>(
      std::count_if(list.begin(), list.end(), [flag](const Record& r) { return (r.flags & flag) != 0; }));
}

void describe_run(analysis& a, const recording_set& recorded) {
  a.ranks = recorded.ranks;
  a.recorded_ranks = static_cast<std::uint32_t>(recorded.recordings.size());
  a.complete = a.recorded_ranks == a.ranks;
  a.hashing = !recorded.recordings.empty();
  for (const rank_recording& r : recorded.recordings) {
    if (a.program.empty()) {
      a.program = r.program;
      a.library = r.library;
    }
    a.complete = a.complete && r.finished;
    a.hashing = a.hashing && r.hashing;
    a.wall_seconds =
        std::max(a.wall_seconds, static_cast<double>(r.end_tick - r.start_tick) * r.seconds_per_tick);
    a.program_seconds += program_seconds(r);
    a.cpu_seconds += static_cast<double>(r.cpu_ns) * 1e-9;
    a.recorder_seconds += static_cast<double>(r.recorder_ticks) * r.seconds_per_tick;
    a.in_device += with_flag(r.calls, call_in_device) + with_flag(r.completions, completion_in_device);
    a.hash_seconds += static_cast<double>(r.hash_ticks) * r.seconds_per_tick;
  }
}

/// The world rank that a call without end names.
rank_id peer_of(const rank_recording& r, const begun_call& c) {
  if (c.comm == none || c.peer < 0 || r.communicators[c.comm].inter)
    return no_rank;
  const std::vector<std::uint32_t>& members = r.communicators[c.comm].members;
  const auto at = static_cast<std::size_t>(c.peer);
  return at < members.size() && members[at] != not_in_world ? rank_id{members[at]} : no_rank;
}

/// The order is that of the ranks' wall clocks.
std::vector<rank_end> find_ends(const recording_set& recorded, const message_table& table) {
  std::vector<rank_end> ends;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const rank_recording& r : recorded.recordings)
    first = std::min(first, r.start_unix_ns);
  for (std::size_t i = 0; i < recorded.recordings.size(); ++i) {
    const rank_recording& r = recorded.recordings[i];
    if (r.finished)
      continue;
    rank_end end;
    end.rank = r.rank;
    end.seconds =
        static_cast<double>(r.start_unix_ns - first) * 1e-9 +
        static_cast<double>(static_cast<std::int64_t>(r.end_tick - r.start_tick)) * r.seconds_per_tick;
    end.aborted = !r.calls.empty() && class_of(r.calls.back()) == call_class::abort;
    end.inside = r.begun.has_value() || end.aborted;
    if (r.begun) {
      end.site = table.location_of_begun[i];
      end.peer = peer_of(r, *r.begun);
    } else if (!r.calls.empty()) {
      end.site = table.of_recording[i].location_of_call.back();
    }
    ends.push_back(end);
  }
  std::stable_sort(ends.begin(), ends.end(),
                   [](const rank_end& a, const rank_end& b) { return a.seconds < b.seconds; });
  return ends;
}

void fill_totals(analysis& a, const message_table& table) {
  a.communication_seconds = table.communication_seconds;
  a.other_seconds = table.other_seconds;
  a.calls = table.calls;
  a.messages = table.messages.size();
  for (const message& m : table.messages) {
    a.bytes += m.bytes;
    matrix_entry& entry = a.matrix[{rank_id{m.from}, rank_id{m.to}}];
    ++entry.messages;
    entry.bytes += m.bytes;
  }
  a.unmodelled_seconds = table.unmodelled_seconds;
  a.unmatched_sends = table.unmatched_sends;
  a.unmatched_receives = table.unmatched_receives;
  a.cancelled = table.cancelled;
  for (const auto& [call, times] : table.unmodelled) {
    a.unmodelled_calls += times;
    a.unmodelled_names.emplace_back(call_name(call));
  }
}

std::vector<collective_use> list_collectives(const message_table& table) {
  std::vector<collective_use> uses;
  for (const auto& [key, total] : table.collectives) {
    collective_use use;
    use.call = std::string(call_name(key.first));
    use.communicator = key.second;
    const std::size_t size = std::max<std::size_t>(1, table.groups[key.second].members.size());
    use.calls = (total.calls + size - 1) / size;
    use.bytes = total.bytes;
    use.seconds = total.seconds;
    if (table.communication_seconds > 0)
      use.time_share = use.seconds / table.communication_seconds;
    uses.push_back(std::move(use));
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const collective_use& x, const collective_use& y) { return x.seconds > y.seconds; });
  return uses;
}

/// Gives the groups that something refers to numbers in the order of use, the world first.
class numbering {
public:
  numbering(const message_table& table, const std::vector<activity>& activities,
            const std::vector<collective_use>& collectives)
      : number_(table.groups.size(), none) {
    use(0);
    for (const activity& one : activities)
      for (const std::uint32_t group : one.communicators)
        use(group);
    for (const collective_use& one : collectives)
      use(one.communicator);
  }
  std::uint32_t operator()(std::uint32_t group) const { return number_[group]; }
  const std::vector<std::uint32_t>& groups() const { return used_; } ///< by number

private:
  void use(std::uint32_t group) {
    if (number_[group] != none)
      return;
    number_[group] = static_cast<std::uint32_t>(used_.size());
    used_.push_back(group);
  }
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> used_;
};

std::vector<activity> numbered(std::vector<activity> activities, const numbering& number) {
  for (activity& one : activities) {
    for (std::uint32_t& group : one.communicators)
      group = number(group);
    if (one.would_be && one.would_be->collective)
      one.would_be->communicator = number(one.would_be->communicator);
  }
  return activities;
}

std::vector<collective_use> numbered(std::vector<collective_use> uses, const numbering& number) {
  for (collective_use& one : uses)
    one.communicator = number(one.communicator);
  return uses;
}

std::vector<communicator_summary> list_communicators(const message_table& table, const numbering& number) {
  const std::vector<group_shape> shapes = group_shapes(table.groups);
  std::vector<communicator_summary> list;
  for (const std::uint32_t group : number.groups()) {
    communicator_summary c{shapes[group], {}};
    for (const std::uint32_t member : table.groups[group].members)
      if (member != not_in_world)
        c.members.push_back(rank_id{member});
    list.push_back(std::move(c));
  }
  return list;
}

std::vector<call_site> list_sites(const message_table& table) {
  symbolizer symbols;
  std::vector<call_site> sites;
  for (std::size_t i = 0; i < table.locations.size(); ++i) {
    const location& where = table.locations[i];
    const source_location source = symbols.find(where);
    call_site site;
    site.call = std::string(call_name(where.call));
    site.module = std::filesystem::path(where.module_path).filename().string();
    site.build_id = where.build_id;
    site.offset = where.offset;
    site.function = source.function;
    site.function_offset = source.function_offset;
    site.file = source.file;
    site.line = source.line;
    site.calls = table.location_calls[i];
    site.seconds = table.location_seconds[i];
    sites.push_back(std::move(site));
  }
  return sites;
}

void add_remark(reason why, std::string message, const char* remedy, diagnostics& problems) {
  diagnostic d;
  d.code = number(why);
  d.level = severity::remark;
  d.message = std::move(message);
  d.remedy = remedy;
  problems.push_back(std::move(d));
}

void report_unmodelled(const analysis& a, diagnostics& problems) {
  if (a.unmodelled_calls > 0)
    add_remark(reason::unknown_call,
               fmt::format("{} calls are outside the model: {}", a.unmodelled_calls,
                           fmt::join(a.unmodelled_names, ", ")),
               "What they move is not in the numbers; data they write is never taken for forwarded.",
               problems);
}

void report_no_hashes(const analysis& a, diagnostics& problems) {
  if (!a.hashing && a.recorded_ranks > 0)
    add_remark(
        reason::observation_only,
        "the recording has no content hashes, so forwarding cannot be seen and no collective is looked for",
        "Record with hashing.", problems);
}

void report_device_memory(const analysis& a, diagnostics& problems) {
  if (a.in_device > 0)
    add_remark(reason::device_memory,
               fmt::format("the data of {} {} in device memory, which only the MPI library may read: their "
                           "content was not compared, so what is forwarded there cannot be seen",
                           a.in_device, a.in_device == 1 ? "send or receive was" : "sends and receives were"),
               "", problems);
}

} // namespace

analysis analyze(const recording_set& recorded, diagnostics& problems, const analysis_options& options) {
  const message_table table = match_messages(recorded, problems, options.progress);
  // From here on every message has one sender and one receiver, both recorded.
  const provenance data = follow_forwards(recorded, table);
  const episode_list by_data =
      find_episodes(recorded, table, data, options.smallest_evidence, options.progress);
  // From here on every message is in exactly one episode.
  fact_table judged = gather_facts(recorded, table, data, by_data, options);
  const std::vector<shaped_messages> shapes =
      find_shapes(recorded, table, data, by_data, judged, find_phases(table, judged));
  const auto [episodes, facts] = regroup(recorded, table, data, by_data, std::move(judged), shapes, options);
  // From here on what has a shape is an episode, too.
  const std::vector<phase> phases = join_phases(recorded, table, episodes, facts, find_phases(table, facts));
  const std::vector<doubt> doubts = doubts_of(episodes, facts, phases);
  // From here on it is known which of the collectives that were seen count.
  const std::vector<activity> activities =
      find_activities({recorded, table, data, episodes, facts, phases, doubts}, options);
  const std::vector<collective_use> collectives = list_collectives(table);
  const numbering number(table, activities, collectives);

  analysis a;
  describe_run(a, recorded);
  fill_totals(a, table);
  a.communicators = list_communicators(table, number);
  a.sites = list_sites(table);
  a.ends = find_ends(recorded, table);
  a.collectives = numbered(collectives, number);
  a.activities = numbered(activities, number);
  report_no_hashes(a, problems);
  report_device_memory(a, problems);
  report_unmodelled(a, problems);
  return a;
}

} // namespace tacit::recordings
