# SPDX-License-Identifier: Apache-2.0
#
#   cmake -D ROOT=<source tree> -P check_words.cmake
#
# Fails where a word that docs/glossary.md has retired comes back: in code, comments, tests, pages. Pages of measurements
# and decision records are passed over: they quote.
cmake_minimum_required(VERSION 3.24)

# As regular expressions on text in lower case, between characters that are no letters.
set(retired "roads?" "crowd(s|ed|ing)?" "storeys?" "apart" "across" "crossings?" "spaced" "past the caches"
  "asked for ahead" "dear(er|est)?" "whole numbers?")

file(GLOB_RECURSE files RELATIVE "${ROOT}"
  "${ROOT}/include/*.hpp" "${ROOT}/src/*.cpp" "${ROOT}/src/*.hpp" "${ROOT}/kernels/*.cpp" "${ROOT}/kernels/*.hpp"
  "${ROOT}/tests/*.cpp" "${ROOT}/tests/*.hpp" "${ROOT}/bench/*.cpp" "${ROOT}/bench/*.hpp")
file(GLOB pages RELATIVE "${ROOT}" "${ROOT}/*.md" "${ROOT}/docs/*.md")
list(REMOVE_ITEM pages docs/glossary.md)
if(NOT files OR NOT pages)
  message(FATAL_ERROR "no source files under ${ROOT}")
endif()

set(found "")
foreach(file IN LISTS files pages)
  file(READ "${ROOT}/${file}" text)
  string(TOLOWER "${text}" text)
  # Words that belong together may stand in two lines, of a comment or of a page.
  string(REGEX REPLACE "[ \t\r]*\n[ \t]*(//[/!<]*)?[ \t]*" " " text "${text}")
  foreach(word IN LISTS retired)
    # Names are of words with underscores between them.
    if(text MATCHES "(^|[^a-z])(${word})($|[^a-z])")
      string(APPEND found "  ${file}: '${CMAKE_MATCH_2}'\n")
    endif()
  endforeach()
endforeach()
if(found)
  message(FATAL_ERROR "words that docs/glossary.md has retired:\n${found}")
endif()
list(LENGTH files count)
message(STATUS "no retired word in ${count} files")
