// Random epochs twice: as MPI's own calls on one window, and through a region on its twin. Afterwards both windows and all that
// was fetched are the same, byte for byte.
//
//     random_epochs [cases [seed]]      prints the seed of the first case that differs; `random_epochs 1 SEED` repeats it
//
// What MPI leaves open must not decide: places that several processes accumulate to in one epoch have one operator, and one that
// commutes bit for bit; everything else happens in stripes of which each origin has its own. Puts of an epoch are disjoint, gets
// read what nobody writes.
#include "own_window.h"
#include "random_cases.h"

#include <mpi.h>
#include <tacit/coalesce.h>

#include <algorithm>
#include <cinttypes>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

int me, processes;
MPI_Group everybody;

struct type_row {
  const char* name;
  MPI_Datatype type;
  std::size_t bytes; ///< its extent
  char kind;         ///< i integer, f floating, c complex, b logical, y byte, p pair
};

std::vector<type_row> all_types() {
  return {{"MPI_INT8_T", MPI_INT8_T, 1, 'i'},
          {"MPI_INT16_T", MPI_INT16_T, 2, 'i'},
          {"MPI_INT", MPI_INT, 4, 'i'},
          {"MPI_INT64_T", MPI_INT64_T, 8, 'i'},
          {"MPI_OFFSET", MPI_OFFSET, 8, 'i'},
          {"MPI_UINT8_T", MPI_UINT8_T, 1, 'i'},
          {"MPI_UINT16_T", MPI_UINT16_T, 2, 'i'},
          {"MPI_UINT32_T", MPI_UINT32_T, 4, 'i'},
          {"MPI_UNSIGNED_LONG", MPI_UNSIGNED_LONG, 8, 'i'},
          {"MPI_FLOAT", MPI_FLOAT, 4, 'f'},
          {"MPI_DOUBLE", MPI_DOUBLE, 8, 'f'},
          {"MPI_BYTE", MPI_BYTE, 1, 'y'},
          {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX, 16, 'c'},
          {"MPI_C_BOOL", MPI_C_BOOL, 1, 'b'},
          {"MPI_2INT", MPI_2INT, 8, 'p'},
          {"MPI_DOUBLE_INT", MPI_DOUBLE_INT, 16, 'p'},
          {"MPI_LONG_INT", MPI_LONG_INT, 16, 'p'}};
}

struct op_row {
  const char* name;
  MPI_Op op;
  const char* kinds;    ///< of types
  const char* commutes; ///< kinds for which the order of processes does not matter
};

std::vector<op_row> all_ops() {
  return {{"MPI_SUM", MPI_SUM, "ifc", "i"},          {"MPI_PROD", MPI_PROD, "ifc", "i"},
          {"MPI_MIN", MPI_MIN, "if", "if"},          {"MPI_MAX", MPI_MAX, "if", "if"},
          {"MPI_BAND", MPI_BAND, "iy", "iy"},        {"MPI_BOR", MPI_BOR, "iy", "iy"},
          {"MPI_BXOR", MPI_BXOR, "iy", "iy"},        {"MPI_LAND", MPI_LAND, "ib", "ib"},
          {"MPI_LOR", MPI_LOR, "ib", "ib"},          {"MPI_LXOR", MPI_LXOR, "ib", "ib"},
          {"MPI_MINLOC", MPI_MINLOC, "p", "p"},      {"MPI_MAXLOC", MPI_MAXLOC, "p", "p"},
          {"MPI_REPLACE", MPI_REPLACE, "ifcybp", ""}};
}

bool has(const char* kinds, char kind) {
  return std::strchr(kinds, kind) != nullptr;
}

enum class call {
  put,
  get,
  accumulate,
  get_accumulate,
  fetch_and_op,
  compare_and_swap,
  put_derived,
  send_now
};

struct operation {
  call what;
  int target;
  std::size_t place; ///< bytes into the window
  int count;
  std::size_t type;   ///< row of all_types
  std::size_t op;     ///< row of all_ops; all_ops().size(): MPI_NO_OP
  std::size_t origin; ///< bytes into the data
  std::size_t result; ///< bytes into the results
};

enum class synchronization { fence, lock, lock_all, pscw };
constexpr const char* names_of_synchronizations[] = {"fence", "lock", "lock_all", "pscw"};

struct settings {
  synchronization sync;
  std::size_t factor, memory;
  int unit, flags;
  bool many_places;
  std::size_t common_type, common_op;
};

// A window: [0, common) accumulated to by all; then for each origin a stripe; then a part that is only put to, a stripe for each
// origin; then one that is only read.
constexpr std::size_t type_area = 64; ///< of a stripe: one for each type, so that no place has two types
constexpr std::size_t common = 1024, stripe = 17 * type_area, put_stripe = 512, read_only = 1024;

std::size_t window_bytes() {
  return common + static_cast<std::size_t>(processes) * (stripe + put_stripe) + read_only;
}
std::size_t stripe_of(int origin) {
  return common + static_cast<std::size_t>(origin) * stripe;
}
std::size_t puts_of(int origin) {
  return common + static_cast<std::size_t>(processes) * stripe +
         static_cast<std::size_t>(origin) * put_stripe;
}
std::size_t reads() {
  return common + static_cast<std::size_t>(processes) * (stripe + put_stripe);
}

using generator = std::mt19937_64;

std::size_t below(generator& g, std::size_t n) {
  return static_cast<std::size_t>(g() % n);
}

/// Values that are numbers in every type, some of them equal, some zero.
void fill_value(generator& g, const type_row& t, char* at) {
  std::memset(at, 0, t.bytes);
  const auto small = static_cast<int>(below(g, 7)) - 3;
  switch (t.kind) {
  case 'i': {
    const std::uint64_t any = below(g, 3) ? static_cast<std::uint64_t>(small) : g();
    std::memcpy(at, &any, t.bytes);
    break;
  }
  case 'y':
    *at = static_cast<char>(g());
    break;
  case 'b':
    *at = static_cast<char>(g() & 1);
    break;
  case 'f':
    if (t.bytes == 4) {
      const float f = static_cast<float>(small) * 0.37f;
      std::memcpy(at, &f, 4);
    } else {
      const double f = small * 0.37;
      std::memcpy(at, &f, 8);
    }
    break;
  case 'c': {
    const std::complex<double> z(small * 0.3, 0.7);
    std::memcpy(at, &z, sizeof z);
    break;
  }
  default: // pairs
    if (t.type == MPI_2INT) {
      const int pair[2] = {small, static_cast<int>(below(g, 5))};
      std::memcpy(at, pair, sizeof pair);
    } else {
      const int location = static_cast<int>(below(g, 5));
      if (t.type == MPI_DOUBLE_INT) {
        const double value = small;
        std::memcpy(at, &value, 8);
      } else {
        const long value = small;
        std::memcpy(at, &value, 8);
      }
      std::memcpy(at + 8, &location, 4);
    }
  }
}

/// What one process does in one epoch.
struct script {
  settings how;
  std::vector<operation> operations;
  std::vector<char> data;
  std::size_t results = 0;
  std::vector<char> window; ///< at the beginning
};

class writer {
public:
  writer(script& s, generator& g) : s_(s), g_(g), types_(all_types()), ops_(all_ops()) {}

  void add(operation o, std::size_t values) {
    const type_row& t = types_[o.type];
    o.origin = align(s_.data.size());
    s_.data.resize(o.origin + values * t.bytes);
    for (std::size_t i = 0; i < values; ++i)
      fill_value(g_, t, s_.data.data() + o.origin + i * t.bytes);
    o.result = align(s_.results);
    if (o.what == call::get || o.what == call::get_accumulate || o.what == call::fetch_and_op ||
        o.what == call::compare_and_swap)
      s_.results = o.result + static_cast<std::size_t>(o.count) * t.bytes;
    s_.operations.push_back(o);
  }

  int any_target() { return static_cast<int>(below(g_, static_cast<std::size_t>(processes))); }
  /// A multiple of the displacement unit, where the elements are aligned.
  std::size_t place(std::size_t area, std::size_t bytes, const type_row& t, int count) {
    const std::size_t step = std::max(t.bytes, static_cast<std::size_t>(s_.how.unit));
    const std::size_t room = bytes - static_cast<std::size_t>(count) * t.bytes;
    std::size_t choices = room / step + 1;
    if (!s_.how.many_places)
      choices = std::min<std::size_t>(choices, 3);
    return area + below(g_, choices) * step;
  }
  int some(std::size_t bytes, const type_row& t) {
    const std::size_t most = std::min<std::size_t>(bytes / t.bytes, below(g_, 4) ? 2 : 6);
    return static_cast<int>(1 + below(g_, most));
  }

  void to_common() {
    const type_row& t = types_[s_.how.common_type];
    const int count = some(common, t);
    add({call::accumulate, any_target(), place(0, common, t, count), count, s_.how.common_type,
         s_.how.common_op, 0, 0},
        static_cast<std::size_t>(count));
  }
  void to_stripe(int target) {
    const std::size_t type = below(g_, types_.size());
    const type_row& t = types_[type];
    std::size_t op;
    do
      op = below(g_, ops_.size() + 1);
    while (op < ops_.size() && !has(ops_[op].kinds, t.kind));
    call what = op == ops_.size() ? call::get_accumulate
                : below(g_, 3)    ? call::accumulate
                                  : call::get_accumulate;
    if (what == call::get_accumulate && below(g_, 3) == 0)
      what = call::fetch_and_op;
    // Where ranks read each other's memory, Open MPI 4.1.4 ends with a segmentation fault when eight bytes are swapped.
    const bool may_swap = (t.kind == 'i' || t.kind == 'y') && t.bytes < 8;
    if (below(g_, 16) == 0 && may_swap)
      what = call::compare_and_swap;
    const bool one = what == call::fetch_and_op || what == call::compare_and_swap;
    const int count = one ? 1 : some(type_area, t);
    add({what, target, place(stripe_of(me) + type * type_area, type_area, t, count), count, type, op, 0, 0},
        what == call::compare_and_swap ? 2 : static_cast<std::size_t>(count));
  }
  void read(int target) {
    const std::size_t type = below(g_, types_.size());
    const type_row& t = types_[type];
    const int count = some(read_only, t);
    add({call::get, target, place(reads(), read_only, t, count), count, type, 0, 0, 0}, 0);
  }
  /// Slots of 16 bytes, each put to at most once.
  void put_everywhere(int target) {
    std::vector<std::size_t> slots(put_stripe / 32);
    for (std::size_t i = 0; i < slots.size(); ++i)
      slots[i] = i;
    std::shuffle(slots.begin(), slots.end(), g_);
    slots.resize(below(g_, slots.size()));
    for (const std::size_t slot : slots) {
      const std::size_t type = below(g_, types_.size());
      const bool derived = below(g_, 12) == 0;
      const int count = derived ? 4 : static_cast<int>(1 + below(g_, 16 / types_[type].bytes));
      add({derived ? call::put_derived : call::put, target, puts_of(me) + slot * 32, count,
           derived ? 2 : type, 0, 0, 0},
          static_cast<std::size_t>(count));
    }
  }

private:
  static std::size_t align(std::size_t at) { return (at + 15) / 16 * 16; }
  script& s_;
  generator& g_;
  std::vector<type_row> types_;
  std::vector<op_row> ops_;
};

settings choose(generator& g) {
  const auto types = all_types();
  const auto ops = all_ops();
  settings s{};
  s.sync = static_cast<synchronization>(below(g, 4));
  const std::size_t factors[] = {1, 2, 3, 7, 64, 16384};
  s.factor = factors[below(g, 6)];
  const std::size_t limits[] = {1000, 6000, 20000, 100000, 1 << 24};
  s.memory = limits[below(g, 5)];
  const int units[] = {1, 4, 8, 16};
  s.unit = units[below(g, 4)];
  s.many_places = below(g, 2);
  s.flags = below(g, 2) ? TACIT_COALESCE_COLLECTIVE : 0;
  do {
    s.common_type = below(g, types.size());
    s.common_op = below(g, ops.size());
  } while (!has(ops[s.common_op].commutes, types[s.common_type].kind));
  return s;
}

script write_script(std::uint64_t seed) {
  generator together(seed);
  script s;
  s.how = choose(together);
  generator own(seed * 1000003 + static_cast<std::uint64_t>(me));
  const auto types = all_types();
  s.window.assign(window_bytes(), 0);
  const type_row& t = types[s.how.common_type];
  for (std::size_t at = 0; at + t.bytes <= common; at += t.bytes)
    fill_value(own, t, s.window.data() + at);
  for (int origin = 0; origin < processes; ++origin)
    for (std::size_t type = 0; type < types.size(); ++type)
      for (std::size_t at = 0; at + types[type].bytes <= type_area; at += types[type].bytes)
        fill_value(own, types[type], s.window.data() + stripe_of(origin) + type * type_area + at);
  for (std::size_t at = 0; at < read_only; ++at)
    s.window[reads() + at] = static_cast<char>(own());
  writer w(s, own);
  const std::size_t length = 1 + below(own, below(own, 4) ? 60 : 400);
  for (int target = 0; target < processes; ++target)
    w.put_everywhere(target);
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t kind = below(own, 20);
    if (kind < 8)
      w.to_common();
    else if (kind < 16)
      w.to_stripe(w.any_target());
    else if (kind < 19)
      w.read(w.any_target());
    else if (below(own, 3) == 0)
      s.operations.push_back({call::send_now, w.any_target(), 0, 0, 0, 0, 0, 0});
  }
  // The puts in between the others; the order of all others stays.
  std::vector<operation> mixed;
  std::vector<operation> puts, others;
  for (const operation& o : s.operations)
    (o.what == call::put || o.what == call::put_derived ? puts : others).push_back(o);
  std::size_t p = 0, o = 0;
  while (p < puts.size() || o < others.size())
    mixed.push_back(o == others.size() || (p < puts.size() && below(own, 2)) ? puts[p++] : others[o++]);
  s.operations = mixed;
  return s;
}

/// The calls of an epoch, as MPI has them or through a region.
class performer {
public:
  performer(const script& s, tacit_coalesce* region, MPI_Win win, std::vector<char>& results)
      : s_(s), region_(region), win_(win), results_(results), types_(all_types()), ops_(all_ops()) {}

  void epoch() {
    switch (s_.how.sync) {
    case synchronization::fence:
      MPI_Win_fence(0, win_);
      for (const operation& o : s_.operations)
        perform(o);
      region_ ? tacit_win_fence(region_, 0, win_) : MPI_Win_fence(0, win_);
      break;
    case synchronization::lock:
      for (int target = 0; target < processes; ++target)
        locked(target);
      break;
    case synchronization::lock_all:
      region_ ? tacit_win_lock_all(region_, 0, win_) : MPI_Win_lock_all(0, win_);
      for (std::size_t i = 0; i < s_.operations.size(); ++i) {
        perform(s_.operations[i]);
        if (i % 37 == 36)
          flush(s_.operations[i].target, i % 4);
      }
      region_ ? tacit_win_unlock_all(region_, win_) : MPI_Win_unlock_all(win_);
      break;
    case synchronization::pscw:
      MPI_Win_post(everybody, 0, win_);
      MPI_Win_start(everybody, 0, win_);
      for (const operation& o : s_.operations)
        perform(o);
      region_ ? tacit_win_complete(region_, win_) : MPI_Win_complete(win_);
      MPI_Win_wait(win_);
      break;
    }
  }

private:
  void locked(int target) {
    region_ ? tacit_win_lock(region_, MPI_LOCK_SHARED, target, 0, win_)
            : MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win_);
    for (const operation& o : s_.operations)
      if (o.target == target)
        perform(o);
    region_ ? tacit_win_unlock(region_, target, win_) : MPI_Win_unlock(target, win_);
  }

  void flush(int target, std::size_t how) {
    switch (how) {
    case 0:
      region_ ? tacit_win_flush(region_, target, win_) : MPI_Win_flush(target, win_);
      break;
    case 1:
      region_ ? tacit_win_flush_all(region_, win_) : MPI_Win_flush_all(win_);
      break;
    case 2:
      region_ ? tacit_win_flush_local(region_, target, win_) : MPI_Win_flush_local(target, win_);
      break;
    default:
      region_ ? tacit_win_flush_local_all(region_, win_) : MPI_Win_flush_local_all(win_);
    }
  }

  void perform(const operation& o) {
    const void* const from = s_.data.data() + o.origin;
    void* const into = results_.data() + o.result;
    const MPI_Datatype t = types_[o.type].type;
    const MPI_Op op = o.op < ops_.size() ? ops_[o.op].op : MPI_NO_OP;
    const MPI_Aint at = static_cast<MPI_Aint>(o.place) / s_.how.unit;
    switch (o.what) {
    case call::put:
      region_ ? tacit_put(region_, from, o.count, t, o.target, at, o.count, t, win_)
              : MPI_Put(from, o.count, t, o.target, at, o.count, t, win_);
      break;
    case call::put_derived: {
      MPI_Datatype every_other;
      MPI_Type_vector(o.count, 1, 2, t, &every_other);
      MPI_Type_commit(&every_other);
      region_ ? tacit_put(region_, from, o.count, t, o.target, at, 1, every_other, win_)
              : MPI_Put(from, o.count, t, o.target, at, 1, every_other, win_);
      MPI_Type_free(&every_other);
      break;
    }
    case call::get:
      region_ ? tacit_get(region_, into, o.count, t, o.target, at, o.count, t, win_)
              : MPI_Get(into, o.count, t, o.target, at, o.count, t, win_);
      break;
    case call::accumulate:
      region_ ? tacit_accumulate(region_, from, o.count, t, o.target, at, o.count, t, op, win_)
              : MPI_Accumulate(from, o.count, t, o.target, at, o.count, t, op, win_);
      break;
    case call::get_accumulate:
      region_ ? tacit_get_accumulate(region_, from, o.count, t, into, o.count, t, o.target, at, o.count, t,
                                     op, win_)
              : MPI_Get_accumulate(from, o.count, t, into, o.count, t, o.target, at, o.count, t, op, win_);
      break;
    case call::fetch_and_op:
      region_ ? tacit_fetch_and_op(region_, from, into, t, o.target, at, op, win_)
              : MPI_Fetch_and_op(from, into, t, o.target, at, op, win_);
      break;
    case call::compare_and_swap: {
      const char* const compare = static_cast<const char*>(from) + types_[o.type].bytes;
      region_ ? tacit_compare_and_swap(region_, from, compare, into, t, o.target, at, win_)
              : MPI_Compare_and_swap(from, compare, into, t, o.target, at, win_);
      break;
    }
    case call::send_now:
      if (region_)
        tacit_coalesce_send(region_, win_, o.target);
    }
  }

  const script& s_;
  tacit_coalesce* region_;
  MPI_Win win_;
  std::vector<char>& results_;
  std::vector<type_row> types_;
  std::vector<op_row> ops_;
};

struct outcome {
  std::vector<char> window, results;
};

outcome run(const script& s, bool collected) {
  outcome seen;
  seen.results.assign(s.results + 16, 0);
  MPI_Win win;
  char* const memory =
      make_window<char>(static_cast<MPI_Aint>(s.window.size()), s.how.unit, MPI_COMM_WORLD, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, me, 0, win);
  std::memcpy(memory, s.window.data(), s.window.size());
  MPI_Win_unlock(me, win);
  MPI_Barrier(MPI_COMM_WORLD);
  {
    TACIT_COALESCE_GUARDED tacit_coalesce* region =
        collected
            ? tacit_coalesce_begin(static_cast<long long>(s.how.factor), static_cast<long long>(s.how.memory),
                                   s.how.flags, __FILE__, __LINE__)
            : nullptr;
    performer(s, region, win, seen.results).epoch();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
  seen.window.assign(memory, memory + s.window.size());
  MPI_Win_unlock(me, win);
  free_window(memory, &win);
  return seen;
}

void tell(const script& s, std::uint64_t seed, const char* what, const std::vector<char>& expected,
          const std::vector<char>& found) {
  const auto types = all_types();
  const auto ops = all_ops();
  const auto at = static_cast<std::size_t>(
      std::mismatch(expected.begin(), expected.end(), found.begin()).first - expected.begin());
  std::fprintf(stderr, "seed %" PRIu64 ": rank %d: byte %zu of its %s is %d, and %d as MPI's own calls\n",
               seed, me, at, what, found[at], expected[at]);
  std::fprintf(stderr, "  %s, factor %zu, memory %zu, unit %d, %s places, common %s %s, %zu operations\n",
               names_of_synchronizations[static_cast<int>(s.how.sync)], s.how.factor, s.how.memory,
               s.how.unit, s.how.many_places ? "many" : "few", ops[s.how.common_op].name,
               types[s.how.common_type].name, s.operations.size());
  if (*what == 'r')
    for (const operation& o : s.operations)
      if (o.result <= at && at < o.result + static_cast<std::size_t>(o.count) * types[o.type].bytes &&
          (o.what == call::get || o.what == call::get_accumulate || o.what == call::fetch_and_op ||
           o.what == call::compare_and_swap))
        std::fprintf(stderr, "  call %d of %d %s, %s, at byte %zu of process %d\n", static_cast<int>(o.what),
                     o.count, types[o.type].name, o.op < ops.size() ? ops[o.op].name : "MPI_NO_OP", o.place,
                     o.target);
  if (*what == 'w' && at >= common && at < puts_of(0))
    std::fprintf(stderr, "  stripe of origin %zu, %s\n", (at - common) / stripe,
                 types[(at - common) % stripe / type_area].name);
}

bool same(std::uint64_t seed) {
  const script s = write_script(seed);
  const outcome expected = run(s, false);
  const outcome found = run(s, true);
  int good = 1;
  if (expected.window != found.window)
    tell(s, seed, "window", expected.window, found.window), good = 0;
  else if (expected.results != found.results)
    tell(s, seed, "results", expected.results, found.results), good = 0;
  int all = 0;
  MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

} // namespace

int main(int argc, char** argv) {
  begin_cases(argc, argv, me, processes);
  MPI_Comm_group(MPI_COMM_WORLD, &everybody);
  const int failures = compare_cases(argc, argv, 200, "epochs", same);
  MPI_Group_free(&everybody);
  MPI_Finalize();
  return failures != 0;
}
