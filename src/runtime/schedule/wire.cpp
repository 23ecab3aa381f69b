#include "runtime/schedule/wire.h"

#include "runtime/mpi/errors.h"

namespace tacit::runtime {
namespace {

constexpr std::uint64_t wire_version = 0x746163697400000d; // "tacit", 13

void require_version(unpacker& from) {
  if (from.get<std::uint64_t>() != wire_version)
    throw call_error(call_error::kind::environment,
                     "ranks run different versions of tacit; install one on all nodes", true);
}

} // namespace

message packed_graph(const rank_facts& facts, const local_graph& g) {
  packer out;
  out.put(wire_version);
  out.put(facts);
  pack(out, g);
  return out.take();
}

rank_input unpacked_graph(const message& bytes) {
  unpacker from(bytes);
  require_version(from);
  const auto facts = from.get<rank_facts>();
  return {facts, unpack_local_graph(from)};
}

message packed_explanation(const explanation& why) {
  packer out;
  out.put(wire_version);
  out.put_text(why.text);
  out.put_text(why.json);
  return out.take();
}

explanation unpacked_explanation(const message& bytes) {
  unpacker from(bytes);
  require_version(from);
  explanation why;
  why.text = from.get_text();
  why.json = from.get_text();
  return why;
}

namespace {

enum class told_as : std::uint64_t { steps, collective };

void put_variants(packer& out, const std::vector<program_variant>& list) {
  out.put<std::uint64_t>(list.size());
  for (const program_variant& w : list) {
    out.put(w.candidate);
    out.put_text(w.driver);
    out.put(w.predicted);
  }
}

std::vector<program_variant> get_variants(unpacker& from) {
  std::vector<program_variant> list;
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto candidate = from.get<std::uint64_t>();
    std::string driver = from.get_text();
    list.push_back({candidate, std::move(driver), from.get<double>()});
  }
  return list;
}

} // namespace

message packed_collective(const told_collective& told) {
  packer out;
  out.put(wire_version);
  out.put(told_as::collective);
  out.put(told.what.kind);
  out.put(told.what.root);
  out.put(told.what.bytes);
  out.put_text(told.asked);
  out.put<std::uint64_t>(told.plans.size());
  for (const std::string& name : told.plans)
    out.put_text(name);
  put_variants(out, told.variants);
  out.put(told.crowded);
  return out.take();
}

namespace {

told_collective unpacked_collective(unpacker& from) {
  told_collective told;
  told.what.kind = from.get<pattern>();
  told.what.root = from.get<rank_id>();
  told.what.bytes = from.get<std::uint64_t>();
  told.what.whole = true;
  told.asked = from.get_text();
  for (auto n = from.get<std::uint64_t>(); n > 0; --n)
    told.plans.push_back(from.get_text());
  told.variants = get_variants(from);
  told.crowded = from.get<bool>();
  return told;
}

} // namespace

message packed_part(const rank_part& part) {
  packer out;
  out.put(wire_version);
  out.put(told_as::steps);
  out.put_text(part.driver);
  out.put<std::uint64_t>(part.candidates.size());
  for (const named_program& c : part.candidates) {
    out.put_text(c.name);
    pack(out, c.steps);
  }
  put_variants(out, part.variants);
  out.put(part.trial.of_finalists);
  out.put(part.trial.crowded);
  out.put(part.measured_as.key);
  out.put_text(part.measured_as.graph);
  out.put<std::uint64_t>(part.computations.size());
  for (const auto& [global, local] : part.computations) {
    out.put(global);
    out.put(local);
  }
  out.put<std::uint64_t>(part.reducers.size());
  for (const auto& [global, local] : part.reducers) {
    out.put(global);
    out.put(local);
  }
  out.put<std::uint64_t>(part.others_reducers.size());
  for (const auto& [global, reducer] : part.others_reducers) {
    out.put(global);
    pack(out, reducer);
  }
  return out.take();
}

told_part unpacked_part(const message& bytes) {
  unpacker from(bytes);
  require_version(from);
  if (from.get<told_as>() == told_as::collective)
    return unpacked_collective(from);
  rank_part part;
  part.driver = from.get_text();
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    std::string name = from.get_text();
    part.candidates.push_back({std::move(name), unpack_program(from)});
  }
  part.variants = get_variants(from);
  part.trial.of_finalists = from.get<bool>();
  part.trial.crowded = from.get<bool>();
  part.measured_as.key = from.get<std::uint64_t>();
  part.measured_as.graph = from.get_text();
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto global = from.get<op_id>();
    part.computations.emplace_back(global, from.get<std::int32_t>());
  }
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto global = from.get<graphs::reducer_id>();
    part.reducers.emplace_back(global, from.get<std::int32_t>());
  }
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto global = from.get<graphs::reducer_id>();
    part.others_reducers.emplace_back(global, unpack_reducer(from));
  }
  return part;
}

} // namespace tacit::runtime
