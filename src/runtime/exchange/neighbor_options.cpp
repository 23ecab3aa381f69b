#include "runtime/exchange/neighbor_options.h"

#include "runtime/exchange/neighbor_error.h"
#include "runtime/mpi/library_progress.h"
#include "runtime/mpi/library_quirks.h"
#include "runtime/mpi/mpi_error.h"
#include "runtime/run/driver.h"
#include "vocabulary/base/hash.h"
#include "vocabulary/calls/settings.h"

#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <string_view>
#include <vector>

namespace tacit::runtime {
namespace {

[[noreturn]] void refuse_setting(const std::string& text) {
  throw neighbor_error(neighbor_error::kind::environment, text);
}

void choose_driver(neighbor_options& o, const std::string& where, std::string_view value) {
  if (!find_driver(value) && value != neighbors::native_call) { // not built for this MPI library
    std::string names;
    for (const driver* d : drivers())
      names += fmt::format("{}, ", d->name());
    refuse_setting(
        fmt::format("{} is \"{}\", but must be one of {}{}", where, value, names, neighbors::native_call));
  }
  o.driver =
      value == "pcoll" ? std::string_view() : value; // concerns tacit_compile, which reads the same setting
}

void choose_passes(neighbor_options& o, const std::string&, std::string_view value) {
  o.passes = {};
  neighbors::leave_out(o.passes, value);
}

void choose_cost(neighbor_options& o, const std::string& where, std::string_view value) {
  const auto cost = graphs::parse_message_cost(value);
  if (!cost)
    refuse_setting(
        fmt::format("{} is \"{}\", but must be {}", where, value, expected(row_of(setting::message_cost))));
  o.cost = *cost;
}

void choose_grouping(neighbor_options& o, const std::string&, std::string_view value) {
  for (const neighbors::grouping g :
       {neighbors::grouping::coalesced, neighbors::grouping::direct, neighbors::grouping::combined})
    if (value == neighbors::name(g))
      o.blocks = g;
}

void choose_feedback(neighbor_options& o, const std::string&, std::string_view value) {
  o.feedback = *whole_number(value);
}

void choose_level(neighbor_options& o, const std::string&, std::string_view value) {
  o.level = static_cast<persistence>(1 + *word_index(row_of(setting::persistent), value));
}

/// What is done with a value that the table of settings allows.
struct option {
  setting name;
  void (*set)(neighbor_options&, const std::string& where, std::string_view value);
};
constexpr std::array<option, 6> all_options{{{setting::driver, choose_driver},
                                             {setting::neighbor_grouping, choose_grouping},
                                             {setting::neighbor_without, choose_passes},
                                             {setting::message_cost, choose_cost},
                                             {setting::neighbor_feedback, choose_feedback},
                                             {setting::persistent, choose_level}}};

void set(neighbor_options& out, const option& o, const std::string& where, std::string_view value) {
  if (const std::string fault = fault_of(row_of(o.name), where, value); !fault.empty())
    refuse_setting(fault);
  o.set(out, where, value);
}

void refuse_unknown_keys(MPI_Info info) {
  constexpr std::string_view reader = "neighborhood collectives";
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    MPI_Info_get_nthkey(info, i, key);
    if (std::strncmp(key, "tacit_", 6) == 0 &&
        !find_setting(key)) // those of other readers may stand beside ours
      refuse_setting(unknown_key(key, reader));
  }
}

/// Those of the rooms below, which could tell nobody what they do not understand.
void check_other_variables() {
  for (const setting name : {setting::shm, setting::rma_model, setting::progress, setting::ranks_per_node,
                             setting::pieces, setting::check})
    if (const std::string fault = fault_of(name); !fault.empty())
      refuse_setting(fault);
}

} // namespace

neighbor_options read_neighbor_options(MPI_Info info, const neighbor_options& defaults) {
  neighbor_options out = defaults;
  if (info != MPI_INFO_NULL)
    refuse_unknown_keys(info);
  for (const option& o : all_options) {
    std::vector<char> value(MPI_MAX_INFO_VAL + 1, '\0');
    int found = 0;
    const setting_row& row = row_of(o.name);
    if (info !=
        MPI_INFO_NULL) // of a literal, so it ends with a zero: NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage)
      MPI_Info_get(info, row.key.data(), MPI_MAX_INFO_VAL, value.data(), &found);
    if (found)
      set(out, o, fmt::format("info key \"{}\"", row.key), value.data());
    if (const std::string_view text = given(o.name); !text.empty())
      set(out, o, std::string(row.variable), text);
  }
  check_other_variables();
  out.check = given(setting::check) == "1";
  out.unattended = defaults.unattended || (!mpi_progresses() && !only_waits_progress());
  return out;
}

neighbor_options options_of(MPI_Comm comm) {
  if (!keeps_info_of_communicators)
    return read_neighbor_options(MPI_INFO_NULL);
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
  hashed_words word;
  word.add(hash_of(options.driver));
  word.add(options.fault.empty() ? 0u : 1u);
  word.add(2 * neighbors::word_of(options.passes) + (options.unattended ? 1u : 0u));
  word.add(static_cast<std::uint64_t>(options.level));
  word.add(2 * options.feedback + (options.check ? 1u : 0u));
  word.add(options.blocks ? 1 + static_cast<std::uint64_t>(*options.blocks) : 0);
  if (options.cost)
    for (const double number :
         {options.cost->overhead, options.cost->latency, options.cost->byte, options.cost->node_share})
      word.add(std::bit_cast<std::uint64_t>(number));
  return word.value();
}

} // namespace tacit::runtime
