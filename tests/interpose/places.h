// Where the programs under test lie and how they are started: environment variables that CMake gives each test. So the tests
// themselves are compiled once for both MPI libraries.
#pragma once

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tacit::testing {

inline bool has_place(const char* name) {
  const char* const value = std::getenv(name);
  return value && *value;
}

/// Throws std::runtime_error where the variable is missing: ctest sets them.
inline std::string place(const char* name) {
  if (!has_place(name))
    throw std::runtime_error(std::string("the environment variable ") + name +
                             " is missing: run the test by ctest");
  return std::getenv(name);
}

/// Those that the variable lists with colons between them; none where it is missing.
inline std::vector<std::string> places(const char* name) {
  std::vector<std::string> found;
  std::istringstream all(has_place(name) ? std::getenv(name) : "");
  for (std::string one; std::getline(all, one, ':');)
    found.push_back(one);
  return found;
}

} // namespace tacit::testing
