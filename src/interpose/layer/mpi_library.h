// The program's MPI library: which one it is, its entry points and its predefined handles.
//
// Nothing here is linked: the library is found at run time (see slots.h). Handles that are addresses of
// objects inside the library (Open MPI) are looked up by name; where they are plain numbers (MPICH, the
// standard ABI) the header has them.
#pragma once

#include "interpose/layer/clock.h"
#include "interpose/layer/invocation.h"

#include <cstdint>
#include <cstring>
#include <mpi.h>
#include <string>
#include <string_view>

namespace tacit::interpose {

/// The binary interface that the wrappers were compiled for: "Open MPI", "MPICH" or "the standard MPI ABI".
std::string_view interface_name();
/// That of the program's library.
std::string_view library_interface(const void* from);
/// What MPI_Get_library_version says; empty if it cannot be asked.
std::string library_version(const void* from);

/// The initializing call is about to pass: check the library, remember the moment. `reject` is called if it does not fit.
void before_init(invocation& v, void (*reject)(const void* from));
bool library_fits();

/// Note the time, as early as possible, for the calibration of the time-stamp counter.
void mark_first_moment();
const clock_pair& first_moment();

struct predefined_handles {
  MPI_Comm world{}, self{}, comm_null{};
  MPI_Request request_null{};
  MPI_Message message_null{}, message_no_proc{};
  MPI_Datatype byte{}, datatype_null{};
};
/// Valid once MPI is initialized.
const predefined_handles& handles();

/// A handle as a number (a pointer, or an int).
template <typename Handle>
std::uint64_t bits(Handle handle) {
  std::uint64_t value = 0;
  static_assert(sizeof handle <= sizeof value);
  std::memcpy(&value, &handle, sizeof handle);
  return value;
}

/// What an argument for weights means in C.
topology_part::weight_list weights_at(const int* argument);

/// The address of a function of the library by name; throws std::runtime_error if it has none.
void* library_function(const char* name);

} // namespace tacit::interpose

/// Calls a function of the MPI library: TACIT_PMPI(Comm_rank)(comm, &rank).
#ifdef TACIT_STATIC
#define TACIT_PMPI(name) PMPI_##name
#else
#define TACIT_PMPI(name)                                                                                     \
  ([]() {                                                                                                    \
    static const auto function =                                                                             \
        reinterpret_cast<decltype(&PMPI_##name)>(::tacit::interpose::library_function("PMPI_" #name));       \
    return function;                                                                                         \
  }())
#endif
