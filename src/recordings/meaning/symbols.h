// Names locations in programs: source line from debug information, else function from the symbol table, else
// the module.
#pragma once

#include "recordings/meaning/messages.h"

#include <cstdint>
#include <memory>
#include <string>

namespace tacit::recordings {

struct source_location {
  std::string function; ///< empty if unknown
  std::uint64_t function_offset = 0;
  std::string file; ///< empty if unknown
  std::uint32_t line = 0;
};

/// Opens each module once; modules that are gone, or were rebuilt since (another build-id), name nothing.
class symbolizer {
public:
  symbolizer();
  ~symbolizer();
  symbolizer(const symbolizer&) = delete;
  symbolizer& operator=(const symbolizer&) = delete;
  source_location find(const location& where);

private:
  struct modules;
  std::unique_ptr<modules> modules_;
};

} // namespace tacit::recordings
