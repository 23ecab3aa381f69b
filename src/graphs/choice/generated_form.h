// The collectives of a plan carried out by messages, as a well-known algorithm does it (graphs/generate).
#pragma once

#include "graphs/cost/makespan.h"
#include "graphs/generate/generate.h"
#include "graphs/graph/graph.h"
#include "graphs/plan/plan.h"

namespace tacit::graphs {

/// What becomes of collectives whose blocks differ in length.
enum class vector_collectives : std::uint8_t { straight, by_algorithm };

/// Whether some collective of the plan can be carried out so: the algorithm exists for its pattern and its number of members. Two levels
/// need members on several nodes, several on one of them.
bool has_form(const graph& g, const plan& p, algorithm form,
              vector_collectives vectors = vector_collectives::straight, const process_map& where = {});

/// The plan with messages in place of collectives: by the algorithm where it can be, else straight from origin to destination;
/// barriers by dissemination. What else is in the plan stays as it is. Segments of pipelined forms are some 32 KiB long.
plan with_messages(const graph& g, const plan& p, algorithm form,
                   vector_collectives vectors = vector_collectives::straight, const process_map& where = {});

/// Reductions that have to keep an order by messages, each at one rank; the other collectives as they are. All drivers carry it out.
plan with_ordered_by_messages(const graph& g, const plan& p);

} // namespace tacit::graphs
