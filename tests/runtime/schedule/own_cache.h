// A folder for what is kept for later runs, so that tests neither find nor leave anything of other runs.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tacit::test {

class own_cache {
public:
  own_cache() {
    std::string name = (std::filesystem::temp_directory_path() / "tacit-cache-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  }
  ~own_cache() { std::filesystem::remove_all(folder); }
  own_cache(const own_cache&) = delete;
  own_cache& operator=(const own_cache&) = delete;
  std::filesystem::path folder;
};

} // namespace tacit::test
