#include "runtime/schedule/background_run.h"

#include "runtime/mpi/errors.h"
#include "runtime/mpi/left_at_finalize.h"
#include "runtime/mpi/left_under_way.h"
#include "runtime/run/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tacit::runtime {
namespace {

/// In MPI_Finalize, where all ranks are: none of these runs is active or begins anything any more. Ranks may have begun them in
/// different orders.
void prepare_all(const std::vector<background_run*>& all) {
  auto left = all;
  const auto is_over = [](background_run* each) {
    try {
      return each->prepare_further();
    } catch (...) { // nobody runs it any more
      return true;
    }
  };
  while (std::erase_if(left, is_over), !left.empty())
    offer_core();
}

using runs_left = left_at_finalize<background_run, prepare_all>;

} // namespace

background_run::background_run(std::unique_ptr<bound_graph> written,
                               std::unique_ptr<background_analysis> analysis, connect replace, MPI_Comm comm)
    : plan_(std::move(written)), analysis_(std::move(analysis)), replace_(std::move(replace)),
      preparing_(std::make_unique<resumable_work>([this] { connect_together(); })), comm_(comm) {
  runs_left::add(this);
}

background_run::~background_run() {
  runs_left::remove(this);
  if (phase_ == phase::connects && !preparing_->is_over())
    leave_under_way(std::move(preparing_)); // after an error: messages are under way into its stack
}

void background_run::start() {
  if (goes_over_)
    go_over();
  moved_ = false;
  ++run_;
  if (prepares_) { // all ranks, so that their questions are of the same phase
    prepares_ = false;
    asks_from_ = run_ - 1;
    phase_ = phase::connects;
  }
  prepare();
  plan_->run().start();
  if (replace_ && asks(run_ - asks_from_))
    ask();
}

/// By messages where other collectives may be under way on the same communicator.
void background_run::ask() {
  if (phase_ == phase::connects)
    question_ = std::make_unique<maxima>(comm_, questions_tag, std::vector<double>{own_word()});
  else
    question_ = std::make_unique<maxima>(comm_, std::vector<double>{own_word()});
}

double background_run::own_word() const {
  if (phase_ == phase::connects)
    return preparing_->is_over() ? connected : connecting;
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
  prepare();
  if (!moved_ && !plan_->run().progress())
    return false;
  return complete();
}

void background_run::finish() {
  prepare();
  if (!moved_)
    plan_->run().finish();
  while (!complete()) {
    prepare();
    take_pause(0);
  }
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
  if (phase_ == phase::connects) {
    goes_over_ = word == connected;
    return;
  }
  prepares_ = word == ready;
  if (word != failed)
    return;
  became_ = "it came to nothing on rank 0";
  if (analysis_ && !analysis_->fault().empty())
    became_ += ": " + analysis_->fault();
  replace_ = nullptr;
  analysis_.reset();
}

/// Piece by piece, on the stack of `preparing_`.
void background_run::connect_together() {
  std::vector<message> found;
  if (analysis_)
    found = analysis_->take();
  analysis_.reset();
  try {
    made_ = replace_(std::move(found));
  } catch (const call_error& e) { // agreed by all ranks
    cannot_ = e.what();
  }
}

void background_run::prepare() {
  if (phase_ == phase::connects && !is_inside_mpi() && !resumable_work::is_inside())
    preparing_->go_on();
}

bool background_run::prepare_further() {
  return phase_ != phase::connects || preparing_->go_on();
}

/// All ranks are between the same two runs, and connected.
void background_run::go_over() {
  goes_over_ = false;
  phase_ = phase::is_over;
  preparing_.reset();
  replace_ = nullptr;
  if (made_) {
    became_ = fmt::format("done while the graph ran as written; what is described here runs from run {} on",
                          run_ + 1);
    written_ = std::exchange(plan_, std::move(made_));
  } else {
    became_ = "what it found cannot run, so the graph goes on as written: " + cannot_;
  }
}

void background_run::end() noexcept {
  try {
    while (!prepare_further()) {
      progress_under_way(); // another rank may come here only then
      offer_core();
    }
  } catch (...) { // as other ranks are not told, they may wait for this one
  }
  phase_ = phase::is_over;
  preparing_.reset();
  question_.reset();
  analysis_.reset();
  replace_ = nullptr;
  for (const auto* each : {&made_, &written_, &plan_})
    if (*each)
      (*each)->end();
}

explanation background_run::explain() const {
  const std::string now =
      !became_.empty() ? became_
      : phase_ == phase::connects
          ? fmt::format("under way after {} runs: the ranks connect, and the graph still runs as written",
                        run_)
          : fmt::format("under way on rank 0 after {} runs; until it is done the graph runs as written",
                        run_);
  return with_note(plan_->explain(), "analysis", now);
}

} // namespace tacit::runtime
