// Alltoall: every pair of members has data.
//
// Bytes of complete broadcasts are taken already. With n_ij what is left from i to j, a uniform alltoall has
// T = min n_ij bytes per pair; nothing of higher abstraction competes, so that is exact. Which bytes: the
// piece lengths common to all pairs first, then an exact subset, and only then cut pieces; where pieces would
// have to be cut although every pair (or the share τ of the pairs) has data, the vector variant takes all
// that is left instead.
//
// Two passes over the transfers (three if pieces differ): volumes and common lengths, then taking.
// O(transfers), O(p) memory. Source: seed 000 section 2.4, Algorithm 5 by meaning.
#include "graphs/detect/family.h"
#include "graphs/detect/uniform.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::graphs {

namespace {

class alltoall_search {
public:
  explicit alltoall_search(const group_search& search) : s_(search), view_(search.view), sorter_(view_) {}

  void run() {
    if (!view_.exhausted())
      survey();
    if (pairs_with_data_ < pairs())
      missing_ = first_missing(); // while nothing is taken yet
    const block_choice choice =
        choose_block(smallest_, common_.sum(), s_.options.vector_forms, [&] { return exact(); });
    if (choice.bytes > 0)
      take_uniform(choice);
    const bool sparse_vector =
        !choice.vector_rest && s_.options.density < 1.0 && s_.dense(pairs_with_rest(), pairs());
    if (choice.vector_rest || sparse_vector)
      take_rest();
    explain();
  }

private:
  std::uint64_t pairs() const { return std::uint64_t{view_.size()} * (view_.size() - 1); }

  void survey() {
    if (view_.untouched() && view_.pair_count() < pairs()) { // no uniform block: lengths do not matter
      pairs_with_data_ = view_.pair_count();
      poor_ = 0;
      while (view_.pairs_into(poor_) == view_.size() - 1)
        ++poor_;
      return;
    }
    if (view_.plain() && view_.pair_count() == pairs() && view_.common_length() > 0) {
      pairs_with_data_ = pairs();
      smallest_ = largest_ = view_.common_length();
      common_.add(smallest_);
      return;
    }
    smallest_ = ~std::uint64_t{0};
    for (std::uint32_t j = 0; j < view_.size(); ++j) {
      const std::uint32_t sources = sorter_.each_pair(j, [&](std::uint32_t, std::span<const slice> pieces) {
        smallest_ = std::min(smallest_, total(pieces));
        largest_ = std::max(largest_, total(pieces));
        if (pieces.size() == 1)
          return common_.add(pieces.front().length);
        common_.add(lengths(pieces));
      });
      pairs_with_data_ += sources;
      if (sources < view_.size() - 1 && poor_ == nowhere)
        poor_ = j;
    }
    if (pairs_with_data_ < pairs()) {
      smallest_ = 0;
      common_ = {};
    }
  }

  const std::vector<std::uint64_t>& lengths(std::span<const slice> pieces) {
    lengths_.clear();
    for (const slice& s : pieces)
      lengths_.push_back(s.length);
    return lengths_;
  }

  bool exact() {
    bool all = true;
    for (std::uint32_t j = 0; j < view_.size() && all; ++j)
      sorter_.each_pair(j, [&](std::uint32_t, std::span<const slice> pieces) {
        all =
            all &&
            pick(lengths(pieces), common_.sorted(), smallest_ - common_.sum(), completion::exact).has_value();
      });
    return all;
  }

  void take_uniform(const block_choice& choice) {
    finding_filler filler(s_.book(), {.kind = pattern::alltoall, .comm = view_.comm(), .slices = {}});
    if (view_.has_all() && view_.plain() && largest_ == choice.bytes) {
      filler.add_all(choice.bytes, view_.transfer_count());
      s_.out.found.push_back(std::move(filler.result()));
      return;
    }
    filler.expect(pairs());
    const std::uint64_t rest = choice.bytes - common_.sum();
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      sorter_.each_pair(j, [&](std::uint32_t, std::span<const slice> pieces) {
        if (pieces.size() == 1)
          return filler.add_pair({pieces[0].offset, choice.bytes, pieces[0].transfer});
        filler.next_pair();
        const auto taken = pick_chosen(lengths(pieces), common_.sorted(), rest, choice.how);
        for (std::size_t k = 0; k < pieces.size(); ++k)
          if (taken[k] > 0)
            filler.add({pieces[k].offset, taken[k], pieces[k].transfer});
      });
    s_.out.found.push_back(std::move(filler.result()));
  }

  std::uint64_t pairs_with_rest() {
    if (view_.untouched())
      return view_.pair_count();
    if (view_.exhausted())
      return 0;
    std::uint64_t count = 0;
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      count += sorter_.each_pair(j, [](std::uint32_t, auto) {});
    return count;
  }

  void take_rest() {
    finding_filler filler(s_.book(), {.kind = pattern::alltoallv, .comm = view_.comm(), .slices = {}});
    if (!view_.exhausted())
      filler.expect(view_.transfer_count());
    for (std::uint32_t j = 0; j < view_.size(); ++j)
      sorter_.each_pair(j, [&](std::uint32_t, std::span<const slice> pieces) {
        if (pieces.size() == 1)
          return filler.add_pair(pieces[0]);
        filler.next_pair();
        for (const slice& s : pieces)
          filler.add(s);
      });
    if (!filler.empty())
      s_.out.found.push_back(std::move(filler.result()));
  }

  void explain() {
    if (s_.found(pattern::alltoall))
      return;
    if (s_.found(pattern::alltoallv) && smallest_ > 0)
      return s_.refuse(pattern::alltoall, reason::unequal_sizes,
                       fmt::format("blocks from {} to {} bytes; found as alltoallv", smallest_, largest_));
    if (pairs_with_data_ == 0 && view_.transfer_count() > 0)
      return s_.refuse(pattern::alltoall, reason::used_by_higher,
                       "all data belong to broadcasts or an allgather");
    const std::string one = pairs_with_data_ > 0 ? only_one_rank() : std::string();
    if (!one.empty())
      return s_.refuse(
          pattern::alltoall, reason::missing_pairs,
          fmt::format("{} of {} pairs have data of their own, {}", pairs_with_data_, pairs(), one));
    const bool sparse = pairs_with_data_ > 0 && s_.options.vector_forms && s_.options.density < 1.0 &&
                        !s_.found(pattern::alltoallv);
    s_.refuse(pattern::alltoall, sparse ? reason::low_density : reason::missing_pairs,
              fmt::format("{} of {} pairs have data of their own{}{}", pairs_with_data_, pairs(), missing_,
                          sparse ? fmt::format("; alltoallv needs {:.3g} %", 100 * s_.options.density) : ""));
  }

  /// "all from rank 0", as in a scatter, or "all to rank 0"; else empty. Nobody misses an alltoall there.
  std::string only_one_rank() const {
    const auto only = [&](auto&& transfers_of) {
      std::uint32_t found = nowhere;
      for (std::uint32_t k = 0; k < view_.size(); ++k)
        if (transfers_of(k) > 0) {
          if (found != nowhere)
            return nowhere;
          found = k;
        }
      return found;
    };
    if (const auto from = only([&](std::uint32_t k) { return view_.outgoing(k); }); from != nowhere)
      return fmt::format("all from rank {}", view_.rank(from));
    const auto to = only([&](std::uint32_t k) { return view_.into(k).size(); });
    return to == nowhere ? std::string() : fmt::format("all to rank {}", view_.rank(to));
  }

  /// "; rank 1 sends nothing to rank 2".
  std::string first_missing() {
    if (poor_ == nowhere)
      poor_ = 0;
    std::vector<char> sends(view_.size(), 0);
    sorter_.each_pair(poor_, [&](std::uint32_t i, auto) { sends[i] = 1; });
    sends[poor_] = 1;
    const auto silent = static_cast<std::uint32_t>(std::find(sends.begin(), sends.end(), 0) - sends.begin());
    if (silent == view_.size())
      return {};
    return fmt::format("; rank {} sends nothing to rank {}", view_.rank(silent), view_.rank(poor_));
  }

  const group_search& s_;
  const group_view& view_;
  pair_sorter sorter_;
  common_lengths common_;
  std::vector<std::uint64_t> lengths_;
  std::uint64_t smallest_ = 0, largest_ = 0, pairs_with_data_ = 0;
  std::string missing_;          ///< "; rank 1 sends nothing to rank 2"
  std::uint32_t poor_ = nowhere; ///< first destination that some source sends nothing
};

} // namespace

void find_alltoall(const group_search& search) {
  alltoall_search(search).run();
}

} // namespace tacit::graphs
