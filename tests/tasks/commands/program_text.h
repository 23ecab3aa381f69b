// Programs of the oracle in words, for tests that fail.
#pragma once

#include "oracle/task_oracle.h"

#include <sstream>

namespace tacit::tasks {

inline std::string text_of(const oracle::where& w) {
  std::ostringstream out;
  out << w[0] << "x" << w[1] << "x" << w[2];
  return out.str();
}

inline std::string text_of(const oracle::touch& t) {
  static const char* const names[] = {"one_to_one", "all",        "fixed", "slice",   "around",
                                      "cross",      "transposed", "even",  "mirrored"};
  return std::string(names[static_cast<std::size_t>(t.how)]) + " " + text_of(t.numbers) +
         (t.how == oracle::way::fixed ? " to " + text_of(t.ends) : "");
}

inline std::string text_of(const oracle::program& p) {
  static const char* const divisions[] = {"rows", "tiles", "single"};
  std::ostringstream out;
  out << p.ranks << " ranks, buffers";
  for (const oracle::where& extent : p.buffers)
    out << " " << text_of(extent);
  for (std::size_t n = 0; n < p.jobs.size(); ++n) {
    const oracle::job& j = p.jobs[n];
    out << "\n  job " << n << (j.on_every_rank ? " (fence)" : "") << " over " << text_of(j.size) << " from "
        << text_of(j.begin) << " in " << divisions[static_cast<std::size_t>(j.split)];
    for (const int w : j.weights)
      out << " " << w;
    for (const oracle::use& u : j.uses)
      out << "\n    " << (u.reads ? "reads " : "") << (u.writes ? "writes " : "") << u.buffer << " through "
          << text_of(u.what);
    if (j.reduces_into >= 0)
      out << "\n    reduces into " << j.reduces_into;
  }
  return out.str();
}

} // namespace tacit::tasks
