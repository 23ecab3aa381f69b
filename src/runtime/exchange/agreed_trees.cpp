#include "runtime/exchange/agreed_trees.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"

#include <fmt/format.h>
#include <type_traits>
#include <vector>

namespace tacit::runtime {
namespace {

std::vector<neighbors::message_load> gather_loads(const neighbors::message_load& mine, int size,
                                                  MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<neighbors::message_load>);
  constexpr int words = sizeof(neighbors::message_load) / sizeof(std::uint32_t);
  static_assert(words * sizeof(std::uint32_t) == sizeof(neighbors::message_load));
  std::vector<neighbors::message_load> loads(static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(start_allgather(&mine, loads.data(), words, MPI_UINT32_T, comm, &request), "MPI_Iallgather");
  await(request, "MPI_Iallgather");
  return loads;
}

/// Roles under way: what a root tells each of its members.
class role_exchange {
public:
  role_exchange(MPI_Comm comm, const neighbors::tree_rule& rule) : comm_(comm), rule_(rule) {}

  void tell(const neighbors::balancing_tree& tree, int tag) {
    for (std::size_t m = 0; m < tree.members.size(); ++m)
      send(tree.members[m], neighbors::words_of(tree.role(m)), tag);
    for (const rank_id out : tree.left_out)
      send(out, neighbors::words_of(neighbors::tree_role()), tag);
  }
  /// Into the next of `words`.
  void hear(rank_id root, int tag) {
    heard_.emplace_back(neighbors::longest_role(rule_));
    post(MPI_Irecv(heard_.back().data(), static_cast<int>(heard_.back().size()), MPI_UINT64_T,
                   static_cast<int>(index(root)), tag, comm_, &requests_.emplace_back(MPI_REQUEST_NULL)),
         "MPI_Irecv");
  }
  /// Once all have been told. In the order of `hear`.
  std::vector<neighbors::tree_role> roles() {
    await(requests_, "telling the members of balancing trees their roles");
    std::vector<neighbors::tree_role> out;
    for (const auto& words : heard_)
      out.push_back(neighbors::role_of(words));
    return out;
  }

private:
  void send(rank_id to, std::vector<std::uint64_t> words, int tag) {
    told_.push_back(std::move(words));
    post(MPI_Isend(told_.back().data(), static_cast<int>(told_.back().size()), MPI_UINT64_T,
                   static_cast<int>(index(to)), tag, comm_, &requests_.emplace_back(MPI_REQUEST_NULL)),
         "MPI_Isend");
  }
  static void post(int code, const char* call) { check_mpi(code, call); }

  MPI_Comm comm_;
  const neighbors::tree_rule& rule_;
  std::vector<std::vector<std::uint64_t>> heard_, told_; // their memory stays where it is when they grow
  std::vector<MPI_Request> requests_;
};

std::string remark(const std::vector<neighbors::hot_side>& sides) {
  std::string text = "trees: ";
  for (std::size_t i = 0; i < sides.size() && i < 4; ++i)
    text += fmt::format("{}rank {} {} through {} helpers", i == 0 ? "" : ", ", index(sides[i].root),
                        sides[i].gathers ? "receives" : "sends", sides[i].fan_out);
  if (sides.size() > 4)
    text += fmt::format(" and {} more", sides.size() - 4);
  return text;
}

} // namespace

tree_outcome add_trees(graphs::rank_plan& plan, int rank, int size, int first_tag, int base,
                       const neighbors::tree_rule& rule, MPI_Comm comm) {
  const auto me = rank_id{static_cast<std::uint32_t>(rank)};
  const std::vector<neighbors::message_load> loads = gather_loads(neighbors::load_of(plan, rule), size, comm);
  const std::vector<neighbors::hot_side> sides = neighbors::hot_sides(loads, rule);
  if (sides.empty())
    return {false, neighbors::why_no_tree(loads, rule)};
  role_exchange exchange(comm, rule);
  std::vector<neighbors::tree_part> parts;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const int tag = first_tag + static_cast<int>(i);
    if (neighbors::is_member(sides, i, me, plan, rule)) {
      parts.push_back({sides[i], tag, std::nullopt, {}});
      exchange.hear(sides[i].root, base + tag);
    }
  }
  const std::size_t memberships = parts.size();
  for (std::size_t i = 0; i < sides.size(); ++i)
    if (sides[i].root == me) {
      const int tag = first_tag + static_cast<int>(i);
      parts.push_back({sides[i], tag, neighbors::make_tree(sides, i, plan, loads, rule), {}});
      exchange.tell(*parts.back().tree, base + tag);
    }
  std::vector<neighbors::tree_role> roles = exchange.roles();
  for (std::size_t i = 0; i < memberships; ++i)
    parts[i].role = std::move(roles[i]);
  std::erase_if(parts, [](const neighbors::tree_part& p) { return !p.tree && p.role.parent == no_rank; });
  plan = neighbors::with_trees(std::move(plan), parts);
  return {true, remark(sides)};
}

} // namespace tacit::runtime
