// Which MPI functions real programs import: with either hash table, loaded where they like or where they
// must, as files and as modules of a process.
#include "vocabulary/calls/dynamic_symbols.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <random>

using namespace tacit::vocabulary;

namespace {

using names = std::vector<std::string>;

const names imports = {"MPI_Isend", "MPI_Waitall", "PMPI_Barrier"};

std::vector<std::byte> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

template <typename T>
T at(const std::vector<std::byte>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// A program as the loader lays it out, at an address of its own choice.
struct loaded_program {
  explicit loaded_program(const std::vector<std::byte>& file) {
    const auto head = at<Elf64_Ehdr>(file, 0);
    std::uint64_t first = ~std::uint64_t{0}, end = 0;
    for (std::size_t i = 0; i < head.e_phnum; ++i) {
      headers.push_back(at<Elf64_Phdr>(file, head.e_phoff + i * sizeof(Elf64_Phdr)));
      if (headers.back().p_type == PT_LOAD) {
        first = std::min(first, headers.back().p_vaddr);
        end = std::max(end, headers.back().p_vaddr + headers.back().p_memsz);
      }
    }
    memory.resize(end - first);
    for (const Elf64_Phdr& part : headers)
      if (part.p_type == PT_LOAD)
        std::memcpy(memory.data() + (part.p_vaddr - first), file.data() + part.p_offset, part.p_filesz);
    load_address = reinterpret_cast<std::uint64_t>(memory.data()) - first;
  }
  /// Some loaders add the load address to what the dynamic section says.
  void relocate_dynamic_section() {
    for (const Elf64_Phdr& part : headers)
      for (std::uint64_t offset = 0; part.p_type == PT_DYNAMIC && offset < part.p_memsz;
           offset += sizeof(Elf64_Dyn)) {
        auto* const entry = reinterpret_cast<Elf64_Dyn*>(load_address + part.p_vaddr + offset);
        for (const Elf64_Sxword tag :
             {DT_SYMTAB, DT_STRTAB, DT_HASH, static_cast<int>(DT_GNU_HASH), DT_RELA, DT_JMPREL})
          if (entry->d_tag == tag)
            entry->d_un.d_ptr += load_address;
      }
  }
  names imported() const { return imported_mpi_functions(image_in_memory(load_address, headers)); }

  std::vector<Elf64_Phdr> headers;
  std::vector<std::byte> memory;
  std::uint64_t load_address = 0;
};

class importer : public ::testing::TestWithParam<const char*> {};

TEST_P(importer, is_read_from_its_file) {
  const std::vector<std::byte> file = contents(GetParam());
  ASSERT_FALSE(file.empty());
  EXPECT_EQ(mpi_functions_of(image_of_file(file)).imported, imports);
  EXPECT_EQ(imported_mpi_functions(image_of_file(file)), imports);
}

TEST_P(importer, is_read_from_memory) {
  loaded_program program(contents(GetParam()));
  EXPECT_EQ(program.imported(), imports) << "as the file has it";
  program.relocate_dynamic_section();
  EXPECT_EQ(program.imported(), imports) << "relocated";
}

TEST_P(importer, is_not_trusted) { // any byte may be wrong: nothing is read outside of the file
  const std::vector<std::byte> right = contents(GetParam());
  const unsigned seed = 20260;
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::byte> wrong = right;
    wrong.resize(round % 4 == 0 ? random() % right.size() : right.size());
    for (int change = 0; change < 8 && !wrong.empty(); ++change)
      wrong[random() % std::min<std::size_t>(wrong.size(), change < 4 ? 1024 : wrong.size())] =
          static_cast<std::byte>(random());
    static_cast<void>(mpi_functions_of(image_of_file(wrong)));
  }
}

std::string last_part(const ::testing::TestParamInfo<const char*>& of) {
  std::string name = of.param;
  name = name.substr(name.rfind('/') + 1);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(linked, importer, ::testing::Values(IMPORTERS), last_part);

TEST(dynamic_symbols, tell_what_a_library_defines) {
  const names defined = mpi_functions_of(image_of_file(contents(DEFINER))).defined;
  EXPECT_EQ(defined, imports);
}

TEST(dynamic_symbols, of_a_loaded_library_are_those_of_its_file) {
  void* const library = dlopen(DEFINER, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  names defined;
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void* out) {
        if (std::string(module->dlpi_name) == DEFINER)
          *static_cast<names*>(out) =
              mpi_functions_of(image_in_memory(module->dlpi_addr, {module->dlpi_phdr, module->dlpi_phnum}))
                  .defined;
        return 0;
      },
      &defined);
  EXPECT_EQ(defined, imports);
  dlclose(library);
}

TEST(dynamic_symbols, no_elf_file_has_any) {
  const std::vector<std::byte> text(100, std::byte{'#'});
  EXPECT_TRUE(mpi_functions_of(image_of_file(text)).imported.empty());
  EXPECT_TRUE(mpi_functions_of(image_of_file({})).imported.empty());
}

} // namespace
