// One exchange of a real program with its neighbors: who sends what to whom, what the program does before and
// after, and how it sees that the right bytes have come.
#pragma once

#include "neighbor/patterns.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

struct real_case {
  std::string name;
  std::string about; ///< what was exchanged: for the result file
  pattern who;       ///< one edge per slot; edges to the rank itself are possible

  /// Packed exchanges: doubles per slot, and where they begin in `out` and `in`.
  std::vector<int> out_counts, out_places, in_counts, in_places;
  std::vector<double> out, in;
  /// Exchanges straight out of the program's arrays: one datatype per slot, absolute addresses. Then the
  /// members above are empty.
  std::vector<MPI_Datatype> out_types, in_types;

  std::function<void(int iteration)> produce; ///< writes all that is sent
  std::function<void()> consume;              ///< reads all that has come
  std::function<bool(int iteration)> right;   ///< after produce(iteration) and the exchange
  std::shared_ptr<void> data;                 ///< what the functions use
  double sum = 0;                             ///< where `consume` leaves its result

  bool typed() const { return !out_types.empty(); }
};

using real_case_handle = std::unique_ptr<real_case>;

/// Collective, as all that follow. Every rank sends `bytes` to `degree` others, chosen at random by `seed`.
real_case_handle sparse_alltoall(int degree, int bytes, unsigned seed);
/// `bytes` to each of the 2 * dimensions neighbors on a periodic grid.
real_case_handle cartesian(int dimensions, int bytes);
/// Halos of a weather model on a grid of patches, see real_wrf.cpp.
real_case_handle weather();
/// The vector of y = A x before each product, A from a file and cut by METIS; null with `why` if it cannot
/// be. `multiply`: an iteration has the whole product, not only the exchange.
real_case_handle sparse_product(const std::string& file, bool multiply, std::string& why);
void free_case(real_case& c);

/// Makes the packed form: `who` and counts are given. Data are numbers that sender, receiver, slot and
/// iteration give.
void fill_in_packed(real_case& c);

/// Variants of the exchange. Destruction is collective.
class real_variant {
public:
  explicit real_variant(std::string name_) : name(std::move(name_)) {}
  virtual ~real_variant() = default;
  virtual void exchange() = 0;
  std::string name;
};

/// tacit's persistent collective ("tacit"; "tacit p2p" with that driver), the hand-written nonblocking
/// messages ("isend"), persistent messages ("persistent"), MPI's blocking and persistent neighborhood
/// collective ("neighbor", "neighbor init"), and those of MPI Advance if it is there ("advance", "advance
/// locality"), but for those `without`.
std::vector<std::unique_ptr<real_variant>> real_variants(real_case& c,
                                                         const std::vector<std::string>& without);

} // namespace bench
