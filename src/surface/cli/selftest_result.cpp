#include "surface/cli/selftest_result.h"
#include "vocabulary/base/amounts.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tacit::surface {
namespace {

constexpr std::array modes{"blocking", "nonblocking", "persistent"};
constexpr std::array calls{"allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "mixture"};
constexpr std::array topologies{"cart-open", "cart-periodic", "cart-periodic-2", "cart-periodic-1",
                                "graph",     "graph-multi",   "dist-graph",      "dist-graph-multi"};

/// How bad a verdict is: the worst of several cells is the one of the greatest weight.
int weight(const std::string& verdict) {
  constexpr std::array order{"not offered", "right", "wrong", "dies"};
  return static_cast<int>(std::find(order.begin(), order.end(), verdict) - order.begin());
}

bool is_ours(const std::string& who) {
  return who.starts_with("tacit");
}

bool is_fault(const std::string& verdict) {
  return weight(verdict) >= weight("wrong");
}

} // namespace

void selftest_result::add(const nlohmann::ordered_json& run) {
  mpi_ = run.at("mpi");
  version_ = mpi_.at("version");
  seed_ = run.at("seed");
  ranks_.push_back(run.at("ranks"));
  for (const auto& c : run.at("cells")) {
    const std::string who = c.at("implementation");
    if (std::find(who_.begin(), who_.end(), who) == who_.end())
      who_.push_back(who);
    tally& t = cells_[{who, c.at("topology"), c.at("mode"), c.at("call")}];
    t.cases += c.at("cases").get<std::int64_t>();
    t.wrong += c.at("wrong").get<std::int64_t>();
    const std::string verdict = c.at("verdict");
    if (t.first.empty() && c.contains("first"))
      t.first = fmt::format("{}, {}", count_text(static_cast<std::uint64_t>(ranks_.back()), "rank"),
                            c.at("first").get<std::string>());
    if (t.verdict.empty() || weight(verdict) > weight(t.verdict))
      t.verdict = verdict;
  }
}

bool selftest_result::tacit_is_right() const {
  return std::ranges::none_of(
      cells_, [](const auto& c) { return is_ours(std::get<0>(c.first)) && is_fault(c.second.verdict); });
}

/// "right", or which calls are not: "alltoall,v,w" stands for alltoall, alltoallv, alltoallw.
std::string selftest_result::row(const std::string& who, const std::string& topology,
                                 const std::string& mode) const {
  std::string faults, before;
  bool offered = false, known = false;
  for (const std::string call : calls) {
    const auto found = cells_.find({who, topology, mode, call});
    if (found == cells_.end())
      continue;
    known = true;
    const std::string& verdict = found->second.verdict;
    offered = offered || verdict != "not offered";
    if (!is_fault(verdict))
      continue;
    const bool same_family = !before.empty() && call.starts_with(before);
    faults += (faults.empty() ? "" : ",") + (same_family ? call.substr(before.size()) : call);
    if (!same_family)
      before = call;
    if (verdict == "dies")
      faults += '!';
  }
  return !known ? "-" : !offered ? "not offered" : faults.empty() ? "right" : faults;
}

std::string selftest_result::summary_of(const std::string& who) const {
  std::int64_t cases = 0, wrong = 0;
  const tally* first = nullptr;
  const cell_key* where = nullptr;
  for (const auto& [p, t] : cells_)
    if (std::get<0>(p) == who) {
      cases += t.cases;
      wrong += t.wrong;
      if (!first && is_fault(t.verdict)) {
        first = &t;
        where = &p;
      }
    }
  if (!first)
    return fmt::format("{}: right in all {} cases\n", who, cases);
  return fmt::format("{}: {} of {} cases wrong; {} {}: {}\n", who, wrong, cases, std::get<2>(*where),
                     std::get<3>(*where), first->first);
}

std::string selftest_result::as_text() const {
  std::string text =
      fmt::format("{} (MPI {}), {} ranks, seed {}; faults of its native calls (! hangs or crashes):\n",
                  version_, mpi_.at("standard").get<std::string>(), fmt::join(ranks_, " "), seed_);
  text += fmt::format("  {:<18}{:<28}{:<28}{}\n", "topology", modes[0], modes[1], modes[2]);
  for (const std::string topology : topologies) {
    std::array<std::string, modes.size()> shown;
    for (std::size_t f = 0; f < modes.size(); ++f)
      shown[f] = row("mpi", topology, modes[f]);
    if (std::ranges::any_of(shown, [](const std::string& s) { return s != "-"; }))
      text += fmt::format("  {:<18}{:<28}{:<28}{}\n", topology, shown[0], shown[1], shown[2]);
  }
  for (const std::string& who : who_)
    text += summary_of(who);
  return text;
}

nlohmann::ordered_json selftest_result::as_json() const {
  nlohmann::ordered_json out{{"tacit", "selftest"}, {"format", 1}, {"mpi", mpi_}, {"ranks", ranks_}};
  out["seed"] = seed_;
  out["cells"] = nlohmann::ordered_json::array();
  for (const std::string& who : who_)
    for (const std::string topology : topologies)
      for (const std::string mode : modes)
        for (const std::string call : calls) {
          const auto found = cells_.find({who, topology, mode, call});
          if (found == cells_.end())
            continue;
          const tally& t = found->second;
          out["cells"].push_back({{"implementation", who},
                                  {"topology", topology},
                                  {"mode", mode},
                                  {"call", call},
                                  {"verdict", t.verdict},
                                  {"cases", t.cases},
                                  {"wrong", t.wrong}});
          if (!t.first.empty())
            out["cells"].back()["first"] = t.first;
        }
  return out;
}

} // namespace tacit::surface
