// SPDX-License-Identifier: Apache-2.0
#include <weft/core/dispatch_types.hpp>

#include "support/errors.hpp"

#include <string>

using weft::ScalarType;

TEST_CASE("dispatch_types: calls with the C++ type, once", "[core]") {
  int calls = 0;
#define WEFT_TEST_TYPE(NAME, TYPE)                                                 \
  {                                                                                \
    const bool right = weft::dispatch_all_types(ScalarType::NAME, [&]<class T>() { \
      ++calls;                                                                     \
      return std::is_same_v<T, TYPE>;                                              \
    });                                                                            \
    CHECK(right);                                                                  \
  }
  WEFT_FOR_EACH_SCALAR_TYPE(WEFT_TEST_TYPE)
#undef WEFT_TEST_TYPE
  CHECK(calls == weft::scalar_type_count);
}

TEST_CASE("dispatch_types: a type that is not listed is an error that names it", "[core]") {
  bool called = false;
  const auto mark = [&]<class T>() { called = true; };
  const auto value = [&]<class T>() {
    called = true;
    return sizeof(T);
  };
  CHECK_ERROR(dtype, ("i32"), weft::dispatch_types<float, double>(ScalarType::i32, mark));
  CHECK_ERROR(dtype, ("c64"), weft::dispatch_types<float, double>(ScalarType::c64, value));
  CHECK_FALSE(called);
  CHECK(weft::dispatch_types<float, double>(ScalarType::f64, value) == 8);
  CHECK(called);
  CHECK_ERROR(dtype, ("bf16"), weft::fail_unsupported_type(ScalarType::bf16));
}

TEST_CASE("dispatch_types: results may be void, references, or cannot be copied", "[core]") {
  std::string which;
  weft::dispatch_types<float, bool>(
      ScalarType::boolean, [&]<class T>() { which = std::is_same_v<T, bool> ? "bool" : "float"; });
  CHECK(which == "bool");
  int first = 1;
  int second = 2;
  int& chosen = weft::dispatch_types<float, double>(
      ScalarType::f64, [&]<class T>() -> int& { return sizeof(T) == 8 ? second : first; });
  CHECK(&chosen == &second);
  const auto made = weft::dispatch_types<float, double>(
      ScalarType::f32, []<class T>() { return std::make_unique<std::size_t>(sizeof(T)); });
  CHECK(*made == 4);
}

TEST_CASE("dispatch_types: what a callable throws comes through", "[core]") {
  CHECK_ERROR(io, ("from inside"), weft::dispatch_all_types(ScalarType::f32, []<class T>() {
                weft::fail(weft::ErrorCode::io, "from inside");
              }));
}
