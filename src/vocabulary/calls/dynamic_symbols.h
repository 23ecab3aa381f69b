// Which MPI functions a module (a program or a shared library) imports and which it defines: its dynamic
// symbol table.
//
// Problem. The dynamic section says where the table begins and not where it ends. DT_HASH has the number of
// symbols, but linkers may leave it out; DT_GNU_HASH lists only symbols that the module exports, so in a
// program that exports nothing it says nothing about the imports. Section headers would say it, but no loaded
// module has them in memory.
//
// Idea. What a module calls, a relocation names, because the loader has to put an address somewhere; and what
// it exports, a chain of its hash table ends at. So the table reaches at least to the largest index in
// either. This needs nothing but the segments, so that one reader serves the modules of a running process and
// files alike. Every address is looked up in the segments before it is followed: a file may say anything.
// Cost O(symbols + relocations).
#pragma once

#include "vocabulary/base/spoken.h"

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <span>
#include <string>
#include <vector>

namespace tacit::vocabulary {

/// The bytes of a module and the virtual addresses that it gives them.
struct elf_image {
  struct segment {
    std::uint64_t address = 0; ///< as the program headers say, before the module is loaded anywhere
    std::span<const std::byte> bytes;
  };
  std::vector<segment> segments;
  std::uint64_t dynamic = 0; ///< address of the dynamic section; 0: none
  /// Where the module has been loaded. Some loaders add this to the addresses in the dynamic section, some do
  /// not.
  std::uint64_t load_address = 0;
};

/// The module in a file, which has to stay mapped as long as the image is used. An image without segments if
/// the bytes are no 64-bit ELF file of this machine's byte order.
elf_image image_of_file(std::span<const std::byte> file);

/// A module that is loaded in this process, by its program headers.
elf_image image_in_memory(std::uint64_t load_address, std::span<const Elf64_Phdr> headers);

struct mpi_functions {
  std::vector<std::string>
      imported; ///< undefined there, so that the module calls them or asks whether they exist
  std::vector<std::string> defined;
};

/// Functions of MPI, of every interface, in the dynamic symbol table; sorted, each once.
mpi_functions mpi_functions_of(const elf_image& image);

/// Only those that it imports; reads no name of the others.
std::vector<std::string> imported_mpi_functions(const elf_image& image);

} // namespace tacit::vocabulary
