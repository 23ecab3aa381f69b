// What was found so far, and the journal that survives a launch which hangs or crashes.
//
// Work is a fixed sequence of steps. Rank 0 writes a line before and after each, so that the next launch
// knows where to go on and which step killed the last one. A cell (implementation, call, mode, class of
// topologies) that has killed a launch is not tried again: each launch either ends or loses a cell, so the
// launches end.
#pragma once

#include "surface/selftest/implementation.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tacit::surface {

struct cell {
  int implementation = 0, call = 0, mode = 0, kind = 0;
  auto operator<=>(const cell&) const = default;
};

struct tally {
  std::int64_t cases = 0, wrong = 0;
  bool offered = true, died = false;
  std::string first; ///< wrong case, in words
};

class ledger {
public:
  /// Reads what earlier launches have written, and goes on in that file; without a name keeps no journal.
  explicit ledger(const std::string& journal);
  ~ledger();
  ledger(const ledger&) = delete;
  ledger& operator=(const ledger&) = delete;

  /// Steps up to this one are done.
  std::int64_t last_step() const { return last_; }
  bool is_dead(const cell& where) const;

  /// How many steps there are, for whoever watches the journal grow.
  void announce(std::int64_t steps);
  void begin(std::int64_t step, const cell& where);
  void end(std::int64_t step, const cell& where, std::int64_t cases, std::int64_t wrong,
           const std::string& first);
  void not_offered(const cell& where) { tallies_[where].offered = false; }

  const std::map<cell, tally>& tallies() const { return tallies_; }

private:
  void add(const cell& where, std::int64_t cases, std::int64_t wrong, const std::string& first);
  void write(const std::string& line);

  std::map<cell, tally> tallies_;
  std::int64_t last_ = -1;
  int file_ = -1;
};

struct run_facts {
  std::string family, version, standard;
  int ranks = 0;
  std::uint64_t seed = 0;
  std::size_t topologies = 0;
  std::vector<std::string> implementations;
};

/// The result of a run as JSON.
std::string as_json(const run_facts& facts, const ledger& found);

} // namespace tacit::surface
