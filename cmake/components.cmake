# SPDX-License-Identifier: Apache-2.0
#
#   weft_add_component(<name> LAYERS <layer>... [KERNELS <family>...] [ON <component>] [USES <library>...]
#                      [OPTIMISED <option>...])
#
# makes weft::<name>, a library of its own: the sources and public headers of the layers, and the kernel families. ON
# names the component below; USES are libraries that its sources need and its headers do not; OPTIMISED replaces the -O
# of a release build in its own sources. Which components there
# are, and why a shared one is a library of its own: docs/design/0012-components.md.

# What weft_add_kernels builds for everybody, and what headers declare: a matter of the lowest component.
function(weft_set_levels target)
  set_target_properties(${target} PROPERTIES
    WEFT_LEVELS "${WEFT_LEVELS}" EXPORT_PROPERTIES WEFT_LEVELS)
  list(LENGTH WEFT_LEVELS level_count)
  list(LENGTH architecture_levels all_levels)
  if(level_count LESS all_levels)
    math(EXPR highest_level "${level_count} - 1")
    target_compile_definitions(${target} PUBLIC WEFT_HIGHEST_LEVEL=${highest_level})
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_compile_definitions(${target} PUBLIC WEFT_STATIC)
  endif()
endfunction()

# The package says them itself (weftConfig.cmake): the Common Package Specification knows no condition of a compiler.
function(weft_set_loop_options target)
  weft_loop_options(options)
  target_compile_options(${target} PUBLIC "$<BUILD_INTERFACE:${options}>")
endfunction()

# What a component shows and needs where it is a shared library.
function(weft_set_linking target is_lowest)
  set_target_properties(${target} PROPERTIES
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON
    VERSION ${PROJECT_VERSION}
    # While the major version is 0, every minor version is an interface of its own.
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
    # So that a static weft can go into somebody's shared library.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY")
    return()
  endif()
  if(NOT is_lowest)
    # A patch version may change what components share: two of different versions refuse to be loaded.
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src/base/same_version.cpp")
  endif()
  if(UNIX AND NOT APPLE)
    # Components are next to each other, wherever that is. A name of another component that it does not export is an
    # error here, and not where a program is linked or started (sanitizers leave such names to the program).
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
    if(NOT WEFT_SANITIZE)
      target_link_options(${target} PRIVATE "LINKER:-z,defs")
    endif()
  endif()
endfunction()

# A third of what a file takes to compile is reading what nearly all of them include. These are read once a target;
# CMAKE_DISABLE_PRECOMPILE_HEADERS turns it off, and the preset clang does, so that an include which is missing is found.
function(weft_precompile target layers kernels kernel_libraries)
  set(precompiled ${weft_common_headers})
  if("graph" IN_LIST layers OR "ir" IN_LIST layers)
    list(APPEND precompiled ${weft_graph_headers})
  endif()
  target_precompile_headers(${target} PRIVATE ${precompiled})
  # For kernels of a few files they take longer to make than they save, and GCC inlines more than -O2 asks for where they
  # were made by -O3: 72 KB of copies and conversions.
  list(LENGTH kernels kernel_files)
  if(kernel_files LESS 8)
    return()
  endif()
  foreach(library IN LISTS kernel_libraries)
    target_precompile_headers(${library} PRIVATE
      <weft/ops/function_table.hpp> <weft/kernel/vectorized.hpp>)
  endforeach()
endfunction()

# weft_glob(<out> <pattern>...): files of the source tree. A new one is noticed by the next build.
function(weft_glob out)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${ARGN})
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(weft_add_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ON" "LAYERS;KERNELS;USES;OPTIMISED")
  set(target weft_${name})

  list(TRANSFORM arg_LAYERS REPLACE "(.+)" "src/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  weft_glob(sources ${patterns})
  list(FILTER sources EXCLUDE REGEX "/same_version\\.cpp$")
  list(TRANSFORM arg_LAYERS REPLACE "(.+)" "include/weft/\\1/*.hpp" OUTPUT_VARIABLE patterns)
  weft_glob(headers ${patterns})
  list(FILTER headers EXCLUDE REGEX "${weft_vectorized_headers}")

  add_library(${target} ${sources})
  add_library(weft::${name} ALIAS ${target})
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include"
    FILES ${headers})
  # Private headers are named from src/ ("base/text.hpp") or the top ("kernels/binary/binary.hpp").
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PRIVATE WEFT_BUILDING ${weft_type_definitions})
  target_compile_options(${target} PRIVATE ${optimise_untyped})
  # As in kernel files: numbers that no kernel makes are the same everywhere, too.
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    target_compile_options(${target} PRIVATE -ffp-contract=off)
  endif()
  # For the whole target: inline functions of a precompiled header are optimised as that was.
  foreach(option IN LISTS arg_OPTIMISED)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${option}>)
    if(optimise_untyped)
      target_compile_options(${target} PRIVATE $<$<CONFIG:>:${option}>)
    endif()
  endforeach()
  target_link_libraries(${target} PRIVATE ${arg_USES})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    OUTPUT_NAME weft-${name}
    CXX_EXTENSIONS OFF
    # Every public header has to compile alone; see tests/CMakeLists.txt.
    VERIFY_INTERFACE_HEADER_SETS ${WEFT_BUILD_TESTS})
  set(is_lowest ON)
  if(arg_ON)
    set(is_lowest OFF)
    target_link_libraries(${target} PUBLIC weft_${arg_ON})
  else()
    weft_set_levels(${target})
    weft_set_loop_options(${target})
  endif()
  weft_set_linking(${target} ${is_lowest})

  # The kernel families, through the same door as the kernels of anybody else.
  set(kernels "")
  set(kernel_libraries "")
  if(arg_KERNELS)
    list(TRANSFORM arg_KERNELS REPLACE "(.+)" "kernels/\\1/*.cpp" OUTPUT_VARIABLE patterns)
    weft_glob(kernels ${patterns})
    weft_add_kernels(${target} SOURCES ${kernels})
    get_target_property(kernel_libraries ${target} WEFT_KERNEL_LIBRARIES)
  endif()
  foreach(library IN LISTS kernel_libraries)
    target_compile_definitions(${library} PRIVATE ${weft_type_definitions})
  endforeach()
  weft_set_warnings(${target})
  weft_precompile(${target} "${arg_LAYERS}" "${kernels}" "${kernel_libraries}")
  # A function's kernels can be left out of programs that do not call it: each function has a section of its own, and
  # linkers drop those that nothing leads to. Who links the static library asks for it by linking it.
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    foreach(library IN LISTS target kernel_libraries)
      target_compile_options(${library} PRIVATE -ffunction-sections -fdata-sections)
    endforeach()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      target_link_options(${target} INTERFACE LINKER:--gc-sections)
    else()
      target_link_options(${target} PRIVATE LINKER:--gc-sections)
    endif()
  endif()
  # Loops are written for the strides and the choices that they have: no further copies of them, and no space before what
  # is jumped to, but for loops.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    foreach(library IN LISTS kernel_libraries)
      target_compile_options(${library} PRIVATE -fno-unswitch-loops -fno-version-loops-for-strides -falign-jumps=1
        -falign-labels=1)
    endforeach()
  endif()
  # Of the baseline, for processors of before 2013, all is short, and there is no space before each loop.
  if(vectorised AND WEFT_TARGET_IS_X86_64 AND TARGET ${target}_kernels_baseline)
    target_compile_options(${target}_kernels_baseline PRIVATE ${vectorised} -fno-align-loops -fno-align-functions)
  endif()

  # Who adds weft to a project of theirs builds what they link, and no more. (What is installed has to be built.)
  if(NOT PROJECT_IS_TOP_LEVEL AND NOT WEFT_INSTALL)
    set_target_properties(${target} ${kernel_libraries} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()
