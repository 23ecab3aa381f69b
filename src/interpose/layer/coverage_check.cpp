#include "interpose/layer/coverage_check.h"

#include "interpose/layer/environment.h"
#include "interpose/layer/slots.h"
#include "vocabulary/calls/dynamic_symbols.h"
#include "vocabulary/calls/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <span>
#include <string_view>

namespace tacit::interpose {

namespace {

std::vector<std::string>& found_gaps() {
  static std::vector<std::string>& list =
      *new std::vector<std::string>; // never destroyed: used until the end
  return list;
}

} // namespace

const std::vector<std::string>& gaps() {
  return found_gaps();
}

#ifdef TACIT_STATIC

void check_coverage(bool) {}
bool takeover_allowed() {
  return false;
}
bool program_calls(call_class) {
  return true;
}
bool program_has_sessions() {
  return false;
}

#else

namespace {

bool checked = false;
std::uint64_t called_classes = 0; ///< a bit for each call_class
static_assert(static_cast<unsigned>(call_class::local) < 64);
bool imports_sessions = false;

std::uint64_t bit_of(call_class kind) {
  return std::uint64_t{1} << static_cast<unsigned>(kind);
}

const void* module_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

/// A call of `name` from this module passes us by. A name that nothing defines cannot be called: it is a weak
/// reference, by which programs ask what a library has (mpi4py).
bool is_unseen(const char* name, const void* module) {
  const void* const target = find_mpi_symbol(name, module);
  return target && module_of(target) != module_of(&checked);
}

/// An object that imports more than half of MPI binds it to another language (mpi4py has all): what it imports says nothing
/// about what the program calls.
bool is_binding(std::size_t functions) {
  return functions > call_rows().size() / 2;
}

int look_at_module(dl_phdr_info* module, std::size_t, void*) {
  const std::string_view path = module->dlpi_name ? module->dlpi_name : "";
  const std::string_view file = path.substr(path.find_last_of('/') + 1);
  if (belongs_to_mpi(file))
    return 0;
  const elf_image image = image_in_memory(module->dlpi_addr, {module->dlpi_phdr, module->dlpi_phnum});
  const std::vector<std::string> imported = imported_mpi_functions(image);
  for (const std::string& name : imported) {
    const mpi_symbol meaning = understand_symbol(name);
    if (meaning.row) {
      called_classes |= is_binding(imported.size()) ? 0 : bit_of(meaning.row->kind);
      imports_sessions = imports_sessions || meaning.row->id == mpi_call::Session_init;
    }
    if (meaning.concerns_messages && is_unseen(name.c_str(), image.segments.front().bytes.data()))
      found_gaps().push_back(name + " (" + (file.empty() ? "the program" : std::string(file)) + ")");
  }
  return 0;
}

} // namespace

void check_coverage(bool speak) {
  if (checked)
    return;
  dl_iterate_phdr(look_at_module, nullptr);
  checked = true;
  if (gaps().empty() || !speak)
    return;
  constexpr std::size_t most_named = 8;
  std::string names;
  for (std::size_t i = 0; i < gaps().size() && i < most_named; ++i)
    names += (i > 0 ? ", " : "") + gaps()[i];
  if (gaps().size() > most_named)
    names += " and " + std::to_string(gaps().size() - most_named) + " more";
  say(reason::record_only,
      "no wrapper sees " + names + ". A recording lacks these calls; none is taken over.");
}

bool takeover_allowed() {
  return checked && gaps().empty();
}

bool program_calls(call_class kind) {
  return (called_classes & bit_of(kind)) != 0;
}

bool program_has_sessions() {
  return imports_sessions;
}

#endif

} // namespace tacit::interpose
