#include "surface/cli/linked_mpi.h"

#include "surface/cli/child.h"
#include "surface/cli/commands.h"
#include "surface/cli/files.h"
#include "vocabulary/calls/symbols.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gelf.h>
#include <libelf.h>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace tacit::surface {

namespace {

/// By the names that the libraries have had: Debian and upstream MPICH, Open MPI, Intel, the standard ABI,
/// SimGrid.
std::string family_of_library(std::string_view file) {
  if (file.starts_with("libmpich.so") || file.starts_with("libmpi.so.12") ||
      file.starts_with("libmpich.so.12"))
    return "mpich";
  if (file.starts_with("libmpi.so"))
    return "openmpi";
  if (file.starts_with("libmpi_abi.so"))
    return "mpi-abi";
  if (file.starts_with("libsimgrid.so"))
    return "simgrid";
  return "";
}

bool is_elf(const std::string& path) {
  std::array<char, SELFMAG> start{};
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), start.size()) && std::equal(start.begin(), start.end(), ELFMAG);
}

void sort_unique(std::vector<std::string>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void read_section(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, mpi_symbols& out) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (!data || header.sh_entsize == 0)
    return;
  const std::size_t count = data->d_size / header.sh_entsize;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, static_cast<int>(i), &symbol))
      continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    const int type = GELF_ST_TYPE(symbol.st_info);
    if (!name || understand_symbol(name).interface == mpi_interface::none ||
        (type != STT_FUNC && type != STT_NOTYPE))
      continue;
    (symbol.st_shndx == SHN_UNDEF ? out.imported : out.defined).emplace_back(name);
  }
}

} // namespace

linked_objects inspect_program(const std::string& path) {
  linked_objects out;
  if (path.empty())
    return out;
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).string();
  std::istringstream lines(output_of({"ldd", absolute}));
  std::string line;
  while (std::getline(lines, line)) { // "\tlibmpi.so.40 => /usr/lib/libmpi.so.40 (0x…)"
    out.dynamic = true;
    const std::size_t arrow = line.find(" => "), end = line.rfind(" (0x");
    if (arrow == std::string::npos || end == std::string::npos || end < arrow + 4)
      continue;
    const std::string name = line.substr(1, arrow - 1), object = line.substr(arrow + 4, end - arrow - 4);
    const std::string family = family_of_library(name);
    if (!family.empty() && out.family.empty()) {
      out.family = family;
      out.library = object;
    } else if (!belongs_to_mpi(name)) {
      out.objects.push_back(object);
    }
  }
  if (out.dynamic)
    out.objects.insert(out.objects.begin(), absolute);
  out.is_static = !out.dynamic && is_elf(absolute);
  return out;
}

std::string linked_mpi_family(const std::string& path) {
  const std::string family = inspect_program(path).family;
  return family == "openmpi" || family == "mpich" ? family : "";
}

int print_library_version(const std::string& library) {
  void* const opened = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  auto* const ask =
      opened ? reinterpret_cast<int (*)(char*, int*)>(::dlsym(opened, "MPI_Get_library_version")) : nullptr;
  static std::array<char, 16384> text; // no library's MPI_MAX_LIBRARY_VERSION_STRING is larger
  int length = 0;
  if (!ask || ask(text.data(), &length) != 0 || length <= 0)
    return input_has_errors;
  write_file({}, {text.data(), static_cast<std::size_t>(length)});
  std::quick_exit(done); // what the library would do at the end does not matter
}

std::string mpi_library_version(const std::string& library) {
  const std::string text = output_of({"/proc/self/exe", library_version_option, library});
  const std::size_t end =
      text.find_first_of(",\n"); // Open MPI: then the package; MPICH: then how it was built
  std::string line = text.substr(0, end);
  std::replace(line.begin(), line.end(), '\t', ' ');
  return line;
}

mpi_symbols read_mpi_symbols(const std::string& path) {
  mpi_symbols out;
  if (elf_version(EV_CURRENT) == EV_NONE)
    return out;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return out;
  if (Elf* elf = elf_begin(file, ELF_C_READ, nullptr)) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section; section = elf_nextscn(elf, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
        read_section(elf, section, header, out);
    }
    elf_end(elf);
  }
  ::close(file);
  sort_unique(out.imported);
  sort_unique(out.defined);
  return out;
}

} // namespace tacit::surface
