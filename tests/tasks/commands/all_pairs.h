// All pairs of mappers and splits, as programs: a producer and a consumer, and a second consumer that takes all of them in turn.
#pragma once

#include "oracle/task_oracle.h"

#include <utility>

namespace tacit::tasks {

/// Dimensions and extent.
inline constexpr std::pair<int, oracle::where> all_pairs_shapes[] = {
    {1, {24, 1, 1}}, {1, {5, 1, 1}}, {2, {6, 4, 1}}, {2, {5, 5, 1}}, {3, {4, 3, 2}}, {3, {3, 3, 3}}};

/// The catalogue in one, two or three dimensions.
inline std::vector<oracle::touch> catalogue(int dims, const oracle::where& extent) {
  std::vector<oracle::touch> out{{oracle::way::one_to_one},
                                 {oracle::way::all},
                                 {oracle::way::even, {1, 0, 0}},
                                 {oracle::way::even, {3, 0, 0}}};
  const int second = dims > 1 ? 1 : 0, third = dims > 2 ? 1 : 0; ///< borders
  oracle::touch part{oracle::way::fixed, {0, 0, 0}, {1, 1, 1}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) {
    part.numbers[d] = extent[d] / 3;
    part.ends[d] = std::max(part.numbers[d] + 1, extent[d] - 1);
    out.push_back({oracle::way::slice, {static_cast<int>(d), 0, 0}});
  }
  out.push_back(part);
  out.push_back({oracle::way::around, {1, second, third}});
  out.push_back({oracle::way::around, {3, 0, 0}});
  out.push_back({oracle::way::cross, {2, second, third}});
  out.push_back({oracle::way::mirrored});
  std::vector<std::array<int, 3>> orders;
  if (dims == 2)
    orders = {{1, 0, 2}, {1, -1, 2}};
  if (dims == 3)
    orders = {{1, 0, 2}, {2, 1, 0}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, -1}};
  for (const std::array<int, 3>& order : orders)
    out.push_back({oracle::way::transposed, order});
  return out;
}

/// A producer and two consumers on some ranks; the second consumer takes all mappers and splits in turn.
class three_jobs {
public:
  three_jobs(int ranks, int dims, const oracle::where& extent)
      : ranks_(ranks), extent_(extent), touches_(catalogue(dims, extent)) {}

  std::size_t count() const { return touches_.size() * touches_.size() * splits * splits; }
  oracle::program make(std::size_t n, std::size_t turn) const {
    const std::size_t splits_of_two = n % (splits * splits), touches_of_two = n / (splits * splits);
    const oracle::touch& writer = touches_[touches_of_two % touches_.size()];
    const oracle::touch& reader = touches_[touches_of_two / touches_.size()];
    return {ranks_,
            {extent_},
            {job_with({0, false, true, writer}, splits_of_two % splits),
             job_with({0, true, false, reader}, splits_of_two / splits),
             job_with({0, true, false, touches_[turn % touches_.size()]}, turn / touches_.size() % splits)}};
  }

private:
  static constexpr std::size_t splits = 4;
  oracle::job job_with(const oracle::use& u, std::size_t split) const {
    oracle::job j;
    j.size = extent_;
    j.uses = {u};
    j.split = split < 3 ? static_cast<oracle::division>(split) : oracle::division::rows;
    if (split == 3)
      for (int r = 0; r < ranks_; ++r)
        j.weights.push_back((r * 5 + 2) % 4);
    return j;
  }

  int ranks_;
  oracle::where extent_;
  std::vector<oracle::touch> touches_;
};

/// True if transposed dimensions have the same extent, so that nothing lies outside.
inline bool fits(const oracle::program& p) {
  for (const oracle::job& j : p.jobs)
    for (std::size_t d = 0; d < 3; ++d) {
      const oracle::touch& t = j.uses[0].what;
      if (t.how == oracle::way::transposed && t.numbers[d] >= 0 &&
          p.buffers[0][d] != p.buffers[0][static_cast<std::size_t>(t.numbers[d])])
        return false;
    }
  return true;
}

} // namespace tacit::tasks
