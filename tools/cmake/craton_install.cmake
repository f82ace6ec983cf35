# What `cmake --install` puts where, so that find_package(craton) works.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/craton)
install(DIRECTORY craton/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/craton FILES_MATCHING PATTERN "*.h")
install(TARGETS craton EXPORT craton_targets)
if(TARGET craton_cli)
  install(TARGETS craton_cli)
endif()
install(EXPORT craton_targets NAMESPACE craton:: DESTINATION ${package_dir})

configure_package_config_file(tools/cmake/craton-config.cmake.in craton-config.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(craton-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/craton-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/craton-config-version.cmake DESTINATION ${package_dir})
