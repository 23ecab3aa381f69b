#include "vocabulary/calls/reasons.h"

#include <array>

namespace tacit::vocabulary {

namespace {
constexpr std::array pages{
#define TACIT_REASON(number, name, title, text) reason_page{reason::name, #name, title, text},
#include "vocabulary/calls/reasons.def"
#undef TACIT_REASON
};
} // namespace

std::span<const reason_page> reason_pages() {
  return pages;
}

const reason_page* find_reason(std::uint16_t wanted) {
  for (const reason_page& page : pages)
    if (number(page.code) == wanted)
      return &page;
  return nullptr;
}

std::string reason_label(reason code) {
  std::string digits = std::to_string(number(code));
  digits.insert(0, digits.size() < 3 ? 3 - digits.size() : 0, '0');
  return "TACIT-" + digits; // without libfmt, on which a plugin that compilers load should not depend
}

} // namespace tacit::vocabulary
