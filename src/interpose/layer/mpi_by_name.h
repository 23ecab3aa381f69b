// Included by the compiler before the sources of rooms `run` and `exchange` that the interposer shares: they
// call MPI and name its predefined handles as if an MPI library were linked. Here these names become look-ups
// at run time (mpi_library.h), of PMPI_ functions: what the interposer does itself passes no wrapper.
#pragma once

#include "interpose/layer/mpi_library.h"

#ifndef TACIT_STATIC

#include "mpi_names.h"    // generated: every function that mpi.h declares
#define TACIT_MPI_BY_NAME // functions of the library are no constants

#ifdef OPEN_MPI // handles are addresses of objects inside the library, and so are predefined functions
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, object)                                                                 \
  ([]() {                                                                                                    \
    static const auto looked_up = static_cast<type>(::tacit::interpose::library_function(#object));          \
    return looked_up;                                                                                        \
  }())
// A type cannot stand in parentheses. NOLINTNEXTLINE(bugprone-macro-parentheses)
#define TACIT_LIBRARY_FUNCTION(type, name) reinterpret_cast<type*>(::tacit::interpose::library_function(name))
#undef MPI_COMM_NULL_COPY_FN
#undef MPI_TYPE_NULL_COPY_FN
#define MPI_COMM_NULL_COPY_FN                                                                                \
  TACIT_LIBRARY_FUNCTION(MPI_Comm_copy_attr_function, "OMPI_C_MPI_COMM_NULL_COPY_FN")
#define MPI_TYPE_NULL_COPY_FN                                                                                \
  TACIT_LIBRARY_FUNCTION(MPI_Type_copy_attr_function, "OMPI_C_MPI_TYPE_NULL_COPY_FN")
#endif

#endif
