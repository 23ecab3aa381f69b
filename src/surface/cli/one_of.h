// Checks of options that take one of a few words; the list of commands, and with it help and completions, shows them.
#pragma once

#include "vocabulary/base/nearest.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::surface {

/// Refuses all other words, and names the one that was probably meant.
inline CLI::Validator one_of(std::vector<std::string_view> words) {
  const std::string shown = fmt::format("{{{}}}", fmt::join(words, ","));
  return CLI::Validator(
      [words = std::move(words)](std::string& typed) {
        return std::ranges::find(words, typed) != words.end()
                   ? std::string()
                   : fmt::format("'{}' is none of {}{}", typed, fmt::join(words, ", "),
                                 did_you_mean(typed, words));
      },
      shown);
}

} // namespace tacit::surface
