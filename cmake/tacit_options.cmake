# Compiler settings that hold for every target: standard, warnings, sanitizers, position-independent code.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# Lines for traces and profiles, but no variables, which would make compiling half as long again; the preset dev has them.
add_compile_options($<$<CONFIG:RelWithDebInfo>:-g1>)

add_library(tacit_flags INTERFACE)
target_compile_options(tacit_flags INTERFACE
  -Wall -Wextra $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
if(NOT CMAKE_UNITY_BUILD) # where the names of one file would shadow those of another
  target_compile_options(tacit_flags INTERFACE -Wshadow)
else() # where the files of a room stand in one, GCC takes them for headers
  target_compile_options(tacit_flags INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

# Everything, the programs that tests launch included: an instrumented library that is preloaded needs the sanitizer's run time
# to be loaded before it. TACIT_SANITIZER_FLAGS is for the compilers that CMake does not know as languages;
# TACIT_NO_FINDING is for tests that a line of their output lets pass, whatever the program ended with.
set(TACIT_SANITIZER_FLAGS "")
set(TACIT_NO_FINDING "")
if(TACIT_SANITIZE)
  set(TACIT_SANITIZER_FLAGS -fsanitize=${TACIT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_compile_options(${TACIT_SANITIZER_FLAGS})
  add_link_options(-fsanitize=${TACIT_SANITIZE})
  set(TACIT_NO_FINDING FAIL_REGULAR_EXPRESSION "Sanitizer: |runtime error: ")
endif()
