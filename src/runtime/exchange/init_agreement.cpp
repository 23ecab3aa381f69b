#include "runtime/exchange/init_agreement.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/datatype.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tacit::runtime {

void init_agreement::keep() {
  using kind = neighbor_error::kind;
  const auto set = [this](kind why, const std::string& text) {
    if (why_ >= 0)
      return;
    why_ = static_cast<int>(why);
    text_ = fmt::format("rank {}: {}: {}", rank_, function_, text);
  };
  try {
    throw;
  } catch (const neighbor_error& e) {
    set(e.why, e.what());
  } catch (const too_many_pieces& e) {
    set(kind::pieces, e.what());
  } catch (const datatype_error& e) {
    set(kind::argument, std::string("datatype: ") + e.what());
  } catch (const mpi_error& e) {
    set(kind::mpi, e.what());
  } catch (const memory_error& e) {
    set(kind::memory, e.what());
  } catch (const std::bad_alloc&) {
    set(kind::memory, "out of memory");
  } catch (const std::exception& e) {
    set(kind::internal, e.what());
  }
}

void init_agreement::agree(std::vector<std::uint64_t>& words) {
  std::vector<std::uint64_t> mine{static_cast<std::uint64_t>(failed() ? rank_ : size_)};
  mine.insert(mine.end(), words.begin(), words.end());
  std::vector<std::uint64_t> least(mine.size());
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allreduce(mine.data(), least.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_MIN,
                            comm_, &request),
            "MPI_Iallreduce");
  await({request}, "MPI_Iallreduce");
  const auto lowest = static_cast<int>(least[0]);
  if (lowest == size_) {
    std::copy(least.begin() + 1, least.end(), words.begin());
    return;
  }
  std::array<char, 2048> message{}; // kind, text
  if (rank_ == lowest) {
    message[0] = static_cast<char>(why_);
    std::strncpy(message.data() + 1, text_.c_str(), message.size() - 2);
  }
  check_mpi(MPI_Ibcast(message.data(), static_cast<int>(message.size()), MPI_CHAR, lowest, comm_, &request),
            "MPI_Ibcast");
  await({request}, "MPI_Ibcast");
  throw neighbor_error(static_cast<neighbor_error::kind>(message[0]), message.data() + 1, true);
}

} // namespace tacit::runtime
