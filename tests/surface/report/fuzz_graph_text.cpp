// libFuzzer target: any bytes may be given to the reader of the graph text format; what it accepts must
// survive a round trip.
#include "graphs/graph/text.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  tacit::vocabulary::diagnostics problems;
  const auto g = tacit::graphs::read_graph(text, problems);
  if (g.has_value() == tacit::vocabulary::has_errors(problems))
    std::abort();
  if (!g)
    return 0;
  const std::string written = tacit::graphs::write_graph(*g);
  const auto again = tacit::graphs::read_graph(written, problems);
  if (!again || tacit::graphs::write_graph(*again) != written) {
    std::fprintf(stderr, "round trip failed for\n%s", written.c_str());
    std::abort();
  }
  return 0;
}
