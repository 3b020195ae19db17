# SPDX-License-Identifier: Apache-2.0
#
# Compiles user_loops.cpp as users might, with ten sets of flags, and fails unless the compiler reports that it made vectors
# of the span loops, and the loops of each kernel have the packed instructions that they should, in registers of the
# file's width, and where the file is for the baseline, of AVX2 as well.
#
#   cmake -D COMPILER=<path> -D ID=<GNU|Clang> -D INCLUDE=<folder> -D FLAGS=<what weft::iter tells its users, a list> -D
#     OUTPUT=<folder> -P check_loops.cmake

cmake_minimum_required(VERSION 3.25)

set(source "${CMAKE_CURRENT_LIST_DIR}/user_loops.cpp")
file(MAKE_DIRECTORY "${OUTPUT}")
set(warnings -Werror -Wall -Wextra -Wconversion -Wshadow -Wsign-conversion)
if(ID STREQUAL "GNU")
  set(vectorise -ftree-vectorize)
  set(report "-fopt-info-vec-optimized=${OUTPUT}/report.txt")
else()
  set(vectorise -fvectorize)
  set(report -Rpass=loop-vectorize)
  list(APPEND warnings -Wpass-failed)
endif()

# Kernel, instructions, and the least -march that has them packed. Files may contract; -march=x86-64-v4 rounds and chooses by
# instructions of its own; GCC 16 compares and masks instead of minps where nothing newer than SSE2 is there.
set(sums "(mul|add|fm[a-z]+[0-9]*)ps")
set(rounds "(round|rndscale)p")
set(smaller "(min|cmplt)ps")
set(larger "(max|cmplt)ps")
set(kernels
  "Scaled ${sums} 1" "Root sqrtps 1" "Floor ${rounds}s 2" "Ceil ${rounds}d 2" "Trunc ${rounds}s 2" "Magnitude p?and 1"
  "Smaller ${smaller} 1" "Larger ${larger} 1" "Chained mulps 1"
  "Positive (and|blendv|cmp[a-z]*)p 1" "Fused fmadd[0-9]*ps 3" "Whole paddd 1"
  "Picture ${sums} 1" "Turned mulps 1" "BothEnds ${smaller} 1" "SquaredDistance subps 1" "Selected addps 1"
  "LinesTurned mulps 1" "FirstAbove cmp[a-z]*ps 1" "Decaying ${sums} 1")
# At -O1, GCC inlines no kernel that makes the code longer nor makes vectors of mathematical functions, and Clang 14
# takes a scalar square root for cheaper. Clang has no FMA in wide loops (level.hpp), and with -march=x86-64-v2 it reads by 16
# bytes there.
set(not_wide "")
set(not_at_O1 BothEnds Chained)
if(ID STREQUAL "Clang")
  list(APPEND not_wide Fused Magnitude)
  set(not_at_O1 Root)
endif()

# texts_of(<kernel> <out_plain> <out_wide>): the functions with its name in them, of the file's own width and wider ones.
function(texts_of kernel out_plain out_wide)
  set(plain "")
  set(wide "")
  foreach(text IN LISTS functions)
    string(REGEX MATCH "\n_Z[^\n:]*:" label "${text}")
    if(label MATCHES "[0-9]${kernel}[A-Z]" AND NOT label MATCHES "LineLoop|StridedLoop")
      if(label MATCHES "wide_(loop|spans|columns|block)")
        string(APPEND wide "${text}")
      else()
        string(APPEND plain "${text}")
      endif()
    endif()
  endforeach()
  set(${out_plain} "${plain}" PARENT_SCOPE)
  set(${out_wide} "${wide}" PARENT_SCOPE)
endfunction()

set(faults "")
set(sets_tried 0)
foreach(optimisation "-O1;${vectorise}" -O2 -O3)
  foreach(version 1 2 3 4)
    if(version EQUAL 4 AND NOT optimisation STREQUAL "-O2")
      continue()
    endif()
    set(architecture "")
    if(version GREATER 1)
      set(architecture -march=x86-64-v${version})
    endif()
    set(flags ${optimisation} ${architecture})
    list(JOIN flags " " named)
    set(assembly "${OUTPUT}/loops.s")
    execute_process(COMMAND "${COMPILER}" -std=c++20 ${FLAGS} ${flags} ${warnings} ${report} "-I${INCLUDE}" -S
      "${source}" -o "${assembly}" RESULT_VARIABLE result ERROR_VARIABLE messages)
    math(EXPR sets_tried "${sets_tried} + 1")
    if(NOT result EQUAL 0)
      list(APPEND faults "${named}: does not compile: ${messages}")
      continue()
    endif()
    if(ID STREQUAL "GNU")
      file(READ "${OUTPUT}/report.txt" messages)
    endif()
    foreach(header span_loop.hpp streaming_loop.hpp strided_loop.hpp reduction_loops.hpp cumulative.hpp)
      string(FIND "${messages}" "${header}" at)
      if(at EQUAL -1)
        list(APPEND faults "${named}: no loop of ${header} is reported as vectorised")
      endif()
    endforeach()

    file(READ "${assembly}" functions)
    if(ID STREQUAL "GNU" AND functions MATCHES "vfm(addsub|subadd)[0-9]*p")
      list(APPEND faults "${named}: products of complex numbers are fused")
    endif()
    string(REGEX REPLACE "[][;]" " " functions "${functions}")
    string(REPLACE "\n\t.size\t" ";" functions "${functions}")
    set(own_register xmm)
    if(version EQUAL 3)
      set(own_register ymm)
    elseif(version EQUAL 4)
      set(own_register "[yz]mm")
    endif()
    foreach(row IN LISTS kernels)
      string(REGEX MATCH "^([^ ]+) ([^ ]+) ([0-9])$" row "${row}")
      set(kernel "${CMAKE_MATCH_1}")
      set(instruction "${CMAKE_MATCH_2}")
      set(least "${CMAKE_MATCH_3}")
      if("-O1" IN_LIST optimisation AND kernel IN_LIST not_at_O1)
        continue()
      endif()
      texts_of(${kernel} plain wide)
      if(NOT version LESS "${least}" AND NOT plain MATCHES "\tv?${instruction}[^\n]*%${own_register}")
        list(APPEND faults "${named}: ${kernel}: no ${instruction} of ${own_register}")
      endif()
      if(version LESS 3 AND NOT kernel IN_LIST not_wide AND NOT wide MATCHES "\tv${instruction}[^\n]*%ymm")
        list(APPEND faults "${named}: ${kernel}: no ${instruction} of ymm in its wide loop")
      endif()
    endforeach()
  endforeach()
endforeach()
if(NOT sets_tried EQUAL 10)
  list(APPEND faults "${sets_tried} sets of flags were tried, not 10")
endif()
if(faults)
  list(JOIN faults "\n  " text)
  message(FATAL_ERROR "loops that users write are not vectors:\n  ${text}")
endif()
message(STATUS "${sets_tried} sets of flags: all loops are vectors")
