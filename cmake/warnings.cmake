# SPDX-License-Identifier: Apache-2.0
#
# weft_set_warnings(<target>...): the warnings our own code is kept free of. They are private to the
# target and to the kernel objects built for it; who uses weft never gets them.
#
# Left out: -Wconversion and -Wsign-conversion. Kernels convert between all pairs of element types
# on purpose, and index with signed extents into unsigned containers; the casts to silence that
# would hide more than they show.

function(weft_set_warnings)
  if(MSVC)
    set(flags /W4 $<$<BOOL:${WEFT_WERROR}>:/WX>)
  else()
    set(flags
      -Wall -Wextra -Wpedantic
      -Wcast-qual            # a cast drops const
      -Wextra-semi
      -Wimplicit-fallthrough
      -Wnon-virtual-dtor
      -Wold-style-cast
      -Woverloaded-virtual
      -Wshadow
      -Wundef)               # a misspelt macro in #if is 0 without a word
    if(WEFT_WERROR)
      list(APPEND flags -Werror)
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # These depend on what the optimiser happened to inline and are often wrong about correct
        # code. They stay visible, and must not break a build that differs only in its flags.
        list(APPEND flags -Wno-error=array-bounds -Wno-error=maybe-uninitialized
          -Wno-error=restrict -Wno-error=stringop-overflow -Wno-error=stringop-overread)
      endif()
    endif()
  endif()
  foreach(target IN LISTS ARGV)
    get_target_property(kernels ${target} WEFT_KERNEL_LIBRARIES)
    if(NOT kernels)
      set(kernels "")
    endif()
    foreach(one IN LISTS target kernels)
      target_compile_options(${one} PRIVATE ${flags})
    endforeach()
  endforeach()
endfunction()
