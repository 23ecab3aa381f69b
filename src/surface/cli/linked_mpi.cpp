#include "surface/cli/linked_mpi.h"

#include "vocabulary/calls/symbols.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gelf.h>
#include <libelf.h>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace tacit::surface {

namespace {

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

} // namespace

std::string output_of(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return "";
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  if (error != 0)
    return "";
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

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

namespace {

/// In a child of its own: a library that is loaded here may do what it likes.
void print_library_version(const std::string& library, int to) {
  void* const opened = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  auto* const ask =
      opened ? reinterpret_cast<int (*)(char*, int*)>(::dlsym(opened, "MPI_Get_library_version")) : nullptr;
  if (!ask)
    return;
  static std::array<char, 16384> text; // no library's MPI_MAX_LIBRARY_VERSION_STRING is larger
  int length = 0;
  if (ask(text.data(), &length) == 0 && length > 0) [[maybe_unused]]
    const ssize_t written = ::write(to, text.data(), static_cast<std::size_t>(length));
}

} // namespace

std::string mpi_library_version(const std::string& library) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return "";
  const pid_t child = ::fork();
  if (child == 0) {
    print_library_version(library, ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text = child < 0 ? "" : read_all(ends[0]);
  ::close(ends[0]);
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
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
