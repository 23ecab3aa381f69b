#include "surface/report/fake_analysis.h"

#include <algorithm>

namespace tacit::tests {

using namespace surface;
namespace {

using namespace recordings;

rank_id rank(std::uint32_t r) {
  return rank_id{r};
}

std::string spiced(const std::string& text, bool evil) {
  return evil ? text + "</svg><script>alert('x')</script>\"'&\x01\xff\xc0\xaf <img src=x onerror=alert(1)>"
              : text;
}

recordings::timeline ring_picture(std::uint32_t first, std::uint32_t members) {
  recordings::timeline l;
  for (std::uint32_t i = 0; i < members; ++i)
    l.ranks.push_back(rank(first + i));
  l.steps = members;
  for (std::uint32_t i = 0; i + 1 < members; ++i)
    l.messages.push_back({rank(first + i), rank(first + i + 1), i, 51200, i > 0});
  return l;
}

recordings::timeline call_picture(std::uint32_t first, std::uint32_t members) {
  recordings::timeline l;
  l.steps = 1;
  recordings::timeline_collective call{pattern::bcast, rank(first), 0, 51200, {}};
  for (std::uint32_t i = 0; i < members; ++i) {
    l.ranks.push_back(rank(first + i));
    call.members.push_back(rank(first + i));
  }
  l.collectives.push_back(call);
  return l;
}

recordings::timeline halo_picture(std::uint32_t ranks) {
  recordings::timeline l;
  l.steps = 1;
  for (std::uint32_t r = 0; r < ranks; ++r)
    l.ranks.push_back(rank(r));
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (const std::uint32_t other : {(r + 1) % ranks, (r + ranks - 1) % ranks})
      l.messages.push_back({rank(r), rank(other), 0, 8192, false});
  return l;
}

recordings::activity broadcast(std::uint32_t ranks) {
  recordings::activity x;
  const std::uint32_t row = std::min(8u, ranks);
  x.kind = recordings::activity_kind::collective;
  x.found = pattern::bcast;
  x.algorithm = recordings::broadcast_algorithm{recordings::broadcast_shape::ring, {}, row, false, false};
  x.evidence = recordings::collective_evidence{.episodes = 427, .probed = 400, .probes = 1204};
  x.group_size = row;
  x.communicators = {0, 1, 99};
  for (std::uint32_t r = 0; r < row; ++r)
    x.roots.push_back(rank(r));
  x.rule = {recordings::root_rule::kind::in_turn, {0, 1, 2, 3}};
  x.episodes = 427;
  x.messages = 427ull * (row - 1);
  x.bytes = x.messages * 51200;
  x.smallest = 2048;
  x.largest = 51200;
  x.seconds = 3.25;
  x.time_share = 0.41;
  x.tags = {2001, 2002, 2003};
  x.distinct_tags = 427;
  x.sites = {0, 1, 77};
  x.obstacles = {recordings::obstacle::probed_operations, recordings::obstacle::observed_only};
  x.would_be = recordings::replacement{
      pattern::bcast, 1, 1, row - 1, row - 1, row - 1, 3, 51200ull * (row - 1), 51200ull * (row - 1)};
  x.before = ring_picture(0, row);
  x.after = call_picture(0, row);
  return x;
}

recordings::activity halo(std::uint32_t ranks) {
  recordings::activity x;
  x.kind = recordings::activity_kind::neighbor_exchange;
  x.moved = recordings::traffic{
      .messages = 200ull * ranks, .ranks = ranks, .most_partners = 2, .fewest_partners = 2};
  x.group_size = ranks;
  x.communicators = {0};
  x.episodes = 100;
  x.messages = 200ull * ranks;
  x.bytes = x.messages * 8192;
  x.smallest = x.largest = 8192;
  x.seconds = 1.5;
  x.time_share = 0.19;
  x.tags = {0};
  x.distinct_tags = 1;
  x.sites = {2};
  x.obstacles = {recordings::obstacle::fixed_partners};
  x.before = halo_picture(ranks);
  return x;
}

recordings::activity irregular() {
  recordings::activity x;
  x.kind = recordings::activity_kind::irregular;
  x.moved = recordings::traffic{.messages = 5000, .wildcards = 12};
  x.messages = 5000;
  x.bytes = 5000ull * 4096;
  x.smallest = 8;
  x.largest = 4096;
  x.seconds = 0.4;
  x.time_share = 0.05;
  x.obstacles = {recordings::obstacle::changing_partners, recordings::obstacle::wildcard_messages};
  return x;
}

} // namespace

recordings::analysis fake_analysis(std::uint32_t ranks, std::uint32_t copies, bool evil) {
  recordings::analysis a;
  a.program = spiced("/opt/codes/solver", evil);
  a.library = "Open MPI v4.1.4, package: Debian";
  a.ranks = a.recorded_ranks = ranks;
  a.hashing = true;
  a.wall_seconds = 5.3;
  a.program_seconds = 5.0 * ranks;
  a.cpu_seconds = 5.2 * ranks;
  a.communication_seconds = 1.9 * ranks;
  a.recorder_seconds = 0.06 * ranks;
  a.hash_seconds = 0.04 * ranks;
  a.other_seconds = 0.02 * ranks;
  a.calls = 123456;
  a.cancelled = 4;
  a.communicators = {{{recordings::group_kind::all}, {}},
                     {{recordings::group_kind::row, 0, ranks / 8, 8}, {}}};
  for (std::uint32_t r = 0; r < ranks; ++r)
    a.communicators[0].members.push_back(rank(r));
  for (std::uint32_t i = 0; i < 3; ++i) {
    recordings::call_site s;
    s.call = i == 0 ? "MPI_Send" : "MPI_Recv";
    s.module = "solver";
    s.offset = 0x4f20 + i;
    s.file = spiced("panel.c", evil);
    s.line = 118 + i;
    s.function = spiced("broadcast_panel", evil);
    s.calls = 427;
    s.seconds = 1.0 / (i + 1);
    a.sites.push_back(s);
  }
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (std::uint32_t d = 1; d <= 3 && d < ranks; ++d)
      a.matrix[{rank(r), rank((r + d * d) % ranks)}] = {100ull * d, 100ull * d * 8192 / (d * d)};
  for (const auto& [pair, entry] : a.matrix)
    a.messages += entry.messages, a.bytes += entry.bytes;
  a.collectives = {{spiced("MPI_Allreduce", evil), 0, 310, 310ull * 8 * ranks, 1.1 * ranks, 0.28},
                   {"MPI_Barrier", 0, 12, 0, 0.1 * ranks, 0.03}};
  for (std::uint32_t i = 0; i < copies; ++i) {
    a.activities.push_back(broadcast(ranks));
    a.activities.push_back(halo(ranks));
    a.activities.push_back(irregular());
  }
  return a;
}

} // namespace tacit::tests
