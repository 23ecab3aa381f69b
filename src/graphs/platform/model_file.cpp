#include "graphs/platform/model_file.h"

#include "graphs/platform/kept_file.h"
#include "vocabulary/calls/settings.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace tacit::graphs {
namespace {

namespace fs = std::filesystem;

constexpr const char* remedy = "`tacit platform` measures this machine";

std::string cpu_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return "unknown";
}

loaded_model defaults_because(std::string why) {
  return {default_model(), false, std::move(why)};
}

std::string difference(const machine_identity& there, const machine_identity& here) {
  if (there.host != here.host)
    return fmt::format("host {}, not {}", there.host, here.host);
  if (there.mpi != here.mpi)
    return fmt::format("{}, not {}", there.mpi, here.mpi);
  return fmt::format("{} with {} cores, not {} with {}", there.cpu, there.cores, here.cpu, here.cores);
}

/// What a model says of a busy machine is too long, as `tacit platform` says, too.
loaded_model unless_busy(loaded_model found, const fs::path& file) {
  if (!found.measured || !found.model.busy())
    return found;
  return defaults_because(
      fmt::format("the documented defaults, because {} was measured while the machine was busy; "
                  "`tacit platform --again` measures anew",
                  file.string()));
}

const char* words_of(pair_class between) {
  switch (between) {
  case pair_class::other_node:
    return "two hosts";
  case pair_class::other_cache:
    return "cores that share no cache";
  default:
    return "one host";
  }
}

/// A file under the name of another one.
loaded_model unless_of_others(loaded_model found, const fs::path& file, pair_class between) {
  if (!found.measured || found.model.between() == between)
    return found;
  return defaults_because(fmt::format("the documented defaults, because {} is a model of {}, not of {}; {}",
                                      file.string(), words_of(found.model.between()), words_of(between),
                                      remedy));
}

} // namespace

std::string short_library_name(std::string_view all) {
  constexpr std::string_view mpich = "MPICH Version:";
  if (!all.starts_with(mpich))
    return std::string(all.substr(0, all.find_first_of(",\n\t")));
  all.remove_prefix(mpich.size());
  all.remove_prefix(std::min(all.find_first_not_of(" \t"), all.size()));
  return "MPICH " + std::string(all.substr(0, all.find_first_of(" \t\n")));
}

machine_identity this_machine(std::string_view library_version) {
  machine_identity m;
  m.host = host_name();
  m.cpu = cpu_name();
  m.cores = static_cast<int>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
  m.mpi = short_library_name(library_version);
  return m;
}

fs::path model_file(const machine_identity& machine, pair_class between) {
  const char* const what = between == pair_class::other_node    ? "-network"
                           : between == pair_class::other_cache ? "-caches"
                                                                : "";
  return kept_file(fmt::format("platform-{}-{}{}.json", machine.host, machine.mpi, what));
}

loaded_model load_model(const fs::path& file, const machine_identity* machine) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::error_code error;
  if (!in || fs::is_directory(file, error)) {
    if (errno == ENOENT)
      return defaults_because(
          fmt::format("the documented defaults, because there is no {}; {}", file.string(), remedy));
    return defaults_because(fmt::format("the documented defaults, because {} could not be read ({}); {}",
                                        file.string(), in ? "a folder" : std::strerror(errno), remedy));
  }
  std::string text;
  std::array<char, 1 << 16> buffer;
  while (text.size() <= (1u << 20) && (in.read(buffer.data(), buffer.size()) || in.gcount() > 0))
    text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
  try {
    machine_model m = parse_model(text);
    if (machine && m.machine != *machine)
      return defaults_because(
          fmt::format("the documented defaults, because {} is of another machine ({}); {}", file.string(),
                      difference(m.machine, *machine), remedy));
    std::string origin = fmt::format("measured {} ({})", m.measured, file.string());
    return {std::move(m), true, std::move(origin)};
  } catch (const model_error& e) {
    return defaults_because(fmt::format("the documented defaults, because {} is damaged: {}; {}",
                                        file.string(), e.what(), remedy));
  }
}

loaded_model load_model_for(const machine_identity& machine) {
  if (const std::string_view named = given(setting::platform); !named.empty()) {
    if (named == "default")
      return defaults_because("the documented defaults, because TACIT_PLATFORM is \"default\"");
    loaded_model found = load_model(named, nullptr);
    const bool of_one_host = found.model.one_host; // whether its cores share a cache or not
    return of_one_host ? found : unless_of_others(std::move(found), named, pair_class::same_node);
  }
  const fs::path file = model_file(machine);
  if (file.empty())
    return defaults_because("the documented defaults, because neither XDG_CACHE_HOME nor HOME names a folder "
                            "for caches; set one of them or name a file in TACIT_PLATFORM");
  return unless_busy(unless_of_others(load_model(file, &machine), file, pair_class::same_node), file);
}

loaded_model load_model_between(pair_class between, const machine_identity& machine) {
  const fs::path file = model_file(machine, between);
  return unless_busy(unless_of_others(load_model(file, &machine), file, between), file);
}

} // namespace tacit::graphs
