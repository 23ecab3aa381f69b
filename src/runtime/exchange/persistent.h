// Persistent operations: one variant that was prepared together, or several that are tried at run time.
#pragma once

#include "runtime/exchange/prepare.h"
#include "runtime/exchange/run_source.h"
#include "runtime/run/tuned_run.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::runtime {

/// What a persistent operation needs for its life. The execution is the operation's alone.
class persistent_exchange : public run_source {
public:
  /// Of an operation that has one variant only.
  explicit persistent_exchange(exchange_report report, std::unique_ptr<connection> peers);
  /// Of an operation with several, of which `run` is trying some or has taken one; it belongs to the operation.
  persistent_exchange(std::vector<exchange_report> reports, const tuned_run& run);

  void take_back(bound_run) override {}
  std::string_view driver() const override { return current().driver; }
  std::string steps() const override { return current().steps; }
  std::string remarks() const override;

private:
  const exchange_report& current() const { return reports_[tuned_ ? tuned_->candidate() : 0]; }

  std::vector<exchange_report> reports_;
  std::unique_ptr<connection> peers_;
  const tuned_run* tuned_ = nullptr;
};

/// An execution and what it comes from.
struct sourced_run {
  std::shared_ptr<run_source> source;
  bound_run run;
};

/// Prepares one more variant of the operation. Collective. Throws neighbor_error, the same on all ranks.
using prepare_variant = std::function<prepared_exchange(const neighbors::variant*, const keep_prepared*)>;

/// Makes of the execution what the caller holds; what it throws is an error of all ranks.
using keep_run = std::function<void(sourced_run)>;

/// The cheapest variant, and with feedback the others, too; those that some rank cannot run are left out on
/// all. `next_tag`: of a message of the tuned run, asked for once. Collective. Throws neighbor_error, the same
/// on all ranks.
void prepare_persistent(const exchange_site& site, const char* function, const prepare_variant& prepare_one,
                        const std::function<int()>& next_tag, const keep_run& keep);

} // namespace tacit::runtime
