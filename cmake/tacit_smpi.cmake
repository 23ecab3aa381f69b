# The library for SimGrid's SMPI: the rooms that see MPI once more, with SMPI's header; the core is the same. Target
# tacit_smpi exists where SimGrid is installed; it is built only if something needs it.
#
# tacit_smpi_program(NAME SOURCES …): a program that smpirun loads (a shared object with everything in it, so that each
# simulated rank has variables of its own).
if(TACIT_SANITIZE)
  return() # SMPI copies the variables of each rank and switches stacks, of which sanitizers see neither
endif()
find_program(SMPIRUN smpirun)
find_path(SMPI_INCLUDE_DIR mpi.h PATHS /usr/include/smpi PATH_SUFFIXES smpi NO_DEFAULT_PATH)
find_library(SIMGRID_LIBRARY simgrid)
if(NOT (SMPIRUN AND SMPI_INCLUDE_DIR AND SIMGRID_LIBRARY))
  message(STATUS "tacit: no SimGrid, so nothing for SMPI is built (Debian: libsimgrid-dev)")
  return()
endif()

tacit_rooms(smpi_sources runtime/mpi runtime/run runtime/shm runtime/rma runtime/exchange runtime/schedule surface/capi)
add_library(tacit_smpi STATIC EXCLUDE_FROM_ALL ${smpi_sources})
set_target_properties(tacit_smpi PROPERTIES UNITY_BUILD_MODE GROUP)
# Variables of inline functions and templates that the linker makes one of in the whole process would be shared by all ranks.
target_compile_options(tacit_smpi PUBLIC -fno-gnu-unique)
target_include_directories(tacit_smpi SYSTEM PUBLIC ${SMPI_INCLUDE_DIR})
target_compile_definitions(tacit_smpi PRIVATE TACIT_VERSION="${PROJECT_VERSION}") # of what is kept for later runs (runtime/schedule)
# Simulated time does not pass while a rank computes.
tacit_compile_quickly(tacit_smpi)
target_link_libraries(tacit_smpi PUBLIC tacit_channel tacit_neighbors nlohmann_json::nlohmann_json PkgConfig::HWLOC ${SIMGRID_LIBRARY})

function(tacit_smpi_program name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "")
  if(NOT TACIT_BUILD_TESTS) # a build that is only installed compiles the rooms that see MPI once
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_compile_options(${name} PRIVATE -include ${SMPI_INCLUDE_DIR}/smpi_helpers.h)
  target_link_libraries(${name} PRIVATE tacit_smpi)
  target_link_options(${name} PRIVATE LINKER:--strip-all) # smpirun copies the file once per rank
endfunction()
