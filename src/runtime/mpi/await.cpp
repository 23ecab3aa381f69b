#include "runtime/mpi/await.h"

#include "runtime/mpi/mpi_error.h"
#include "runtime/run/progress.h"

#include <thread>

namespace tacit::runtime {
namespace {

class requests_run : public execution {
public:
  requests_run(std::vector<MPI_Request> requests, const char* call)
      : requests_(std::move(requests)), call_(call) {}
  void start() override {}
  bool progress() override {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE),
              call_);
    return done != 0;
  }
  void finish() override {
    check_mpi(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE), call_);
  }

private:
  std::vector<MPI_Request> requests_;
  const char* call_;
};

} // namespace

void await(std::vector<MPI_Request> requests, const char* call) {
  requests_run run(std::move(requests), call);
  begin_progress(run);
  wait_for(run);
}

} // namespace tacit::runtime
