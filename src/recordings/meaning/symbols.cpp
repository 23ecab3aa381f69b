// libdw in offline mode. Recorded offsets are return addresses less the load bias, that is link-time
// addresses; the call itself lies one byte before.
#include "recordings/meaning/symbols.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace tacit::recordings {
namespace {

std::string hexadecimal(const unsigned char* bytes, int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format("{:02x}", bytes[i]);
  return text;
}

std::string readable(const char* symbol) {
  int status = 0;
  char* plain = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string text = status == 0 && plain != nullptr ? plain : symbol;
  std::free(plain);
  if (const std::size_t arguments = text.find('('); arguments != std::string::npos && arguments != 0)
    text.resize(arguments);
  return text;
}

constexpr Dwfl_Callbacks callbacks{.find_elf = dwfl_build_id_find_elf,
                                   .find_debuginfo = dwfl_standard_find_debuginfo,
                                   .section_address = dwfl_offline_section_address,
                                   .debuginfo_path = nullptr};

/// One module, opened by itself.
class module_file {
public:
  module_file(const std::string& path, const std::string& build_id) : dwfl_(dwfl_begin(&callbacks)) {
    std::error_code ignored;
    if (dwfl_ == nullptr || !std::filesystem::is_regular_file(path, ignored))
      return;
    dwfl_report_begin(dwfl_);
    module_ = dwfl_report_offline(dwfl_, "", path.c_str(), -1);
    dwfl_report_end(dwfl_, nullptr, nullptr);
    if (module_ == nullptr || dwfl_module_getelf(module_, &bias_) == nullptr) {
      module_ = nullptr;
      return;
    }
    const unsigned char* id = nullptr;
    GElf_Addr at = 0;
    const int bytes = dwfl_module_build_id(module_, &id, &at);
    if (bytes > 0 && !build_id.empty() && hexadecimal(id, bytes) != build_id)
      module_ = nullptr;
  }
  ~module_file() {
    if (dwfl_ != nullptr)
      dwfl_end(dwfl_);
  }
  module_file(const module_file&) = delete;
  module_file& operator=(const module_file&) = delete;

  source_location find(std::uint64_t offset) {
    source_location found;
    if (module_ == nullptr || offset == 0)
      return found;
    const GElf_Addr address = offset - 1 + bias_;
    GElf_Off into = 0;
    GElf_Sym symbol;
    if (const char* name =
            dwfl_module_addrinfo(module_, address, &into, &symbol, nullptr, nullptr, nullptr)) {
      found.function = readable(name);
      found.function_offset = into + 1;
    }
    if (Dwfl_Line* line = dwfl_module_getsrc(module_, address)) {
      int number = 0;
      if (const char* file = dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr)) {
        found.file = file;
        found.line = static_cast<std::uint32_t>(number);
      }
    }
    return found;
  }

private:
  Dwfl* dwfl_;
  Dwfl_Module* module_ = nullptr;
  GElf_Addr bias_ = 0;
};

} // namespace

struct symbolizer::modules {
  std::map<std::pair<std::string, std::string>, std::unique_ptr<module_file>> opened;
};

symbolizer::symbolizer() : modules_(std::make_unique<modules>()) {}
symbolizer::~symbolizer() = default;

source_location symbolizer::find(const location& where) {
  if (where.module_path.empty())
    return {};
  auto& file = modules_->opened[{where.module_path, where.build_id}];
  if (!file)
    file = std::make_unique<module_file>(where.module_path, where.build_id);
  return file->find(where.offset);
}

} // namespace tacit::recordings
