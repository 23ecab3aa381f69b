// How much heap the program holds, and held at most: every operator new and delete is counted (heap.cpp).
#pragma once

#include <cstdint>

namespace tacit::bench {

std::int64_t heap_bytes(); ///< held now
std::int64_t heap_peak();  ///< the most held since the last reset
void reset_heap_peak();

} // namespace tacit::bench
