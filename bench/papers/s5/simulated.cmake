# The program of bench/papers/s5/simulated.py.
if(COMMAND tacit_smpi_program AND TACIT_MPI_FAMILY STREQUAL "openmpi")
  tacit_smpi_program(s5_simulated ${CMAKE_CURRENT_LIST_DIR}/simulated.cpp)
  set_target_properties(s5_simulated PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endif()
