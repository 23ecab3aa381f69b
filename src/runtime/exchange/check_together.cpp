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

/// How many words each rank has. Longer pieces than MPI can send at a time count as none.
void gather_lengths(const exchange_site& site, const words& mine, words& all) {
  const std::uint64_t length = mine.size() > INT_MAX ? 0 : mine.size();
  allgather(&length, all.data(), 1, MPI_UINT64_T, site.comm);
}

/// At rank 0: the words of all ranks. Elsewhere nothing but the room for a request.
struct gathered_words {
  std::vector<words> ranks;
  std::vector<MPI_Request> requests;
};

void make_room(const exchange_site& site, const words& lengths, gathered_words& out) {
  out.requests.assign(static_cast<std::size_t>(site.size), MPI_REQUEST_NULL);
  for (std::size_t r = 0; site.rank == 0 && r < lengths.size(); ++r)
    out.ranks.emplace_back(r == 0 ? 0 : lengths[r]);
}

void gather_words(const exchange_site& site, words& mine, int tag, gathered_words& out) {
  if (site.rank != 0)
    check_mpi(MPI_Isend(mine.data(), static_cast<int>(mine.size()), MPI_UINT64_T, 0, tag, site.comm,
                        out.requests.data()),
              "MPI_Isend");
  else
    for (int r = 1; r < site.size; ++r) {
      words& into = out.ranks[static_cast<std::size_t>(r)];
      check_mpi(MPI_Irecv(into.data(), static_cast<int>(into.size()), MPI_UINT64_T, r, tag, site.comm,
                          &out.requests[static_cast<std::size_t>(r)]),
                "MPI_Irecv");
    }
  await(out.requests, "gathering the plans of all ranks");
  if (site.rank == 0)
    out.ranks.front() = std::move(mine);
}

neighbors::check_result check_gathered(const std::vector<words>& all) {
  try {
    std::vector<neighbors::rank_piece> ranks;
    for (const words& w : all)
      ranks.push_back(neighbors::piece_of(w));
    return neighbors::check_plans(ranks);
  } catch (const std::bad_alloc&) { // says nothing of the plans
    throw;
  } catch (const std::exception& e) {
    return {{}, e.what()};
  }
}

/// From rank 0 to all.
void tell(std::string& text, MPI_Comm comm, agreement& all) {
  std::uint64_t length = text.size();
  all.always([&] { broadcast(&length, 1, MPI_UINT64_T, 0, comm); });
  all.here([&] { text.resize(length); });
  all.agree();
  all.always([&] { broadcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm); });
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
                                int tag, agreement& all) {
  words mine, lengths;
  checked_together out;
  gathered_words pieces;
  all.here([&] {
    mine = neighbors::words_of({*site.edges, blocks, plan});
    lengths.resize(static_cast<std::size_t>(site.size));
  });
  all.agree();
  all.always([&] { gather_lengths(site, mine, lengths); });
  if (std::find(lengths.begin(), lengths.end(), 0) != lengths.end()) { // on all ranks
    all.here([&] { out.call_fault = "the plan of some rank is too long to be sent to another one"; });
    all.agree();
    return out;
  }
  all.here([&] { make_room(site, lengths, pieces); });
  all.agree();
  all.always([&] { gather_words(site, mine, tag, pieces); });
  all.here([&] {
    if (site.rank != 0)
      return;
    neighbors::check_result found = check_gathered(pieces.ranks);
    out.plan_fault = std::move(found.plan_fault);
    out.call_fault = std::move(found.call_fault);
    if (!out.plan_fault.empty())
      std::fprintf(stderr, "tacit: %s: %s\n", function, out.remark().c_str());
  });
  tell(out.plan_fault, site.comm, all);
  tell(out.call_fault, site.comm, all);
  all.agree();
  out.right = out.plan_fault.empty() && out.call_fault.empty();
  return out;
}

} // namespace tacit::runtime
