# SPDX-License-Identifier: Apache-2.0
#
# weft for a project that depends on it: an installed one, with COMPONENTS if there are any, which has to be that of
# EXPECTED_WEFT_PREFIX; or with WEFT_SOURCE what is in that folder; or with WEFT_REPOSITORY what FetchContent brings from
# there, and with WEFT_FETCHED_SOURCE what it takes from that folder.

if(DEFINED WEFT_SOURCE)
  add_subdirectory("${WEFT_SOURCE}" weft)
elseif(DEFINED WEFT_REPOSITORY OR DEFINED WEFT_FETCHED_SOURCE)
  include(FetchContent)
  if(DEFINED WEFT_REPOSITORY)
    FetchContent_Declare(weft GIT_REPOSITORY "${WEFT_REPOSITORY}" GIT_TAG HEAD)
  else()
    FetchContent_Declare(weft SOURCE_DIR "${WEFT_FETCHED_SOURCE}")
  endif()
  FetchContent_MakeAvailable(weft)
else()
  set(components "")
  if(COMPONENTS)
    set(components COMPONENTS ${COMPONENTS})
  endif()
  find_package(weft 0.2 REQUIRED ${components})
  if(NOT weft_VERSION STREQUAL EXPECTED_WEFT_VERSION)
    message(FATAL_ERROR "found weft ${weft_VERSION} instead of ${EXPECTED_WEFT_VERSION}")
  endif()
  cmake_path(IS_PREFIX EXPECTED_WEFT_PREFIX "${weft_DIR}" NORMALIZE is_ours)
  if(NOT is_ours)
    message(FATAL_ERROR "found weft in ${weft_DIR}, which is not the one just installed")
  endif()
endif()
