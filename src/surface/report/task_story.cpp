#include "surface/report/task_story.h"

#include "surface/report/wrap.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

namespace tacit::surface {
namespace {

using style = diagram::style;

bool is_barrier(const std::string& kind) {
  return kind == "epoch" || kind == "horizon";
}

/// TACIT-322 as a code.
reason reason_of(const std::string& label) {
  const std::string_view prefix = "TACIT-";
  unsigned code = 0;
  for (const char c : std::string_view(label).substr(std::min(prefix.size(), label.size())))
    code = c >= '0' && c <= '9' ? std::min(code * 10 + static_cast<unsigned>(c - '0'), 65535u) : 0;
  return reason{static_cast<std::uint16_t>(code)};
}

/// Rows by what they are called, in the order in which they came.
class story_drawing {
public:
  explicit story_drawing(diagram& into) : into_(into) {}
  std::size_t row(const std::string& label, style kind) {
    const auto [found, fresh] = rows_.try_emplace({label, kind}, into_.rows.size());
    if (fresh)
      into_.rows.push_back({label, 0, kind});
    ++into_.rows[found->second].count;
    return found->second;
  }
  void arc(std::size_t from, std::size_t to, const std::string& label, style kind) {
    const auto [found, fresh] = arcs_.try_emplace({from, to, label}, into_.arcs.size());
    if (fresh)
      into_.arcs.push_back({from, to, label, 0, kind});
    ++into_.arcs[found->second].count;
  }

private:
  diagram& into_;
  std::map<std::pair<std::string, style>, std::size_t> rows_;
  std::map<std::tuple<std::size_t, std::size_t, std::string>, std::size_t> arcs_;
};

class reading {
public:
  explicit reading(const nlohmann::json& from) : from_(from) {}

  task_story run() {
    out_.ranks = from_.at("ranks").get<std::uint32_t>();
    out_.rank = from_.at("rank").get<std::uint32_t>();
    out_.left_out = from_.value("left_out", std::uint64_t{0});
    buffers();
    tasks();
    commands();
    exchanges();
    out_.graph.title = "Tasks";
    out_.commands.title = fmt::format("Commands of rank {}", out_.rank);
    return std::move(out_);
  }

private:
  void buffers() {
    std::size_t number = 0;
    for (const nlohmann::json& b : from_.at("buffers")) {
      const std::string name = b.value("name", "");
      buffers_.push_back(name.empty() ? fmt::format("buffer {}", number) : name);
      ++number;
    }
  }

  std::string buffer(const nlohmann::json& of) const {
    const auto number = of.value("buffer", std::uint64_t{0});
    return number < buffers_.size() ? buffers_[number] : fmt::format("buffer {}", number);
  }

  void tasks() {
    story_drawing draw(out_.graph);
    for (const nlohmann::json& t : from_.at("tasks")) {
      const auto id = t.at("id").get<std::uint64_t>();
      const std::string kind = t.value("kind", "");
      if (is_barrier(kind))
        continue;
      ++out_.tasks;
      const std::string name = t.value("name", "");
      names_[id] = name.empty() ? fmt::format("{} without a name", kind) : name;
      row_of_task_[id] = draw.row(names_[id], style::work);
      for (const nlohmann::json& before : t.value("after", nlohmann::json::array()))
        if (const auto from = row_of_task_.find(before.get<std::uint64_t>()); from != row_of_task_.end())
          draw.arc(from->second, row_of_task_[id], "", style::order);
    }
    for (const nlohmann::json& e : from_.at("exchanges")) {
      const auto from = row_of_task_.find(e.at("producer").get<std::uint64_t>()),
                 to = row_of_task_.find(e.at("consumer").get<std::uint64_t>());
      if (from == row_of_task_.end() || to == row_of_task_.end())
        continue;
      const bool collective = e.contains("collective");
      draw.arc(from->second, to->second,
               fmt::format("{}: {}", buffer(e),
                           collective ? e["collective"].get<std::string>() : e.value("reason", "messages")),
               collective ? style::collective : style::message);
    }
    // Where data travel, that one task comes after the other is said already.
    std::erase_if(out_.graph.arcs, [&](const diagram::arc& a) {
      return a.kind == style::order && std::ranges::any_of(out_.graph.arcs, [&](const diagram::arc& b) {
               return b.kind != style::order && a.from == b.from && a.to == b.to;
             });
    });
  }

  std::string task_name(std::uint64_t id) const {
    const auto found = names_.find(id);
    return found != names_.end() ? found->second : fmt::format("a task before task {}", id);
  }

  void commands() {
    story_drawing draw(out_.commands);
    std::map<std::uint64_t, std::size_t> rows;
    for (const nlohmann::json& c : from_.at("commands")) {
      const std::string kind = c.value("kind", "");
      if (is_barrier(kind))
        continue;
      const bool collective = c.contains("collective");
      const std::string what = collective ? c["collective"].get<std::string>() : kind;
      const std::string name = task_name(c.value("task", std::uint64_t{0}));
      const auto id = c.at("id").get<std::uint64_t>();
      const bool works = kind == "execute" || kind == "fence";
      rows[id] = draw.row(works ? name : fmt::format("{} for {}", what, name), collective ? style::collective
                                                                               : works    ? style::work
                                                                                          : style::message);
      if (collective)
        replaced_[c.value("exchange", std::uint64_t{0})] = c.value("replaces", std::uint64_t{0});
      for (const nlohmann::json& before : c.value("after", nlohmann::json::array()))
        if (const auto from = rows.find(before.get<std::uint64_t>()); from != rows.end())
          draw.arc(from->second, rows[id], "", style::order);
    }
  }

  void exchanges() {
    std::map<std::string, std::size_t> known;
    for (const nlohmann::json& e : from_.at("exchanges")) {
      task_exchange x;
      x.producer = task_name(e.at("producer").get<std::uint64_t>());
      x.consumer = task_name(e.at("consumer").get<std::uint64_t>());
      x.buffer = buffer(e);
      x.collective = e.value("collective", "");
      x.ahead = e.value("ahead", false);
      if (x.collective.empty())
        x.why = reason_of(e.value("reason", ""));
      else if (const auto r = replaced_.find(e.value("exchange", std::uint64_t{0})); r != replaced_.end())
        x.replaced = r->second;
      const auto [found, fresh] =
          known.try_emplace(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", x.producer, x.consumer, x.buffer,
                                        x.collective, number(x.why), x.ahead),
                            out_.exchanges.size());
      if (fresh)
        out_.exchanges.push_back(std::move(x));
      else
        ++out_.exchanges[found->second].times;
    }
    std::ranges::stable_sort(out_.exchanges, std::ranges::greater(), &task_exchange::times);
  }

  const nlohmann::json& from_;
  task_story out_;
  std::vector<std::string> buffers_;
  std::map<std::uint64_t, std::string> names_;
  std::map<std::uint64_t, std::size_t> row_of_task_;
  std::map<std::uint64_t, std::uint64_t> replaced_; ///< by exchange
};

} // namespace

std::optional<task_story> read_task_story(std::string_view text, std::string& fault) {
  try {
    return reading(nlohmann::json::parse(text)).run();
  } catch (const nlohmann::json::exception& e) {
    fault = e.what();
    return std::nullopt;
  }
}

std::string headline_of(const task_story& story) {
  std::map<std::string, std::uint64_t> kinds;
  std::uint64_t messages = 0;
  for (const task_exchange& e : story.exchanges)
    (e.collective.empty() ? messages : kinds[e.collective]) += e.times;
  std::vector<std::string> parts;
  for (const auto& [kind, times] : kinds)
    parts.push_back(counted(times, kind));
  if (messages > 0)
    parts.push_back(counted(messages, "exchange") + " by messages");
  return fmt::format("{} on {}: what they need of each other {}.", counted(story.tasks, "task"),
                     counted(story.ranks, "rank"),
                     parts.empty() ? "is where they need it"
                                   : fmt::format("comes by {}", fmt::join(parts, ", ")));
}

} // namespace tacit::surface
