// From the stream of tasks to the commands of one rank, without a word to the others.
//
// Every rank runs a planner over the same stream. What all of them have to agree on (which data are exchanged by which
// collective, in which order) follows from formulas for all ranks at once (layout, discover); what concerns this rank alone
// (its chunk, its messages, what comes after what in its memory) is computed for this rank alone. So a task costs the same for
// any number of ranks, unless it is this rank that has many peers.
//
// Look-ahead: tasks wait in a window until a horizon, a fence or an epoch. When the first of them needs what another rank
// produced, the demands of all that read the same version are known, and if one of them covers the others by a collective, this
// collective is what happens: a gather that is followed by an all-gather is one all-gather.
//
// For each exchange: satisfied by what ranks have already - nothing; a collective (classify.h) - one command for each group of
// ranks; else messages, by exact regions. Whatever was moved is a copy from then on; the producer stays the owner. A candidate
// that is no collective (a forward task that is not materialised) changes nothing, so it never hides the producer from a later
// one.
#pragma once

#include "tasks/commands/command.h"
#include "tasks/commands/local_commands.h"
#include "tasks/commands/replay.h"
#include "tasks/commands/window.h"
#include "tasks/discover/classify.h"
#include "tasks/layout/contents.h"
#include "tasks/stream/check.h"
#include "tasks/stream/task_stream.h"

#include <array>

namespace tacit::tasks {

struct planner_options {
  std::uint32_t ranks = 1;
  rank_id me{};
  bool discover = true;            ///< without it, all that can be messages is
  bool look_ahead = true;          ///< without it, each task is planned by itself
  bool keep_descriptions = true;   ///< without it, what follows from a task is found anew each time
  bool replay = true;              ///< without it, each window is planned anew
  int horizon_step = 4;            ///< tasks in a chain between two horizons
  bool keep_graphs = false;        ///< remember tasks and exchanges, to explain them
  std::size_t most_kept = 100'000; ///< of tasks, and of exchanges; later ones are counted
};

/// A task and what it comes after, to be shown.
struct task_node {
  task_id id{};
  task_kind kind{};
  std::string name;
  std::vector<task_id> after;
};

class planner {
public:
  explicit planner(planner_options options);

  buffer_id create_buffer(buffer b);
  /// For diagnostics and explanations.
  void rename_buffer(buffer_id buffer, const std::string& name) { stream_.rename_buffer(buffer, name); }
  /// No task that is submitted from now on accesses it: what is known of it is freed as soon as those before are planned.
  void destroy_buffer(buffer_id buffer);
  /// Returns its number. What is wrong with it is added to problems(); a task with an error is not planned. A fence or an epoch
  /// plans everything up to itself.
  task_id submit(const task& t) { return submit(t, nullptr); }
  /// The same of one that may come again as the same object.
  task_id submit(const std::shared_ptr<const task>& t) { return submit(*t, t); }
  /// Whether the next task most likely costs next to nothing: it goes on with a window that is known, or begins one after such a one.
  bool foresees() const { return foreseen_ || (window_.empty() && goes_on_); }
  /// The number of the next task, unless a horizon comes before it.
  task_id next() const { return stream_.next(); }
  /// Plans what still waits in the window.
  void flush();
  /// What was planned since the last call, in an order in which it can be executed.
  std::vector<command> take() { return local_.take(); }
  /// The same into a list that may have memory already.
  void take(std::vector<command>& into) { local_.take(into); }

  const diagnostics& problems() const { return problems_; }
  /// With keep_graphs: all tasks, and what became of the data that each needs of others.
  const std::vector<task_node>& tasks() const { return tasks_; }
  const std::vector<exchange_edge>& edges() const { return edges_; }
  /// With keep_graphs: how many tasks and exchanges there were beyond those kept.
  std::size_t left_out() const { return left_out_; }
  /// How many windows had been planned before, in the same state.
  std::size_t replayed() const { return replayed_; }
  const std::vector<buffer>& buffers() const { return stream_.buffers(); }
  std::uint64_t stream_hash() const { return stream_.hash(); }
  const planner_options& options() const { return options_; }

private:
  struct batch; ///< what one task exchanges (planner_parts.h)
  struct piece {
    box where;
    version what;
  };
  /// What this rank has to do with an exchange.
  struct own_share {
    std::shared_ptr<const collective> what;
    std::vector<touched> reads, writes;
    std::vector<rank_id> sends_to, receives_from;
  };
  static constexpr std::size_t shares_kept = 16;
  static constexpr std::size_t descriptions_kept = 32;

  task_id submit(const task& t, const std::shared_ptr<const task>& said);
  std::shared_ptr<const described> description(const task& t, const std::shared_ptr<const task>& said);
  std::shared_ptr<const described> known_description(const task& t);
  std::shared_ptr<described> describe(task t);
  void split_up(described& d);
  bool recognize(task& t);
  bool mappers_agree(const described& d);
  bool has_overlapping_writes(const described& d);
  void accept(std::shared_ptr<const described> what);
  demand demand_of(buffer_id buffer, distribution where) const;
  void add_demands(described& d, const access& a) const;
  void add_reduction(described& d, const reduction& r);
  bool horizon_is_due() const;
  bool foresees(const planned& p);
  bool is_foreseen(const described& what, task_id number) const;
  void stop_foreseeing();
  void plan_window();
  void plan_and_record(known_window& w);
  bool replay(known_window& w);
  void replay(const known_window& w, const recorded_plan& plan, const moved_numbers& now);
  command again(const recorded_plan& plan, std::size_t number, const moved_numbers& now) const;
  void plan(std::size_t position);
  template <typename Test>
  bool any_of(const demand& d, const Test& test) const;
  std::vector<piece> pieces_of(buffer_id buffer, const region& where) const;
  void combine_partials(batch& out, const demand& d, std::size_t position);
  void satisfy(batch& out, const demand& d, std::size_t position);
  void exchange(batch& out, exchange_part part, task_id producer, std::size_t position);
  classified choose(exchange_part& part, std::size_t position, bool& ahead) const;
  void combine(batch& out, const box& where, const version& partial, const demand& d, std::size_t position);
  distribution best_for_all(const box& what, const demand& d, std::size_t position) const;
  std::vector<distribution> later_demands(buffer_id buffer, const box& where, std::size_t position) const;
  void send_messages(batch& out, const exchange_part& part) const;
  void note(exchange_edge edge);
  void emit(batch& out);
  void emit_collective(const planned& consumer, exchange_id number, collective c, const team& who,
                       task_id partials_of = {});
  const own_share& share_of(collective&& c);
  own_share make_share(collective&& c) const;
  exchange_id number_exchange();
  void add_neighbors(own_share& c, const exchange_part& part) const;
  void emit_messages(const batch& out);
  void execute(const planned& p);
  void barrier(const planned& p);
  void write(const planned& p);

  planner_options options_;
  task_stream stream_;
  stream_checks checks_;
  split_table splits_;
  contents contents_;
  local_commands local_;
  std::vector<planned> window_;
  std::shared_ptr<const described> horizon_;
  std::vector<std::shared_ptr<const described>> descriptions_; ///< of tasks; the oldest makes room
  std::size_t oldest_description_ = 0, used_description_ = 0;
  std::vector<buffer_id> destroyed_; ///< with the window they go
  known_windows windows_;
  known_window* foreseen_ =
      nullptr;        ///< the window that this one is so far; its tasks are numbered, not ordered
  bool fresh_ = true; ///< the window began right after a horizon or an epoch
  recorded_plan* recording_ = nullptr;
  bool goes_on_ = false; ///< the last window was replayed
  std::size_t replayed_ = 0;
  exchange_id next_exchange_{};
  std::vector<own_share> shares_;
  diagnostics problems_;
  std::vector<task_node> tasks_;
  std::vector<exchange_edge> edges_;
  std::size_t left_out_ = 0;
};

} // namespace tacit::tasks
