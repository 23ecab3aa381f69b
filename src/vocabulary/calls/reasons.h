// Reason codes. Every "no" and every diagnostic carries one; scripts and users rely on the numbers.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tacit::vocabulary {

enum class reason : std::uint16_t {
  none = 0,
#define TACIT_REASON(number, name, title, text) name = (number),
#include "vocabulary/calls/reasons.def"
#undef TACIT_REASON
};

struct reason_page {
  reason code;
  std::string_view name;  ///< identifier, for example "trivial_group"
  std::string_view title; ///< a few words
  std::string_view text;  ///< what it means and what the user can do
};

/// All reason codes in numeric order.
std::span<const reason_page> reason_pages();
/// The page of a code, or nullptr if there is none.
const reason_page* find_reason(std::uint16_t number);
/// "TACIT-017".
std::string reason_label(reason code);

constexpr std::uint16_t number(reason code) {
  return static_cast<std::uint16_t>(code);
}

} // namespace tacit::vocabulary
