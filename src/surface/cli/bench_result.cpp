#include "surface/cli/bench_result.h"

#include "surface/cli/machine_load.h"
#include "vocabulary/base/amounts.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace tacit::surface {
namespace {

using json = nlohmann::ordered_json;

/// Of a size that could be tried; else none.
const json& variants_of(const json& size) {
  static const json none = json::array();
  return size.contains("variants") ? size.at("variants") : none;
}

bool is_right(const json& variant) {
  return variant.at("fault").get<std::string>().empty();
}

/// The fastest of the right variants, tacit's choice included; null if none was right.
const json* best_of(const json& size) {
  const json* best = nullptr;
  for (const json& variant : variants_of(size))
    if (is_right(variant) && (!best || variant.at("p10") < best->at("p10")))
      best = &variant;
  return best;
}

const json* choice_of(const json& size) {
  for (const json& variant : variants_of(size))
    if (variant.at("choice") && is_right(variant))
      return &variant;
  return nullptr;
}

/// The line of the explanation that begins so, or empty.
std::string line_of(const json& variant, const std::string& start) {
  const std::string text = variant.at("detail");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, start.size(), start) == 0)
      return text.substr(at, end - at);
    at = end + 1;
  }
  return {};
}

/// "direct shm 220 ns": the first part of the line with the predictions.
std::string chosen_variant(const json& variant) {
  const std::string line = line_of(variant, "predicted: ");
  const std::size_t start = std::min<std::size_t>(line.size(), 11);
  return line.substr(start, line.find(';') - start);
}

double ratio(const json& size) {
  const json *best = best_of(size), *choice = choice_of(size);
  if (!best || !choice || best->at("p10").get<double>() <= 0)
    return 0;
  return choice->at("p10").get<double>() / best->at("p10").get<double>();
}

std::string time(const json& variant, const char* key) {
  return readable_seconds(variant.at(key));
}

surface::table table_of(const bench_result& r, const json& size) {
  const std::uint64_t bytes = size.at("bytes");
  surface::table t{.title = fmt::format("{}, {} ranks, {} per unit", r.mpi, r.ranks, readable_bytes(bytes)),
                   .note = {},
                   .head = {"variant", "10th percentile", "median", "quartiles", ""},
                   .rows = {}};
  if (size.contains("fault")) {
    t.note = size.at("fault");
    return t;
  }
  const json* best = best_of(size);
  for (const json& variant : variants_of(size)) {
    const std::string fault = variant.at("fault");
    const bool taken = variant.at("choice");
    if (fault.empty())
      t.bars.push_back({.label = variant.at("name"),
                        .remark = taken              ? "taken: " + chosen_variant(variant)
                                  : &variant == best ? "best"
                                                     : "",
                        .seconds = variant.at("p10"),
                        .low = variant.at("low"),
                        .high = variant.at("high"),
                        .marked = taken});
    if (fault.empty())
      t.rows.push_back({variant.at("name"), time(variant, "p10"), time(variant, "median"),
                        fmt::format("{}–{}", time(variant, "low"), time(variant, "high")),
                        &variant == best ? "best" : ""});
    else
      t.rows.push_back({variant.at("name"), "–", "–", "–", "wrong: " + fault});
  }
  if (const json* choice = choice_of(size))
    t.note = fmt::format("Taken: {}, {:.2f} times the best. {}. {}.", chosen_variant(*choice), ratio(size),
                         line_of(*choice, "predicted: "), line_of(*choice, "machine model: "));
  return t;
}

} // namespace

json json_of(const std::vector<bench_result>& all) {
  json out{{"tacit", "bench neighbor"}, {"format", 1}, {"runs", json::array()}};
  for (const bench_result& r : all) {
    json run{{"mpi", r.mpi},
             {"ranks", r.ranks},
             {"pattern", r.pattern},
             {"busy_cores", r.others},
             {"noise", is_noise(r.others)},
             {"sizes", json::array()}};
    for (const json& size : r.sizes) {
      json one = size;
      if (size.contains("variants")) {
        const json *best = best_of(size), *choice = choice_of(size);
        one["best"] = best ? best->at("name") : json();
        one["taken"] = choice ? json(chosen_variant(*choice)) : json();
        one["ratio"] = ratio(size);
      }
      run["sizes"].push_back(std::move(one));
    }
    out["runs"].push_back(std::move(run));
  }
  return out;
}

std::string csv_of(const std::vector<bench_result>& all) {
  std::string out = "mpi,ranks,pattern,bytes,variant,p10_s,low_s,median_s,high_s,blocks,right,taken\n";
  for (const bench_result& r : all)
    for (const json& size : r.sizes)
      for (const json& variant : variants_of(size))
        fmt::format_to(std::back_inserter(out), "{},{},\"{}\",{},\"{}\",{},{},{},{},{},{},\"{}\"\n", r.mpi,
                       r.ranks, r.pattern, size.at("bytes").get<std::uint64_t>(),
                       variant.at("name").get<std::string>(), variant.at("p10").get<double>(),
                       variant.at("low").get<double>(), variant.at("median").get<double>(),
                       variant.at("high").get<double>(), variant.at("blocks").get<int>(), is_right(variant),
                       variant.at("choice") ? chosen_variant(variant) : "");
  return out;
}

surface::page page_of(const std::vector<bench_result>& all) {
  surface::page p;
  p.title = "bench neighbor";
  p.subtitle = all.front().pattern;
  for (const bench_result& r : all) {
    if (is_noise(r.others))
      p.headlines.push_back(
          fmt::format("{}: these times are noise: other programs kept {:.1f} of the machine's cores busy. "
                      "Repeat the measurement when they have ended.",
                      r.mpi, r.others));
    double worst = 0;
    for (const json& size : r.sizes)
      worst = std::max(worst, ratio(size));
    if (worst > 0)
      p.headlines.push_back(fmt::format(
          "{}, {} ranks: what tacit takes needs at most {:.2f} times as long as the best variant.", r.mpi,
          r.ranks, worst));
    for (const json& size : r.sizes) {
      p.tables.push_back(table_of(r, size));
      for (const json& left : size.value("left_out", json::array()))
        if (std::ranges::find(p.notes, left.get<std::string>()) == p.notes.end())
          p.notes.push_back(left);
    }
  }
  p.facts.emplace_back("pattern", all.front().pattern);
  return p;
}

bool tacit_is_right(const std::vector<bench_result>& all) {
  for (const bench_result& r : all)
    for (const json& size : r.sizes)
      for (const json& variant : variants_of(size))
        if (variant.at("name") != "MPI_Neighbor_alltoallv" && !is_right(variant))
          return false;
  return true;
}

} // namespace tacit::surface
