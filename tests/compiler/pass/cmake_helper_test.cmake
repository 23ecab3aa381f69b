# Builds examples/overlap against a fresh installation with clang 19, and looks at the remarks, at which program calls the
# hooks, and at what the programs compute.
# Variables: BUILD (build folder), SOURCE, WORK (fresh folder), LAUNCH (mpiexec with flags), MPICC, NM
include(${CMAKE_CURRENT_LIST_DIR}/../../run_command.cmake)
function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected ${text} in:\n${output}")
  endif()
endfunction()
separate_arguments(LAUNCH)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/overlap -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_C_COMPILER=clang-19 -DMPI_C_COMPILER=${MPICC})
run(${CMAKE_COMMAND} --build ${WORK}/build)
expect("remark: MPI_Waitall: 2 of 2 moved")
expect("remark: possible: MPI_Waitall: 2 of 2 moved")
foreach(program ring ring_whole ring_report)
  run(${LAUNCH} -n 2 ${WORK}/build/${program})
  expect("2 ranks, 0 wrong numbers")
  run(${NM} ${WORK}/build/${program})
  string(FIND "${output}" "__tacit_defer_all" found)
  if((program STREQUAL ring_report) EQUAL (found GREATER -1))
    message(FATAL_ERROR "${program}: calls of the hooks are not as expected (${found})")
  endif()
endforeach()
# What is asked for wrongly is refused when the project is configured.
file(WRITE ${WORK}/wrong/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(wrong LANGUAGES C)\n"
     "find_package(tacit REQUIRED)\nfile(WRITE a.c \"int main(void) { return 0; }\")\nadd_executable(a a.c)\ntacit_overlap(a MODE brave)\n")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/wrong -B ${WORK}/wrong/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
                -DCMAKE_C_COMPILER=clang-19 RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "MODE brave was accepted")
endif()
expect("MODE is conservative or aggressive, not brave")
