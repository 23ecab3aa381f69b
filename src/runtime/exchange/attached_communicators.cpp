// Which neighbor_communicator belongs to which communicator of MPI: an attribute of it.
#include "runtime/exchange/neighbor_communicator.h"
#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/agreement.h"
#include "runtime/mpi/attributes.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/private_communicator.h"

#include <array>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace tacit::runtime {
namespace {

using attached_handle = std::shared_ptr<neighbor_communicator>;

/// All that are attached to communicators. MPI calls the delete function of MPI_COMM_SELF's attributes first
/// thing in MPI_Finalize: the last chance to free what belongs to communicators that are never freed.
struct attached_registry {
  std::mutex guard;
  std::vector<attached_handle*> attached;
};

attached_registry& all_attached() {
  static attached_registry* const r = new attached_registry;
  return *r;
}

int forget_attached(MPI_Comm comm, int key, void* value, void* extra) {
  {
    const std::lock_guard lock(all_attached().guard);
    std::erase(all_attached().attached, static_cast<attached_handle*>(value));
  }
  if (const attached_handle& mine = *static_cast<attached_handle*>(value))
    mine->let_go();
  return comm_attribute<attached_handle>::drop_value(comm, key, value, extra);
}

int forget_all(MPI_Comm, int, void*, void*) {
  std::vector<attached_handle*> left;
  {
    const std::lock_guard lock(all_attached().guard);
    left = all_attached().attached;
  }
  for (attached_handle* h : left)
    h->reset(); // the attribute stays, and frees the empty handle if MPI still deletes it
  return MPI_SUCCESS;
}

/// Constant and never destroyed: looking must not need memory, and communicators are freed until the very
/// end.
comm_attribute<attached_handle>& homes() {
  static constinit comm_attribute<attached_handle> kept(nullptr, forget_attached);
  static_assert(std::is_trivially_destructible_v<comm_attribute<attached_handle>>);
  return kept;
}

/// In place of another one, if there is one.
void attach(MPI_Comm comm, attached_handle made) {
  [[maybe_unused]] static const bool ends_with_mpi = (call_at_finalize(forget_all), true);
  if (attached_handle* const before = homes().of(comm)) {
    *before = std::move(made);
    return;
  }
  attached_handle& handle = homes().set(comm, std::make_unique<attached_handle>(std::move(made)));
  const std::lock_guard lock(all_attached().guard);
  all_attached().attached.push_back(&handle);
}

/// The one that is attached, unless it is worn out.
attached_handle in_use(MPI_Comm comm) {
  const attached_handle* const found = homes().of(comm);
  return found && *found && !(*found)->worn_out() ? *found : nullptr;
}

/// In place of a worn out one with its options, which may be those of set_info.
attached_handle make(MPI_Comm comm) {
  const attached_handle* const found = homes().of(comm);
  return std::make_shared<neighbor_communicator>(comm, found && *found ? (*found)->options()
                                                                       : options_or_fault(comm));
}

} // namespace

std::shared_ptr<neighbor_communicator> neighbor_communicator::of(MPI_Comm comm) {
  if (attached_handle found = in_use(comm))
    return found;
  attached_handle made = make(comm);
  attach(comm, made);
  return made;
}

/// The duplicate that is needed anyway comes first: the ranks agree on it.
std::shared_ptr<neighbor_communicator> neighbor_communicator::of_all(MPI_Comm comm, const char* caller) {
  if (attached_handle found = in_use(comm))
    return found;
  private_communicator duplicate = private_communicator::like(comm);
  agreement all(duplicate.comm(), duplicate.rank(), duplicate.size(), caller);
  attached_handle made;
  const bool attached = all.here([&] {
    made = make(comm);
    attach(comm, made);
  });
  try {
    all.agree();
  } catch (...) { // some rank has none: all make one in the next call
    if (attached)
      homes().of(comm)->reset();
    throw;
  }
  made->setup_.adopt(std::move(duplicate));
  return made;
}

void neighbor_communicator::set_info(MPI_Comm comm, MPI_Info info) {
  private_communicator own = private_communicator::like(comm);
  agreement all(own.comm(), own.rank(), own.size(), "tacit_comm_set_info");
  std::shared_ptr<neighbor_communicator> made;
  std::uint64_t word = 0;
  all.here([&] {
    const neighbor_options options = read_neighbor_options(info, options_of(comm));
    word = word_of(options);
    made = std::make_shared<neighbor_communicator>(comm, options);
  });
  std::array<std::uint64_t, 2> words{word, ~word};
  all.agree(words);
  all.here([&] {
    if (words[0] != ~words[1])
      throw neighbor_error(neighbor_error::kind::environment, info_keys_differ);
    attach(comm, made);
  });
  all.agree();
  made->setup_.adopt(std::move(own));
}

} // namespace tacit::runtime
