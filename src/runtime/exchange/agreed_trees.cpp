#include "runtime/exchange/agreed_trees.h"

#include "runtime/mpi/await.h"
#include "runtime/mpi/collectives.h"
#include "runtime/mpi/mpi_error.h"

#include <fmt/format.h>
#include <type_traits>
#include <vector>

namespace tacit::runtime {
namespace {

void gather_loads(const neighbors::message_load& mine, std::vector<neighbors::message_load>& loads,
                  MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<neighbors::message_load>);
  constexpr int words = sizeof(neighbors::message_load) / sizeof(std::uint32_t);
  static_assert(words * sizeof(std::uint32_t) == sizeof(neighbors::message_load));
  allgather(&mine, loads.data(), words, MPI_UINT32_T, comm);
}

/// What each root tells its members: first everything is put down, then all of it travels.
class role_exchange {
public:
  role_exchange(MPI_Comm comm, const neighbors::tree_rule& rule) : comm_(comm), rule_(rule) {}

  void tell(const neighbors::balancing_tree& tree, int tag) {
    for (std::size_t m = 0; m < tree.members.size(); ++m)
      send(tree.members[m], neighbors::words_of(tree.role(m)), tag);
    for (const rank_id out : tree.left_out)
      send(out, neighbors::words_of(neighbors::tree_role()), tag);
  }
  void hear(rank_id root, int tag) {
    heard_.push_back(
        {static_cast<int>(index(root)), tag, std::vector<std::uint64_t>(neighbors::longest_role(rule_))});
    requests_.push_back(MPI_REQUEST_NULL);
  }
  /// Needs no memory. Throws mpi_error.
  void run() {
    std::size_t next = 0;
    for (message& m : heard_)
      check_mpi(MPI_Irecv(m.words.data(), static_cast<int>(m.words.size()), MPI_UINT64_T, m.peer, m.tag,
                          comm_, &requests_[next++]),
                "MPI_Irecv");
    for (const message& m : told_)
      check_mpi(MPI_Isend(m.words.data(), static_cast<int>(m.words.size()), MPI_UINT64_T, m.peer, m.tag,
                          comm_, &requests_[next++]),
                "MPI_Isend");
    await(requests_, "telling the members of balancing trees their roles");
  }
  /// Once it has run. `i`: of the calls of `hear`.
  neighbors::tree_role role(std::size_t i) const { return neighbors::role_of(heard_[i].words); }

private:
  struct message {
    int peer, tag;
    std::vector<std::uint64_t> words;
  };
  void send(rank_id to, std::vector<std::uint64_t> words, int tag) {
    told_.push_back({static_cast<int>(index(to)), tag, std::move(words)});
    requests_.push_back(MPI_REQUEST_NULL);
  }

  MPI_Comm comm_;
  const neighbors::tree_rule& rule_;
  std::vector<message> heard_, told_;
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
                       const neighbors::tree_rule& rule, MPI_Comm comm, agreement& all) {
  const auto me = rank_id{static_cast<std::uint32_t>(rank)};
  neighbors::message_load mine;
  std::vector<neighbors::message_load> loads;
  all.here([&] {
    mine = neighbors::load_of(plan, rule);
    loads.resize(static_cast<std::size_t>(size));
  });
  all.agree();
  all.always([&] { gather_loads(mine, loads, comm); });
  tree_outcome out;
  std::vector<neighbors::hot_side> sides;
  std::vector<neighbors::tree_part> parts;
  std::size_t memberships = 0;
  role_exchange exchange(comm, rule);
  all.here([&] {
    sides = neighbors::hot_sides(loads, rule);
    out.remark = sides.empty() ? neighbors::why_no_tree(loads, rule) : remark(sides);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const int tag = first_tag + static_cast<int>(i);
      if (neighbors::is_member(sides, i, me, plan, rule)) {
        parts.push_back({sides[i], tag, std::nullopt, {}});
        exchange.hear(sides[i].root, base + tag);
      }
    }
    memberships = parts.size();
    for (std::size_t i = 0; i < sides.size(); ++i)
      if (sides[i].root == me) {
        const int tag = first_tag + static_cast<int>(i);
        parts.push_back({sides[i], tag, neighbors::make_tree(sides, i, plan, loads, rule), {}});
        exchange.tell(*parts.back().tree, base + tag);
      }
  });
  all.agree();
  out.any = !sides.empty();
  if (!out.any)
    return out;
  all.always([&] { exchange.run(); });
  all.here([&] {
    for (std::size_t i = 0; i < memberships; ++i)
      parts[i].role = exchange.role(i);
    std::erase_if(parts, [](const neighbors::tree_part& p) { return !p.tree && p.role.parent == no_rank; });
    plan = neighbors::with_trees(std::move(plan), parts);
  });
  return out;
}

} // namespace tacit::runtime
