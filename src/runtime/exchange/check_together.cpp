#include "runtime/exchange/check_together.h"

#include "neighbors/check/check.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <vector>

namespace tacit::runtime {
namespace {

using words = std::vector<std::uint64_t>;

/// None if there is no memory for them: the others wait for something.
words words_of_this_rank(const exchange_site& site, const neighbors::neighbor_blocks& blocks,
                         const graphs::rank_plan& plan) {
  try {
    return neighbors::words_of({*site.edges, blocks, plan});
  } catch (const std::bad_alloc&) {
    return {};
  }
}

/// How many words each rank has. Longer pieces than MPI can send at a time count as none.
words gather_lengths(const exchange_site& site, const words& mine) {
  const std::uint64_t length = mine.size() > INT_MAX ? 0 : mine.size();
  words all(static_cast<std::size_t>(site.size));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allgather(&length, all.data(), 1, MPI_UINT64_T, site.comm, &request), "MPI_Iallgather");
  await(request, "MPI_Iallgather");
  return all;
}

/// At rank 0, the words of all ranks; nothing elsewhere.
std::vector<words> gather_words(const exchange_site& site, words mine, const words& lengths, int tag) {
  std::vector<words> all;
  std::vector<MPI_Request> requests;
  if (site.rank != 0)
    check_mpi(MPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_UINT64_T, 0, tag, site.comm,
                        &requests.emplace_back(MPI_REQUEST_NULL)),
              "MPI_Isend");
  else
    for (int r = 0; r < site.size; ++r) {
      all.emplace_back(r == 0 ? 0 : lengths[static_cast<std::size_t>(r)]);
      if (r > 0)
        check_mpi(MPI_Irecv(all.back().data(), static_cast<int>(all.back().size()), MPI_UINT64_T, r, tag,
                            site.comm, &requests.emplace_back(MPI_REQUEST_NULL)),
                  "MPI_Irecv");
    }
  await(requests, "gathering the plans of all ranks");
  if (site.rank == 0)
    all.front() = std::move(mine);
  return all;
}

/// At rank 0, which the others wait for: it throws nothing.
neighbors::check_result check_gathered(const std::vector<words>& all) {
  try {
    std::vector<neighbors::rank_piece> ranks;
    for (const words& w : all)
      ranks.push_back(neighbors::piece_of(w));
    return neighbors::check_plans(ranks);
  } catch (const std::exception& e) {
    return {{}, e.what()};
  }
}

/// From rank 0 to all.
void tell(std::string& text, MPI_Comm comm) {
  std::uint64_t length = text.size();
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_bcast(&length, 1, MPI_UINT64_T, 0, comm, &request), "MPI_Ibcast");
  await(request, "MPI_Ibcast");
  text.resize(length);
  check_mpi(start_bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm, &request), "MPI_Ibcast");
  await(request, "MPI_Ibcast");
}

} // namespace

std::string checked_together::remark() const {
  if (!plan_fault.empty())
    return fmt::format("TACIT_CHECK: the plan failed its check and is not used, a message per edge is: {}; "
                       "please report this",
                       plan_fault);
  return right ? "TACIT_CHECK: the plans of all ranks together do what the call means"
               : fmt::format("TACIT_CHECK: not checked: {}", call_fault);
}

checked_together check_together(const exchange_site& site, const char* function,
                                const neighbors::neighbor_blocks& blocks, const graphs::rank_plan& plan,
                                int tag) {
  words mine = words_of_this_rank(site, blocks, plan);
  const words lengths = gather_lengths(site, mine);
  checked_together out;
  if (std::find(lengths.begin(), lengths.end(), 0) != lengths.end()) { // on all ranks
    out.call_fault = "the plan of some rank is too long to be sent to another one";
    return out;
  }
  const std::vector<words> all = gather_words(site, std::move(mine), lengths, tag);
  if (site.rank == 0) {
    neighbors::check_result found = check_gathered(all);
    out.plan_fault = std::move(found.plan_fault);
    out.call_fault = std::move(found.call_fault);
    if (!out.plan_fault.empty())
      std::fprintf(stderr, "tacit: %s: %s\n", function, out.remark().c_str());
  }
  tell(out.plan_fault, site.comm);
  tell(out.call_fault, site.comm);
  out.right = out.plan_fault.empty() && out.call_fault.empty();
  return out;
}

} // namespace tacit::runtime
