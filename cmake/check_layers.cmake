# SPDX-License-Identifier: Apache-2.0
#
#   cmake -D ROOT=<source tree> -P check_layers.cmake
#
# Reads every #include of the library and fails on one that points up, or that brings a
# third-party library into a module that is not meant to see it; and if weft.hpp leaves out a header,
# those that need xsimd aside. It reads text only: an include inside #if counts like any other.
cmake_minimum_required(VERSION 3.24)

# Lowest first. A file may include its own layer and those before it.
set(layers base machine core iter parallel kernel engine linalg ops expr graph recurrent ir cli)

# kernels/ holds kernel code, which is compiled for one instruction set at a time. The less of the
# library it pulls in, the less there is to leak: it sees only these layers.
set(seen_by_kernels base machine core kernel)

# The lists of functions name nothing but kinds of element types. The functions of ops and their
# kernels are both made of them.
set(function_lists "^include/weft/ops/(function|reduction)_table\\.hpp$")

# Third-party headers: what the include starts with, and the files that may have it.
set(third_party
  "(oneapi/)?tbb/"    "^src/parallel/"
  "xsimd/"            "^include/weft/kernel/(detail/)?vectorized[^/]*\\.hpp$"
  "pugixml"           "^src/ir/"
  "CLI/"              "^src/cli/"
  "fmt/"              "^(src/cli/|include/weft/core/format\\.hpp$)")

# The layer of a file, or of what an include names; paths are relative to ROOT. A header directly
# in include/weft/ is an umbrella over all layers but the program.
function(layer_of path out)
  set(layer "")
  if(path MATCHES "^kernels/" OR path MATCHES "${function_lists}")
    set(layer kernel)
  elseif(path MATCHES "^(include/weft|src)/([^/]+)/")
    set(layer ${CMAKE_MATCH_2})
  elseif(path MATCHES "^include/weft/[^/]+$")
    set(layer ir)
  endif()
  set(${out} "${layer}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE files RELATIVE "${ROOT}"
  "${ROOT}/include/weft/*" "${ROOT}/src/*.cpp" "${ROOT}/src/*.hpp" "${ROOT}/kernels/*.cpp"
  "${ROOT}/kernels/*.hpp")
if(NOT files)
  message(FATAL_ERROR "no source files under ${ROOT}")
endif()

set(breaches "")
set(include_count 0)
foreach(file IN LISTS files)
  layer_of("${file}" layer)
  list(FIND layers "${layer}" height)
  if(height EQUAL -1)
    string(APPEND breaches "  ${file}: \"${layer}\" is not a layer\n")
    continue()
  endif()
  cmake_path(GET file PARENT_PATH folder)

  # Matched out of the whole text: a CMake list of lines would fall apart on brackets and
  # semicolons.
  file(READ "${ROOT}/${file}" text)
  string(REGEX MATCHALL "\n[ \t]*#[ \t]*include[ \t]*[<\"][^>\"\n]+" includes "\n${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^[^<\"]*([<\"])(.*)$" "\\1;\\2" include "${include}")
    list(GET include 0 bracket)
    list(GET include 1 name)
    math(EXPR include_count "${include_count} + 1")

    set(rules ${third_party})
    while(rules)
      list(POP_FRONT rules prefix allowed)
      if(name MATCHES "^${prefix}" AND NOT file MATCHES "${allowed}")
        string(APPEND breaches "  ${file} includes ${name}: only files matching ${allowed} may\n")
      endif()
    endwhile()

    # Which of our files is meant?
    set(target "")
    if(name MATCHES "^weft/")
      set(target "include/${name}")
    elseif(bracket STREQUAL "\"")
      foreach(candidate "${folder}/${name}" "src/${name}" "${name}")
        cmake_path(NORMAL_PATH candidate)
        if(EXISTS "${ROOT}/${candidate}")
          set(target "${candidate}")
          break()
        endif()
      endforeach()
      if(NOT target)
        string(APPEND breaches "  ${file} includes \"${name}\": there is no such file\n")
      endif()
    endif()
    if(NOT target)
      continue()
    endif()

    layer_of("${target}" target_layer)
    list(FIND layers "${target_layer}" target_height)
    if(target_height EQUAL -1)
      string(APPEND breaches "  ${file} includes ${name}: which is in no layer\n")
    elseif(target_height GREATER height)
      string(APPEND breaches
        "  ${file} includes ${name}: ${layer} is below ${target_layer}\n")
    elseif(file MATCHES "^kernels/" AND NOT target_layer IN_LIST seen_by_kernels)
      string(APPEND breaches "  ${file} includes ${name}: kernels see ${seen_by_kernels} only\n")
    endif()
  endforeach()
endforeach()

# What calls itself everything has to be it.
file(READ "${ROOT}/include/weft/weft.hpp" umbrella)
foreach(file IN LISTS files)
  if(file MATCHES "^include/(weft/[^/]+/.*)$")
    set(name "${CMAKE_MATCH_1}")
    if(NOT name MATCHES "/(vectorized[^/]*|format[.]hpp|detail/.*)$" AND NOT umbrella MATCHES "#include <${name}>")
      string(APPEND breaches "  include/weft/weft.hpp leaves out ${name}\n")
    endif()
  endif()
endforeach()

if(breaches)
  list(JOIN layers " < " order)
  message(FATAL_ERROR "Includes that the layers do not allow (${order}):\n${breaches}")
endif()
list(LENGTH files file_count)
message(STATUS "${include_count} includes in ${file_count} files, none points up")
