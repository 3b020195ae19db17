// SPDX-License-Identifier: Apache-2.0
#include <weft/core/scalar.hpp>

#include "support/errors.hpp"

#include <limits>
#include <string>

namespace {

using weft::Scalar;
using weft::ScalarType;

}  // namespace

TEST_CASE("scalar: one of five types, by the kind of number", "[core]") {
  CHECK(Scalar(true).dtype() == ScalarType::boolean);
  CHECK(Scalar(1).dtype() == ScalarType::i64);
  CHECK(Scalar(std::uint8_t{1}).dtype() == ScalarType::i64);
  CHECK(Scalar(std::uint64_t{1}).dtype() == ScalarType::i64);
  CHECK(Scalar(std::numeric_limits<std::int64_t>::max()).dtype() == ScalarType::i64);
  CHECK(Scalar(std::uint64_t{1} << 63).dtype() == ScalarType::u64);
  CHECK(Scalar('a').dtype() == ScalarType::i64);
  CHECK(Scalar(1.5f).dtype() == ScalarType::f64);
  CHECK(Scalar(1.5).dtype() == ScalarType::f64);
  CHECK(Scalar(weft::float16(1.5f)).dtype() == ScalarType::f64);
  CHECK(Scalar(weft::bfloat16(1.5f)).dtype() == ScalarType::f64);
  CHECK(Scalar(std::complex<float>(1, 2)).dtype() == ScalarType::c128);
  CHECK(Scalar(std::complex<double>(1, 2)).dtype() == ScalarType::c128);
}

TEST_CASE("scalar: only numbers are scalars", "[core]") {
  // Pointers become bool of their own accord.
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Scalar, const char*>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Scalar, int*>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Scalar, std::nullptr_t>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Scalar, std::string>);
  STATIC_REQUIRE(std::is_convertible_v<float, Scalar>);
  STATIC_REQUIRE(std::is_convertible_v<bool, Scalar>);
}

TEST_CASE("scalar: converts by the rules of cast", "[core]") {
  CHECK(Scalar(true).to<float>() == 1.0f);
  CHECK(Scalar(300).to<std::uint8_t>() == 44);
  CHECK(Scalar(-2.9).to<std::int32_t>() == -2);
  CHECK(Scalar(1e300).to<std::int32_t>() == std::numeric_limits<std::int32_t>::max());
  CHECK(Scalar(weft::float16(2.5f)).to<double>() == 2.5);
  CHECK(Scalar(weft::bfloat16(-3.0f)).to<std::int64_t>() == -3);
  CHECK(Scalar(std::complex<float>(1.5f, 2)).to<float>() == 1.5f);
  CHECK(Scalar(std::complex<float>(1.5f, 2)).to<std::complex<double>>() ==
        std::complex<double>(1.5, 2));
  CHECK(Scalar(std::numeric_limits<std::int64_t>::min()).to<std::int64_t>() ==
        std::numeric_limits<std::int64_t>::min());
  CHECK(Scalar(0.0).to<bool>() == false);
  CHECK(Scalar(std::uint64_t{1} << 63).to<double>() == 0x1p63);
  CHECK(Scalar(std::numeric_limits<std::uint64_t>::max()).to<std::uint64_t>() ==
        std::numeric_limits<std::uint64_t>::max());
  CHECK(Scalar(std::numeric_limits<std::uint64_t>::max()).to<std::int8_t>() == -1);
}

TEST_CASE("scalar: its view is a weak, read-only 0-d tensor", "[core]") {
  const Scalar scalar(2.5);
  const weft::TensorView view = scalar.view();
  CHECK(view.rank() == 0);
  CHECK(view.numel() == 1);
  CHECK(view.dtype() == ScalarType::f64);
  CHECK(view.is_weak_scalar());
  CHECK(view.read_only());
  CHECK(view.at<double>({}) == 2.5);
  const Scalar boolean(true);
  CHECK(boolean.view().at<bool>({}));
  const Scalar complex(std::complex<double>(1, -2));
  CHECK(complex.view().at<std::complex<double>>({}) == std::complex<double>(1, -2));
}
