#include "interpose/takeover/agreed_groups.h"

#include "interpose/layer/environment.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/exchange/neighbor_options.h"
#include "runtime/mpi/agreement.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/rank_and_size.h"
#include "vocabulary/base/launched.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace tacit::interpose {

namespace {

constexpr const char* settings_differ =
    "TACIT_ variables differ between the ranks; set them alike on all nodes";

std::atomic<bool> world_is_up = false;
permission of_world;

std::mutex guard;
std::atomic<int> permission_key = MPI_KEYVAL_INVALID; ///< made with the first permission of a group

/// Permissions stand in the attribute itself, and not in memory as with runtime/mpi/attributes.h: MPI copies
/// them while the program duplicates a communicator, where a rank without memory would leave others waiting.
void* as_attribute(const permission& v) {
  return reinterpret_cast<void*>(std::uintptr_t{1} | (v.allowed ? 2u : 0u) | (v.nonblocking ? 4u : 0u));
}

permission from_attribute(const void* value) {
  const auto bits = reinterpret_cast<std::uintptr_t>(value);
  return {(bits & 2) != 0, (bits & 4) != 0};
}

extern "C" int copy_permission(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

extern "C" int drop_permission(MPI_Comm, int, void*, void*) {
  return MPI_SUCCESS;
}

int made_key() {
  const std::lock_guard lock(guard);
  int key = permission_key;
  if (key == MPI_KEYVAL_INVALID)
    runtime::check_mpi(MPI_Comm_create_keyval(copy_permission, drop_permission, &key, nullptr),
                       "MPI_Comm_create_keyval");
  permission_key = key;
  return key;
}

std::optional<permission> permission_of(MPI_Comm comm) {
  const int key = permission_key;
  if (key == MPI_KEYVAL_INVALID)
    return std::nullopt;
  void* value = nullptr;
  int found = 0;
  runtime::check_mpi(MPI_Comm_get_attr(comm, key, &value, &found), "MPI_Comm_get_attr");
  return found ? std::optional(from_attribute(value)) : std::nullopt;
}

/// What this rank's variables ask for. Throws neighbor_error if they are not understood.
std::uint64_t word_of_settings() {
  const runtime::neighbor_options asked = runtime::read_neighbor_options(MPI_INFO_NULL);
  if (asked.driver == "dry")
    throw runtime::neighbor_error(runtime::neighbor_error::kind::environment, nothing_would_arrive);
  return 2 * runtime::word_of(asked) + (runtime::mpi_progresses() ? 1 : 0);
}

/// Variables that some rank does not understand, or that differ, are found here once, and not on every communicator.
permission agree(MPI_Comm comm, const permission& mine, std::string& fault) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  runtime::agreement all(comm, rank, size, "taking over neighborhood collectives");
  std::uint64_t settings = 0;
  if (mine.allowed)
    all.here([&] { settings = word_of_settings(); });
  std::array<std::uint64_t, 4> words{mine.allowed ? 1u : 0u, mine.nonblocking ? 0u : 1u, settings, ~settings};
  try {
    all.agree(words);
  } catch (const runtime::call_error& e) { // of all ranks
    fault = e.what();
    return {};
  }
  const bool allowed = words[0] == 1, alike = words[2] == ~words[3];
  if (allowed && !alike)
    fault = settings_differ;
  return {allowed && alike, words[1] == 0};
}

/// In programs without us, too; but what a program does with a communicator of its own process need not come to that, and
/// what we do would.
bool crashes_in_progress(MPI_Comm made) {
  return !runtime::progresses_before_set_up && !world_is_up && runtime::size_of(made) == 1;
}

/// Needs no memory of ours: a rank that could not tell would leave the others waiting in what they do together.
bool within_world(MPI_Comm comm) {
  MPI_Group here = MPI_GROUP_NULL, world = MPI_GROUP_NULL, outside = MPI_GROUP_NULL;
  runtime::check_mpi(MPI_Comm_group(comm, &here), "MPI_Comm_group");
  runtime::check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  runtime::check_mpi(MPI_Group_difference(here, world, &outside), "MPI_Group_difference");
  int strangers = 0;
  runtime::check_mpi(MPI_Group_size(outside, &strangers), "MPI_Group_size");
  for (MPI_Group* const group : {&here, &world, &outside}) // MPI_GROUP_EMPTY, too, may be freed
    MPI_Group_free(group);
  return strangers == 0;
}

bool is_intercommunicator(MPI_Comm comm) {
  int between = 0;
  runtime::check_mpi(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter");
  return between != 0;
}

} // namespace

permission agree_in_world(const permission& mine, std::string& fault) {
  of_world = agree(MPI_COMM_WORLD, mine, fault);
  world_is_up = true;
  return of_world;
}

bool world_may_be_used() {
  return world_is_up;
}

void world_ends() {
  world_is_up = false;
}

permission agree_in_group(MPI_Comm made, const permission& mine, bool keep, std::string& fault) {
  const permission all = crashes_in_progress(made) ? permission{} : agree(made, mine, fault);
  if (keep)
    runtime::check_mpi(MPI_Comm_set_attr(made, made_key(), as_attribute(all)), "MPI_Comm_set_attr");
  return all;
}

void inherit(MPI_Comm parent, MPI_Comm made) {
  if (permission_key == MPI_KEYVAL_INVALID || parent == MPI_COMM_NULL || made == MPI_COMM_NULL ||
      is_intercommunicator(made))
    return;
  if (const std::optional<permission> known = permission_of(parent))
    runtime::check_mpi(MPI_Comm_set_attr(made, permission_key, as_attribute(*known)), "MPI_Comm_set_attr");
}

standing standing_of(MPI_Comm comm) {
  if (const std::optional<permission> known = permission_of(comm))
    return known->allowed ? standing::agreed : standing::refused;
  if (!world_is_up || !within_world(comm))
    return standing::unknown;
  return of_world.allowed ? standing::agreed : standing::refused;
}

bool expects_nonblocking(MPI_Comm comm) {
  if (const std::optional<permission> known = permission_of(comm))
    return known->allowed && known->nonblocking;
  return world_is_up && of_world.allowed && of_world.nonblocking;
}

std::optional<int> rank_of_process() {
  int rank = 0;
  if (!world_is_up)
    return launched_rank();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

} // namespace tacit::interpose
