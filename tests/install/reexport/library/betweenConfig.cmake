# SPDX-License-Identifier: Apache-2.0
include(CMakeFindDependencyMacro)
find_dependency(weft 0.2 COMPONENTS ops)
include("${CMAKE_CURRENT_LIST_DIR}/betweenTargets.cmake")
