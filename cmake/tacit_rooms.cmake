# tacit_rooms(variable wing/room…): the sources of whole rooms, so that a new file needs no edit. tools/check_layers.py
# reads which target compiles and links what from CMake's own description of the build (its file API).
# A room's files say in which unit they stand where CMAKE_UNITY_BUILD is on: units never hold files of two rooms, so that names
# need to differ within a room alone, and linkers take of an archive only the rooms that are needed.
function(tacit_rooms variable)
  set(all)
  foreach(room ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
    tacit_units(${room} ${sources})
    list(APPEND all ${sources})
  endforeach()
  set(${variable} ${all} PARENT_SCOPE)
endfunction()

# tacit_units(name file…): units of about CMAKE_UNITY_BUILD_BATCH_SIZE files each.
function(tacit_units name)
  if(NOT CMAKE_UNITY_BUILD)
    return()
  endif()
  list(LENGTH ARGN files)
  set(most ${CMAKE_UNITY_BUILD_BATCH_SIZE})
  if(NOT most) # 8 is CMake's own
    set(most 8)
  endif()
  math(EXPR units "(${files} + ${most} - 1) / ${most}")
  string(MAKE_C_IDENTIFIER ${name} name)
  set(at 0)
  foreach(source ${ARGN})
    math(EXPR unit "${at} * ${units} / ${files}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${unit})
    math(EXPR at "${at} + 1")
  endforeach()
endfunction()

# tacit_library(name ROOMS wing/room… LINKS target…): a static library of whole rooms; what it links, its users see.
function(tacit_library name)
  cmake_parse_arguments(T "" "" "ROOMS;LINKS" ${ARGN})
  tacit_rooms(sources ${T_ROOMS})
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(${name} SYSTEM PRIVATE ${XXHASH_INCLUDE_DIR})
  target_link_libraries(${name} PUBLIC tacit_flags fmt::fmt ${T_LINKS})
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# tacit_compile_quickly(target): what reads options, writes pages or links large libraries waits for others, not for its own
# loops. In the developers' configuration -O1 takes three quarters of the time of -O2; a release is compiled as any other.
function(tacit_compile_quickly target)
  target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:RelWithDebInfo>,$<COMPILE_LANGUAGE:C,CXX>>:-O1>)
endfunction()

file(WRITE ${PROJECT_BINARY_DIR}/.cmake/api/v1/query/codemodel-v2 "")
