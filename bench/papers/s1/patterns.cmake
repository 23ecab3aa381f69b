# The programs of bench/papers/s1/patterns.py: for real processes (s1_patterns; bench/two_nodes.py, too), for
# simulated ones (s1_simulated, which a test runs; s1_simulated_doubles), and for the passes alone (s1_detection).
add_executable(s1_patterns ${CMAKE_CURRENT_LIST_DIR}/patterns.c)
target_link_libraries(s1_patterns PRIVATE tacit_shared MPI::MPI_C)
target_include_directories(s1_patterns PRIVATE ${PROJECT_SOURCE_DIR}/include)
# MPICH declares MPI_STATUSES_IGNORE so that GCC takes it for an array of one byte.
target_compile_options(s1_patterns PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
if(COMMAND tacit_smpi_program AND TACIT_MPI_FAMILY STREQUAL "openmpi")
  foreach(program s1_simulated s1_simulated_doubles)
    tacit_smpi_program(${program} ${CMAKE_CURRENT_LIST_DIR}/patterns.c)
    set_target_properties(${program} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench LINKER_LANGUAGE CXX)
  endforeach()
  target_compile_definitions(s1_simulated_doubles PRIVATE SUMS_OF_DOUBLES)
  set_target_properties(s1_simulated_doubles PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

add_executable(s1_detection ${CMAKE_CURRENT_LIST_DIR}/detection.cpp ${PROJECT_SOURCE_DIR}/bench/micro/heap.cpp)
target_link_libraries(s1_detection PRIVATE tacit_core)
target_include_directories(s1_detection PRIVATE ${PROJECT_SOURCE_DIR}/bench)
