// SPDX-License-Identifier: Apache-2.0
// Iterators, kernels and the functions of ops/ where memory runs out.
#include <weft/iter/config.hpp>
#include <weft/iter/explain.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/linalg/packed_matrix.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/masking.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

#include "failing/out_of_memory.hpp"
#include "support/catch.hpp"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace {

using test::Attempt;
using test::check_out_of_memory;
using test::check_out_of_memory_into;
using test::On;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIteratorConfig;
using weft::TensorView;

using Shape = std::vector<std::int64_t>;

/// Nine axes in another order: more than fit without memory, and rows that are strided.
const Shape nine_axes = {2, 3, 1, 2, 1, 2, 1, 2, 3};

Tensor numbered(const Shape& shape, ScalarType type = ScalarType::f32) {
  const Tensor made = Tensor::empty(shape, ScalarType::f32);
  for (std::int64_t i = 0; i < made.numel(); ++i)
    made.data_as<float>()[i] = static_cast<float>(i % 23) * 0.25F;
  return type == ScalarType::f32 ? made : weft::contiguous(made, type);
}

/// A sum whose accumulators are too large for the stack.
struct WideSum {
  struct Accumulator {
    double sum, unused[100];
  };
  Accumulator identity() const { return {}; }
  Accumulator accumulate(Accumulator acc, float x) const {
    acc.sum += static_cast<double>(x);
    return acc;
  }
  Accumulator combine(Accumulator a, const Accumulator& b) const {
    a.sum += b.sum;
    return a;
  }
  float project(const Accumulator& acc) const { return static_cast<float>(acc.sum); }
};

/// A running sum.
struct RunningSum {
  double identity() const { return 0; }
  double accumulate(double acc, float x) const { return acc + static_cast<double>(x); }
  float project(double acc) const { return static_cast<float>(acc); }
};

Tensor undefined;

}  // namespace

TEST_CASE("out of memory: iterators of many operands and axes", "[failing]") {
  const Tensor a = numbered(nine_axes);
  const Tensor other = numbered({3, 2, 1, 2, 1, 2, 1, 3, 2});
  const TensorView turned = other.permute({8, 7, 6, 5, 4, 3, 2, 1, 0});
  const std::vector<TensorView> inputs(12, turned);
  for (const bool linear : {false, true}) {
    check_out_of_memory_into("many operands", undefined, [&](Tensor& out) {
      Tensor made;
      TensorIteratorConfig config;
      config.add_output(made).add_input(a).enforce_linear_iteration(linear);
      for (const TensorView& input : inputs)
        config.add_input(input);
      const auto iter = config.build();
      iter.for_each([&](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) {
          *reinterpret_cast<float*>(data[0] + i * strides[0]) =
              *reinterpret_cast<const float*>(data[13] + i * strides[13]);
        }
      });
      out = std::move(made);
    });
  }
  check_out_of_memory_into("owned operands, a static shape", undefined, [&](Tensor& out) {
    Tensor result = Tensor::zeros(nine_axes, ScalarType::f32);
    const auto iter = TensorIteratorConfig()
                          .add_owned_output(result)
                          .add_owned_input(a)
                          .resize_outputs(false)
                          .declare_static_shape(nine_axes)
                          .build();
    weft::cpu_kernel(iter, [](float x) { return x + 1; });
    out = std::move(result);
  });
  check_out_of_memory_into("overlap that is copied", numbered({50}), [](Tensor& out) {
    const TensorView to = out.slice(0, 1, 50), from = out.slice(0, 0, 49);
    const auto iter = TensorIteratorConfig()
                          .add_output(to)
                          .add_input(from)
                          .set_overlap_policy(weft::OverlapPolicy::copy)
                          .build();
    weft::cpu_kernel(iter, [](float x) { return -x; });
  });
}

TEST_CASE("out of memory: plans explained", "[failing]") {
  const Tensor a = numbered(nine_axes);
  const TensorView turned = a.permute({8, 7, 6, 5, 4, 3, 2, 1, 0});
  check_out_of_memory("explain", [&] {
    const auto text = std::make_shared<std::string>();
    return Attempt{[&, text] {
                     Tensor out;
                     const auto iter =
                         TensorIteratorConfig().add_output(out).add_input(turned).build();
                     *text = weft::explain_run(iter).to_text() + iter.explain().to_json();
                   },
                   [text] { return text->find("strategy") != std::string::npos; },
                   [text] { return text->empty(); }};
  });
}

TEST_CASE("out of memory: elementwise functions", "[failing]") {
  const Tensor a = numbered(nine_axes), small = numbered({4, 5});
  const TensorView turned = a.permute({8, 7, 6, 5, 4, 3, 2, 1, 0});
  const Tensor halves = numbered({300, 200}, ScalarType::f16);
  const Tensor wide = numbered({300, 200});
  const TensorView column = wide.transpose(0, 1);
  check_out_of_memory("add", [&] { return weft::add(small, 2.5); });
  check_out_of_memory("add of nine axes", [&] { return weft::add(turned, turned); });
  check_out_of_memory(
      "exp, large", [&] { return weft::exp(wide); }, On::four_threads);
  check_out_of_memory(
      "mul of two types", [&] { return weft::mul(halves.transpose(0, 1), column); },
      On::four_threads);
  check_out_of_memory("where", [&] {
    return weft::where(weft::contiguous(wide, ScalarType::boolean), halves, wide);
  });
  check_out_of_memory_into("add_out, replaced", Tensor::full({2}, ScalarType::f32, 7),
                           [&](Tensor& out) { weft::add_out(out, a, a); });
  check_out_of_memory_into("add_out, in place", a, [&](Tensor& out) {
    const TensorView to = out.permute({8, 7, 6, 5, 4, 3, 2, 1, 0});
    weft::add_out(to, to, turned);
  });
}

TEST_CASE("out of memory: copies, casts, fills", "[failing]") {
  const Tensor wide = numbered({400, 300}), deep = numbered(nine_axes);
  const TensorView turned = deep.permute({8, 7, 6, 5, 4, 3, 2, 1, 0});
  check_out_of_memory("contiguous", [&] { return weft::contiguous(wide.transpose(0, 1)); });
  check_out_of_memory("contiguous of nine axes", [&] { return weft::contiguous(turned); });
  check_out_of_memory(
      "cast", [&] { return weft::contiguous(wide.flip(0), ScalarType::i16); }, On::four_threads);
  check_out_of_memory_into("copy_out", Tensor::zeros({300, 400}, ScalarType::f64),
                           [&](Tensor& out) { weft::copy_out(out, wide.transpose(0, 1)); });
  check_out_of_memory("arange", [] { return weft::arange(0, 50, 2); });
  check_out_of_memory("linspace", [] { return weft::linspace(0, 1, 33); });
  check_out_of_memory("full", [] { return weft::full({3, 3}, 2.5, ScalarType::f32); });
  check_out_of_memory("materialized casts", [&] {
    Tensor out = Tensor::zeros({400, 300}, ScalarType::f32);
    const Tensor whole = Tensor::full({400, 300}, ScalarType::i32, 3);
    auto iter = TensorIteratorConfig()
                    .add_output(out)
                    .add_input(wide)
                    .add_input(whole)
                    .promote_inputs_to_common_dtype(true)
                    .build();
    iter.materialize_casts();
    weft::cpu_kernel(iter, [](float x, float y) { return x * y; });
    return out;
  });
}

TEST_CASE("out of memory: reductions", "[failing]") {
  const Tensor wide = numbered({300, 400}), deep = numbered(nine_axes);
  const TensorView turned = deep.permute({8, 7, 6, 5, 4, 3, 2, 1, 0});
  const std::array<std::int64_t, 2> both = {0, 1};
  check_out_of_memory(
      "sum of all", [&] { return weft::sum(wide); }, On::four_threads);
  check_out_of_memory("sum of rows", [&] { return weft::sum(wide, {1}); });
  check_out_of_memory("sum of columns", [&] { return weft::sum(wide, {0}, {.keepdim = true}); });
  check_out_of_memory("sum of nine axes", [&] { return weft::sum(turned, {0, 3, 8}); });
  check_out_of_memory(
      "var", [&] { return weft::var(wide.transpose(0, 1), both); }, On::four_threads);
  check_out_of_memory("logsumexp", [&] { return weft::logsumexp(wide, {1}); });
  check_out_of_memory("argmax", [&] { return weft::argmax(turned, 8); });
  check_out_of_memory("amax of f16",
                      [&] { return weft::amax(weft::contiguous(wide, ScalarType::f16)); });
  check_out_of_memory_into("sum_out", Tensor::full({300}, ScalarType::f64, 7),
                           [&](Tensor& out) { weft::sum_out(out, wide, {1}); });
  // Partial accumulators, and scratch memory for those that are large.
  for (const bool rows : {false, true}) {
    const Shape shape = rows ? Shape{300, 1} : Shape{1, 1};
    const auto reduce = [&](Tensor& out) {
      weft::cpu_reduce(weft::TensorIterator::reduce_op(out, wide), WideSum(), 1000);
    };
    check_out_of_memory_into("wide accumulators", Tensor::full(shape, ScalarType::f32, 7), reduce);
    // On several threads, others may have written theirs by then.
    Tensor wanted = Tensor::zeros(shape, ScalarType::f32);
    reduce(wanted);
    const auto make = [&] {
      const auto out = std::make_shared<Tensor>(Tensor::zeros(shape, ScalarType::f32));
      return Attempt{[&, out] { reduce(*out); },
                     [&, out] { return test::same_elements(*out, wanted); }};
    };
    check_out_of_memory("wide accumulators, shared", std::function<Attempt()>(make),
                        On::four_threads);
  }
  check_out_of_memory_into(
      "parallel_reduce", undefined,
      [&](Tensor& out) {
        Tensor result = Tensor::zeros({1, 1}, ScalarType::f32);
        weft::TensorIterator::reduce_op(result, wide)
            .parallel_reduce(
                [](char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
                  for (std::int64_t j = 0; j < n1; ++j) {
                    for (std::int64_t i = 0; i < n0; ++i) {
                      *reinterpret_cast<float*>(data[0] + i * strides[0] + j * strides[2]) +=
                          *reinterpret_cast<float*>(data[1] + i * strides[1] + j * strides[3]);
                    }
                  }
                });
        out = std::move(result);
      },
      On::four_threads);
}

TEST_CASE("out of memory: prefix operations and softmax", "[failing]") {
  const Tensor wide = numbered({300, 400}), deep = numbered(nine_axes);
  const TensorView turned = deep.permute({8, 7, 6, 5, 4, 3, 2, 1, 0});
  check_out_of_memory(
      "cumsum", [&] { return weft::cumsum(wide, 0); }, On::four_threads);
  check_out_of_memory("cumsum of nine axes", [&] { return weft::cumsum(turned, 8); });
  check_out_of_memory("logcumsumexp", [&] { return weft::logcumsumexp(wide.transpose(0, 1), 0); });
  check_out_of_memory("cummax", [&] { return weft::cummax(wide, 1).values; });
  check_out_of_memory(
      "softmax", [&] { return weft::softmax(wide, 1); }, On::four_threads);
  check_out_of_memory("softmax of columns", [&] { return weft::softmax(wide, 0); });
  check_out_of_memory("log_softmax of nine axes", [&] { return weft::log_softmax(turned, 0); });
  check_out_of_memory("softmax of f16", [&] {
    return weft::softmax(weft::contiguous(wide, ScalarType::f16).transpose(0, 1), 0);
  });
  check_out_of_memory_into("a kernel of the user's", undefined, [&](Tensor& out) {
    Tensor result = Tensor::zeros({300, 400}, ScalarType::f32);
    weft::cpu_cumulative(result, wide, 0, RunningSum());
    out = std::move(result);
  });
}

TEST_CASE("out of memory: products", "[failing]") {
  for (const ScalarType type : {ScalarType::f32, ScalarType::f16, ScalarType::i32}) {
    const Tensor a = numbered({90, 70}, type), b = numbered({70, 110}, type);
    const Tensor strided = numbered({70, 3, 90}, type);
    check_out_of_memory(
        "matmul", [&] { return weft::matmul(a, b); }, On::four_threads);
    check_out_of_memory("matmul, strided", [&] {
      return weft::matmul(strided.select(1, 1).transpose(0, 1), b.flip(0));
    });
    check_out_of_memory("matmul, batched", [&] {
      const TensorView many = a.unsqueeze(0).unsqueeze(0);
      return weft::matmul(many, b.unsqueeze(0));
    });
    check_out_of_memory_into(
        "matmul_out", Tensor::full({90, 110}, type, 7),
        [&](Tensor& out) { weft::matmul_out(out, a, b); }, On::four_threads);
    if (type == ScalarType::i32) continue;
    check_out_of_memory_into("a packed matrix", undefined, [&](Tensor& out) {
      Tensor result = Tensor::zeros({90, 110}, type);
      const weft::PackedMatrix packed(b);
      weft::multiply_out(TensorView(result), a, packed);
      out = std::move(result);
    });
  }
}

TEST_CASE("out of memory: indexes and masks", "[failing]") {
  const Tensor a = numbered({60, 50});
  const Tensor rows = Tensor::of<std::int64_t>({4}, {3, -1, 0, 59});
  const Tensor places = Tensor::full({60, 50}, ScalarType::i64, 7);
  const Tensor mask = weft::contiguous(a, ScalarType::boolean);
  check_out_of_memory("index_select",
                      [&] { return weft::index_select(a.transpose(0, 1), 1, rows); });
  check_out_of_memory("take", [&] { return weft::take(a, places); });
  check_out_of_memory("gather", [&] { return weft::gather(a, 1, places); });
  check_out_of_memory("scatter", [&] { return weft::scatter(a, 1, places, a); });
  check_out_of_memory("scatter_add", [&] { return weft::scatter_add(a, 0, places, a); });
  check_out_of_memory_into("scatter_out", Tensor::full({60, 50}, ScalarType::f32, 7),
                           [&](Tensor& out) { weft::scatter_out(out, a, 1, places, a); });
  check_out_of_memory("masked_fill", [&] { return weft::masked_fill(a, mask, 3); });
  check_out_of_memory("masked_select",
                      [&] { return weft::masked_select(a.transpose(0, 1), mask.transpose(0, 1)); });
  check_out_of_memory("nonzero", [&] { return weft::nonzero(a); });
  check_out_of_memory_into("nonzero_out", undefined,
                           [&](Tensor& out) { weft::nonzero_out(out, a); });
}
