// Reading is one pass over the bytes. Each record is bounds-checked as a whole by its header, then its
// variable part against the record; a record that does not hold what its counts promise is malformed and ends
// the recording there. Ids are translated through hash tables (later definitions of an id win: libraries
// reuse handles). Every vector element comes from at least one record or from bytes inside one, so memory is
// bounded by the file, unfolded. Cost O(bytes).
#include "recordings/record/reader.h"

#include "recordings/record/writer.h"
#include "vocabulary/base/diagnostic.h"
#include "vocabulary/calls/reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <unordered_map>

namespace tacit::recordings {
namespace {

constexpr std::uint32_t largest_world = 1u << 24; ///< more ranks than any MPI job had; guards `of_rank`

class rank_reader {
public:
  rank_reader(std::span<const std::byte> bytes, const std::string& name, diagnostics& problems,
              const read_options& options)
      : bytes_(bytes), records_(bytes), name_(name), problems_(problems), options_(options) {}

  std::optional<rank_recording> read() {
    if (!read_start())
      return std::nullopt;
    while (!records_.at_end() && !stopped_)
      read_record();
    if (!out_.finished)
      report_end();
    if (out_.begun)
      out_.end_tick = std::max(out_.end_tick, out_.begun->begin);
    return std::move(out_);
  }

private:
  using id_table = std::unordered_map<std::uint32_t, std::uint32_t>;

  void problem(reason why, severity level, std::string text, std::string remedy) {
    diagnostic d;
    d.code = number(why);
    d.level = level;
    d.rank = out_.rank;
    d.message = fmt::format("{}: {}", name_, text);
    d.remedy = std::move(remedy);
    problems_.push_back(std::move(d));
  }

  void malformed(std::string_view what) {
    stopped_ = true;
    problem(reason::bad_file, severity::warning,
            fmt::format("rank {}: malformed {} record at byte {}; what comes after it is ignored",
                        index(out_.rank), what, records_.position()),
            "Record the program again; if it happens again, the recorder and this tacit are of different "
            "versions.");
  }

  void report_end() {
    if (stopped_)
      return;
    problem(reason::recording_incomplete, severity::warning,
            fmt::format("rank {}: the recording ends after {} calls ({} of {} bytes) without MPI_Finalize",
                        index(out_.rank), calls_, records_.at_end() ? bytes_.size() : records_.position(),
                        bytes_.size()),
            "Was the program killed (launchers do so when one rank fails), or the disk full? Sums are lower "
            "bounds.");
  }

  /// The fixed part of the record at record_at_; false if the record is too short for it.
  template <typename Record>
  bool fixed(Record& to) {
    if (record_.size() < sizeof(Record))
      return false;
    std::memcpy(&to, record_.data(), sizeof(Record));
    rest_ = record_.subspan(sizeof(Record));
    return true;
  }

  bool string(std::uint64_t length, std::string& to) {
    if (length > rest_.size())
      return false;
    to.assign(reinterpret_cast<const char*>(rest_.data()), length);
    rest_ = rest_.subspan(length);
    return true;
  }

  template <typename Value>
  bool values(std::uint64_t count, std::vector<Value>& to) {
    if (count > rest_.size() / sizeof(Value))
      return false;
    const std::size_t before = to.size();
    to.resize(before + count);
    if (count != 0)
      std::memcpy(to.data() + before, rest_.data(), count * sizeof(Value));
    rest_ = rest_.subspan(count * sizeof(Value));
    return true;
  }

  /// Moves to the next record; false at an incomplete one.
  bool next_record(record_header& header) {
    record_ = records_.next();
    if (record_.empty())
      return false;
    std::memcpy(&header, record_.data(), sizeof header);
    return true;
  }

  bool read_start() {
    record_header header;
    run_start start{};
    const bool whole = next_record(header) && header.kind == static_cast<std::uint16_t>(record_kind::start) &&
                       fixed(start) && std::memcmp(start.magic, magic, sizeof magic) == 0;
    if (!whole) {
      problem(reason::bad_file, severity::error,
              "this is no recording (it does not start with a start record)",
              "Name a folder that `tacit run` wrote.");
      return false;
    }
    if (start.version != format_version) {
      problem(
          reason::bad_file, severity::error,
          fmt::format("recording format {}, but this tacit reads format {}", start.version, format_version),
          "Record the program again with this version of tacit.");
      return false;
    }
    if (start.size == 0 || start.size > largest_world || start.rank >= start.size ||
        !string(start.program_bytes, out_.program) || !string(start.library_bytes, out_.library)) {
      problem(reason::bad_file, severity::error,
              fmt::format("malformed start record (rank {} of {})", start.rank, start.size),
              "Record the program again.");
      return false;
    }
    out_.rank = rank_id{start.rank};
    out_.size = start.size;
    out_.hashing = start.hashing == 1;
    const bool plausible = start.seconds_per_tick > 0 && start.seconds_per_tick < 1e3;
    out_.seconds_per_tick = plausible ? start.seconds_per_tick : 0;
    out_.start_unix_ns = start.start_unix_ns;
    out_.start_tick = start.start_tick;
    out_.end_tick = start.start_tick;
    return true;
  }

  void read_record() {
    record_header header;
    if (!next_record(header)) {
      if (records_.is_broken())
        return malformed("folded");
      report_end();
      stopped_ = true;
      return;
    }
    switch (static_cast<record_kind>(header.kind)) {
    case record_kind::start:
      return malformed("second start");
    case record_kind::module:
      return read_module();
    case record_kind::site:
      return read_site();
    case record_kind::path:
      return read_path();
    case record_kind::communicator:
      return read_communicator();
    case record_kind::layout:
      return read_layout();
    case record_kind::allocation:
      return read_allocation();
    case record_kind::call:
      return read_call();
    case record_kind::completion:
      return read_completion();
    case record_kind::forward:
      return read_forward();
    case record_kind::tally:
      return read_tally();
    case record_kind::finish:
      return read_finish();
    case record_kind::begun:
      return read_begun();
    case record_kind::folded: // never inside another one
      return malformed("folded");
    }
  }

  static std::uint32_t lookup(const id_table& ids, std::uint32_t id) {
    const auto found = ids.find(id);
    return found == ids.end() ? none : found->second;
  }

  void read_module() {
    module_record r{};
    module_info m;
    std::string id;
    if (!fixed(r) || !string(r.build_id_bytes, id) || !string(r.path_bytes, m.path))
      return malformed("module");
    for (const char c : id)
      m.build_id += fmt::format("{:02x}", static_cast<unsigned char>(c));
    module_ids_[r.id] = static_cast<std::uint32_t>(out_.modules.size());
    out_.modules.push_back(std::move(m));
  }

  void read_site() {
    site_record r{};
    if (!fixed(r))
      return malformed("site");
    site_ids_[r.id] = static_cast<std::uint32_t>(out_.sites.size());
    out_.sites.push_back({lookup(module_ids_, r.module), r.offset});
  }

  void read_path() {
    path_record r{};
    std::vector<std::uint32_t> ids;
    if (!fixed(r) || !values(r.frames, ids) || ids.empty())
      return malformed("path");
    path_info p;
    for (const std::uint32_t id : ids) {
      const std::uint32_t site = lookup(site_ids_, id);
      if (site == none)
        return malformed("path");
      p.sites.push_back(site);
    }
    path_ids_[r.id] = static_cast<std::uint32_t>(out_.paths.size());
    site_ids_[r.id] = p.sites[0];
    out_.paths.push_back(std::move(p));
  }

  void read_communicator() {
    communicator_record r{};
    communicator_info c;
    if (!fixed(r) || !values(r.size, c.members) || (r.size != 0 && r.rank >= r.size && r.inter == 0))
      return malformed("communicator");
    for (const std::uint32_t member : c.members)
      if (member != not_in_world && member >= out_.size)
        return malformed("communicator");
    c.id = r.id;
    c.key = r.key;
    c.rank = r.rank;
    c.inter = r.inter != 0;
    c.made_by = r.call;
    communicator_ids_[r.id] = static_cast<std::uint32_t>(out_.communicators.size());
    out_.communicators.push_back(std::move(c));
  }

  void read_layout() {
    layout_record r{};
    layout_info l;
    if (!fixed(r) || !values(r.segments, l.segments))
      return malformed("layout");
    l.size = r.size;
    l.extent = r.extent;
    layout_ids_[r.id] = static_cast<std::uint32_t>(out_.layouts.size());
    out_.layouts.push_back(std::move(l));
  }

  void read_allocation() {
    allocation_record r{};
    if (!fixed(r))
      return malformed("allocation");
    allocation_ids_[r.id] = static_cast<std::uint32_t>(out_.allocations.size());
    out_.allocations.push_back({r.kind, r.base, r.bytes});
  }

  void read_call() {
    call_record r{};
    call c;
    c.first_request = out_.request_ids.size();
    if (!fixed(r) || !values(r.requests, out_.request_ids))
      return malformed("call");
    ++calls_;
    out_.end_tick = std::max({out_.end_tick, r.begin, r.end});
    out_.in_device += (r.header.flags & call_in_device) != 0 ? 1 : 0;
    c.begin = r.begin;
    c.end = std::max(r.begin, r.end);
    c.count = r.count;
    c.offset = r.offset;
    c.hash = r.hash;
    c.site = lookup(site_ids_, r.site);
    c.path = lookup(path_ids_, r.site);
    c.comm = lookup(communicator_ids_, r.comm);
    c.layout = lookup(layout_ids_, r.layout);
    c.allocation = lookup(allocation_ids_, r.allocation);
    c.peer = r.peer;
    c.tag = r.tag;
    c.requests = r.requests;
    c.first_completion = out_.completions.size();
    c.first_forward = out_.forwards.size();
    c.id = r.call;
    c.flags = r.header.flags;
    c.part = r.part;
    kept_ = options_.sink == nullptr && (!options_.keep || options_.keep(out_, calls_ - 1, c));
    if (options_.sink)
      options_.sink->take(out_, c, out_.requests_of(c));
    if (kept_)
      out_.calls.push_back(c);
    else
      out_.request_ids.resize(c.first_request);
  }

  void read_completion() {
    completion_record r{};
    if (!fixed(r) || calls_ == 0)
      return malformed("completion");
    out_.in_device += (r.header.flags & completion_in_device) != 0 ? 1 : 0;
    const completion done{r.request, r.bytes, r.hash,        r.tick, out_.calls.size() - 1,
                          r.source,  r.tag,   r.header.flags};
    if (options_.sink)
      options_.sink->take(out_, done);
    if (options_.keep)
      place_of_completion_.push_back(kept_ ? static_cast<std::uint32_t>(out_.completions.size()) : none);
    ++completions_;
    if (kept_)
      out_.completions.push_back(done);
  }

  void read_forward() {
    forward_record r{};
    if (!fixed(r) || calls_ == 0 || r.receive >= completions_)
      return malformed("forward");
    const std::uint64_t receive = options_.keep ? place_of_completion_[r.receive] : r.receive;
    if (kept_ && receive != none)
      out_.forwards.push_back(
          {receive, r.receive_offset, r.send_offset, r.length, (r.header.flags & forward_constant) != 0});
  }

  void read_tally() {
    tally_record r{};
    if (!fixed(r))
      return malformed("tally");
    if (!out_.counting_from)
      out_.counting_from = out_.end_tick;
    out_.end_tick = std::max(out_.end_tick, r.end);
    out_.counts.push_back({r.what, r.header.flags, r.call, lookup(site_ids_, r.site),
                           lookup(path_ids_, r.site), lookup(communicator_ids_, r.comm), r.peer, r.tag,
                           r.times, r.bytes, r.ticks});
  }

  void read_begun() {
    begun_record r{};
    if (!fixed(r))
      return malformed("begun call");
    if (records_.at_end()) // another record behind it says that it has returned
      out_.begun = begun_call{
          r.begin, lookup(site_ids_, r.site), lookup(communicator_ids_, r.comm), r.peer, r.tag, r.call};
  }

  void read_finish() {
    finish_record r{};
    if (!fixed(r))
      return malformed("finish");
    out_.finished = true;
    out_.end_tick = std::max(out_.end_tick, r.tick);
    out_.cpu_ns = r.cpu_ns;
    out_.recorder_ticks = r.recorder_ticks;
    out_.hash_ticks = std::min(r.hash_ticks, r.recorder_ticks);
  }

  std::span<const std::byte> bytes_;
  record_cursor records_;
  const std::string& name_;
  diagnostics& problems_;
  rank_recording out_;
  id_table module_ids_, site_ids_, path_ids_, communicator_ids_, layout_ids_, allocation_ids_;
  std::span<const std::byte> record_; ///< the current one
  std::span<const std::byte> rest_;   ///< of the current one, not yet read
  bool stopped_ = false;
  const read_options& options_;
  std::uint64_t calls_ = 0; ///< records so far
  std::uint64_t completions_ = 0;
  bool kept_ = false;                              ///< the last call was
  std::vector<std::uint32_t> place_of_completion_; ///< of those kept: in out_
};

diagnostic folder_problem(reason why, severity level, std::string text, std::string remedy) {
  diagnostic d;
  d.code = number(why);
  d.level = level;
  d.message = std::move(text);
  d.remedy = std::move(remedy);
  return d;
}

void report_missing(const recording_set& set, diagnostics& problems) {
  const std::size_t count = set.ranks - set.recordings.size();
  if (count == 0)
    return;
  std::string missing;
  std::size_t named = 0;
  auto present = set.recordings.begin();
  for (std::uint32_t rank = 0; rank < set.ranks && named < 8; ++rank) {
    if (present != set.recordings.end() && index(present->rank) == rank)
      ++present;
    else
      missing += fmt::format("{}{}", named++ > 0 ? ", " : "", rank);
  }
  problems.push_back(folder_problem(reason::recording_incomplete, severity::warning,
                                    fmt::format("{} of {} ranks have no recording: {}{}", count, set.ranks,
                                                missing, count > 8 ? ", …" : ""),
                                    "Their messages are missing; sums are lower bounds."));
}

} // namespace

std::optional<rank_recording> read_rank(std::span<const std::byte> bytes, const std::string& name,
                                        diagnostics& problems, const read_options& options) {
  return rank_reader(bytes, name, problems, options).read();
}

std::uint64_t count_records(std::span<const std::byte> bytes) {
  std::uint64_t count = 0;
  for (record_header header; bytes.size() >= sizeof header; bytes = bytes.subspan(header.bytes)) {
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.bytes < sizeof header || header.bytes > bytes.size())
      break;
    folded_record folded{};
    const bool is_folded =
        header.kind == static_cast<std::uint16_t>(record_kind::folded) && header.bytes >= sizeof folded;
    if (is_folded)
      std::memcpy(&folded, bytes.data(), sizeof folded);
    count += is_folded ? folded.records : 1;
  }
  return count;
}

recording_set join_ranks(std::vector<rank_recording> recordings, diagnostics& problems) {
  recording_set set;
  if (recordings.empty())
    return set;
  std::unordered_map<std::uint32_t, std::size_t> sizes;
  for (const rank_recording& r : recordings)
    ++sizes[r.size];
  for (const auto& [size, times] : sizes) // the most frequent size; the smaller one of two
    if (set.ranks == 0 || times > sizes[set.ranks] || (times == sizes[set.ranks] && size < set.ranks))
      set.ranks = size;
  std::stable_sort(recordings.begin(), recordings.end(),
                   [](const rank_recording& a, const rank_recording& b) { return a.rank < b.rank; });
  for (rank_recording& r : recordings) {
    if (r.size != set.ranks) {
      problems.push_back(
          folder_problem(reason::bad_file, severity::warning,
                         fmt::format("rank {} says the run has {} ranks, the others say {}; it is left out",
                                     index(r.rank), r.size, set.ranks),
                         "Use one folder for each run."));
    } else if (!set.recordings.empty() && set.recordings.back().rank == r.rank) {
      problems.push_back(
          folder_problem(reason::bad_file, severity::warning,
                         fmt::format("two recordings of rank {}; the second is left out", index(r.rank)),
                         "Use one folder for each run."));
    } else {
      set.recordings.push_back(std::move(r));
    }
  }
  report_missing(set, problems);
  return set;
}

std::vector<recording_file> list_recording(const std::string& folder, diagnostics& problems) {
  std::vector<std::string> names;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string file = at->path().filename().string();
    if (file.starts_with("rank-") && file.ends_with(".rec"))
      names.push_back(at->path().string());
  }
  if (names.empty()) {
    problems.push_back(folder_problem(reason::bad_file, severity::error,
                                      fmt::format("{}: no recording here (no rank-*.rec file){}", folder,
                                                  failed ? ": " + failed.message() : ""),
                                      "Name the folder that `tacit run` wrote."));
    return {};
  }
  std::sort(names.begin(), names.end());
  if (std::filesystem::exists(std::filesystem::path(folder) / stop_mark, failed))
    problems.push_back(
        folder_problem(reason::disk, severity::warning,
                       "the recorder could not write any more on at least one rank and stopped "
                       "there; the program went on",
                       "Record into a folder on a disk with more room."));
  std::vector<recording_file> files;
  for (const std::string& name : names)
    files.push_back({name, [name](std::string& trouble) { return load_folded(name, trouble); }});
  return files;
}

recording_set read_files(std::span<const recording_file> files, diagnostics& problems,
                         const progress_callback& progress, const rank_reading& read) {
  std::vector<rank_recording> recordings;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (progress)
      progress("reading", static_cast<double>(i) / static_cast<double>(files.size()));
    std::string trouble;
    const std::vector<std::byte> bytes = files[i].load(trouble);
    if (!trouble.empty()) {
      problems.push_back(folder_problem(reason::bad_file, severity::warning, files[i].name + ": " + trouble,
                                        "Check what it is and its permissions."));
    }
    if (bytes.empty() && !trouble.empty())
      continue;
    if (auto one = read(i, bytes, files[i].name, problems))
      recordings.push_back(std::move(*one));
  }
  return join_ranks(std::move(recordings), problems);
}

recording_set read_recording(const std::string& folder, diagnostics& problems,
                             const progress_callback& progress) {
  const std::vector<recording_file> files = list_recording(folder, problems);
  return read_files(files, problems, progress,
                    [](std::size_t, std::span<const std::byte> bytes, const std::string& name,
                       diagnostics& found) { return read_rank(bytes, name, found); });
}

} // namespace tacit::recordings
