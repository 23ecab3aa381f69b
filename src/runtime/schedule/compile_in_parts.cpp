// Compiling in parts (SEMANTICS 5), in the order in which it happens:
//
//   follow     every rank follows its own operations; messages carry where bytes come from (graphs/part/part_run.h)
//   vote       one reduction tells what all ranks get together, and whether that is one collective of all ranks (graphs/part/facts.h)
//   claim      origins hear what is taken from them, where the finding depends on it or their blocks do
//   choose     rank 0 compares variants of this collective, of which addresses are no part, and tells which ones they are: that which is
//              taken, and others that the first runs measure beside it
//   steps      every rank makes its own steps (graphs/part/part_plan.h)
//   check      they are followed as the graph was, must leave the same on every rank, and one reduction says whether they do; what is
//              only measured and fails it is left out
//
// What moves may be more than one collective of all ranks. If it is no more than the graph has operations, all ranks tell rank 0 what
// they get in the end, and nothing of how it comes there (graphs/part/remaining.h); rank 0 compiles that, and all check their steps as
// before.
//
// What cannot be said in these ways is refused, by all ranks alike, and then the graph is compiled by rank 0 (compile_together.cpp), which
// also finds what is wrong with it. Cost: what the messages of one run cost, and once more for each plan, a reduction for each of these, two
// more, and a broadcast (two where words are many).
#include "runtime/schedule/compile_in_parts.h"

#include "graphs/choice/finalists.h"
#include "graphs/part/facts.h"
#include "graphs/part/part_plan.h"
#include "graphs/part/part_run.h"
#include "runtime/mpi/collectives.h"
#include "runtime/schedule/compile_on_root.h"
#include "runtime/schedule/part_exchange.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <numeric>
#include <optional>

namespace tacit::runtime {
namespace {

using graphs::part_refusal;

constexpr std::uint64_t large = std::uint64_t{1} << 60;
constexpr int bits_of_rank = 32;

/// A part beyond this is left to rank 0, whose budget the user can raise: 4 million fragments take some 100 MiB.
constexpr graphs::flow_options budget_of_a_part{std::uint64_t{1} << 22, std::uint64_t{1} << 28};

bool moves_nothing(const local_operation& op) {
  return graphs::total_length(op.reads) == 0;
}

/// As all members of the communicators know them.
std::vector<std::uint64_t> names_of(const local_graph& part) {
  std::vector<std::uint64_t> out;
  for (const local_communicator& c : part.communicators)
    out.push_back(c.id);
  return out;
}

/// What can be seen without making a graph; the rest is seen by graphs::refusal_of.
part_refusal refusal_at_sight(const local_graph& part) {
  for (const local_operation& op : part.operations) {
    const bool is_known = op.kind == local_kind::send || op.kind == local_kind::recv ||
                          op.kind == local_kind::copy || op.kind == local_kind::nothing;
    if (!is_known || op.reducer >= 0)
      return part_refusal::kinds;
    if (op.kind == local_kind::send && moves_nothing(op))
      return part_refusal::synchronizing;
  }
  return part_refusal::none;
}

/// Rank 0's options that a part knows no answer to.
bool asks_for_more(const compile_request& r) {
  return r.measures_all() || !r.plan.empty() || !r.patterns.empty() || !r.compile.disabled.empty() ||
         !r.compile.make_plan || !r.compile.check_races ||
         r.compile.planning.policy != graphs::sync_policy::data ||
         r.compile.planning.progress != graphs::region_progress::collective;
}

/// Of the rank that has most. On four ranks of two busy cores all together took 1.3 to 1.4 times as long as rank 0 with 384 operations
/// each, 0.9 to 1.3 times with 1,536, 0.65 times with 6,144 and 0.2 times with 24,576 (bench/compile_parts.c).
constexpr std::uint64_t enough_operations = 4096;

/// Told as runs it is quickly known by rank 0, and in parts it would be followed in vain: `too_many`.
bool is_large_exchange_in_runs(const local_graph& part, int size) {
  constexpr std::size_t few = 8;
  return size > static_cast<int>(graphs::most_ranks_of_all_to_all) && messages_alone(part.operations) &&
         part.operations.list().runs().size() <= few &&
         part.operations.size() >= 2 * (static_cast<std::size_t>(size) - 1);
}

} // namespace

parts_question parts_question::of(int rank, int size, const compile_request& wanted,
                                  const local_graph& part) {
  parts_question out;
  out.refused = large;
  out.all_but_size = large - part.operations.size();
  out.undeclared = part.live_out.empty() ? 1 : 0;
  if (rank == 0)
    out.wanted = wanted.in_background() ? in_background : static_cast<std::uint64_t>(wanted.by);
  if (rank == 0 &&
      (wanted.in_background() || wanted.by == compiled_by::central)) // what other ranks want does not count
    return out;
  part_refusal why = size < 3 ? part_refusal::few_ranks : refusal_at_sight(part);
  if (why == part_refusal::none && rank == 0 && asks_for_more(wanted))
    why = part_refusal::options;
  if (why == part_refusal::none && rank == 0 && wanted.by == compiled_by::size &&
      is_large_exchange_in_runs(part, size))
    why = part_refusal::too_many;
  if (why != part_refusal::none)
    out.refused = static_cast<std::uint64_t>(rank) << bits_of_rank | static_cast<std::uint64_t>(why);
  return out;
}

parts_answer answer_of(std::span<const std::uint64_t> minima) {
  parts_answer out;
  out.declared = minima[3] == 0;
  out.in_background = minima[0] == parts_question::in_background;
  if (out.in_background)
    return out;
  const auto wanted = static_cast<compiled_by>(minima[0]);
  const std::uint64_t operations = large - minima[2];
  if (wanted == compiled_by::central || (wanted == compiled_by::size && operations < enough_operations))
    return out;
  out.why = part_refusal::none;
  if (minima[1] != large) {
    out.why = static_cast<part_refusal>(minima[1] & ((std::uint64_t{1} << bits_of_rank) - 1));
    out.rank = static_cast<int>(minima[1] >> bits_of_rank);
  }
  return out;
}

std::string parts_answer::words() const {
  if (why == part_refusal::not_asked)
    return {};
  return fmt::format("by one rank, as {} (rank {})", graphs::words(why), rank);
}

namespace {

using short_text = std::array<char, 64>;
constexpr std::size_t most_variants = graphs::most_finalists;
using plans_by_number = std::bitset<most_variants>;

/// How rank 0 has chosen, as all ranks hear it.
struct decision {
  struct variant {
    std::uint64_t plan = 0; ///< of `plans`
    double predicted = -1;
    short_text driver{};
  };
  std::array<short_text, most_variants> plans{};
  std::array<variant, most_variants> variants{}; ///< the first is taken
  std::uint64_t n_plans = 0, n_variants = 0;     ///< no plan: nothing was found
  std::uint64_t crowded = 0;                     ///< ranks share cores
  short_text asked{};                            ///< the driver that rank 0 wants, if any
  std::uint64_t text = 0, json = 0;              ///< bytes of the explanation
  std::array<char, 6144> words{}; ///< as much of it as has room here, so that most go in one broadcast
};

/// Room for an explanation that needs no memory when it comes; longer ones are refused.
using words_on_their_way = std::array<char, 16384>;

bool fits(const std::string& text) {
  return text.size() < short_text{}.size();
}

short_text in_place(const std::string& text) {
  short_text out{};
  text.copy(out.data(), out.size() - 1);
  return out;
}

class in_parts {
public:
  in_parts(const rank_facts& here, const compile_request& wanted, const rank_position& at)
      : here_(here), wanted_(wanted), rank_(at.rank), size_(at.size), comm_(at.comm),
        others_(at.comm, at.rank, at.size, here) {}

  rank_part run(const local_graph& part, compile_by_one by_one, parts_answer& answer) {
    follow(part, answer.declared);
    if (finding_.why == part_refusal::none && finding_.claims)
      claim();
    if (finding_.why == part_refusal::none)
      decide();
    rank_part mine;
    if (finding_.why == part_refusal::none)
      check_own(mine);
    else if (remains_are_few())
      leave_to_one(part, by_one, mine);
    answer.why = finding_.why;
    answer.rank = refused_by_;
    if (finding_.why != part_refusal::none)
      return {};
    return mine;
  }

private:
  rank_id self() const { return rank_id{static_cast<std::uint32_t>(rank_)}; }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(size_); }
  void note(const graphs::part_facts& all) {
    if (all.why != 0)
      refused_by_ = graphs::refused_by(all);
  }

  /// Runs `body`; what it throws is that this rank refuses.
  template <typename Body>
  part_refusal tried(Body&& body) {
    try {
      return body();
    } catch (const std::bad_alloc&) {
      return part_refusal::memory;
    } catch (const graphs::over_budget&) {
      return part_refusal::budget;
    } catch (const std::exception&) {
      return part_refusal::malformed;
    }
  }

  void follow(const local_graph& part, bool declared);
  graphs::part_facts facts_of_part(const graphs::part_run& run);
  void claim();
  int expected_claims() const;
  void share_lengths(std::vector<std::uint64_t> room);
  void collect_facts();
  part_refusal choose(words_on_their_way& words);
  void decide();
  graphs::process_map nodes() const;
  bool remains_are_few() const;
  local_graph remaining_part(const local_graph& part) const;
  void leave_to_one(const local_graph& part, compile_by_one by_one, rank_part& mine);
  void check_own(rank_part& mine);
  void check_told(rank_part& mine);
  /// Collective: `make` gives the steps and their groups, and `accept`, which may keep them, is asked behind it. What all say about them.
  graphs::part_facts check(const graphs::own_part& own, function_ref<part_refusal()> make,
                           function_ref<part_refusal()> accept);
  /// Collective: the same of each of `n` plans, of which `make` and `accept` get the number, that of the plan to be taken first. Which are
  /// right on all ranks; none if the first is not: then the others are not looked at, and the graph is refused.
  plans_by_number check_each(std::size_t n, const graphs::own_part& own,
                             function_ref<part_refusal(std::size_t)> make,
                             function_ref<part_refusal(std::size_t)> accept);

  const rank_facts& here_;
  const compile_request& wanted_;
  int rank_, size_;
  MPI_Comm comm_;
  part_exchange others_;
  std::optional<graphs::graph> part_;
  std::vector<rank_facts> of_all_;
  std::vector<graphs::transfer> gets_;
  graphs::received by_source_;
  std::vector<graphs::taken_bytes> gives_;
  round_words said_;
  graphs::part_finding finding_;
  int refused_by_ = 0;
  part_refusal late_ = part_refusal::none; ///< of this rank, to be said in the check
  decision chosen_;
  explanation why_;
  std::optional<graphs::rank_plan> steps_;
  graphs::group_members groups_;
};

graphs::part_facts in_parts::facts_of_part(const graphs::part_run& run) {
  gets_ = run.result();
  by_source_ = graphs::sort_by_source(gets_, self());
  graphs::part_facts mine = graphs::facts_of(by_source_, self(), ranks(), part_->size(), gets_.size());
  part_refusal why = run.fault();
  if (why == part_refusal::none && graphs::may_race(*part_, self()))
    why = part_refusal::race;
  if (why != part_refusal::none)
    mine.why = 0; // counts more than what became of it
  graphs::refuse(mine, self(), why);
  return mine;
}

void in_parts::follow(const local_graph& part, bool declared) {
  std::unique_ptr<graphs::part_run> run;
  const part_refusal why = tried([&] {
    if (const part_refusal seen = refusal_at_sight(part); seen != part_refusal::none)
      return seen;
    of_all_.resize(static_cast<std::size_t>(size_)); // for `collect_facts`, where others wait
    part_ = alone(part, self(), ranks());
    if (declared)
      graphs::only_declared_is_read(*part_, self());
    const part_refusal here = graphs::refusal_of(*part_);
    if (here == part_refusal::none)
      run = std::make_unique<graphs::part_run>(*part_, self(), budget_of_a_part, names_of(part));
    return here;
  });
  said_ = others_.follow(run.get(), why, [&] { return facts_of_part(*run); });
  finding_ = graphs::finding_of(said_.facts, ranks());
  note(said_.facts);
  if (finding_.why != part_refusal::none || finding_.claims)
    return;
  // A broadcast: whoever is not the root compares what it gets with what rank 0 or 1 gets.
  const std::vector<graphs::segment> block =
      graphs::bytes_of(said_.facts.proposed[finding_.root == rank_id{0} ? 1 : 0]);
  late_ = tried([&] {
    if (self() != finding_.root)
      return by_source_.from.front().bytes == block ? part_refusal::none : part_refusal::mixed;
    for (std::uint32_t r = 0; r < ranks(); ++r)
      if (rank_id{r} != self())
        gives_.push_back({rank_id{r}, block});
    return part_refusal::none;
  });
}

int in_parts::expected_claims() const {
  const bool root = self() == finding_.root;
  switch (row_of(finding_.kind).moves) {
  case signature::root_to_each:
    return root ? size_ - 1 : 0;
  case signature::each_to_root:
    return root ? 0 : 1;
  default:
    return size_ - 1;
  }
}

void in_parts::claim() {
  part_refusal why = part_refusal::none;
  gives_ = others_.claim(by_source_.from, expected_claims(), why);
  if (finding_.kind == pattern::gather) { // there is nothing to be told apart
    late_ = why;
    return;
  }
  graphs::part_facts mine;
  std::vector<std::uint64_t> lengths;
  if (why == part_refusal::none)
    why = tried([&] {
      graphs::add_shared(mine, gives_);
      lengths.resize((static_cast<std::size_t>(size_) + 1) * graphs::lengths_to_tell(finding_.kind, ranks()));
      return part_refusal::none;
    });
  graphs::refuse(mine, self(), why);
  const graphs::part_facts all = others_.merged(mine);
  note(all);
  finding_ = graphs::settle(finding_, all);
  if (finding_.why == part_refusal::none)
    share_lengths(std::move(lengths));
}

/// All ranks have room for as many as the pattern may need that they thought of before.
void in_parts::share_lengths(std::vector<std::uint64_t> room) {
  const std::size_t told = graphs::lengths_to_tell(finding_.kind, ranks());
  if (told == 0)
    return;
  const std::size_t all = told * static_cast<std::size_t>(size_);
  const std::span<std::uint64_t> mine = std::span(room).subspan(all, told);
  graphs::tell_lengths(finding_.kind, by_source_, gives_, mine);
  allgather(mine.data(), room.data(), static_cast<int>(mine.size_bytes()), MPI_BYTE, comm_);
  room.resize(all);
  finding_.lengths = std::move(room);
}

/// Without asking if all are alike.
void in_parts::collect_facts() {
  for (rank_facts& r : of_all_) {
    r = here_;
    r.longest_in_memory = static_cast<std::uint64_t>(said_.least_in_memory);
    r.attended = static_cast<std::uint64_t>(said_.least_attended);
  }
  if (said_.least_node != said_.most_node || said_.least_cache != said_.most_cache)
    allgather(&here_, of_all_.data(), static_cast<int>(sizeof here_), MPI_BYTE, comm_);
}

/// On rank 0: the decision, and the explanation in `words`.
part_refusal in_parts::choose(words_on_their_way& words) {
  const auto operations = static_cast<std::uint64_t>(said_.facts.operations);
  const auto moved = static_cast<std::uint64_t>(said_.facts.transfers);
  const std::optional<chosen_variants> taken = choose_for(finding_, operations, moved, of_all_, wanted_);
  if (!taken || taken->plans.size() > most_variants || taken->variants.size() > most_variants ||
      !std::all_of(taken->plans.begin(), taken->plans.end(), fits) || !fits(wanted_.driver) ||
      taken->why.text.size() + taken->why.json.size() > words.size())
    return part_refusal::no_choice;
  taken->why.text.copy(words.data(), words.size());
  taken->why.json.copy(words.data() + taken->why.text.size(), words.size() - taken->why.text.size());
  std::transform(taken->plans.begin(), taken->plans.end(), chosen_.plans.begin(), in_place);
  std::transform(taken->variants.begin(), taken->variants.end(), chosen_.variants.begin(),
                 [](const program_variant& w) {
                   return decision::variant{w.candidate, w.predicted, in_place(w.driver)};
                 });
  chosen_.n_variants = taken->variants.size();
  chosen_.crowded = taken->crowded ? 1 : 0;
  chosen_.asked = in_place(wanted_.driver);
  chosen_.text = taken->why.text.size();
  chosen_.json = taken->why.json.size();
  std::copy_n(words.begin(), std::min(chosen_.words.size(), chosen_.text + chosen_.json),
              chosen_.words.begin());
  chosen_.n_plans = taken->plans.size();
  return part_refusal::none;
}

void in_parts::decide() {
  words_on_their_way words;
  collect_facts();
  if (rank_ == 0)
    tried([&] { return choose(words); });
  broadcast(&chosen_, static_cast<int>(sizeof chosen_), MPI_BYTE, 0, comm_);
  if (chosen_.n_plans == 0) {
    finding_.why = part_refusal::no_choice;
    return;
  }
  std::copy(chosen_.words.begin(), chosen_.words.end(), words.begin());
  const std::size_t length = chosen_.text + chosen_.json, here = chosen_.words.size();
  if (length > here)
    broadcast(words.data() + here, static_cast<int>(length - here), MPI_BYTE, 0, comm_);
  const part_refusal why = tried([&] {
    why_ = {std::string(words.data(), chosen_.text), std::string(words.data() + chosen_.text, chosen_.json)};
    return part_refusal::none;
  });
  late_ = late_ == part_refusal::none ? why : late_;
}

graphs::process_map in_parts::nodes() const {
  graphs::process_map where;
  if (said_.least_node != said_.most_node)
    for (const rank_facts& r : of_all_)
      where.node.push_back(r.node);
  return where;
}

graphs::part_facts in_parts::check(const graphs::own_part& own, function_ref<part_refusal()> make,
                                   function_ref<part_refusal()> accept) {
  std::optional<graphs::graph> followed;
  std::unique_ptr<graphs::part_run> run;
  const part_refusal why = late_ != part_refusal::none ? late_ : tried([&] {
    if (const part_refusal lacking = make(); lacking != part_refusal::none)
      return lacking;
    followed = graphs::steps_as_part(*steps_, own, groups_);
    run = std::make_unique<graphs::part_run>(*followed, self(), budget_of_a_part);
    return part_refusal::none;
  });
  const round_words all = others_.follow(run.get(), why, [&] {
    graphs::part_facts checked;
    graphs::refuse(checked, self(), graphs::check_steps(*steps_, own, *followed, *run));
    graphs::refuse(checked, self(), tried([&] { return accept(); }));
    return checked;
  });
  return all.facts;
}

plans_by_number in_parts::check_each(std::size_t n, const graphs::own_part& own,
                                     function_ref<part_refusal(std::size_t)> make,
                                     function_ref<part_refusal(std::size_t)> accept) {
  plans_by_number right;
  const graphs::part_facts first = check(own, [&] { return make(0); }, [&] { return accept(0); });
  note(first);
  finding_.why = static_cast<part_refusal>(first.why);
  right[0] = first.why == 0;
  for (std::size_t k = 1; right[0] && k < std::min(n, right.size()); ++k)
    right[k] = check(own, [&] { return make(k); }, [&] { return accept(k); }).why == 0;
  return right;
}

/// Of a part with one candidate for each plan. What is not right on some rank is not measured.
void keep_only(rank_part& part, const plans_by_number& right) {
  std::vector<std::size_t> number(part.candidates.size());
  std::vector<named_program> kept;
  std::string left_out;
  for (std::size_t k = 0; k < part.candidates.size(); ++k) {
    number[k] = kept.size();
    if (k < right.size() && right[k])
      kept.push_back(std::move(part.candidates[k]));
    else
      left_out += (left_out.empty() ? "" : ", ") + part.candidates[k].name;
  }
  std::erase_if(part.variants,
                [&](const program_variant& w) { return w.candidate >= right.size() || !right[w.candidate]; });
  for (program_variant& w : part.variants)
    w.candidate = number[w.candidate];
  part.candidates = std::move(kept);
  part.trial.of_finalists = part.variants.size() > 1;
  if (!left_out.empty())
    part.why =
        with_note(part.why, "not measured", left_out + ": some rank could not make or check its steps");
}

void in_parts::check_own(rank_part& mine) {
  const graphs::own_part own{*part_, self(), std::move(gets_), std::move(gives_)};
  const auto make = [&](std::size_t k) {
    steps_ = graphs::own_steps(finding_, own, chosen_.plans[k].data(), nodes());
    return steps_ ? part_refusal::none : part_refusal::no_choice;
  };
  const auto accept = [&](std::size_t k) {
    mine.candidates.resize(chosen_.n_plans);
    mine.candidates[k] = {chosen_.plans[k].data(), make_program(*part_, *steps_, self())};
    return part_refusal::none;
  };
  const plans_by_number right = check_each(chosen_.n_plans, own, make, accept);
  if (right.none())
    return;
  for (std::size_t k = 0; k < chosen_.n_plans; ++k)
    mine.candidates[k].name = chosen_.plans[k].data(); // also of what has no steps here
  mine.why = std::move(why_);
  mine.driver = chosen_.asked.data();
  for (std::size_t i = 0; i < chosen_.n_variants; ++i) {
    const decision::variant& w = chosen_.variants[i];
    mine.variants.push_back({w.plan, w.driver.data(), w.predicted});
  }
  mine.trial = {true, chosen_.crowded != 0};
  keep_only(mine, right);
}

/// Else the graph itself is told as quickly.
bool in_parts::remains_are_few() const {
  return graphs::is_about_shape(finding_.why) && said_.facts.transfers <= said_.facts.operations;
}

local_graph in_parts::remaining_part(const local_graph& part) const {
  local_graph out;
  out.communicators = part.communicators;
  std::vector<std::uint32_t> order(gets_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return gets_[a].source < gets_[b].source; });
  for (std::size_t i = 0; i < order.size();) {
    const rank_id from = gets_[order[i]].source;
    local_operation made;
    made.kind = from == self() ? local_kind::copy : local_kind::get;
    made.peer = static_cast<int>(index(from));
    for (; i < order.size() && gets_[order[i]].source == from; ++i) {
      const graphs::transfer& t = gets_[order[i]];
      made.reads.push_back({t.source_address, t.length});
      made.writes.push_back({t.destination_address, t.length});
    }
    out.operations.push_back(std::move(made));
  }
  return out;
}

void in_parts::leave_to_one(const local_graph& part, compile_by_one by_one, rank_part& mine) {
  const part_refusal before = finding_.why;
  const int rank_before = refused_by_;
  local_graph remaining;
  late_ = tried([&] {
    remaining = remaining_part(part);
    return part_refusal::none;
  });
  mine = by_one(remaining, {static_cast<std::uint64_t>(said_.facts.operations),
                            static_cast<std::uint64_t>(said_.facts.transfers)});
  finding_.why = part_refusal::none;
  check_told(mine);
  if (finding_.why == part_refusal::no_choice) {
    finding_.why = before;
    refused_by_ = rank_before;
  }
}

void in_parts::check_told(rank_part& mine) {
  const graphs::own_part own{*part_, self(), std::move(gets_), {}};
  const auto make = [&](std::size_t k) {
    if (mine.variants.empty())
      return part_refusal::no_choice;
    const program& steps = mine.candidates[k].steps;
    steps_ = steps.plan;
    for (const rank_group& group : steps.groups) {
      std::vector<rank_id>& members = groups_[group.comm];
      members.clear();
      for (const int r : group.members)
        members.push_back(rank_id{static_cast<std::uint32_t>(r)});
    }
    return part_refusal::none;
  };
  const plans_by_number right =
      check_each(mine.candidates.size(), own, make, [](std::size_t) { return part_refusal::none; });
  if (right.any())
    keep_only(mine, right);
}

} // namespace

rank_part compiled_in_parts(const rank_facts& here, const local_graph& part, const compile_request& wanted,
                            const rank_position& at, compile_by_one by_one, parts_answer& answer) {
  return in_parts(here, wanted, at).run(part, by_one, answer);
}

} // namespace tacit::runtime
