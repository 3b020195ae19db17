# SPDX-License-Identifier: Apache-2.0
#
# Compiles refused.cpp once for each mistake, and as C++17, and fails unless each is refused by one error, whose words say
# what is wrong.
#
#   cmake -D COMPILER=<path> -D INCLUDE=<folder> -P check_refused.cmake

cmake_minimum_required(VERSION 3.25)

function(compile options out_result out_errors)
  execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only "-I${INCLUDE}" ${options}
    "${CMAKE_CURRENT_LIST_DIR}/refused.cpp" RESULT_VARIABLE result ERROR_VARIABLE messages)
  string(REPLACE ";" "," messages "${messages}")
  string(REGEX MATCHALL "error: [^\n]*" errors "${messages}")
  set(${out_result} ${result} PARENT_SCOPE)
  set(${out_errors} "${errors}" PARENT_SCOPE)
endfunction()

compile("" result errors)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "a kernel as it should be does not compile: ${errors}")
endif()
foreach(row
    "-std=c++17 weft needs C\\+\\+20"
    "-DWEFT_TEST_REFERENCE by value or const reference"
    "-DWEFT_TEST_POINTER parameters are elements"
    "-DWEFT_TEST_STRING parameters are elements"
    "-DWEFT_TEST_NOTHING returns the element"
    "-DWEFT_TEST_TUPLE cpu_kernel_multiple_outputs"
    "-DWEFT_TEST_GENERIC_TUPLE cpu_kernel_multiple_outputs"
    "-DWEFT_TEST_GENERIC_NOTHING returns a std::tuple"
    "-DWEFT_TEST_SERIAL_GENERIC fixed types"
    "-DWEFT_TEST_MUTABLE mutable lambda"
    "-DWEFT_TEST_NO_IDENTITY identity\\(\\) const"
    "-DWEFT_TEST_NO_COMBINE combine\\(Acc, Acc\\) const"
    "-DWEFT_TEST_NO_PROJECT project\\(Acc\\) const"
    "-DWEFT_TEST_ACCUMULATE_CHANGES accumulate\\(\\) is const"
    "-DWEFT_TEST_COMBINE_ALONE combine needs identity"
    "-DWEFT_TEST_COMBINE_CHANGES combine is const")
  string(REGEX MATCH "^([^ ]+) (.*)$" row "${row}")
  set(mistake ${CMAKE_MATCH_1})
  set(words "${CMAKE_MATCH_2}")
  compile(${mistake} result errors)
  list(REMOVE_DUPLICATES errors)  # a generic kernel is compiled for two types
  list(LENGTH errors count)
  if(result EQUAL 0 OR NOT count EQUAL 1 OR NOT errors MATCHES "${words}")
    list(JOIN errors "\n  " text)
    message(FATAL_ERROR "${mistake}: expected one error with \"${words}\", got ${count}:\n  ${text}")
  endif()
endforeach()
message(STATUS "each mistake is refused in one line")
