#include "vocabulary/calls/dynamic_symbols.h"

#include "vocabulary/calls/symbols.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

namespace tacit::vocabulary {

namespace {

template <typename T>
std::optional<T> read_at(std::span<const std::byte> bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// What lies from this address to the end of its segment; nothing if it lies in none.
std::span<const std::byte> bytes_from(const elf_image& image, std::uint64_t address) {
  for (const elf_image::segment& s : image.segments)
    if (address >= s.address && address - s.address < s.bytes.size())
      return s.bytes.subspan(address - s.address);
  return {};
}

/// The same for an address of the dynamic section, to which the load address may have been added.
std::span<const std::byte> bytes_of_entry(const elf_image& image, std::uint64_t address) {
  const auto found = bytes_from(image, address);
  return found.empty() && address >= image.load_address ? bytes_from(image, address - image.load_address)
                                                        : found;
}

/// What the dynamic section says; empty where it says nothing.
struct dynamic_section {
  std::span<const std::byte> symbols, names, hash, gnu_hash;
  struct relocations {
    std::span<const std::byte> entries;
    std::uint64_t bytes = 0;
    std::uint64_t entry_bytes = 0;
  };
  relocations with_addend, without_addend, of_calls;
};

dynamic_section read_dynamic_section(const elf_image& image) {
  dynamic_section out;
  out.with_addend.entry_bytes = out.of_calls.entry_bytes = sizeof(Elf64_Rela);
  out.without_addend.entry_bytes = sizeof(Elf64_Rel);
  const auto entries = bytes_from(image, image.dynamic);
  for (std::uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
    const auto entry = read_at<Elf64_Dyn>(entries, at);
    if (!entry || entry->d_tag == DT_NULL)
      return out;
    const std::uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
    case DT_SYMTAB:
      out.symbols = bytes_of_entry(image, value);
      break;
    case DT_STRTAB:
      out.names = bytes_of_entry(image, value);
      break;
    case DT_HASH:
      out.hash = bytes_of_entry(image, value);
      break;
    case DT_GNU_HASH:
      out.gnu_hash = bytes_of_entry(image, value);
      break;
    case DT_RELA:
      out.with_addend.entries = bytes_of_entry(image, value);
      break;
    case DT_RELASZ:
      out.with_addend.bytes = value;
      break;
    case DT_REL:
      out.without_addend.entries = bytes_of_entry(image, value);
      break;
    case DT_RELSZ:
      out.without_addend.bytes = value;
      break;
    case DT_JMPREL:
      out.of_calls.entries = bytes_of_entry(image, value);
      break;
    case DT_PLTRELSZ:
      out.of_calls.bytes = value;
      break;
    case DT_PLTREL:
      out.of_calls.entry_bytes = value == DT_REL ? sizeof(Elf64_Rel) : sizeof(Elf64_Rela);
      break;
    default:
      break;
    }
  }
}

/// One more than the largest index of a symbol that these relocations name.
std::uint64_t symbols_named(const dynamic_section::relocations& list) {
  std::uint64_t end = 0;
  for (std::uint64_t at = 0; at + list.entry_bytes <= list.bytes; at += list.entry_bytes) {
    const auto entry = read_at<Elf64_Rel>(list.entries, at); // the addend of an Elf64_Rela comes last
    if (!entry)
      break;
    end = std::max<std::uint64_t>(end, ELF64_R_SYM(entry->r_info) + 1);
  }
  return end;
}

/// One more than the largest index of a symbol that the hash table lists: the last chain, followed to its
/// end.
std::uint64_t symbols_hashed(std::span<const std::byte> table) {
  struct header {
    std::uint32_t buckets, first_symbol, bloom_words, bloom_shift;
  };
  const auto head = read_at<header>(table, 0);
  if (!head)
    return 0;
  const std::uint64_t buckets = sizeof(header) + std::uint64_t{head->bloom_words} * sizeof(std::uint64_t);
  const std::uint64_t chains = buckets + std::uint64_t{head->buckets} * sizeof(std::uint32_t);
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < head->buckets; ++i) {
    const auto first = read_at<std::uint32_t>(table, buckets + i * sizeof(std::uint32_t));
    if (!first)
      return 0;
    last = std::max<std::uint64_t>(last, *first);
  }
  if (last < head->first_symbol || last == 0)
    return 0; // nothing is exported
  for (;; ++last) {
    const auto hash =
        read_at<std::uint32_t>(table, chains + (last - head->first_symbol) * sizeof(std::uint32_t));
    if (!hash)
      return last;
    if (*hash & 1) // marks the end of a chain
      return last + 1;
  }
}

std::uint64_t symbol_count(const dynamic_section& section) {
  constexpr std::uint64_t count_in_hash = sizeof(std::uint32_t); // after the number of buckets
  if (const auto all = read_at<std::uint32_t>(section.hash, count_in_hash))
    return *all;
  return std::max({symbols_hashed(section.gnu_hash), symbols_named(section.with_addend),
                   symbols_named(section.without_addend), symbols_named(section.of_calls)});
}

std::string_view name_at(std::span<const std::byte> names, std::uint64_t offset) {
  if (offset >= names.size())
    return {};
  const auto* const begin = reinterpret_cast<const char*>(names.data() + offset);
  return {begin, strnlen(begin, names.size() - offset)};
}

/// Calls `use(symbol, names)` for what may be a function in the dynamic symbol table.
template <typename Use>
void for_each_function(const elf_image& image, Use use) {
  if (image.dynamic == 0)
    return;
  const dynamic_section section = read_dynamic_section(image);
  const std::uint64_t count = symbol_count(section);
  for (std::uint64_t i = 1; i < count; ++i) { // symbol 0 is none
    const auto symbol = read_at<Elf64_Sym>(section.symbols, i * sizeof(Elf64_Sym));
    if (!symbol)
      return;
    const int type = ELF64_ST_TYPE(symbol->st_info);
    if (type == STT_FUNC || type == STT_NOTYPE)
      use(*symbol, section.names);
  }
}

bool is_import(const Elf64_Sym& symbol) {
  return symbol.st_shndx == SHN_UNDEF;
}

void add_if_of_mpi(std::string_view name, std::vector<std::string>& list) {
  if (understand_symbol(name).interface != mpi_interface::none)
    list.emplace_back(name);
}

void sort_unique(std::vector<std::string>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

} // namespace

elf_image image_of_file(std::span<const std::byte> file) {
  elf_image image;
  const auto head = read_at<Elf64_Ehdr>(file, 0);
  constexpr int order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
      head->e_ident[EI_DATA] != order || head->e_phentsize != sizeof(Elf64_Phdr))
    return image;
  for (std::uint64_t i = 0; i < head->e_phnum; ++i) {
    const auto part = read_at<Elf64_Phdr>(file, head->e_phoff + i * sizeof(Elf64_Phdr));
    if (!part)
      break;
    if (part->p_type == PT_DYNAMIC)
      image.dynamic = part->p_vaddr;
    if (part->p_type == PT_LOAD && part->p_offset <= file.size())
      image.segments.push_back(
          {part->p_vaddr, file.subspan(part->p_offset, std::min<std::uint64_t>(
                                                           part->p_filesz, file.size() - part->p_offset))});
  }
  return image;
}

elf_image image_in_memory(std::uint64_t load_address, std::span<const Elf64_Phdr> headers) {
  elf_image image;
  image.load_address = load_address;
  for (const Elf64_Phdr& part : headers) {
    if (part.p_type == PT_DYNAMIC)
      image.dynamic = part.p_vaddr;
    if (part.p_type == PT_LOAD && (part.p_flags & PF_R))
      image.segments.push_back(
          {part.p_vaddr, {reinterpret_cast<const std::byte*>(load_address + part.p_vaddr), part.p_memsz}});
  }
  return image;
}

mpi_functions mpi_functions_of(const elf_image& image) {
  mpi_functions out;
  for_each_function(image, [&](const Elf64_Sym& symbol, std::span<const std::byte> names) {
    add_if_of_mpi(name_at(names, symbol.st_name), is_import(symbol) ? out.imported : out.defined);
  });
  sort_unique(out.imported);
  sort_unique(out.defined);
  return out;
}

std::vector<std::string> imported_mpi_functions(const elf_image& image) {
  std::vector<std::string> out;
  for_each_function(image, [&](const Elf64_Sym& symbol, std::span<const std::byte> names) {
    if (is_import(symbol)) // what a large library defines has names on many pages, which nobody has read yet
      add_if_of_mpi(name_at(names, symbol.st_name), out);
  });
  sort_unique(out);
  return out;
}

} // namespace tacit::vocabulary
