#include "surface/cli/coverage.h"

#include "vocabulary/calls/symbols.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace tacit::surface {
namespace {

bool is_large_count(const std::string& name) {
  return name.ends_with("_c") || name.find("_large_") != std::string::npos;
}

const char* interface_name(const std::string& name, mpi_interface which) {
  switch (which) {
  case mpi_interface::c:
    return is_large_count(name) ? "C with large counts" : "C";
  case mpi_interface::mpif:
    return "Fortran: mpif.h or `use mpi`";
  default:
    return is_large_count(name) ? "Fortran: `use mpi_f08` with large counts" : "Fortran: `use mpi_f08`";
  }
}

} // namespace

coverage find_coverage(const linked_objects& linked, const std::string& interposer) {
  const std::vector<std::string> wrappers = read_mpi_functions(interposer).defined;
  std::set<std::string> imported, interfaces;
  for (const std::string& object : linked.objects)
    for (std::string& name : read_mpi_functions(object).imported)
      imported.insert(std::move(name));
  coverage out;
  for (const std::string& name : imported) {
    const mpi_symbol symbol = understand_symbol(name);
    interfaces.insert(interface_name(name, symbol.interface));
    if (!symbol.concerns_messages)
      continue;
    if (symbol.profiling)
      out.passed_by.push_back(name);
    else if (std::ranges::binary_search(wrappers, name))
      out.wrapped.push_back(name);
    else
      out.missed.push_back(name);
  }
  out.interfaces.assign(interfaces.begin(), interfaces.end());
  return out;
}

std::string obstacle(const std::string& program, const std::string& interposer, bool apply) {
  const linked_objects linked = inspect_program(program);
  if (linked.is_static)
    return fmt::format("{} is linked statically, so that {} cannot be loaded into it: link it {}", program,
                       apply ? "tacit" : "the recorder", apply ? "dynamically" : "with libtacit-interpose.a");
  if (!linked.dynamic)
    return "";
  const coverage seen = find_coverage(linked, interposer);
  if (seen.called() > 0 && seen.wrapped.empty())
    return fmt::format("{} calls MPI only through functions that {} does not see: {}", program,
                       apply ? "tacit" : "the recorder",
                       fmt::join(seen.missed.empty() ? seen.passed_by : seen.missed, ", "));
  return "";
}

} // namespace tacit::surface
