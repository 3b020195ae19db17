# SPDX-License-Identifier: Apache-2.0
#
# Kernel files: one text, compiled once per instruction-set level.
#
#   weft_add_kernels(<target> SOURCES <file>... [LEVELS <level>...])
#
# compiles every file once for each level and links all the objects into <target>. Which of them
# runs is decided at run time by what WEFT_DECLARE_KERNEL declares (weft/machine/dispatch.hpp).
# weft's own kernels are built by this function too; it comes with the package, so a project that
# says find_package(weft) or add_subdirectory(weft) has it.
#
#   architecture  level      instructions
#   x86-64        baseline   what the compiler targets by default
#                 avx2       AVX2, FMA, F16C, BMI, BMI2, LZCNT
#                 avx512     those and AVX-512 F, CD, BW, DQ, VL
#   AArch64       neon       what the compiler targets by default
#   others        baseline   what the compiler targets by default
#
# All levels that weft itself was built for (its property WEFT_LEVELS) are built unless LEVELS names
# fewer; the lowest always is, and levels of other architectures are passed over. A level that is left
# out by LEVELS must not be declared either, or the linker will miss it.
#
# The objects see the include directories, definitions and libraries of <target>, whenever those are
# set. They do not see its compile options: an -march= or -ffast-math there would change which
# instructions a level has or what its results are.
#
# The object libraries are called <target>_kernels_<level>; the property WEFT_KERNEL_LIBRARIES of
# <target> lists them.
#
#   weft_test_kernels(<target>)
#
# adds a test for each level above the lowest, <target>.kernel_symbols.<level>, which looks at these
# objects: code that they share with the rest of a program would run instructions that a processor
# may lack (check_kernel_symbols.cmake). Needs enable_testing(), nm and objdump; adds nothing under a
# sanitizer, which puts functions of its own into every object.

include(CheckCXXSourceCompiles)

# Loops that users write in ordinary files become vectors with calls of std::sqrt and std::floor in them only where nobody
# looks at errno or at traps (docs/design/0015-users-loops.md). Who does sets the property WEFT_KEEP_MATH_ERRNO on a
# target.
set(weft_loop_flags -fno-math-errno -fno-trapping-math)

# weft_loop_options(<out>): these flags, for compilers that know them and targets that do not keep both.
function(weft_loop_options out)
  set(wanted $<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang,IntelLLVM>)
  set(kept $<BOOL:$<TARGET_PROPERTY:WEFT_KEEP_MATH_ERRNO>>)
  set(${out} "$<$<AND:${wanted},$<NOT:${kept}>>:${weft_loop_flags}>" PARENT_SCOPE)
endfunction()

# The level table: the levels of the architecture that is compiled for, from the lowest on. Functions,
# because variables of this file are not seen from other directories. Asked of the compiler rather
# than of CMAKE_SYSTEM_PROCESSOR: it is the condition that the headers use, and it stays right for
# -m32, cross builds and compilers that do not take these flags.
function(weft_architecture_levels out)
  foreach(architecture x86_64 aarch64)
    string(TOUPPER ${architecture} name)
    check_cxx_source_compiles("
      #if !defined(__${architecture}__) || !defined(__GNUC__)
      #error
      #endif
      int main() {}" WEFT_TARGET_IS_${name})
  endforeach()
  if(WEFT_TARGET_IS_X86_64)
    set(${out} baseline avx2 avx512 PARENT_SCOPE)
  elseif(WEFT_TARGET_IS_AARCH64)
    set(${out} neon PARENT_SCOPE)
  else()
    set(${out} baseline PARENT_SCOPE)
  endif()
endfunction()

# weft_choose_levels(<out> <level>...): those of the architecture that are named, and the lowest. Levels of other
# architectures are passed over.
function(weft_choose_levels out)
  set(known baseline avx2 avx512 neon)
  foreach(level IN LISTS ARGN)
    if(NOT level IN_LIST known)
      message(FATAL_ERROR "unknown level \"${level}\"; there are ${known}")
    endif()
  endforeach()
  weft_architecture_levels(levels)
  list(POP_FRONT levels chosen)
  foreach(level IN LISTS levels)
    if(level IN_LIST ARGN)
      list(APPEND chosen ${level})
    endif()
  endforeach()
  set(${out} ${chosen} PARENT_SCOPE)
endfunction()

# The flags of a level of this architecture.
function(weft_kernel_level_flags level out)
  set(avx2 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt)
  set(flags "")
  if(level STREQUAL "baseline" AND WEFT_TARGET_IS_X86_64)
    # A file knows its level from the compiler's own macros (__AVX2__, __AVX512F__). If somebody
    # builds everything with, say, -march=native, the baseline would take itself for a higher level
    # and its symbols would clash with that level's. The negative flags keep the levels apart; with
    # the compiler's defaults they change nothing.
    set(flags -mno-avx2)
  elseif(level STREQUAL "avx2")
    # Costs of a machine of this level: by those of all machines, GCC 12 loads an operand anew for each
    # use, which takes up to a third longer where it comes from the second-level cache.
    set(flags ${avx2} -mno-avx512f -mtune=skylake)
  elseif(level STREQUAL "avx512")
    # Short rows and rows that begin anywhere are quicker by 32 bytes; long spans have loops of their own
    # (WEFT_WIDE_LOOPS in weft/machine/level.hpp).
    set(flags ${avx2} -mavx512f -mavx512cd -mavx512bw -mavx512dq -mavx512vl
      -mprefer-vector-width=256 -mtune=skylake-avx512)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      # Older GCC takes its own AVX-512 intrinsics for uses of uninitialised variables. Nothing is
      # missed: the same text is compiled for the other levels, with these warnings.
      list(APPEND flags -Wno-uninitialized -Wno-maybe-uninitialized)
    endif()
  endif()
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

# All flags of a level: what its instructions are, and how everything is compiled that may be compiled for them. Also told
# to those who build without CMake (weft-iter.pc).
function(weft_kernel_flags level out)
  # After everything that CMAKE_CXX_FLAGS or the build type say, so these win. Optimised in Debug
  # builds too: unoptimised code is not only slow, it leaves functions of the headers behind as
  # weak symbols with this level's instructions in them, which the linker may then pick for
  # everybody. Contraction is off because a compiler that fuses a*b+c where it likes would give
  # each level its own results; errno and traps are given up because nobody looks at them and
  # loops that keep them do not vectorise. Loops begin on 32 bytes, or how fast one is depends on
  # where the linker puts it: one of five instructions across a line took 1.5 times as long. Loops may
  # say that they are to be made of vectors (omp simd); no library comes with that.
  weft_kernel_level_flags(${level} flags)
  if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang|IntelLLVM")
    set(optimisation -O3)
    if(WEFT_SANITIZE)
      set(optimisation -O1)  # instrumented loops take minutes to vectorise, and need not be fast
      if(WEFT_SANITIZE MATCHES "address")
        # Every register that a formula names would be marked as in and out of scope: ten times the
        # time to compile, several GB. All other accesses are checked.
        list(APPEND optimisation -fno-sanitize-address-use-after-scope)
      endif()
    endif()
    list(PREPEND flags ${optimisation} -fno-lto -fno-fast-math -ffp-contract=off -fno-math-errno
      -fno-trapping-math -falign-functions=32 -falign-loops=32 -fopenmp-simd -DWEFT_KERNEL_FILE)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      # A loop that was asked to be made of vectors and was not: which one is, differs from version
      # to version, and who compiles it cannot mend it.
      list(APPEND flags -Wno-pass-failed)
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Choices that follow each other are made one by one, as vectors make them (WEFT_VECTORISED in
      # weft/machine/level.hpp).
      list(APPEND flags -fno-thread-jumps)
    endif()
  endif()
  set(${out} ${flags} PARENT_SCOPE)
endfunction()

function(weft_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LEVELS")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "weft_add_kernels: there is no target \"${target}\"")
  endif()
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR
      "usage: weft_add_kernels(<target> SOURCES <file>... [LEVELS baseline avx2 avx512 neon])")
  endif()

  get_target_property(built weft::iter WEFT_LEVELS)
  if(NOT arg_LEVELS)
    set(arg_LEVELS ${built})
  endif()
  weft_choose_levels(chosen ${arg_LEVELS})
  set(levels "")
  foreach(level IN LISTS chosen)
    if(level IN_LIST built)
      list(APPEND levels ${level})
    endif()
  endforeach()

  # A second call for the same target may come from another directory.
  set(sources "")
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND sources "${source}")
  endforeach()

  foreach(level IN LISTS levels)
    set(objects ${target}_kernels_${level})
    if(TARGET ${objects})
      target_sources(${objects} PRIVATE ${sources})
      continue()
    endif()
    add_library(${objects} OBJECT ${sources})
    set_property(TARGET ${target} APPEND PROPERTY WEFT_KERNEL_LIBRARIES ${objects})
    set_target_properties(${objects} PROPERTIES
      CXX_EXTENSIONS OFF
      CXX_VISIBILITY_PRESET hidden
      VISIBILITY_INLINES_HIDDEN ON
      # Costs nothing on the machines that matter, and a static library may end up in a shared one.
      POSITION_INDEPENDENT_CODE ON
      # Link-time optimisation could move code from one level into another; a unity build would put
      # names of several kernel files into one.
      INTERPROCEDURAL_OPTIMIZATION OFF
      UNITY_BUILD OFF)
    target_compile_features(${objects} PRIVATE cxx_std_20)

    weft_kernel_flags(${level} flags)
    target_compile_options(${objects} PRIVATE ${flags})

    # Linking an object library takes the usage requirements only. What a target links may hold
    # generator expressions, which are not evaluated unless asked for.
    target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_definitions(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    target_link_libraries(${objects} PRIVATE
      $<TARGET_GENEX_EVAL:${target},$<TARGET_PROPERTY:${target},LINK_LIBRARIES>>)
    if(TARGET weft::xsimd)
      target_link_libraries(${objects} PRIVATE weft::xsimd)
    endif()
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  endforeach()
endfunction()

function(weft_test_kernels target)
  get_target_property(libraries ${target} WEFT_KERNEL_LIBRARIES)
  foreach(level avx2 avx512)
    set(library ${target}_kernels_${level})
    if(NOT library IN_LIST libraries OR WEFT_SANITIZE OR "${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize=")
      continue()
    endif()
    set(objects "${CMAKE_CURRENT_BINARY_DIR}/${library}_$<CONFIG>.txt")
    file(GENERATE OUTPUT "${objects}" CONTENT "$<JOIN:$<TARGET_OBJECTS:${library}>,\n>\n")
    add_test(NAME ${target}.kernel_symbols.${level}
      COMMAND "${CMAKE_COMMAND}" -D LEVEL=${level} -D "OBJECTS=${objects}" -D "NM=${CMAKE_NM}"
        -D "OBJDUMP=${CMAKE_OBJDUMP}" -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/check_kernel_symbols.cmake")
  endforeach()
endfunction()

# Makes weft::xsimd if xsimd can be found. xsimd is needed to build weft, and to use
# weft/kernel/vectorized.hpp; a project that does not include that header does without. Only the
# include directory is taken from a package: some link xtl, an optional companion for complex
# numbers, whether it is installed or not. With GLOBAL, directories above the caller see the target
# too.
function(weft_find_xsimd)
  if(TARGET weft::xsimd)
    return()
  endif()
  set(usable FALSE)
  if(TARGET xsimd)
    # The surrounding project brought its own and answers for the version.
    set(usable TRUE)
  else()
    # No version in the call: xsimd's version file refuses every other major version, newer ones
    # too.
    find_package(xsimd CONFIG QUIET ${ARGV})
    if(xsimd_FOUND AND xsimd_VERSION VERSION_GREATER_EQUAL 8.1)
      set(usable TRUE)
    endif()
  endif()
  if(usable)
    add_library(weft::xsimd INTERFACE IMPORTED ${ARGV})
    target_include_directories(weft::xsimd INTERFACE
      $<TARGET_PROPERTY:xsimd,INTERFACE_INCLUDE_DIRECTORIES>)
    return()
  endif()
  # Other packages refuse to be found without xtl.
  find_path(WEFT_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp)
  mark_as_advanced(WEFT_XSIMD_INCLUDE_DIR)
  if(WEFT_XSIMD_INCLUDE_DIR)
    file(READ "${WEFT_XSIMD_INCLUDE_DIR}/xsimd/config/xsimd_config.hpp" header)
    string(REGEX MATCH "XSIMD_VERSION_MAJOR +([0-9]+)" major "${header}")
    set(major ${CMAKE_MATCH_1})
    string(REGEX MATCH "XSIMD_VERSION_MINOR +([0-9]+)" minor "${header}")
    set(minor ${CMAKE_MATCH_1})
    if("${major}.${minor}" VERSION_GREATER_EQUAL 8.1)
      add_library(weft::xsimd INTERFACE IMPORTED ${ARGV})
      target_include_directories(weft::xsimd INTERFACE "${WEFT_XSIMD_INCLUDE_DIR}")
    endif()
  endif()
endfunction()
