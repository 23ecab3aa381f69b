// The analysis of a recording, in the order in which it happens: read this first.
//
// Recordings become messages (who took which send), messages get their provenance (which bytes were seen
// forwarded), fall into episodes (what belongs together), are judged by the core as small communication
// graphs, and are put together again as activities of the program's call sites. Every step is a function over
// plain values, and none changes what an earlier one has made.
#include "recordings/meaning/analysis.h"

#include "recordings/meaning/activities.h"
#include "recordings/meaning/alike.h"
#include "recordings/meaning/doubts.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/groups.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/phases.h"
#include "recordings/meaning/provenance.h"
#include "recordings/meaning/shapes.h"
#include "recordings/meaning/survey.h"
#include "recordings/meaning/symbols.h"
#include "recordings/meaning/weigh.h"

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
    a.in_device += r.in_device;
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
    } else if (!r.calls.empty() && !r.counting_from) {
      end.site = location_of(table, static_cast<std::uint32_t>(i), r.calls.size() - 1);
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
  for (const message& m : table.messages) {
    if (m.times == 0)
      continue;
    a.messages += m.times;
    a.bytes += m.bytes * m.times;
    matrix_entry& entry = a.matrix[{rank_id{m.from}, rank_id{m.to}}];
    entry.messages += m.times;
    entry.bytes += m.bytes * m.times;
  }
  for (const auto& [pair, sum] : table.without_example) {
    a.messages += sum.messages;
    a.bytes += sum.bytes;
    a.without_example += sum.messages;
    a.without_example_seconds += sum.seconds;
    if (pair.first == none || pair.second == none)
      continue;
    matrix_entry& entry = a.matrix[{rank_id{pair.first}, rank_id{pair.second}}];
    entry.messages += sum.messages;
    entry.bytes += sum.bytes;
  }
  a.counted_calls = table.counted_calls;
  a.unmodelled_seconds = table.unmodelled_seconds;
  a.unmatched_sends = table.unmatched_sends;
  a.unmatched_receives = table.unmatched_receives;
  a.outside_sends = table.outside.sends;
  a.outside_bytes = table.outside.bytes;
  a.outside_receives = table.outside.receives;
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

call_site place_of(const location& where, symbolizer& symbols) {
  const source_location source = symbols.find(where);
  call_site site;
  site.module = std::filesystem::path(where.module_path).filename().string();
  site.build_id = where.build_id;
  site.offset = where.offset;
  site.function = source.function;
  site.function_offset = source.function_offset;
  site.file = source.file;
  site.line = source.line;
  return site;
}

std::vector<call_site> list_sites(const message_table& table, symbolizer& symbols) {
  std::vector<call_site> sites;
  for (std::size_t i = 0; i < table.locations.size(); ++i) {
    call_site site = place_of(table.locations[i], symbols);
    site.call = std::string(call_name(table.locations[i].call));
    site.calls = table.location_calls[i];
    site.seconds = table.location_seconds[i];
    sites.push_back(std::move(site));
  }
  return sites;
}

/// Callers of the main program are the system's.
bool is_before_main(const call_site& place) {
  return place.function.starts_with("__libc_start") || place.function == "_start";
}

/// Writes out the call paths of activities, which are those of the message table until now.
void name_callers(analysis& a, const message_table& table, symbolizer& symbols) {
  std::vector<bool> outside;
  for (const location& where : table.callers) {
    a.callers.push_back(place_of(where, symbols));
    outside.push_back(is_before_main(a.callers.back()));
  }
  for (activity& one : a.activities)
    for (std::vector<std::uint32_t>& path : one.called_from)
      path.erase(std::find_if(path.begin(), path.end(), [&](std::uint32_t c) { return outside[c]; }),
                 path.end());
  for (activity& one : a.activities) {
    std::vector<std::vector<std::uint32_t>> distinct;
    for (std::vector<std::uint32_t>& path : one.called_from)
      if (!path.empty() && std::find(distinct.begin(), distinct.end(), path) == distinct.end())
        distinct.push_back(std::move(path));
    one.called_from = std::move(distinct);
  }
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

void report_outside(const analysis& a, diagnostics& problems) {
  if (a.outside_sends + a.outside_receives > 0)
    add_remark(reason::unknown_call,
               fmt::format("{} sends with {} B and {} receives are over intercommunicators or with processes "
                           "outside MPI_COMM_WORLD",
                           a.outside_sends, a.outside_bytes, a.outside_receives),
               "They are counted here alone: who took what is not followed, and no pattern is looked for.",
               problems);
}

void report_no_hashes(const analysis& a, diagnostics& problems) {
  if (!a.hashing && a.recorded_ranks > 0)
    add_remark(
        reason::observation_only,
        "the recording has no content hashes, so forwarding cannot be seen and no collective is looked for",
        "Record with hashing.", problems);
}

/// What is only in the sums, and in no card.
std::string without_example(const analysis& a) {
  return a.without_example == 0
             ? std::string()
             : fmt::format(", but {} of {} messages look like none before and are in the sums alone",
                           a.without_example, a.messages);
}

void report_limit(const analysis& a, diagnostics& problems) {
  if (a.counted_calls > 0)
    add_remark(reason::recording_limit,
               fmt::format(
                   "the recording reached its limit: {} of {} calls are only counted, from {:.3g} s on; sums "
                   "are exact, and earlier messages stand for later ones of the same shape{}",
                   a.counted_calls, a.calls, a.counting_from_seconds, without_example(a)),
               "Record with a larger --max-size.", problems);
}

void report_kept_part(const analysis& a, diagnostics& problems) {
  if (a.kept_until_seconds > 0)
    add_remark(
        reason::analysis_limited,
        fmt::format(
            "few messages of this run look like earlier ones: those of the first {:.3g} s are looked at; "
            "sums are exact, and these messages stand for later ones of the same shape{}",
            a.kept_until_seconds, without_example(a)),
        "Record a shorter part of the run.", problems);
}

void report_device_memory(const analysis& a, diagnostics& problems) {
  if (a.in_device > 0)
    add_remark(reason::device_memory,
               fmt::format("the data of {} {} in device memory, which only the MPI library may read: their "
                           "content was not compared, so what is forwarded there cannot be seen",
                           a.in_device, a.in_device == 1 ? "send or receive was" : "sends and receives were"),
               "", problems);
}

analysis analyze_calls(const recording_set& recorded, const run_survey* survey, diagnostics& problems,
                       const analysis_options& options) {
  message_table table = match_messages(recorded, problems, options.progress, survey);
  // From here on every message has one sender and one receiver, both recorded.
  const provenance data = follow_forwards(recorded, table);
  const episode_list by_data =
      find_episodes(recorded, table, data, options.smallest_evidence, options.progress);
  // From here on every message is in exactly one episode.
  fact_table judged = gather_facts(recorded, table, data, by_data, options);
  const std::vector<shaped_messages> shapes =
      find_shapes(recorded, table, data, by_data, judged, find_phases(table, judged));
  regrouped found = regroup(recorded, table, data, by_data, std::move(judged), shapes, options);
  // From here on what has a shape is an episode, too.
  if (survey)
    found = weigh(recorded, table, *survey, std::move(found));
  const auto& [episodes, facts] = found;
  // From here on each message of an episode stands for some number of messages, and all together for all there are.
  const std::vector<phase> by_path = join_phases(recorded, table, episodes, facts, find_phases(table, facts));
  const std::vector<phase> by_site = find_phases_by_site(table, facts);
  const std::vector<doubt> doubts = doubts_of(table, episodes, facts, by_path, by_site);
  // From here on it is known which of the collectives that were seen count.
  const std::vector<phase> phases =
      join_alike(recorded, table, data, episodes, facts, doubts, by_site, by_path);
  const std::vector<activity> activities =
      find_activities({recorded, table, data, episodes, facts, phases, doubts}, options);
  const std::vector<collective_use> collectives = list_collectives(table);
  const numbering number(table, activities, collectives);

  analysis a;
  describe_run(a, recorded);
  if (survey && survey->cut)
    a.counting_from_seconds = static_cast<double>(*survey->cut) * 1e-9;
  if (survey && survey->kept_until)
    a.kept_until_seconds = static_cast<double>(*survey->kept_until) * 1e-9;
  fill_totals(a, table);
  a.communicators = list_communicators(table, number);
  symbolizer symbols;
  a.sites = list_sites(table, symbols);
  a.ends = find_ends(recorded, table);
  a.collectives = numbered(collectives, number);
  a.activities = numbered(activities, number);
  name_callers(a, table, symbols);
  report_no_hashes(a, problems);
  report_device_memory(a, problems);
  report_limit(a, problems);
  report_kept_part(a, problems);
  report_unmodelled(a, problems);
  report_outside(a, problems);
  return a;
}

} // namespace

analysis analyze(const recording_set& recorded, diagnostics& problems, const analysis_options& options) {
  return analyze_calls(recorded, nullptr, problems, options);
}

analysis analyze_run(const surveyed_run& run, diagnostics& problems, const analysis_options& options) {
  return analyze_calls(run.recorded, run.survey.get(), problems, options);
}

} // namespace tacit::recordings
