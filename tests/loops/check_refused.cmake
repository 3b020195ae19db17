# SPDX-License-Identifier: Apache-2.0
#
# Compiles refused.cpp, and fails unless each of its mistakes is refused by one error that has the words which the comment
# before it expects, and by no other. Then as C++17.
#
#   cmake -D COMPILER=<path> -D ID=<GNU or Clang> -D INCLUDE=<folder> -P check_refused.cmake

cmake_minimum_required(VERSION 3.25)

set(source "${CMAKE_CURRENT_LIST_DIR}/refused.cpp")

set(all_errors "")
if(ID STREQUAL "Clang")
  set(all_errors -ferror-limit=0)
endif()

function(compile options out_errors)
  execute_process(COMMAND "${COMPILER}" -fsyntax-only ${all_errors} "-I${INCLUDE}" ${options} "${source}"
    ERROR_VARIABLE messages)
  string(REPLACE ";" "," messages "${messages}")
  string(REGEX REPLACE "[][]" "" messages "${messages}")  # which lists of CMake take for theirs
  string(REGEX MATCHALL "error: [^\n]*" errors "${messages}")
  set(${out_errors} "${errors}" PARENT_SCOPE)
endfunction()

file(STRINGS "${source}" expected REGEX "^ *// refused: ")
list(LENGTH expected count)
if(count EQUAL 0)
  message(FATAL_ERROR "${source}: no mistakes")
endif()
compile(-std=c++20 errors)
foreach(line IN LISTS expected)
  string(REGEX REPLACE "^ *// refused: " "" words "${line}")
  set(found -1)
  set(place 0)
  foreach(error IN LISTS errors)
    string(FIND "${error}" "${words}" at)
    if(NOT at EQUAL -1)
      set(found ${place})
      break()
    endif()
    math(EXPR place "${place} + 1")
  endforeach()
  if(found EQUAL -1)
    list(JOIN errors "\n  " text)
    message(FATAL_ERROR "no error with \"${words}\"; left are\n  ${text}")
  endif()
  list(REMOVE_AT errors ${found})
endforeach()
if(errors)
  list(JOIN errors "\n  " text)
  message(FATAL_ERROR "more than one error for a mistake:\n  ${text}")
endif()

compile(-std=c++17 errors)
if(NOT errors MATCHES "weft needs C\\+\\+20")
  message(FATAL_ERROR "C++17 is refused with:\n${errors}")
endif()
message(STATUS "each of ${count} mistakes is refused in one line")
