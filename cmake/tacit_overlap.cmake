# tacit_overlap(target [LTO] [REPORT] [MODE conservative|aggressive])
#
# Compiles the target's C, C++ and Fortran sources with the overlap pass and links what it calls. It transforms unless REPORT
# is given, which only makes remarks (add -Rpass-analysis=mpi-overlap). LTO: the pass sees the whole program, at link time.
function(tacit_overlap target)
  cmake_parse_arguments(T "LTO;REPORT" "MODE" "" ${ARGN})
  if(T_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tacit_overlap: not understood: ${T_UNPARSED_ARGUMENTS}")
  endif()
  if(T_MODE AND NOT T_MODE MATCHES "^(conservative|aggressive)$")
    message(FATAL_ERROR "tacit_overlap: MODE is conservative or aggressive, not ${T_MODE}")
  endif()
  if(NOT EXISTS "${tacit_PASS}")
    message(FATAL_ERROR "tacit_overlap: this tacit was built without LLVM 19, so that it has no ${tacit_PASS}")
  endif()
  foreach(language C CXX Fortran)
    if(CMAKE_${language}_COMPILER_LOADED AND NOT CMAKE_${language}_COMPILER_ID MATCHES "^(Clang|LLVMFlang)$")
      message(FATAL_ERROR "tacit_overlap: ${language} is compiled by ${CMAKE_${language}_COMPILER_ID}; the pass needs clang 19 or "
                          "flang 19 (CMAKE_${language}_COMPILER)")
    endif()
  endforeach()
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "LLVMFlang" AND NOT CMAKE_Fortran_COMPILER MATCHES "tacit-fc$")
    get_property(told GLOBAL PROPERTY tacit_overlap_told_of_module)
    if(NOT told)
      message(STATUS "tacit_overlap: Fortran sources with `use mpi` need CMAKE_Fortran_COMPILER=tacit-fc, which is flang with a "
                     "module of this MPI that it can read; `include 'mpif.h'` needs nothing")
      set_property(GLOBAL PROPERTY tacit_overlap_told_of_module ON)
    endif()
  endif()
  set(settings -tacit-overlap=$<IF:$<BOOL:${T_REPORT}>,report,apply>)
  if(T_MODE)
    list(APPEND settings -tacit-overlap-mode=${T_MODE})
  endif()
  if(T_LTO)
    # lld reads -mllvm options before it loads plugins, unless LLVM itself is told to load them.
    list(TRANSFORM settings PREPEND LINKER:-mllvm,)
    target_compile_options(${target} PRIVATE -flto)
    target_link_options(${target} PRIVATE -flto -fuse-ld=lld LINKER:-mllvm,-load=${tacit_PASS}
                        LINKER:--load-pass-plugin=${tacit_PASS} ${settings})
  else()
    list(TRANSFORM settings PREPEND "SHELL:-mllvm ")
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:C,CXX>:-fplugin=${tacit_PASS}>"
      "$<$<COMPILE_LANGUAGE:Fortran>:SHELL:-Xflang -load -Xflang ${tacit_PASS}>"
      -fpass-plugin=${tacit_PASS} ${settings})
  endif()
  tacit_link_in_front(${target} ${tacit_HOOKS})
endfunction()

# tacit_coalesce(target): links the run time of annotated programs, and finds its header.
function(tacit_coalesce target)
  target_include_directories(${target} PRIVATE ${tacit_INCLUDES})
  tacit_link_in_front(${target} ${tacit_COALESCE})
endfunction()

# tacit_annotations(target [PLATFORM file] [choice...])
#
# Transforms the target's C and C++ sources by what `#pragma mpi` says (docs/annotations.md) before they are compiled, and links what
# they then call. The compiler is clang; launchers such as ccache do not see that it reads other text, and are left out.
# PLATFORM: a description of tacit platform, of the machine on which the program will run; a relative name is one in the source folder.
# Choices are the options of tacit transform, as they are written there, such as --coalesce=never: the command has the list of them, and is
# asked at once whether it knows each.
function(tacit_annotations target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" PLATFORM "")
  set(choices ${given_UNPARSED_ARGUMENTS})
  set(launcher ${tacit_COMMAND} launch ${choices})
  if(given_PLATFORM)
    get_filename_component(platform "${given_PLATFORM}" ABSOLUTE) # the compiler runs in the folder of the build
    list(APPEND launcher --platform=${platform})
  endif()
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER_LOADED)
      if(NOT CMAKE_${language}_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "tacit_annotations: ${language} is compiled by ${CMAKE_${language}_COMPILER_ID}; transformed sources can be "
                            "compiled in one step by clang only (or write them with tacit transform -i)")
      endif()
      if(choices)
        execute_process(COMMAND ${tacit_COMMAND} launch ${choices} ${CMAKE_${language}_COMPILER} --version
                        RESULT_VARIABLE code OUTPUT_QUIET ERROR_VARIABLE said)
        if(code)
          message(FATAL_ERROR "tacit_annotations: ${said}")
        endif()
      endif()
      set_property(TARGET ${target} PROPERTY ${language}_COMPILER_LAUNCHER ${launcher})
    endif()
  endforeach()
  tacit_coalesce(${target})
endfunction()

# target_link_libraries has two signatures, with PRIVATE and PUBLIC and without, and a target may be given only one of
# them. Which one the project uses is not ours to say: the properties behind both are set instead. What needs MPI stands
# in front of it.
function(tacit_link_in_front target library)
  get_property(linked TARGET ${target} PROPERTY LINK_LIBRARIES)
  set_property(TARGET ${target} PROPERTY LINK_LIBRARIES ${library} ${linked})
  get_property(type TARGET ${target} PROPERTY TYPE)
  if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$") # linked by those who link it
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES $<LINK_ONLY:${library}>)
  endif()
endfunction()
