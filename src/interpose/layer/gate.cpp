#include "interpose/layer/gate.h"

#include "interpose/layer/environment.h"
#include "interpose/layer/slots.h"
#include "vocabulary/calls/symbols.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

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

void open_gate(bool) {}
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

bool is_open = false;
std::uint64_t imported_classes = 0; ///< a bit for each call_class
static_assert(static_cast<unsigned>(call_class::local) < 64);
bool imports_sessions = false;

std::uint64_t bit_of(call_class kind) {
  return std::uint64_t{1} << static_cast<unsigned>(kind);
}

struct symbol_table {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::size_t size = 0; ///< at least the undefined symbols
};

/// Some loaders relocate the addresses in the dynamic section, some do not.
template <typename T>
const T* at(const dl_phdr_info& module, ElfW(Addr) address) {
  return reinterpret_cast<const T*>(address < module.dlpi_addr ? module.dlpi_addr + address : address);
}

symbol_table symbols_of(const dl_phdr_info& module) {
  symbol_table table;
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < module.dlpi_phnum; ++i)
    if (module.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + module.dlpi_phdr[i].p_vaddr);
  for (; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_SYMTAB)
      table.symbols = at<ElfW(Sym)>(module, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_STRTAB)
      table.names = at<char>(module, entry->d_un.d_ptr);
    else if (entry->d_tag == DT_HASH)
      table.size = at<ElfW(Word)>(module, entry->d_un.d_ptr)[1]; // number of chains: all symbols
    else if (entry->d_tag == DT_GNU_HASH && table.size == 0)
      table.size =
          at<ElfW(Word)>(module, entry->d_un.d_ptr)[1]; // first hashed symbol: undefined ones come before
  }
  return table;
}

const void* module_of(const void* address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fbase : nullptr;
}

/// A call of `name` from this module passes us by. A name that nothing defines cannot be called: it is a weak
/// reference, by which programs ask what a library has (mpi4py).
bool is_unseen(const char* name, const void* module) {
  const void* const target = find_mpi_symbol(name, module);
  return target && module_of(target) != module_of(&is_open);
}

int look_at_module(dl_phdr_info* module, std::size_t, void*) {
  const std::string_view path = module->dlpi_name ? module->dlpi_name : "";
  const std::string_view file = path.substr(path.find_last_of('/') + 1);
  if (belongs_to_mpi(file))
    return 0;
  const symbol_table table = symbols_of(*module);
  if (!table.symbols || !table.names)
    return 0;
  for (std::size_t i = 1; i < table.size; ++i) {
    const ElfW(Sym)& symbol = table.symbols[i];
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx != SHN_UNDEF || (type != STT_FUNC && type != STT_NOTYPE))
      continue;
    const char* const name = table.names + symbol.st_name;
    const mpi_symbol meaning = understand_symbol(name);
    if (meaning.row) {
      imported_classes |= bit_of(meaning.row->kind);
      imports_sessions = imports_sessions || meaning.row->id == mpi_call::Session_init;
    }
    if (meaning.concerns_messages && is_unseen(name, table.symbols))
      found_gaps().push_back(std::string(name) + " (" + (file.empty() ? "the program" : std::string(file)) +
                             ")");
  }
  return 0;
}

} // namespace

void open_gate(bool speak) {
  if (is_open)
    return;
  dl_iterate_phdr(look_at_module, nullptr);
  is_open = true;
  if (gaps().empty() || !speak)
    return;
  constexpr std::size_t most_named = 8;
  std::string names;
  for (std::size_t i = 0; i < gaps().size() && i < most_named; ++i)
    names += (i > 0 ? ", " : "") + gaps()[i];
  if (gaps().size() > most_named)
    names += " and " + std::to_string(gaps().size() - most_named) + " more";
  say(reason::record_only,
      "no wrapper sees " + names + ". Calls are recorded as far as they are seen; none is taken over.");
}

bool takeover_allowed() {
  return is_open && gaps().empty();
}

bool program_calls(call_class kind) {
  return (imported_classes & bit_of(kind)) != 0;
}

bool program_has_sessions() {
  return imports_sessions;
}

#endif

} // namespace tacit::interpose
