#include "runtime/run/pack.h"

namespace tacit::runtime {
namespace {

void pack_blocks(packer& into, const graphs::block_list& blocks) {
  into.put<std::uint64_t>(blocks.runs().size());
  for (const graphs::block_run& run : blocks.runs()) {
    into.put(run.peer);
    into.put(run.count);
    into.put_list(run.bytes);
  }
}

graphs::block_list unpack_blocks(unpacker& from) {
  graphs::block_list blocks;
  for (auto left = from.get<std::uint64_t>(); left > 0; --left) {
    const auto peer = from.get<rank_id>();
    const auto count = from.get<std::uint32_t>();
    blocks.push_back_run({peer, count, from.get_list<graphs::segment>()});
  }
  return blocks;
}

// Which parts of a step follow: most have one list of bytes and nothing else.
enum part_of_step : std::uint8_t {
  has_largest = 1,
  has_reads = 2,
  has_writes = 4,
  has_sends = 8,
  has_receives = 16,
  has_after = 32,
  has_reducer = 64
};

void pack_step(packer& into, const graphs::step& s) {
  const bool largest = s.largest_block > 0 || s.largest_total > 0;
  into.put(static_cast<std::uint8_t>(
      (largest ? has_largest : 0) | (s.reads.empty() ? 0 : has_reads) | (s.writes.empty() ? 0 : has_writes) |
      (s.sends.empty() ? 0 : has_sends) | (s.receives.empty() ? 0 : has_receives) |
      (s.after.empty() ? 0 : has_after) | (s.by == graphs::no_reducer ? 0 : has_reducer)));
  into.put(s.kind);
  into.put(s.collective);
  into.put(s.comm);
  into.put(s.peer);
  into.put(s.tag);
  into.put(s.op);
  if (s.by != graphs::no_reducer)
    into.put(s.by);
  if (largest) {
    into.put(s.largest_block);
    into.put(s.largest_total);
  }
  if (!s.reads.empty())
    into.put_list(s.reads);
  if (!s.writes.empty())
    into.put_list(s.writes);
  if (!s.sends.empty())
    pack_blocks(into, s.sends);
  if (!s.receives.empty())
    pack_blocks(into, s.receives);
  if (!s.after.empty())
    into.put_list(s.after);
}

graphs::step unpack_step(unpacker& from) {
  const auto parts = from.get<std::uint8_t>();
  graphs::step s;
  s.kind = from.get<graphs::step_kind>();
  s.collective = from.get<pattern>();
  s.comm = from.get<comm_id>();
  s.peer = from.get<rank_id>();
  s.tag = from.get<std::int32_t>();
  s.op = from.get<op_id>();
  if (parts & has_reducer)
    s.by = from.get<graphs::reducer_id>();
  if (parts & has_largest) {
    s.largest_block = from.get<std::uint64_t>();
    s.largest_total = from.get<std::uint64_t>();
  }
  if (parts & has_reads)
    s.reads = from.get_list<graphs::segment>();
  if (parts & has_writes)
    s.writes = from.get_list<graphs::segment>();
  if (parts & has_sends)
    s.sends = unpack_blocks(from);
  if (parts & has_receives)
    s.receives = unpack_blocks(from);
  if (parts & has_after)
    s.after = from.get_list<std::uint32_t>();
  return s;
}

} // namespace

void pack(packer& into, const program& p) {
  into.put(p.rank);
  into.put(p.plan.scratch_bytes);
  into.put<std::uint64_t>(p.plan.steps.size());
  for (const graphs::step& s : p.plan.steps)
    pack_step(into, s);
  into.put<std::uint64_t>(p.groups.size());
  for (const rank_group& g : p.groups) {
    into.put(g.comm);
    into.put_list(g.members);
  }
}

program unpack_program(unpacker& from) {
  program p;
  p.rank = from.get<int>();
  p.plan.scratch_bytes = from.get<std::uint64_t>();
  const auto steps = from.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < steps; ++i)
    p.plan.steps.push_back(unpack_step(from));
  const auto groups = from.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < groups; ++i) {
    const auto comm = from.get<comm_id>();
    p.groups.push_back({comm, from.get_list<int>()});
  }
  return p;
}

} // namespace tacit::runtime
