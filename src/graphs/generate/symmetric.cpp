// Allgather, alltoall and barrier.
#include "graphs/generate/algorithms.h"

#include <bit>
#include <cassert>

namespace tacit::graphs {

fold::fold(std::uint32_t p) : active(std::bit_floor(p)), extra(p - std::bit_floor(p)) {}

namespace {

void allgather_linear(weaver& w) {
  for (std::uint32_t i = 0; i < w.size(); ++i)
    for (std::uint32_t k = 1; k < w.size(); ++k) {
      const std::uint32_t j = (i + k) % w.size();
      w.message(i, {slot(i, i)}, j, {slot(j, i)});
    }
}

void allgather_ring(weaver& w) {
  const std::uint32_t p = w.size();
  for (std::uint32_t step = 0; step + 1 < p; ++step)
    for (std::uint32_t s = 0; s < w.segments(); ++s)
      for (std::uint32_t r = 0; r < p; ++r) {
        const std::uint32_t to = (r + 1) % p, origin = (r + p - step) % p;
        piece from = slot(r, origin), into = slot(to, origin);
        from.segment = into.segment = static_cast<std::int32_t>(s);
        w.message(r, {from}, to, {into});
      }
}

// Bruck: after the step of distance d every rank holds the blocks of itself and the next 2d − 1 ranks, in
// rotated order; a local copy at the end rotates them into place.
void allgather_bruck(weaver& w) {
  const std::uint32_t p = w.size();
  const auto rotated = [](std::uint32_t k) {
    return k == 0 ? piece{region::input, 0} : piece{region::scratch, k - 1};
  };
  for (std::uint32_t d = 1; d < p; d *= 2)
    for (std::uint32_t r = 0; r < p; ++r) {
      pieces source, target;
      for (std::uint32_t k = 0; k < d && d + k < p; ++k) {
        source.push_back(rotated(k));
        target.push_back(rotated(d + k));
      }
      w.message(r, source, (r + p - d) % p, target);
    }
  for (std::uint32_t r = 0; r < p && p > 1; ++r) {
    pieces source, target;
    for (std::uint32_t o = 0; o < p; ++o) {
      if (o == r)
        continue;
      source.push_back(rotated((o + p - r) % p));
      target.push_back({region::output, o});
    }
    w.copy(r, source, target);
  }
}

/// What active position i of a fold stands for, as kept by `holder`.
void add_folded(const fold& f, std::uint32_t i, std::uint32_t holder, pieces& list) {
  list.push_back(slot(holder, f.position(i)));
  if (i < f.extra)
    list.push_back(slot(holder, f.position(i) + 1));
}

// Recursive doubling: in round k, position i exchanges all it has with position i xor 2^k.
void allgather_doubling(weaver& w) {
  const fold f(w.size());
  for (std::uint32_t i = 0; i < f.extra; ++i)
    w.message(2 * i + 1, {slot(2 * i + 1, 2 * i + 1)}, 2 * i, {slot(2 * i, 2 * i + 1)});
  for (std::uint32_t d = 1; d < f.active; d *= 2)
    for (std::uint32_t i = 0; i < f.active; ++i) {
      const std::uint32_t from = f.position(i), to = f.position(i ^ d), first = i & ~(d - 1);
      pieces source, target;
      for (std::uint32_t k = first; k < first + d; ++k) {
        add_folded(f, k, from, source);
        add_folded(f, k, to, target);
      }
      w.message(from, source, to, target);
    }
  for (std::uint32_t i = 0; i < f.extra; ++i) {
    pieces source, target;
    for (std::uint32_t o = 0; o < w.size(); ++o) {
      if (o == 2 * i + 1)
        continue;
      source.push_back(slot(2 * i, o));
      target.push_back(slot(2 * i + 1, o));
    }
    w.message(2 * i, source, 2 * i + 1, target);
  }
}

// Gather to the root and broadcast of the whole; the broadcast writes everybody's own place too, as it does
// in life.
void allgather_binomial(weaver& w, std::uint32_t root) {
  const std::uint32_t p = w.size();
  weave_gather(w, algorithm::binomial, root);
  each_binomial_edge(p, [&](std::uint32_t parent, std::uint32_t child, std::uint32_t) {
    assert(child < p);
    pieces source, target;
    for (std::uint32_t o = 0; o < p; ++o) {
      source.push_back(parent == 0 ? slot(root, o) : piece{region::output, o});
      target.push_back({region::output, o});
    }
    w.message((parent + root) % p, source, (child + root) % p, target);
  });
}

void alltoall_linear(weaver& w) {
  for (std::uint32_t i = 0; i < w.size(); ++i)
    for (std::uint32_t k = 1; k < w.size(); ++k) {
      const std::uint32_t j = (i + k) % w.size();
      w.message(i, {{region::input, j}}, j, {{region::output, i}});
    }
}

// Step k: everybody sends to the k-th rank to the right and receives from the k-th to the left, then waits
// for both.
void alltoall_pairwise(weaver& w) {
  const std::uint32_t p = w.size();
  for (std::uint32_t k = 1; k < p; ++k) {
    for (std::uint32_t r = 0; r < p; ++r)
      w.message(r, {{region::input, (r + k) % p}}, (r + k) % p, {{region::output, r}});
    for (std::uint32_t r = 0; r < p; ++r)
      w.wait(r);
  }
}

// Store and forward: in step s every rank passes on to the right all blocks of the rank s − 1 to its left
// that have not arrived yet. Two alternating halves of the scratch memory hold them.
void alltoall_ring(weaver& w) {
  const std::uint32_t p = w.size();
  const auto held = [p](std::uint32_t step, std::uint32_t k) {
    return piece{region::scratch, (step % 2) * p + k};
  };
  for (std::uint32_t step = 1; step < p; ++step)
    for (std::uint32_t r = 0; r < p; ++r) {
      const std::uint32_t origin = (r + p - (step - 1)) % p;
      pieces source, target;
      for (std::uint32_t k = 0; k < p - step; ++k) { // the block for the rank k + 1 to the right
        source.push_back(step == 1 ? piece{region::input, (r + 1 + k) % p} : held(step, k));
        target.push_back(k == 0 ? piece{region::output, origin} : held(step + 1, k - 1));
      }
      w.message(r, source, (r + 1) % p, target);
    }
}

// Bruck: rotate, then for each bit send the blocks whose distance has it set, then rotate back. A block that
// moves alternates between two buffers, so that no receive has to wait for the send of the same round.
void alltoall_bruck(weaver& w) {
  const std::uint32_t p = w.size();
  if (p == 1)
    return;
  std::vector<std::uint32_t> half(p,
                                  0); // which buffer holds the block of distance k now; the same on all ranks
  const auto at = [p](std::uint32_t k, std::uint32_t h) { return piece{region::scratch, h * p + k}; };
  for (std::uint32_t r = 0; r < p; ++r) {
    pieces source, target;
    for (std::uint32_t k = 1; k < p; ++k) {
      source.push_back({region::input, (r + k) % p});
      target.push_back(at(k, 0));
    }
    w.copy(r, source, target);
  }
  for (std::uint32_t d = 1; d < p; d *= 2) {
    for (std::uint32_t r = 0; r < p; ++r) {
      pieces source, target;
      for (std::uint32_t k = d; k < p; ++k) {
        if ((k & d) == 0)
          continue;
        source.push_back(at(k, half[k]));
        target.push_back(at(k, 1 - half[k]));
      }
      w.message(r, source, (r + d) % p, target);
    }
    for (std::uint32_t k = d; k < p; ++k)
      if ((k & d) != 0)
        half[k] = 1 - half[k];
  }
  for (std::uint32_t r = 0; r < p; ++r) {
    pieces source, target;
    for (std::uint32_t k = 1; k < p; ++k) {
      source.push_back(at(k, half[k]));
      target.push_back({region::output, (r + p - k) % p});
    }
    w.copy(r, source, target);
  }
}

// Butterfly (hypercube), p a power of two: in the round of distance d rank r gives its partner r xor d every
// slot x in which that bit of x and r differ. Below bit d the number of a slot is that of the block's origin,
// from there on that of its destination. A first move starts in the input block, a last one ends in the
// output block.
void alltoall_butterfly(weaver& w) {
  const std::uint32_t p = w.size();
  const auto place = [p](std::uint32_t r, std::uint32_t x,
                         std::uint32_t d) { // before the round of distance d
    const std::uint32_t moves = x ^ r, done = moves & (d - 1);
    if (done == 0)
      return piece{region::input, x};
    if (done == moves)
      return piece{region::output, x};
    return piece{region::scratch, (static_cast<std::uint32_t>(std::popcount(done)) % 2) * p + x};
  };
  for (std::uint32_t d = 1; d < p; d *= 2)
    for (std::uint32_t r = 0; r < p; ++r) {
      pieces source, target;
      for (std::uint32_t x = 0; x < p; ++x) {
        if (((x ^ r) & d) == 0)
          continue;
        source.push_back(place(r, x, d));
        target.push_back(place(r ^ d, x ^ d, 2 * d));
      }
      w.message(r, source, r ^ d, target);
    }
}

void barrier_linear(weaver& w, std::uint32_t root) {
  for (std::uint32_t k = 1; k < w.size(); ++k)
    w.signal((root + k) % w.size(), root);
  w.next_round();
  for (std::uint32_t k = 1; k < w.size(); ++k)
    w.signal(root, (root + k) % w.size());
}

void barrier_binomial(weaver& w, std::uint32_t root) {
  const auto tell = [&](std::uint32_t from, std::uint32_t to) {
    w.signal((from + root) % w.size(), (to + root) % w.size());
    w.next_round();
  };
  each_binomial_edge_up(w.size(), [&](auto parent, auto child, auto) { tell(child, parent); });
  each_binomial_edge(w.size(), [&](auto parent, auto child, auto) { tell(parent, child); });
}

// A token goes round twice: after the first round one rank has heard from all, the second tells the others.
void barrier_ring(weaver& w) {
  const std::uint32_t p = w.size();
  for (std::uint32_t step = 0; p > 1 && step < 2 * p - 1; ++step) {
    w.signal(step % p, (step + 1) % p);
    w.next_round();
  }
}

// Hensgen, Finkel, Manber: in round k every rank signals the rank 2^k to its right.
void barrier_dissemination(weaver& w) {
  const std::uint32_t p = w.size();
  for (std::uint32_t d = 1; d < p; d *= 2) {
    for (std::uint32_t r = 0; r < p; ++r)
      w.signal(r, (r + d) % p);
    w.next_round();
  }
}

void barrier_butterfly(weaver& w) {
  const fold f(w.size());
  for (std::uint32_t i = 0; i < f.extra; ++i)
    w.signal(2 * i + 1, 2 * i);
  w.next_round();
  for (std::uint32_t d = 1; d < f.active; d *= 2) {
    for (std::uint32_t i = 0; i < f.active; ++i)
      w.signal(f.position(i), f.position(i ^ d));
    w.next_round();
  }
  for (std::uint32_t i = 0; i < f.extra; ++i)
    w.signal(2 * i, 2 * i + 1);
}

} // namespace

void weave_allgather(weaver& w, algorithm form, std::uint32_t root) {
  if (form == algorithm::ring || form == algorithm::pipelined)
    return allgather_ring(w);
  if (form == algorithm::bruck)
    return allgather_bruck(w);
  if (form == algorithm::recursive_doubling || form == algorithm::butterfly)
    return allgather_doubling(w);
  if (form == algorithm::binomial)
    return allgather_binomial(w, root);
  allgather_linear(w);
}

void weave_alltoall(weaver& w, algorithm form) {
  if (form == algorithm::pairwise)
    return alltoall_pairwise(w);
  if (form == algorithm::ring)
    return alltoall_ring(w);
  if (form == algorithm::bruck)
    return alltoall_bruck(w);
  if (form == algorithm::butterfly)
    return alltoall_butterfly(w);
  alltoall_linear(w);
}

void weave_barrier(weaver& w, algorithm form, std::uint32_t root) {
  if (form == algorithm::binomial)
    return barrier_binomial(w, root);
  if (form == algorithm::ring)
    return barrier_ring(w);
  if (form == algorithm::dissemination)
    return barrier_dissemination(w);
  if (form == algorithm::recursive_doubling || form == algorithm::butterfly)
    return barrier_butterfly(w);
  barrier_linear(w, root);
}

} // namespace tacit::graphs
