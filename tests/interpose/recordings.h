// Reads a recording record by record, with nothing but format.h: what the tests expect must not depend on the
// reader they are meant to check.
#pragma once

#include "recordings/record/format.h"
#include "recordings/record/writer.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace tacit::testing {

namespace rec = recordings;

struct seen_call {
  rec::call_record record;
  std::vector<std::uint64_t> requests;
  std::vector<rec::completion_record> completions; ///< inside this call
  std::vector<rec::forward_record> forwards;       ///< of this send
};

struct seen_layout {
  rec::layout_record record;
  std::vector<std::pair<std::int64_t, std::uint64_t>> segments;
};

struct seen_comm {
  rec::communicator_record record;
  std::vector<std::uint32_t> members;
};

struct recording_contents {
  bool exists = false;
  bool well_formed = true; ///< every byte belongs to a whole record
  bool started = false;
  bool finished = false;
  bool in_call = false;
  rec::run_start start{};
  rec::finish_record finish{};
  std::size_t records = 0;
  std::vector<seen_call> calls;
  std::map<std::uint32_t, seen_layout> layouts;
  std::map<std::uint32_t, seen_comm> comms;
  std::map<std::uint32_t, rec::allocation_record> allocations;
  std::map<std::uint32_t, rec::site_record> sites; ///< of paths: that of the call itself
  std::map<std::uint32_t, std::vector<std::uint32_t>> paths;
  std::map<std::uint32_t, std::string> modules; ///< paths
  std::size_t completions = 0;
};

template <typename Record>
Record record_at(const std::byte* at) {
  Record record;
  std::memcpy(&record, at, sizeof record);
  return record;
}

inline void take_record(recording_contents& c, const std::byte* at, const rec::record_header& header) {
  switch (static_cast<rec::record_kind>(header.kind)) {
  case rec::record_kind::start:
    c.start = record_at<rec::run_start>(at);
    c.started = std::memcmp(c.start.magic, rec::magic, sizeof rec::magic) == 0;
    break;
  case rec::record_kind::module: {
    const auto r = record_at<rec::module_record>(at);
    const char* text = reinterpret_cast<const char*>(at + sizeof r + r.build_id_bytes);
    c.modules[r.id] = std::string(text, r.path_bytes);
    break;
  }
  case rec::record_kind::site: {
    const auto r = record_at<rec::site_record>(at);
    c.sites[r.id] = r;
    break;
  }
  case rec::record_kind::path: {
    const auto r = record_at<rec::path_record>(at);
    for (std::uint32_t i = 0; i < r.frames; ++i)
      c.paths[r.id].push_back(record_at<std::uint32_t>(at + sizeof r + 4 * i));
    c.sites[r.id] = c.sites.at(c.paths[r.id][0]);
    break;
  }
  case rec::record_kind::communicator: {
    seen_comm s{record_at<rec::communicator_record>(at), {}};
    for (std::uint32_t i = 0; i < s.record.size; ++i)
      s.members.push_back(record_at<std::uint32_t>(at + sizeof s.record + 4 * i));
    c.comms[s.record.id] = s;
    break;
  }
  case rec::record_kind::layout: {
    seen_layout s{record_at<rec::layout_record>(at), {}};
    for (std::uint32_t i = 0; i < s.record.segments; ++i)
      s.segments.emplace_back(record_at<std::int64_t>(at + sizeof s.record + 16 * i),
                              record_at<std::uint64_t>(at + sizeof s.record + 16 * i + 8));
    c.layouts[s.record.id] = s;
    break;
  }
  case rec::record_kind::allocation: {
    const auto r = record_at<rec::allocation_record>(at);
    c.allocations[r.id] = r;
    break;
  }
  case rec::record_kind::call: {
    seen_call s{record_at<rec::call_record>(at), {}, {}, {}};
    for (std::uint32_t i = 0; i < s.record.requests; ++i)
      s.requests.push_back(record_at<std::uint64_t>(at + sizeof s.record + 8 * i));
    s.record.hash = static_cast<std::uint32_t>(s.record.hash); // as much as is kept of received data
    c.calls.push_back(s);
    break;
  }
  case rec::record_kind::completion:
    ++c.completions;
    if (!c.calls.empty()) {
      c.calls.back().completions.push_back(record_at<rec::completion_record>(at));
      auto& hash = c.calls.back().completions.back().hash;
      hash = static_cast<std::uint32_t>(hash);
    }
    break;
  case rec::record_kind::forward:
    if (!c.calls.empty())
      c.calls.back().forwards.push_back(record_at<rec::forward_record>(at));
    break;
  case rec::record_kind::tally: // what is only counted is not read here
    break;
  case rec::record_kind::finish:
    c.finish = record_at<rec::finish_record>(at);
    c.finished = true;
    break;
  case rec::record_kind::folded: // never comes out of load_recording, but where it is malformed
    c.well_formed = false;
    break;
  case rec::record_kind::begun: // only ever the last one, of a call under way
    c.in_call = true;
    break;
  }
}

inline recording_contents read_recording(const std::string& folder, std::uint32_t rank) {
  recording_contents c;
  std::string problem;
  const std::vector<std::byte> bytes = rec::load_recording(folder + "/" + rec::recording_name(rank), problem);
  if (!problem.empty())
    return c;
  c.exists = true;
  std::size_t at = 0;
  while (at + sizeof(rec::record_header) <= bytes.size()) {
    const auto header = record_at<rec::record_header>(bytes.data() + at);
    if (header.bytes < sizeof header || header.bytes % 8 != 0 || header.bytes > bytes.size() - at)
      break;
    take_record(c, bytes.data() + at, header);
    ++c.records;
    at += header.bytes;
  }
  c.well_formed = c.well_formed && at == bytes.size();
  return c;
}

} // namespace tacit::testing
