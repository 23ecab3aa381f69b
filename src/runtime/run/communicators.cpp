#include "runtime/run/communicators.h"

#include "runtime/mpi/mpi_error.h"

#include <algorithm>

namespace tacit::runtime {
namespace {

bool is_everyone(const std::vector<int>& members, int size) {
  if (static_cast<int>(members.size()) != size)
    return false;
  for (int i = 0; i < size; ++i)
    if (members[static_cast<std::size_t>(i)] != i)
      return false;
  return true;
}

} // namespace

group_communicators::group_communicators(const program& p, MPI_Comm comm) : parent_(comm) {
  entries_.reserve(p.groups.size());
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  MPI_Group everyone = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(comm, &everyone), "MPI_Comm_group");
  int result = MPI_SUCCESS;
  for (const rank_group& group : p.groups) {
    entry& e = entries_.emplace_back();
    e.id = group.comm;
    if (!is_everyone(group.members, size) && result == MPI_SUCCESS)
      result =
          MPI_Group_incl(everyone, static_cast<int>(group.members.size()), group.members.data(), &e.members);
  }
  MPI_Group_free(&everyone);
  if (result == MPI_SUCCESS)
    return;
  free_all(); // no destructor will
  check_mpi(result, "MPI_Group_incl");
}

group_communicators::~group_communicators() {
  int over = 0;
  MPI_Finalized(&over);
  if (!over)
    free_all();
}

void group_communicators::free_all() {
  for (entry& e : entries_) {
    if (e.members != MPI_GROUP_NULL)
      MPI_Group_free(&e.members);
    if (e.comm != MPI_COMM_NULL && e.comm != parent_)
      MPI_Comm_free(&e.comm);
  }
}

void group_communicators::create() {
  int first_failure = MPI_SUCCESS;
  for (entry& e : entries_) { // same relative order everywhere, so no two ranks wait for each other
    if (e.members == MPI_GROUP_NULL) {
      e.comm = parent_;
      continue;
    }
    MPI_Comm made = MPI_COMM_NULL;
    int result = MPI_Comm_create_group(parent_, e.members, static_cast<int>(index(e.id)), &made);
    if (result == MPI_SUCCESS) {
      e.comm = made;
      result = MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    }
    if (first_failure == MPI_SUCCESS)
      first_failure = result;
  }
  check_mpi(first_failure, "MPI_Comm_create_group");
}

MPI_Comm group_communicators::of(comm_id comm) const {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const entry& e) { return e.id == comm; });
  return found == entries_.end() ? MPI_COMM_NULL : found->comm;
}

} // namespace tacit::runtime
