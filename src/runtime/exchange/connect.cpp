#include "runtime/exchange/connect.h"

#include "runtime/exchange/neighbor_error.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <span>

namespace tacit::runtime {
namespace {

/// What a rank tells the others: a word per driver (1: it can run), the one it expects, twice, for a
/// comparison by minima, and whether it has nothing to connect by that one.
class driver_words {
public:
  explicit driver_words(std::size_t drivers) : drivers_(drivers) {}

  void can_run(std::size_t driver, bool can) { words_[driver] = can ? 1 : 0; }
  void expect(std::size_t driver, bool connects) {
    words_[drivers_] = driver;
    words_[drivers_ + 1] = ~std::uint64_t{driver};
    words_[drivers_ + 2] = connects ? 0 : 1;
  }
  /// The first that can run, or the number of drivers.
  std::size_t first() const {
    const auto end = words_.begin() + static_cast<std::ptrdiff_t>(drivers_);
    return static_cast<std::size_t>(std::find(words_.begin(), end, 1) - words_.begin());
  }
  // After the reduction:
  bool all_expect_one() const { return words_[drivers_] == ~words_[drivers_ + 1]; }
  bool some_connect() const { return words_[drivers_ + 2] == 0; }

  std::span<std::uint64_t> words() { return std::span(words_).first(drivers_ + 3); }

private:
  std::size_t drivers_;
  std::array<std::uint64_t, driver_list::most + 3> words_{};
};

[[noreturn]] void refuse_connection(const std::string& text) {
  throw neighbor_error(neighbor_error::kind::environment, text);
}

} // namespace

agreed_driver agree_on_driver(const program& steps, const driver_list& wanted, MPI_Comm comm,
                              agreement& all) {
  driver_words said(wanted.size());
  agreed_driver out;
  std::size_t expected = 0;
  all.here([&] {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      said.can_run(i, wanted[i]->can_run(steps, comm).empty());
    expected = said.first();
    if (expected == wanted.size())
      refuse_connection(fmt::format("driver {} cannot run this operation: {}", wanted[0]->name(),
                                    wanted[0]->can_run(steps, comm)));
    out.peers = wanted[expected]->offer(steps, comm);
  });
  said.expect(expected, out.peers != nullptr);
  all.agree(said.words());
  if (said.all_expect_one()) {
    out.chosen = wanted[expected];
    out.connects = said.some_connect();
    return out;
  }
  const std::size_t everywhere = said.first();
  all.here([&] {
    if (everywhere == wanted.size())
      refuse_connection("no driver can run this operation on all ranks");
    out.peers = wanted[everywhere]->offer(steps, comm);
  });
  said.expect(everywhere, out.peers != nullptr);
  all.agree(said.words());
  out.chosen = wanted[everywhere];
  out.connects = said.some_connect();
  return out;
}

void connect(agreed_driver& d, agreement& all) {
  if (!d.connects)
    return;
  all.always([&] {
    if (d.peers)
      d.peers->create();
  });
}

} // namespace tacit::runtime
