#include "runtime/schedule/by_tree.h"

#include "runtime/mpi/packer.h"

#include <algorithm>

namespace tacit::runtime {
namespace {

/// Up to so many ranks send to rank 0 themselves: more of them through a tree, so that rank 0 receives log2 p messages.
constexpr int few_ranks = 8;

/// This rank's message and those of the ranks behind it in the tree, in order, as lists.
class bundle {
public:
  void add(const message& one) { bytes_.put_list(one); }
  void add_bundle(const message& more) { bytes_.put_bytes(more); }
  message take() { return bytes_.take(); }
  static std::vector<message> opened(const message& all, int count) {
    std::vector<message> out;
    unpacker from(all);
    for (int i = 0; i < count; ++i)
      out.push_back(from.get_list<std::byte>());
    return out;
  }

private:
  packer bytes_;
};

/// The messages of ranks r … r + reach - 1 come together on rank r, with reach 1, 2, 4 … Empty if some rank has failed.
message gather_bundles(message mine, const rank_position& at, agreement& all) {
  bundle so_far;
  all.here("packing the graph", [&] {
    so_far.add(mine);
    message().swap(mine);
  });
  bool lacks = false;
  for (int reach = 1; reach < at.size; reach *= 2) {
    if (at.rank % (2 * reach) != 0) {
      const message bytes = so_far.take();
      all.always("sending the graphs towards rank 0",
                 [&] { send_bytes(lacks || all.failed() ? nullptr : &bytes, at.rank - reach, at.comm); });
      return {};
    }
    if (at.rank + reach >= at.size)
      continue;
    message more;
    all.always("receiving graphs", [&] { receive_bytes(more, at.rank + reach, at.comm); });
    lacks = lacks || more.empty();
    all.here("making room for the graphs of all ranks", [&] { so_far.add_bundle(more); });
  }
  return lacks || all.failed() ? message() : so_far.take();
}

} // namespace

std::vector<message> gather_by_tree(message mine, const rank_position& at, agreement& all) {
  std::vector<message> received;
  if (at.size > few_ranks) {
    const message bytes = gather_bundles(std::move(mine), at, all);
    if (at.rank == 0 && !bytes.empty())
      all.here("opening the graphs of all ranks", [&] { received = bundle::opened(bytes, at.size); });
    return received;
  }
  if (at.rank != 0) {
    all.always("sending the graph to rank 0",
               [&] { send_bytes(all.failed() ? nullptr : &mine, 0, at.comm); });
    return received;
  }
  all.here("making room for the graphs of all ranks",
           [&] { received.resize(static_cast<std::size_t>(at.size)); });
  message unwanted;
  for (int r = 1; r < at.size; ++r)
    all.always("receiving the graphs", [&] {
      receive_bytes(received.empty() ? unwanted : received[static_cast<std::size_t>(r)], r, at.comm);
    });
  if (!received.empty())
    received[0] = std::move(mine);
  if (std::any_of(received.begin(), received.end(), [](const message& m) { return m.empty(); }))
    received.clear();
  return received;
}

namespace {

/// What ranks `begin` … `end` - 1 get of a list that begins with the explanation, which all get, and what rank `first` gets.
message bundle_of(const std::vector<message>& list, int first, int begin, int end) {
  bundle out;
  out.add(list.front());
  for (int r = begin; r < end; ++r)
    out.add(list[static_cast<std::size_t>(1 + r - first)]);
  return out.take();
}

} // namespace

/// The list of ranks r … r + reach - 1 comes to rank r, which passes half of it on, then a quarter, and so on.
std::vector<message> scatter_by_tree(std::vector<message> list, const rank_position& at, agreement& all) {
  const int rank = at.rank, size = at.size;
  int reach = 1; // ranks from this one on whose part of the list comes here
  while (reach < size && rank % (2 * reach) == 0)
    reach *= 2;
  if (rank != 0) {
    message bytes;
    all.always("receiving the schedule", [&] { receive_bytes(bytes, rank - reach, at.comm); });
    if (!bytes.empty())
      all.here("opening schedules",
               [&] { list = bundle::opened(bytes, 1 + std::min(size, rank + reach) - rank); });
  }
  for (reach /= 2; reach > 0; reach /= 2) {
    if (rank + reach >= size)
      continue;
    message bytes;
    if (!list.empty())
      all.here("passing schedules on",
               [&] { bytes = bundle_of(list, rank, rank + reach, std::min(size, rank + 2 * reach)); });
    all.always("passing schedules on",
               [&] { send_bytes(bytes.empty() ? nullptr : &bytes, rank + reach, at.comm); });
  }
  return list;
}

} // namespace tacit::runtime
