// How a broken promise is noticed that all ranks repeat their blocking calls alike (prepared_calls.h).
//
// A rank that finds its prepared operation, and one that must make it, may not meet in one call. That they do
// not is the user's promise, and a broken one becomes an error and not a hang: a rank that must make an
// operation first tells its neighbors the number of the call, and hears the same from them; a rank that waits
// within a call that it has found looks now and then whether a neighbor has told it so about this call.
// Numbers of later calls are kept: their senders are ahead. If not all ranks err alike, some edge joins one
// that found and one that did not, and there it is noticed; it is not if the one that found never waits
// again.
//
// Cost: a message of 8 bytes each way per neighbor for a new call, and a probe for each thousand fruitless
// polls of a repeated one.
#pragma once

#include "neighbors/topology/topology.h"
#include "runtime/exchange/opening.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace tacit::runtime {

class call_notices {
public:
  /// `line` outlives this. `promise`: as the user wrote it, "tacit_persistent=sizes".
  call_notices(opening& line, const neighbors::neighborhood& n, int rank, std::string promise);

  void begin_call() { ++calls_; }
  std::uint64_t calls() const { return calls_; }
  /// Tells all neighbors that this rank makes the call at hand for the first time, and hears the same from
  /// them. Throws neighbor_error: some neighbor repeats it; mpi_error.
  void announce();
  /// Throws neighbor_error if some neighbor makes for the first time a call that this rank has found.
  void look();
  /// The execution, which looks while it waits. This must outlive it.
  std::unique_ptr<execution> watched(std::unique_ptr<execution> inner);

private:
  [[noreturn]] void refuse(int rank, std::uint64_t call);
  int tag() const { return line_.tags().notice(); }

  opening& line_;
  std::set<int> neighbors_;
  std::string promise_;
  std::uint64_t calls_ = 0;            ///< made so far, equal on all ranks
  std::map<int, std::uint64_t> heard_; ///< from neighbors, not yet looked at
};

} // namespace tacit::runtime
