// SPDX-License-Identifier: Apache-2.0
// Any text as an expression: an Error comes back, or an expression that is evaluated.
#include <weft/base/error.hpp>
#include <weft/expr/parse_expr.hpp>
#include <weft/parallel/parallel.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace {

using weft::ScalarType;
using weft::Tensor;

const weft::NamedExpr* operands() {
  // Whatever is made of them has at most 24 elements.
  static const weft::NamedExpr all[] = {
      {"a", weft::expr(Tensor::full({3, 4}, ScalarType::f32, 1.5))},
      {"b", weft::expr(Tensor::full({4}, ScalarType::f32, -2))},
      {"i", weft::expr(Tensor::full({3, 1}, ScalarType::i32, 7))},
      {"t", weft::expr(Tensor::full({3, 4}, ScalarType::boolean, 1))},
      {"d", weft::expr(Tensor::full({2, 1, 1}, ScalarType::f64, 0.25))},
      {"c", weft::expr(Tensor::full({}, ScalarType::c64, 3))}};
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::set_num_threads(1);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    weft::evaluate(weft::parse_expr(text, {operands(), 6}));
  } catch (const weft::Error&) {
    // What bad input is meant to end in.
  }
  return 0;
}
