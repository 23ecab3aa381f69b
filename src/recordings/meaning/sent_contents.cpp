#include "recordings/meaning/sent_contents.h"

#include "recordings/meaning/versions.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tacit::recordings {
namespace {

class content_search {
public:
  content_search(const known_messages& known, std::uint64_t smallest_evidence)
      : known_(known), smallest_evidence_(smallest_evidence) {
    out_.since.assign(known.table.messages.size(), none);
  }

  sent_contents run() {
    for (std::uint32_t i = 0; i < known_.recorded.recordings.size(); ++i)
      find_in(i);
    return std::move(out_);
  }

private:
  /// The last send of some content: who got it, and since when.
  struct version {
    std::uint64_t hash = 0;
    std::uint32_t message = none;
    std::vector<std::uint32_t> destinations;
  };
  /// Memory that was sent on one communicator, with one tag or from one place, since anything else happened there.
  struct sent_memory {
    std::int32_t tag = 0;
    std::uint64_t begin = 0, end = 0;
    std::uint32_t message = none;
    std::uint32_t path = none;
  };

  void find_in(std::uint32_t i) {
    const rank_recording& r = known_.recorded.recordings[i];
    const rank_index& ids = known_.table.of_recording[i];
    const auto me = static_cast<std::uint32_t>(index(r.rank));
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::uint32_t, std::uint64_t>, version>
        versions;
    std::map<std::uint32_t, sent_memory> areas; // per communicator
    for (std::uint32_t c = 0; c < r.calls.size(); ++c) {
      const call& one = r.calls[c];
      if (is_collective(class_of(one))) {
        versions.clear();
        areas.clear();
      }
      const std::uint32_t id = ids.message_of_call[c];
      if (id != none && is_sent_by(known_.table.messages[id], me, c) && known_.data.own_bytes[id] > 0) {
        const message& m = known_.table.messages[id];
        if ((one.flags & call_hash_valid) != 0) {
          version& v = versions[{m.comm, one.allocation, one.offset, one.layout, one.count}];
          const bool same =
              v.message != none && v.hash == one.hash &&
              std::find(v.destinations.begin(), v.destinations.end(), m.to) == v.destinations.end();
          if (same) {
            out_.since[id] = out_.since[v.message];
            if (m.bytes >= smallest_evidence_)
              out_.ties.emplace_back(v.message, id);
          } else {
            out_.since[id] = c;
            v = {one.hash, id, {}};
          }
          v.destinations.push_back(m.to);
        }
        join_area(r, one, id, ids.path_of_call[c], areas[m.comm]);
      }
      for (const completion& done : r.completions_of(c)) {
        const std::uint32_t got =
            ids.message_of_completion[static_cast<std::size_t>(&done - r.completions.data())];
        if (got == none)
          continue;
        const message& m = known_.table.messages[got];
        if (m.to == me && m.from != me && known_.data.origin[got] != me)
          areas.erase(m.comm);
      }
    }
  }

  /// Ties a send to an earlier one of the same area if one of the two ranges lies in the other.
  void join_area(const rank_recording& r, const call& c, std::uint32_t id, std::uint32_t path,
                 sent_memory& area) {
    std::uint64_t begin = 0, end = 0;
    if (known_.table.messages[id].bytes < smallest_evidence_ || !memory_hull(r, c, begin, end))
      return;
    // From one place a loop may count its tag up.
    if (area.message != none && path != area.path &&
        (area.tag != known_.table.messages[id].tag ||
         !are_lines_of_one_function(known_.table, path, area.path)))
      area = {};
    const bool inside = area.message != none && begin >= area.begin && end <= area.end;
    const bool around = area.message != none && begin <= area.begin && end >= area.end;
    const bool same = inside && around;
    // Messages of several lengths that begin at one place are packed there one after the other.
    const bool packed = area.message != none && begin == area.begin;
    if ((inside || around) && !same && !packed) {
      out_.ties.emplace_back(area.message, id);
      if (out_.since[id] == known_.table.messages[id].send_call)
        out_.since[id] = out_.since[area.message];
    }
    if (!inside || area.message == none)
      area = {known_.table.messages[id].tag, begin, end, id, path};
  }

  const known_messages& known_;
  const std::uint64_t smallest_evidence_;
  sent_contents out_;
};

} // namespace

sent_contents find_sent_contents(const known_messages& known, std::uint64_t smallest_evidence) {
  return content_search(known, smallest_evidence).run();
}

} // namespace tacit::recordings
