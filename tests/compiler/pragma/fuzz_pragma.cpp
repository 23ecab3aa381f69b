// libFuzzer target: any bytes may stand behind `#pragma mpi`; what is accepted must survive being written and read again.
#include "compiler/pragma/parse.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tacit::compiler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const parsed_pragma read = parse_pragma(text);
  if (!read.says) {
    if (read.wrong.problem.empty() || read.wrong.expected.empty() || read.wrong.at > size)
      std::abort();
    return 0;
  }
  const std::string written = write_pragma(*read.says);
  const parsed_pragma again = parse_pragma(written);
  if (!again.says || write_pragma(*again.says) != written) {
    std::fprintf(stderr, "reads otherwise than it was written: %s (%s)\n", written.c_str(),
                 again.wrong.problem.c_str());
    std::abort();
  }
  return 0;
}
