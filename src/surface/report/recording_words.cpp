// Text only; every number in it is also a value of the activity.
#include "recordings/meaning/sentences.h"

#include "vocabulary/base/amounts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tacit::recordings {

std::string count_text(std::uint64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string pattern_noun(pattern kind) {
  return std::string(row_of(kind).noun);
}

std::string_view name(activity_kind kind) {
  constexpr std::string_view names[] = {"collective",
                                        "trivial",
                                        "neighbor exchange",
                                        "pairwise exchange",
                                        "exchange with computation",
                                        "pipeline",
                                        "irregular exchange",
                                        "point-to-point"};
  return names[static_cast<int>(kind)];
}

std::string short_algorithm(const std::string& algorithm) {
  const bool several = algorithm.find("the same as") != std::string::npos;
  return algorithm.substr(0, algorithm.find(" (")) + (several ? " or equal" : "");
}

std::string root_rule(const std::vector<std::uint32_t>& roots) {
  if (roots.empty())
    return {};
  std::vector<std::uint32_t> distinct;
  for (const std::uint32_t r : roots)
    if (std::find(distinct.begin(), distinct.end(), r) == distinct.end())
      distinct.push_back(r);
  if (distinct.size() == 1)
    return fmt::format("always {}", distinct[0]);
  // A cycle may start again at its first root (the program solves another problem); that is rare or it is no
  // cycle.
  std::size_t follows = 0, restarts = 0;
  for (std::size_t i = 1; i < roots.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::find(distinct.begin(), distinct.end(), roots[i - 1]) -
                                             distinct.begin());
    if (roots[i] == distinct[(at + 1) % distinct.size()])
      ++follows;
    else if (roots[i] == distinct[0])
      ++restarts;
  }
  const bool cycle =
      follows + restarts == roots.size() - 1 && 4 * restarts <= follows && distinct.size() <= 32;
  return cycle ? fmt::format("cycle {}", fmt::join(distinct, ",")) : "vary";
}

namespace {

std::string range_text(std::uint64_t low, std::uint64_t high) {
  const std::string first = readable_bytes(low), last = readable_bytes(high);
  return first == last ? first : first + " to " + last;
}

std::string where_text(const activity& a, std::size_t group_size, const std::string& shape) {
  std::string noun = "communicator";
  if (shape.starts_with("row "))
    noun = "row communicator";
  if (shape.starts_with("column "))
    noun = "column communicator";
  const std::size_t count = a.communicators.size();
  return fmt::format("on {} of {}{}", count_text(count, noun), count_text(group_size, "rank"),
                     count == 1 && !shape.empty() ? fmt::format(" ({})", shape) : "");
}

std::string plain_title(activity_kind kind, const traffic& t) {
  switch (kind) {
  case activity_kind::trivial:
    return t.self == t.messages ? "messages of a rank to itself" : "messages between two ranks";
  case activity_kind::changed_exchange:
    return "exchange with computation in between";
  default:
    break;
  }
  if (t.self == t.messages)
    return "messages of ranks to themselves";
  if (kind == activity_kind::point_to_point && t.in_rings * 10 >= t.messages * 8)
    return "shift around a ring";
  if (kind == activity_kind::point_to_point && t.in_two_way_rings * 10 >= t.messages * 8)
    return "shift around a ring, both ways";
  if (kind == activity_kind::point_to_point && t.forwarded * 2 > t.messages)
    return "forwarded messages";
  return kind == activity_kind::point_to_point ? "point-to-point messages" : std::string(name(kind));
}

std::string traffic_text(const activity& a, const traffic& t) {
  const std::string partners = t.fewest_partners == t.most_partners
                                   ? count_text(t.most_partners, "partner")
                                   : fmt::format("{} to {} partners", t.fewest_partners, t.most_partners);
  std::string changes =
      fmt::format("{} of {} messages send other content from memory that was received into before", t.changed,
                  t.messages);
  switch (a.kind) {
  case activity_kind::neighbor_exchange:
    return fmt::format("each of {} ranks exchanges again and again with the same {}", t.ranks, partners);
  case activity_kind::pairwise:
    return one_partner_at_a_time(t)
               ? fmt::format("{} ranks exchange with one partner at a time ({} each)", t.ranks, partners)
               : fmt::format("{} ranks with {}, messages go both ways between them", t.ranks, partners);
  case activity_kind::changed_exchange:
    return changes;
  case activity_kind::pipeline:
    return fmt::format(
        "{} ranks receive, compute and send on; {} of {} messages carry other content than was received",
        t.ranks, t.changed, t.messages);
  case activity_kind::irregular:
    return t.wildcards * 2 >= t.messages
               ? fmt::format(
                     "{} of {} messages are received from any source or with any tag; {} ranks with {}",
                     t.wildcards, t.messages, t.ranks, partners)
               : fmt::format("{} ranks with {}, {} distinct sizes, {:.1f} messages per pair", t.ranks,
                             partners, t.sizes, t.rounds);
  default:
    break;
  }
  std::string text = t.self == t.messages ? count_text(t.ranks, "rank")
                                          : fmt::format("{} with {}", count_text(t.ranks, "rank"), partners);
  if (t.changed > 0)
    text += "; " + changes;
  return text;
}

} // namespace

void describe_collective(activity& a, std::size_t group_size, const std::string& shape) {
  if (!a.found)
    return; // no collective
  const std::string noun = pattern_noun(*a.found);
  a.title = a.algorithm.empty() ? noun : fmt::format("{}, {}", noun, short_algorithm(a.algorithm));
  std::string text = fmt::format("{} {}", count_text(a.episodes, noun), where_text(a, group_size, shape));
  if (a.root_rule == several_roots) {
    a.title += " with several roots at once";
    text += ", several roots at once";
  } else if (!a.root_rule.empty())
    text += a.root_rule.starts_with("always") ? ", root " + a.root_rule : ", roots " + a.root_rule;
  if (a.largest > 0)
    text += ", " + range_text(a.smallest, a.largest);
  if (!a.algorithm.empty())
    text += ", algorithm: " + short_algorithm(a.algorithm);
  a.sentence = text;
}

void describe_traffic(activity& a, const traffic& t, std::size_t group_size, const std::string& shape) {
  a.title = plain_title(a.kind, t);
  a.sentence =
      fmt::format("{}: {} of {} {}: {}", a.title, count_text(a.messages, "message"),
                  range_text(a.smallest, a.largest), where_text(a, group_size, shape), traffic_text(a, t));
}

} // namespace tacit::recordings
