#include "surface/trial/variants.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tacit/tacit.h>
#include <utility>

namespace tacit::surface {
namespace {

class by_tacit : public variant {
public:
  ~by_tacit() override { tacit_schedule_free(&schedule); }
  std::string exchange() override { return tacit_run(schedule) == TACIT_SUCCESS ? "" : tacit_last_error(); }
  tacit_schedule schedule = TACIT_SCHEDULE_NULL;
};

/// The exchange as MPI's own neighborhood collective.
class by_collective : public variant {
public:
  by_collective(const pattern& p, exchange_buffers& b) : p_(p), b_(b) {
    name = "MPI_Neighbor_alltoallv";
    // Graphs of MPI have no open boundaries.
    for (std::size_t e = 0; e < p.destinations.size(); ++e)
      if (p.destinations[e].peer != MPI_PROC_NULL) {
        out_counts_.push_back(b.out_counts[e]);
        out_places_.push_back(b.out_places[e]);
      }
    for (std::size_t e = 0; e < p.sources.size(); ++e)
      if (p.sources[e].peer != MPI_PROC_NULL) {
        in_counts_.push_back(b.in_counts[e]);
        in_places_.push_back(b.in_places[e]);
      }
    detail = "the MPI library's own call; " + whether_takeable();
  }
  std::string exchange() override {
    const int code =
        MPI_Neighbor_alltoallv(b_.out.data(), out_counts_.data(), out_places_.data(), MPI_BYTE, b_.in.data(),
                               in_counts_.data(), in_places_.data(), MPI_BYTE, p_.mpi);
    return code == MPI_SUCCESS ? "" : "MPI reports an error";
  }

private:
  /// Why the native call cannot be taken, or empty; collective.
  std::string whether_takeable() {
    MPI_Comm_set_errhandler(p_.mpi, MPI_ERRORS_RETURN);
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tacit_driver", "mpi");
    tacit_schedule made = TACIT_SCHEDULE_NULL;
    const int code = tacit_neighbor_alltoallv_init(b_.out.data(), out_counts_.data(), out_places_.data(),
                                                   MPI_BYTE, b_.in.data(), in_counts_.data(),
                                                   in_places_.data(), MPI_BYTE, p_.mpi, info, &made);
    MPI_Info_free(&info);
    const std::string why = code == TACIT_SUCCESS ? "" : tacit_last_error();
    tacit_schedule_free(&made);
    return why.empty() ? "tacit takes it on MPI's topologies by name (TACIT_DRIVER=mpi) or after a trial"
                       : "tacit never takes it: " + why;
  }

  const pattern& p_;
  exchange_buffers& b_;
  std::vector<int> out_counts_, out_places_, in_counts_, in_places_;
};

/// What programs write by hand.
class by_hand : public variant {
public:
  by_hand(const pattern& p, exchange_buffers& b) : p_(p), b_(b) {
    name = "Irecv, Isend, Waitall";
    detail = "one message per edge";
    requests_.resize(p.sources.size() + p.destinations.size());
  }
  std::string exchange() override {
    std::size_t next = 0;
    for (std::size_t e = 0; e < p_.sources.size(); ++e)
      MPI_Irecv(b_.in.data() + b_.in_places[e], b_.in_counts[e], MPI_BYTE, p_.sources[e].peer, 7,
                MPI_COMM_WORLD, &requests_[next++]);
    for (std::size_t e = 0; e < p_.destinations.size(); ++e)
      MPI_Isend(b_.out.data() + b_.out_places[e], b_.out_counts[e], MPI_BYTE, p_.destinations[e].peer, 7,
                MPI_COMM_WORLD, &requests_[next++]);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    return {};
  }

private:
  const pattern& p_;
  exchange_buffers& b_;
  std::vector<MPI_Request> requests_;
};

struct forced {
  const char *name, *driver, *grouping, *without;
};

constexpr std::array all_forced{
    forced{"tacit's choice", "", "", ""},
    forced{"shm", "shm", "coalesced", ""},
    forced{"shm, a message per edge", "shm", "direct", ""},
    forced{"shm, combined", "shm", "combined", ""},
    forced{"shm, without trees", "shm", "coalesced", "tree"},
    forced{"shm, each rank for itself", "shm", "coalesced", "aggregate"},
    forced{"shm, as posted", "shm", "coalesced", "order"},
    forced{"p2p", "p2p", "coalesced", ""},
    forced{"p2p, a message per edge", "p2p", "direct", ""},
    forced{"p2p, combined", "p2p", "combined", ""},
    forced{"p2p, without trees", "p2p", "coalesced", "tree"},
    forced{"p2p, each rank for itself", "p2p", "coalesced", "aggregate"},
    forced{"p2p, as posted", "p2p", "coalesced", "order"},
    forced{"rma", "rma", "coalesced", ""},
};

std::string explained(tacit_schedule schedule) {
  std::array<char, 4000> text{};
  tacit_explain(schedule, TACIT_EXPLAIN_TEXT, text.data(), text.size(), nullptr);
  return text.data();
}

std::unique_ptr<by_tacit> make_tacit(const pattern& p, exchange_buffers& b, const forced& f) {
  auto w = std::make_unique<by_tacit>();
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [key, value] : {std::pair{"tacit_driver", f.driver},
                                   {"tacit_neighbor_grouping", f.grouping},
                                   {"tacit_neighbor_without", f.without}})
    if (*value)
      MPI_Info_set(info, key, value);
  const int code = tacit_neighbor_alltoallv_init(b.out.data(), b.out_counts.data(), b.out_places.data(),
                                                 MPI_BYTE, b.in.data(), b.in_counts.data(),
                                                 b.in_places.data(), MPI_BYTE, p.tacit, info, &w->schedule);
  MPI_Info_free(&info);
  if (code != TACIT_SUCCESS)
    return nullptr;
  w->name = f.name;
  w->detail = explained(w->schedule);
  w->is_choice = !*f.driver;
  return w;
}

using variants = std::vector<std::unique_ptr<variant>>;

/// Whether messages between nodes are aggregated in the variant of that name, which was made before.
bool aggregates(const variants& list, std::string_view name) {
  return std::any_of(list.begin(), list.end(), [&](const auto& made) {
    return made->name == name && made->detail.find("\naggregated: ") != std::string::npos;
  });
}

/// Why it is no variant of its own; the same on all ranks. A grouping that is not possible is another one again.
std::string same_as_another(const forced& f, const std::string& detail, const variants& before) {
  const std::string_view grouping = f.grouping, without = f.without;
  if (!grouping.empty() && detail.find("predicted: " + std::string(grouping)) == std::string::npos)
    return grouping == "combined" ? "messages cannot be combined here" : "no two edges join the same ranks";
  if (without == "tree" && detail.find("no rank has") != std::string::npos)
    return "there are no trees";
  if (without == "aggregate" && !aggregates(before, f.driver))
    return "messages between nodes are not aggregated";
  return {};
}

} // namespace

std::vector<std::unique_ptr<variant>> make_variants(const pattern& p, exchange_buffers& b,
                                                    std::vector<std::string>& left_out) {
  variants list;
  MPI_Comm_set_errhandler(p.tacit, MPI_ERRORS_RETURN);
  for (const forced& f : all_forced) {
    std::unique_ptr<by_tacit> made = make_tacit(p, b, f); // errors of _init are errors of all ranks
    if (!made) {
      left_out.push_back(std::string(f.name) + ": " + tacit_last_error());
      continue;
    }
    if (std::string why = same_as_another(f, made->detail, list); why.empty())
      list.push_back(std::move(made));
    else
      left_out.push_back(std::string(f.name) + ": " + why);
  }
  list.push_back(std::make_unique<by_collective>(p, b));
  list.push_back(std::make_unique<by_hand>(p, b));
  return list;
}

} // namespace tacit::surface
