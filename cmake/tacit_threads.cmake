# Which tests ThreadSanitizer can say something about. It sees what threads of one process do to each other: a program that starts
# none tells it nothing, and memory that processes share is invisible to it. What such a program does wrong is for the presets asan
# and asan-mpi. Where everything is compiled with TSan, tests of such programs are disabled, which ctest says of each, and the
# programs are built only if they are asked for by name.

# Only programs of tasks have threads of ours (their executor, and devices), checked programs with annotations (one that sees who waits for
# long), and schedules that are analysed in the background: the sources of tests that ask for that name it. Whoever starts one elsewhere has
# to say here who links it, whatever is built now.
set(TACIT_STARTS_THREAD "std::j?thread[^:a-z]|std::async|pthread_create|tbb::task_arena|tbb::parallel|wanted.background")
set(tacit_threads_of tacit_executor tacit_devices tacit_tasks_shared tacit_coalesce)
file(GLOB_RECURSE sources ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/src/*.h ${PROJECT_SOURCE_DIR}/src/*.c)
list(FILTER sources EXCLUDE REGEX "/src/(runtime/(executor|devices)|compiler/(pass|annotate))/") # those of the compiler are not built here
list(FILTER sources EXCLUDE REGEX "/src/(runtime/schedule/(background_|compile_on_root)|compiler/coalesce/long_wait)")
foreach(source ${sources})
  file(STRINGS ${source} found REGEX "${TACIT_STARTS_THREAD}")
  if(found)
    message(FATAL_ERROR "${source} starts threads: cmake/tacit_threads.cmake has to know which programs link it (${found})")
  endif()
endforeach()
if(NOT TACIT_SANITIZE MATCHES "thread")
  function(tacit_only_with_threads)
  endfunction()
  function(tacit_without_threads)
  endfunction()
  return()
endif()
add_custom_target(tests_of_threads COMMENT "All programs of tests that start threads")

# tacit_starts_threads(variable program): the sources of its tests say so, or one of the libraries that do is linked.
function(tacit_starts_threads variable program)
  get_target_property(links ${program} LINK_LIBRARIES)
  get_target_property(sources ${program} SOURCES)
  get_target_property(folder ${program} SOURCE_DIR)
  set(${variable} OFF PARENT_SCOPE)
  foreach(library ${tacit_threads_of})
    if(library IN_LIST links)
      set(${variable} ON PARENT_SCOPE)
    endif()
  endforeach()
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
    file(STRINGS ${source} found REGEX "${TACIT_STARTS_THREAD}")
    if(found)
      set(${variable} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# tacit_only_with_threads(program test…): tests that run this program.
function(tacit_only_with_threads program)
  tacit_starts_threads(threads ${program})
  if(threads)
    add_dependencies(tests_of_threads ${program})
  else()
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
    tacit_without_threads(${ARGN})
  endif()
endfunction()

# tacit_without_threads(test…): tests of commands that start no thread, nor do the programs that they launch.
function(tacit_without_threads)
  set_tests_properties(${ARGN} PROPERTIES DISABLED ON)
endfunction()
