#include "cli/coverage.h"

#include "calls/symbols.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace tacit::cli {
namespace {

bool is_fortran(const std::string& name) {
  return understand_symbol(name).interface != mpi_interface::c;
}

bool matters(const std::string& name) {
  return understand_symbol(name).concerns_messages;
}

} // namespace

coverage find_coverage(const linked_objects& linked, const std::string& interposer) {
  const std::vector<std::string> wrapped = read_mpi_symbols(interposer).defined;
  std::vector<std::string> called, missed;
  for (const std::string& object : linked.objects) {
    const std::vector<std::string> imported = read_mpi_symbols(object).imported;
    std::ranges::copy_if(imported, std::back_inserter(called), matters);
  }
  std::ranges::sort(called);
  called.erase(std::unique(called.begin(), called.end()), called.end());
  std::ranges::set_difference(called, wrapped, std::back_inserter(missed));
  coverage out;
  out.called = called.size();
  out.fortran_missed = static_cast<std::size_t>(std::ranges::count_if(missed, is_fortran));
  std::erase_if(missed, is_fortran);
  out.missed = std::move(missed);
  return out;
}

std::string obstacle(const std::string& program, const std::string& interposer) {
  const linked_objects linked = inspect_program(program);
  if (linked.is_static)
    return fmt::format("{} is linked statically, so that the recorder cannot be loaded into it: link it with "
                       "libtacit-interpose.a",
                       program);
  if (!linked.dynamic)
    return "";
  const coverage seen = find_coverage(linked, interposer);
  if (seen.called > 0 && seen.fortran_missed == seen.called)
    return fmt::format("{} calls MPI through its Fortran interface, which this version does not record",
                       program);
  return "";
}

} // namespace tacit::cli
