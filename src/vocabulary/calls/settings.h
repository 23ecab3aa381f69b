// The settings of tacit: environment variables and info keys, from the table settings.def. Whoever reads one
// asks here for its value, for the words that are allowed, and for the sentence to say if it is none of them.
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::vocabulary {

enum class setting : std::uint8_t {
#define TACIT_SETTING(name, variable, key, reader, values, standard, meaning) name,
#include "vocabulary/calls/settings.def"
#undef TACIT_SETTING
};

enum class value_kind : std::uint8_t {
  words,  ///< one of them
  list,   ///< some of them, separated by commas
  number, ///< a whole number
  real,
  bytes, ///< a whole number, also with k, M or G after it
  text,  ///< whatever the reader understands
};

struct setting_values {
  value_kind kind = value_kind::text;
  std::string_view words;                              ///< those allowed, separated by blanks
  std::uint64_t least = 0, most = 0;                   ///< of numbers
  std::string_view description = std::string_view(""); ///< of all but words and lists: "a number from 0 to 1"
};

struct setting_row {
  setting name = {};
  std::string_view variable, key; ///< the key is empty where no info key exists
  std::string_view reader;
  setting_values values;
  std::string_view standard; ///< empty: none, or tacit decides
  std::string_view meaning;
};

/// All rows, in the order of the table.
std::span<const setting_row> settings();
const setting_row& row_of(setting name);
/// By variable or info key; null if there is none.
const setting_row* find_setting(std::string_view variable_or_key);

/// What the environment says; empty if it says nothing.
std::string_view given(setting name);

/// The words of the row, in its order.
std::vector<std::string_view> words_of(const setting_row& row);
/// "data or keep_sync", "one of shm, coll, …", "a number from 0 to 1".
std::string expected(const setting_row& row);
/// `WHERE is "VALUE", but must be … (did you mean …?)`; empty if the value is allowed. `where` is the variable,
/// or 'info key "…"'.
std::string fault_of(const setting_row& row, std::string_view where, std::string_view value);
/// The fault of a variable as it is set now; empty if it is not set or is allowed.
std::string fault_of(setting name);

/// Which of the words the value is.
std::optional<std::size_t> word_index(const setting_row& row, std::string_view value);
/// The whole text as a number; nothing if it is none.
std::optional<std::uint64_t> whole_number(std::string_view text);
std::optional<double> real_number(std::string_view text);
/// "512", "64k", "4M", "1G".
std::optional<std::uint64_t> number_of_bytes(std::string_view text);

/// `name` begins like a variable of tacit and is none.
bool is_unknown_variable(std::string_view name);
/// "TACIT_X is no variable of tacit (did you mean TACIT_Y?); it has no effect"
std::string unknown_variable(std::string_view name);
/// 'info key "tacit_x" is unknown (did you mean tacit_y?); of READER there are tacit_a, …': the keys `reader`
/// reads.
std::string unknown_key(std::string_view key, std::string_view reader);
/// The row of an info key that `reader` reads; null if there is none.
const setting_row* find_key(std::string_view key, std::string_view reader);

} // namespace tacit::vocabulary
