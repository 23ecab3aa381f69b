// A library that the program has opened privately (dlopen without RTLD_GLOBAL, as CUDA's static run time
// opens libcuda.so.1) is not found by name of a function alone; it is, by its own name, among what is loaded.
#include "runtime/mpi/memory_kind.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <dlfcn.h>
#include <link.h>
#include <mutex>

namespace tacit::runtime {
namespace {

// --- what the three interfaces say; only what is needed is declared, from their public headers

/// CUresult cuPointerGetAttribute(void*, CUpointer_attribute, CUdeviceptr)
using cuda_query = int (*)(void* answer, int attribute, std::uintptr_t address);
constexpr int cuda_memory_type = 2, cuda_is_managed = 8; // CU_POINTER_ATTRIBUTE_…
constexpr unsigned cuda_host = 1;                        // CU_MEMORYTYPE_HOST

/// hipError_t hipPointerGetAttributes(hipPointerAttribute_t*, const void*). The numbers of its memory types
/// have changed from ROCm 5 to 6; the other members have not.
struct hip_attributes {
  int type, device;
  void *on_device, *on_host;
  int managed;
  unsigned flags;
  std::array<std::uint64_t, 8> room; ///< for members that later versions may add
};
using hip_query = int (*)(hip_attributes* answer, const void* address);

/// ze_result_t zeMemGetAllocProperties(ze_context_handle_t, const void*, …, ze_device_handle_t*)
struct ze_allocation {
  int structure = 0x17; // ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES
  void* next = nullptr;
  int type = 0;
  std::uint64_t id = 0, page = 0;
};
constexpr int ze_unknown = 0, ze_host = 1; // ZE_MEMORY_TYPE_…
struct ze_context_description {
  int structure = 0xd; // ZE_STRUCTURE_TYPE_CONTEXT_DESC
  const void* next = nullptr;
  std::uint32_t flags = 0;
};
using ze_query = int (*)(void* context, const void* address, ze_allocation* answer, void** device);
using ze_list_drivers = int (*)(std::uint32_t* count, void** drivers);
using ze_make_context = int (*)(void* driver, const ze_context_description* description, void** context);

// --- finding them

int count_loaded(dl_phdr_info* info, std::size_t, void* loaded) {
  *static_cast<unsigned long long*>(loaded) = info->dlpi_adds;
  return 1; // it is the same for all libraries
}

/// How many libraries this process has ever loaded.
unsigned long long libraries_loaded() {
  unsigned long long loaded = 0;
  dl_iterate_phdr(count_loaded, &loaded);
  return loaded;
}

/// A function of a library that is loaded already.
template <typename Function>
Function find(const char* name, std::initializer_list<const char*> libraries) {
  if (void* const found = dlsym(RTLD_DEFAULT, name))
    return reinterpret_cast<Function>(found);
  for (const char* library : libraries)
    if (void* const loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD)) {
      void* const found = dlsym(loaded, name);
      dlclose(loaded); // the program holds it
      if (found)
        return reinterpret_cast<Function>(found);
    }
  return nullptr;
}

struct device_libraries {
  cuda_query cuda = nullptr;
  hip_query hip = nullptr;
  ze_query ze = nullptr;
  std::array<void*, 8> ze_contexts{}; ///< one of each driver, as memory is asked for within one
  bool any() const { return cuda || hip || ze; }
};

void find_level_zero(device_libraries& found) {
  const char* const library = "libze_loader.so.1";
  const auto list = find<ze_list_drivers>("zeDriverGet", {library});
  const auto make = find<ze_make_context>("zeContextCreate", {library});
  const auto query = find<ze_query>("zeMemGetAllocProperties", {library});
  if (!list || !make || !query)
    return;
  std::array<void*, 8> drivers{};
  auto count = static_cast<std::uint32_t>(drivers.size());
  if (list(&count, drivers.data()) != 0) // the program has not begun to use it
    return;
  const ze_context_description plain;
  for (std::uint32_t i = 0; i < count && i < drivers.size(); ++i)
    if (make(drivers[i], &plain, &found.ze_contexts[i]) == 0)
      found.ze = query;
}

void look_again(device_libraries& found) {
  if (!found.cuda)
    found.cuda = find<cuda_query>("cuPointerGetAttribute", {"libcuda.so.1", "libcuda.so"});
  if (!found.hip)
    found.hip = find<hip_query>("hipPointerGetAttributes", {"libamdhip64.so", "libamdhip64.so.6",
                                                            "libamdhip64.so.5", "libamdhip64.so.7"});
  if (!found.ze)
    find_level_zero(found);
}

/// The libraries as of now: looked for again only after the process has loaded another library.
device_libraries present() {
  static std::mutex guard;
  static device_libraries found;
  static std::atomic<unsigned long long> as_of = 0;
  static std::atomic<bool> none = true;
  const unsigned long long now = libraries_loaded();
  if (as_of.load(std::memory_order_acquire) == now && none.load(std::memory_order_relaxed))
    return {};
  const std::lock_guard lock(guard);
  if (as_of.load(std::memory_order_relaxed) != now) {
    look_again(found);
    none.store(!found.any(), std::memory_order_relaxed);
    as_of.store(now, std::memory_order_release);
  }
  return found;
}

// --- asking them

bool cuda_says_device(cuda_query ask, const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  unsigned type = 0, managed = 0;
  if (ask(&type, cuda_memory_type, at) != 0) // memory that CUDA does not know
    return false;
  return type != cuda_host || (ask(&managed, cuda_is_managed, at) == 0 && managed != 0);
}

bool hip_says_device(hip_query ask, const void* address) {
  hip_attributes a{};
  return ask(&a, address) == 0 && ((a.on_device && !a.on_host) || a.managed != 0);
}

bool ze_says_device(const device_libraries& here, const void* address) {
  for (void* const context : here.ze_contexts) {
    ze_allocation a;
    void* device = nullptr;
    if (context && here.ze(context, address, &a, &device) == 0 && a.type != ze_unknown && a.type != ze_host)
      return true;
  }
  return false;
}

bool is_device(const device_libraries& here, const void* address) {
  return (here.cuda && cuda_says_device(here.cuda, address)) ||
         (here.hip && hip_says_device(here.hip, address)) || (here.ze && ze_says_device(here, address));
}

} // namespace

bool has_device_library() {
  return present().any();
}

bool in_device_memory(const void* address) {
  const device_libraries here = present();
  return address && here.any() && is_device(here, address);
}

bool in_device_memory(std::span<const graphs::segment> bytes) {
  constexpr std::uint64_t page = 4096; // of one kind
  const device_libraries here = present();
  if (!here.any())
    return false;
  std::uint64_t last = 0;
  for (const graphs::segment& s : bytes) {
    if (s.length == 0 || s.address / page == last)
      continue;
    last = s.address / page;
    if (is_device(here, reinterpret_cast<const void*>(s.address)))
      return true;
  }
  return false;
}

} // namespace tacit::runtime
