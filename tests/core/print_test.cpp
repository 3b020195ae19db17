// SPDX-License-Identifier: Apache-2.0
#include <weft/core/print.hpp>
#include <weft/core/tensor.hpp>

#include "support/errors.hpp"

#include <complex>
#include <limits>
#include <sstream>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;
using weft::to_text;

Tensor counted(weft::IntSpan shape) {
  const Tensor made = Tensor::empty(shape, ScalarType::i32);
  for (std::int64_t i = 0; i < made.numel(); ++i)
    made.data_as<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  return made;
}

}  // namespace

TEST_CASE("print: lists in lists, in columns", "[core]") {
  CHECK(to_text(counted({2, 3})) == "i32[2, 3]\n[[0, 1, 2],\n [3, 4, 5]]");
  CHECK(to_text(counted({2, 3}).transpose(0, 1)) == "i32[3, 2]\n[[0, 3],\n [1, 4],\n [2, 5]]");
  CHECK(to_text(counted({2, 2, 2})) ==
        "i32[2, 2, 2]\n[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]");
  CHECK(to_text(counted({2, 6})) ==
        "i32[2, 6]\n[[ 0,  1,  2,  3,  4,  5],\n [ 6,  7,  8,  9, 10, 11]]");
  CHECK(to_text(counted({4}).flip(0)) == "i32[4]\n[3, 2, 1, 0]");
  CHECK(to_text(counted({})) == "i32[]\n0");
  CHECK(to_text(counted({2, 0})) == "i32[2, 0]\n[[],\n []]");
  CHECK(to_text(TensorView()) == "undefined");
  // Lists that are empty, more than there is time for.
  CHECK(to_text(counted({1000, 0})).size() > 3000);
  CHECK(to_text(counted({std::int64_t{1} << 40, 0})) == "i32[1099511627776, 0]\n[...]");
  CHECK(to_text(counted({0, std::int64_t{1} << 40})) == "i32[0, 1099511627776]\n[]");
}

TEST_CASE("print: elements of each kind", "[core]") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(to_text(Tensor::of<float>({5}, {1.5F, -2, 1e10F, infinity, 1.0F / 3})) ==
        "f32[5]\n[     1.5,       -2,    1e+10,      inf, 0.333333]");
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(to_text(Tensor::of<float>({3}, {nan, -nan, -infinity})) == "f32[3]\n[ nan,  nan, -inf]");
  CHECK(to_text(Tensor::of<std::complex<float>>({1}, {{1, -nan}})) == "c64[1]\n[1+nanj]");
  CHECK(to_text(Tensor::of<double>({2}, {0.1, 1.0 / 3}), {.digits = 17}) ==
        "f64[2]\n[0.10000000000000001, 0.33333333333333331]");
  CHECK(to_text(Tensor::full({2}, ScalarType::bf16, 0.5)) == "bf16[2]\n[0.5, 0.5]");
  CHECK(to_text(Tensor::of<bool>({2}, {true, false})) == "bool[2]\n[ true, false]");
  CHECK(to_text(Tensor::of<std::uint8_t>({2}, {7, 255})) == "u8[2]\n[  7, 255]");
  using C = std::complex<float>;
  CHECK(to_text(Tensor::of<C>({2}, {C(1, -2), C(0.5F, 3)})) == "c64[2]\n[  1-2j, 0.5+3j]");
}

TEST_CASE("print: the middle of long axes is left out", "[core]") {
  CHECK(to_text(counted({2000})) == "i32[2000]\n[   0,    1,    2, ..., 1997, 1998, 1999]");
  CHECK(to_text(counted({400, 3}), {.edge = 1}) ==
        "i32[400, 3]\n[[   0,    1,    2],\n ...,\n [1197, 1198, 1199]]");
  CHECK(to_text(counted({3}), {.max_elements = 0, .edge = INT64_MAX}) == to_text(counted({3})));
  CHECK(to_text(counted({3, 4}), {.max_elements = 4, .edge = 1}) ==
        "i32[3, 4]\n[[ 0, ...,  3],\n [ 4, ...,  7],\n [ 8, ..., 11]]");
  // All of it.
  CHECK(to_text(counted({1001}), {.max_elements = 2000}).find("...") == std::string::npos);
}

TEST_CASE("print: into a stream; options that cannot be followed", "[core]") {
  std::ostringstream out;
  out << "a = " << counted({2}) << '.';
  CHECK(out.str() == "a = i32[2]\n[0, 1].");
  CHECK_ERROR(invalid_argument, ("max_elements", "-1"),
              to_text(counted({2}), {.max_elements = -1}));
  CHECK_ERROR(invalid_argument, ("edge", "-3"), to_text(counted({2}), {.edge = -3}));
  CHECK_ERROR(invalid_argument, ("1 to 17", "18"), to_text(counted({2}), {.digits = 18}));
  CHECK_ERROR(invalid_argument, ("1 to 17", "0"), to_text(counted({2}), {.digits = 0}));
}
