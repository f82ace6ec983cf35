# What `cmake --install` puts where, so that find_package(craton) and pkg-config work.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/craton)
install(DIRECTORY craton/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/craton FILES_MATCHING PATTERN "*.h")
install(TARGETS craton EXPORT craton_targets)
if(TARGET craton_cli)
  install(TARGETS craton_cli)
  if(SKBUILD)  # beside the python that imports the package
    install(TARGETS craton_cli DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
  endif()
endif()
install(EXPORT craton_targets NAMESPACE craton:: DESTINATION ${package_dir})

configure_package_config_file(tools/cmake/craton-config.cmake.in craton-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(craton-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/craton-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/craton-config-version.cmake DESTINATION ${package_dir})

# Where it is installed is known then only: --prefix wins over what was configured.
if(CRATON_THREADS STREQUAL tbb)
  set(craton_threads_package " tbb")
endif()
set(pc ${CMAKE_CURRENT_BINARY_DIR}/craton.pc)
install(CODE "set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
set(PROJECT_VERSION \"${PROJECT_VERSION}\")
set(craton_threads_package \"${craton_threads_package}\")
configure_file(\"${CMAKE_CURRENT_SOURCE_DIR}/tools/cmake/craton.pc.in\" \"${pc}\" @ONLY)")
install(FILES ${pc} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
