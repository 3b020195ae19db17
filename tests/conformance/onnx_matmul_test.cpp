// SPDX-License-Identifier: Apache-2.0
// ONNX's cases of matrix products.
#include <weft/core/views.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/reduce.hpp>

#include "onnx_cases.hpp"
#include "support/catch.hpp"

namespace {

using test::OnnxCall;
using test::Tensors;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

Tensors matmul(const OnnxCall& call) { return {weft::matmul(call.in(0), call.in(1))}; }

/// alpha a b + beta c
Tensors gemm(const OnnxCall& call) {
  const auto factor = [&](std::size_t i, const char* turned) {
    return call.integer(turned, 0) != 0 ? call.in(i).transpose(0, 1) : call.in(i);
  };
  Tensor product =
      weft::mul(weft::matmul(factor(0, "transA"), factor(1, "transB")), call.number("alpha", 1));
  if (call.has(2)) weft::add_out(product, product, weft::mul(call.in(2), call.number("beta", 1)));
  return {product};
}

/// (a - zero of a) (b - zero of b) in i32
Tensors matmul_integer(const OnnxCall& call) {
  const auto factor = [&](std::size_t i) {
    const Tensor whole = weft::contiguous(call.in(i), ScalarType::i32);
    if (!call.has(i + 2)) return whole;
    return weft::sub(whole, weft::contiguous(call.in(i + 2), ScalarType::i32));
  };
  return {weft::matmul(factor(0), factor(1))};
}

Tensors einsum(const OnnxCall& call) {
  const std::string equation = call.string("equation", "");
  if (equation == "i,i" || equation == "bij, bjk -> bik") return matmul(call);
  if (equation == "ij->ji") return {Tensor::copy_of(call.in(0).transpose(0, 1))};
  if (equation == "ij->i") return {weft::sum(call.in(0), {1})};
  if (equation == "...ii ->...i") return {Tensor::copy_of(weft::diagonal(call.in(0), 0, -2, -1))};
  FAIL("no such equation: " << equation);
  return {};
}

}  // namespace

TEST_CASE("ONNX: matrix products") {
  test::check_onnx_cases(
      "matmul",
      {{"MatMul", matmul}, {"Gemm", gemm}, {"MatMulInteger", matmul_integer}, {"Einsum", einsum}},
      {});
}
