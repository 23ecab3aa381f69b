#include "compiler/coalesce/exchange_parts.h"

#include "compiler/coalesce/store_bound.h"

#include <algorithm>

namespace tacit::compiler {
namespace {

/// At least some kilobytes each, so that their beginnings cost little.
constexpr long long least_part = 4096;
/// A put costs less than a part of a collective.
constexpr long long least_row = 1024;
/// So many are looked for in the loop.
constexpr long long most_rows = 64;

} // namespace

int parts_of(const tacit_pipeline& p, way how) {
  const long long bytes = block_bytes(p);
  long long made = 1;
  if (how == in_parts)
    made = std::min<long long>(std::max(2LL, bytes / least_part), TACIT_PIPELINE_PARTS);
  if (how == by_puts && p.first < p.last) {
    const auto iterations =
        static_cast<unsigned long long>(p.last) - static_cast<unsigned long long>(p.first);
    made = std::min(std::max(2LL, bytes / least_row), most_rows);
    made = iterations < static_cast<unsigned long long>(made) ? static_cast<long long>(iterations) + 1 : made;
  }
  return static_cast<int>(std::min<long long>(made, p.count));
}

long long ready_of(const tacit_pipeline& p, int part) {
  const long long end = static_cast<long long>(place_of(p, part + 1)) * p.type_bytes;
  long long ready = p.first;
  for (int s = 0; s < p.store_count; ++s)
    ready = std::max(ready, store_bound(p.stores[s], p.first, p.last, block_bytes(p)).ready(end));
  return ready;
}

} // namespace tacit::compiler
