#include "vocabulary/calls/symbols.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace tacit::vocabulary {

namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool remove_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool remove_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix))
    return false;
  text.remove_suffix(suffix.size());
  return true;
}

bool has_lower_case(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool begins_with_capital(std::string_view text) {
  return !text.empty() && text[0] >= 'A' && text[0] <= 'Z';
}

/// The row of "isend" or "ISEND".
const call_row* row_of_any_case(std::string_view name) {
  const auto rows = call_rows();
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const call_row& row) {
    const std::string_view known = row.name.substr(4);
    return std::equal(known.begin(), known.end(), name.begin(), name.end(),
                      [](char a, char b) { return lower(a) == lower(b); });
  });
  return found == rows.end() ? nullptr : &*found;
}

/// Functions of no row that touch no message: conversions between languages, the tool interface, ready-made
/// callbacks.
bool is_harmless(std::string_view name) {
  for (const std::string_view end : {"_c2f", "_f2c", "_c2f08", "_f082c", "_f2f08", "_f082f", "_fn",
                                     "_fn_null", "_FN", "_fn_null_c", "_FN_NULL"})
    if (name.ends_with(end))
      return true;
  return name.starts_with("T_") || name.starts_with("sizeof") || name.starts_with("SIZEOF") ||
         name == "f_sync_reg"; // does nothing (MPI-4.0, 19.1.17)
}

mpi_symbol found(mpi_interface interface, bool profiling, std::string_view name, const call_row* row) {
  const bool concerns =
      row ? row->kind != call_class::local && row->kind != call_class::buffering : !is_harmless(name);
  return {interface, profiling, concerns, row};
}

mpi_symbol understand_capitals(std::string_view name, bool profiling) {
  if (has_lower_case(name)) {
    const call_row* row = find_call(name);
    if (!row && name.ends_with("_c"))
      row = find_call(name.substr(0, name.size() - 2));
    return found(mpi_interface::c, profiling, name, row);
  }
  // MPI_SEND as a Fortran compiler may spell it; everything else in capitals is a constant.
  const call_row* row = row_of_any_case(name);
  return row ? found(mpi_interface::mpif, profiling, name, row) : mpi_symbol{};
}

mpi_symbol understand_small_letters(std::string_view name, bool profiling) {
  if (name.starts_with("fortran_")) // Open MPI's common blocks
    return {};
  for (const std::string_view end : {"_f08_large_", "_f08ts_large_", "_f08_", "_f08ts_", "_f08", "_f08ts"})
    if (remove_suffix(name, end))
      return found(mpi_interface::f08, profiling, name, row_of_any_case(name));
  const bool underscore = remove_suffix(name, "_");
  remove_suffix(name, "_");
  for (const std::string_view form : {"_cptr", "_f90"}) // Open MPI's, behind generic names of `use mpi`
    remove_suffix(name, form);
  const call_row* row = row_of_any_case(name);
  return row || underscore ? found(mpi_interface::mpif, profiling, name, row) : mpi_symbol{};
}

/// Without what compilers put before the name of a procedure that stands in a module: flang's
/// _QMmpi_f08Pmpi_send_f08, gfortran's __mpi_f08_MOD_mpi_send_f08.
std::string_view without_module(std::string_view name) {
  std::size_t at = std::string_view::npos;
  if (name.starts_with("_QM"))
    at = name.find('P');
  else if (name.starts_with("__"))
    at = name.find("_MOD_") == std::string_view::npos ? at : name.find("_MOD_") + 4;
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

} // namespace

bool belongs_to_mpi(std::string_view file) {
  for (const std::string_view start :
       {"libmpi.so", "libmpi_", "libmpifort", "libmpich", "libmpicxx", "libopen-", "libompi", "libmca_",
        "mca_", "liboshmem", "libpmix", "libucp", "libucs", "libuct", "libfabric", "libsimgrid.so",
        "libtacit"})
    if (file.starts_with(start))
      return true;
  return false;
}

mpi_symbol understand_symbol(std::string_view name) {
  name = without_module(name);
  std::string_view rest = name;
  const bool capital_profiling = rest.starts_with("PMPI");
  if (capital_profiling)
    rest.remove_prefix(1);
  if ((remove_prefix(rest, "MPI_") || remove_prefix(rest, "MPIX_")) && begins_with_capital(rest))
    return understand_capitals(rest, capital_profiling);
  rest = name;
  const bool profiling = rest.starts_with("pmpi");
  for (const std::string_view prefix : {"mpi_", "mpix_", "pmpi_", "pmpix_", "pmpir_", "pmpixr_"})
    if (remove_prefix(rest, prefix))
      return understand_small_letters(rest, profiling);
  return {};
}

} // namespace tacit::vocabulary
