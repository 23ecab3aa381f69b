// The call table is complete in itself: names and roles are known, and a call has the parameters of its
// blocking twin.
#include "vocabulary/calls/mpi_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace tacit;
using namespace tacit::vocabulary;

namespace {

std::vector<param_role> without(std::vector<param_role> roles, std::initializer_list<param_role> dropped) {
  std::erase_if(roles,
                [&](param_role r) { return std::find(dropped.begin(), dropped.end(), r) != dropped.end(); });
  return roles;
}

} // namespace

TEST(mpi_calls, names_are_unique_and_found) {
  std::set<std::string_view> seen;
  for (const call_row& row : call_rows()) {
    EXPECT_TRUE(seen.insert(row.name).second) << row.name;
    EXPECT_EQ(find_call(row.name), &row);
    EXPECT_EQ(find_call(row.name.substr(4)), &row);
    EXPECT_EQ(find_call(static_cast<std::uint16_t>(row.id)), &row);
  }
  EXPECT_EQ(find_call("MPI_Nonsense"), nullptr);
  EXPECT_EQ(find_call(std::uint16_t{0}), nullptr);
  EXPECT_EQ(find_call(static_cast<std::uint16_t>(call_rows().size() + 1)), nullptr);
}

// Recordings carry these numbers: whoever changes one breaks every recording there is.
TEST(mpi_calls, numbers_are_stable) {
  EXPECT_EQ(static_cast<int>(mpi_call::Init), 1);
  EXPECT_EQ(static_cast<int>(mpi_call::Send), 8);
  EXPECT_EQ(static_cast<int>(mpi_call::Waitall), 38);
  EXPECT_EQ(static_cast<int>(mpi_call::Alltoallw), 49);
  EXPECT_EQ(static_cast<int>(mpi_call::Comm_split), 122);
  EXPECT_EQ(static_cast<int>(mpi_call::Type_free), 152);
  EXPECT_EQ(static_cast<int>(mpi_call::Win_wait), 238);
}

TEST(mpi_calls, every_role_name_is_known) {
  for (const call_row& row : call_rows()) {
    const auto roles = parameter_roles(row);
    const auto blanks = std::count(row.roles.begin(), row.roles.end(), ' ');
    EXPECT_EQ(roles.size(), row.roles.empty() ? 0 : static_cast<std::size_t>(blanks) + 1) << row.name;
    const auto others = std::count(roles.begin(), roles.end(), param_role::other);
    const auto said = row.roles.empty() ? 0 : [&] {
      std::ptrdiff_t n = 0;
      for (std::size_t at = 0; (at = row.roles.find("other", at)) != std::string_view::npos; ++at)
        ++n;
      return n;
    }();
    EXPECT_EQ(others, said) << row.name << ": a role without meaning";
  }
}

TEST(mpi_calls, messages_have_no_parameter_without_a_role) {
  for (const call_row& row : call_rows())
    if (row.kind >= call_class::send && row.kind <= call_class::neighbor_init) {
      EXPECT_EQ(row.roles.find("other"), std::string_view::npos) << row.name;
    }
}

TEST(mpi_calls, nonblocking_and_persistent_calls_have_the_parameters_of_their_blocking_twin) {
  int compared = 0;
  for (const call_row& row : call_rows()) {
    if (row.twin == mpi_call::none || row.kind == call_class::complete)
      continue;
    const call_row* twin = find_call(static_cast<std::uint16_t>(row.twin));
    ASSERT_NE(twin, nullptr) << row.name;
    using enum param_role;
    const auto dropped = {new_request, info, status, flag};
    EXPECT_EQ(without(parameter_roles(row), dropped), without(parameter_roles(*twin), dropped)) << row.name;
    ++compared;
  }
  EXPECT_GE(compared, 60);
}

TEST(mpi_calls, direction_follows_from_the_role) {
  const call_row* recv = find_call("MPI_Recv");
  ASSERT_NE(recv, nullptr);
  const auto roles = parameter_roles(*recv);
  ASSERT_EQ(roles.size(), 7u);
  EXPECT_TRUE(is_buffer(roles[0]) && writes(roles[0]));
  EXPECT_FALSE(writes(roles[1]));
  EXPECT_TRUE(writes(roles[6]));
  EXPECT_FALSE(writes(parameter_roles(*find_call("MPI_Send"))[0]));
}
