#include "interpose/recorder/sites.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <unistd.h>

namespace tacit::interpose {

namespace {

struct search {
  std::uint64_t address;
  loaded_module found;
};

std::vector<unsigned char> build_id_in(const unsigned char* notes, std::size_t bytes) {
  std::size_t at = 0;
  while (at + sizeof(ElfW(Nhdr)) <= bytes) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes + at, sizeof note);
    const std::size_t name = at + sizeof note, data = name + ((note.n_namesz + 3) & ~3u);
    const std::size_t end = data + ((note.n_descsz + 3) & ~3u);
    if (end > bytes)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(notes + name, "GNU", 4) == 0)
      return {notes + data, notes + data + note.n_descsz};
    at = end;
  }
  return {};
}

std::string own_path() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

int look(dl_phdr_info* info, std::size_t, void* argument) {
  auto& s = *static_cast<search*>(argument);
  loaded_module module;
  module.base = info->dlpi_addr;
  module.begin = ~std::uint64_t{0};
  bool hit = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const std::uint64_t start = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_NOTE && module.build_id.empty())
      module.build_id = build_id_in(reinterpret_cast<const unsigned char*>(start), part.p_memsz);
    if (part.p_type != PT_LOAD)
      continue;
    module.begin = std::min(module.begin, start);
    module.end = std::max(module.end, start + part.p_memsz);
    hit = hit || s.address - start < part.p_memsz;
  }
  if (!hit)
    return 0;
  module.path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : own_path();
  s.found = std::move(module);
  return 1;
}

} // namespace

loaded_module find_module(std::uint64_t address) {
  search s{address, {}};
  dl_iterate_phdr(look, &s);
  return std::move(s.found);
}

} // namespace tacit::interpose
