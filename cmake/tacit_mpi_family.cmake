# Which MPI this build is for. FindMPI reports Open MPI's mpiexec for every wrapper, so each preset names its own
# launcher in MPIEXEC_EXECUTABLE, and every MPI test asserts the size of its communicator.
set(mpich_version)
foreach(folder ${MPI_C_INCLUDE_DIRS})
  if(EXISTS ${folder}/mpi.h AND NOT mpich_version)
    file(STRINGS ${folder}/mpi.h mpich_version REGEX "define[ \t]+MPICH_VERSION")
  endif()
endforeach()
if("MPI_ABI" IN_LIST MPI_C_COMPILE_DEFINITIONS) # mpicc_abi of MPICH: the binary interface of MPI-5.0
  set(TACIT_MPI_FAMILY mpi-abi)
  set(TACIT_MPIEXEC_FLAGS "")
elseif(mpich_version)
  set(TACIT_MPI_FAMILY mpich)
  set(TACIT_MPIEXEC_FLAGS "")
else()
  set(TACIT_MPI_FAMILY openmpi)
  # Two cores, sixteen ranks, perhaps root in a container: tests must run there too. To look for networks that one node does
  # not need takes half of the time of a short program.
  set(TACIT_MPIEXEC_FLAGS --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 --mca pml ob1)
  # What a node takes for windows of the program's own memory, where a rank may read another one's, which containers often forbid: tests
  # of the preset release-single-copies do, those of others do not (CMakePresets.json, tools/environment).
  set(TACIT_READING_FLAGS ${TACIT_MPIEXEC_FLAGS} --mca btl_vader_single_copy_mechanism cma --mca osc rdma)
endif()
# The launcher in one string, for what starts ranks itself.
list(JOIN TACIT_MPIEXEC_FLAGS " " TACIT_LAUNCHER)
string(STRIP "${MPIEXEC_EXECUTABLE} ${TACIT_LAUNCHER}" TACIT_LAUNCHER)
# Everything that includes mpi.h needs them.
add_compile_definitions(${MPI_C_COMPILE_DEFINITIONS})
message(STATUS "tacit: MPI family ${TACIT_MPI_FAMILY}, launcher ${MPIEXEC_EXECUTABLE}")

# tacit_add_mpi_test(NAME name COMMAND target [args…] RANKS n…): one ctest per rank count, named name.np<N>. It gets both
# cores. There is no time limit per test: limits are for hangs alone, and one that suits all stands in CMakePresets.json.
function(tacit_add_mpi_test)
  cmake_parse_arguments(T "" "NAME" "COMMAND;RANKS;LABELS" ${ARGN})
  list(POP_FRONT T_COMMAND program)
  set(launch ${MPIEXEC_EXECUTABLE} ${TACIT_MPIEXEC_FLAGS} ${TACIT_IDLE_FLAGS})
  foreach(n ${T_RANKS})
    if(NOT n MATCHES "^[0-9]+$")
      message(FATAL_ERROR "tacit_add_mpi_test(${T_NAME}): '${n}' is no number of ranks (and time limits are not set per test)")
    endif()
    add_test(NAME ${T_NAME}.np${n} COMMAND ${launch} -n ${n} $<TARGET_FILE:${program}> ${T_COMMAND})
    set_tests_properties(${T_NAME}.np${n} PROPERTIES PROCESSORS 2 LABELS "mpi;${T_LABELS}"
                         ENVIRONMENT "TACIT_EXPECTED_RANKS=${n}")
    tacit_only_with_threads(${program} ${T_NAME}.np${n})
  endforeach()
endfunction()
