// Which mapper of the catalogue a functor of the user is, found by asking it.
//
// Problem: a lambda that equals `all` is as good as `all`, but all that can be done with it is to call it. Idea: the answers
// for the whole range and for its halves determine the only term it can be (which dimension of the chunk each dimension of the
// buffer follows, by how much it is widened); then it is held against this term on two descents from the whole range to a
// single item, along which every box is cut in two. On the same descents f(A ∪ B) = f(A) ∪ f(B) is checked, so that a functor
// that is no homomorphism is found if any of these cuts shows it. Of at most 64 items each is asked, which decides: divisions of
// few elements by others' rules look like a term here and there. With more items a functor may still differ where it was not asked:
// each rank compares its own chunk, so that together all chunks are compared (commands/planner.cpp). Cost: four calls for each
// halving of the range.
#pragma once

#include "tasks/mapper/mapper.h"

#include <optional>

namespace tacit::tasks {

struct probed {
  std::optional<term> recognized;
  /// Two boxes whose union is mapped to something else than the union of what they are mapped to.
  std::optional<std::pair<box, box>> counterexample;
};

probed probe(const mapper_function& function, const box& global, const range& extent);

} // namespace tacit::tasks
