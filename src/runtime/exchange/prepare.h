// A neighborhood collective that all ranks of a communicator prepare together; prepare.cpp is the list of its
// steps, read that first.
#pragma once

#include "runtime/exchange/exchange_site.h"
#include "runtime/exchange/neighbor_call.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/exchange/variants.h"
#include "runtime/run/driver.h"

#include <functional>
#include <memory>
#include <mpi.h>
#include <string>
#include <string_view>

namespace tacit::runtime {

struct prepared_exchange;
/// Makes of what was prepared what the caller holds, before the last agreement: what it throws is an error of
/// all ranks.
using keep_prepared = std::function<void(prepared_exchange&)>;

struct exchange_request {
  const neighbor_call& call;
  const neighbor_options& options;            ///< of the communicator
  const MPI_Info* info = nullptr;             ///< of this operation; null: the communicator's options count
  const neighbors::variant* forced = nullptr; ///< the variant to take; null: the cheapest
  int first_tag = 0;                          ///< of this operation
  bool keeps_steps = false;                   ///< the caller will prepare it anew for other buffers
  const keep_prepared* keep = nullptr;        ///< null: nothing needs memory afterwards
};

/// For people: what was prepared, and why this and nothing else.
struct exchange_report {
  std::string_view driver;  ///< that runs it
  std::string steps;        ///< one line
  std::string remarks;      ///< which optimizations were used, and why others not
  agreed_variants variants; ///< what was compared, and taken
  std::string native_call;  ///< whether MPI's native call could be taken, or why not
  std::string model;        ///< where the prices are from

  /// The variant that really runs: "coalesced shm", "mpi".
  std::string variant() const;
  /// All lines but the first.
  std::string text() const;
};

struct prepared_exchange {
  exchange_report report;
  program steps;              ///< empty unless they are kept
  std::uint64_t feedback = 0; ///< runs after which other variants are wanted to be tried; 0: never
  std::unique_ptr<connection> peers;
  std::unique_ptr<execution> run; ///< after `peers`, which it uses
};

/// Collective, blocks. Throws neighbor_error, the same on all ranks.
prepared_exchange prepare(const exchange_site& site, const exchange_request& request);

} // namespace tacit::runtime
