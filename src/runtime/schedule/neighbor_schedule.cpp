#include "runtime/schedule/neighbor_schedule.h"

#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/run/progress.h"

#include <fmt/format.h>

namespace tacit::runtime {
namespace {

class bound_exchange : public bound_plan {
public:
  explicit bound_exchange(neighbor_operation operation) : operation_(std::move(operation)) {}

  execution& run() override { return operation_.run(); }
  const char* made_by() const override { return operation_.function(); }
  int rank() const override { return operation_.rank(); }
  MPI_Comm comm() const override { return operation_.private_comm(); }
  explanation explain() const override {
    const neighbors::neighborhood& edges = operation_.edges();
    return {operation_.describe(),
            fmt::format("{{\"function\": \"{}\", \"rank\": {}, \"incoming_edges\": {}, \"outgoing_edges\": "
                        "{}, \"driver\": \"{}\", \"steps\": \"{}\"}}\n",
                        operation_.function(), operation_.rank(), edges.sources.size(),
                        edges.destinations.size(), operation_.driver_name(), operation_.steps())};
  }
  std::string explain_failure(const call_error&, const std::exception_ptr& thrown) const override {
    return fmt::format("{}: {}", operation_.function(), operation_.explain(thrown));
  }

private:
  neighbor_operation operation_;
};

std::unique_ptr<schedule> schedule_of(neighbor_operation operation, schedule::runs how_many) {
  return std::make_unique<schedule>(std::make_unique<bound_exchange>(std::move(operation)), how_many);
}

} // namespace

void exchange_now(const neighbor_call& call, MPI_Comm comm) {
  neighbor_operation operation = neighbor_communicator::of(comm)->operation(call, true);
  execution& run = operation.run();
  try {
    run.start();
    begin_progress(run);
    wait_for(run);
  } catch (...) {
    run.failure = std::current_exception();
    end_progress(run);
    throw call_error(
        current_error().why,
        fmt::format("rank {}: {}: {}", operation.rank(), call.function, operation.explain(run.failure)),
        true);
  }
}

std::unique_ptr<schedule> exchange_once(const neighbor_call& call, MPI_Comm comm) {
  return schedule_of(neighbor_communicator::of(comm)->operation(call, false), schedule::runs::one);
}

void prepare_exchange(const neighbor_call& call, MPI_Comm comm, MPI_Info info,
                      const std::function<void(std::unique_ptr<schedule>)>& keep) {
  neighbor_communicator::of_all(comm, call.function)
      ->persistent(call, info, [&keep](neighbor_operation made) {
        keep(schedule_of(std::move(made), schedule::runs::any_number));
      });
}

} // namespace tacit::runtime
