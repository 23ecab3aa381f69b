# Projects of C, C++ and Fortran alone use tacit_overlap beside both signatures of target_link_libraries: every program calls
# the hooks, and computes the same.
# Variables: HELPER (tacit_overlap.cmake), PASS, HOOKS, WORK (fresh folder), LAUNCH (mpiexec with flags), NM,
#            MPI_INCLUDES, LANGUAGES, MPI_LIBRARIES_<language>
include(${CMAKE_CURRENT_LIST_DIR}/../../run_command.cmake)
separate_arguments(LAUNCH)
set(suffix_C c)
set(suffix_CXX cpp)
set(suffix_Fortran f90)
set(compiler_C clang-19)
set(compiler_CXX clang++-19)
set(compiler_Fortran flang-new-19)
file(REMOVE_RECURSE ${WORK})
foreach(language ${LANGUAGES})
  set(folder ${WORK}/${language})
  string(REPLACE ";" "\\;" libraries "${MPI_LIBRARIES_${language}}")
  string(REPLACE ";" "\\;" includes "${MPI_INCLUDES}")
  run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/signatures -B ${folder} -DLANGUAGE=${language} -DSUFFIX=${suffix_${language}}
      -DCMAKE_${language}_COMPILER=${compiler_${language}} -DHELPER=${HELPER} -Dtacit_PASS=${PASS} -Dtacit_HOOKS=${HOOKS}
      "-DMPI_INCLUDES=${includes}" "-DMPI_LIBRARIES=${libraries}")
  run(${CMAKE_COMMAND} --build ${folder})
  foreach(program plain plain_behind keyword whole)
    run(${NM} ${folder}/${program})
    if(NOT output MATCHES "T __tacit_")
      message(FATAL_ERROR "${language}, ${program}: no hooks are called")
    endif()
  endforeach()
  run(${LAUNCH} -n 2 ${folder}/whole)
  string(REGEX MATCHALL "right" rights "${output}")
  list(LENGTH rights count)
  if(NOT count EQUAL 2)
    message(FATAL_ERROR "${language}: ${output}")
  endif()
endforeach()
