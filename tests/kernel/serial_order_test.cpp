// SPDX-License-Identifier: Apache-2.0
// The order in which cpu_serial_kernel visits elements: the plan's, for operands in place, packed
// and converted.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/ops/copy.hpp>

#include "support/seed.hpp"

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// A view of some dims, permuted, stepped over and turned, of a tensor that holds its positions.
TensorView random_view(test::Random& random, const Tensor& positions,
                       const std::vector<std::int64_t>& shape) {
  TensorView view = TensorView(positions).as_strided(shape, [&] {
    std::vector<std::int64_t> strides(shape.size());
    std::vector<std::size_t> order(shape.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(
          order[i - 1],
          order[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(i) - 1))]);
    std::int64_t stride = random.integer(1, 2);
    for (const std::size_t d : order) {
      strides[d] = stride;
      stride *= shape[d] + (random.chance(30) ? random.integer(1, 3) : 0);
    }
    return strides;
  }());
  for (std::size_t d = 0; d < shape.size(); ++d)
    if (random.chance(20)) view = view.flip(static_cast<std::int64_t>(d));
  return view;
}

/// What serial_for_each sees of the last operand.
std::vector<std::int32_t> order_of(const TensorIterator& iter) {
  std::vector<std::int32_t> seen;
  iter.serial_for_each([&](char** data, const std::int64_t* strides, std::int64_t n) {
    const int last = iter.ntensors() - 1;
    for (std::int64_t i = 0; i < n; ++i)
      seen.push_back(*reinterpret_cast<const std::int32_t*>(data[last] + i * strides[last]));
  });
  return seen;
}

}  // namespace

TEST_CASE("serial kernels: elements come in the plan's order", "[kernel]") {
  WEFT_RANDOM(random);
  const Tensor positions = Tensor::empty({1 << 21}, ScalarType::i32);
  std::iota(positions.data_as<std::int32_t>(),
            positions.data_as<std::int32_t>() + positions.numel(), 0);
  const Tensor other = Tensor::empty({1 << 21}, ScalarType::f32);
  for (int round = 0; round < test::rounds(300); ++round) {
    const auto rank = static_cast<std::size_t>(random.integer(0, 5));
    std::vector<std::int64_t> shape(rank);
    std::int64_t numel = 1;
    for (std::int64_t& extent : shape) {
      extent = random.integer(1, random.chance(20) ? 300 : 12);
      if (numel * extent > 30'000) extent = 1;
      numel *= extent;
    }
    const TensorView in = random_view(random, positions, shape);
    const TensorView beside = random_view(random, other, shape);
    const bool linear = random.chance(50);
    TensorIteratorConfig config;
    config.check_all_same_dtype(false).enforce_linear_iteration(linear);
    const TensorIterator alone = config.add_input(in).build();
    std::vector<std::int32_t> in_place, converted, pair;
    weft::cpu_serial_kernel(alone, [&](std::int32_t x) { in_place.push_back(x); });
    weft::cpu_serial_kernel(alone,
                            [&](double x) { converted.push_back(static_cast<std::int32_t>(x)); });
    const std::vector<std::int32_t> expected = order_of(alone);
    INFO("round " << round << ", rank " << rank << (linear ? ", linear" : "") << ", seed "
                  << test::seed());
    CHECK(in_place == expected);
    CHECK(converted == expected);
    const TensorIterator both = TensorIteratorConfig()
                                    .check_all_same_dtype(false)
                                    .enforce_linear_iteration(linear)
                                    .add_input(beside)
                                    .add_input(in)
                                    .build();
    weft::cpu_serial_kernel(both, [&](float, std::int32_t x) { pair.push_back(x); });
    CHECK(pair == order_of(both));
    if (!linear) continue;
    // C order: what a row-major copy of the view holds.
    const Tensor copy = Tensor::empty(shape, ScalarType::i32);
    weft::copy_out(copy, in);
    CHECK(in_place == std::vector<std::int32_t>(copy.data_as<std::int32_t>(),
                                                copy.data_as<std::int32_t>() + copy.numel()));
  }
}
