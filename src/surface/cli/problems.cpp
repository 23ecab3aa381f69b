#include "surface/cli/problems.h"

#include "vocabulary/calls/reasons.h"

#include <cstdio>
#include <fmt/format.h>

namespace tacit::surface {

void print_problems(const diagnostics& problems, std::string_view where,
                    std::span<const std::uint32_t> lines) {
  constexpr std::string_view levels[] = {"error", "warning", "remark"};
  std::string text;
  for (const diagnostic& d : problems) {
    text += where;
    if (d.op != no_op && index(d.op) < lines.size())
      text += fmt::format(":{}", lines[index(d.op)]);
    text += fmt::format(": {} {}: {}\n", levels[static_cast<int>(d.level)], reason_label(reason{d.code}),
                        d.message);
    if (!d.remedy.empty())
      text += fmt::format("  {}\n", d.remedy);
  }
  std::fputs(text.c_str(), stderr);
}

} // namespace tacit::surface
