// The analysis of a recording, in the order in which it happens: read this first.
//
// Recordings become messages (who took which send), messages get their provenance (which bytes were seen
// forwarded), fall into episodes (what belongs together), are judged by the core as small communication
// graphs, and are put together again as activities of the program's call sites. Every step is a function over
// plain values.
#include "recordings/meaning/analysis.h"

#include "recordings/meaning/activities.h"
#include "recordings/meaning/episode_facts.h"
#include "recordings/meaning/episodes.h"
#include "recordings/meaning/groups.h"
#include "recordings/meaning/messages.h"
#include "recordings/meaning/provenance.h"
#include "recordings/meaning/symbols.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace tacit::recordings {
namespace {

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
    a.cpu_seconds += static_cast<double>(r.cpu_ns) * 1e-9;
    a.recorder_seconds += static_cast<double>(r.recorder_ticks) * r.seconds_per_tick;
    a.hash_seconds += static_cast<double>(r.hash_ticks) * r.seconds_per_tick;
  }
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
  a.unmatched_sends = table.unmatched_sends;
  a.unmatched_receives = table.unmatched_receives;
  a.cancelled = table.cancelled;
  for (const auto& [call, times] : table.unmodelled) {
    a.unmodelled_calls += times;
    a.unmodelled_names.emplace_back(call_name(call));
  }
}

void fill_collectives(analysis& a, const message_table& table) {
  for (const auto& [key, total] : table.collectives) {
    collective_use use;
    use.call = std::string(call_name(key.first));
    use.communicator = key.second;
    const std::size_t size = std::max<std::size_t>(1, table.groups[key.second].members.size());
    use.calls = (total.calls + size - 1) / size;
    use.bytes = total.bytes;
    use.seconds = total.seconds;
    a.collectives.push_back(std::move(use));
  }
  std::stable_sort(a.collectives.begin(), a.collectives.end(),
                   [](const collective_use& x, const collective_use& y) { return x.seconds > y.seconds; });
}

void fill_shares(analysis& a) {
  if (a.communication_seconds <= 0)
    return;
  for (activity& one : a.activities)
    one.time_share = one.seconds / a.communication_seconds;
  for (collective_use& one : a.collectives)
    one.time_share = one.seconds / a.communication_seconds;
}

/// Keeps the communicators that something refers to, the world first.
void fill_communicators(analysis& a, const message_table& table, const std::vector<std::string>& shapes) {
  std::vector<std::uint32_t> new_index(table.groups.size(), none);
  const auto use = [&](std::uint32_t group) {
    if (new_index[group] != none)
      return new_index[group];
    new_index[group] = static_cast<std::uint32_t>(a.communicators.size());
    communicator_summary c;
    for (const std::uint32_t member : table.groups[group].members)
      if (member != not_in_world)
        c.members.push_back(rank_id{member});
    c.shape = shapes[group];
    c.name = group == 0 ? "world" : fmt::format("communicator {}", new_index[group]);
    a.communicators.push_back(std::move(c));
    return new_index[group];
  };
  use(0);
  for (activity& one : a.activities)
    for (std::uint32_t& group : one.communicators)
      group = use(group);
  for (collective_use& one : a.collectives)
    one.communicator = use(one.communicator);
}

void fill_sites(analysis& a, const message_table& table) {
  symbolizer symbols;
  for (std::size_t p = 0; p < table.places.size(); ++p) {
    const place& where = table.places[p];
    const source_place source = symbols.find(where);
    call_site site;
    site.call = std::string(call_name(where.call));
    site.module = std::filesystem::path(where.module_path).filename().string();
    site.build_id = where.build_id;
    site.offset = where.offset;
    site.function = source.function;
    site.file = source.file;
    site.line = source.line;
    site.text = place_text(where, source);
    site.calls = table.place_calls[p];
    site.seconds = table.place_seconds[p];
    a.sites.push_back(std::move(site));
  }
}

void report_unmodelled(const analysis& a, diagnostics& problems) {
  if (a.unmodelled_calls == 0)
    return;
  diagnostic d;
  d.code = number(reason::unknown_call);
  d.level = severity::remark;
  d.message = fmt::format("{} calls are outside the model: {}", a.unmodelled_calls,
                          fmt::join(a.unmodelled_names, ", "));
  d.remedy = "What they move is not in the numbers; data they write is never taken for forwarded.";
  problems.push_back(std::move(d));
}

void report_no_hashes(const analysis& a, diagnostics& problems) {
  if (a.hashing || a.recorded_ranks == 0)
    return;
  diagnostic d;
  d.code = number(reason::observation_only);
  d.level = severity::remark;
  d.message =
      "the recording has no content hashes, so forwarding cannot be seen and no collective is looked for";
  d.remedy = "Record with hashing.";
  problems.push_back(std::move(d));
}

} // namespace

analysis analyze(const recording_set& recorded, diagnostics& problems, const analysis_options& options) {
  analysis a;
  describe_run(a, recorded);
  const message_table table = match_messages(recorded, problems, options.progress);
  // From here on every message has one sender and one receiver, both recorded.
  const provenance data = follow_forwards(recorded, table);
  const episode_list episodes =
      find_episodes(recorded, table, data, options.smallest_evidence, options.progress);
  // From here on every message is in exactly one episode.
  fact_table facts = gather_facts(recorded, table, data, episodes, options);
  const std::vector<std::string> shapes = group_shapes(table.groups);
  a.activities = form_activities({recorded, table, data, episodes, facts}, shapes, options);
  fill_totals(a, table);
  fill_collectives(a, table);
  fill_shares(a);
  fill_communicators(a, table, shapes);
  fill_sites(a, table);
  report_no_hashes(a, problems);
  report_unmodelled(a, problems);
  return a;
}

} // namespace tacit::recordings
