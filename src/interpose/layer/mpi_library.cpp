#include "interpose/layer/mpi_library.h"

#include "interpose/layer/clock.h"
#include "interpose/layer/environment.h"
#include "interpose/layer/request_queries.h"
#include "interpose/layer/slots.h"

#include <dlfcn.h>
#include <stdexcept>

namespace tacit::interpose {

namespace {

bool fits = false;
const void* user = nullptr; ///< an address in an object that uses MPI
predefined_handles predefined;
clock_pair first;

constexpr std::string_view standard_abi = "the standard MPI ABI";
#if defined(OPEN_MPI)
constexpr std::string_view our_interface = "Open MPI";
#elif defined(MPI_ABI_VERSION)
constexpr std::string_view our_interface = standard_abi;
#else
constexpr std::string_view our_interface = "MPICH";
#endif

#if defined(OPEN_MPI) && !defined(TACIT_STATIC)
template <typename Handle>
void look_up(Handle& handle, const char* name) {
  handle = reinterpret_cast<Handle>(library_function(name));
}
void look_up_handles() {
  look_up(predefined.world, "ompi_mpi_comm_world");
  look_up(predefined.self, "ompi_mpi_comm_self");
  look_up(predefined.comm_null, "ompi_mpi_comm_null");
  look_up(predefined.request_null, "ompi_request_null");
  look_up(predefined.message_null, "ompi_message_null");
  look_up(predefined.message_no_proc, "ompi_message_no_proc");
  look_up(predefined.byte, "ompi_mpi_byte");
  look_up(predefined.datatype_null, "ompi_mpi_datatype_null");
}
#else
void look_up_handles() {
  predefined = {MPI_COMM_WORLD,   MPI_COMM_SELF,       MPI_COMM_NULL, MPI_REQUEST_NULL,
                MPI_MESSAGE_NULL, MPI_MESSAGE_NO_PROC, MPI_BYTE,      MPI_DATATYPE_NULL};
}
#endif

} // namespace

std::string_view interface_name() {
  return our_interface;
}

void* find_mpi_symbol(const char* name, const void* from) {
  // Not RTLD_NEXT: the program may hold a copy of the library's data (copy relocation), and that one counts.
  if (void* found = dlsym(RTLD_DEFAULT, name))
    return found;
  // The library came with an object that was opened privately: look through that object's dependencies.
  if (!from)
    from = user;
  Dl_info info;
  if (!from || !dladdr(from, &info) || !info.dli_fname)
    return nullptr;
  void* object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return object ? dlsym(object, name) : nullptr;
}

namespace {

/// Stands where the library has no such function. Programs that ask whether there is one (by a weak symbol,
/// as mpi4py does) find ours: an error, and no crash.
int missing_function() {
  static bool said = false;
  if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
    say(reason::wrong_mpi,
        "the program calls a function that its MPI library does not have and the one this interposer "
        "was built for has. Use the interposer of a build for this MPI library.");
  return MPI_ERR_OTHER;
}

} // namespace

void* resolve_next(const slot_family& family, std::size_t slot, const void* from) {
  const slot_name& name = family.names[slot];
  void* found = nullptr;
  if (settings().chain)
    found = dlsym(RTLD_NEXT, name.symbol); // never RTLD_DEFAULT: that is us
  if (!found)
    found = find_mpi_symbol(name.real, from);
  if (!found) // `from` may be elsewhere: a tail call leaves no address in the object that made it
    found = find_mpi_symbol(name.real, user);
  if (!found && name.other_real)
    found = find_mpi_symbol(name.other_real, user ? user : from);
  if (!found)
    found = dlsym(RTLD_NEXT, name.symbol);
  if (!found)
    found = substitute_for(name.symbol);
  if (!found)
    found = reinterpret_cast<void*>(&missing_function);
  __atomic_store_n(&family.direct[slot], found, __ATOMIC_RELAXED);
  __atomic_store_n(&family.real[slot], found, __ATOMIC_RELAXED);
  return found;
}

void step_aside(const void* from) {
  for (const slot_family* const family : slot_families())
    for (std::size_t i = 0; i < family->count; ++i)
      if (void* next = next_function(*family, i, from)) {
        __atomic_store_n(&family->slots[i], next, __ATOMIC_RELAXED);
        __atomic_store_n(&family->direct[i], next, __ATOMIC_RELAXED);
      }
}

void* library_function(const char* name) {
  void* found = find_mpi_symbol(name, user);
  if (!found)
    throw std::runtime_error(std::string("the MPI library has no ") + name);
  return found;
}

std::string library_version(const void* from) {
#ifdef TACIT_STATIC
  (void)from;
  const auto ask = &PMPI_Get_library_version;
#else
  const auto ask = reinterpret_cast<decltype(&PMPI_Get_library_version)>(
      find_mpi_symbol("PMPI_Get_library_version", from));
  if (!ask)
    return {};
#endif
  // Larger than any library's MPI_MAX_LIBRARY_VERSION_STRING (MPICH has 8192), because it may not be ours.
  static char text[16384];
  int length = 0;
  ask(text, &length);
  return text;
}

namespace {

/// A library that has several binary interfaces has a file for each, and says the same version in all. The file of the
/// standard one has its name from the standard (MPI-5.0, 20.2).
bool comes_from_abi_library([[maybe_unused]] const void* from) {
#ifdef TACIT_STATIC
  return our_interface == standard_abi;
#else
  Dl_info info;
  const void* const function = find_mpi_symbol("PMPI_Get_library_version", from);
  if (!function || !dladdr(function, &info) || !info.dli_fname)
    return false;
  const std::string_view path = info.dli_fname;
  return path.substr(path.find_last_of('/') + 1).starts_with("libmpi_abi.");
#endif
}

} // namespace

std::string_view library_interface(const void* from) {
  if (comes_from_abi_library(from))
    return standard_abi;
  // Intel MPI and other derivatives share MPICH's binary interface.
  return library_version(from).find("Open MPI") != std::string::npos ? "Open MPI" : "MPICH";
}

void before_init(invocation& v, void (*reject)(const void*)) {
  user = v.from;
  fits = library_interface(v.from) == our_interface;
  if (!fits)
    reject(v.from);
  v.begin = ticks_now();
}

#if defined(OPEN_MPI) || defined(MPI_ABI_VERSION)
topology_part::weight_list weights_at(const int* argument) {
  const bool unweighted = argument == MPI_UNWEIGHTED;
  return {unweighted || argument == MPI_WEIGHTS_EMPTY ? nullptr : argument, unweighted};
}
#else
/// MPICH: variables of the library, which is not linked.
topology_part::weight_list weights_at(const int* argument) {
  static const auto* const none = static_cast<int* const*>(find_mpi_symbol("MPI_UNWEIGHTED", user));
  static const auto* const empty = static_cast<int* const*>(find_mpi_symbol("MPI_WEIGHTS_EMPTY", user));
  const bool unweighted = none && argument == *none;
  return {unweighted || (empty && argument == *empty) ? nullptr : argument, unweighted};
}
#endif

bool library_fits() {
  if (fits)
    look_up_handles();
  return fits;
}

void mark_first_moment() {
  first = clock_pair::now();
}

const clock_pair& first_moment() {
  return first;
}

const predefined_handles& handles() {
  return predefined;
}

} // namespace tacit::interpose
