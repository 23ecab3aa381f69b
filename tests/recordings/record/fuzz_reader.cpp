// libFuzzer target: the input is one or more recordings, each preceded by its length (4 bytes), of one run.
#include "recordings/meaning/analysis.h"
#include "recordings/record/reader.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

using namespace tacit;
using namespace tacit::recordings;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  diagnostics problems;
  std::vector<rank_recording> all;
  while (size > 4) {
    std::uint32_t length = 0;
    std::memcpy(&length, data, 4);
    const std::size_t taken = std::min<std::size_t>(length, size - 4);
    if (auto one = read_rank(std::as_bytes(std::span(data + 4, taken)), "input", problems))
      all.push_back(std::move(*one));
    data += 4 + taken;
    size -= 4 + taken;
  }
  const recording_set set = join_ranks(std::move(all), problems);
  const analysis a = analyze(set, problems);
  std::uint64_t messages = 0;
  for (const activity& one : a.activities)
    messages += one.messages;
  if (messages != a.messages)
    __builtin_trap();
  return 0;
}
