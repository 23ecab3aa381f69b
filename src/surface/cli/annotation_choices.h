// The options by which a user decides what pragmas leave open: those of `tacit transform`, and of the compilers with --annotations.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App; // NOLINT(readability-identifier-naming): CLI11's name
} // namespace CLI

namespace tacit::surface {

struct annotation_choice {
  std::string name;               ///< --pipeline
  std::vector<std::string> words; ///< its values; none: a number, or a flag without a value
  bool is_number = false;
  std::uint64_t least = 0; ///< such a number
  std::string what;
};

const std::vector<annotation_choice>& annotation_choices();

/// The choice that a word of a command line makes (--pipeline=puts, --coherent); null if it is about something else. Throws user_error if
/// its value is none.
const annotation_choice* choice_in(const std::string& word);

/// Adds the options to a command; their words, as tacit-transform takes them, are found in `chosen` when it has been read.
void add_annotation_choices(CLI::App& to, std::vector<std::string>& chosen);

/// Throws user_error if the words contradict each other.
void expect_one_memory(const std::vector<std::string>& chosen);

} // namespace tacit::surface
