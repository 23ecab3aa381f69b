#include "runtime/schedule/measured_before.h"

#include "graphs/platform/graph_measurements.h"
#include "graphs/platform/model_file.h"
#include "runtime/mpi/library_version.h"
#include "runtime/run/tuned_run.h"
#include "runtime/schedule/graph_signature.h"
#include "runtime/schedule/known_machine.h"
#include "vocabulary/base/amounts.h"
#include "vocabulary/base/hash.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

std::string library_here() {
  return graphs::short_library_name(library_version());
}

/// Nodes have another word in each run: what counts is which ranks share one.
/// Likewise of caches; the first of `seen` have their numbers already.
std::vector<std::uint64_t> numbered(const std::vector<rank_facts>& facts, std::uint64_t rank_facts::* what,
                                    std::vector<std::uint64_t> seen = {}) {
  std::vector<std::uint64_t> out;
  for (const rank_facts& r : facts) {
    const auto at = std::find(seen.begin(), seen.end(), r.*what);
    out.push_back(static_cast<std::uint64_t>(at - seen.begin()));
    if (at == seen.end())
      seen.push_back(r.*what);
  }
  return out;
}

/// Whether to measure, and how many candidates, is not what is measured.
std::vector<std::byte> packed_meaning(compile_request wanted) {
  const compile_request by_default;
  wanted.measures = by_default.measures;
  wanted.candidates = by_default.candidates;
  return packed_request(wanted);
}

} // namespace

std::string name_of_variant(std::string_view plan, std::string_view driver) {
  return fmt::format("{} ({})", plan, driver);
}

std::uint64_t verdict_key(const std::vector<rank_facts>& facts, const std::vector<local_graph>& parts,
                          const compile_request& wanted) {
  packer out;
  out.put_text(TACIT_VERSION);
  out.put<std::uint64_t>(cores_here());
  out.put_list(numbered(facts, &rank_facts::node));
  out.put_list(numbered(facts, &rank_facts::cache, {0}));
  for (const rank_facts& r : facts) {
    out.put(r.longest_in_memory);
    out.put(r.attended);
  }
  for (const setting each : {setting::shm, setting::rma_model, setting::progress})
    out.put_text(std::string(given(each)));
  out.put_list(packed_meaning(wanted));
  vocabulary::hashed_words key;
  const message shared = out.take();
  key.add(vocabulary::hash_of(shared.data(), shared.size()));
  for (const local_graph& part : parts)
    key.add(without_places(message(), part).signature.hash);
  return key.value();
}

measured_before take_measured_before(graphs::choice& chosen, std::uint64_t key) {
  const graphs::kept_graph_measurements known = graphs::load_graph_measurements(library_here());
  if (!known.trouble.empty())
    return {"measurements of earlier runs: " + known.trouble, false};
  const graphs::graph_measurement* const found = known.of(key);
  if (!found)
    return {};
  measured_before out;
  out.words =
      fmt::format("measured in an earlier run ({}): {} {}{}{}", found->day, found->variant,
                  readable_seconds(found->seconds), found->others.empty() ? "" : "; not ", found->others);
  const auto at = std::find_if(chosen.variants.begin(), chosen.variants.end(), [&](const graphs::variant& w) {
    return name_of_variant(chosen.plans[w.plan].name, w.driver) == found->variant;
  });
  if (at == chosen.variants.end()) {
    out.words += "; it is no candidate now, so that this run measures";
    return out;
  }
  graphs::variant kept = *at;
  graphs::named_plan plan = std::move(chosen.plans[kept.plan]);
  kept.plan = 0;
  chosen.variants.assign(1, kept);
  chosen.plans.clear();
  chosen.plans.push_back(std::move(plan));
  out.taken = true;
  return out;
}

std::string keep_measured(const measurement_name& as, const tuned_run& decided) {
  const std::size_t fastest = decided.candidate();
  const std::string library = library_here();
  const std::string trouble = graphs::keep_graph_measurement(
      library,
      {as.key, decided.name(fastest), decided.measured()[fastest], {}, as.graph, decided.words_of_others()});
  return trouble.empty()
             ? fmt::format("kept for later runs in {}\n", graphs::graph_measurement_file(library).string())
             : fmt::format("not kept for later runs: {}\n", trouble);
}

} // namespace tacit::runtime
