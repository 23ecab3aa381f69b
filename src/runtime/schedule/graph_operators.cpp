#include "runtime/schedule/graph_operators.h"

#include "runtime/mpi/agreement.h"
#include "runtime/mpi/private_communicator.h"

#include <array>
#include <fmt/format.h>

namespace tacit::runtime {
namespace {

constexpr const char* add_operator_name = "tacit_graph_add_operator";

[[noreturn]] void refuse_operator(const std::string& text) {
  throw call_error(call_error::kind::argument, fmt::format("{}: {}", add_operator_name, text), true);
}

/// A value that all ranks must have alike takes two words, itself and its complement: the minima are complements
/// if and only if all are equal.
struct alike {
  std::uint64_t value, complement;
  explicit alike(std::uint64_t v) : value(v), complement(~v) {}
};

} // namespace

void add_operator(graph_builder& part, MPI_Op operation, MPI_Datatype type) {
  if (part.comm() == MPI_COMM_NULL)
    refuse_operator("the graph's communicator has been freed; add operators before that");
  const auto own = private_communicator::like(part.comm());
  agreement all(own.comm(), own.rank(), own.size(), add_operator_name);
  shared_operator made;
  all.here("reading its arguments", [&] { made = part.expect_operator(operation, type); });
  all.agree();
  const alike length(made.reducer.element), number(part.shared_operators()), known(made.known),
      commutes(made.reducer.commutative);
  std::array<std::uint64_t, 9> words{length.value,      length.complement,   number.value,
                                     number.complement, known.value,         known.complement,
                                     commutes.value,    commutes.complement, made.reducer.anywhere};
  all.agree(words);
  if (words[0] != ~words[1])
    refuse_operator(fmt::format("elements have {} B on one rank and {} B on another", words[0], ~words[1]));
  if (words[2] != ~words[3])
    refuse_operator(fmt::format("one rank has added {} operators before, another {}", words[2], ~words[3]));
  if (words[4] != ~words[5])
    refuse_operator("some ranks add an operator of MPI's own on a type of MPI's own, others something else");
  if (words[6] != ~words[7]) // MPI's collectives choose by it what they do
    refuse_operator("the operator commutes on one rank and does not on another");
  if (made.known)
    return;
  made.reducer.anywhere = words[8] != 0;
  part.share(std::move(made));
}

} // namespace tacit::runtime
