// tacit_compile: from the graphs of all ranks to one schedule.
//
// 1. Everybody duplicates the communicator (E6) and agrees that no rank has an error so far.
// 2. The local graphs travel to rank 0, which joins and compiles them; it alone decides (E7).
// 3. Everybody agrees on the outcome, then gets its program; an error text goes to all ranks instead.
// 4. The first driver that can run on all ranks is prepared; everybody agrees again.
// After each step either all ranks go on or all throw the same error, so none is left waiting for another.
// Cost on rank 0: the sum of all graphs; messages are linear in the number of ranks.
#include "capi/errors.h"
#include "capi/explain.h"
#include "capi/handles.h"
#include "capi/options.h"

#include "run/mpi_error.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>

namespace tacit::capi {
namespace {

/// Word at the head of everything that travels: ranks that run different builds notice.
constexpr std::uint64_t wire_version = 0x7461636974000001; // "tacit", 1

/// The first exception of this rank, kept until all ranks have agreed.
struct local_error {
  int code = TACIT_SUCCESS;
  std::string text;
  template <typename Body>
  void catch_from(Body&& body) {
    if (code != TACIT_SUCCESS)
      return;
    try {
      body();
    } catch (...) {
      code = code_of_exception(text);
    }
  }
};

struct private_communicator {
  MPI_Comm comm = MPI_COMM_NULL;
  ~private_communicator() {
    if (comm != MPI_COMM_NULL)
      MPI_Comm_free(&comm);
  }
  MPI_Comm release() { return std::exchange(comm, MPI_COMM_NULL); }
};

/// Collective. Throws the error of the lowest rank that has one, on all ranks.
void agree(MPI_Comm comm, int rank, int size, const local_error& mine) {
  int first = mine.code == TACIT_SUCCESS ? size : rank, lowest = size;
  check_mpi(MPI_Allreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (lowest == size)
    return;
  int head[2] = {mine.code, static_cast<int>(std::min<std::size_t>(mine.text.size(), 1 << 20))};
  check_mpi(MPI_Bcast(head, 2, MPI_INT, lowest, comm), "MPI_Bcast");
  std::string text = mine.text;
  text.resize(static_cast<std::size_t>(head[1]));
  check_mpi(MPI_Bcast(text.data(), head[1], MPI_CHAR, lowest, comm), "MPI_Bcast");
  throw api_error(head[0], text);
}

constexpr std::size_t piece = std::size_t{1} << 30; // counts are int

void send_bytes(const std::vector<std::byte>& bytes, int to, MPI_Comm comm) {
  const std::uint64_t size = bytes.size();
  check_mpi(MPI_Send(&size, 1, MPI_UINT64_T, to, 0, comm), "MPI_Send");
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    check_mpi(MPI_Send(bytes.data() + at, static_cast<int>(std::min(piece, bytes.size() - at)), MPI_BYTE, to,
                       1, comm),
              "MPI_Send");
}

std::vector<std::byte> receive_bytes(int from, MPI_Comm comm) {
  std::uint64_t size = 0;
  check_mpi(MPI_Recv(&size, 1, MPI_UINT64_T, from, 0, comm, MPI_STATUS_IGNORE), "MPI_Recv");
  std::vector<std::byte> bytes(size);
  for (std::size_t at = 0; at < bytes.size(); at += piece)
    check_mpi(MPI_Recv(bytes.data() + at, static_cast<int>(std::min(piece, bytes.size() - at)), MPI_BYTE,
                       from, 1, comm, MPI_STATUS_IGNORE),
              "MPI_Recv");
  return bytes;
}

std::vector<std::byte> packed(const local_graph& g) {
  packer out;
  out.put(wire_version);
  pack(out, g);
  return out.take();
}

void require_version(unpacker& from) {
  if (from.get<std::uint64_t>() != wire_version)
    throw api_error(TACIT_ERR_ENVIRONMENT, "ranks run different versions of tacit; install one on all nodes");
}

/// All errors of the diagnostics, with the operation's number as its rank knows it.
std::string describe_errors(const joined_graph& all, const diagnostics& problems) {
  std::string text;
  int shown = 0;
  for (const diagnostic& d : problems) {
    if (d.level != severity::error)
      continue;
    if (++shown > 20) {
      text += "\n…";
      break;
    }
    text += fmt::format("{}TACIT-{:03}: {}", text.empty() ? "" : "\n", d.code, d.message);
    if (d.op != no_op) {
      const rank_id rank = all.g[d.op].rank;
      const auto& names = all.names[index(rank)];
      const auto local = std::find(names.begin(), names.end(), d.op);
      if (local != names.end())
        text += fmt::format(" [operation {} of rank {}]", local - names.begin(), index(rank));
    }
    if (!d.remedy.empty())
      text += ". " + d.remedy;
  }
  return text;
}

struct outcome {
  compilation compiled;
  joined_graph all;
  explanation why;
};

outcome compile_all(const std::vector<local_graph>& parts, const compile_options& options) {
  outcome out{{}, join(parts), {}};
  out.compiled = compile(out.all.g, options);
  if (has_errors(out.compiled.problems))
    throw api_error(TACIT_ERR_GRAPH, describe_errors(out.all, out.compiled.problems));
  out.why = explain(out.all.g, out.compiled);
  return out;
}

/// What rank 0 sends to one rank.
std::vector<std::byte> packed_for(const outcome& o, std::uint32_t rank, const std::string& driver_name) {
  packer out;
  out.put(wire_version);
  out.put_text(driver_name);
  out.put_text(o.why.text);
  out.put_text(o.why.json);
  pack(out, make_program(o.all.g, o.compiled.schedule, rank_id{rank}));
  std::vector<std::pair<op_id, std::int32_t>> computations; // operation in the joined graph, here
  const auto& names = o.all.names[rank];
  for (std::size_t i = 0; i < names.size(); ++i)
    if (o.all.g[names[i]].kind == op_kind::opaque)
      computations.emplace_back(names[i], static_cast<std::int32_t>(i));
  out.put<std::uint64_t>(computations.size());
  for (const auto& [global, local] : computations) {
    out.put(global);
    out.put(local);
  }
  return out.take();
}

/// Step 2 and 3: gathers the graphs, compiles on rank 0; returns this rank's part.
std::vector<std::byte> compile_on_root(const tacit_graph_s& graph, const requested& wanted, MPI_Comm comm) {
  const std::vector<std::byte> mine = packed(graph.local);
  if (graph.rank != 0) {
    send_bytes(mine, 0, comm);
    agree(comm, graph.rank, graph.size, {});
    return receive_bytes(0, comm);
  }
  std::vector<std::vector<std::byte>> received{mine};
  for (int r = 1; r < graph.size; ++r)
    received.push_back(receive_bytes(r, comm));
  local_error error;
  outcome o{{}, {tacit::graph(0), {}}, {}};
  error.catch_from([&] {
    std::vector<local_graph> parts;
    for (auto& bytes : received) {
      unpacker from(bytes);
      require_version(from);
      parts.push_back(unpack_local_graph(from));
      bytes.clear();
      bytes.shrink_to_fit();
    }
    o = compile_all(parts, wanted.compile);
  });
  agree(comm, graph.rank, graph.size, error);
  for (int r = 1; r < graph.size; ++r)
    send_bytes(packed_for(o, static_cast<std::uint32_t>(r), wanted.driver), r, comm);
  return packed_for(o, 0, wanted.driver);
}

/// Collective: the driver that can run everywhere, by name or by priority.
const driver& choose_driver(const std::string& name, const program& p, MPI_Comm comm) {
  std::string why;
  for (const driver* d : drivers()) {
    if (name.empty() ? !d->automatic() : d->name() != name)
      continue;
    const std::string mine = d->can_run(p, comm);
    int can = mine.empty() ? 1 : 0, all = 0;
    check_mpi(MPI_Allreduce(&can, &all, 1, MPI_INT, MPI_LAND, comm), "MPI_Allreduce");
    if (all)
      return *d;
    why += fmt::format("; {}: {}", d->name(), mine.empty() ? "cannot run on another rank" : mine);
  }
  throw api_error(TACIT_ERR_ENVIRONMENT, "no driver can run this schedule" + why);
}

std::function<void(op_id)> computations_of(const tacit_graph_s& graph, unpacker& from) {
  std::map<op_id, std::pair<tacit_compute_function*, void*>> table;
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto global = from.get<op_id>();
    table[global] = graph.computations.at(from.get<std::int32_t>());
  }
  return [table](op_id op) {
    const computation_scope scope;
    const auto& [function, context] = table.at(op);
    function(context);
  };
}

} // namespace

std::unique_ptr<tacit_schedule_s> compile_collectively(const tacit_graph_s& graph, MPI_Info info,
                                                       bool has_place) {
  private_communicator own;
  check_mpi(MPI_Comm_dup(graph.comm, &own.comm), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(own.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");

  local_error error{graph.first_error, graph.first_error_text};
  requested wanted;
  error.catch_from([&] {
    if (!has_place)
      throw api_error(
          TACIT_ERR_ARGUMENT,
          fmt::format("rank {}: tacit_compile: the place for the schedule is a null pointer", graph.rank));
    wanted = read_options(info);
  });
  agree(own.comm, graph.rank, graph.size, error);

  const std::vector<std::byte> bytes = compile_on_root(graph, wanted, own.comm);
  auto schedule = std::make_unique<tacit_schedule_s>();
  std::string driver_name;
  program mine;
  explanation why;
  error.catch_from([&] {
    unpacker from(bytes);
    require_version(from);
    driver_name = from.get_text();
    why.text = from.get_text();
    why.json = from.get_text();
    mine = unpack_program(from);
    mine.call = computations_of(graph, from);
  });
  agree(own.comm, graph.rank, graph.size, error);

  const driver& chosen = choose_driver(driver_name, mine, own.comm);
  error.catch_from([&] {
    why = explain_here(why, chosen.name(), summarize(mine));
    schedule->run = chosen.prepare(std::move(mine), own.comm);
  });
  agree(own.comm, graph.rank, graph.size, error);
  schedule->comm = graph.comm;
  schedule->text = std::move(why.text);
  schedule->json = std::move(why.json);
  schedule->private_comm = own.release();
  return schedule;
}

} // namespace tacit::capi
