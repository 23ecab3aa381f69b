// The ranks beyond the largest power of two p' first give their values to a host each; the p' ranks that are left
// exchange log2 p' times; in the end each host answers its guest (Thakur, Rabenseifner, Gropp 2005; the BLACS'
// bidirectional exchange, which folds the last ranks instead of the first ones).
//
// Who hosts whom and who exchanges with whom is not asked for. What makes it an allreduce is content: ranks whose
// values have been put together send the same bytes in every later step, and so do all hosts in the end. Sets of ranks
// that agree are kept as labels; a step has to join each set with one other.
#include "recordings/meaning/known_shapes.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <span>
#include <vector>

namespace tacit::recordings {
namespace {

class folded_reader {
public:
  folded_reader(const known_messages& known, const stream& in)
      : known_(known), in_(in), q_(in.ranks()), core_(std::bit_floor(q_)),
        steps_(static_cast<std::uint32_t>(std::bit_width(core_) - 1)), host_of_(q_, none),
        guest_of_(q_, none), label_(q_) {
    std::iota(label_.begin(), label_.end(), 0u);
  }

  std::optional<portion> run() {
    if (q_ < 5 || std::has_single_bit(q_) || !find_guests())
      return {};
    for (std::uint32_t step = 0; step < steps_; ++step)
      if (!exchange(step))
        return {};
    return differ_ && answers_agree() ? std::optional(portions()) : std::nullopt;
  }

private:
  bool is_guest(std::uint32_t r) const { return host_of_[r] != none; }

  /// One length, hashed.
  bool fits(const stream_operation& o) {
    const std::uint64_t bytes = known_.of(o).bytes;
    bytes_ = bytes_ == 0 ? bytes : bytes_;
    return bytes > 0 && bytes == bytes_ && known_.is_hashed(o.message);
  }

  /// Hosts are the ranks that receive first.
  bool find_guests() {
    std::uint32_t guests = 0;
    for (std::uint32_t r = 0; r < q_; ++r) {
      const auto first = in_.next(r, 1);
      if (first.empty() || !fits(first[0]))
        return false;
      if (!first[0].receives)
        continue;
      if (host_of_[first[0].peer] != none)
        return false;
      host_of_[first[0].peer] = r;
      guest_of_[r] = first[0].peer;
      ++guests;
    }
    if (guests != q_ - core_)
      return false;
    for (std::uint32_t r = 0; r < q_; ++r) {
      if (!is_guest(r))
        continue;
      const auto own = in_.next(r, 2);
      if (guest_of_[r] != none || own.size() != 2 || own[0].receives || !own[1].receives ||
          own[0].peer != host_of_[r] || own[1].peer != host_of_[r] || !fits(own[1]))
        return false;
    }
    return true;
  }

  /// The operations of a rank that exchanges in a step: a send and a receive, or nothing.
  std::span<const stream_operation> pair_of(std::uint32_t r, std::uint32_t step) const {
    const std::uint32_t before = guest_of_[r] == none ? 0 : 1;
    const auto next = in_.next(r, before + 2 * steps_);
    return next.size() == before + 2 * steps_ ? next.subspan(before + 2 * step, 2) : next.first(0);
  }

  bool exchange(std::uint32_t step) {
    std::vector<std::uint32_t> partner(q_, none);
    std::vector<std::uint64_t> hash(q_, 0);
    for (std::uint32_t r = 0; r < q_; ++r) {
      if (is_guest(r))
        continue;
      const auto pair = pair_of(r, step);
      if (pair.empty() || pair[0].receives == pair[1].receives || pair[0].peer != pair[1].peer ||
          is_guest(pair[0].peer) || !fits(pair[0]) || !fits(pair[1]))
        return false;
      partner[r] = pair[0].peer;
      hash[r] = known_.sent_by(pair[pair[0].receives ? 1 : 0].message).hash;
    }
    return agree(hash) && join(partner);
  }

  bool agree(const std::vector<std::uint64_t>& hash) {
    for (std::uint32_t r = 0; r < q_; ++r) {
      if (is_guest(r))
        continue;
      if (hash[r] != hash[label_[r]])
        return false;
      differ_ = differ_ || hash[r] != hash[label_[first_exchanging()]];
    }
    return true;
  }
  std::uint32_t first_exchanging() const {
    return static_cast<std::uint32_t>(std::find(host_of_.begin(), host_of_.end(), none) - host_of_.begin());
  }

  bool join(const std::vector<std::uint32_t>& partner) {
    std::map<std::uint32_t, std::uint32_t> other; // set → the set it exchanges with
    for (std::uint32_t r = 0; r < q_; ++r) {
      if (is_guest(r))
        continue;
      const std::uint32_t p = partner[r];
      if (partner[p] != r || label_[p] == label_[r] ||
          other.try_emplace(label_[r], label_[p]).first->second != label_[p])
        return false;
    }
    for (std::uint32_t r = 0; r < q_; ++r)
      if (!is_guest(r))
        label_[r] = std::min(label_[r], other.at(label_[r]));
    return true;
  }

  bool answers_agree() {
    const stream_operation* first = nullptr;
    for (std::uint32_t r = 0; r < q_; ++r) {
      if (guest_of_[r] == none)
        continue;
      const auto next = in_.next(r, 2 + 2 * steps_);
      if (next.size() != 2 + 2 * steps_ || next.back().receives || next.back().peer != guest_of_[r] ||
          !fits(next.back()))
        return false;
      first = first == nullptr ? &next.back() : first;
      if (known_.sent_by(next.back().message).hash != known_.sent_by(first->message).hash)
        return false;
    }
    return true;
  }

  portion portions() const {
    portion count(q_);
    for (std::uint32_t r = 0; r < q_; ++r)
      count[r] = is_guest(r) ? 2 : 2 * steps_ + (guest_of_[r] == none ? 0 : 2);
    return count;
  }

  const known_messages& known_;
  const stream& in_;
  const std::uint32_t q_, core_, steps_;
  std::vector<std::uint32_t> host_of_, guest_of_; ///< by rank, or none
  std::vector<std::uint32_t> label_;              ///< the lowest rank of those that agree with a rank
  std::uint64_t bytes_ = 0;
  bool differ_ = false; ///< two ranks sent different bytes: constants prove nothing
};

} // namespace

std::optional<shaped_portion> folded_allreduce(const known_messages& known, const stream& in) {
  const auto count = folded_reader(known, in).run();
  return count ? if_closed(in, {*count, message_shape::allreduce}) : std::nullopt;
}

} // namespace tacit::recordings
