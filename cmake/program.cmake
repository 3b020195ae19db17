# SPDX-License-Identifier: Apache-2.0
#
# The program weft, and the target "demo" which runs it.
#
# The target is called weft-cli because the library has the name weft; the file is called weft.

weft_require_cli()

file(GLOB program_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cli/*.cpp")
set(program_kernels ${program_sources})
list(FILTER program_kernels INCLUDE REGEX "\\.kernel\\.cpp$")
list(FILTER program_sources EXCLUDE REGEX "(/main|\\.kernel)\\.cpp$")

# Everything but the main function, so that the tests can call it too.
add_library(weft_cli_parts STATIC ${program_sources})
target_include_directories(weft_cli_parts PUBLIC "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(weft_cli_parts PUBLIC weft::weft fmt::fmt)
weft_add_kernels(weft_cli_parts SOURCES ${program_kernels})

add_executable(weft-cli "${PROJECT_SOURCE_DIR}/src/cli/main.cpp")
target_link_libraries(weft-cli PRIVATE weft_cli_parts CLI11::CLI11)
set_target_properties(weft-cli PROPERTIES
  OUTPUT_NAME weft
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set_target_properties(weft_cli_parts weft-cli PROPERTIES
  CXX_EXTENSIONS OFF
  CXX_VISIBILITY_PRESET hidden)
weft_set_warnings(weft_cli_parts weft-cli)
# Most of it is reading CLI11, and optimising what runs once for every word of the command line.
if(NOT MSVC)
  target_compile_options(weft-cli PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_options(weft_cli_parts PRIVATE $<$<CONFIG:Release>:-O1>)
endif()
target_precompile_headers(weft_cli_parts PRIVATE ${weft_common_headers} ${weft_graph_headers} <fmt/format.h>)

# Where the program finds its picture and its model: a path relative to the folder the program itself is in. The
# build tree is laid out like an installation, so that one answer serves both, and an installation
# may be moved.
file(RELATIVE_PATH data_dir_from_bin
  "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_DATADIR}/weft")
target_compile_definitions(weft_cli_parts PRIVATE WEFT_DEMO_DATA_DIR="${data_dir_from_bin}")
foreach(data demo.ppm lstm.xml)
  configure_file("${PROJECT_SOURCE_DIR}/src/cli/${data}"
    "${PROJECT_BINARY_DIR}/bin/${data_dir_from_bin}/${data}" COPYONLY)
endforeach()

# The same for a shared libweft.
if(weft_library_type STREQUAL "SHARED_LIBRARY" AND UNIX AND NOT APPLE)
  file(RELATIVE_PATH lib_dir_from_bin "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
  set_target_properties(weft-cli PROPERTIES INSTALL_RPATH "$ORIGIN/${lib_dir_from_bin}")
endif()

# What the demo writes stays in the build tree.
if(PROJECT_IS_TOP_LEVEL)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/demo")
  add_custom_target(demo
    COMMAND weft-cli demo
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/demo"
    COMMENT "weft demo, writing into ${PROJECT_BINARY_DIR}/demo"
    USES_TERMINAL
    VERBATIM)
endif()

if(WEFT_INSTALL)
  install(TARGETS weft-cli COMPONENT program)
  install(FILES "${PROJECT_SOURCE_DIR}/src/cli/demo.ppm" "${PROJECT_SOURCE_DIR}/src/cli/lstm.xml"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/weft" COMPONENT program)
endif()
