#include "vocabulary/calls/remarks.h"

#include <array>
#include <cassert>
#include <cstddef>

namespace tacit::vocabulary {

namespace {
constexpr auto texts = std::to_array<std::string_view>({
#define TACIT_REMARK(name, text) text,
#include "vocabulary/calls/remarks.def"
#undef TACIT_REMARK
});
} // namespace

std::vector<remark_piece> pieces_of(remark which, std::initializer_list<std::string> values) {
  std::string_view rest = texts[static_cast<std::size_t>(which)];
  std::vector<remark_piece> pieces;
  const auto add = [&](std::string_view key, std::string text) {
    if (!text.empty())
      pieces.push_back({key, std::move(text)});
  };
  const std::string* value = values.begin();
  for (std::size_t open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const std::size_t close = rest.find('}', open);
    assert(value != values.end());
    add({}, std::string(rest.substr(0, open)));
    add(rest.substr(open + 1, close - open - 1), *value++);
    rest.remove_prefix(close + 1);
  }
  assert(value == values.end());
  add({}, std::string(rest));
  return pieces;
}

std::string wording(remark which, std::initializer_list<std::string> values) {
  std::string text;
  for (const remark_piece& piece : pieces_of(which, values))
    text += piece.text;
  return text;
}

std::string remedy(const reason_page& page) {
  const std::size_t before = page.text.rfind(". ");
  std::string_view sentence = before == std::string_view::npos ? page.text : page.text.substr(before + 2);
  sentence.remove_suffix(1); // the full stop
  return std::string(sentence);
}

std::span<const std::string_view> remark_texts() {
  return texts;
}

} // namespace tacit::vocabulary
