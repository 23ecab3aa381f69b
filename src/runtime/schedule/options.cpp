#include "runtime/schedule/options.h"

#include "runtime/mpi/errors.h"
#include "runtime/run/driver.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <vector>

namespace tacit::runtime {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& value, const std::string& allowed) {
  throw call_error(call_error::kind::environment,
                   fmt::format("{} is \"{}\", but must be {}", where, value, allowed), true);
}

std::string driver_names() {
  std::string all;
  for (const driver* d : drivers())
    all += fmt::format("{}{}", all.empty() ? "" : ", ", d->name());
  return all;
}

template <typename Number>
bool parse(const std::string& text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size();
}

struct option {
  const char* name;
  void (*set)(compile_request& r, const std::string& where, const std::string& value);
};

void set_policy(compile_request& r, const std::string& where, const std::string& value) {
  if (value == "data")
    r.compile.planning.policy = graphs::sync_policy::data;
  else if (value == "keep_sync")
    r.compile.planning.policy = graphs::sync_policy::keep_sync;
  else
    refuse(where, value, "data or keep_sync");
}

void set_driver(compile_request& r, const std::string& where, const std::string& value) {
  if (!find_driver(value))
    refuse(where, value, "one of " + driver_names());
  r.driver = value;
}

void set_density(compile_request& r, const std::string& where, const std::string& value) {
  double density = -1;
  if (!parse(value, density) || !(density >= 0 && density <= 1))
    refuse(where, value, "a number from 0 to 1");
  r.compile.detection.density = density;
}

void set_budget(compile_request& r, const std::string& where, const std::string& value) {
  if (!graphs::read_budget(value, r.compile.flow))
    refuse(where, value, "a number of fragments, at least 1, or an amount of memory such as 512MiB");
}

void set_replace(compile_request& r, const std::string& where, const std::string& value) {
  if (value == "false")
    r.compile.disabled.emplace_back("replace");
  else if (value == "true")
    std::erase(r.compile.disabled, "replace");
  else
    refuse(where, value, "true or false");
}

constexpr option options[] = {{"policy", set_policy},
                              {"driver", set_driver},
                              {"density", set_density},
                              {"budget", set_budget},
                              {"replace", set_replace}};

const option* find_option(const std::string& name) {
  for (const option& o : options)
    if (name == o.name)
      return &o;
  return nullptr;
}

void read_info(compile_request& r, MPI_Info info) {
  int count = 0;
  MPI_Info_get_nkeys(info, &count);
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = {};
    MPI_Info_get_nthkey(info, i, key);
    if (std::strncmp(key, "tacit_", 6) != 0)
      continue;
    std::vector<char> value(MPI_MAX_INFO_VAL + 1, '\0');
    int found = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value.data(), &found);
    const option* o = find_option(key + 6);
    if (!o)
      throw call_error(
          call_error::kind::environment,
          fmt::format("info key \"{}\" is unknown; tacit knows tacit_policy, tacit_driver, tacit_density, "
                      "tacit_budget and tacit_replace",
                      key),
          true);
    o->set(r, fmt::format("info key \"{}\"", key), value.data());
  }
}

} // namespace

compile_request read_options(MPI_Info info) {
  compile_request r;
  if (info != MPI_INFO_NULL)
    read_info(r, info);
  for (const option& o : options) {
    std::string variable = fmt::format("TACIT_{}", o.name);
    for (char& c : variable)
      if (c >= 'a' && c <= 'z')
        c = static_cast<char>(c - 'a' + 'A');
    if (const char* value = std::getenv(variable.c_str()))
      o.set(r, variable, value);
  }
  return r;
}

} // namespace tacit::runtime
