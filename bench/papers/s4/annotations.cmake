# Programs of seed 003 in plain form beside the form with calls of the run time; measured by real.py. Small runs are tests, because
# the programs validate what they compute.
foreach(program bfs_bench rma_ldst_bench)
  add_executable(${program} bench/papers/s4/${program}.c)
  target_compile_options(${program} PRIVATE -O2 -Wno-unknown-pragmas)
  target_link_libraries(${program} PRIVATE tacit_coalesce tacit_flags MPI::MPI_C)
  set_target_properties(${program} PROPERTIES UNITY_BUILD OFF C_EXTENSIONS ON)
endforeach()
