// Broadcasts and allgathers: bytes of one source that reach every other member.
//
// Problem: for each source i and each of its bytes, the smallest number of copies that any other member gets
// is how often that byte is broadcast. The sum over the bytes is B_i. An allgather takes the same number A of
// bytes from every source, so A = min B_i; what is left are broadcasts. Nothing competes for these bytes:
// alltoall never gets them, so the volumes are exact.
//
// Idea: fold over the destinations. A step function over the addresses of each source, "smallest number of
// copies so far", starts as what the first destination got and is then cut down by each further one; sources
// without any left are dropped. By the evidence lemma only sources with a transfer for every other member
// matter at all, so an alltoall or a gather costs no more than the first two members, and a broadcast one
// linear pass. A second pass over the destinations of the surviving sources chooses the transfers. Sources
// whose bytes were cut differently at different destinations get one pass more, which collects the cuts, so
// that every destination's block is the same sequence of pieces.
//
// Cost O(transfers) when blocks arrive whole; in general O((transfers + pieces) log) with pieces ≤ cuts ·
// destinations, which can be quadratic in bad cases: beyond the budget the search ends and says so. Source:
// seed 000 section 2.4 and Algorithm 5 (whose tests for alltoall and allgather are swapped); SEMANTICS 3.
#include "graphs/detect/family.h"
#include "graphs/detect/lanes.h"
#include "graphs/detect/uniform.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tacit::graphs {

namespace {

/// Bytes [begin, last] of a source in one lane, given to one finding.
struct block_piece {
  std::uint64_t begin, last;
  std::uint32_t lane;
  std::uint32_t target; ///< index of the finding
  std::uint64_t length() const { return last - begin + 1; }
};

struct source_state {
  std::uint32_t source;
  std::uint32_t seen_by = nowhere; ///< last destination that got something from it
  bool started = false;
  bool simple = true;            ///< at most one run, one transfer to each destination so far
  address_run only;              ///< if simple: the run; begin > last if nothing is left of it
  std::vector<address_run> many; ///< else the runs
  std::vector<block_piece> pieces;
  std::span<const address_run> runs() const {
    if (!simple)
      return many;
    return {&only, started && only.begin <= only.last ? 1u : 0u};
  }
  std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const block_piece& p : pieces)
      sum += p.length();
    return sum;
  }
};

class broadcast_search {
public:
  explicit broadcast_search(const group_search& search)
      : s_(search), view_(search.view), book_(search.book()), sorter_(view_) {}

  void run() {
    pick_candidates();
    whole_ = fold_whole_transfers();
    if (!whole_)
      fold_destinations();
    if (spent_ > s_.options.budget)
      return give_up();
    cut_into_pieces();
    if (spent_ > s_.options.budget)
      return give_up();
    choose_findings();
    take();
    for (finding_filler& f : fillers_)
      if (!f.empty())
        s_.out.found.push_back(std::move(f.result()));
    explain();
  }

private:
  std::uint32_t others() const { return view_.size() - 1; }

  void give_up() {
    const auto text =
        fmt::format("finding complete blocks took more than {} steps (limit)", s_.options.budget);
    s_.refuse(pattern::allgather, reason::not_searched, text);
    s_.refuse(pattern::bcast, reason::not_searched, text);
  }

  void pick_candidates() {
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t i = 0; i < view_.size(); ++i) {
      if (view_.outgoing(i) > view_.outgoing(busiest_))
        busiest_ = i;
      if (view_.pairs_from(i) >= others())
        candidates.push_back(i);
    }
    slot_ = position_index(candidates, view_.size());
    for (const std::uint32_t i : candidates) {
      alive_.push_back(static_cast<std::uint32_t>(sources_.size()));
      sources_.push_back({.source = i, .only = {}, .many = {}, .pieces = {}});
    }
  }

  /// Calls visit(state, pieces) for each candidate that sends something; returns their number.
  template <typename Visit>
  std::uint32_t each_block(std::uint32_t destination, Visit visit) {
    return sorter_.each_pair(
        destination, [&](std::uint32_t i) { return slot_(i); },
        [&](std::uint32_t k, std::span<const slice> pieces) { visit(sources_[k], pieces); });
  }

  arrival arrives(const slice& s) const {
    const std::uint64_t begin = book_[s.transfer].source_address + s.offset;
    return {begin, begin + (s.length - 1), s.transfer};
  }

  std::vector<arrival>& arrive(std::span<const slice> pieces) {
    arrivals_.clear();
    for (const slice& s : pieces)
      arrivals_.push_back(arrives(s));
    return arrivals_;
  }

  /// Where each candidate gives all others the same bytes, all of them equally many, and nothing else moves: one look at each transfer.
  /// False, with nothing done, where it is otherwise.
  bool fold_whole_transfers() {
    const std::uint64_t length = view_.common_length();
    if (!view_.has_all() || !view_.plain() || length == 0 ||
        view_.transfer_count() != std::size_t{others()} * sources_.size())
      return false;
    struct given {
      std::uint64_t address = 0;
      bool known = false;
    };
    std::vector<given> by(sources_.size());
    for (const transfer& t : book_.list()) {
      const std::uint32_t k = slot_(view_.position(t.source));
      if (k == nowhere)
        return false;
      if (!by[k].known)
        by[k] = {t.source_address, true};
      if (by[k].address != t.source_address)
        return false;
    }
    for (std::size_t k = 0; k < sources_.size(); ++k) {
      sources_[k].started = true;
      sources_[k].only = {by[k].address, by[k].address + (length - 1)};
    }
    return true;
  }

  void fold_destinations() {
    for (std::uint32_t j = 0; j < view_.size() && !alive_.empty(); ++j) {
      bool all_left = true;
      const std::size_t seen = each_block(j, [&](source_state& state, std::span<const slice> pieces) {
        state.seen_by = j;
        all_left = fold(state, pieces) && all_left;
      });
      if (!all_left || seen + (slot_(j) != nowhere ? 1 : 0) < alive_.size())
        drop_incomplete(j);
      if (spent_ > s_.options.budget)
        return;
    }
  }

  /// Drops the candidates of which this destination left nothing.
  void drop_incomplete(std::uint32_t destination) {
    std::erase_if(alive_, [&](std::uint32_t k) {
      const source_state& state = sources_[k];
      if (state.source == destination || (state.seen_by == destination && !state.runs().empty()))
        return false;
      slot_.remove(state.source);
      return true;
    });
  }

  /// Cuts the runs down to what arrived; says whether something is left.
  bool fold(source_state& state, std::span<const slice> pieces) {
    if (pieces.size() > 1 || !state.started || !state.simple)
      return fold_any(state, pieces);
    remember(state);
    const arrival a = arrives(pieces.front());
    state.only.begin = std::max(state.only.begin, a.begin);
    state.only.last = std::min(state.only.last, a.last);
    return state.only.begin <= state.only.last;
  }

  bool fold_any(source_state& state, std::span<const slice> pieces) {
    const auto copies = count_copies(arrive(pieces));
    remember(state);
    state.many = state.started ? smaller(state.runs(), copies) : copies;
    state.simple = state.simple && pieces.size() == 1;
    state.started = true;
    if (state.simple)
      state.only = state.many.front(); // one transfer: one run
    spent_ += state.runs().size() + copies.size();
    return !state.runs().empty();
  }

  /// Keeps the last byte that was still complete, for the explanation.
  void remember(const source_state& state) {
    if (state.started)
      best_ = {state.source, state.runs().front().begin};
  }

  void cut_into_pieces() {
    std::vector<std::vector<std::uint64_t>> cuts(sources_.size());
    bool all_simple = true;
    for (const std::uint32_t k : alive_)
      all_simple = all_simple && sources_[k].simple;
    for (std::uint32_t j = 0; j < view_.size() && !all_simple; ++j)
      each_block(j, [&](source_state& state, std::span<const slice> pieces) {
        if (state.simple || spent_ > s_.options.budget)
          return;
        arrive(pieces);
        auto& list = cuts[slot_(state.source)];
        for (const lane_step& step : choose_lanes(state.runs(), arrivals_))
          list.push_back(step.begin);
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        spent_ += list.size();
      });
    for (const std::uint32_t k : alive_)
      cut_source(sources_[k], cuts[k]);
  }

  void cut_source(source_state& state, std::span<const std::uint64_t> cuts) {
    auto cut = cuts.begin();
    for (const address_run& run : state.runs())
      for (std::uint64_t begin = run.begin;;) {
        while (cut != cuts.end() && *cut <= begin)
          ++cut;
        const std::uint64_t last = cut != cuts.end() && *cut <= run.last ? *cut - 1 : run.last;
        for (std::uint32_t lane = 0; lane < run.copies; ++lane)
          state.pieces.push_back({begin, last, lane, nowhere});
        if (last == run.last)
          break;
        begin = last + 1;
      }
    spent_ += state.pieces.size() * others();
  }

  /// Adds a finding; returns its index.
  std::uint32_t open(pattern kind, rank_id root) {
    fillers_.emplace_back(book_, finding{.kind = kind, .comm = view_.comm(), .root = root, .slices = {}});
    return static_cast<std::uint32_t>(fillers_.size() - 1);
  }

  static std::vector<std::uint64_t> lengths(const source_state& state) {
    std::vector<std::uint64_t> list;
    list.reserve(state.pieces.size());
    for (const block_piece& p : state.pieces)
      list.push_back(p.length());
    return list;
  }

  void choose_findings() {
    common_lengths common;
    std::uint64_t smallest = 0;
    if (alive_.size() == view_.size()) {
      smallest = ~std::uint64_t{0};
      for (const std::uint32_t k : alive_) {
        common.add(lengths(sources_[k]));
        smallest = std::min(smallest, sources_[k].bytes());
      }
    }
    const block_choice choice = choose_block(smallest, common.sum(), s_.options.vector_forms, [&] {
      return std::all_of(alive_.begin(), alive_.end(), [&](std::uint32_t k) {
        return pick(lengths(sources_[k]), common.sorted(), smallest - common.sum(), completion::exact)
            .has_value();
      });
    });
    if (choice.bytes > 0) {
      const std::uint32_t target = open(pattern::allgather, no_rank);
      fillers_[target].expect(std::size_t{view_.size()} * others());
      for (const std::uint32_t k : alive_)
        give(sources_[k],
             pick_chosen(lengths(sources_[k]), common.sorted(), choice.bytes - common.sum(), choice.how),
             target);
    }
    give_rest(choice.vector_rest);
  }

  static void give(source_state& state, std::span<const std::uint64_t> taken, std::uint32_t target) {
    std::vector<block_piece> pieces;
    for (std::size_t k = 0; k < state.pieces.size(); ++k) {
      const block_piece& p = state.pieces[k];
      if (taken[k] > 0)
        pieces.push_back({p.begin, p.begin + (taken[k] - 1), p.lane, target});
      if (taken[k] < p.length())
        pieces.push_back({p.begin + taken[k], p.last, p.lane, nowhere});
    }
    state.pieces = std::move(pieces);
  }

  static bool has_rest(const source_state& state) {
    return std::any_of(state.pieces.begin(), state.pieces.end(),
                       [](const block_piece& p) { return p.target == nowhere; });
  }

  void give_rest(bool vector_rest) {
    const auto with_rest = static_cast<std::uint64_t>(
        std::count_if(alive_.begin(), alive_.end(), [&](std::uint32_t k) { return has_rest(sources_[k]); }));
    vector_rest = vector_rest || s_.dense(with_rest, view_.size());
    std::uint32_t target = vector_rest && with_rest > 0 ? open(pattern::allgatherv, no_rank) : nowhere;
    for (const std::uint32_t k : alive_) {
      if (!has_rest(sources_[k]))
        continue;
      if (!vector_rest)
        target = open(pattern::bcast, view_.member(sources_[k].source));
      for (block_piece& p : sources_[k].pieces)
        if (p.target == nowhere)
          p.target = target;
      if (!vector_rest)
        fillers_[target].expect(others());
    }
  }

  void take() {
    if (fillers_.empty())
      return;
    if (whole_ && fillers_.size() == 1)
      return fillers_.front().add_all(view_.common_length(), view_.transfer_count());
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      each_block(j, [&](source_state& state, std::span<const slice> pieces) {
        if (state.simple && state.pieces.size() == 1) {
          const block_piece& p = state.pieces.front();
          const std::uint32_t id = pieces.front().transfer;
          return fillers_[p.target].add_pair(p.begin - book_[id].source_address, p.length(), id);
        }
        take_pieces(state, pieces);
      });
  }

  slice part(const block_piece& p, std::uint32_t id) const {
    return {p.begin - book_[id].source_address, p.length(), id};
  }

  void take_pieces(const source_state& state, std::span<const slice> slices) {
    arrive(slices);
    const auto steps = choose_lanes(state.runs(), arrivals_);
    for (const block_piece& p : state.pieces)
      fillers_[p.target].next_pair();
    auto step = steps.begin();
    for (const block_piece& p : state.pieces) {
      while (step->last < p.begin)
        ++step;
      fillers_[p.target].add(part(p, step->transfers[p.lane]));
    }
  }

  void explain() {
    if (s_.found(pattern::allgatherv) && !s_.found(pattern::allgather))
      s_.refuse(pattern::allgather, reason::unequal_sizes,
                fmt::format("blocks differ, the largest has {} bytes; found as allgatherv",
                            largest(pattern::allgatherv)));
    else if (!s_.found(pattern::allgather))
      explain_allgather();
    if (s_.found(pattern::bcast))
      return;
    if (!alive_.empty())
      s_.refuse(pattern::bcast, reason::used_by_higher,
                "every block that reaches all ranks belongs to an allgather");
    else
      s_.refuse(pattern::bcast, reason::no_common_block, best_candidate());
  }

  std::uint64_t largest(pattern kind) const {
    for (const finding& f : s_.out.found)
      if (f.kind == kind && f.comm == view_.comm())
        return f.bytes;
    return 0;
  }

  void explain_allgather() {
    const auto complete = alive_.size();
    std::uint32_t without = 0;
    while (without + 1 < view_.size() && slot_(without) != nowhere)
      ++without;
    const auto why = complete > 1 && s_.options.vector_forms && s_.options.density < 1.0
                         ? reason::low_density
                         : reason::no_common_block;
    s_.refuse(pattern::allgather, why,
              fmt::format("{} of {} ranks have a block that reaches all others; rank {} has none", complete,
                          view_.size(), view_.rank(without)));
  }

  std::string best_candidate() {
    if (view_.transfer_count() == 0)
      return "no bytes move between the ranks of the group";
    if (!best_)
      best_ = first_byte_of(busiest_);
    std::uint32_t reached = 0, missing = nowhere;
    std::size_t hint = 0;
    for (std::uint32_t j = 0; j < view_.size(); ++j) {
      if (j == best_->source)
        continue;
      const bool gets = arrives_at(j, *best_, hint);
      reached += gets ? 1 : 0;
      if (!gets && missing == nowhere)
        missing = j;
    }
    return fmt::format("best candidate, rank {} at {:#x}, reaches {} of {} ranks, not rank {}",
                       view_.rank(best_->source), best_->address, reached, others(),
                       view_.rank(missing == nowhere ? best_->source : missing));
  }

  struct byte {
    std::uint32_t source;
    std::uint64_t address;
  };

  /// True if a transfer brings the byte to `destination`. Looks first where it was found before:
  /// most destinations hear from the sources in the same order.
  bool arrives_at(std::uint32_t destination, const byte& wanted, std::size_t& hint) const {
    const auto ids = view_.into(destination);
    const auto brings = [&](std::size_t k) {
      const transfer& t = book_[ids[k]];
      return view_.source(ids[k]) == wanted.source && wanted.address - t.source_address < t.length;
    };
    if (hint < ids.size() && brings(hint))
      return true;
    for (std::size_t k = 0; k < ids.size(); ++k)
      if (brings(k)) {
        hint = k;
        return true;
      }
    return false;
  }

  byte first_byte_of(std::uint32_t source) const {
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      for (const std::uint32_t id : view_.into(j))
        if (view_.source(id) == source)
          return {source, book_[id].source_address};
    return {source, 0};
  }

  const group_search& s_;
  const group_view& view_;
  ledger& book_;
  pair_sorter sorter_;
  position_index slot_; ///< index in sources_ of a position that is still a candidate
  std::vector<source_state> sources_;
  std::vector<std::uint32_t> alive_; ///< indices in sources_
  std::vector<finding_filler> fillers_;
  std::vector<arrival> arrivals_;
  std::uint32_t busiest_ = 0;
  bool whole_ = false; ///< each candidate's only piece is what every transfer from it moves, and no others do
  std::optional<byte> best_;
  std::uint64_t spent_ = 0;
};

} // namespace

void find_broadcasts(const group_search& search) {
  broadcast_search(search).run();
}

} // namespace tacit::graphs
