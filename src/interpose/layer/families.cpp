#include "interpose/layer/slots.h"

namespace tacit::interpose {

extern const slot_family c_symbols;
#ifndef TACIT_C_ONLY
extern const slot_family mpif_symbols, f08_symbols;
#endif

std::span<const slot_family* const> slot_families() {
#ifdef TACIT_C_ONLY
  static constexpr const slot_family* all[] = {&c_symbols};
#else
  static constexpr const slot_family* all[] = {&c_symbols, &mpif_symbols, &f08_symbols};
#endif
  return all;
}

} // namespace tacit::interpose
