// Included by the compiler before the sources of room `run` that the interposer shares: they call PMPI_
// functions and name predefined datatypes as if an MPI library were linked. Here these names become look-ups
// at run time (mpi_library.h).
#pragma once

#include "interpose/mpi_library.h"

#ifndef TACIT_STATIC

#define PMPI_Type_get_envelope TACIT_PMPI(Type_get_envelope)
#define PMPI_Type_get_contents TACIT_PMPI(Type_get_contents)
#define PMPI_Type_get_envelope_c TACIT_PMPI(Type_get_envelope_c)
#define PMPI_Type_get_contents_c TACIT_PMPI(Type_get_contents_c)
#define PMPI_Type_get_extent_x TACIT_PMPI(Type_get_extent_x)
#define PMPI_Type_size_x TACIT_PMPI(Type_size_x)
#define PMPI_Type_free TACIT_PMPI(Type_free)

#ifdef OPEN_MPI
#define TACIT_DATATYPE(symbol)                                                                               \
  ([]() {                                                                                                    \
    static const auto handle = static_cast<MPI_Datatype>(::tacit::interpose::library_function(symbol));      \
    return handle;                                                                                           \
  }())
#undef MPI_DATATYPE_NULL
#undef MPI_SHORT_INT
#undef MPI_DOUBLE_INT
#undef MPI_LONG_INT
#undef MPI_LONG_DOUBLE_INT
#define MPI_DATATYPE_NULL TACIT_DATATYPE("ompi_mpi_datatype_null")
#define MPI_SHORT_INT TACIT_DATATYPE("ompi_mpi_short_int")
#define MPI_DOUBLE_INT TACIT_DATATYPE("ompi_mpi_double_int")
#define MPI_LONG_INT TACIT_DATATYPE("ompi_mpi_long_int")
#define MPI_LONG_DOUBLE_INT TACIT_DATATYPE("ompi_mpi_longdbl_int")
#endif

#endif
