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

/// A value that all ranks must have alike takes two words, itself and its complement: if all are equal, the minima are
/// complements, too; else they are the least value and the complement of the largest one.
enum word : std::size_t { length, number = 2, known = 4, commutes = 6, anywhere = 8, word_count = 9 };
using word_list = std::array<std::uint64_t, word_count>;

void put(word_list& list, word at, std::uint64_t value) {
  list[at] = value;
  list[at + 1] = ~value;
}
std::uint64_t least(const word_list& list, word at) {
  return list[at];
}
std::uint64_t largest(const word_list& list, word at) {
  return ~list[at + 1];
}
bool ranks_differ(const word_list& list, word at) {
  return least(list, at) != largest(list, at);
}

} // namespace

void add_operator(graph_builder& part, MPI_Op operation, MPI_Datatype type) {
  if (part.comm() == MPI_COMM_NULL)
    refuse_operator("the graph's communicator has been freed; add operators before that");
  const auto own = private_communicator::like(part.comm());
  agreement all(own.comm(), own.rank(), own.size(), add_operator_name);
  shared_operator made;
  all.here("reading its arguments", [&] { made = part.expect_operator(operation, type); });
  all.agree();
  word_list said{};
  put(said, length, made.reducer.element);
  put(said, number, part.shared_operators());
  put(said, known, made.known);
  put(said, commutes, made.reducer.commutative);
  said[anywhere] = made.reducer.anywhere;
  all.agree(said);
  if (ranks_differ(said, length))
    refuse_operator(fmt::format("elements have {} B on one rank and {} B on another", least(said, length),
                                largest(said, length)));
  if (ranks_differ(said, number))
    refuse_operator(fmt::format("one rank has added {} operators before, another {}", least(said, number),
                                largest(said, number)));
  if (ranks_differ(said, known))
    refuse_operator("some ranks add an operator of MPI's own on a type of MPI's own, others something else");
  if (ranks_differ(said, commutes)) // MPI's collectives choose by it what they do
    refuse_operator("the operator commutes on one rank and does not on another");
  if (made.known)
    return;
  made.reducer.anywhere = said[anywhere] != 0;
  part.share(std::move(made));
}

} // namespace tacit::runtime
