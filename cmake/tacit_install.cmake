# What `make install` puts where: headers, libraries, the CMake package, the pkg-config file, docs,
# examples and the licence. One prefix holds the
# build for one MPI family. Programs link MPI themselves; the package only names it.
install(TARGETS tacit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# As in the source tree, so that the links between documents lead somewhere; tests/check_links.py holds them against it.
install(FILES LICENSE README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples packaging DESTINATION ${CMAKE_INSTALL_DOCDIR})

# tacit_write_package(folder destination): tacitConfig.cmake and its version, by the package_ variables of the caller.
function(tacit_write_package folder destination)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/tacitConfig.cmake.in ${folder}/tacitConfig.cmake
                                INSTALL_DESTINATION ${destination})
  write_basic_package_version_file(${folder}/tacitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
endfunction()

if(TACIT_WITH_MPI)
  install(FILES include/tacit/tacit.h include/tacit/cdag.h ${TACIT_FORTRAN_MODULE} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacit)
  install(TARGETS tacit_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${CMAKE_BINARY_DIR}/lib/libtacit.a DESTINATION ${CMAKE_INSTALL_LIBDIR})

  install(TARGETS tacit_selftest tacit_platform tacit_trial RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tacit)

  if(TARGET tacit_tasks_shared)
    install(FILES include/tacit/tasks.hpp include/tacit/celerity.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacit)
    install(DIRECTORY include/tacit/tasks DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacit)
    install(TARGETS tacit_tasks_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()

  # The CMake package twice: what is installed, and one for the build tree (CMAKE_PREFIX_PATH=<build folder>).
  include(CMakePackageConfigHelpers)
  set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tacit)
  set(package_includes "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}")
  set(package_libraries "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_LIBDIR}")
  set(package_fortran "\${tacit_INCLUDES}/tacit/tacit.f90")
  set(package_command "\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_BINDIR}/tacit")
  set(package_helper "\${CMAKE_CURRENT_LIST_DIR}/tacit_overlap.cmake")
  tacit_write_package(${CMAKE_BINARY_DIR}/installed ${package_folder})
  install(FILES ${CMAKE_BINARY_DIR}/installed/tacitConfig.cmake ${CMAKE_BINARY_DIR}/installed/tacitConfigVersion.cmake
                cmake/tacit_overlap.cmake DESTINATION ${package_folder})
  set(package_includes ${PROJECT_SOURCE_DIR}/include)
  set(package_libraries ${CMAKE_BINARY_DIR}/lib)
  set(package_fortran ${TACIT_FORTRAN_MODULE})
  set(package_command ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/tacit)
  set(package_helper ${PROJECT_SOURCE_DIR}/cmake/tacit_overlap.cmake)
  tacit_write_package(${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR})

  # Relative to the file itself, so that an installed tree can be moved.
  file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/tacit.pc.in ${CMAKE_BINARY_DIR}/tacit.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/tacit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  if(TARGET tacit_tasks_shared)
    configure_file(cmake/tacit-tasks.pc.in ${CMAKE_BINARY_DIR}/tacit-tasks.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/tacit-tasks.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endif()
