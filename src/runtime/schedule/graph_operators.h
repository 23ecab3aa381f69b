// Operators of the program that all ranks of a graph have.
//
// A handle of an operator means nothing on other ranks, and a rank that only sends has none at all. So the ranks add an operator
// together, as they add communicators (graph_communicators.h), and it gets a number, counted in the order of these calls.
#pragma once

#include "runtime/schedule/graph_builder.h"

#include <mpi.h>

namespace tacit::runtime {

/// Says that `operation`, on elements of `type`, is the same function on all ranks of the graph, so that a collective may combine
/// by it. Operators that differ, or elements of different lengths, are an error on all ranks. Collective over the graph's communicator.
void add_operator(graph_builder& part, MPI_Op operation, MPI_Datatype type);

} // namespace tacit::runtime
