# SPDX-License-Identifier: Apache-2.0
#
# A port of the tree that it is in; docs/packaging.md. In a registry, vcpkg_from_git would bring the sources.
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../../..")

vcpkg_check_features(OUT_FEATURE_OPTIONS FEATURE_OPTIONS
  FEATURES
    ops WEFT_WITH_OPS
    graph WEFT_WITH_GRAPH
    ir WEFT_WITH_IR)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS
    ${FEATURE_OPTIONS}
    -DWEFT_BUILD_BENCH=OFF
    -DWEFT_BUILD_CLI=OFF
    -DWEFT_BUILD_TESTS=OFF
    -DWEFT_WERROR=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/weft)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE
  "${CURRENT_PACKAGES_DIR}/debug/include"
  "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
