#include "runtime/exchange/neighbor_options.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/driver.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace tacit::runtime {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw neighbor_error(neighbor_error::kind::environment, text);
}

void choose_driver(neighbor_options& o, const std::string& where, const std::string& value) {
  if (!find_driver(value) && value != neighbors::own_call) {
    std::string names;
    for (const driver* d : drivers())
      names += fmt::format("{}, ", d->name());
    names += neighbors::own_call;
    refuse(fmt::format("{} is \"{}\", but must be one of {}", where, value, names));
  }
  o.driver = value;
}

void choose_passes(neighbor_options& o, const std::string& where, const std::string& value) {
  o.passes = {};
  if (const std::string unknown = neighbors::leave_out(o.passes, value); !unknown.empty())
    refuse(fmt::format("{} names \"{}\", but the optimizations are {}", where, unknown,
                       neighbors::neighbor_pass_names()));
}

void choose_cost(neighbor_options& o, const std::string& where, const std::string& value) {
  const auto cost = graphs::parse_message_cost(value);
  if (!cost)
    refuse(
        fmt::format("{} is \"{}\", but must be four positive numbers such as 300,1000,0.1,0.3: a message's "
                    "overhead and latency in ns, ns per byte, and the share of the overhead within a node",
                    where, value));
  o.cost = *cost;
}

void choose_form(neighbor_options& o, const std::string& where, const std::string& value) {
  o.shape.reset();
  for (const neighbors::form f :
       {neighbors::form::coalesced, neighbors::form::direct, neighbors::form::combined})
    if (value == neighbors::name(f))
      o.shape = f;
  if (!o.shape)
    refuse(fmt::format("{} is \"{}\", but must be coalesced, direct or combined", where, value));
}

void choose_feedback(neighbor_options& o, const std::string& where, const std::string& value) {
  const char* const end = value.data() + value.size();
  std::uint64_t runs = 0;
  const auto [rest, error] = std::from_chars(value.data(), end, runs);
  if (error != std::errc() || rest != end || runs > 1'000'000'000)
    refuse(fmt::format("{} is \"{}\", but must be a number of runs up to 1000000000, after which other ways "
                       "are tried, or 0",
                       where, value));
  o.feedback = runs;
}

constexpr std::array<const char*, 5> level_names{"", "none", "topology", "sizes", "buffers"};

void choose_level(neighbor_options& o, const std::string& where, const std::string& value) {
  for (std::size_t i = 1; i < level_names.size(); ++i)
    if (value == level_names[i]) {
      o.level = static_cast<persistence>(i);
      return;
    }
  refuse(fmt::format("{} is \"{}\", but must be none, topology, sizes or buffers", where, value));
}

struct option {
  const char* key;
  const char* variable;
  void (*set)(neighbor_options&, const std::string& where, const std::string& value);
};
constexpr std::array<option, 6> all_options{
    {{"tacit_driver", "TACIT_DRIVER", choose_driver},
     {"tacit_neighbor_form", "TACIT_NEIGHBOR_FORM", choose_form},
     {"tacit_neighbor_without", "TACIT_NEIGHBOR_WITHOUT", choose_passes},
     {"tacit_message_cost", "TACIT_MESSAGE_COST", choose_cost},
     {"tacit_neighbor_feedback", "TACIT_NEIGHBOR_FEEDBACK", choose_feedback},
     {"tacit_persistent", "TACIT_PERSISTENT", choose_level}}};

void refuse_unknown_keys(MPI_Info info) {
  std::string names;
  for (const option& o : all_options)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", o.key);
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    MPI_Info_get_nthkey(info, i, key);
    bool known = std::strncmp(key, "tacit_", 6) != 0;
    for (const option& o : all_options)
      known = known || std::strcmp(key, o.key) == 0;
    if (!known)
      refuse(fmt::format("info key \"{}\" is unknown; neighborhood collectives know {}", key, names));
  }
}

/// Those of the rooms below, which could tell nobody what they do not understand.
void check_other_variables() {
  struct words {
    const char* variable;
    const char* known[2];
  };
  constexpr words all[] = {{"TACIT_SHM", {"off", "copy"}},
                           {"TACIT_RMA_MODEL", {"separate", "as_given"}},
                           {"TACIT_PROGRESS", {"mpi", "waits"}}};
  for (const words& w : all) {
    const char* const text = std::getenv(w.variable);
    const std::string_view value = text ? text : "";
    if (!value.empty() && value != w.known[0] && value != w.known[1])
      refuse(fmt::format("{} is \"{}\", but must be {} or {}", w.variable, value, w.known[0], w.known[1]));
  }
  const char* const ranks = std::getenv("TACIT_RANKS_PER_NODE");
  if (ranks && *ranks && std::atoi(ranks) <= 0)
    refuse(fmt::format("TACIT_RANKS_PER_NODE is \"{}\", but must be a number from 1 on", ranks));
}

} // namespace

neighbor_options read_neighbor_options(MPI_Info info, const neighbor_options& defaults) {
  neighbor_options out = defaults;
  if (info != MPI_INFO_NULL)
    refuse_unknown_keys(info);
  for (const option& o : all_options) {
    std::vector<char> value(MPI_MAX_INFO_VAL + 1, '\0');
    int found = 0;
    if (info != MPI_INFO_NULL)
      MPI_Info_get(info, o.key, MPI_MAX_INFO_VAL, value.data(), &found);
    if (found)
      o.set(out, fmt::format("info key \"{}\"", o.key), value.data());
    if (const char* text = std::getenv(o.variable))
      o.set(out, o.variable, text);
  }
  check_other_variables();
  out.unattended = defaults.unattended || (!mpi_progresses() && !only_waits_progress());
  return out;
}

neighbor_options options_of(MPI_Comm comm) {
#ifdef SMPI_H // keeps no info of communicators
  static_cast<void>(comm);
  return read_neighbor_options(MPI_INFO_NULL);
#else
  MPI_Info info = MPI_INFO_NULL;
  check_mpi(MPI_Comm_get_info(comm, &info), "MPI_Comm_get_info");
  try {
    const neighbor_options out = read_neighbor_options(info);
    MPI_Info_free(&info);
    return out;
  } catch (...) {
    MPI_Info_free(&info);
    throw;
  }
#endif
}

void limit_to_level(neighbors::neighbor_passes& passes, persistence level) {
  if (level == persistence::none)
    neighbors::leave_out(passes, "self,coalesce,order,color");
  if (level == persistence::none || level == persistence::topology)
    neighbors::leave_out(passes, "combine,tree,aggregate,empty");
  if (level != persistence::unsaid && level != persistence::buffers)
    neighbors::leave_out(passes, "static,canary,place");
}

neighbor_options options_or_fault(MPI_Comm comm) {
  try {
    return options_of(comm);
  } catch (const neighbor_error& e) {
    neighbor_options none;
    none.fault = e.what();
    return none;
  }
}

std::uint64_t word_of(const neighbor_options& options) {
  std::uint64_t word = 0x7461636974000001; // "tacit", version 1 of what ranks must agree on
  const auto add = [&](std::uint64_t x) { word = (word ^ x) * 0x9e3779b97f4a7c15ull + (word >> 29); };
  for (const char c : options.driver)
    add(static_cast<unsigned char>(c));
  add(options.fault.empty() ? 0u : 1u);
  add(512u + 2 * neighbors::word_of(options.passes) + (options.unattended ? 1u : 0u));
  add(static_cast<std::uint64_t>(options.level));
  add(options.feedback);
  add(options.shape ? 1 + static_cast<std::uint64_t>(*options.shape) : 0);
  if (options.cost)
    for (const double number :
         {options.cost->overhead, options.cost->latency, options.cost->byte, options.cost->near})
      add(std::bit_cast<std::uint64_t>(number));
  return word;
}

} // namespace tacit::runtime
