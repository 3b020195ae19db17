# SPDX-License-Identifier: Apache-2.0
#
#   cmake -D LEVEL=avx2 -D OBJECTS=<file with one object file per line>
#         -D NM=<nm> -D OBJDUMP=<objdump> -P check_kernel_symbols.cmake
#
# Inspects the objects that the kernel files of one level were compiled to. Two things in them would
# run this level's instructions on a processor that lacks them, long after every test has passed:
#
# - A function that other objects may define as well: an inline function or a template instance that
#   was not inlined. The linker keeps one copy for the whole program, and it may be this one. So
#   every symbol that is not local has to carry its level in its name: by living in namespace
#   level_<level>, by having something from there as a template argument, or by an xsimd
#   architecture of the level.
# - Code that runs before main, from a static object with a constructor.
cmake_minimum_required(VERSION 3.24)

if(LEVEL STREQUAL "avx2")
  set(tag "level_avx2|xsimd::(fma3<xsimd::)?avx2")
elseif(LEVEL STREQUAL "avx512")
  set(tag "level_avx512|xsimd::avx512")
else()
  message(FATAL_ERROR "no rule for level \"${LEVEL}\"")
endif()
# What compilers leave in every object that has exceptions: a pointer, and a call of std::terminate.
set(harmless "^(DW\\.ref\\.|__clang_call_terminate$)")

file(STRINGS "${OBJECTS}" objects)
# CMake counts a precompiled header among the objects of a target.
list(FILTER objects EXCLUDE REGEX "\\.[gp]ch$")
if(NOT objects)
  message(FATAL_ERROR "${OBJECTS} names no object files")
endif()

set(findings "")
set(symbol_count 0)
foreach(object IN LISTS objects)
  cmake_path(GET object FILENAME name)

  execute_process(COMMAND "${NM}" --defined-only --demangle "${object}"
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  # Names contain brackets and may contain semicolons, which would tear a CMake list apart.
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "[" "(" symbols "${symbols}")
  string(REPLACE "]" ")" symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol IN LISTS symbols)
    # Capital letters are symbols that the linker sees (and N, for debugging); u and i are unique
    # objects and functions chosen at load time.
    if(NOT symbol MATCHES "^[0-9a-fA-F]* *([A-Zui]) (.+)$")
      continue()
    endif()
    set(type "${CMAKE_MATCH_1}")
    set(symbol_name "${CMAKE_MATCH_2}")
    if(type STREQUAL "N")
      continue()
    endif()
    math(EXPR symbol_count "${symbol_count} + 1")
    if(NOT symbol_name MATCHES "${tag}" AND NOT symbol_name MATCHES "${harmless}")
      string(APPEND findings "  ${name}: ${type} ${symbol_name}\n")
    endif()
  endforeach()

  execute_process(COMMAND "${OBJDUMP}" -h "${object}"
    OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
  if(sections MATCHES "(\\.init_array|\\.ctors)")
    string(APPEND findings "  ${name}: ${CMAKE_MATCH_1}, a static object with a constructor\n")
  endif()
endforeach()

if(findings)
  message(FATAL_ERROR
    "Kernel objects of level ${LEVEL} share code with the rest of the program:\n${findings}"
    "Put the function into the level's namespace, mark it WEFT_ALWAYS_INLINE, or do without it; "
    "a table has to be constant-initialised.")
endif()
list(LENGTH objects object_count)
message(STATUS "${symbol_count} symbols in ${object_count} objects, all of level ${LEVEL}")
