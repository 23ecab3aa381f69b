// From which value of a loop's counter on nothing is stored below a place of a block any more, for one store of the loop.
#pragma once

#include <tacit/coalesce.h>

#include <algorithm>
#include <climits>

namespace tacit::compiler {

constexpr long long never = LLONG_MAX;

__extension__ using wide = __int128;

template <class Integer>
Integer floor_of(Integer a, Integer b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// A bound may be as large as tacit_pipeline_bound says, and strides as large as memory is.
class store_bound {
public:
  store_bound(const tacit_pipeline_store& s, long long first, long long last, long long block) {
    wide low = s.from, length = s.bytes;
    for (const tacit_pipeline_range& r : s.inner) {
      if (r.stride == 0)
        continue;
      if (r.last < r.first)
        return; // this store never happens
      if (r.stride % block == 0)
        continue;
      const wide stride = r.stride;
      low += std::min(stride * r.first, stride * r.last);
      length += (stride < 0 ? -stride : stride) * (wide{r.last} - r.first);
    }
    happens_ = first <= last;
    const wide step = s.step;
    low -= floor_of(low + step * first, wide{block}) * block;
    bounded_ = step >= 0 && low + step * last + length <= block && low >= LLONG_MIN / 2;
    if (bounded_) {
      low_ = static_cast<long long>(low);
      step_ = s.step;
    }
  }

  long long ready(long long place) const {
    if (!happens_)
      return LLONG_MIN;
    if (!bounded_)
      return never;
    if (step_ == 0)
      return low_ >= place ? LLONG_MIN : never;
    return -floor_of(low_ - place, step_); // the least i with low + step * i >= place
  }

private:
  bool happens_ = false, bounded_ = false;
  long long low_ = 0, step_ = 0;
};

} // namespace tacit::compiler
