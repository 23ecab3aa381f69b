# Installs into a fresh prefix, builds examples/outside against it with find_package and with pkg-config, runs all three
# programs on two ranks, and looks at what the libraries export.
# Variables: BUILD (build folder), SOURCE, WORK (fresh folder), LAUNCH (mpiexec with flags), MPICC, LIBDIR, NM
include(${CMAKE_CURRENT_LIST_DIR}/../run_command.cmake)
separate_arguments(LAUNCH)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/outside -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix -DMPI_C_COMPILER=${MPICC})
run(${CMAKE_COMMAND} --build ${WORK}/build)
file(COPY ${SOURCE}/examples/outside/exchange.c ${SOURCE}/examples/outside/Makefile DESTINATION ${WORK}/make)
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${WORK}/prefix/${LIBDIR}/pkgconfig make -C ${WORK}/make MPICC=${MPICC})
foreach(program ${WORK}/build/exchange ${WORK}/build/exchange_static ${WORK}/make/exchange)
  run(${LAUNCH} -n 2 ${program})
  if(NOT output MATCHES "2 ranks, 0 wrong numbers")
    message(FATAL_ERROR "${program} says: ${output}")
  endif()
endforeach()
run(${NM} -D --defined-only --format=posix ${WORK}/prefix/${LIBDIR}/libtacit.so)
string(REGEX REPLACE "(^|\n)tacit_[^\n]*" "" others "${output}")
string(STRIP "${others}" others)
if(NOT others STREQUAL "")
  message(FATAL_ERROR "libtacit.so exports more than tacit_*:\n${others}")
endif()
