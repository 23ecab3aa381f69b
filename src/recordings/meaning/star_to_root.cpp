// Programs gather by hand in more ways than one message a rank: some send a header and a body, some texts of several
// kinds, and some let the root ask one rank after the other so that no buffer overflows. All that is a gather if nothing
// else is between the first and the last message, or a reduction if lengths allow one.
#include "recordings/meaning/known_shapes.h"

#include <vector>

namespace tacit::recordings {
namespace {

constexpr std::uint32_t most_of_a_rank = 16; ///< messages a rank sends in one round

class star_reader {
public:
  star_reader(const known_messages& known, const stream& in) : known_(known), in_(in), q_(in.ranks()) {}

  std::optional<shaped_portion> at(std::uint32_t root) {
    const auto first = in_.next(root, 1);
    if (first.empty() || !find_lengths(root))
      return {};
    shaped_portion found{portion(q_, asks_ + sends_), message_shape::gather_or_reduce, pattern::gather, root};
    found.count[root] = (q_ - 1) * (asks_ + sends_);
    const auto all = in_.next(root, found.count[root]);
    if (all.size() != found.count[root])
      return {};
    std::vector<bool> heard(q_, false);
    for (std::size_t k = 0; k + 1 < q_; ++k) {
      const auto turn = all.subspan(k * (asks_ + sends_), asks_ + sends_);
      const std::uint32_t peer = turn[0].peer;
      if (peer == root || heard[peer] || !is_turn(turn, peer) || !gives(peer, root))
        return {};
      heard[peer] = true;
      for (std::uint32_t i = 0; i < sends_; ++i)
        if (known_.of(turn[asks_ + i]).bytes != known_.of(all[asks_ + i]).bytes)
          found.shape = message_shape::gatherv;
    }
    return found;
  }

private:
  /// How many messages the first rank that the root hears gives it.
  bool find_lengths(std::uint32_t root) {
    const auto ahead = in_.next(root, 1 + most_of_a_rank);
    asks_ = ahead[0].receives ? 0 : 1;
    if (asks_ == 1 && known_.of(ahead[0]).bytes > 0)
      return false;
    sends_ = 0;
    while (asks_ + sends_ < ahead.size() && ahead[asks_ + sends_].receives &&
           ahead[asks_ + sends_].peer == ahead[0].peer)
      ++sends_;
    return sends_ > 0;
  }

  bool is_turn(std::span<const stream_operation> turn, std::uint32_t peer) const {
    for (std::uint32_t i = 0; i < turn.size(); ++i)
      if (turn[i].peer != peer || turn[i].receives != (i >= asks_) ||
          (known_.of(turn[i]).bytes > 0) != turn[i].receives)
        return false;
    return true;
  }

  bool gives(std::uint32_t rank, std::uint32_t root) const {
    const auto own = in_.next(rank, asks_ + sends_);
    if (own.size() != asks_ + sends_)
      return false;
    for (std::uint32_t i = 0; i < own.size(); ++i)
      if (own[i].peer != root || own[i].receives != (i < asks_) ||
          (!own[i].receives && known_.passes_on(own[i].message)))
        return false;
    return true;
  }

  const known_messages& known_;
  const stream& in_;
  const std::uint32_t q_;
  std::uint32_t asks_ = 0, sends_ = 0; ///< of each rank but the root, in one round
};

} // namespace

std::optional<shaped_portion> star_to_root(const known_messages& known, const stream& in) {
  star_reader read(known, in);
  for (std::uint32_t root = 0; root < in.ranks(); ++root)
    if (auto found = read.at(root))
      return if_closed(in, std::move(*found));
  return {};
}

} // namespace tacit::recordings
