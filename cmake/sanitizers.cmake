# SPDX-License-Identifier: Apache-2.0
#
# WEFT_SANITIZE: empty, or one or more of the compiler's sanitizers joined by commas, such as
# "address,undefined". For people who work on weft. The options are set for this directory and those
# below, so that library, kernels, tests and benches agree; directories above are not touched.

if(WEFT_SANITIZE)
  if(MSVC)
    message(FATAL_ERROR "WEFT_SANITIZE is for GCC and Clang")
  endif()
  # A finding stops the program: a test that prints it and passes helps nobody. Line numbers are all
  # that it needs.
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    -g1)
  # Quicker to compile than by -O2, and fewer accesses are optimised away unseen. Fuzzers count runs.
  if(NOT WEFT_SANITIZE MATCHES "fuzzer")
    add_compile_options($<$<CONFIG:RelWithDebInfo>:-O1>)
  endif()
  add_link_options(-fsanitize=${WEFT_SANITIZE})
endif()
