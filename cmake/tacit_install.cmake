# What `make install` puts where: headers, libraries, the CMake package and the pkg-config file. One prefix holds the
# build for one MPI family. Programs link MPI themselves; the package only names it.
install(TARGETS tacit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

if(TACIT_WITH_MPI)
  install(FILES include/tacit/tacit.h include/tacit/cdag.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tacit)
  install(TARGETS tacit_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${CMAKE_BINARY_DIR}/lib/libtacit.a DESTINATION ${CMAKE_INSTALL_LIBDIR})

  install(TARGETS tacit_selftest tacit_platform tacit_trial RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/tacit)

  include(CMakePackageConfigHelpers)
  set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/tacit)
  configure_package_config_file(cmake/tacitConfig.cmake.in ${CMAKE_BINARY_DIR}/tacitConfig.cmake
                                INSTALL_DESTINATION ${package_folder}
                                PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/tacitConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/tacitConfig.cmake ${CMAKE_BINARY_DIR}/tacitConfigVersion.cmake cmake/tacit_overlap.cmake
          DESTINATION ${package_folder})
  # Relative to the file itself, so that an installed tree can be moved.
  file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/tacit.pc.in ${CMAKE_BINARY_DIR}/tacit.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/tacit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
