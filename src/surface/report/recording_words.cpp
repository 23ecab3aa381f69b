#include "surface/report/recording_words.h"

#include "vocabulary/base/amounts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

namespace tacit::surface {
namespace {

using namespace recordings;

std::string pattern_noun(pattern kind) {
  return std::string(row_of(kind).noun);
}

std::string_view shape_name(broadcast_shape shape) {
  constexpr std::string_view names[] = {"linear",
                                        "ring",
                                        "modified ring",
                                        "two rings",
                                        "modified two rings",
                                        "binomial tree",
                                        "binary tree",
                                        "chain",
                                        "tree",
                                        "spread and roll",
                                        "modified spread and roll",
                                        "pieces along several paths"};
  return names[static_cast<int>(shape)];
}

std::string_view explanation(broadcast_shape shape) {
  switch (shape) {
  case broadcast_shape::spread_and_roll:
    return " (scatter, then ring allgather)";
  case broadcast_shape::modified_spread_and_roll:
    return " (all to the successor; scatter, then ring allgather, of the rest)";
  default:
    return "";
  }
}

std::string range_text(std::uint64_t low, std::uint64_t high) {
  const std::string first = readable_bytes(low), last = readable_bytes(high);
  return first == last ? first : first + " to " + last;
}

/// "row communicator", "column communicator", "communicator".
std::string group_noun(const analysis& a, std::uint32_t communicator) {
  if (communicator < a.communicators.size()) {
    const group_kind kind = a.communicators[communicator].shape.kind;
    if (kind == group_kind::row)
      return "row communicator";
    if (kind == group_kind::column)
      return "column communicator";
  }
  return "communicator";
}

std::string where_text(const analysis& a, const activity& x) {
  const std::uint32_t first = x.communicators.empty() ? 0 : x.communicators[0];
  const std::size_t count = x.communicators.size();
  const bool named = count == 1 && first < a.communicators.size();
  return fmt::format("on {} of {}{}", count_text(count, group_noun(a, first)),
                     count_text(x.group_size, "rank"),
                     named ? fmt::format(" ({})", shape_text(a.communicators[first])) : "");
}

std::string collective_title(const activity& x) {
  std::string title = pattern_noun(*x.found);
  if (x.algorithm)
    title += ", " + short_algorithm(*x.algorithm);
  if (x.rule.is == root_rule::kind::several)
    title += " with several roots at once";
  return title;
}

std::string collective_sentence(const analysis& a, const activity& x) {
  std::string text = fmt::format("{} {}", count_text(x.episodes, pattern_noun(*x.found)), where_text(a, x));
  switch (x.rule.is) {
  case root_rule::kind::unrooted:
    break;
  case root_rule::kind::always:
    text += ", root " + rule_text(x.rule);
    break;
  case root_rule::kind::several:
    text += ", several roots at once";
    break;
  default:
    text += ", roots " + rule_text(x.rule);
    break;
  }
  if (x.largest > 0)
    text += ", " + range_text(x.smallest, x.largest);
  if (x.algorithm)
    text += ", algorithm: " + short_algorithm(*x.algorithm);
  if (x.evidence && x.evidence->sparse > 0)
    text += x.evidence->sparse == x.evidence->episodes
                ? "; some ranks have nothing for each other"
                : fmt::format("; in {} of them some ranks have nothing for each other", x.evidence->sparse);
  return text;
}

std::string traffic_title(activity_kind kind, const traffic& t) {
  switch (kind) {
  case activity_kind::trivial:
    return t.self == t.messages ? "messages of a rank to itself" : "messages between two ranks";
  case activity_kind::changed_exchange:
    return "exchange, perhaps with computation in between";
  case activity_kind::pipeline:
    return "pipeline by its memory";
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

/// What messages of a shape could be, and the call that would say so.
struct shape_words {
  std::string_view noun;
  std::string_view call;
  std::vector<std::string_view> names; ///< one of these it is, if it is one
};
std::string_view article_of(std::string_view noun) {
  return noun.find_first_of("aeiou") == 0 ? "an" : "a";
}

const shape_words& words_of(message_shape shape) {
  static const shape_words all[] = {
      {"", "", {}},
      {"reduction along a tree", "MPI_Reduce", {"reduce"}},
      {"gather or reduction", "MPI_Gather or MPI_Reduce", {"gather", "reduce"}},
      {"chain from rank to rank (scan, reduction or pipeline)",
       "MPI_Scan, MPI_Exscan or MPI_Reduce",
       {"scan", "exscan", "reduce", "pipeline"}},
      {"allreduce", "MPI_Allreduce", {"allreduce"}},
      {"reduce-scatter", "MPI_Reduce_scatter", {"reduce_scatter"}},
      {"scan", "MPI_Scan or MPI_Exscan", {"scan", "exscan"}}, // what is added at the end is in no message
      {"gather of different lengths", "MPI_Gatherv", {"gatherv"}},
      {"alltoall", "MPI_Alltoall", {"alltoall"}},
      {"alltoall of different lengths", "MPI_Alltoallv", {"alltoallv"}},
      {"alltoall or reduce-scatter",
       "MPI_Alltoall or, if each rank adds up what arrives, MPI_Reduce_scatter_block",
       {"alltoall", "reduce_scatter"}},
      {"alltoall of different lengths or reduce-scatter",
       "MPI_Alltoallv or, if each rank adds up what arrives, MPI_Reduce_scatter",
       {"alltoallv", "reduce_scatter"}},
      {"allgather or allreduce",
       "MPI_Allgather or, if each rank adds up what arrives, MPI_Allreduce",
       {"allgather", "allreduce"}},
  };
  return all[static_cast<int>(shape)];
}

std::string doubted_title(const doubted_collective& d) {
  if (d.why != doubt::tiny)
    return pattern_noun(d.kind) + " by its shape";
  const bool tree = d.algorithm && d.algorithm->shape != broadcast_shape::pieces;
  return tree ? "small messages along a tree" : "small messages, passed on";
}

std::string traffic_text(activity_kind kind, const traffic& t) {
  const std::string partners = t.fewest_partners == t.most_partners
                                   ? count_text(t.most_partners, "partner")
                                   : fmt::format("{} to {} partners", t.fewest_partners, t.most_partners);
  std::string changes =
      fmt::format("{} of {} messages send other content from memory that was received into before", t.changed,
                  t.messages);
  switch (kind) {
  case activity_kind::neighbor_exchange:
    return fmt::format("each of {} ranks exchanges again and again with the same {}", t.ranks, partners);
  case activity_kind::pairwise:
    return one_partner_at_a_time(t)
               ? fmt::format("{} ranks exchange with one partner at a time ({} each)", t.ranks, partners)
               : fmt::format("{} ranks with {}, messages go both ways between them", t.ranks, partners);
  case activity_kind::changed_exchange:
    return changes;
  case activity_kind::pipeline:
    return fmt::format("{}: {} ranks receive, compute and send on, or use their memory again", changes,
                       t.ranks);
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

std::string traffic_sentence(const analysis& a, const activity& x, const traffic& t) {
  std::string text =
      fmt::format("{}: {} of {} {}: {}", title_of(x), count_text(x.messages, "message"),
                  range_text(x.smallest, x.largest), where_text(a, x), traffic_text(x.kind, t));
  if (x.doubted)
    text += fmt::format(", in the shape of {}", count_text(x.episodes, pattern_noun(x.doubted->kind)));
  if (x.shape != message_shape::no_shape)
    text += fmt::format(", {} in this shape", count_text(x.episodes, "round"));
  return text;
}

std::string evidence_text(const activity& x, obstacle what) {
  const collective_evidence seen = x.evidence.value_or(collective_evidence{});
  const std::string all = count_text(seen.episodes, pattern_noun(x.found.value_or(pattern::bcast)));
  if (what == obstacle::probed_operations)
    return fmt::format("The program probes for the messages of {} of {} ({}).", seen.probed, all,
                       count_text(seen.probes, "probe"));
  return fmt::format("{} of {} use a receive from any source or with any tag.", seen.wildcards, all);
}

std::string doubt_text(const activity& x) {
  const std::string noun = pattern_noun(x.doubted ? x.doubted->kind : pattern::bcast);
  if (x.doubted && x.doubted->why == doubt::tiny)
    return fmt::format("It has the shape of {}, but blocks of {} that are this small or never "
                       "change look alike by chance.",
                       count_text(x.episodes, noun), readable_bytes(x.largest));
  std::string text =
      fmt::format("It has the shape of {}, but a rank contributes after it got data of others, so its part "
                  "may depend on theirs. Only if it does not, {} would do the same.",
                  count_text(x.episodes, noun), row_of(x.doubted ? x.doubted->kind : pattern::bcast).call);
  if (x.moved && x.moved->empty > 0)
    text += fmt::format(" {} carry no data; the call would not make anybody wait for these.",
                        count_text(x.moved->empty, "message"));
  return text;
}

/// What arrives one after the other in one place may only be added up.
std::string reduction_without_room(const replacement& r) {
  std::string_view call;
  switch (r.collective.value_or(pattern::bcast)) {
  case pattern::allgather:
    call = "MPI_Allreduce";
    break;
  case pattern::alltoall:
    call = "MPI_Reduce_scatter_block";
    break;
  case pattern::gather:
    call = "MPI_Reduce";
    break;
  default:
    return "";
  }
  return fmt::format(" (if it only adds them up, {} needs none)", call);
}

} // namespace

std::string_view name(activity_kind kind) {
  constexpr std::string_view names[] = {"collective",
                                        "trivial",
                                        "neighbor exchange",
                                        "pairwise exchange",
                                        "exchange with computation",
                                        "pipeline",
                                        "unrecognised exchange",
                                        "point-to-point"};
  return names[static_cast<int>(kind)];
}

std::string algorithm_text(const broadcast_algorithm& algorithm) {
  const auto named = [&](broadcast_shape shape) {
    return fmt::format("{}{}", algorithm.backward ? "backward " : "", shape_name(shape));
  };
  std::string text = (algorithm.pipelined ? "pipelined " : "") + named(algorithm.shape);
  if (algorithm.same_as.empty())
    return text + std::string(explanation(algorithm.shape));
  std::vector<std::string> equal;
  std::transform(algorithm.same_as.begin(), algorithm.same_as.end(), std::back_inserter(equal), named);
  return text + fmt::format(" (on {} ranks the same as {})", algorithm.ranks, fmt::join(equal, ", "));
}

std::string short_algorithm(const broadcast_algorithm& algorithm) {
  const std::string text = algorithm_text(algorithm);
  return text.substr(0, text.find(" (")) + (algorithm.same_as.empty() ? "" : " or equal");
}

std::string algorithm_text(const activity& x) {
  return x.algorithm ? algorithm_text(*x.algorithm) : "";
}

std::string rule_text(const root_rule& rule) {
  switch (rule.is) {
  case root_rule::kind::unrooted:
    return "";
  case root_rule::kind::always:
    return fmt::format("always {}", rule.cycle.at(0));
  case root_rule::kind::in_turn:
    return fmt::format("cycle {}", fmt::join(rule.cycle, ","));
  case root_rule::kind::vary:
    return "vary";
  case root_rule::kind::several:
    return "several at once";
  }
  return "";
}

std::string title_of(const activity& x) {
  if (x.found)
    return collective_title(x);
  if (x.shape != message_shape::no_shape)
    return std::string(words_of(x.shape).noun) + " by its shape";
  return x.doubted ? doubted_title(*x.doubted) : traffic_title(x.kind, x.moved.value_or(traffic{}));
}

std::string sentence_of(const analysis& a, const activity& x) {
  return x.found ? collective_sentence(a, x) : traffic_sentence(a, x, x.moved.value_or(traffic{}));
}

std::string certainty_of(const activity& x) {
  const bool assumed = x.evidence && x.evidence->assumed_unchanged;
  return fmt::format("observed in this run{}",
                     assumed ? ", assuming that memory sent twice in one operation did not change in between"
                             : "");
}

std::string detail_of(const analysis& a, const activity& x, obstacle what) {
  const traffic t = x.moved.value_or(traffic{});
  switch (what) {
  case obstacle::probed_operations:
  case obstacle::wildcard_operations:
    return evidence_text(x, what);
  case obstacle::observed_only:
    return "Seen in this run; a recording cannot prove that every run does the same.";
  case obstacle::one_or_two_ranks:
    return fmt::format("The communicator has {}: a collective would be the same messages.",
                       t.self == t.messages ? "one rank" : "two ranks");
  case obstacle::fixed_partners:
    return fmt::format("Each rank has at most {} and keeps them, as in a halo exchange.",
                       count_text(t.most_partners, "partner"));
  case obstacle::pairs:
    return one_partner_at_a_time(t)
               ? "Two ranks exchange at a time; what the next exchange sends may depend on it. No collective "
                 "was recognised that the exchanges are steps of."
               : "Messages go both ways between pairs of ranks; no collective was recognised in them.";
  case obstacle::changed_content:
    return fmt::format("{} of {} send other bytes from memory that was received into before: computation "
                       "lies in between, or the memory is used again.",
                       t.changed, count_text(t.messages, "message"));
  case obstacle::computed_on_the_way:
    return fmt::format("{} of {} send other bytes from memory that was received into before.", t.changed,
                       count_text(t.messages, "message"));
  case obstacle::changing_partners:
    return fmt::format("No round was recognised that repeats: {:.1f} messages per pair of ranks, {}.",
                       t.rounds, count_text(t.sizes, "distinct size"));
  case obstacle::only_forwarded:
    return fmt::format(
        "{} of {} pass on what their sender had received; no block was seen to reach the whole group.",
        t.forwarded, count_text(t.messages, "message"));
  case obstacle::no_pattern:
    return a.hashing ? "No pattern was recognised; most carry nothing that was seen to arrive before."
                     : "Contents were not compared, so collectives were not searched for.";
  case obstacle::wildcard_messages:
    return fmt::format("{} of {} are received from any source or with any tag.", t.wildcards,
                       count_text(t.messages, "message"));
  case obstacle::probed_messages:
    return "The program probes for messages on this communicator and tag.";
  case obstacle::small_or_constant:
  case obstacle::foreign_data_first:
    return doubt_text(x);
  case obstacle::computed_unseen:
    return fmt::format(
        "Partners, sizes and order are those of {} {}; what is computed in between is not in a "
        "recording. Only if it is that, {} would do the same.",
        article_of(words_of(x.shape).noun), words_of(x.shape).noun, words_of(x.shape).call);
  case obstacle::carried_on:
    return "A rank sends bytes that it received in the same round: one neighborhood collective for the round "
           "would send old values.";
  case obstacle::no_fixed_round:
    return "The messages repeat in no order that is the same on all ranks, so no single call is known to "
           "stand for a round of them.";
  }
  return "";
}

std::string call_text(const analysis& a, const replacement& r) {
  if (!r.collective)
    return "MPI_Neighbor_alltoallv on a distributed graph topology";
  return fmt::format("{}{} on a {}", r.calls > 1 ? fmt::format("{} × ", r.calls) : "",
                     row_of(*r.collective).call, group_noun(a, r.communicator));
}

std::vector<std::string> shapes_of(const activity& x) {
  const auto& names = words_of(x.shape).names;
  std::vector<std::string> all(names.begin(), names.end());
  if (x.doubted)
    all.emplace_back(vocabulary::name(x.doubted->kind));
  return all;
}

std::string condition_of(const replacement& r) {
  std::string text;
  if (r.if_independent)
    text = "if nothing that a rank sends depends on what the same round brought it before; the recording "
           "cannot see what is computed in between";
  if (r.if_separate)
    text += std::string(text.empty() ? "" : "; ") +
            "with separate buffers for sending and receiving, which overlap here";
  const auto add = [&](bool needed, const std::string& what) {
    if (needed)
      text += (text.empty() ? "" : "; ") + what;
  };
  add(r.if_unheard, "if nothing that a rank sends depends on what the same round brought another one before, "
                    "of which other messages or calls "
                    "may have told it");
  add(r.if_in_time, "if every rank makes the call before it waits for one that has made it: here some rank "
                    "may begin after it heard "
                    "of what another one got");
  add(r.if_no_signals,
      "if nobody has to wait for the messages without data: the call makes nobody wait for these");
  add(r.if_in_one_array,
      "with all blocks in one array before the call, a copy more: here a rank sends several from "
      "the same memory, one after the other");
  add(r.if_room,
      "with room for the blocks of all ranks: here a rank receives several into the same memory, one "
      "after the other" +
          reduction_without_room(r));
  add(r.if_in_order, "with the blocks side by side in the order of the ranks, which they are not here");
  return text;
}

std::string end_text(const analysis& a, const rank_end& end) {
  const std::string when = fmt::format("rank {}, {} after the first rank's MPI_Init, ", index(end.rank),
                                       readable_seconds(end.seconds));
  if (end.site >= a.sites.size())
    return when + "before any call";
  const call_site& site = a.sites[end.site];
  if (!end.inside)
    return when + fmt::format("outside MPI, after {} at {}", site.call, location_text(site));
  const std::string peer = end.peer == no_rank ? "" : fmt::format(" with rank {}", index(end.peer));
  return when + fmt::format("in {}{} at {}", site.call, peer, location_text(site));
}

std::string same_lines_text(const analysis& a, const activity& x) {
  constexpr std::size_t most = 3;
  std::size_t others = 0;
  std::string text;
  for (const activity& other : a.activities) {
    const bool shares = std::any_of(other.sites.begin(), other.sites.end(), [&](std::uint32_t site) {
      return std::find(x.sites.begin(), x.sites.end(), site) != x.sites.end();
    });
    if (&other == &x || !shares || ++others > most)
      continue;
    text += (text.empty() ? "" : "; ") + title_of(other) +
            (other.found ? fmt::format(" ({} times)", other.episodes)
                         : fmt::format(" ({})", count_text(other.messages, "message")));
  }
  return others > most ? text + fmt::format("; and {} more", others - most) : text;
}

std::string callers_text(const analysis& a, const activity& x) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, x.called_from.size()); ++i) {
    text += i == 0 ? "" : "; ";
    for (std::size_t k = 0; k < x.called_from[i].size(); ++k)
      text += (k == 0 ? "" : ", from ") + location_text(a.callers[x.called_from[i][k]]);
  }
  return x.called_from.size() > most ? text + fmt::format("; and {} more", x.called_from.size() - most)
                                     : text;
}

std::string communicator_name(std::size_t number) {
  return number == 0 ? "world" : fmt::format("communicator {}", number);
}

std::string shape_text(const communicator_summary& c) {
  const group_shape& s = c.shape;
  switch (s.kind) {
  case group_kind::all:
    return "all ranks";
  case group_kind::reordered:
    return "all ranks, reordered";
  case group_kind::row:
    return fmt::format("row {} of a {}x{} grid", s.number, s.rows, s.columns);
  case group_kind::column:
    return fmt::format("column {} of a {}x{} grid", s.number, s.rows, s.columns);
  case group_kind::some:
    break;
  }
  std::vector<std::uint32_t> shown;
  for (const rank_id r : c.members)
    if (shown.size() < 16)
      shown.push_back(static_cast<std::uint32_t>(index(r)));
  return fmt::format("{} {}{}", c.members.size() == 1 ? "rank" : "ranks", fmt::join(shown, ","),
                     shown.size() < c.members.size() ? ",…" : "");
}

std::string location_text(const call_site& site) {
  if (site.module.empty())
    return "an unknown location";
  if (!site.file.empty()) {
    const std::string file = std::filesystem::path(site.file).filename().string();
    return site.function.empty() ? fmt::format("{}:{}", file, site.line)
                                 : fmt::format("{}:{} ({})", file, site.line, site.function);
  }
  if (!site.function.empty())
    return fmt::format("{}+{:#x} ({})", site.function, site.function_offset, site.module);
  return fmt::format("{}+{:#x}", site.module, site.offset);
}

} // namespace tacit::surface
