// Prints the analysis of a recording folder, one line for each activity, for scripts and people:
//   print_analysis FOLDER
#include "recordings/meaning/analysis.h"
#include "recordings/meaning/survey.h"
#include "surface/report/recording_words.h"
#include "vocabulary/calls/reasons.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

using namespace tacit;
using namespace tacit::recordings;

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: print_analysis FOLDER\n");
    return 2;
  }
  diagnostics problems;
  const std::vector<recordings::recording_file> files = recordings::list_recording(argv[1], problems);
  const recordings::surveyed_run run = recordings::read_run(files, problems);
  const recordings::analysis a = recordings::analyze_run(run, problems);
  fmt::print("{} ranks, {} calls, {} messages, {} B, wall {:.3f} s, cpu {:.3f} s, communication {:.3f} s, "
             "recorder {:.3f} s "
             "(hashing {:.3f} s), complete {}\n",
             a.ranks, a.calls, a.messages, a.bytes, a.wall_seconds, a.cpu_seconds, a.communication_seconds,
             a.recorder_seconds, a.hash_seconds, a.complete);
  for (const recordings::activity& one : a.activities) {
    fmt::print("activity | {} | {} | {} | {} messages | {} B | {:.1f}% | tags {}{} | {}",
               surface::title_of(one), surface::sentence_of(a, one), surface::certainty_of(one), one.messages,
               one.bytes, 100 * one.time_share, fmt::join(one.tags, ","),
               one.distinct_tags > one.tags.size() ? ",…" : "", surface::algorithm_text(one));
    for (const recordings::obstacle what : one.obstacles)
      fmt::print(" | {}", reason_label(code_of(what)));
    for (const std::uint32_t site : one.sites)
      fmt::print(" | {} {}", a.sites[site].call, surface::location_text(a.sites[site]));
    fmt::print("\n");
  }
  for (const recordings::collective_use& use : a.collectives)
    fmt::print("collective | {} | {} | {} calls | {} B | {:.1f}%\n", use.call,
               surface::communicator_name(use.communicator), use.calls, use.bytes, 100 * use.time_share);
  for (const diagnostic& d : problems)
    fmt::print("problem | TACIT-{:03} | {} | {}\n", d.code, d.message, d.remedy);
  return has_errors(problems) ? 1 : 0;
}
