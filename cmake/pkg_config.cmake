# SPDX-License-Identifier: Apache-2.0
#
# A file for pkg-config for each component, and one for all of them: weft-iter.pc, weft-ops.pc, weft-graph.pc,
# weft-ir.pc, weft.pc. weft-iter.pc also tells how kernel files are compiled without CMake, in the variables "levels"
# and "<level>_flags"; docs/packaging.md shows a Makefile.

# weft_join_install_path(<dir> <out>): a folder of the installation, as a .pc file says it.
function(weft_join_install_path dir out)
  cmake_path(IS_ABSOLUTE dir absolute)
  if(absolute)
    set(${out} "${dir}" PARENT_SCOPE)
  else()
    set(${out} "\${prefix}/${dir}" PARENT_SCOPE)
  endif()
endfunction()

# weft_write_pc(<name> DESCRIPTION <text> [VARIABLES <line>...] [FIELDS <line>...])
function(weft_write_pc pc_name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION" "VARIABLES;FIELDS")
  set(pc_description "${arg_DESCRIPTION}")
  list(JOIN arg_FIELDS "\n" pc_fields)
  set(pc_variables "")
  foreach(variable IN LISTS arg_VARIABLES)
    string(APPEND pc_variables "${variable}\n")
  endforeach()
  weft_join_install_path("${CMAKE_INSTALL_LIBDIR}" pc_libdir)
  weft_join_install_path("${CMAKE_INSTALL_INCLUDEDIR}" pc_includedir)
  # From where the file is, so that an installation may be moved.
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
  cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR absolute)
  if(NOT absolute AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    file(RELATIVE_PATH up "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/weft.pc.in" "${PROJECT_BINARY_DIR}/${pc_name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${pc_name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endfunction()

# weft_write_component_pc(<component> DESCRIPTION <text> [REQUIRES <package>...] [USES <package>...])
# USES are packages that only a static library asks for: a shared one brings its own.
function(weft_write_component_pc component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESCRIPTION" "REQUIRES;USES;VARIABLES;CFLAGS")
  if(weft_library_type STREQUAL "STATIC_LIBRARY")
    list(APPEND arg_REQUIRES ${arg_USES})
  endif()
  # As CMake tells: what a program does not call is left out of it.
  set(link "")
  if(weft_library_type STREQUAL "STATIC_LIBRARY" AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    set(link " -Wl,--gc-sections")
  endif()
  set(fields "")
  if(arg_REQUIRES)
    list(JOIN arg_REQUIRES ", " requires)
    list(APPEND fields "Requires: ${requires}")
  endif()
  list(JOIN arg_CFLAGS " " flags)
  string(STRIP "-I\${includedir} ${flags}" flags)
  weft_write_pc(weft-${component} DESCRIPTION "${arg_DESCRIPTION}" VARIABLES ${arg_VARIABLES}
    FIELDS ${fields} "Libs: -L\${libdir} -lweft-${component}${link}" "Cflags: ${flags}")
endfunction()

# What headers are told; the same as CMake tells.
get_target_property(definitions weft_iter INTERFACE_COMPILE_DEFINITIONS)
if(NOT definitions)
  set(definitions "")
endif()
list(TRANSFORM definitions PREPEND "-D")
set(cflags ${definitions})
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang|IntelLLVM")
  list(APPEND cflags ${weft_loop_flags})
endif()
get_target_property(levels weft_iter WEFT_LEVELS)
list(JOIN levels " " text)
set(variables "levels=${text}")
foreach(level IN LISTS levels)
  weft_kernel_flags(${level} flags)
  # Whoever reads them may have another compiler: Clang does not know this one.
  list(REMOVE_ITEM flags -fno-thread-jumps)
  list(JOIN flags " " text)
  list(APPEND variables "${level}_flags=${text} -fvisibility=hidden -fvisibility-inlines-hidden")
endforeach()

set(same "= ${PROJECT_VERSION}")
weft_write_component_pc(iter DESCRIPTION "Strided tensor iteration on CPUs: tensors, iterators, kernels"
  USES tbb VARIABLES ${variables} CFLAGS ${cflags})
set(all "weft-iter ${same}")
if(WEFT_WITH_OPS)
  weft_write_component_pc(ops DESCRIPTION "Functions, reductions and matrix products over strided tensors"
    REQUIRES "weft-iter ${same}")
  list(APPEND all "weft-ops ${same}")
endif()
if(WEFT_WITH_GRAPH)
  weft_write_component_pc(graph DESCRIPTION "Graphs of operators on strided tensors, and loops over them"
    REQUIRES "weft-ops ${same}")
  list(APPEND all "weft-graph ${same}")
endif()
if(WEFT_WITH_IR)
  weft_write_component_pc(ir DESCRIPTION "Models of OpenVINO IR as graphs of weft"
    REQUIRES "weft-graph ${same}" USES pugixml)
  list(APPEND all "weft-ir ${same}")
endif()
list(REVERSE all)
list(JOIN all ", " all)
weft_write_pc(weft DESCRIPTION "Strided tensor iteration on CPUs: everything" FIELDS "Requires: ${all}")
