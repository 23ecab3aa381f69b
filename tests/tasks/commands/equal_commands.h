// Whether two planners have planned the same.
#pragma once

#include "tasks/commands/planner.h"

#include <gtest/gtest.h>

namespace tacit::tasks {

inline void expect_equal_commands(const std::vector<command>& a, const std::vector<command>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].id, b[i].id);
    ASSERT_EQ(a[i].kind, b[i].kind);
    ASSERT_EQ(a[i].task, b[i].task);
    ASSERT_EQ(a[i].after, b[i].after);
    ASSERT_EQ(a[i].stream_hash, b[i].stream_hash);
    ASSERT_EQ(a[i].chunk, b[i].chunk);
    ASSERT_EQ(a[i].touches == nullptr, b[i].touches == nullptr);
    if (a[i].touches) {
      ASSERT_EQ(*a[i].touches, *b[i].touches);
    }
    ASSERT_EQ(a[i].buffer, b[i].buffer);
    ASSERT_EQ(a[i].peer, b[i].peer);
    ASSERT_EQ(a[i].transfer, b[i].transfer);
    ASSERT_EQ(a[i].what, b[i].what);
    ASSERT_EQ(a[i].members, b[i].members);
    ASSERT_EQ(a[i].sends_to, b[i].sends_to);
    ASSERT_EQ(a[i].receives_from, b[i].receives_from);
    ASSERT_EQ(a[i].exchange == nullptr, b[i].exchange == nullptr);
    if (a[i].exchange) {
      ASSERT_EQ(a[i].number, b[i].number);
      ASSERT_EQ(a[i].partials_of, b[i].partials_of);
      ASSERT_EQ(a[i].exchange->kind, b[i].exchange->kind);
      ASSERT_EQ(a[i].exchange->signature, b[i].exchange->signature);
      ASSERT_EQ(a[i].exchange->parts, b[i].exchange->parts);
    }
  }
}

} // namespace tacit::tasks
