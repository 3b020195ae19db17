// SPDX-License-Identifier: Apache-2.0
/// @file
/// The kernels of strided_lambdas.hpp, made anew in each file that includes this.
#pragma once

#include <weft/kernel/cpu_kernel.hpp>

#include "kernel/strided_lambdas.hpp"

#include <cmath>
#include <cstdint>
#include <tuple>

namespace test {
namespace {

// Nothing that a compiler could fuse where it may: results would depend on what it likes.
constexpr auto neg_f32 = [](float x) { return -x; };
constexpr auto root_f64 = [](double x) { return std::sqrt(x); };
constexpr auto exp_f32 = [](float x, float y) { return weft::exp(x) * y; };
constexpr auto choose_f64 = [](double x, double y, double z) { return x > y ? z : -x; };
constexpr auto bits_i32 = [](std::int32_t x, std::int32_t y) { return (x ^ y) & ~(x & 7); };
constexpr auto mixed = [](double x, float y, std::int32_t z) -> float {
  return static_cast<float>(x) + y + static_cast<float>(z % 1000);
};
constexpr auto three_f64 = [](double x, double y, double z, double w) {
  return std::tuple(x - w, y > x ? z : w, std::floor(y));
};
constexpr auto two_types = [](float x, std::int64_t i) {
  return std::tuple<std::int64_t, float>(i < 5 ? i : -i, x * x);
};
const NamedSpanKernel lambdas[] = {
    {"neg", weft::typed_span_kernel(neg_f32)},
    {"root", weft::typed_span_kernel(root_f64)},
    {"exp", weft::typed_span_kernel(exp_f32)},
    {"choose", weft::typed_span_kernel(choose_f64)},
    {"bits", weft::typed_span_kernel(bits_i32)},
    {"mixed", weft::typed_span_kernel(mixed)},
    {"three results", weft::typed_span_kernel(three_f64)},
    {"two types", weft::typed_span_kernel(two_types)},
};

}  // namespace
}  // namespace test
