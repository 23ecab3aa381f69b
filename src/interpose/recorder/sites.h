// Which module and offset does a code address belong to? Addresses change from run to run, build-id and
// offset do not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::interpose {

struct loaded_module {
  std::uint64_t base = 0;  ///< load address; offsets count from it
  std::uint64_t begin = 0; ///< first and past-the-last address of its segments
  std::uint64_t end = 0;
  std::string path;
  std::vector<unsigned char> build_id; ///< empty if the module has none
};

/// The module that holds this address (code or data), among those loaded now; base 0 and empty path if none
/// does.
loaded_module find_module(std::uint64_t address);

} // namespace tacit::interpose
