# SPDX-License-Identifier: Apache-2.0
#
# What an installed weft consists of: library, headers, and the package for find_package(weft).
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/weft")

install(TARGETS weft EXPORT weftTargets FILE_SET HEADERS)
# Its headers only. The target is made by the package, and only where xsimd is there to link.
install(TARGETS weft_vectorized FILE_SET HEADERS)
install(EXPORT weftTargets NAMESPACE weft:: DESTINATION "${package_dir}")

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/weftConfig.cmake.in" "${PROJECT_BINARY_DIR}/weftConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(
  FILES
    "${PROJECT_BINARY_DIR}/weftConfig.cmake"
    "${PROJECT_BINARY_DIR}/weftConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/WeftKernels.cmake"
  DESTINATION "${package_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
