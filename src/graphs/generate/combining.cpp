// Reduce, allreduce, reduce-scatter and scans. Operands are input blocks, results output blocks 0; operands stay as they are. A piece is
// put in front of another one: what is there becomes the right operand.
#include "graphs/generate/algorithms.h"

#include <bit>

namespace tacit::graphs {
namespace {

const pieces operand = whole(region::input, 0), result = whole(region::output, 0);

/// What `from` has comes to `to` and is put in front of `target`.
void put_in_front(weaver& w, std::uint32_t from, const pieces& source, std::uint32_t to, const pieces& target,
                  std::uint32_t scratch) {
  const pieces arrived = whole(region::scratch, scratch);
  w.message(from, source, to, arrived);
  w.combine(to, arrived, target);
}

/// The root combines in the order of ranks, from the last to the first.
void reduce_linear(weaver& w, std::uint32_t root, std::uint32_t block) {
  const std::uint32_t p = w.size();
  for (std::uint32_t i = p; i-- > 0;) {
    const pieces from = whole(region::input, block);
    if (i + 1 == p)
      i == root ? w.copy(root, from, result) : w.message(i, from, root, result);
    else if (i == root)
      w.combine(root, from, result);
    else
      put_in_front(w, i, from, root, result, i);
  }
}

/// Partial results of others than the root are in scratch memory; leaves send their operand.
void reduce_binomial(weaver& w, std::uint32_t root) {
  const std::uint32_t p = w.size();
  const auto real = [&](std::uint32_t v) { return (v + root) % p; };
  const auto partial = [](std::uint32_t v) { return v == 0 ? result : whole(region::scratch, 0); };
  const auto has_children = [&](std::uint32_t v) { return v == 0 || (v % 2 == 0 && v + 1 < p); };
  for (std::uint32_t v = 0; v < p; ++v)
    if (has_children(v))
      w.copy(real(v), operand, partial(v));
  std::uint32_t arrivals = 1;
  for (std::uint32_t k = 1; k < p; k *= 2, ++arrivals)
    for (std::uint32_t v = 0; v + k < p; v += 2 * k)
      put_in_front(w, real(v + k), has_children(v + k) ? partial(v + k) : operand, real(v), partial(v),
                   arrivals);
}

void spread(weaver& w, std::uint32_t root) {
  for (std::uint32_t i = 0; i < w.size(); ++i)
    if (i != root)
      w.message(root, result, i, result);
}

void spread_binomial(weaver& w, std::uint32_t root) {
  const std::uint32_t p = w.size();
  each_binomial_edge(p, [&](std::uint32_t parent, std::uint32_t child, std::uint32_t) {
    w.message((parent + root) % p, result, (child + root) % p, result);
  });
}

/// Exchange with rank xor 2^k, folded.
void allreduce_doubling(weaver& w) {
  const fold f(w.size());
  for (std::uint32_t i = 0; i < w.size(); ++i)
    if (i >= 2 * f.extra || i % 2 == 0)
      w.copy(i, operand, result);
  for (std::uint32_t i = 0; i < f.extra; ++i)
    put_in_front(w, 2 * i + 1, operand, 2 * i, result, 0);
  std::uint32_t arrivals = 1;
  for (std::uint32_t k = 1; k < f.active; k *= 2, ++arrivals) {
    for (std::uint32_t i = 0; i < f.active; ++i)
      w.message(f.position(i), result, f.position(i ^ k), whole(region::scratch, arrivals));
    for (std::uint32_t i = 0; i < f.active; ++i)
      w.combine(f.position(i), whole(region::scratch, arrivals), result);
  }
  for (std::uint32_t i = 0; i < f.extra; ++i)
    w.message(2 * i, result, 2 * i + 1, result);
}

/// What is passed on is the result of an inclusive scan; in an exclusive one it is made beside it.
void scan_linear(weaver& w, bool inclusive) {
  const pieces beside = whole(region::scratch, 1);
  for (std::uint32_t i = 1; i < w.size(); ++i) {
    const pieces so_far = i == 1 ? operand : inclusive ? result : beside;
    if (inclusive) {
      w.copy(i, operand, result);
      put_in_front(w, i - 1, so_far, i, result, 0);
      continue;
    }
    w.message(i - 1, so_far, i, result);
    if (i + 1 < w.size()) {
      w.copy(i, operand, beside);
      w.combine(i, result, beside);
    }
  }
}

/// Hillis and Steele: after round k every member has combined its 2^k operands up to its own.
void scan_doubling(weaver& w, bool inclusive) {
  const std::uint32_t p = w.size();
  const pieces sum = inclusive ? result : whole(region::scratch, 0);
  for (std::uint32_t i = 1; i < p; ++i)
    if (inclusive || i + 1 < p)
      w.copy(i, operand, sum);
  std::uint32_t arrivals = 1;
  for (std::uint32_t k = 1; k < p; k *= 2, ++arrivals) {
    const pieces arrived = whole(region::scratch, arrivals);
    for (std::uint32_t i = 0; i + k < p; ++i)
      w.message(i, i == 0 ? operand : sum, i + k, arrived);
    for (std::uint32_t i = k; i < p; ++i) {
      if (!inclusive)
        k == 1 ? w.copy(i, arrived, result) : w.combine(i, arrived, result);
      if (inclusive || i + 2 * k < p) // it is sent again
        w.combine(i, arrived, sum);
    }
  }
}

/// All blocks straight to their owners, the nearest before it first.
void reduce_scatter_pairwise(weaver& w) {
  const std::uint32_t p = w.size();
  for (std::uint32_t i = 0; i < p; ++i)
    w.copy(i, whole(region::input, i), result);
  for (std::uint32_t step = 1; step < p; ++step)
    for (std::uint32_t i = 0; i < p; ++i) {
      const std::uint32_t to = (i + step) % p;
      put_in_front(w, i, whole(region::input, to), to, result, step - 1);
    }
}

/// The block of each member starts behind it and comes to it last.
void reduce_scatter_ring(weaver& w) {
  const std::uint32_t p = w.size();
  for (std::uint32_t step = 1; step < p; ++step)
    for (std::uint32_t of = 0; of < p; ++of) {
      const std::uint32_t from = (of + step) % p, to = (of + step + 1) % p;
      const pieces so_far = step == 1 ? whole(region::input, of) : whole(region::scratch, p + (step - 2) % 2);
      const pieces target = step + 1 == p ? result : whole(region::scratch, p + (step - 1) % 2);
      w.copy(to, whole(region::input, of), target);
      put_in_front(w, from, so_far, to, target, step % 2);
    }
}

/// Members exchange half of the blocks they still have, of those around the other one.
void reduce_scatter_halving(weaver& w) {
  const std::uint32_t p = w.size();
  const auto blocks = [&](std::uint32_t first, std::uint32_t count, std::uint32_t owner, bool combined) {
    pieces list;
    for (std::uint32_t of = first; of < first + count; ++of)
      list.push_back(!combined     ? piece{region::input, of}
                     : of == owner ? piece{region::output, 0}
                                   : piece{region::scratch, of});
    return list;
  };
  for (std::uint32_t k = p / 2; k > 0; k /= 2) {
    const bool combined = k < p / 2;
    for (std::uint32_t i = 0; i < p; ++i) {
      const std::uint32_t to = i ^ k, first = to / k * k;
      pieces arrived;
      for (std::uint32_t j = 0; j < k; ++j)
        arrived.push_back({region::scratch, p + (p - 2 * k) + j}); // rounds one after the other: p/2, p/4, …
      w.message(i, blocks(first, k, i, combined), to, arrived);
    }
    for (std::uint32_t i = 0; i < p; ++i) {
      const std::uint32_t first = i / k * k;
      for (std::uint32_t j = 0; j < k; ++j) {
        const pieces target = blocks(first + j, 1, i, true);
        if (!combined)
          w.copy(i, whole(region::input, first + j), target);
        w.combine(i, whole(region::scratch, p + (p - 2 * k) + j), target);
      }
    }
  }
}

} // namespace

void weave_reduce(weaver& w, algorithm form, std::uint32_t root) {
  form == algorithm::binomial ? reduce_binomial(w, root) : reduce_linear(w, root, 0);
}

void weave_allreduce(weaver& w, algorithm form, std::uint32_t root) {
  if (form == algorithm::recursive_doubling)
    return allreduce_doubling(w);
  weave_reduce(w, form, root);
  form == algorithm::binomial ? spread_binomial(w, root) : spread(w, root);
}

void weave_reduce_scatter(weaver& w, algorithm form) {
  if (w.size() == 1)
    return w.copy(0, operand, result);
  if (form == algorithm::pairwise)
    return reduce_scatter_pairwise(w);
  if (form == algorithm::ring)
    return reduce_scatter_ring(w);
  if (form == algorithm::recursive_halving)
    return reduce_scatter_halving(w);
  for (std::uint32_t i = 0; i < w.size(); ++i)
    reduce_linear(w, i, i);
}

void weave_scan(weaver& w, algorithm form, bool inclusive) {
  if (inclusive)
    w.copy(0, operand, result);
  form == algorithm::recursive_doubling ? scan_doubling(w, inclusive) : scan_linear(w, inclusive);
}

} // namespace tacit::graphs
