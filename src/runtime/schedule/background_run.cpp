#include "runtime/schedule/background_run.h"

#include "runtime/mpi/errors.h"

#include <fmt/format.h>
#include <utility>

namespace tacit::runtime {

background_run::background_run(std::unique_ptr<bound_graph> written,
                               std::unique_ptr<background_analysis> analysis, connect replace, MPI_Comm comm)
    : plan_(std::move(written)), analysis_(std::move(analysis)), replace_(std::move(replace)), comm_(comm) {}

background_run::~background_run() = default;

void background_run::start() {
  if (goes_over_)
    go_over();
  moved_ = false;
  ++run_;
  plan_->run().start();
  if (replace_ && asks(run_))
    question_ = std::make_unique<maxima>(comm_, std::vector<double>{own_word()});
}

double background_run::own_word() const {
  if (!analysis_)
    return under_way;
  switch (analysis_->now()) {
  case background_analysis::state::ready:
    return ready;
  case background_analysis::state::failed:
    return failed;
  case background_analysis::state::under_way:
    break;
  }
  return under_way;
}

bool background_run::progress() {
  if (!moved_ && !plan_->run().progress())
    return false;
  return complete();
}

void background_run::finish() {
  if (!moved_)
    plan_->run().finish();
  while (!complete())
    take_pause(0);
}

/// The messages of this run have arrived: true when nothing else is left to do.
bool background_run::complete() {
  moved_ = true;
  if (!question_)
    return true;
  if (!question_->progress())
    return false;
  const double word = question_->values().front();
  question_.reset();
  hear(word);
  return true;
}

void background_run::hear(double word) {
  goes_over_ = word == ready;
  if (word != failed)
    return;
  became_ = "it came to nothing on rank 0";
  if (analysis_ && !analysis_->fault().empty())
    became_ += ": " + analysis_->fault();
  replace_ = nullptr;
  analysis_.reset();
}

/// All ranks are between the same two runs.
void background_run::go_over() {
  goes_over_ = false;
  const connect replace = std::exchange(replace_, nullptr);
  std::vector<message> found;
  if (analysis_)
    found = analysis_->take();
  analysis_.reset();
  try {
    std::string became = fmt::format(
        "done while the graph ran as written; what is described here runs from run {} on", run_ + 1);
    std::unique_ptr<bound_graph> made = replace(std::move(found));
    std::swap(plan_, made); // nothing fails from here on, so that all ranks go over
    became_ = std::move(became);
    made->end();                  // nobody is in a run of it any more
  } catch (const call_error& e) { // agreed by all ranks
    became_ = fmt::format("what it found cannot run, so the graph goes on as written: {}", e.what());
  }
}

void background_run::end() noexcept {
  question_.reset();
  analysis_.reset();
  replace_ = nullptr;
  plan_->end();
}

explanation background_run::explain() const {
  const std::string now =
      !became_.empty()
          ? became_
          : fmt::format("under way on rank 0 after {} runs; until it is done the graph runs as written",
                        run_);
  return with_note(plan_->explain(), "analysis", now);
}

} // namespace tacit::runtime
