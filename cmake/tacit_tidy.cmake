# `cmake --build … --target tidy`: clang-tidy 19 over every source of src/, in parallel, from the compile database.
find_program(RUN_CLANG_TIDY run-clang-tidy-19)
if(RUN_CLANG_TIDY)
  add_custom_target(tidy COMMAND ${RUN_CLANG_TIDY} -quiet -p ${PROJECT_BINARY_DIR} "${PROJECT_SOURCE_DIR}/src/.*"
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL)
endif()
