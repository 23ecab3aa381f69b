// A graph that runs as written while rank 0 finds out on another thread what it means, and by what replaces it from then on.
//
// Problem: all ranks must go over at the same run, but only rank 0 knows when its thread has a result, and no start of a run may wait for
// that, nor for the ranks to connect, which is collective. Idea: as all ranks run the graph equally often, the number of a run alone says
// when they ask:
//
//     runs 1, 2, 4 … 64, and every 64th from there on    a reduction of one word begins when the run starts, and the run is complete on a
//                                                        rank when it also has the word, as with runs that are measured (run/tuned_run.h)
//     from the run after that                            if the word says that there is a result: all ranks get their steps from rank 0 and
//                                                        connect, piece by piece in their calls (mpi/resumable_work.h), while the graph
//                                                        still runs as written; again they ask in runs 1, 2, 4 … of this phase
//     the run after all are connected                    is the first one of the new form
//
// So no start waits for anybody, and a run that asks waits for no more than that all ranks have started it, as in any collective. What is under
// way between two runs ends with the schedule, in which all ranks take part (`end`), or in MPI_Finalize.
//
// It terminates if the program does when every rank starts every run. What goes wrong on the way to the new form goes wrong on all ranks
// alike (mpi/agreement.h), and then the graph goes on as written.
#pragma once

#include "runtime/mpi/resumable_work.h"
#include "runtime/run/driver.h"
#include "runtime/run/maxima.h"
#include "runtime/schedule/background_analysis.h"
#include "runtime/schedule/bound_graph.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace tacit::runtime {

class background_run : public execution {
public:
  /// Collective: what takes the place of the graph as written, from what rank 0 has found (empty on others). Waits by await.h only, and sends
  /// no message with the tag of `questions_tag`. Throws call_error on all ranks alike, or mpi_error.
  using connect = std::function<std::unique_ptr<bound_graph>(std::vector<message> found)>;

  /// `comm` is used by nobody else, returns errors and outlives this. `analysis`: on rank 0; null on others. Local.
  background_run(std::unique_ptr<bound_graph> written, std::unique_ptr<background_analysis> analysis,
                 connect replace, MPI_Comm comm);
  ~background_run() override;

  void start() override;
  bool progress() override;
  void finish() override;
  double pause() const override { return moved_ ? 0 : plan_->run().pause(); }

  /// Gives up what is left, together: collective, as the `end` of connections is. Must not be active.
  void end() noexcept;
  explanation explain() const;

  /// Goes on with what all ranks do together meanwhile. Must not be active. True if nothing is left. Local.
  bool prepare_further();

  /// Whether all ranks ask in this run, counted from 1.
  static bool asks(std::uint64_t run) { return run % most_apart == 0 || (run & (run - 1)) == 0; }

private:
  static constexpr std::uint64_t most_apart = 64;
  static constexpr int questions_tag = 3; ///< beside those of agreement.h
  /// The same on all ranks in the same run.
  enum class phase : std::uint8_t { finds_out, connects, is_over };
  // What rank 0 says.
  static constexpr double under_way = 0, ready = 1, failed = 2;
  // What each rank says in the second phase, of which the largest is heard.
  static constexpr double connected = 0, connecting = 1;

  double own_word() const;
  void ask();
  bool complete();
  void hear(double word);
  void connect_together();
  void prepare();
  void go_over();

  std::unique_ptr<bound_graph> plan_;    ///< what runs now
  std::unique_ptr<bound_graph> written_; ///< what ran before, until all can give it up together
  std::unique_ptr<bound_graph> made_;    ///< what will run
  std::unique_ptr<background_analysis> analysis_;
  connect replace_; ///< null: nothing is awaited any more
  phase phase_ = phase::finds_out;
  std::unique_ptr<resumable_work> preparing_; ///< begun in the second phase
  std::string cannot_;                        ///< why what was found cannot run, the same on all ranks
  MPI_Comm comm_;
  std::uint64_t run_ = 0;       ///< number of the run that is under way, or that was the last
  std::uint64_t asks_from_ = 0; ///< the last one of the phase before
  bool moved_ = false;          ///< the messages of this run have arrived
  bool prepares_ = false, goes_over_ = false;
  std::unique_ptr<maxima> question_;
  std::string became_; ///< for people
};

/// Such a graph as schedules have it.
class background_graph : public bound_graph {
public:
  background_graph(int rank, const char* made_by, std::unique_ptr<background_run> run)
      : bound_graph(rank, made_by, nullptr, std::move(run), {}),
        run_(static_cast<background_run*>(&bound_graph::run())) {}
  explanation explain() const override { return run_->explain(); }
  /// Twice is as once.
  void end() noexcept override {
    if (background_run* const run = std::exchange(run_, nullptr))
      run->end();
    bound_graph::end();
  }

private:
  background_run* run_; ///< null after `end`
};

} // namespace tacit::runtime
