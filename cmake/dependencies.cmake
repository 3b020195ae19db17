# SPDX-License-Identifier: Apache-2.0
#
# What weft is built from. The system's packages come first; where one is missing, its sources are
# fetched at the release named here. A project around weft that has already made one of the targets
# keeps its own.
#
#   weft_require_xsimd()    weft::xsimd           the vector types under the kernels
#   weft_require_tbb()      TBB::tbb              the threads
#   weft_require_pugixml()  pugixml::pugixml    the XML of model files
#   weft_require_cli()      CLI11::CLI11, fmt::fmt   the program's command line and its output
#   weft_require_catch2()   Catch2::Catch2        tests, version 2 or 3
#
# The packages of Debian 12 are the floor; see the README for their names.
include(FetchContent)

# Headers of others are not ours to mend: keep their warnings out of our builds.
set(WEFT_FETCH_SYSTEM "")
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.25)
  set(WEFT_FETCH_SYSTEM SYSTEM)
endif()

# GLOBAL: who links a static weft from another directory has to see the targets behind it.
FetchContent_Declare(TBB
  GIT_REPOSITORY https://github.com/uxlfoundation/oneTBB.git
  GIT_TAG v2022.1.0
  GIT_SHALLOW ON ${WEFT_FETCH_SYSTEM}
  FIND_PACKAGE_ARGS 2021 CONFIG GLOBAL)
FetchContent_Declare(pugixml
  GIT_REPOSITORY https://github.com/zeux/pugixml.git
  GIT_TAG v1.14
  GIT_SHALLOW ON ${WEFT_FETCH_SYSTEM}
  FIND_PACKAGE_ARGS 1.13 CONFIG GLOBAL)
FetchContent_Declare(CLI11
  GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
  GIT_TAG v2.4.2
  GIT_SHALLOW ON ${WEFT_FETCH_SYSTEM}
  FIND_PACKAGE_ARGS CONFIG)
FetchContent_Declare(fmt
  GIT_REPOSITORY https://github.com/fmtlib/fmt.git
  GIT_TAG 10.2.1
  GIT_SHALLOW ON ${WEFT_FETCH_SYSTEM}
  FIND_PACKAGE_ARGS CONFIG)
FetchContent_Declare(Catch2
  GIT_REPOSITORY https://github.com/catchorg/Catch2.git
  GIT_TAG v3.7.1
  GIT_SHALLOW ON ${WEFT_FETCH_SYSTEM}
  FIND_PACKAGE_ARGS CONFIG)
# xsimd is headers only. There is no CMakeLists.txt at SOURCE_SUBDIR, so its own, which newer CMake
# releases refuse as too old, is not read.
FetchContent_Declare(weft_xsimd_headers
  GIT_REPOSITORY https://github.com/xtensor-stack/xsimd.git
  GIT_TAG 8.1.0
  GIT_SHALLOW ON
  SOURCE_SUBDIR include)

# Makes <target> of <package> exist, or stops with a reason.
function(weft_require package target)
  if(TARGET ${target})
    return()
  endif()
  message(CHECK_START "Looking for ${package} (an installed one, else its sources)")
  FetchContent_MakeAvailable(${package})
  if(NOT TARGET ${target})
    message(CHECK_FAIL "failed")
    message(FATAL_ERROR "${package} was found but has no target ${target}")
  elseif(${package}_FOUND)
    message(CHECK_PASS "installed, ${${package}_VERSION}")
  else()
    message(CHECK_PASS "fetched")
  endif()
endfunction()

function(weft_require_xsimd)
  weft_find_xsimd(GLOBAL)
  if(NOT TARGET weft::xsimd)
    message(STATUS "xsimd 8.1 or newer is not installed: fetching its headers")
    FetchContent_MakeAvailable(weft_xsimd_headers)
    add_library(weft::xsimd INTERFACE IMPORTED GLOBAL)
    target_include_directories(weft::xsimd INTERFACE "${weft_xsimd_headers_SOURCE_DIR}/include")
  endif()
endfunction()

function(weft_require_tbb)
  set(TBB_TEST OFF)
  set(TBB_STRICT OFF)
  set(TBBMALLOC_BUILD OFF)
  # An installed static weft leads to the TBB it was built with.
  set(TBB_INSTALL ${WEFT_INSTALL})
  weft_require(TBB TBB::tbb)
endfunction()

function(weft_require_pugixml)
  if(TARGET pugixml::pugixml)
    return()  # somebody else's, who decides what becomes of it
  endif()
  set(PUGIXML_INSTALL ${WEFT_INSTALL})
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # it may end in a shared weft
  weft_require(pugixml pugixml::pugixml)
  # Where weft is part of a project, it is built if weft::ir is linked, as that is (cmake/components.cmake).
  FetchContent_GetProperties(pugixml SOURCE_DIR source)
  if(source AND NOT PROJECT_IS_TOP_LEVEL AND NOT WEFT_INSTALL)
    set_property(DIRECTORY "${source}" PROPERTY EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

function(weft_require_cli)
  weft_require(CLI11 CLI11::CLI11)
  weft_require(fmt fmt::fmt)
endfunction()

function(weft_require_catch2)
  weft_require(Catch2 Catch2::Catch2)
endfunction()
