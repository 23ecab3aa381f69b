#include "recordings/meaning/survey.h"

#include "recordings/meaning/calls.h"
#include "recordings/meaning/names.h"
#include "recordings/meaning/rank_survey.h"
#include "recordings/meaning/sampling.h"
#include "vocabulary/base/hash.h"

#include <algorithm>
#include <utility>

namespace tacit::recordings {

std::size_t hash_of_class::operator()(const message_class& c) const {
  const auto& [comm, from, to, tag, bytes, sent, received, wildcard] = c;
  const std::uint64_t words[] = {std::uint64_t{comm} << 32 | static_cast<std::uint32_t>(tag),
                                 std::uint64_t{from} << 32 | to, bytes, std::uint64_t{sent} << 32 | received,
                                 wildcard};
  return vocabulary::hash_of(words, sizeof words);
}

run_survey::run_survey() : names(std::make_unique<run_names>(totals)) {}
run_survey::~run_survey() = default;

namespace {

/// Calls that only their numbers and times are known of, if no message near them is kept.
bool is_left_out(call_class kind) {
  switch (kind) {
  case call_class::collective:
  case call_class::icollective:
  case call_class::neighbor:
  case call_class::ineighbor:
  case call_class::complete:
  case call_class::probe:
  case call_class::mprobe:
  case call_class::unknown:
  case call_class::local:
  case call_class::cancel:
  case call_class::request_free:
  case call_class::request_query:
    return true;
  default:
    return is_posting(kind);
  }
}

} // namespace

surveyed_run read_run(std::span<const recording_file> files, diagnostics& problems,
                      const survey_options& options) {
  surveyed_run run;
  std::uint64_t records = 0;
  for (const recording_file& file : files) {
    std::string ignored;
    records += count_records(file.load(ignored));
  }
  const auto read_all = [&] {
    run.survey.reset();
    run.recorded = read_files(files, problems, options.progress,
                              [](std::size_t, std::span<const std::byte> bytes, const std::string& name,
                                 diagnostics& found) { return read_rank(bytes, name, found); });
    return std::move(run);
  };
  if (records < options.smallest) {
    const std::size_t told_before = problems.size();
    run = read_all();
    const auto& all = run.recorded.recordings;
    if (std::none_of(all.begin(), all.end(),
                     [](const rank_recording& r) { return r.counting_from.has_value(); }))
      return run;
    run = {}; // sums are needed
    problems.resize(told_before);
  }

  run.survey = std::make_unique<run_survey>();
  halves found;
  diagnostics found_first; // all of it comes again
  std::vector<std::uint32_t> calls(files.size(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> sends(files.size()); // of each file, in `found`
  const recording_set all = read_files(
      files, found_first, options.progress,
      [&](std::size_t i, std::span<const std::byte> bytes, const std::string& name, diagnostics& told) {
        sends[i].first = found.sends.all.size();
        const auto survey = survey_rank(run.survey->totals, *run.survey->names, found);
        auto one = read_rank(bytes, name, told, {.sink = survey.get(), .keep = {}});
        if (one)
          survey->end(*one);
        calls[i] = survey->calls();
        sends[i].second = found.sends.all.size();
        return one;
      });
  const std::size_t read = static_cast<std::size_t>(
      std::count_if(calls.begin(), calls.end(), [](std::uint32_t n) { return n > 0; }));
  if (all.recordings.size() != files.size() || read != files.size())
    return read_all(); // files that do not belong together: they say so there
  const std::int64_t first = first_start(all);
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t s = sends[i].first; s < sends[i].second; ++s)
      found.sent_at[s] = time_of(all.recordings[i], static_cast<std::uint64_t>(found.sent_at[s]), first);
  for (const rank_recording& r : all.recordings)
    if (r.counting_from) {
      const std::int64_t cut = time_of(r, *r.counting_from, first);
      run.survey->cut = std::min(cut, run.survey->cut.value_or(cut));
    }
  std::vector<std::uint32_t> file_of_rank(all.ranks, none);
  for (std::uint32_t i = 0; i < all.recordings.size(); ++i)
    file_of_rank[index(all.recordings[i].rank)] = i;
  const auto marks = choose_sample(*run.survey, found, calls, file_of_rank, options);
  if (!marks)
    return read_all();
  found = {};
  run.recorded = read_files(
      files, problems, options.progress,
      [&](std::size_t i, std::span<const std::byte> bytes, const std::string& name, diagnostics& told) {
        const auto keep = [&, i](const rank_recording& r, std::uint64_t number, const call& c) {
          if ((*marks)[i].kept[number] || number + 1 == calls[i])
            return true;
          return !(*marks)[i].halves[number] &&
                 (!is_left_out(class_of(c)) || is_kept(run.survey->windows, time_of(r, c.begin, first)));
        };
        return read_rank(bytes, name, told, {.sink = nullptr, .keep = keep});
      });
  return run;
}

} // namespace tacit::recordings
