#include "runtime/exchange/persistent.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/agreement.h"

#include <utility>

namespace tacit::runtime {
namespace {

/// The predicted one first, then the others that have a price, and MPI's native call, which has none.
std::vector<prepared_exchange> prepare_variants(prepared_exchange predicted,
                                                const prepare_variant& prepare_one) {
  const agreed_variants compared = predicted.report.variants;
  std::vector<prepared_exchange> out;
  out.push_back(std::move(predicted));
  for (std::size_t i = 0; i < compared.list.size(); ++i) {
    const neighbors::variant& v = compared.list[i];
    if (i != compared.taken && (v.ns >= 0 || v.driver == neighbors::native_call))
      try {
        out.push_back(prepare_one(&v));
      } catch (const neighbor_error&) { // of all ranks
      }
  }
  return out;
}

sourced_run alone(prepared_exchange made) {
  auto source = std::make_shared<persistent_exchange>(std::move(made.report), std::move(made.peers));
  return {std::move(source), {std::move(made.run), 0, 0}};
}

sourced_run tuned(std::vector<prepared_exchange> variants, std::uint64_t after, MPI_Comm comm, int tag) {
  std::vector<exchange_report> reports;
  std::vector<tuned_candidate> candidates;
  for (prepared_exchange& v : variants) {
    candidates.push_back({v.report.variant(), std::move(v.peers), std::move(v.run)});
    reports.push_back(std::move(v.report));
  }
  auto run = std::make_unique<tuned_run>(std::move(candidates), after, comm, tag);
  auto source = std::make_shared<persistent_exchange>(std::move(reports), *run);
  return {std::move(source), {std::move(run), 0, 0}};
}

} // namespace

persistent_exchange::persistent_exchange(exchange_report report, std::unique_ptr<connection> peers)
    : peers_(std::move(peers)) {
  reports_.push_back(std::move(report));
}

persistent_exchange::persistent_exchange(std::vector<exchange_report> reports, const tuned_run& run)
    : reports_(std::move(reports)), tuned_(&run) {}

std::string persistent_exchange::remarks() const {
  return current().text() + (tuned_ ? tuned_->describe() : "");
}

sourced_run prepare_persistent(const exchange_site& site, const char* function,
                               const prepare_variant& prepare_one, const std::function<int()>& next_tag) {
  prepared_exchange predicted = prepare_one(nullptr);
  const std::uint64_t after = predicted.feedback;
  if (after == 0)
    return alone(std::move(predicted));
  std::vector<prepared_exchange> variants = prepare_variants(std::move(predicted), prepare_one);
  if (variants.size() == 1)
    return alone(std::move(variants.front()));
  const int tag = next_tag();
  agreement all(site.comm, site.rank, site.size, function);
  sourced_run out;
  all.here([&] { out = tuned(std::move(variants), after, site.comm, tag); });
  all.agree();
  return out;
}

} // namespace tacit::runtime
