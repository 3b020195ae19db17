# SPDX-License-Identifier: Apache-2.0
#
# weft_extract_snippets(<document> <folder> <out>): writes the blocks of a Markdown file that are
# fenced as cpp into <folder>. <out> lists them in order as <kind>:<line>:<package>:<file>, where kind
# is header, kernel, program or part, line is where the block begins, and package is what it needs, if
# it says so.

function(weft_extract_snippets document folder out)
  file(READ "${document}" text)
  set(snippets "")
  set(text "\n${text}")  # so that a fence on the first line looks like any other
  set(line 0)            # the line of the document that text begins in
  while(TRUE)
    # CMake's lists would break on the brackets and semicolons of C++: this goes through the text as
    # one string, and cuts it at the fences.
    string(FIND "${text}" "\n```cpp" start)
    if(start EQUAL -1)
      break()
    endif()
    string(SUBSTRING "${text}" 0 ${start} before)
    math(EXPR start "${start} + 7")
    string(SUBSTRING "${text}" ${start} -1 text)
    string(REGEX MATCHALL "\n" newlines "${before}")
    list(LENGTH newlines count)
    math(EXPR line "${line} + ${count} + 1")  # of the fence

    if(NOT text MATCHES "^[ \t\r]*\n")
      string(REGEX MATCH "^[^\n]*" rest "${text}")
      message(FATAL_ERROR
        "${document}:${line}: ```cpp${rest}: nothing may follow cpp; every block has to compile")
    endif()
    string(FIND "${text}" "\n```" end)
    if(end EQUAL -1)
      message(FATAL_ERROR "${document}:${line}: this block is never closed")
    endif()
    string(FIND "${text}" "\n" newline)
    math(EXPR begin "${newline} + 1")
    math(EXPR length "${end} - ${begin}")
    if(length LESS 0)
      set(length 0)
    endif()
    string(SUBSTRING "${text}" ${begin} ${length} code)

    set(package "")
    if(code MATCHES "^// needs: *([A-Za-z0-9_]+)\n")
      set(package "${CMAKE_MATCH_1}")
    endif()
    if(code MATCHES "^// header: *([A-Za-z0-9_.-]+)")
      set(kind header)
      set(name "${CMAKE_MATCH_1}")
    elseif(code MATCHES "^// kernel file: *([A-Za-z0-9_.-]+)")
      set(kind kernel)
      set(name "${CMAKE_MATCH_1}")
    elseif(code MATCHES "int main *\\(")
      set(kind program)
      set(name "line_${line}.cpp")
    else()
      set(kind part)
      set(name "line_${line}.cpp")
    endif()
    list(APPEND snippets "${kind}:${line}:${package}:${folder}/${name}")

    # Errors are reported where the text is. Written only when it changed, so that editing the prose
    # does not compile everything again.
    math(EXPR first_code_line "${line} + 1")
    set(content "#line ${first_code_line} \"${document}\"\n${code}\n")
    set(old "")
    if(EXISTS "${folder}/${name}")
      file(READ "${folder}/${name}" old)
    endif()
    if(NOT old STREQUAL content)
      file(WRITE "${folder}/${name}" "${content}")
    endif()

    # Go on behind the closing fence.
    string(SUBSTRING "${text}" 0 ${end} block)
    string(REGEX MATCHALL "\n" newlines "${block}")
    list(LENGTH newlines count)
    math(EXPR line "${line} + ${count} + 1")
    math(EXPR end "${end} + 4")
    string(SUBSTRING "${text}" ${end} -1 text)
  endwhile()
  set(${out} "${snippets}" PARENT_SCOPE)
endfunction()
