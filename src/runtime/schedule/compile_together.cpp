// tacit_compile: from the graphs of all ranks to one schedule.
//
// 1. Everybody duplicates the communicator (E6) and agrees that no rank has an error so far.
// 2. The local graphs travel to rank 0, which joins and compiles them; it alone decides (E7).
// 3. Everybody agrees on the outcome, then gets its program; an error text goes to all ranks instead.
// 4. The first driver that can run on all ranks is prepared; everybody agrees again.
// Between the steps every rank reports success or an error (agreement.h), so that a rank that fails, be it
// for want of memory, leaves none waiting. What is collective in a step itself is tried by all ranks. Cost on
// rank 0: the sum of all graphs; messages are linear in the number of ranks.
#include "runtime/mpi/agreement.h"
#include "runtime/schedule/explain.h"
#include "runtime/schedule/options.h"
#include "runtime/schedule/private_communicator.h"
#include "surface/capi/handles.h"

#include "runtime/mpi/mpi_error.h"

#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <optional>

namespace tacit::runtime {
namespace {

/// Word at the head of everything that travels: ranks that run different builds notice.
constexpr std::uint64_t wire_version = 0x7461636974000002; // "tacit", 2

std::vector<std::byte> packed(const local_graph& g) {
  packer out;
  out.put(wire_version);
  pack(out, g);
  return out.take();
}

void require_version(unpacker& from) {
  if (from.get<std::uint64_t>() != wire_version)
    throw call_error(call_error::kind::environment,
                     "ranks run different versions of tacit; install one on all nodes");
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
  graphs::compilation compiled;
  joined_graph all;
  explanation why;
};

outcome compile_all(const std::vector<local_graph>& parts, const graphs::compile_options& options) {
  outcome out{{}, join(parts), {}};
  out.compiled = graphs::compile(out.all.g, options);
  if (has_errors(out.compiled.problems))
    throw call_error(call_error::kind::graph, describe_errors(out.all, out.compiled.problems), true);
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
    if (o.all.g[names[i]].kind == graphs::op_kind::opaque)
      computations.emplace_back(names[i], static_cast<std::int32_t>(i));
  out.put<std::uint64_t>(computations.size());
  for (const auto& [global, local] : computations) {
    out.put(global);
    out.put(local);
  }
  return out.take();
}

/// What rank 0 makes of the parts that it has received.
outcome compile_parts(std::vector<std::vector<std::byte>>& received, const graphs::compile_options& options) {
  std::vector<local_graph> parts;
  for (auto& bytes : received) {
    unpacker from(bytes);
    require_version(from);
    parts.push_back(unpack_local_graph(from));
    std::vector<std::byte>().swap(bytes);
  }
  return compile_all(parts, options);
}

/// Steps 2 and 3: gathers the graphs, compiles on rank 0; returns this rank's part.
std::vector<std::byte> compile_on_root(const tacit_graph_s& graph, std::vector<std::byte> mine,
                                       const requested& wanted, MPI_Comm comm, agreement& all) {
  std::vector<std::byte> result;
  if (graph.rank != 0) {
    all.always("sending the graph to rank 0", [&] { send_bytes(&mine, 0, comm); });
    all.agree();
    all.always("receiving the schedule from rank 0", [&] { receive_bytes(result, 0, comm); });
    all.agree();
    return result;
  }
  const auto size = static_cast<std::size_t>(graph.size);
  std::vector<std::vector<std::byte>> received;
  all.here("making room for the graphs of all ranks", [&] { received.resize(size); });
  std::vector<std::byte> unwanted;
  for (int r = 1; r < graph.size; ++r)
    all.always("receiving the graphs", [&] {
      receive_bytes(received.empty() ? unwanted : received[static_cast<std::size_t>(r)], r, comm);
    });
  std::optional<outcome> o; // made inside a stage: even an empty graph needs memory
  all.here("compiling the graph", [&] {
    received[0] = std::move(mine);
    o = compile_parts(received, wanted.compile);
  });
  all.agree();
  for (int r = 1; r < graph.size; ++r) {
    std::vector<std::byte> theirs;
    const bool made = all.here("making the schedules of all ranks", [&] {
      theirs = packed_for(*o, static_cast<std::uint32_t>(r), wanted.driver);
    });
    all.always("sending the schedules", [&] { send_bytes(made ? &theirs : nullptr, r, comm); });
  }
  all.here("making the schedule of rank 0", [&] { result = packed_for(*o, 0, wanted.driver); });
  all.agree();
  return result;
}

/// Collective: the driver that can run everywhere, by name or by priority.
const driver& choose_driver(const std::string& name, const program& p, MPI_Comm comm, agreement& all) {
  std::string why;
  for (const driver* d : drivers()) {
    if (!name.empty() && d->name() != name)
      continue;
    int mine = 0, everywhere = 0;
    all.here("choosing a driver", [&] {
      const std::string reason = name.empty() && !d->automatic(p) ? "only by name" : d->can_run(p, comm);
      mine = reason.empty() ? 1 : 0;
      why += fmt::format("; {}: {}", d->name(), reason.empty() ? "cannot run on another rank" : reason);
    });
    all.agree();
    check_mpi(MPI_Allreduce(&mine, &everywhere, 1, MPI_INT, MPI_LAND, comm), "MPI_Allreduce");
    if (everywhere)
      return *d;
  }
  throw call_error(call_error::kind::environment, "no driver can run this schedule" + why);
}

std::function<void(op_id)> computations_of(const tacit_graph_s& graph, unpacker& from) {
  std::map<op_id, std::pair<tacit_compute_function*, void*>> table;
  for (auto n = from.get<std::uint64_t>(); n > 0; --n) {
    const auto global = from.get<op_id>();
    table[global] = graph.computations.at(from.get<std::int32_t>());
  }
  return [table](op_id op) {
    const surface::computation_scope scope;
    const auto& [function, context] = table.at(op);
    function(context);
  };
}

} // namespace

std::unique_ptr<tacit_schedule_s> compile_collectively(const tacit_graph_s& graph, MPI_Info info,
                                                       bool has_place) {
  private_communicator own = private_communicator::like(graph.comm);
  agreement all(own.comm, graph.rank, graph.size, "tacit_compile");
  if (graph.first_error != TACIT_SUCCESS)
    all.fail(surface::api_error(graph.first_error, graph.first_error_text));
  requested wanted;
  std::vector<std::byte> bytes;
  std::unique_ptr<tacit_schedule_s> schedule;
  all.here("reading its arguments", [&] {
    if (!has_place)
      throw call_error(
          call_error::kind::argument,
          fmt::format("rank {}: tacit_compile: the place for the schedule is a null pointer", graph.rank),
          true);
    wanted = read_options(info);
    schedule = std::make_unique<tacit_schedule_s>();
    bytes = packed(graph.local);
  });
  all.agree();
  // From here on every rank has a graph without errors of its own.
  bytes = compile_on_root(graph, std::move(bytes), wanted, own.comm, all);
  std::string driver_name;
  program mine;
  explanation why;
  all.here("reading the schedule", [&] {
    unpacker from(bytes);
    require_version(from);
    driver_name = from.get_text();
    why.text = from.get_text();
    why.json = from.get_text();
    mine = unpack_program(from);
    mine.call = computations_of(graph, from);
  });
  all.agree();
  // From here on every rank has its program.
  const driver& chosen = choose_driver(driver_name, mine, own.comm, all);
  all.here("preparing to connect", [&] { schedule->peers = chosen.offer(mine, own.comm); });
  all.agree();
  all.always("connecting", [&] {
    if (schedule->peers)
      schedule->peers->create();
  });
  all.agree();
  all.here("preparing the schedule", [&] {
    std::string here = summarize(mine);
    if (const std::string how = schedule->peers ? schedule->peers->describe() : std::string(); !how.empty())
      here += "; " + how;
    why = explain_here(why, chosen.name(), here);
    schedule->run = chosen.prepare(std::move(mine), own.comm, schedule->peers.get());
  });
  all.agree();
  schedule->rank = graph.rank;
  schedule->text = std::move(why.text);
  schedule->json = std::move(why.json);
  MPI_Comm_get_errhandler(graph.comm, &schedule->handler); // cannot fail: the communicator is in use
  schedule->private_comm = own.release();
  return schedule;
}

} // namespace tacit::runtime
