// Whatever the installed library offers that concerns messages, by any of its interfaces, has a wrapper: also what its header
// does not declare.
#include "places.h"

#include "vocabulary/calls/dynamic_symbols.h"
#include "vocabulary/calls/symbols.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace tacit;
using namespace tacit::vocabulary;

namespace {

std::vector<std::string> defined_in(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  return mpi_functions_of(image_of_file(std::as_bytes(std::span(bytes)))).defined;
}

/// Open MPI's MPI_Send_f, which stands behind mpi_send_ and is called by nobody else; and extensions of a library.
bool is_left_out(const std::string& name) {
  return name.ends_with("_f") || name.ends_with("_f08") || name.starts_with("MPIX_") ||
         name.starts_with("mpix_");
}

} // namespace

TEST(exports, of_the_library_that_concern_messages_are_wrapped) {
  const std::vector<std::string> wrappers = defined_in(tacit::testing::place("INTERPOSER"));
  const std::vector<std::string> libraries = tacit::testing::places("MPI_LIBRARIES");
  ASSERT_FALSE(libraries.empty());
  for (const std::string& library : libraries) {
    std::size_t seen = 0;
    for (const std::string& name : defined_in(library)) {
      const mpi_symbol meaning = understand_symbol(name);
      const bool of_the_standard = meaning.row || meaning.interface == mpi_interface::mpif;
      if (is_left_out(name) || meaning.profiling || !of_the_standard || !meaning.concerns_messages)
        continue;
      EXPECT_TRUE(std::ranges::binary_search(wrappers, name)) << name << " of " << library;
      ++seen;
    }
    EXPECT_GE(seen, 150u) << library;
  }
}
