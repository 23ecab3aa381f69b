#include "runtime/exchange/native_communicators.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <bit>

namespace tacit::runtime {

native_communicators::~native_communicators() {
  int over = 0;
  MPI_Finalized(&over);
  for (const auto& e : list_)
    if (!over && !e->abandoned && e->comm != MPI_COMM_NULL)
      MPI_Comm_free(&e->comm);
}

std::uint64_t native_communicators::given_up() const {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(64, list_.size()); ++i)
    bits |= std::uint64_t{!list_[i]->in_use && !list_[i]->abandoned} << i;
  return bits;
}

std::shared_ptr<native_communicators::entry> native_communicators::make_room() {
  list_.reserve(list_.size() + 1);
  return std::make_shared<entry>();
}

std::shared_ptr<native_communicators::entry> native_communicators::take(MPI_Comm parent,
                                                                        std::shared_ptr<entry> room) {
  const std::uint64_t here = given_up();
  std::uint64_t everywhere = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allreduce(&here, &everywhere, 1, MPI_UINT64_T, MPI_BAND, parent, &request),
            "MPI_Iallreduce");
  await(request, "MPI_Iallreduce");
  if (everywhere != 0) {
    const auto& found = list_[static_cast<std::size_t>(std::countr_zero(everywhere))];
    found->in_use = true;
    return found;
  }
  const std::shared_ptr<entry> made = std::move(room);
  list_.push_back(made); // also if it fails here: other ranks have it
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(start_duplicate(parent, &copy, &request), "MPI_Comm_idup");
  await(request, "MPI_Comm_idup");
  made->comm = copy;
  check_mpi(MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return made;
}

} // namespace tacit::runtime
