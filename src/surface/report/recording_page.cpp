#include "surface/report/recording_page.h"

#include "graphs/platform/model_file.h"
#include "surface/report/recording_words.h"
#include "surface/report/wrap.h"

#include <algorithm>
#include <fmt/format.h>

namespace tacit::surface {
namespace {

/// Share of the processes' time between MPI_Init and MPI_Finalize that went into MPI.
double mpi_share(const recordings::analysis& a) {
  return a.program_seconds > 0 ? std::min(1.0, a.communication_seconds / a.program_seconds) : 0;
}

/// Of a sum over the ranks: what stands beside wall times must be of one rank.
double on_average(const recordings::analysis& a, double seconds) {
  return a.recorded_ranks > 0 ? seconds / a.recorded_ranks : 0;
}

double collectives_share(const recordings::analysis& a) {
  double share = 0;
  for (const recordings::collective_use& c : a.collectives)
    share += c.time_share;
  return share;
}

std::string capitalized(std::string text) {
  if (!text.empty())
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string whole_sentence(const recordings::analysis& a, const recordings::activity& x) {
  const std::string text = capitalized(sentence_of(a, x));
  return text.ends_with('.') ? text : text + '.';
}

std::string library_name(const std::string& library) {
  const std::string text = graphs::short_library_name(library);
  return text.empty() ? "MPI" : text;
}

std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// Calls whose effect is not modelled, if they are more than a few.
void add_unmodelled(page& p, const recordings::analysis& a) {
  const auto share = [](double part, double all) { return all > 0 ? part / all : 0; };
  const double calls = share(static_cast<double>(a.unmodelled_calls), static_cast<double>(a.calls));
  const double time = share(a.unmodelled_seconds, a.communication_seconds);
  constexpr double worth_saying = 0.01;
  if (calls < worth_saying && time < worth_saying)
    return;
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(a.unmodelled_names.size(), 4); ++i)
    names += (i == 0 ? "" : ", ") + a.unmodelled_names[i];
  p.headlines.push_back(
      fmt::format("{} of {} calls, {} of the MPI time, are outside the model ({}{}): what they move is in "
                  "no number here.",
                  grouped(a.unmodelled_calls), grouped(a.calls), percent(time), names,
                  a.unmodelled_names.size() > 4 ? ", …" : ""));
}

/// Messages that are in no sum: the report must not read as if there were none.
void add_outside(page& p, const recordings::analysis& a) {
  if (a.outside_sends + a.outside_receives > 0)
    p.headlines.push_back(
        fmt::format("{} with {} and {} more are over intercommunicators or with processes "
                    "outside MPI_COMM_WORLD: they are in no number here but that of MPI time.",
                    counted(a.outside_sends, "send"), readable_bytes(a.outside_bytes),
                    counted(a.outside_receives, "receive")));
}

/// What is only in the sums, and in no card.
std::string without_example(const recordings::analysis& a) {
  return a.without_example == 0
             ? std::string()
             : fmt::format(" {} of {} messages look like none before: they are in the sums alone.",
                           grouped(a.without_example), grouped(a.messages));
}

/// A recording with a limit.
void add_limit(page& p, const recordings::analysis& a) {
  if (a.counted_calls > 0)
    p.headlines.push_back(fmt::format(
        "The recording reached its limit after {}: {} of {} calls are only counted. Sums are exact; what "
        "later messages mean is taken from earlier ones of the same shape.{}",
        readable_seconds(a.counting_from_seconds), grouped(a.counted_calls), grouped(a.calls),
        without_example(a)));
}

/// A long run whose messages do not repeat.
void add_kept_part(page& p, const recordings::analysis& a) {
  if (a.kept_until_seconds > 0)
    p.headlines.push_back(fmt::format("Few messages look like earlier ones: those of the first {} are looked "
                                      "at. Sums are exact; what later "
                                      "messages mean is taken from these.{}",
                                      readable_seconds(a.kept_until_seconds), without_example(a)));
}

/// Ranks that called MPI_Abort, or were seen last outside MPI, ended by themselves; others were waiting.
void add_ends(page& p, const recordings::analysis& a) {
  if (a.ends.empty())
    return;
  const auto by_itself = [](const recordings::rank_end& e) { return e.aborted || !e.inside; };
  auto first =
      std::find_if(a.ends.begin(), a.ends.end(), [](const recordings::rank_end& e) { return e.aborted; });
  if (first == a.ends.end())
    first = std::find_if(a.ends.begin(), a.ends.end(), by_itself);
  p.headlines.push_back(
      first == a.ends.end()
          ? fmt::format("Every rank that did not finish was in a call that did not return; first {}.",
                        end_text(a, a.ends.front()))
          : fmt::format("Ended first, as far as is recorded: {}.", end_text(a, *first)));
}

table ends_table(const recordings::analysis& a) {
  table t{.title = "Where ranks ended that did not reach MPI_Finalize",
          .note = "In the order in which they were last seen.",
          .head = {"rank", "call", "place", "seen last"},
          .rows = {}};
  for (const recordings::rank_end& e : a.ends) {
    const bool known = e.site < a.sites.size();
    t.rows.push_back({fmt::format("{}", index(e.rank)),
                      !known ? "" : (e.inside ? "in " : "after ") + a.sites[e.site].call,
                      known ? location_text(a.sites[e.site]) : "", readable_seconds(e.seconds)});
  }
  return t;
}

/// What another way of running the program would do for its neighborhood collectives.
void add_headline_of_neighborhoods(page& p, const recordings::analysis& a) {
  double share = 0;
  std::uint64_t operations = 0;
  for (const recordings::collective_use& one : a.collectives)
    if (one.call.find("_Neighbor_") != std::string::npos)
      operations += one.calls, share += one.time_share;
  if (operations > 0)
    p.headlines.push_back(fmt::format(
        "{} of the MPI time is in {}: 'tacit run --apply' does these without a change of the program.",
        percent(share), counted(operations, "neighborhood collective")));
}

/// A chain may as well be a pipeline, in which no collective is hidden; small blocks look alike by chance.
bool has_shape_of_collective(const recordings::activity& x) {
  return (x.shape != recordings::message_shape::no_shape && x.shape != recordings::message_shape::chain) ||
         (x.doubted && x.doubted->why == recordings::doubt::dependent);
}

/// Which collectives the messages are: by what they carry, or only by the shape of their exchange.
void add_headlines_of_patterns(page& p, const recordings::analysis& a) {
  std::uint64_t found = 0, shapes = 0;
  double share_of_found = 0, share_of_shapes = 0;
  for (const recordings::activity& x : a.activities)
    if (x.found)
      ++found, share_of_found += x.time_share;
    else if (has_shape_of_collective(x))
      ++shapes, share_of_shapes += x.time_share;
  if (found > 0)
    p.headlines.push_back(fmt::format("{} by hand out of messages: {} of the MPI time.",
                                      found == 1 ? "One collective is written"
                                                 : fmt::format("{} collectives are written", found),
                                      percent(share_of_found)));
  else if (a.messages > 0 && !a.hashing)
    p.headlines.emplace_back(
        "Contents were not compared, so collectives among the messages were not searched for.");
  else if (shapes > 0)
    p.headlines.push_back(fmt::format(
        "{} the shape of a collective, by partners, sizes and order alone: {} of the MPI time.",
        shapes == 1 ? "One pattern has" : fmt::format("{} patterns have", shapes), percent(share_of_shapes)));
  else if (a.messages > 0)
    p.headlines.emplace_back(
        "No collective was recognised among the messages. That is no proof that there is none: "
        "TACIT-050 says what is not searched for.");
}

/// Time that stands at no message and no collective: making communicators, probes, tests that find nothing.
void add_other_calls(page& p, const recordings::analysis& a) {
  constexpr double worth_saying = 0.1;
  const double share =
      a.communication_seconds > 0 ? (a.other_seconds - a.unmodelled_seconds) / a.communication_seconds : 0;
  if (share >= worth_saying)
    p.headlines.push_back(fmt::format(
        "{} of the MPI time is in calls that are no part of a {} or a "
        "collective: the report's call sites say which.",
        percent(share),
        a.outside_sends + a.outside_receives > 0 ? "message between ranks of MPI_COMM_WORLD" : "message"));
}

void add_headlines(page& p, const recordings::analysis& a) {
  if (a.recorded_ranks == 0) {
    p.headlines.emplace_back("Nothing was recorded: the program made no MPI call that tacit could see.");
    return;
  }
  // A call that never returned has no time: a rank that hung was in MPI all the same.
  std::string first = fmt::format("{}{} spent {} of {} in MPI: {} with {}",
                                  a.ends.empty() ? "" : "In calls that returned, ", file_name(a.program),
                                  percent(mpi_share(a)), readable_seconds(on_average(a, a.program_seconds)),
                                  counted(a.messages, "message"), readable_bytes(a.bytes));
  const double calls = collectives_share(a);
  p.headlines.push_back(
      first + (a.collectives.empty()
                   ? "."
                   : fmt::format(", and collective calls that take {} of the MPI time.", percent(calls))));
  add_headline_of_neighborhoods(p, a);
  add_headlines_of_patterns(p, a);
  add_other_calls(p, a);
  add_limit(p, a);
  add_kept_part(p, a);
  add_unmodelled(p, a);
  add_outside(p, a);
  add_ends(p, a);
  if (!a.complete)
    p.headlines.emplace_back(a.recorded_ranks < a.ranks
                                 ? fmt::format("Only {} of {} ranks could be read; sums are lower bounds.",
                                               a.recorded_ranks, a.ranks)
                                 : "Not every rank's recording reaches MPI_Finalize; sums are lower bounds.");
}

void add_problems(page& p, const diagnostics& problems) {
  constexpr const char* levels[] = {"error", "warning", "remark"};
  for (const diagnostic& d : problems)
    p.problems.push_back({levels[static_cast<int>(d.level)], reason{d.code}, d.message, d.remedy, ""});
}

std::string list_of_ranks(const std::vector<rank_id>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(ranks.size(), 16); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", index(ranks[i]));
  return ranks.size() > 16 ? text + fmt::format(", … ({} in all)", ranks.size()) : text;
}

/// "communicator 3 (4 ranks: row 0 of a 2x4 grid)".
std::string described(const recordings::analysis& a, std::size_t number) {
  const recordings::communicator_summary& c = a.communicators[number];
  return fmt::format("{} ({}: {})", communicator_name(number), counted(c.members.size(), "rank"),
                     shape_text(c));
}

std::string communicators_of(const recordings::analysis& a, const recordings::activity& x) {
  std::string text;
  for (std::size_t i = 0; i < x.communicators.size(); ++i) {
    if (i == 4)
      return text + fmt::format("; and {} more", x.communicators.size() - 4);
    if (x.communicators[i] >= a.communicators.size())
      continue;
    text += (text.empty() ? "" : "; ") + described(a, x.communicators[i]);
  }
  return text;
}

std::string range_of_bytes(std::uint64_t smallest, std::uint64_t largest) {
  return smallest == largest ? readable_bytes(largest)
                             : fmt::format("{} to {}", readable_bytes(smallest), readable_bytes(largest));
}

std::string tags_of(const recordings::activity& x) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(x.tags.size(), 8); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", x.tags[i]);
  return x.distinct_tags > 8 ? fmt::format("{}, … ({} different)", text, x.distinct_tags) : text;
}

std::string site_text(const recordings::call_site& s) {
  return fmt::format("{}  {}", location_text(s), s.call);
}

timeline picture_of(const recordings::timeline& l, std::uint32_t world_size) {
  timeline out;
  out.ranks = world_size;
  out.steps = l.steps;
  out.cut = l.cut;
  for (const rank_id r : l.ranks)
    out.only.push_back(number(r));
  std::sort(out.only.begin(), out.only.end());
  for (const recordings::timeline_message& m : l.messages) {
    out.messages.push_back({number(m.from), number(m.to), m.step, m.step + 1, m.bytes, m.forwarded});
    out.steps = std::max(out.steps, m.step + 2);
  }
  for (const recordings::timeline_collective& c : l.collectives) {
    timeline_call call{.step = c.step,
                       .members = {},
                       .root = {},
                       .label = fmt::format("{} of {}", name(c.kind), readable_bytes(c.bytes))};
    for (const rank_id r : c.members)
      call.members.push_back(number(r));
    std::sort(call.members.begin(), call.members.end());
    if (is_rooted(c.kind) && c.root != no_rank)
      call.root = number(c.root);
    out.calls.push_back(std::move(call));
    out.steps = std::max(out.steps, c.step + 1);
  }
  return out;
}

/// What is saved stands there only if something is; the program's and the call's numbers are of the same messages.
std::string advice(const recordings::analysis& a, const recordings::replacement& r) {
  const auto amount = [](std::uint64_t messages, std::uint32_t steps) {
    return fmt::format("{} in {}", counted(messages, "message"), counted(steps, "step"));
  };
  const bool fewer = r.messages_after < r.messages_before || r.steps_after < r.steps_before;
  return call_text(a, r) + (fewer ? fmt::format(": {} instead of {}", amount(r.messages_after, r.steps_after),
                                                amount(r.messages_before, r.steps_before))
                                  : "");
}

finding_card card_of(const recordings::analysis& a, const recordings::activity& x) {
  finding_card card;
  card.title = capitalized(title_of(x));
  card.collective = x.found.has_value();
  if (x.found)
    card.title += fmt::format(", {} times", grouped(x.episodes));
  if (x.found)
    card.call =
        x.would_be ? call_text(a, *x.would_be) : fmt::format("a {} in meaning", vocabulary::name(*x.found));
  card.share = x.time_share;
  card.seconds = on_average(a, x.seconds);
  card.certainty = certainty_of(x);
  const auto fact = [&](const char* what, std::string value) {
    if (!value.empty())
      card.facts.emplace_back(what, std::move(value));
  };
  fact("what it does", whole_sentence(a, x));
  fact("algorithm", algorithm_text(x));
  fact("group", communicators_of(a, x));
  if (!x.roots.empty())
    fact("roots", fmt::format("{}; ranks of the world: {}", rule_text(x.rule), list_of_ranks(x.roots)));
  fact(x.found ? "size of one" : "size of a message", range_of_bytes(x.smallest, x.largest));
  fact("messages", fmt::format("{}, {}", grouped(x.messages), readable_bytes(x.bytes)));
  fact("tags", tags_of(x));
  fact("called from", callers_text(a, x));
  fact("same lines, too", same_lines_text(a, x));
  if (x.would_be) {
    fact("could become", advice(a, *x.would_be));
    fact("only", condition_of(*x.would_be));
  }
  for (const std::uint32_t site : x.sites)
    if (site < a.sites.size())
      card.sites.push_back(site_text(a.sites[site]));
  if (!x.obstacles.empty()) {
    card.why = code_of(x.obstacles.front());
    card.why_detail = detail_of(a, x, x.obstacles.front());
  }
  card.before = picture_of(x.before, a.ranks);
  card.after = picture_of(x.after, a.ranks);
  card.before.caption = fmt::format("one of them: {}", counted(card.before.messages.size(), "message"));
  card.after.caption = card.after.calls.size() == 1 ? card.after.calls.front().label : "";
  return card;
}

void add_left(page& p, const recordings::analysis& a) {
  for (const recordings::activity& x : a.activities)
    for (const recordings::obstacle what : x.obstacles)
      p.left.push_back({.what = capitalized(title_of(x)),
                        .why = code_of(what),
                        .detail = detail_of(a, x, what),
                        .messages = x.messages,
                        .bytes = x.bytes,
                        .share = x.time_share,
                        .sites = {}});
}

table collectives_table(const recordings::analysis& a) {
  table t{.title = "Collectives used",
          .note = "Collective operations that the program calls itself.",
          .head = {"call", "group", "times", "bytes", "time a rank", "of MPI time"},
          .rows = {}};
  for (const recordings::collective_use& c : a.collectives)
    t.rows.push_back({c.call, c.communicator < a.communicators.size() ? described(a, c.communicator) : "",
                      grouped(c.calls), readable_bytes(c.bytes), readable_seconds(on_average(a, c.seconds)),
                      percent(c.time_share)});
  return t;
}

table time_table(const recordings::analysis& a) {
  table t{.title = "Where the MPI time goes",
          .note = fmt::format(
              "Of {} that a rank spends in MPI calls on average, MPI_Init and MPI_Finalize left out.",
              readable_seconds(on_average(a, a.communication_seconds))),
          .head = {"what", "messages", "bytes", "time a rank", "share"},
          .rows = {}};
  for (const recordings::activity& x : a.activities)
    t.rows.push_back({capitalized(title_of(x)), grouped(x.messages), readable_bytes(x.bytes),
                      readable_seconds(on_average(a, x.seconds)), percent(x.time_share)});
  double collectives = 0;
  for (const recordings::collective_use& c : a.collectives)
    collectives += c.seconds;
  const auto share = [&](double seconds) {
    return percent(a.communication_seconds > 0 ? seconds / a.communication_seconds : 0);
  };
  if (!a.collectives.empty())
    t.rows.push_back(
        {"Collective calls", "", "", readable_seconds(on_average(a, collectives)), share(collectives)});
  t.rows.push_back(
      {"Other MPI calls", "", "", readable_seconds(on_average(a, a.other_seconds)), share(a.other_seconds)});
  return t;
}

table cost_table(const recordings::analysis& a) {
  table t{.title = "What recording cost",
          .note = "",
          .head = {"what", "time of all ranks", "of CPU time"},
          .rows = {}};
  const auto row = [&](const char* what, double seconds) {
    t.rows.push_back(
        {what, readable_seconds(seconds), a.cpu_seconds > 0 ? percent(seconds / a.cpu_seconds) : "unknown"});
  };
  row("recorder without content hashes", std::max(0.0, a.recorder_seconds - a.hash_seconds));
  row("content hashes", a.hash_seconds);
  row("together", a.recorder_seconds);
  return t;
}

table sites_table(const recordings::analysis& a) {
  table t{.title = "Call sites", .note = "", .head = {"place", "call", "calls", "time a rank"}, .rows = {}};
  std::vector<const recordings::call_site*> sites;
  sites.reserve(a.sites.size());
  for (const recordings::call_site& s : a.sites)
    sites.push_back(&s);
  std::stable_sort(sites.begin(), sites.end(),
                   [](const auto* x, const auto* y) { return x->seconds > y->seconds; });
  for (const recordings::call_site* s : sites)
    t.rows.push_back(
        {location_text(*s), s->call, grouped(s->calls), readable_seconds(on_average(a, s->seconds))});
  return t;
}

table communicators_table(const recordings::analysis& a) {
  table t{.title = "Communicators", .note = "", .head = {"name", "what it is", "ranks"}, .rows = {}};
  for (std::size_t i = 0; i < a.communicators.size(); ++i)
    t.rows.push_back(
        {communicator_name(i), shape_text(a.communicators[i]), list_of_ranks(a.communicators[i].members)});
  return t;
}

void add_facts(page& p, const recordings::analysis& a, const run_info& run) {
  const auto fact = [&](const char* what, std::string value) {
    if (!value.empty())
      p.facts.emplace_back(what, std::move(value));
  };
  fact("command", run.command);
  fact("program", a.program);
  fact("MPI library", library_name(a.library));
  fact("ranks",
       fmt::format("{}{}", a.ranks,
                   a.recorded_ranks < a.ranks ? fmt::format(" ({} recorded)", a.recorded_ranks) : ""));
  fact("ended", run.outcome);
  fact("recording", run.folder);
  fact("run time", readable_seconds(a.wall_seconds) + " from the end of MPI_Init to the end of MPI_Finalize");
  fact("CPU time of all ranks", readable_seconds(a.cpu_seconds));
  fact("MPI calls", grouped(a.calls));
  fact("content", a.hashing ? "compared by hashes: forwarding was observed"
                            : "not compared (--no-hash): forwarding could not be observed");
  if (a.counted_calls > 0)
    fact("only counted", counted(a.counted_calls, "call"));
  if (a.in_device > 0)
    fact("in device memory", fmt::format("{}, not compared", counted(a.in_device, "send or receive")));
  const std::uint64_t lone_sends = a.unmatched_sends - a.outside_sends,
                      lone_receives = a.unmatched_receives - a.outside_receives;
  if (lone_sends + lone_receives > 0)
    fact("unmatched", fmt::format("{}, {}", counted(lone_sends, "send"), counted(lone_receives, "receive")));
  if (a.outside_sends + a.outside_receives > 0)
    fact("outside MPI_COMM_WORLD",
         fmt::format("{} with {}, {}; not followed (intercommunicators, too)",
                     counted(a.outside_sends, "send"), readable_bytes(a.outside_bytes),
                     counted(a.outside_receives, "receive")));
  if (a.cancelled > 0)
    fact("cancelled", counted(a.cancelled, "request"));
  if (a.unmodelled_calls > 0) {
    std::string names;
    for (const std::string& name : a.unmodelled_names)
      names += (names.empty() ? "" : ", ") + name;
    fact("outside the model", fmt::format("{} with {} a rank: {}", counted(a.unmodelled_calls, "call"),
                                          readable_seconds(on_average(a, a.unmodelled_seconds)), names));
  }
}

} // namespace

page page_of(const recordings::analysis& a, const diagnostics& problems, const run_info& run) {
  page p;
  p.title = a.program.empty() ? "recording" : file_name(a.program);
  p.subtitle = fmt::format("{} under {}, {}", counted(a.ranks, "rank"), library_name(a.library),
                           readable_seconds(a.wall_seconds));
  add_headlines(p, a);
  add_problems(p, problems);
  add_facts(p, a, run);
  std::uint64_t by_hand = 0;
  for (const recordings::activity& x : a.activities) {
    by_hand += x.found.has_value();
    p.findings.push_back(card_of(a, x));
  }
  p.figures = {
      {fmt::format("{}", a.ranks), a.ranks == 1 ? "rank" : "ranks"},
      {readable_seconds(a.wall_seconds), "run time"},
      {percent(mpi_share(a)), "of the time in MPI"},
      {grouped(a.messages), "messages"},
      {readable_bytes(a.bytes), "in messages"},
      {fmt::format("{}", by_hand), "collectives written by hand"},
      {a.cpu_seconds > 0 ? percent(a.recorder_seconds / a.cpu_seconds) : "unknown", "cost of recording"}};
  p.communication.ranks = a.ranks;
  for (const auto& [pair, entry] : a.matrix)
    if (index(pair.first) < a.ranks && index(pair.second) < a.ranks)
      p.communication.cells.push_back({number(pair.first), number(pair.second), entry.bytes, entry.messages});
  add_left(p, a);
  p.tables = {time_table(a)};
  if (!a.ends.empty())
    p.tables.insert(p.tables.begin(), ends_table(a));
  if (!a.collectives.empty())
    p.tables.push_back(collectives_table(a));
  p.tables.push_back(cost_table(a));
  if (!a.communicators.empty())
    p.tables.push_back(communicators_table(a));
  if (!a.sites.empty())
    p.tables.push_back(sites_table(a));
  return p;
}

std::string dot_of(const recordings::analysis& a) {
  std::string out = "digraph communication {\n  node [shape=circle, fontname=\"sans-serif\"];\n";
  for (const auto& [pair, entry] : a.matrix)
    out += fmt::format("  {} -> {} [label=\"{}\"];\n", index(pair.first), index(pair.second),
                       readable_bytes(entry.bytes));
  return out + "}\n";
}

} // namespace tacit::surface
