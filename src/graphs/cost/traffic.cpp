#include "graphs/cost/traffic.h"

#include <algorithm>

namespace tacit::graphs {
namespace {

void add(std::vector<message_group>& groups, std::uint64_t bytes, pair_class between, bool scattered) {
  if (groups.empty() || groups.back().bytes != bytes || groups.back().between != between ||
      groups.back().scattered != scattered)
    groups.push_back({bytes, 0, between, scattered});
  ++groups.back().count;
}

std::uint64_t beyond_one(std::size_t pieces) {
  return pieces == 0 ? 0 : pieces - 1;
}

} // namespace

void traffic::add_send(std::uint64_t bytes, pair_class to, std::size_t pieces_of_memory) {
  add(sends, bytes, to, pieces_of_memory > 1);
  pieces += beyond_one(pieces_of_memory);
}

void traffic::add_receive(std::uint64_t bytes, pair_class from, std::size_t pieces_of_memory) {
  add(receives, bytes, from, pieces_of_memory > 1);
  pieces += beyond_one(pieces_of_memory);
}

void traffic::add_copy(std::uint64_t bytes) {
  ++copies;
  copied_bytes += bytes;
}

traffic traffic_of(const rank_plan& plan, const peer_class& class_of) {
  traffic t;
  std::vector<std::size_t> depth(plan.steps.size(), 0); // messages received on the longest path to here
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const step& s = plan.steps[i];
    for (const std::uint32_t before : s.after)
      depth[i] = std::max(depth[i], depth[before]);
    switch (s.kind) {
    case step_kind::send:
      t.add_send(total_length(s.reads), class_of(s.peer), s.reads.size());
      break;
    case step_kind::recv:
      t.add_receive(total_length(s.writes), class_of(s.peer), s.writes.size());
      ++depth[i];
      break;
    case step_kind::copy:
      t.add_copy(total_length(s.writes));
      break;
    case step_kind::collective:
    case step_kind::reduce:
    case step_kind::call:
      t.has_price = false;
      break;
    }
    t.rounds = std::max(t.rounds, depth[i]);
  }
  if (!t.sends.empty())
    t.rounds = std::max<std::size_t>(t.rounds, 1);
  return t;
}

} // namespace tacit::graphs
