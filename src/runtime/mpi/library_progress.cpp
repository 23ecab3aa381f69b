#include "runtime/mpi/library_progress.h"

#include "runtime/mpi/library_quirks.h"
#include "vocabulary/calls/settings.h"

#include <dlfcn.h>
#include <mpi.h>

namespace tacit::runtime {
namespace {

using callback = int (*)();
using registration = int (*)(callback);

/// The library may have been opened privately (by Python, say), so its own dependencies are searched too.
registration find_hook() {
  if (!progress_can_be_joined)
    return nullptr;
  constexpr const char* name = "opal_progress_register";
  if (void* const found = dlsym(RTLD_DEFAULT, name))
    return reinterpret_cast<registration>(found);
  Dl_info where{};
  const auto inside = PMPI_Initialized;
  if (!dladdr(reinterpret_cast<void*>(inside), &where) || !where.dli_fname)
    return nullptr;
  void* const library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library ? reinterpret_cast<registration>(dlsym(library, name)) : nullptr;
}

registration hook() {
  static const registration found = only_waits_progress() ? nullptr : find_hook();
  return found;
}

/// The library will call us until the process ends, also if a program closes what it had opened.
void stay_loaded() {
  Dl_info where{};
  if (dladdr(reinterpret_cast<void*>(&stay_loaded), &where) && where.dli_fname)
    dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

} // namespace

bool only_waits_progress() {
  return given(setting::progress) == "waits";
}

bool mpi_progresses() {
  return hook() != nullptr;
}

void call_in_progress(int (*what)()) {
  static bool joined = false;
  if (joined || !hook())
    return;
  joined = hook()(what) == 0;
  stay_loaded();
}

} // namespace tacit::runtime
