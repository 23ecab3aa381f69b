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
#include <elf.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
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
    if (arrow == std::string::npos || (end != std::string::npos && end < arrow + 4))
      continue;
    const std::string name = line.substr(1, arrow - 1), family = family_of_library(name);
    if (end == std::string::npos) { // not found here; where the program runs, it may be
      out.family = out.family.empty() ? family : out.family;
      continue;
    }
    const std::string object = line.substr(arrow + 4, end - arrow - 4);
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
  return family == "openmpi" || family == "mpich" || family == "mpi-abi" ? family : "";
}

std::string abi_library_beside(const std::string& library) {
  std::error_code error;
  const std::filesystem::path path =
      std::filesystem::canonical(library, error).parent_path() / "libmpi_abi.so.1";
  return !error && std::filesystem::exists(path, error) ? path.string() : "";
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

mpi_functions read_mpi_functions(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return {};
  mpi_functions out;
  struct stat about{};
  if (::fstat(file, &about) == 0 && about.st_size > 0) {
    const auto bytes = static_cast<std::size_t>(about.st_size);
    void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) {
      out = mpi_functions_of(image_of_file({static_cast<const std::byte*>(mapped), bytes}));
      ::munmap(mapped, bytes);
    }
  }
  ::close(file);
  return out;
}

} // namespace tacit::surface
