// One-sided communication: which model of memory the windows have, what MPI_Put with MPI_Win_flush costs, and how many small
// operations get done, one by one and with one call for many (as the run time of annotated programs does it).
#include "surface/measure/pair.h"

#include <algorithm>

namespace tacit::surface {

namespace {

/// Elements of 8 bytes, every other place of the window; so many as one call of the run time of annotations has blocks.
constexpr int elements = 512;

enum class one_sided : std::uint8_t { put, get, accumulate };

void call(one_sided what, long long* data, int count, int other, MPI_Aint place, int target_count,
          MPI_Datatype type, MPI_Win window) {
  switch (what) {
  case one_sided::put:
    MPI_Put(data, count, MPI_LONG_LONG, other, place, target_count, type, window);
    break;
  case one_sided::get:
    MPI_Get(data, count, MPI_LONG_LONG, other, place, target_count, type, window);
    break;
  case one_sided::accumulate:
    MPI_Accumulate(data, count, MPI_LONG_LONG, other, place, target_count, type, MPI_SUM, window);
  }
}

void one_by_one(one_sided what, std::vector<long long>& data, int other, MPI_Win window) {
  for (int i = 0; i < elements; ++i)
    call(what, &data[static_cast<std::size_t>(i)], 1, other, MPI_Aint{16} * i, 1, MPI_LONG_LONG, window);
}

void together(one_sided what, std::vector<long long>& data, int other, MPI_Win window) {
  std::vector<int> places(elements);
  for (int i = 0; i < elements; ++i)
    places[static_cast<std::size_t>(i)] = 2 * i;
  MPI_Datatype type;
  MPI_Type_create_indexed_block(elements, 1, places.data(), MPI_LONG_LONG, &type);
  MPI_Type_commit(&type);
  call(what, data.data(), elements, other, 0, 1, type, window);
  MPI_Type_free(&type);
}

template <typename Operate>
graphs::spread time_of_each(const pair& p, MPI_Win window, Operate operate) {
  std::vector<double> list;
  bool warm = false;
  for (sampling s(p); s.more();) {
    if (!p.first())
      continue;
    const double start = now();
    operate();
    MPI_Win_flush(p.other(), window);
    if (warm)
      list.push_back((now() - start) / elements);
    warm = true;
  }
  return p.first() ? graphs::spread_of(std::move(list)) : graphs::spread{};
}

graphs::one_sided_rate rate(const pair& p, MPI_Win window, one_sided what) {
  std::vector<long long> data(elements, 1);
  graphs::one_sided_rate r;
  r.single = time_of_each(p, window, [&] { one_by_one(what, data, p.other(), window); });
  r.coalesced = time_of_each(p, window, [&] { together(what, data, p.other(), window); });
  return r;
}

/// What the origin is busy with, in MPI_Put and in the flush behind a computation that is long enough, has not moved meanwhile. The target
/// computes as long and is not in MPI.
graphs::put_overlap meanwhile(const pair& p, MPI_Win window, std::uint64_t bytes) {
  constexpr int small = 1024; // a row
  std::vector<char> source(bytes);
  const auto put = [&](std::uint64_t count) {
    const int n = static_cast<int>(count);
    MPI_Put(source.data(), n, MPI_BYTE, p.other(), 0, n, MPI_BYTE, window);
  };
  const auto transfer = [&](double computation) { // nanoseconds that are not spent computing
    rewrite(source, bytes, 1);
    MPI_Barrier(p.comm);
    const double start = now();
    double end = start;
    if (p.first())
      put(bytes);
    const double computed = now();
    compute_for(computation);
    end = now();
    if (p.first())
      MPI_Win_flush(p.other(), window);
    return computed - start + (now() - end);
  };
  std::vector<double> alone, list, calls;
  for (sampling s(p); s.more();)
    alone.push_back(transfer(0));
  double whole = std::max(graphs::spread_of(alone).median, 1.0);
  MPI_Bcast(&whole, 1, MPI_DOUBLE, 0, p.comm);
  for (sampling s(p); s.more();)
    list.push_back(std::clamp(100 * (1 - transfer(3 * whole + 1e4) / whole), 0.0, 100.0));
  for (sampling s(p); s.more();) {
    if (!p.first())
      continue;
    const double start = now();
    put(small);
    calls.push_back(std::max(now() - start, 0.1)); // the clock ticks
    MPI_Win_flush(p.other(), window);
  }
  return p.first() ? graphs::put_overlap{graphs::spread_of(calls), graphs::spread_of(list)}
                   : graphs::put_overlap{};
}

} // namespace

window_result window_costs(const pair& p) {
  const std::uint64_t largest = sizes().back();
  window_result out;
  MPI_Win window = MPI_WIN_NULL;
  char* memory = nullptr;
  MPI_Comm_set_errhandler(p.comm, MPI_ERRORS_RETURN);
  const int made =
      MPI_Win_allocate(static_cast<MPI_Aint>(largest), 1, MPI_INFO_NULL, p.comm, &memory, &window);
  MPI_Comm_set_errhandler(p.comm, MPI_ERRORS_ARE_FATAL);
  int all_made = made == MPI_SUCCESS;
  MPI_Allreduce(MPI_IN_PLACE, &all_made, 1, MPI_INT, MPI_MIN, p.comm);
  if (!all_made)
    return out; // one rank's window cannot be freed alone
  int* model = nullptr;
  int found = 0;
  MPI_Win_get_attr(window, MPI_WIN_MODEL, &model, &found);
  out.model =
      found && *model == MPI_WIN_UNIFIED ? graphs::window_model::unified : graphs::window_model::separate;
  std::vector<char> source(largest);
  MPI_Win_lock_all(0, window);
  for (const std::uint64_t bytes : sizes()) {
    const int n = static_cast<int>(bytes),
              repeats = static_cast<int>(std::clamp<std::uint64_t>(65536 / bytes, 1, 50));
    std::vector<double> list;
    bool warm = false;
    for (sampling s(p); s.more();) {
      if (!p.first())
        continue; // waits in the barrier: some MPIs need the target's progress
      const double start = now();
      for (int i = 0; i < repeats; ++i) {
        rewrite(source, bytes, static_cast<std::uint64_t>(i));
        MPI_Put(source.data(), n, MPI_BYTE, p.other(), 0, n, MPI_BYTE, window);
        MPI_Win_flush(p.other(), window);
      }
      if (warm)
        list.push_back((now() - start) / repeats);
      warm = true;
    }
    if (p.first())
      out.puts.push_back({bytes, graphs::spread_of(std::move(list))});
  }
  out.meanwhile = meanwhile(p, window, std::min<std::uint64_t>(largest, 1u << 18));
  out.put = rate(p, window, one_sided::put);
  out.get = rate(p, window, one_sided::get);
  out.accumulate = rate(p, window, one_sided::accumulate);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  return out;
}

} // namespace tacit::surface
