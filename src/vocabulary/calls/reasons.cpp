#include "vocabulary/calls/reasons.h"

#include <array>
#include <fmt/format.h>

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
  return fmt::format("TACIT-{:03}", number(code));
}

} // namespace tacit::vocabulary
