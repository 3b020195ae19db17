# SPDX-License-Identifier: Apache-2.0
#
#   cmake -D WORK=<folder> -D OPTIONS=<options of CMake> -P vcpkg_port.cmake
#
# Runs the port of cmake/packaging/vcpkg, without any of its features, on stand-ins for vcpkg's functions: that they are
# called with what there is, and that it installs what they look for.
cmake_minimum_required(VERSION 3.24)

set(FEATURES core)
set(CURRENT_PACKAGES_DIR "${WORK}/packages")
file(REMOVE_RECURSE "${WORK}")

function(vcpkg_check_features)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_FEATURE_OPTIONS" "FEATURES")
  set(options "")
  while(arg_FEATURES)
    list(POP_FRONT arg_FEATURES feature option)
    if(feature IN_LIST FEATURES)
      list(APPEND options "-D${option}=ON")
    else()
      list(APPEND options "-D${option}=OFF")
    endif()
  endwhile()
  set(${arg_OUT_FEATURE_OPTIONS} "${options}" PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${arg_SOURCE_PATH}" -B "${WORK}/build" -G Ninja
    -DCMAKE_BUILD_TYPE=Release "-DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR}" ${arg_OPTIONS} ${OPTIONS}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK}/build" --target install
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(expect_file path)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "there is no ${path}")
  endif()
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  expect_file("${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/weftConfig.cmake")
endfunction()

function(vcpkg_fixup_pkgconfig)
  expect_file("${CURRENT_PACKAGES_DIR}/lib/pkgconfig/weft-iter.pc")
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  foreach(file IN LISTS arg_FILE_LIST)
    expect_file("${file}")
  endforeach()
endfunction()

cmake_path(SET port NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../cmake/packaging/vcpkg/weft")
include("${port}/portfile.cmake")
expect_file("${CURRENT_PACKAGES_DIR}/lib/libweft-iter.a")
