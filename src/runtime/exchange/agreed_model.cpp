#include "runtime/exchange/agreed_model.h"

#include "runtime/channel/last_caches.h"
#include "runtime/exchange/agreed_aggregation.h"
#include "runtime/exchange/known_models.h"
#include "runtime/exchange/native_call.h"
#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/library_version.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/mpi/node_identity.h"
#include "vocabulary/calls/settings.h"

#include <array>
#include <map>
#include <mutex>
#include <string_view>

namespace tacit::runtime {
namespace {

/// Once per process and file.
const graphs::selftest_verdict& read_verdict_here() {
  static std::mutex guard;
  static std::map<std::filesystem::path, const graphs::selftest_verdict> read;
  const std::string library = graphs::short_library_name(library_version());
  const std::lock_guard lock(guard);
  const std::filesystem::path file = graphs::selftest_file(library);
  const auto found = read.find(file);
  return found != read.end()
             ? found->second
             : read.emplace(file, graphs::load_selftest(library, native_call_kind)).first->second;
}

/// What rank 0 tells: seven texts, a zero behind each. Empty models: the defaults.
std::string announcement(bool one_node) {
  const known_models& here = models_here();
  std::string text = origin_of_models(one_node);
  text += '\0';
  if (here.within_node.measured)
    text += graphs::text_of(here.within_node.model);
  text += '\0';
  if (!one_node && here.between_nodes.measured)
    text += graphs::text_of(here.between_nodes.model);
  text += '\0';
  if (here.between_caches.measured)
    text += graphs::text_of(here.between_caches.model);
  const graphs::selftest_verdict& verdict = read_verdict_here();
  for (const std::string* const part : {&verdict.origin, &verdict.library, &verdict.cells})
    (text += '\0') += *part;
  return text + '\0';
}

std::string told_by_first(int rank, bool one_node, MPI_Comm comm, agreement& all) {
  std::string text;
  if (rank == 0)
    try {
      text = announcement(one_node);
    } catch (...) { // the others wait for something
      text.clear();
    }
  std::uint64_t length = text.size();
  all.always([&] { broadcast(&length, sizeof length, MPI_BYTE, 0, comm); });
  all.here([&] { text.resize(length); });
  all.agree();
  all.always([&] { broadcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, comm); });
  return text;
}

/// The part of the text up to the next zero, which is taken away.
std::string_view next(std::string_view& text) {
  const std::size_t end = std::min(text.find('\0'), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

bool all_on_one_node(int rank, agreement& all) {
  std::array<std::uint64_t, 2> least{};
  all.here([&] {
    const std::uint64_t node = node_identity(rank);
    least = {node, ~node};
  });
  all.agree(least);
  return least[0] == ~least[1];
}

agreed_model read(std::string_view told, bool one_node) {
  agreed_model out;
  out.one_node = one_node;
  out.origin = next(told);
  if (out.origin.empty())
    out.origin = "the documented defaults, because rank 0 had no memory for its model";
  const std::string_view within_node = next(told), between_nodes = next(told), between_caches = next(told);
  out.costs = graphs::costs_of(
      within_node.empty() ? graphs::default_model() : graphs::parse_model(within_node),
      between_nodes.empty() ? graphs::machine_costs().between_nodes : graphs::parse_model(between_nodes),
      one_node);
  if (!between_caches.empty())
    out.costs.between_caches = graphs::parse_model(between_caches);
  out.native_calls.origin = next(told);
  out.native_calls.library = next(told);
  out.native_calls.cells = next(told);
  if (out.native_calls.origin.empty())
    out.native_calls.origin = "rank 0 had no memory for the verdict of `tacit selftest`";
  return out;
}

std::vector<std::uint64_t> caches_of_all(int size, MPI_Comm comm, agreement& all) {
  std::uint64_t mine = 0;
  std::vector<std::uint64_t> out;
  all.here([&] {
    mine = cache_of_this_process();
    out.resize(static_cast<std::size_t>(size));
  });
  all.agree();
  all.always([&] { allgather(&mine, out.data(), 1, MPI_UINT64_T, comm); });
  all.agree();
  return out;
}

} // namespace

std::unique_ptr<agreed_model> agree_on_model(int rank, int size, MPI_Comm comm, agreement& all) {
  const bool one_node = all_on_one_node(rank, all);
  neighbors::node_map nodes;
  if (!one_node)
    nodes = find_nodes(rank, size, comm, all);
  const std::string told = told_by_first(rank, one_node, comm, all);
  std::unique_ptr<agreed_model> out;
  all.here([&] {
    out = std::make_unique<agreed_model>(read(told, one_node));
    out->nodes = std::move(nodes);
  });
  all.agree();
  if (out->costs.between_caches)
    out->caches = caches_of_all(size, comm, all);
  return out;
}

} // namespace tacit::runtime
