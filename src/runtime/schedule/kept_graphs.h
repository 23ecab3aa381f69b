// Compiled graphs that a communicator keeps, so that a loop that builds the same graph again does not compile it again (seed 000
// section 1.2 builds the graph where the loop of messages was).
//
// Problem: compiling is collective, so that all ranks must agree on what is reused, though each sees only its own part of a graph.
// Idea: the list of kept graphs is the same on all ranks, entry by entry. Each rank compares its part with its part of each entry
// (graph_signature.h) and says whether the entry's plan is in use here; the least of what all ranks say (one reduction) is the
// answer for all:
//
//     all parts are equal, and nobody uses the plan    it is used again as it is, with its connections: nothing else happens
//     all are equal but for places, or it is in use    its steps are used, moved to the new buffers, and connected anew (places are
//                                                      compared, with a reduction more, if all parts are alike but for them, by a hash)
//     else                                             the graph is compiled
//
// Two schedules that exist at the same time share nothing that runs: a plan is lent to one schedule, and comes back when that is
// freed. One in which something has failed on any rank is given up by all in the next compilation. What all ranks free together
// (communicators, connections) is freed in compilations only, in which all ranks take part, or with the communicator.
//
// Cost of a graph that is known: its bytes are packed and compared, and one reduction. Memory: entries by number (TACIT_GRAPHS_KEPT)
// and bytes; the one that was not used for longest goes first. Plans in use do not go; then a new one is not kept.
#pragma once

#include "runtime/mpi/agreement.h"
#include "runtime/mpi/private_communicator.h"
#include "runtime/schedule/bound_graph.h"
#include "runtime/schedule/computations.h"
#include "runtime/schedule/graph_builder.h"
#include "runtime/schedule/graph_signature.h"
#include "runtime/schedule/options.h"

#include <array>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tacit::runtime {

/// A compiled graph that is lent to one schedule after the other. Thread-safe but for `end`.
class kept_plan {
public:
  /// From what only some ranks can use to what all may: ranks agree on the least.
  enum class state : std::uint8_t { lent, failed, idle };

  kept_plan(std::unique_ptr<bound_graph> plan, std::shared_ptr<graph_computations> calls)
      : plan_(std::move(plan)), calls_(std::move(calls)) {}

  bound_graph& plan() const { return *plan_; }
  state now() const;
  /// The computations are the graph's that is compiled now.
  void lend(graph_computations& calls) noexcept;
  /// The schedule that had it is freed by all ranks, maybe at different times.
  void take_back() noexcept;
  /// It was destroyed on this rank only, so that nobody can rely on the plan any more. Local.
  void give_up() noexcept;
  /// It is not kept any longer: ended now, or by the schedule that has it. Collective.
  void let_go() noexcept;
  /// Must not be lent; only destruction may follow. What is returned is not used by anybody. Collective.
  private_communicator end() noexcept { return plan_->end_but_communicator(); }

private:
  mutable std::mutex guard_;
  std::unique_ptr<bound_graph> plan_;
  std::shared_ptr<graph_computations> calls_;
  state now_ = state::lent;
  bool kept_ = true;
};

/// What a schedule has of a kept plan.
class lent_graph : public bound_plan {
public:
  /// `note`: for the explanation; empty: none.
  lent_graph(std::shared_ptr<kept_plan> from, std::string note)
      : from_(std::move(from)), note_(std::move(note)) {}
  ~lent_graph() override;
  /// From now on the plan is used by this schedule.
  void hold() noexcept { holds_ = true; }

  execution& run() override { return from_->plan().run(); }
  const char* made_by() const override { return from_->plan().made_by(); }
  int rank() const override { return from_->plan().rank(); }
  MPI_Comm comm() const override { return from_->plan().comm(); }
  explanation explain() const override;
  void end() noexcept override;

private:
  std::shared_ptr<kept_plan> from_;
  std::string note_;
  bool holds_ = false;
};

class kept_graphs {
public:
  /// All that is known of one graph.
  struct entry {
    graph_signature exact;
    std::uint64_t hash_without_places = 0; ///< graph_signature.h
    std::optional<relative_graph>
        relative; ///< made of `exact` when a graph of the same hash without places is compiled
    rank_part part;
    std::shared_ptr<kept_plan> made; ///< null: only the steps are kept
    // Agreed:
    bool movable = false;
    std::uint64_t bytes = 0, last_use = 0, uses = 0;
    bool idle = false; ///< was not in use on any rank in the compilation that is under way
  };

  /// What one rank knows of a graph before the ranks have agreed.
  struct lookup {
    message circumstances;
    graph_signature exact;
    std::uint64_t hash_without_places = 0; ///< graph_signature.h
    std::optional<relative_graph> relative;
    std::array<std::uint64_t, agreement::most_words> words{};
    struct prepared {
      std::size_t entry;
      std::unique_ptr<schedule> made;
      lent_graph* plan; ///< in `made`
      graph_computations calls;
    };
    std::vector<prepared> ready; ///< those that could be used as they are
  };

  /// Those of a communicator. Collective.
  static std::shared_ptr<kept_graphs> of_all(MPI_Comm comm, const char* function);

  kept_graphs(int rank, int size);
  /// Collective.
  void let_go() noexcept;

  /// A communicator of its own, on which nothing but compilation happens.
  MPI_Comm comm() const { return own_.comm(); }
  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Local; throws std::bad_alloc. `circumstances`: see graph_signature.h.
  lookup look(message circumstances, const graph_builder& part, const compile_request& wanted) const;
  /// As many on all ranks, whatever has become of `look`.
  std::span<std::uint64_t> words_of(lookup& found) const {
    return std::span(found.words).first(1 + 2 * entries_.size());
  }

  // After the ranks have agreed on its words. All ranks do the same.

  /// The kept one that does what was asked for, as it is; null: none. Local.
  std::unique_ptr<schedule> lend(lookup& found) noexcept;
  /// True if some entry may be the same graph in other places; then `compare_places` says so, and the ranks agree again.
  bool may_have_moved(const lookup& found) const;
  /// Local; throws std::bad_alloc.
  void compare_places(lookup& found, const graph_builder& part);
  /// The entry whose steps can be used, if `may_have_moved`.
  std::optional<std::size_t> known(const lookup& found) const;
  /// Local; throws std::bad_alloc.
  rank_part steps_of(std::size_t entry, lookup& found, const graph_builder& part) const;

  /// Where a graph that is being compiled will be kept.
  struct room {
    bool keep = false;
    std::optional<std::size_t> instead_of; ///< an entry that has the same steps
    private_communicator own;              ///< one that is not needed any more, or none
  };
  /// Gives up what may not be used again, and makes room. Collective.
  room make_room(const lookup& found, std::optional<std::size_t> same);
  /// What this rank would keep. Local; throws std::bad_alloc.
  static entry make_entry(lookup& found, const graph_builder& part, rank_part steps);
  /// Its two words for an agreement.
  static std::array<std::uint64_t, 2> words_of(const entry& made);
  /// Keeps it if it is not too large, in `words` of all ranks; else false. Collective.
  bool keep(room& where, entry made, const std::array<std::uint64_t, 2>& words);

private:
  std::uint64_t bytes() const;
  void forget(std::size_t at);
  std::optional<std::size_t> oldest_idle() const;

  private_communicator own_;
  int rank_, size_;
  std::vector<entry> entries_;
  std::uint64_t compilations_ = 0;
};

} // namespace tacit::runtime
