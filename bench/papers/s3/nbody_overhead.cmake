# The program of bench/papers/s3/nbody_overhead.py: cmake --build --preset release --target s3_nbody_overhead
add_executable(s3_nbody_overhead EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/nbody_overhead.cpp)
target_link_libraries(s3_nbody_overhead PRIVATE tacit_tasks_shared)
target_include_directories(s3_nbody_overhead PRIVATE ${PROJECT_SOURCE_DIR}/examples/tasks)
