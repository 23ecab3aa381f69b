# tacit_rooms(variable wing/room…): the sources of whole rooms, so that a new file needs no edit. tools/check_layers.py
# reads which target compiles and links what from CMake's own description of the build (its file API).
function(tacit_rooms variable)
  set(all)
  foreach(room ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
    list(APPEND all ${sources})
  endforeach()
  set(${variable} ${all} PARENT_SCOPE)
endfunction()

# tacit_library(name ROOMS wing/room… LINKS target…): a static library of whole rooms; what it links, its users see. It is an
# archive of one object a file also where CMAKE_UNITY_BUILD is on: linkers take of it what is needed.
function(tacit_library name)
  cmake_parse_arguments(T "" "" "ROOMS;LINKS" ${ARGN})
  tacit_rooms(sources ${T_ROOMS})
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(${name} SYSTEM PRIVATE ${XXHASH_INCLUDE_DIR})
  target_link_libraries(${name} PUBLIC tacit_flags fmt::fmt ${T_LINKS})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
endfunction()

file(WRITE ${PROJECT_BINARY_DIR}/.cmake/api/v1/query/codemodel-v2 "")
