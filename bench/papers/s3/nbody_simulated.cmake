# The program of bench/papers/s3/scaling.py.
if(COMMAND tacit_smpi_program AND TACIT_MPI_FAMILY STREQUAL "openmpi")
  tacit_smpi_program(s3_nbody_simulated EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/nbody_simulated.cpp)
  target_link_libraries(s3_nbody_simulated PRIVATE tacit_tasks)
  set_target_properties(s3_nbody_simulated PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endif()
