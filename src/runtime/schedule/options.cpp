#include "runtime/schedule/options.h"

#include "neighbors/passes/choice.h"
#include "runtime/mpi/errors.h"
#include "runtime/mpi/packer.h"
#include "runtime/run/driver.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace tacit::runtime {
namespace {

std::string driver_names() {
  std::string all;
  for (const driver* d : drivers())
    all += fmt::format("{}{}", all.empty() ? "" : ", ", d->name());
  return all;
}

[[noreturn]] void refuse_option(const std::string& fault) {
  throw call_error(call_error::kind::environment, fault, true);
}

bool set_policy(compile_request& r, std::string_view value) {
  r.compile.planning.policy = value == "data" ? graphs::sync_policy::data : graphs::sync_policy::keep_sync;
  return true;
}

bool set_progress(compile_request& r, std::string_view value) {
  r.compile.planning.progress =
      value == "as_written" ? graphs::region_progress::as_written : graphs::region_progress::collective;
  return true;
}

bool set_driver(compile_request& r, std::string_view value) {
  if (value == neighbors::native_call) // concerns neighborhood collectives, which read the same setting
    return true;
  r.driver = value;
  return find_driver(value) != nullptr;
}

bool set_tune(compile_request& r, std::string_view value) {
  r.measures = value == "off"    ? measuring::nothing
               : value == "auto" ? measuring::finalists
               : value == "on"   ? measuring::all
                                 : measuring::all_again;
  return true;
}

bool set_density(compile_request& r, std::string_view value) {
  r.compile.detection.density = *real_number(value);
  return true;
}

bool set_budget(compile_request& r, std::string_view value) {
  return graphs::read_budget(value, r.compile.flow);
}

bool set_replace(compile_request& r, std::string_view value) {
  std::erase(r.compile.disabled, "replace");
  if (value == "false")
    r.compile.disabled.emplace_back("replace");
  r.replace_always = value == "always";
  return true;
}

bool set_reassociation(compile_request& r, std::string_view value) {
  r.compile.planning.reassociate = value == "true";
  return true;
}

bool set_patterns(compile_request& r, std::string_view value) {
  r.patterns = value;
  return true;
}

bool set_plan(compile_request& r, std::string_view value) {
  r.plan = value;
  return true;
}

bool set_analysis(compile_request& r, std::string_view value) {
  r.by = value == "central"       ? compiled_by::central
         : value == "distributed" ? compiled_by::distributed
                                  : compiled_by::size;
  return true;
}

bool set_kept(compile_request& r, std::string_view value) {
  r.kept = *whole_number(value);
  return true;
}

bool set_background(compile_request& r, std::string_view value) {
  r.background = value == "on";
  return true;
}

/// The settings of this reader, and what each does with a value that the table allows; false: it is none
/// after all.
struct option {
  setting name;
  bool (*set)(compile_request& r, std::string_view value);
};

constexpr option options[] = {{setting::policy, set_policy},
                              {setting::graph_progress, set_progress},
                              {setting::driver, set_driver},
                              {setting::plan, set_plan},
                              {setting::tune, set_tune},
                              {setting::density, set_density},
                              {setting::budget, set_budget},
                              {setting::replace, set_replace},
                              {setting::patterns, set_patterns},
                              {setting::compile, set_analysis},
                              {setting::graphs_kept, set_kept},
                              {setting::allow_reassociation, set_reassociation},
                              {setting::background, set_background}};

void set(compile_request& r, const setting_row& row, const std::string& where, std::string_view value) {
  if (const std::string fault = fault_of(row, where, value); !fault.empty())
    refuse_option(fault);
  for (const option& o : options)
    if (o.name == row.name && !o.set(r, value))
      refuse_option(fmt::format("{} is \"{}\", but must be {}", where, value,
                                row.name == setting::driver ? "one of " + driver_names() : expected(row)));
}

void read_info(compile_request& r, MPI_Info info) {
  int count = 0;
  MPI_Info_get_nkeys(info, &count);
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    MPI_Info_get_nthkey(info, i, key);
    if (std::strncmp(key, "tacit_", 6) != 0)
      continue;
    std::vector<char> value(MPI_MAX_INFO_VAL + 1, '\0');
    int found = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value.data(), &found);
    if (const setting_row* const row = find_key(key, "tacit_compile"))
      set(r, *row, fmt::format("info key \"{}\"", key), value.data());
    else if (!find_setting(key)) // those of other readers may stand beside ours
      refuse_option(unknown_key(key, "tacit_compile"));
  }
}

} // namespace

std::string_view compile_request::not_in_background() const {
  const auto off = [&](std::string_view pass) {
    return std::find(compile.disabled.begin(), compile.disabled.end(), pass) != compile.disabled.end();
  };
  if (measures_all())
    return "several variants are to be measured in the first runs";
  if (!plan.empty())
    return "a plan was asked for by its name";
  if (off("replace"))
    return "nothing is to be replaced";
  if (compile.planning.progress == graphs::region_progress::as_written)
    return "no rank may wait for another one at the run that begins the new form";
  if (driver == "rma")
    return "windows are made only where all ranks wait for each other";
  if (by == compiled_by::distributed)
    return "all ranks are to find out what the graph means";
  return {};
}

/// Names every member, so that a new one cannot be forgotten here.
std::vector<std::byte> packed_request(const compile_request& r) {
  const auto& [by, compile, driver, plan, patterns, measures, replace_always, candidates, kept, background] =
      r;
  const auto& [flow, detection, planning, make_plan, check_races, disabled, described, progress] = compile;
  const auto& [fragment_budget, memory_budget] = flow;
  const auto& [vector_forms, density, budget, smallest_group, subgroups, ordered] = detection;
  const auto& [policy, region, reassociate] = planning;
  packer out;
  out.put(by);
  out.put(measures);
  out.put_text(driver);
  out.put_text(plan);
  out.put_text(patterns);
  for (const bool word :
       {replace_always, make_plan, check_races, vector_forms, subgroups, ordered, reassociate})
    out.put(word);
  for (const std::uint64_t word :
       {std::uint64_t{candidates}, fragment_budget, memory_budget, budget, std::uint64_t{smallest_group}})
    out.put(word);
  out.put(density);
  out.put(policy);
  out.put(region);
  for (const std::string& pass : disabled)
    out.put_text(pass);
  static_cast<void>(kept);
  static_cast<void>(background); // it says when, not what
  static_cast<void>(described);  // what the file says
  static_cast<void>(progress);
  return out.take();
}

compile_request read_options(MPI_Info info) {
  compile_request r;
  if (info != MPI_INFO_NULL)
    read_info(r, info);
  for (const option& o : options)
    if (const std::string_view value = given(o.name); !value.empty())
      set(r, row_of(o.name), std::string(row_of(o.name).variable), value);
  // Those of the rooms below, which could tell nobody what they do not understand.
  for (const setting name : {setting::shm, setting::rma_model, setting::pieces})
    if (const std::string fault = fault_of(name); !fault.empty())
      refuse_option(fault);
  return r;
}

} // namespace tacit::runtime
