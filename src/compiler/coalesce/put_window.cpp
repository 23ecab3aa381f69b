#include "compiler/coalesce/put_window.h"

#include "compiler/coalesce/once_more.h"
#include "compiler/hooks/devices.h"
#include "compiler/hooks/settings.h"

#include <climits>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tacit::compiler {
namespace {

constexpr std::size_t most_memory = std::size_t{64} << 20;

/// What stands in the way of a window here; null: nothing. The least of all answers counts, so the order is that of importance.
enum class obstacle_of_puts : int {
  no_window,
  no_memory,
  several_threads,
  devices,
  mixed_up,
  too_large,
  none
};

const char* words_of(obstacle_of_puts o) {
  switch (o) {
  case obstacle_of_puts::no_window:
  case obstacle_of_puts::no_memory:
    return "a process has no memory for a window, or MPI none";
  case obstacle_of_puts::several_threads:
    return "several threads of a process may call MPI, which could make windows in different orders";
  case obstacle_of_puts::devices:
    return "a process has loaded a library of devices";
  case obstacle_of_puts::mixed_up:
    return "the communicator has not all processes, and Open MPI mixes up windows that several such make at "
           "a time";
  case obstacle_of_puts::too_large:
    return "the window would take more than TACIT_PIPELINE_MEMORY in a process";
  case obstacle_of_puts::none:
    break;
  }
  return nullptr;
}

bool has_several_threads() {
  int level = MPI_THREAD_SINGLE;
  return MPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE;
}

bool is_open_mpi() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  return MPI_Get_library_version(version, &length) != MPI_SUCCESS || std::strstr(version, "Open MPI");
}

/// Open MPI 4.1.4 names the memory of a window by the job and by the number of the communicator, which is the same one for halves of the world,
/// say: those that make their windows at the same time then share the memory, and find each other's data.
bool mixes_up_windows(MPI_Comm comm) {
  int compared = MPI_UNEQUAL;
  return is_open_mpi() &&
         (MPI_Comm_compare(comm, MPI_COMM_WORLD, &compared) != MPI_SUCCESS || compared == MPI_UNEQUAL);
}

/// MPICH 4.0.2 loses puts into windows that it allocates unless the bytes of every process are a multiple of 16: it rounds them up where it
/// looks for the parts of others, and not where each process finds its own. Of 64, as a line is then nobody else's.
constexpr MPI_Aint unit_of_windows = 64;

MPI_Aint whole_units(MPI_Aint bytes) {
  return (bytes + unit_of_windows - 1) / unit_of_windows * unit_of_windows;
}

/// In front of the call that makes a window together: who finds no memory in it leaves the others waiting.
bool has_memory_for(MPI_Aint bytes) {
  void* volatile there =
      std::malloc(static_cast<std::size_t>(bytes)); // volatile: compilers may take it for granted
  std::free(there);
  return there;
}

obstacle_of_puts obstacle_here(const own_communicator& own, std::size_t block) {
  const auto processes = static_cast<std::size_t>(own.processes);
  const std::size_t limit =
      tacit_size_setting("TACIT_PIPELINE_MEMORY", most_memory, "a number of bytes, such as 64M");
  if (has_several_threads())
    return obstacle_of_puts::several_threads;
  if (tacit_uses_devices())
    return obstacle_of_puts::devices;
  if (mixes_up_windows(own.handle))
    return obstacle_of_puts::mixed_up;
  return block > INT_MAX || block > limit / 2 / processes ? obstacle_of_puts::too_large
                                                          : obstacle_of_puts::none;
}

/// Begins the epoch that lasts as long as the window.
obstacle_of_puts begun_epoch(MPI_Win win) {
  if (win == MPI_WIN_NULL)
    return obstacle_of_puts::no_window;
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  return succeeds_once_more([&] { return MPI_Win_lock_all(MPI_MODE_NOCHECK, win); })
             ? obstacle_of_puts::none
             : obstacle_of_puts::no_memory;
}

/// Of all processes the worst one.
obstacle_of_puts agreed(obstacle_of_puts here, const own_communicator& own) {
  double least = static_cast<double>(here);
  return least_of_all(own, &least, 1) ? static_cast<obstacle_of_puts>(static_cast<int>(least))
                                      : obstacle_of_puts::no_memory;
}

} // namespace

put_window* put_window::make(const own_communicator& own, std::ptrdiff_t block, const char*& why) {
  void* const room = std::malloc(sizeof(put_window));
  obstacle_of_puts here =
      room ? obstacle_here(own, static_cast<std::size_t>(block)) : obstacle_of_puts::no_memory;
  const MPI_Aint bytes = whole_units(MPI_Aint{2} * own.processes * block);
  if (here == obstacle_of_puts::none && !has_memory_for(bytes))
    here = obstacle_of_puts::no_memory;
  obstacle_of_puts all = agreed(here, own);
  why = words_of(all);
  if (all != obstacle_of_puts::none) {
    std::free(room);
    return nullptr;
  }
  auto* const made = new (room) put_window();
  made->own_ = own;
  made->block_ = block;
  for (int i = 0; i < most_tries && made->handle_ == MPI_WIN_NULL; ++i)
    if (MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, own.handle, static_cast<void*>(&made->memory_),
                         &made->handle_) != MPI_SUCCESS)
      let_others_go_on();
  all = agreed(begun_epoch(made->handle_), own);
  why = words_of(all);
  if (all == obstacle_of_puts::none)
    return made;
  if (all != obstacle_of_puts::no_window) // a window that not all have cannot be freed, nor its memory
    free(made);
  else
    std::free(room);
  return nullptr;
}

void put_window::free(put_window* window) {
  if (!window)
    return;
  MPI_Win_unlock_all(window->handle_); // an error where there was no epoch
  MPI_Win_free(&window->handle_);
  std::free(window);
}

void put_window::put(const char* origin, std::ptrdiff_t block, std::ptrdiff_t from, std::ptrdiff_t bytes) {
  for (int distance = 1; !failed_ && distance < own_.processes;
       ++distance) { // not all to the same one at once
    const int to = (own_.rank + distance) % own_.processes;
    const MPI_Aint place = half() + own_.rank * block_ + from;
    failed_ = !succeeds_once_more([&] {
      return MPI_Put(origin + to * block + from, static_cast<int>(bytes), MPI_BYTE, to, place,
                     static_cast<int>(bytes), MPI_BYTE, handle_);
    });
  }
}

void put_window::poke() const {
  int found = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own_.handle, &found, MPI_STATUS_IGNORE);
}

bool put_window::complete(const char* origin, char* target, std::ptrdiff_t block, bool& told) {
  const bool good =
      !failed_ && succeeds_once_more([&] { return MPI_Win_flush_all(handle_); }) && !tacit_uses_devices();
  double all = good ? 1 : 0;
  told = least_of_all(own_, &all, 1);
  if (!told || all < 1)
    return false;
  MPI_Win_sync(
      handle_); // what others have put is this process's to read, also where it has a copy of its own (separate windows)
  const auto bytes = static_cast<std::size_t>(block);
  for (int from = 0; from < own_.processes; ++from)
    if (from != own_.rank)
      std::memcpy(target + from * block, memory_ + half() + from * block_, bytes);
  std::memcpy(target + own_.rank * block, origin + own_.rank * block, bytes);
  ++turn_;
  return true;
}

} // namespace tacit::compiler
