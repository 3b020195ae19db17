# SPDX-License-Identifier: Apache-2.0
#
# weft_find_docs_package(<name>): makes the target weft_docs_package_<name>, by which a block that begins
# with "// needs: <name>" is compiled, if there is what it needs:
#
#   Eigen3   the package of that name
#   OpenCV   the core module. Its package asks for all modules at once, and comes with the last of them
#            (Debian: libopencv-dev, where libopencv-core-dev would do), so that headers and library are
#            looked for.
#   mdspan   std::mdspan (../CMakeLists.txt has looked for it), and C++23

function(weft_find_docs_package name)
  set(target weft_docs_package_${name})
  if(TARGET ${target})
    return()
  endif()
  if(name STREQUAL "Eigen3")
    find_package(Eigen3 CONFIG QUIET)
    if(TARGET Eigen3::Eigen)
      add_library(${target} INTERFACE)
      target_link_libraries(${target} INTERFACE Eigen3::Eigen)
    endif()
  elseif(name STREQUAL "OpenCV")
    find_path(WEFT_OPENCV_INCLUDE_DIR opencv2/core.hpp PATH_SUFFIXES opencv4)
    find_library(WEFT_OPENCV_CORE_LIBRARY NAMES opencv_core opencv_core4)
    mark_as_advanced(WEFT_OPENCV_INCLUDE_DIR WEFT_OPENCV_CORE_LIBRARY)
    if(WEFT_OPENCV_INCLUDE_DIR AND WEFT_OPENCV_CORE_LIBRARY)
      add_library(${target} INTERFACE)
      target_include_directories(${target} SYSTEM INTERFACE "${WEFT_OPENCV_INCLUDE_DIR}")
      target_link_libraries(${target} INTERFACE "${WEFT_OPENCV_CORE_LIBRARY}")
    endif()
  elseif(name STREQUAL "mdspan")
    if(WEFT_HAS_STD_MDSPAN)
      add_library(${target} INTERFACE)
      target_compile_features(${target} INTERFACE cxx_std_23)
    endif()
  else()
    message(FATAL_ERROR "a block needs ${name}, of which packages.cmake does not say how it is found")
  endif()
endfunction()
