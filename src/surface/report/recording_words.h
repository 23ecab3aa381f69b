// The words of the analysis: titles, sentences and reasons of activities.
#pragma once

#include "recordings/meaning/analysis.h"
#include "recordings/meaning/traffic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tacit::recordings {

/// "427 broadcasts", "1 gather".
std::string count_text(std::uint64_t count, const std::string& noun);
/// "broadcast", "allgather", … and their plurals by count_text.
std::string pattern_noun(pattern kind);

/// What names an algorithm in a title: without explanation, "modified ring or equal" if several are the same
/// on so few ranks.
std::string short_algorithm(const std::string& algorithm);

/// Fills title and sentence of an activity whose other values are complete. `shape` describes its
/// communicators.
void describe_collective(activity& a, std::size_t group_size, const std::string& shape);
void describe_traffic(activity& a, const traffic& t, std::size_t group_size, const std::string& shape);

/// Instead of a rule: one operation has several roots.
inline constexpr const char* several_roots = "several at once";

/// "always 0", "cycle 0,1,2,3" or "vary": of the roots in order of use.
std::string root_rule(const std::vector<std::uint32_t>& roots);

} // namespace tacit::recordings
