#include "runtime/exchange/persistent.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/agreement.h"

#include <utility>

namespace tacit::runtime {
namespace {

/// The predicted one first, then the others that have a price, and MPI's native call, which has none.
std::vector<prepared_exchange> prepare_variants(prepared_exchange predicted, const exchange_site& site,
                                                const char* function, const prepare_variant& prepare_one) {
  agreed_variants compared;
  std::vector<prepared_exchange> out;
  agreement all(site.comm, site.rank, site.size, function);
  all.here([&] {
    compared = predicted.report.variants;
    out.reserve(compared.list.size());
  });
  all.agree();
  out.push_back(std::move(predicted));
  for (std::size_t i = 0; i < compared.list.size(); ++i) {
    const neighbors::variant& v = compared.list[i];
    if (i != compared.taken && (v.ns >= 0 || v.driver == neighbors::native_call))
      try {
        out.push_back(prepare_one(&v, nullptr));
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

void prepare_persistent(const exchange_site& site, const char* function, const prepare_variant& prepare_one,
                        const std::function<int()>& next_tag, const keep_run& keep) {
  const keep_prepared keep_only = [&keep](prepared_exchange& made) {
    if (made.feedback == 0)
      keep(alone(std::move(made)));
  };
  prepared_exchange predicted = prepare_one(nullptr, &keep_only);
  const std::uint64_t after = predicted.feedback;
  if (after == 0)
    return;
  std::vector<prepared_exchange> variants =
      prepare_variants(std::move(predicted), site, function, prepare_one);
  const int tag = variants.size() > 1 ? next_tag() : 0;
  agreement all(site.comm, site.rank, site.size, function);
  all.here([&] {
    keep(variants.size() > 1 ? tuned(std::move(variants), after, site.comm, tag)
                             : alone(std::move(variants.front())));
  });
  all.agree();
}

} // namespace tacit::runtime
