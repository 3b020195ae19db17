# SPDX-License-Identifier: Apache-2.0
#
# WEFT_TYPES, the element types that functions compute in: all, or a list of their names. Memory of any type can be
# moved and converted all the same. Bool is always there, since comparisons give it, and f32 with f16 or bf16, which
# are computed in it (src/core/compiled_types.hpp). Sets weft_type_definitions, for whoever compiles or tests functions.

set(weft_type_definitions "")
if(NOT WEFT_TYPES STREQUAL "all")
  set(known bool u8 i8 u16 i16 u32 i32 u64 i64 f16 bf16 f32 f64 c64 c128)
  set(types ${WEFT_TYPES})
  foreach(type IN LISTS types)
    if(NOT type IN_LIST known)
      list(JOIN known ", " names)
      message(FATAL_ERROR "WEFT_TYPES: expected \"all\", or a list of ${names}; got \"${type}\"")
    endif()
  endforeach()
  if("f16" IN_LIST types OR "bf16" IN_LIST types)
    list(APPEND types f32)
  endif()
  list(REMOVE_ITEM types bool)
  list(REMOVE_DUPLICATES types)
  if(NOT types)
    message(FATAL_ERROR "WEFT_TYPES: expected a type besides bool, got \"${WEFT_TYPES}\"")
  endif()
  list(JOIN types "," types)
  set(weft_type_definitions "WEFT_COMPILED_TYPES=${types}")
endif()
