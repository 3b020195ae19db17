# SPDX-License-Identifier: Apache-2.0
#
# The program weft, and the target "demo" which runs it.
#
# The target is called weft-cli because the library has the name weft; the file is called weft.

weft_require_cli()

file(GLOB program_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/cli/*.cpp")
add_executable(weft-cli ${program_sources})
target_include_directories(weft-cli PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(weft-cli PRIVATE weft::weft CLI11::CLI11 fmt::fmt)
set_target_properties(weft-cli PROPERTIES
  OUTPUT_NAME weft
  CXX_EXTENSIONS OFF
  CXX_VISIBILITY_PRESET hidden
  RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
weft_set_warnings(weft-cli)

# Where the program finds its picture: a path relative to the folder the program itself is in. The
# build tree is laid out like an installation, so that one answer serves both, and an installation
# may be moved.
file(RELATIVE_PATH data_dir_from_bin
  "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_DATADIR}/weft")
target_compile_definitions(weft-cli PRIVATE WEFT_DEMO_IMAGE_DIR="${data_dir_from_bin}")
configure_file("${PROJECT_SOURCE_DIR}/src/cli/demo.ppm"
  "${PROJECT_BINARY_DIR}/bin/${data_dir_from_bin}/demo.ppm" COPYONLY)

# The same for a shared libweft.
if(library_type STREQUAL "SHARED_LIBRARY" AND UNIX AND NOT APPLE)
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
  install(TARGETS weft-cli)
  install(FILES "${PROJECT_SOURCE_DIR}/src/cli/demo.ppm"
    DESTINATION "${CMAKE_INSTALL_DATADIR}/weft")
endif()
