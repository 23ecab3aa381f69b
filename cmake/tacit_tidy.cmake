# `cmake --build … --target tidy`: clang-tidy 19 over every source of src/ (tools/tidy). Targets that generate headers are added to
# its dependencies where they are defined.
add_custom_target(tidy COMMAND ${PROJECT_SOURCE_DIR}/tools/tidy ${PROJECT_BINARY_DIR}
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} USES_TERMINAL)
