#include "graphs/detect/lanes.h"

#include <algorithm>
#include <limits>
#include <set>

namespace tacit::graphs {

namespace {

void add_run(std::vector<address_run>& runs, const address_run& r) {
  if (!runs.empty() && runs.back().last + 1 == r.begin && runs.back().copies == r.copies)
    runs.back().last = r.last;
  else
    runs.push_back(r);
}

/// True if [begin, last] lies in the union of the runs.
bool covered(std::span<const address_run> runs, std::uint64_t begin, std::uint64_t last) {
  auto at =
      std::partition_point(runs.begin(), runs.end(), [&](const address_run& r) { return r.last < begin; });
  if (at == runs.end() || at->begin > begin)
    return false;
  for (; at->last < last; ++at)
    if (std::next(at) == runs.end() || at->last + 1 != std::next(at)->begin)
      return false;
  return true;
}

} // namespace

std::vector<address_run> count_copies(std::vector<arrival>& arrivals) {
  std::sort(arrivals.begin(), arrivals.end(),
            [](const arrival& a, const arrival& b) { return a.begin < b.begin; });
  std::vector<address_run> runs;
  std::multiset<std::uint64_t> open; // ends of the arrivals that cover `position`
  std::size_t next = 0;
  std::uint64_t position = 0;
  while (next < arrivals.size() || !open.empty()) {
    if (open.empty())
      position = arrivals[next].begin;
    for (; next < arrivals.size() && arrivals[next].begin == position; ++next)
      open.insert(arrivals[next].last);
    std::uint64_t last = *open.begin();
    if (next < arrivals.size())
      last = std::min(last, arrivals[next].begin - 1);
    add_run(runs, {position, last, static_cast<std::uint32_t>(open.size())});
    open.erase(open.begin(), open.upper_bound(last));
    position = last + 1;
  }
  return runs;
}

std::vector<address_run> smaller(std::span<const address_run> a, std::span<const address_run> b) {
  std::vector<address_run> result;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::uint64_t begin = std::max(a[i].begin, b[j].begin), last = std::min(a[i].last, b[j].last);
    if (begin <= last)
      add_run(result, {begin, last, std::min(a[i].copies, b[j].copies)});
    if (a[i].last <= b[j].last)
      ++i;
    else
      ++j;
  }
  return result;
}

std::vector<lane_step> choose_lanes(std::span<const address_run> runs, std::vector<arrival>& arrivals) {
  std::sort(arrivals.begin(), arrivals.end(),
            [](const arrival& a, const arrival& b) { return a.begin < b.begin; });
  std::vector<char> inside(arrivals.size());
  for (std::size_t k = 0; k < arrivals.size(); ++k)
    inside[k] = covered(runs, arrivals[k].begin, arrivals[k].last);
  const auto better = [&](std::size_t x, std::size_t y) {
    if (inside[x] != inside[y])
      return inside[x] > inside[y];
    if (arrivals[x].last != arrivals[y].last)
      return arrivals[x].last > arrivals[y].last;
    return arrivals[x].transfer != arrivals[y].transfer ? arrivals[x].transfer < arrivals[y].transfer : x < y;
  };
  std::set<std::size_t, decltype(better)> waiting(better);
  std::vector<std::size_t> lanes;
  std::vector<lane_step> steps;
  std::size_t next = 0;
  for (const address_run& run : runs) {
    for (std::uint64_t position = run.begin;;) {
      for (; next < arrivals.size() && arrivals[next].begin <= position; ++next)
        waiting.insert(next);
      std::erase_if(lanes, [&](std::size_t k) { return arrivals[k].last < position; });
      for (; lanes.size() > run.copies; lanes.pop_back())
        waiting.insert(lanes.back());
      while (lanes.size() < run.copies) {
        const std::size_t best = *waiting.begin();
        waiting.erase(waiting.begin());
        if (arrivals[best].last >= position)
          lanes.push_back(best);
      }
      lane_step step{position, run.last, {}};
      for (const std::size_t k : lanes) {
        step.last = std::min(step.last, arrivals[k].last);
        step.transfers.push_back(arrivals[k].transfer);
      }
      steps.push_back(step);
      if (step.last == run.last)
        break;
      position = step.last + 1;
    }
  }
  return steps;
}

} // namespace tacit::graphs
