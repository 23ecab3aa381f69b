#include "surface/selftest/ledger.h"

#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <unistd.h>

namespace tacit::surface {
namespace {

std::string in_words(std::istringstream& rest) {
  std::string text;
  std::getline(rest >> std::ws, text);
  return text;
}

std::string verdict(const tally& t) {
  return !t.offered ? "not offered" : t.died ? "dies" : t.wrong > 0 ? "wrong" : "right";
}

} // namespace

ledger::ledger(const std::string& journal) {
  std::ifstream lines(journal);
  cell open;
  bool is_open = false;
  std::string why;
  const auto bury = [&] {
    tally& dead = tallies_[open];
    dead.died = true;
    dead.first = why.empty() ? "the launch ended without a word" : why;
    ++dead.cases;
    ++dead.wrong;
    is_open = false;
  };
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "why" && why.empty())
      why = in_words(words);
    if (what == "dead")
      bury();
    if (what != "begin" && what != "end")
      continue;
    words >> last_ >> open.implementation >> open.call >> open.mode >> open.kind;
    is_open = what == "begin";
    if (is_open) {
      why.clear();
      continue;
    }
    std::int64_t cases = 0, wrong = 0;
    words >> cases >> wrong;
    add(open, cases, wrong, in_words(words));
  }
  const bool killed = is_open;
  if (killed)
    bury();
  if (!journal.empty())
    file_ = ::open(journal.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (killed)
    write("dead");
}

ledger::~ledger() {
  if (file_ >= 0)
    ::close(file_);
}

bool ledger::is_dead(const cell& where) const {
  const auto found = tallies_.find(where);
  return found != tallies_.end() && found->second.died;
}

void ledger::announce(std::int64_t steps) {
  write("of " + std::to_string(steps));
}

void ledger::begin(std::int64_t step, const cell& where) {
  write("begin " + std::to_string(step) + ' ' + std::to_string(where.implementation) + ' ' +
        std::to_string(where.call) + ' ' + std::to_string(where.mode) + ' ' + std::to_string(where.kind));
}

void ledger::end(std::int64_t step, const cell& where, std::int64_t cases, std::int64_t wrong,
                 const std::string& first) {
  write("end " + std::to_string(step) + ' ' + std::to_string(where.implementation) + ' ' +
        std::to_string(where.call) + ' ' + std::to_string(where.mode) + ' ' + std::to_string(where.kind) +
        ' ' + std::to_string(cases) + ' ' + std::to_string(wrong) + ' ' + first);
  add(where, cases, wrong, first);
}

void ledger::add(const cell& where, std::int64_t cases, std::int64_t wrong, const std::string& first) {
  tally& t = tallies_[where];
  t.cases += cases;
  t.wrong += wrong;
  if (t.first.empty())
    t.first = first;
}

void ledger::write(const std::string& line) {
  if (file_ < 0)
    return;
  const std::string text = line + '\n';
  [[maybe_unused]] const ssize_t written = ::write(file_, text.data(), text.size());
}

std::string as_json(const run_facts& facts, const ledger& found) {
  nlohmann::ordered_json cells = nlohmann::ordered_json::array();
  for (const auto& [where, t] : found.tallies()) {
    const auto name = [](const auto& list, int i) { return std::string(list[static_cast<std::size_t>(i)]); };
    cells.push_back({{"implementation", name(facts.implementations, where.implementation)},
                     {"call", name(call_names, where.call)},
                     {"mode", name(mode_names, where.mode)},
                     {"topology", name(class_names, where.kind)},
                     {"verdict", verdict(t)},
                     {"cases", t.cases},
                     {"wrong", t.wrong}});
    if (!t.first.empty())
      cells.back()["first"] = t.first;
  }
  const nlohmann::ordered_json all = {
      {"tacit", "selftest"},
      {"format", 1},
      {"mpi", {{"family", facts.family}, {"version", facts.version}, {"standard", facts.standard}}},
      {"ranks", facts.ranks},
      {"seed", facts.seed},
      {"topologies", facts.topologies},
      {"cells", cells}};
  return all.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

} // namespace tacit::surface
