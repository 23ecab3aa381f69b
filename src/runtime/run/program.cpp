#include "runtime/run/program.h"

#include "runtime/mpi/memory_kind.h"
#include "vocabulary/calls/reasons.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tacit::runtime {
namespace {

void shift(graphs::segment_list& bytes, std::ptrdiff_t by) {
  for (graphs::segment& s : bytes)
    if (s.address < graphs::scratch_base)
      s.address += static_cast<std::uint64_t>(by);
}

void shift(graphs::block_list& blocks, std::ptrdiff_t by) {
  for (graphs::block_run& run : blocks.runs())
    shift(run.bytes, by);
}

bool any_in_device_memory(const graphs::block_list& blocks) {
  return std::ranges::any_of(blocks, [](const graphs::block& b) { return in_device_memory(b.bytes); });
}

} // namespace

bool uses_device_memory(const program& p) {
  if (p.in_device || !has_device_library())
    return p.in_device;
  return std::any_of(p.plan.steps.begin(), p.plan.steps.end(), [](const graphs::step& s) {
    return in_device_memory(s.reads) || in_device_memory(s.writes) || any_in_device_memory(s.sends) ||
           any_in_device_memory(s.receives);
  });
}

std::string why_not_in_device_memory() {
  return reason_label(reason::device_memory) + " a buffer is in device memory, which only MPI may copy";
}

const rank_group& program::group(comm_id comm) const {
  return *std::find_if(groups.begin(), groups.end(), [&](const rank_group& g) { return g.comm == comm; });
}

program make_program(const graphs::graph& g, graphs::rank_plan steps, rank_id rank) {
  program out;
  out.rank = static_cast<int>(index(rank));
  out.plan = std::move(steps);
  std::vector<bool> used(g.communicators().size(), false);
  for (const graphs::step& s : out.plan.steps)
    if (s.kind == graphs::step_kind::collective)
      used[index(s.comm)] = true;
  for (std::size_t c = 0; c < used.size(); ++c) { // by number: the same relative order on every rank
    if (!used[c])
      continue;
    rank_group group{comm_id{static_cast<std::uint16_t>(c)}, {}};
    for (const rank_id r : g.communicators()[c].members)
      group.members.push_back(static_cast<int>(index(r)));
    out.groups.push_back(std::move(group));
  }
  return out;
}

program moved(program p, std::ptrdiff_t reads, std::ptrdiff_t writes) {
  for (graphs::step& s : p.plan.steps) {
    shift(s.reads, reads);
    shift(s.writes, writes);
    shift(s.sends, reads);
    shift(s.receives, writes);
  }
  return p;
}

std::string describe(const program& p, const graphs::step& s) {
  switch (s.kind) {
  case graphs::step_kind::send:
    return fmt::format("send of {} B to rank {}", graphs::total_length(s.reads), index(s.peer));
  case graphs::step_kind::recv:
    return fmt::format("receive of {} B from rank {}", graphs::total_length(s.writes), index(s.peer));
  case graphs::step_kind::copy:
    return fmt::format("copy of {} B", graphs::total_length(s.reads));
  case graphs::step_kind::call:
    return fmt::format("computation {}", index(s.op));
  case graphs::step_kind::reduce:
    return fmt::format("reduction of {} B", graphs::total_length(s.writes));
  case graphs::step_kind::collective:
    break;
  }
  std::string text = fmt::format("{} among {} ranks", name(s.collective), p.group(s.comm).members.size());
  if (is_rooted(s.collective))
    text += fmt::format(", root {}", index(s.peer));
  return text + fmt::format(", blocks of {} B", s.largest_block);
}

std::string summarize(const program& p) {
  std::size_t sends = 0, recvs = 0, copies = 0, calls = 0, reductions = 0;
  std::uint64_t sent = 0, received = 0, copied = 0, combined = 0;
  std::string collectives;
  for (const graphs::step& s : p.plan.steps) {
    switch (s.kind) {
    case graphs::step_kind::send:
      ++sends, sent += graphs::total_length(s.reads);
      break;
    case graphs::step_kind::recv:
      ++recvs, received += graphs::total_length(s.writes);
      break;
    case graphs::step_kind::copy:
      ++copies, copied += graphs::total_length(s.reads);
      break;
    case graphs::step_kind::call:
      ++calls;
      break;
    case graphs::step_kind::reduce:
      ++reductions, combined += graphs::total_length(s.writes);
      break;
    case graphs::step_kind::collective:
      collectives += fmt::format(", {} among {} ranks", name(s.collective), p.group(s.comm).members.size());
      if (is_rooted(s.collective))
        collectives += fmt::format(" from root {}", index(s.peer));
      if (s.collective != pattern::barrier)
        collectives += fmt::format(" (blocks of {} B)", s.largest_block);
      break;
    }
  }
  std::string text = fmt::format("{} messages out ({} B), {} in ({} B), {} local copies ({} B)", sends, sent,
                                 recvs, received, copies, copied);
  if (calls > 0)
    text += fmt::format(", {} computations", calls);
  if (reductions > 0)
    text += fmt::format(", {} reductions ({} B)", reductions, combined);
  text += collectives;
  if (uses_device_memory(p))
    text += "; " + reason_label(reason::device_memory) +
            " buffers in device memory are given to MPI as they are, nothing is packed";
  return text;
}

} // namespace tacit::runtime
