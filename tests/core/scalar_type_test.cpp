// SPDX-License-Identifier: Apache-2.0
#include <weft/core/scalar_type.hpp>

#include "support/errors.hpp"

#include <set>
#include <string>
#include <type_traits>

namespace {

template <class T>
inline constexpr bool is_half =
    std::is_same_v<T, weft::float16> || std::is_same_v<T, weft::bfloat16>;
template <class T>
inline constexpr bool is_complex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
void check_type(weft::ScalarType type) {
  CAPTURE(weft::name(type));
  const bool boolean = std::is_same_v<T, bool>;
  CHECK(weft::scalar_type_of<T> == type);
  CHECK(weft::element_size(type) == sizeof(T));
  CHECK(weft::is_complex(type) == is_complex<T>);
  CHECK(weft::is_floating(type) == (std::is_floating_point_v<T> || is_half<T>));
  CHECK(weft::is_integer(type) == (std::is_integral_v<T> && !boolean));
  CHECK(weft::is_unsigned_integer(type) == (std::is_unsigned_v<T> && !boolean));
}

}  // namespace

TEST_CASE("scalar_type: sizes and kinds are those of the C++ types", "[core]") {
  int count = 0;
#define WEFT_TEST_TYPE(NAME, TYPE)                                              \
  check_type<TYPE>(weft::ScalarType::NAME);                                     \
  CHECK(static_cast<int>(weft::ScalarType::NAME) == count++);                   \
  STATIC_REQUIRE(std::is_same_v<weft::cpp_type<weft::ScalarType::NAME>, TYPE>); \
  STATIC_REQUIRE(weft::Element<TYPE>);
  WEFT_FOR_EACH_SCALAR_TYPE(WEFT_TEST_TYPE)
#undef WEFT_TEST_TYPE
  CHECK(count == weft::scalar_type_count);
}

TEST_CASE("scalar_type: other C++ types are no element types", "[core]") {
  STATIC_REQUIRE_FALSE(weft::Element<char>);
  STATIC_REQUIRE_FALSE(weft::Element<long double>);
  STATIC_REQUIRE_FALSE(weft::Element<const float>);
  STATIC_REQUIRE_FALSE(weft::Element<float*>);
  STATIC_REQUIRE_FALSE(weft::Element<std::complex<long double>>);
}

TEST_CASE("scalar_type: names", "[core]") {
  const char* names[] = {"bool", "u8",  "i8",   "u16", "i16", "u32", "i32", "u64",
                         "i64",  "f16", "bf16", "f32", "f64", "c64", "c128"};
  std::set<std::string_view> distinct;
  for (int i = 0; i < weft::scalar_type_count; ++i) {
    const auto type = static_cast<weft::ScalarType>(i);
    CHECK(weft::name(type) == names[i]);
    CHECK(weft::parse_scalar_type(names[i]) == type);
    distinct.insert(weft::name(type));
  }
  CHECK(distinct.size() == weft::scalar_type_count);
}

TEST_CASE("scalar_type: an unknown name is an error that lists the known ones", "[core]") {
  CHECK_ERROR(parse, ("float32", "bool", "u8", "f32", "c128"), weft::parse_scalar_type("float32"));
  CHECK_ERROR(parse, ("''"), weft::parse_scalar_type(""));
  CHECK_ERROR(parse, ("F32"), weft::parse_scalar_type("F32"));
  CHECK_ERROR(parse, ("f32 "), weft::parse_scalar_type("f32 "));
}
