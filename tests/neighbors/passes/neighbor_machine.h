// Executes the plans of all ranks in one process: at any time one randomly chosen step whose predecessors
// have completed. A send leaves its bytes in a box of (source, destination, tag); a receive takes the first
// message of its box. The meaning is written down independently: block by block, from the neighborhoods
// alone.
#pragma once

#include "neighbors/passes/neighbor.h"

#include <deque>
#include <map>
#include <random>
#include <string>

namespace tacit::test {

using namespace neighbors;

class neighbor_machine {
public:
  using bytes = std::vector<std::uint64_t>; // a byte is a unique number, so a mixed-up one shows
  using memory = std::map<std::uint64_t, std::uint64_t>;

  static std::uint64_t initial(std::size_t rank, std::uint64_t address) { return (rank << 40) | address; }

  neighbor_machine(const std::vector<graphs::rank_plan>& plans, std::uint64_t seed)
      : plans_(plans), random_(seed), written(plans.size()) {
    for (const graphs::rank_plan& p : plans)
      done_.emplace_back(p.steps.size(), false);
  }

  /// Empty, or what went wrong.
  std::string run() {
    while (true) {
      std::vector<std::pair<std::size_t, std::size_t>> ready;
      bool all_done = true;
      for (std::size_t r = 0; r < plans_.size(); ++r)
        for (std::size_t i = 0; i < plans_[r].steps.size(); ++i) {
          all_done = all_done && done_[r][i];
          if (!done_[r][i] && may_run(r, i))
            ready.emplace_back(r, i);
        }
      if (all_done)
        return boxes_left() ? "a message was sent that nobody receives" : "";
      if (ready.empty())
        return "deadlock";
      const auto [r, i] = ready[random_() % ready.size()];
      if (std::string fault = execute(r, plans_[r].steps[i]); !fault.empty())
        return "rank " + std::to_string(r) + " step " + std::to_string(i) + ": " + fault;
      done_[r][i] = true;
    }
  }

private:
  const std::vector<graphs::rank_plan>& plans_;
  std::mt19937_64 random_;
  std::vector<std::vector<bool>> done_;
  std::map<std::tuple<std::size_t, std::size_t, int>, std::deque<bytes>> boxes_;

public:
  std::vector<memory> written; ///< by rank; only what was written

private:
  bool may_run(std::size_t r, std::size_t i) {
    const graphs::step& s = plans_[r].steps[i];
    for (const std::uint32_t before : s.after)
      if (!done_[r][before])
        return false;
    return s.kind != graphs::step_kind::recv || !boxes_[{index(s.peer), r, s.tag}].empty();
  }
  bool boxes_left() const {
    for (const auto& [key, box] : boxes_)
      if (!box.empty())
        return true;
    return false;
  }
  std::uint64_t load(std::size_t r, std::uint64_t address) const {
    const auto found = written[r].find(address);
    return found == written[r].end() ? initial(r, address) : found->second;
  }
  bytes read(std::size_t r, std::span<const graphs::segment> from) const {
    bytes out;
    for (const graphs::segment& s : from)
      for (std::uint64_t k = 0; k < s.length; ++k)
        out.push_back(load(r, s.address + k));
    return out;
  }
  std::string write(std::size_t r, std::span<const graphs::segment> into, const bytes& what) {
    if (graphs::total_length(into) != what.size())
      return std::to_string(what.size()) + " bytes for " + std::to_string(graphs::total_length(into));
    std::size_t next = 0;
    for (const graphs::segment& s : into)
      for (std::uint64_t k = 0; k < s.length; ++k)
        written[r][s.address + k] = what[next++];
    return {};
  }
  std::string execute(std::size_t r, const graphs::step& s) {
    if (s.kind == graphs::step_kind::send) {
      boxes_[{r, index(s.peer), s.tag}].push_back(read(r, s.reads));
      return {};
    }
    if (s.kind == graphs::step_kind::copy)
      return write(r, s.writes, read(r, s.reads));
    auto& box = boxes_[{index(s.peer), r, s.tag}];
    const bytes what = box.front();
    box.pop_front();
    return write(r, s.writes, what);
  }
};

/// Runs the plans and compares all written bytes with the meaning.
inline std::string first_wrong_byte(const std::vector<neighborhood>& all,
                                    const std::vector<neighbor_blocks>& blocks,
                                    const std::vector<graphs::rank_plan>& plans, std::uint64_t seed) {
  neighbor_machine machine(plans, seed);
  if (std::string fault = machine.run(); !fault.empty())
    return fault;
  for (std::size_t r = 0; r < all.size(); ++r) {
    neighbor_machine::memory expected;
    for (std::size_t t = 0; t < all[r].sources.size(); ++t) {
      const edge& in = all[r].sources[t];
      if (in.peer == no_rank)
        continue;
      const auto& out = all[index(in.peer)].destinations;
      for (std::size_t s = 0; s < out.size(); ++s) {
        if (index(out[s].peer) != r || out[s].channel != in.channel)
          continue;
        std::vector<std::uint64_t> from;
        for (const graphs::segment& g : blocks[index(in.peer)].out[s])
          for (std::uint64_t k = 0; k < g.length; ++k)
            from.push_back(neighbor_machine::initial(index(in.peer), g.address + k));
        std::size_t next = 0;
        for (const graphs::segment& g : blocks[r].in[t])
          for (std::uint64_t k = 0; k < g.length; ++k)
            expected[g.address + k] = from.at(next++);
      }
    }
    for (const auto& [address, value] : machine.written[r]) {
      if (address >= graphs::scratch_base)
        continue;
      const auto found = expected.find(address);
      if (found == expected.end())
        return "rank " + std::to_string(r) + " byte " + std::to_string(address) + " must not be written";
      if (found->second != value)
        return "rank " + std::to_string(r) + " byte " + std::to_string(address) + " is wrong";
    }
    for (const auto& [address, value] : expected)
      if (!machine.written[r].contains(address))
        return "rank " + std::to_string(r) + " byte " + std::to_string(address) + " is missing";
  }
  return {};
}

} // namespace tacit::test
