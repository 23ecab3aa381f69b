# The program of bench/papers/s5/real.py: cmake --build --preset release --target s5_real. METIS is optional; MPI Advance
# is linked only if TACIT_BENCH_MPI_ADVANCE names a directory with its include/ and liblocality_aware.a (built with the same MPI).
set(TACIT_BENCH_MPI_ADVANCE "" CACHE PATH "MPI Advance (locality_aware), as a peer in the benchmarks")
set(s5 ${CMAKE_CURRENT_LIST_DIR})
add_executable(s5_real EXCLUDE_FROM_ALL ${s5}/real.cpp ${s5}/real_variants.cpp ${s5}/real_packed.cpp ${s5}/real_wrf.cpp
                                        ${s5}/real_matrix.cpp ${PROJECT_SOURCE_DIR}/bench/neighbor/patterns.cpp)
target_link_libraries(s5_real PRIVATE tacit_shared MPI::MPI_C fmt::fmt)
target_include_directories(s5_real PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/bench)
target_compile_definitions(s5_real PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
find_library(TACIT_METIS metis)
find_path(TACIT_METIS_INCLUDE metis.h)
if(TACIT_METIS AND TACIT_METIS_INCLUDE)
  target_link_libraries(s5_real PRIVATE ${TACIT_METIS})
  target_include_directories(s5_real SYSTEM PRIVATE ${TACIT_METIS_INCLUDE})
  target_compile_definitions(s5_real PRIVATE TACIT_BENCH_METIS)
endif()
if(TACIT_BENCH_MPI_ADVANCE)
  find_library(TACIT_LOCALITY_AWARE locality_aware PATHS ${TACIT_BENCH_MPI_ADVANCE} PATH_SUFFIXES lib build
               NO_DEFAULT_PATH REQUIRED)
  target_link_libraries(s5_real PRIVATE ${TACIT_LOCALITY_AWARE})
  target_include_directories(s5_real SYSTEM PRIVATE ${TACIT_BENCH_MPI_ADVANCE}/include)
  target_compile_definitions(s5_real PRIVATE TACIT_BENCH_MPI_ADVANCE)
endif()
