#include "graphs/platform/kept_file.h"

#include <array>
#include <cctype>
#include <cstdlib>
#include <unistd.h>

namespace tacit::graphs {

namespace fs = std::filesystem;

fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache && *cache == '/')
    return fs::path(cache) / "tacit";
  return home && *home ? fs::path(home) / ".cache" / "tacit" : fs::path();
}

std::string host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

fs::path kept_file(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.')
      c = '-';
  const fs::path folder = cache_folder();
  return folder.empty() ? folder : folder / name;
}

} // namespace tacit::graphs
