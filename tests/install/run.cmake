# SPDX-License-Identifier: Apache-2.0
#
# Does what somebody does who depends on weft: installs it, and builds a project of their own that
# finds it. Run by the test "install", which passes the variables.
cmake_minimum_required(VERSION 3.24)

set(work "${BUILD_DIR}/tests/install_work")
set(prefix "${work}/prefix")
file(REMOVE_RECURSE "${work}")

set(config "")
if(CONFIG)
  set(config --config ${CONFIG})
endif()

execute_process(
  COMMAND "${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${work}/staging" ${config}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
# Used from another place than it was installed to: nothing in it may remember the first one.
file(RENAME "${work}/staging" "${prefix}")

set(prefix_path "${prefix}" ${PREFIX_PATH})

# build(<name> <project> <options>...): a project of this folder, on what was installed.
function(build name project)
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${project}" -B "${work}/${name}"
      -G "${GENERATOR}" "-DCMAKE_BUILD_TYPE=${CONFIG}" "-DCMAKE_CXX_COMPILER=${CXX}"
      "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" "-DCMAKE_PREFIX_PATH=${prefix_path}"
      "-DEXPECTED_WEFT_VERSION=${VERSION}" "-DEXPECTED_WEFT_PREFIX=${prefix}"
      "-DCMAKE_TOOLCHAIN_FILE=${TOOLCHAIN}" "-DCMAKE_FIND_ROOT_PATH=${ROOTS}"
      "-DCMAKE_CROSSCOMPILING_EMULATOR=${EMULATOR}" ${ARGN}
    COMMAND_ERROR_IS_FATAL ANY)
  set(target all)
  if(project STREQUAL "components")
    list(APPEND target check)
  endif()
  execute_process(
    COMMAND "${CMAKE_COMMAND}" --build "${work}/${name}" ${config} --target ${target}
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

build(consumer consumer)
# Who asks for a component alone needs no XML parser.
build(iter components "-DCOMPONENTS=iter\\;vectorized" -DCMAKE_DISABLE_FIND_PACKAGE_pugixml=ON)
build(all components "-DCOMPONENTS=iter\\;ops\\;graph\\;ir")
file(GLOB_RECURSE cps "${prefix}/weft.cps")
if(cps)
  cmake_path(GET cps PARENT_PATH cps_dir)
  build(cps components -DCOMPONENTS=iter "-Dweft_DIR=${cps_dir}")
elseif(NOT CMAKE_VERSION VERSION_LESS 4.3)
  message(FATAL_ERROR "weft.cps is not installed")
endif()

# The consumer's kernel has to be there at every level.
foreach(level IN LISTS LEVELS)
  message(STATUS "WEFT_ISA=${level}")
  execute_process(
    COMMAND "${CMAKE_COMMAND}" -E env WEFT_ISA=${level} ${EMULATOR} "${work}/consumer/bin/consumer"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# And to share no code with other levels.
execute_process(COMMAND "${CMAKE_CTEST_COMMAND}" --test-dir "${work}/consumer" --output-on-failure
  OUTPUT_VARIABLE tests RESULT_VARIABLE result)
foreach(level avx2 avx512)
  if(level IN_LIST LEVELS AND NOT (result EQUAL 0 AND tests MATCHES "consumer.kernel_symbols.${level} [.]+ +Passed"))
    message(FATAL_ERROR "kernel objects of ${level} were not found to be all right:\n${tests}")
  endif()
endforeach()

if(PROGRAM)
  message(STATUS "${PROGRAM} info")
  execute_process(COMMAND ${EMULATOR} "${prefix}/${PROGRAM}" info COMMAND_ERROR_IS_FATAL ANY)
endif()
