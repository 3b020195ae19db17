# SPDX-License-Identifier: Apache-2.0
#
#   cmake -D ROOT=<source tree> -P check_columns.cmake
#
# Fails where a comment is longer than the column limit. clang-format keeps code to it, and leaves
# comments alone: it would refill examples and pictures. Counted in bytes.
cmake_minimum_required(VERSION 3.24)

set(limit 100)
math(EXPR too_long "${limit} + 1")

file(GLOB_RECURSE files RELATIVE "${ROOT}"
  "${ROOT}/include/*.hpp" "${ROOT}/src/*.cpp" "${ROOT}/src/*.hpp" "${ROOT}/kernels/*.cpp"
  "${ROOT}/kernels/*.hpp" "${ROOT}/tests/*.cpp" "${ROOT}/tests/*.hpp" "${ROOT}/bench/*.cpp"
  "${ROOT}/bench/*.hpp")
if(NOT files)
  message(FATAL_ERROR "no source files under ${ROOT}")
endif()

set(found "")
foreach(file IN LISTS files)
  file(STRINGS "${ROOT}/${file}" lines LENGTH_MINIMUM ${too_long} REGEX "(^|[ ;{}])//")
  if(lines)
    string(APPEND found "  ${file}: ${lines}\n")
  endif()
endforeach()
if(found)
  message(FATAL_ERROR "comments of more than ${limit} columns:\n${found}")
endif()
list(LENGTH files count)
message(STATUS "no comment of more than ${limit} columns in ${count} files")
