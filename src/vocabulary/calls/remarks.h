// What is said about a call at compile time, in the words of remarks.def. Only the tools know how a remark
// reaches the user (an optimization remark of LLVM, a diagnostic of Clang); what it says they take from here.
#pragma once

#include "vocabulary/calls/reasons.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::vocabulary {

enum class remark : std::uint8_t {
#define TACIT_REMARK(name, text) name,
#include "vocabulary/calls/remarks.def"
#undef TACIT_REMARK
};

/// Words of a remark, or a value in it.
struct remark_piece {
  std::string_view key; ///< what the value is; empty for words
  std::string text;
};

/// The remark with its placeholders replaced by `values`, in the order in which they stand.
std::vector<remark_piece> pieces_of(remark which, std::initializer_list<std::string> values = {});
/// The same as one text.
std::string wording(remark which, std::initializer_list<std::string> values = {});

/// What the user can do: the last sentence of the reason's page, without its full stop.
std::string remedy(const reason_page& page);

/// The texts of all remarks, with their placeholders.
std::span<const std::string_view> remark_texts();

} // namespace tacit::vocabulary
