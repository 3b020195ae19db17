# SPDX-License-Identifier: Apache-2.0
#
# What an installed weft consists of: libraries, headers, and what tells build systems of them. Install components:
# "runtime" (shared libraries), "development" (headers, static libraries, packages for build systems, documents), and
# "program" (weft, with its data: cmake/program.cmake).
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")

install(TARGETS weft ${component_targets} EXPORT weftTargets
  RUNTIME COMPONENT runtime
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development
  FILE_SET HEADERS COMPONENT development)
# Its headers only. The target is made by the package, and only where xsimd is there to link.
install(TARGETS weft_vectorized FILE_SET HEADERS COMPONENT development)
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION "${package_dir}" COMPONENT development)

list(JOIN weft_components ", " weft_component_text)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in" "${PROJECT_BINARY_DIR}/weftConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${PROJECT_BINARY_DIR}/weftConfig.cmake"
    "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/WeftKernels.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/check_kernel_symbols.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

include(cmake/pkg_config.cmake)

# The same in the Common Package Specification, for build systems that read it. CMake does, too, and takes it before
# weftConfig.cmake where both are at their usual places; but it cannot say weft_add_kernels, nor "vectorized". So it is
# not at its usual place, <lib>/cps, unless somebody asks for that. (A TBB that is built along has no such description.)
set(WEFT_INSTALL_CPSDIR "${CMAKE_INSTALL_LIBDIR}/weft/cps" CACHE STRING
  "Where weft.cps is installed, with CMake 4.3 and newer")
mark_as_advanced(WEFT_INSTALL_CPSDIR)
get_target_property(tbb_is_installed TBB::tbb IMPORTED)
if(CMAKE_VERSION VERSION_GREATER_EQUAL 4.3 AND tbb_is_installed)
  install(PACKAGE_INFO weft EXPORT weftTargets
    VERSION ${PROJECT_VERSION} COMPAT_VERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}.0
    DEFAULT_TARGETS weft DESTINATION "${WEFT_INSTALL_CPSDIR}" COMPONENT development)
endif()

# Who has the library has its licence; who builds on it has its documents.
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT runtime)
install(
  FILES "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
    "${PROJECT_SOURCE_DIR}/SECURITY.md"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT development)
# As seen from the pages, wherever the prefix is.
file(RELATIVE_PATH headers "/prefix/${CMAKE_INSTALL_DOCDIR}" "/prefix/${CMAKE_INSTALL_INCLUDEDIR}")
install(CODE "
  set(PAGES \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  set(HEADERS \"${headers}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/installed_links.cmake\")" COMPONENT development)
