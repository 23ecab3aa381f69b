# Installs into a fresh prefix and builds examples/outside against it: with find_package in projects of one language each,
# with pkg-config, and with find_package from the build folder in a project of all languages. Runs the programs on two
# ranks, and looks at what the libraries export.
# Variables: BUILD (build folder), SOURCE, WORK (fresh folder), LAUNCH (mpiexec with flags), MPICC, LIBDIR, NM, DOCDIR,
# PYTHON, FORTRAN (compilers, may be empty), TASKS (the program of tasks, empty where tacit was built without)
include(${CMAKE_CURRENT_LIST_DIR}/../../run_command.cmake)
separate_arguments(LAUNCH)
separate_arguments(FORTRAN)

# outside(name package languages programs…): configures, builds and runs.
function(outside name package languages)
  string(REPLACE ";" " " languages "${languages}") # a list would come apart on its way
  run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/examples/outside -B ${WORK}/${name} -DCMAKE_PREFIX_PATH=${package}
      "-DLANGUAGES=${languages}" ${compiler})
  run(${CMAKE_COMMAND} --build ${WORK}/${name})
  foreach(program ${ARGN})
    exchanges(${WORK}/${name}/${program})
  endforeach()
endfunction()

function(exchanges program)
  run(${LAUNCH} -n 2 ${program})
  if(NOT output MATCHES "2 ranks, 0 wrong numbers")
    message(FATAL_ERROR "${program} says: ${output}")
  endif()
endfunction()

set(documents README.md LICENSE docs/neighborhood.md docs/pictures/report.png examples/outside/exchange.f90)

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
list(TRANSFORM documents PREPEND ${DOCDIR}/)
foreach(file ${documents} share/man/man1/tacit.1 share/bash-completion/completions/tacit share/zsh/site-functions/_tacit
        share/fish/vendor_completions.d/tacit.fish)
  if(NOT EXISTS ${WORK}/prefix/${file})
    message(FATAL_ERROR "${file} was not installed")
  endif()
endforeach()
run(${WORK}/prefix/bin/tacit -V)
run(${PYTHON} ${SOURCE}/tests/check_links.py ${WORK}/prefix/${DOCDIR})

set(compiler "")
outside(c ${WORK}/prefix C exchange exchange_static)
outside(cxx ${WORK}/prefix CXX exchange_cxx exchange_cxx_static ${TASKS})
set(several C CXX)
set(programs exchange exchange_cxx)
foreach(fortran ${FORTRAN})
  get_filename_component(name ${fortran} NAME)
  set(compiler -DCMAKE_Fortran_COMPILER=${fortran})
  outside(${name} ${WORK}/prefix Fortran exchange_fortran)
  set(several C CXX Fortran)
  set(programs exchange exchange_cxx exchange_fortran)
endforeach()
outside(build ${BUILD} "${several}" ${programs})
# The compilers that bring MPI themselves.
find_program(FLANG flang-new-19)
if(FLANG AND EXISTS ${WORK}/prefix/${LIBDIR}/TacitPass.so)
  set(compiler -DCMAKE_Fortran_COMPILER=${WORK}/prefix/bin/tacit-fc)
  outside(tacit-fc ${WORK}/prefix Fortran exchange_fortran)
endif()

file(COPY ${SOURCE}/examples/outside/exchange.c ${SOURCE}/examples/outside/Makefile DESTINATION ${WORK}/make)
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${WORK}/prefix/${LIBDIR}/pkgconfig make -C ${WORK}/make MPICC=${MPICC})
exchanges(${WORK}/make/exchange)

run(${NM} -D --defined-only --format=posix ${WORK}/prefix/${LIBDIR}/libtacit.so)
string(REGEX REPLACE "(^|\n)tacit_[^\n]*" "" others "${output}")
string(STRIP "${others}" others)
if(NOT others STREQUAL "")
  message(FATAL_ERROR "libtacit.so exports more than tacit_*:\n${others}")
endif()
