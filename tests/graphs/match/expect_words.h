// What the tests of this room share.
#pragma once

#include "vocabulary/base/ids.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

constexpr tacit::vocabulary::rank_id r0{0}, r1{1}, r2{2};

/// The text of a diagnostic names all of these.
inline void expect_words(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' not in: " << text;
}
