# SPDX-License-Identifier: Apache-2.0
#
#   cmake -D DOCUMENT=<page> -D PROGRAM=<weft> [-D EMULATOR=<what runs it>] -P check_transcripts.cmake
#
# Runs every command of a page that is a block of its own, `weft ...` fenced as sh, with a block fenced as text after it,
# and compares what it prints with that. The instruction set is the machine's, whatever the page says; the caches, and so
# the class of the machine and its prices, are the same everywhere.
cmake_minimum_required(VERSION 3.24)

file(READ "${DOCUMENT}" rest)
string(REGEX REPLACE "run: (baseline|avx2|avx512|neon)," "run: LEVEL," rest "${rest}")
set(ENV{WEFT_CACHES} "32K,512K,32M")
set(count 0)
while(TRUE)
  string(FIND "${rest}" "```sh\nweft " at)
  if(at EQUAL -1)
    break()
  endif()
  math(EXPR at "${at} + 11")
  string(SUBSTRING "${rest}" ${at} -1 rest)
  string(FIND "${rest}" "\n```\n" end)
  string(SUBSTRING "${rest}" 0 ${end} command)
  math(EXPR end "${end} + 5")
  string(SUBSTRING "${rest}" ${end} -1 rest)
  string(FIND "${rest}" "\n```text\n" follows)
  if(NOT follows EQUAL 0 OR command MATCHES "\n")
    continue()
  endif()
  string(SUBSTRING "${rest}" 9 -1 rest)
  string(FIND "${rest}" "```" end)
  string(SUBSTRING "${rest}" 0 ${end} expected)

  separate_arguments(arguments UNIX_COMMAND "${command}")
  execute_process(COMMAND ${EMULATOR} "${PROGRAM}" ${arguments} OUTPUT_VARIABLE got COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "run: (baseline|avx2|avx512|neon)," "run: LEVEL," got "${got}")
  if(NOT got STREQUAL expected)
    message(FATAL_ERROR "weft ${command}\nprints\n${got}\nand ${DOCUMENT} says\n${expected}")
  endif()
  math(EXPR count "${count} + 1")
endwhile()
if(count EQUAL 0)
  message(FATAL_ERROR "${DOCUMENT}: there is no command with its output")
endif()
message(STATUS "${count} commands print what ${DOCUMENT} says")
