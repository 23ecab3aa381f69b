#include "runtime/exchange/neighbor_operation.h"

#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/run/flat_run.h"

#include <fmt/format.h>
#include <utility>

namespace tacit::runtime {

neighbor_operation::neighbor_operation(std::shared_ptr<const neighbor_communicator> home,
                                       const char* function, std::shared_ptr<run_source> source,
                                       bound_run run)
    : home_(std::move(home)), source_(std::move(source)), run_(std::move(run)), function_(function) {}

neighbor_operation& neighbor_operation::operator=(neighbor_operation&& other) noexcept {
  if (this == &other)
    return *this;
  release();
  home_ = std::move(other.home_);
  source_ = std::move(other.source_);
  run_ = std::move(other.run_);
  function_ = other.function_;
  return *this;
}

/// The execution goes first, then what it uses.
void neighbor_operation::release() {
  if (run_.run)
    source_->take_back(std::move(run_));
  run_.run.reset();
  source_.reset();
  home_.reset();
}

int neighbor_operation::rank() const {
  return home_->rank();
}

const neighbors::neighborhood& neighbor_operation::edges() const {
  return home_->edges();
}

MPI_Comm neighbor_operation::private_comm() const {
  return home_ ? home_->comm() : MPI_COMM_NULL;
}

std::string neighbor_operation::explain(std::exception_ptr failure) const {
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const message_error& e) {
    const auto& concerned = e.incoming ? edges().sources : edges().destinations;
    std::string slots;
    for (std::size_t i = 0; i < concerned.size(); ++i)
      if (static_cast<int>(index(concerned[i].peer)) == e.peer)
        slots += fmt::format("{}{}", slots.empty() ? "" : ", ", i);
    return fmt::format("{} ({} edge {}). Counts and datatypes on both ends of an edge must describe equally "
                       "many bytes",
                       e.what(), e.incoming ? "incoming" : "outgoing", slots);
  } catch (const std::exception& e) {
    return e.what();
  }
}

std::string neighbor_operation::describe() const {
  return fmt::format("{}: {} incoming and {} outgoing edges\ndriver {}: {}\n{}", function_,
                     edges().sources.size(), edges().destinations.size(), driver_name(), steps(),
                     source_->remarks());
}

} // namespace tacit::runtime
