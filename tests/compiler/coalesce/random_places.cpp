// Searches, as it were: several epochs of fences in which every process combines single numbers at places of all, near and far, few and
// many, in two windows; once as MPI's own calls and once through a region, with and without its promise that all come to fences together.
// Between them stand operations that are MPI's own, fetch, store or read, in stripes of each origin. Afterwards windows and results are
// the same, byte for byte. Not under Open MPI 4.1 with osc pt2pt: there MPI's own calls do not always leave what the program put last
// where it fetches and replaces in turns (three processes, seeds 7003, 7013 and 7015), and the region does.
//
//     random_places [cases [seed]]
#include "own_window.h"
#include "random_cases.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

int me, processes;

constexpr std::size_t places = 40000, stripe = 64; ///< of a window; of each origin behind them
constexpr std::size_t values = 5000;               ///< of the program, on many pages

struct number_type {
  MPI_Datatype type;
  std::size_t bytes;
  bool compares; ///< MPI_MIN and MPI_MAX are collected in line
};

struct combination {
  number_type number;
  MPI_Op op;
  MPI_Aint unit;
};

struct step {
  enum class kind { combine, put, fetch, pair, read, send } what;
  int window, target;
  std::size_t place, value;
};

struct plan {
  combination how[2];
  long long factor, memory;
  int flags;
  std::vector<int> opens, closes;        ///< assertions of the fences of each epoch
  std::vector<std::vector<step>> epochs; ///< of this process
  std::vector<std::int64_t> data;
};

using generator = std::mt19937_64;

std::size_t below(generator& g, std::size_t n) {
  return static_cast<std::size_t>(g() % n);
}

combination choose(generator& g) {
  const number_type types[] = {{MPI_INT64_T, 8, true},   {MPI_LONG, 8, true},      {MPI_INT, 4, true},
                               {MPI_UINT64_T, 8, false}, {MPI_UNSIGNED, 4, false}, {MPI_DOUBLE, 8, true}};
  const MPI_Op integers[] = {MPI_SUM, MPI_BOR, MPI_BAND, MPI_BXOR, MPI_PROD, MPI_MIN, MPI_MAX};
  combination made{types[below(g, 6)], MPI_MIN, 1};
  if (made.number.type == MPI_DOUBLE)
    made.op = below(g, 2) ? MPI_MIN : MPI_MAX;
  else
    made.op = integers[below(g, made.number.compares ? 7 : 5)];
  made.unit = below(g, 3) ? static_cast<MPI_Aint>(made.number.bytes) : 1;
  return made;
}

std::size_t any_place(generator& g, std::size_t spread) {
  return below(g, 8) == 0 ? below(g, places) : places / 3 * (spread % 3) + below(g, 1 + spread);
}

plan write_plan(std::uint64_t seed) {
  generator all(seed);
  plan p;
  p.how[0] = choose(all);
  p.how[1] = choose(all);
  const long long factors[] = {2, 100, 4096, 65536}, limits[] = {2000, 60000, 700000, 1 << 24};
  p.factor = factors[below(all, 4)];
  p.memory = limits[below(all, 4)];
  p.flags = below(all, 3) ? TACIT_COALESCE_COLLECTIVE : 0;
  const std::size_t spreads[] = {10, 300, 5000, places / 3 - 1};
  const std::size_t spread = spreads[below(all, 4)], epochs = 1 + below(all, 4);
  bool open = false;
  for (std::size_t e = 0; e < epochs; ++e) {
    p.opens.push_back(open ? -1 : below(all, 2) ? MPI_MODE_NOPRECEDE : 0);
    open = below(all, 2) && e + 1 < epochs;
    p.closes.push_back(open ? 0 : below(all, 2) ? MPI_MODE_NOSUCCEED : MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE);
  }
  const bool mixed = below(all, 2);
  generator own(seed * 7919 + static_cast<std::uint64_t>(me));
  for (std::size_t i = 0; i < values; ++i) {
    const auto v = static_cast<std::int64_t>(own() >> below(own, 60));
    if (p.how[0].number.type == MPI_DOUBLE || p.how[1].number.type == MPI_DOUBLE) {
      const double d = static_cast<double>(v % 1000) / 8 + 1;
      std::int64_t bits;
      std::memcpy(&bits, &d, sizeof bits);
      p.data.push_back(bits);
    } else {
      p.data.push_back(v);
    }
  }
  for (std::size_t e = 0; e < epochs; ++e) {
    std::vector<step> steps(below(own, below(own, 3) ? 400 : 6000));
    std::size_t stored = 0, read = 0; // what comes back has a place of its own
    for (step& s : steps) {
      s = {step::kind::combine, static_cast<int>(below(own, 2)),
           static_cast<int>(below(own, static_cast<std::size_t>(processes))), any_place(own, spread),
           below(own, values)};
      if (!mixed || below(own, 12) != 0)
        continue;
      const step::kind others[] = {step::kind::put, step::kind::fetch, step::kind::pair, step::kind::read,
                                   step::kind::send};
      s.what = others[below(own, 5)];
      if (s.what == step::kind::put) // each place once in an epoch
        s.place = stored++;
      if (s.what == step::kind::read || s.what == step::kind::fetch)
        s.value = read++;
      if (stored > stripe / 4 || read > values / 2)
        s.what = step::kind::send;
    }
    p.epochs.push_back(steps);
  }
  return p;
}

struct outcome {
  std::vector<char> memory[2];
  std::vector<std::int64_t> fetched, read;
};

class performer {
public:
  performer(const plan& p, bool collected) : p_(p), collected_(collected) {
    seen_.fetched.assign(values, 0);
    seen_.read.assign(values, 0);
    for (int w = 0; w < 2; ++w)
      make(w);
  }

  outcome run() {
    MPI_Barrier(MPI_COMM_WORLD);
    region_ = collected_ ? tacit_coalesce_begin(p_.factor, p_.memory, p_.flags, __FILE__, __LINE__) : nullptr;
    for (std::size_t e = 0; e < p_.epochs.size(); ++e) {
      for (int w = 0; p_.opens[e] >= 0 && w < 2; ++w)
        fence(p_.opens[e], w);
      for (const step& s : p_.epochs[e])
        perform(s);
      for (int w = 1; w >= 0; --w)
        fence(p_.closes[e], w);
    }
    tacit_coalesce_end(&region_);
    for (int w = 0; w < 2; ++w) {
      seen_.memory[w].assign(base_[w], base_[w] + bytes(w));
      free_window(base_[w], &win_[w]);
    }
    return seen_;
  }

private:
  std::size_t bytes(int w) const {
    return (places + stripe * static_cast<std::size_t>(processes + 1)) * p_.how[w].number.bytes;
  }
  void make(int w) {
    const auto size = static_cast<MPI_Aint>(bytes(w));
    base_[w] = make_window<char>(size, static_cast<int>(p_.how[w].unit), MPI_COMM_WORLD, &win_[w]);
    generator g(static_cast<std::uint64_t>(me + 100 * w));
    for (std::size_t i = 0; i < bytes(w) / p_.how[w].number.bytes; ++i) {
      const double d = static_cast<double>(below(g, 1000)) / 4;
      const auto v = static_cast<std::int64_t>(g() >> below(g, 60));
      char* const at = base_[w] + i * p_.how[w].number.bytes;
      if (p_.how[w].number.type == MPI_DOUBLE)
        std::memcpy(at, &d, 8);
      else
        std::memcpy(at, &v, p_.how[w].number.bytes);
    }
  }
  void fence(int assertion, int w) {
    region_ ? tacit_win_fence(region_, assertion, win_[w]) : MPI_Win_fence(assertion, win_[w]);
  }
  MPI_Aint displacement(const step& s, bool of_stripe) const {
    const std::size_t at =
        of_stripe ? places + stripe * static_cast<std::size_t>(me) + s.place % stripe : s.place;
    return static_cast<MPI_Aint>(at * p_.how[s.window].number.bytes) / p_.how[s.window].unit;
  }
  void perform(const step& s) {
    const MPI_Datatype t = p_.how[s.window].number.type;
    const MPI_Op op = p_.how[s.window].op;
    const MPI_Win win = win_[s.window];
    const std::int64_t* const from = &p_.data[s.value];
    switch (s.what) {
    case step::kind::combine:
      region_ ? tacit_accumulate(region_, from, 1, t, s.target, displacement(s, false), 1, t, op, win)
              : MPI_Accumulate(from, 1, t, s.target, displacement(s, false), 1, t, op, win);
      break;
    case step::kind::put: {
      const MPI_Aint at = displacement({s.what, s.window, s.target, s.place % (stripe / 4), 0}, true);
      region_ ? tacit_put(region_, from, 1, t, s.target, at, 1, t, win)
              : MPI_Put(from, 1, t, s.target, at, 1, t, win);
      break;
    }
    case step::kind::fetch: { // in order: each result shows what was there
      const MPI_Aint at = displacement({s.what, s.window, s.target, stripe / 4 + s.place % 4, 0}, true);
      auto* const into = &seen_.fetched[s.value];
      region_ ? tacit_fetch_and_op(region_, from, into, t, s.target, at, op, win)
              : MPI_Fetch_and_op(from, into, t, s.target, at, op, win);
      region_ ? tacit_accumulate(region_, from, 1, t, s.target, at, 1, t, MPI_REPLACE, win)
              : MPI_Accumulate(from, 1, t, s.target, at, 1, t, MPI_REPLACE, win);
      break;
    }
    case step::kind::pair: {
      MPI_Datatype both;
      MPI_Type_contiguous(2, t, &both);
      MPI_Type_commit(&both);
      const std::size_t first = std::min(s.value, values - 2);
      const MPI_Aint at = displacement({s.what, s.window, s.target, stripe / 2 + s.place % 8, 0}, true);
      region_ ? tacit_accumulate(region_, &p_.data[first], 1, both, s.target, at, 1, both, op, win)
              : MPI_Accumulate(&p_.data[first], 1, both, s.target, at, 1, both, op, win);
      region_ ? tacit_accumulate(region_, from, 1, t, s.target, at, 1, t, op, win)
              : MPI_Accumulate(from, 1, t, s.target, at, 1, t, op, win);
      MPI_Type_free(&both);
      break;
    }
    case step::kind::read: {
      const std::size_t at = places + stripe * static_cast<std::size_t>(processes) + s.place % stripe;
      const MPI_Aint disp = static_cast<MPI_Aint>(at * p_.how[s.window].number.bytes) / p_.how[s.window].unit;
      auto* const into = &seen_.read[s.value];
      region_ ? tacit_get(region_, into, 1, t, s.target, disp, 1, t, win)
              : MPI_Get(into, 1, t, s.target, disp, 1, t, win);
      break;
    }
    case step::kind::send:
      if (region_)
        tacit_coalesce_send(region_, s.value % 2 ? MPI_WIN_NULL : win,
                            s.value % 3 ? s.target : TACIT_ALL_TARGETS);
    }
  }

  const plan& p_;
  const bool collected_;
  MPI_Win win_[2];
  char* base_[2];
  tacit_coalesce* region_ = nullptr;
  outcome seen_;
};

bool same(std::uint64_t seed) {
  const plan p = write_plan(seed);
  const outcome expected = performer(p, false).run(), found = performer(p, true).run();
  int good = expected.fetched == found.fetched && expected.read == found.read;
  if (!good)
    std::fprintf(stderr, "seed %" PRIu64 ": rank %d: results differ\n", seed, me);
  for (int w = 0; w < 2; ++w)
    if (expected.memory[w] != found.memory[w]) {
      const auto at = static_cast<std::size_t>(
          std::mismatch(expected.memory[w].begin(), expected.memory[w].end(), found.memory[w].begin()).first -
          expected.memory[w].begin());
      std::fprintf(stderr,
                   "seed %" PRIu64
                   ": rank %d: window %d differs at place %zu (flags %d, factor %lld, memory %lld)\n",
                   seed, me, w, at / p.how[w].number.bytes, p.flags, p.factor, p.memory);
      good = 0;
    }
  int all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

} // namespace

int main(int argc, char** argv) {
  begin_cases(argc, argv, me, processes);
  const int failures = compare_cases(argc, argv, 100, "searches", same);
  MPI_Finalize();
  return failures != 0;
}
