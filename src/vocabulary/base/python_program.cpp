#include "vocabulary/base/python_program.h"

#include <algorithm>
#include <array>

namespace tacit::vocabulary {

namespace {

/// Modules that run a script, as Python itself does: it stands behind them, and so may its -m.
constexpr std::array<std::string_view, 5> runners{"mpi4py", "mpi4py.run", "cProfile", "pdb", "trace"};

/// Options whose value is the next word, if it does not stand in the same one.
bool has_value(std::string_view option) {
  return option.starts_with("-W") || option.starts_with("-X") || option == "--check-hash-based-pycs";
}

} // namespace

bool is_python(std::string_view program) {
  const std::string_view file = program.substr(program.find_last_of('/') + 1);
  if (!file.starts_with("python"))
    return false;
  return std::ranges::all_of(file.substr(6), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

std::string python_script(std::span<const std::string> words) {
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word.size() < 2 || word[0] != '-')
      return word == "-" ? std::string() : word;
    if (has_value(word)) {
      at += word.size() == 2 || word[1] == '-' ? 1 : 0;
      continue;
    }
    if (word.starts_with("--"))
      continue;
    if (const std::size_t last = word.find_first_of("cm"); last != std::string::npos) { // -m, -Om, -mpdb
      if (word[last] == 'c')
        return {};
      const std::string module = last + 1 < word.size()  ? word.substr(last + 1)
                                 : at + 1 < words.size() ? words[++at]
                                                         : "";
      const std::string inner =
          std::ranges::find(runners, module) == runners.end() ? "" : python_script(words.subspan(at));
      return inner.empty() ? module : inner;
    }
  }
  return {};
}

} // namespace tacit::vocabulary
