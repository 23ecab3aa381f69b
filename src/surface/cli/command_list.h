// What the command line offers, as plain values read off the description that parses it. The manual page, the
// completions of the shells and "did you mean" are made of this list, so that none of them can differ from
// the parser.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App; // NOLINT(readability-identifier-naming): CLI11's name
} // namespace CLI

namespace tacit::surface {

struct option_entry {
  std::vector<std::string> names;   ///< with their dashes, short ones first; empty: a word without a name
  std::string value;                ///< what follows it, for example "TEXT"; empty: nothing
  std::vector<std::string> choices; ///< all values it takes, if they are words
  std::string what;
};

struct command_entry {
  std::string path; ///< "bench neighbor"; empty for `tacit` itself
  std::string what, footer;
  std::vector<option_entry> options, words;
  std::vector<command_entry> below;

  /// Its last word.
  std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

/// Says what the argument `value` of the command at `path`, or its option of that name, may be.
void offer(command_entry& top, const std::string& path, const std::string& value,
           std::vector<std::string> choices);

/// `tacit` with all its commands, without the hidden ones.
command_entry list_commands(CLI::App& app);

/// The command and all below it, in the order of their description.
std::vector<const command_entry*> flatten(const command_entry& top);

} // namespace tacit::surface
