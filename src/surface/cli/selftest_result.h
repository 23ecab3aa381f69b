// What the conformance suite found under one MPI, over several numbers of ranks.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace tacit::surface {

class selftest_result {
public:
  /// Adds what one launch has written (src/surface/selftest/ledger.h).
  void add(const nlohmann::ordered_json& run);

  bool empty() const { return cells_.empty(); }
  /// Whether what tacit itself offers was right wherever it was tried.
  bool tacit_is_right() const;
  const std::string& version() const { return version_; }

  /// The table for people, of at most 13 lines.
  std::string as_text() const;
  nlohmann::ordered_json as_json() const;

private:
  struct tally {
    std::int64_t cases = 0, wrong = 0;
    std::string verdict, first;
  };
  using cell_key =
      std::tuple<std::string, std::string, std::string, std::string>; // who, topology, mode, call

  std::string row(const std::string& who, const std::string& topology, const std::string& mode) const;
  std::string summary_of(const std::string& who) const;

  std::string version_, standard_;
  nlohmann::ordered_json mpi_;
  std::uint64_t seed_ = 0;
  std::vector<int> ranks_;
  std::vector<std::string> who_, topologies_, forms_, calls_; ///< in the order of their first appearance
  std::map<cell_key, tally> cells_;
};

} // namespace tacit::surface
