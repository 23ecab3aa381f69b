// One-sided communication: which model of memory the windows have, and what MPI_Put with MPI_Win_flush costs.
#include "surface/measure/pair.h"

#include <algorithm>

namespace tacit::surface {

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
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  return out;
}

} // namespace tacit::surface
