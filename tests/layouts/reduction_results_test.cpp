// SPDX-License-Identifier: Apache-2.0
// Reductions whose results are transposed to the order in which they are made, few and many: bit
// for bit those of an output that lies as they are made, of any type, for any number of threads.
#include <weft/ops/reduce.hpp>
#include <weft/ops/registry.hpp>

#include "support/dense.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

namespace {

using test::Dims;
using test::Random;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

struct Function {
  const char* name;
  int results;
  std::function<void(const std::vector<TensorView>&, const TensorView&, const Dims&)> call;
};

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {
      {"sum", 1, [](auto& out, auto& a, auto& axes) { weft::sum_out(out[0], a, axes); }},
      {"amax", 1, [](auto& out, auto& a, auto& axes) { weft::amax_out(out[0], a, axes); }},
      {"logsumexp", 1,
       [](auto& out, auto& a, auto& axes) { weft::logsumexp_out(out[0], a, axes); }},
      {"any", 1, [](auto& out, auto& a, auto& axes) { weft::any_out(out[0], a, axes); }},
      {"aminmax", 2,
       [](auto& out, auto& a, auto& axes) { weft::aminmax_out(out[0], out[1], a, axes); }},
      {"var_mean", 2,
       [](auto& out, auto& a, auto& axes) { weft::var_mean_out(out[0], out[1], a, axes); }},
  };
  return all;
}

/// A shape of three or four axes with about `results` elements outside `axes`, which are one or
/// two.
struct Problem {
  Dims shape, axes, kept, kept_axes;
};
Problem draw(Random& random, std::int64_t results) {
  Problem p;
  const auto rank = static_cast<std::size_t>(random.integer(3, 4));
  const auto order = random.permutation(static_cast<std::int64_t>(rank));
  const std::size_t nreduced = rank == 4 && random.chance(50) ? 2 : 1;
  p.shape.assign(rank, 1);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto axis = static_cast<std::size_t>(order[i]);
    if (i < nreduced) {
      p.axes.push_back(order[i]);
      p.shape[axis] = random.integer(2, nreduced == 2 ? 9 : 40);
    } else if (i + 1 < rank) {
      p.shape[axis] = random.integer(2, 70);
      results = std::max<std::int64_t>(1, results / p.shape[axis]);
    } else {
      p.shape[axis] = results;
    }
  }
  std::sort(p.axes.begin(), p.axes.end());
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(rank); ++axis) {
    if (std::find(p.axes.begin(), p.axes.end(), axis) != p.axes.end()) continue;
    p.kept.push_back(p.shape[static_cast<std::size_t>(axis)]);
    p.kept_axes.push_back(axis);
  }
  return p;
}

/// Dense in a random order of the axes, or with gaps.
Tensor permuted(Random& random, ScalarType type, const Dims& shape) {
  Dims strides(shape.size());
  std::int64_t step = 1;
  for (const std::int64_t axis : random.permutation(static_cast<std::int64_t>(shape.size()))) {
    strides[static_cast<std::size_t>(axis)] = step;
    step *= shape[static_cast<std::size_t>(axis)];
    if (random.chance(10)) step += random.integer(1, 3);
  }
  return Tensor::empty_strided(shape, strides, type);
}

/// Dense, its axes in the order in which those of `a` that are kept lie.
Tensor in_order_of(const TensorView& a, const Problem& p, ScalarType type) {
  std::vector<std::size_t> order(p.kept.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  const auto step = [&](std::size_t i) {
    return a.strides()[static_cast<std::size_t>(p.kept_axes[i])];
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return step(i) < step(j); });
  Dims strides(order.size());
  std::int64_t next = 1;
  for (const std::size_t i : order) {
    strides[i] = next;
    next *= p.kept[i];
  }
  return Tensor::empty_strided(p.kept, strides, type);
}

}  // namespace

TEST_CASE("transposed results: the same bits as in the order in which they are made", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(80); ++round) {
    const Function& f = random.pick(functions());
    const bool truth = std::string_view(f.name) == "any";
    const auto type = random.pick(std::vector<ScalarType>{f32, f32, f64, f16});
    const auto result =
        truth ? boolean : random.pick(std::vector<ScalarType>{type, type, f64, bf16});
    // From below what is written in any order to above what is put together.
    const Problem p = draw(random, std::int64_t{256} << random.integer(0, 9));
    const Tensor a = permuted(random, type, p.shape);
    test::fill(type, a.data(), a.end_byte() / weft::element_size(type), random,
               test::Values::small);
    std::vector<Tensor> want, got;
    const Tensor other = permuted(random, result, p.kept);
    for (int k = 0; k < f.results; ++k) {
      want.push_back(in_order_of(a, p, result));
      got.push_back(Tensor::empty_strided(p.kept, other.strides(), result));
    }
    f.call({want.begin(), want.end()}, a, p.axes);
    test::for_thread_counts([&](int threads) {
      for (const Tensor& out : got)
        std::memset(out.data(), 0x5a, static_cast<std::size_t>(out.end_byte()));
      f.call({got.begin(), got.end()}, a, p.axes);
      for (std::size_t k = 0; k < got.size(); ++k) {
        const std::string wrong = test::difference(got[k], test::dense_copy(want[k]));
        tally.check(wrong.empty(), [&](auto& text) {
          test::describe(text << f.name << " of ", a) << " over " << weft::to_string(p.axes);
          test::describe(text << " into ", got[k]) << ", " << threads << " threads: " << wrong;
        });
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("transposed results: outputs of different orders", "[layouts]") {
  WEFT_RANDOM(random);
  for (const Dims& shape : {Dims{2, 300, 400}, Dims{7, 90, 500}}) {
    Tensor a = Tensor::zeros(shape, ScalarType::f32);
    test::fill(ScalarType::f32, a.data(), a.numel(), random, test::Values::small);
    const Dims kept = {shape[1], shape[2]};
    const auto output = [&](bool transposed) {
      const Dims strides = {transposed ? 1 : kept[1], transposed ? kept[0] : 1};
      return Tensor::empty_strided(kept, strides, ScalarType::f32);
    };
    const Tensor var = output(false), mean = output(false);
    weft::var_mean_out(var, mean, a, {0});
    for (const bool first : {false, true}) {
      const Tensor var2 = output(first), mean2 = output(!first);
      weft::var_mean_out(var2, mean2, a, {0});
      CHECK(test::difference(var2, test::dense_copy(var)).empty());
      CHECK(test::difference(mean2, test::dense_copy(mean)).empty());
    }
  }
}

TEST_CASE("transposed results: explained", "[layouts]") {
  const Tensor in = Tensor::zeros({30, 40, 50}, ScalarType::f32);
  const Tensor straight = Tensor::zeros({40, 50}, ScalarType::f32);
  const Tensor transposed = Tensor::zeros({50, 40}, ScalarType::f32);
  const std::vector<TensorView> inputs = {in};
  const auto access = [&](const TensorView& to) {
    const std::vector<TensorView> outputs = {to};
    const weft::OpArguments args{.outputs = outputs, .inputs = inputs, .axes = {0}};
    return weft::find_op("sum", args).explain(args).operands[0].access;
  };
  CHECK(access(straight) == "reduced into, column by column");
  CHECK(access(transposed.transpose(0, 1)) ==
        "reduced into, column by column, results put together first");
}
