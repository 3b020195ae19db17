// SPDX-License-Identifier: Apache-2.0
// cpu_index_kernel: gathering and scattering by index tensors.
#include <weft/iter/config.hpp>
#include <weft/kernel/index_kernel.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <cstring>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

TensorIterator index_iterator(const TensorView& destination, const TensorView& source,
                              const std::vector<TensorView>& indexes) {
  TensorIteratorConfig config;
  config.add_output(destination).add_input(source).check_all_same_dtype(false);
  for (const TensorView& index : indexes)
    config.add_input(index);
  return config.resize_outputs(false).build();
}

/// Indexes of an axis, some counted from the end.
Memory random_indexes(test::Random& random, const Dims& shape, std::int64_t extent) {
  Memory memory(ScalarType::i64,
                test::random_layout(random, test::random_operand_shape(random, shape)));
  for (std::int64_t i = 0; i < memory.layout().size; ++i) {
    test::store(memory.data() + 8 * i, random.integer(-extent, extent - 1));
  }
  return memory;
}

constexpr auto read_at = [](char* dst, char* src, std::int64_t offset) {
  std::memcpy(dst, src + offset, sizeof(float));
};

}  // namespace

TEST_CASE("cpu_index_kernel: gathers along one to three axes", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(300); ++round) {
    // source[index0, index1, ...] for index tensors that broadcast to the destination's shape.
    Dims extents(static_cast<std::size_t>(random.integer(1, 3)));
    for (std::int64_t& extent : extents)
      extent = random.integer(1, 6);
    const Memory source =
        test::random_memory(random, ScalarType::f32, test::random_layout(random, extents));
    const Dims shape = test::random_shape(random, 3, round % 10 == 0 ? 40 : 6);
    std::vector<Memory> indexes;
    std::vector<TensorView> views;
    Dims strides;
    TensorView origin = source.view();
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      indexes.push_back(random_indexes(random, shape, extents[axis]));
      views.push_back(indexes.back().view());
      strides.push_back(source.layout().strides[axis] * 4);
      origin = origin.select(0, 0);
    }
    const Memory destination = test::random_output(random, ScalarType::f32, shape);
    const auto want = test::naive_map(ScalarType::f32, shape, views, [&](const auto* in, void* to) {
      Dims at;
      for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        const auto index = test::load<std::int64_t>(in[axis]);
        at.push_back(index < 0 ? index + extents[axis] : index);
      }
      std::memcpy(to, test::element_at(source.view(), at), sizeof(float));
    });
    const auto iter = index_iterator(destination.view(), origin, views);
    const bool serial = random.chance(50);
    test::in_arena(4, [&] { weft::cpu_index_kernel(iter, extents, strides, read_at, serial); });
    const std::string wrong = test::difference(destination.view(), want);
    tally.check(wrong.empty(), [&](auto& out) { out << weft::to_string(shape) << ": " << wrong; });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_index_kernel: rows of a matrix", "[kernel]") {
  WEFT_RANDOM(random);
  const Memory source = test::random_memory(random, ScalarType::f32, test::fit({{9, 50}, {53, 1}}));
  const auto rows = Tensor::of<std::int64_t>({4, 1}, {8, 0, -2, 0});
  const Tensor out = Tensor::zeros({4, 50}, ScalarType::f32);
  const auto iter = index_iterator(out, source.view().select(0, 0), {rows});
  weft::cpu_index_kernel(iter, {9}, {53 * 4}, read_at);
  const std::int64_t wanted[] = {8, 0, 7, 0};
  for (std::int64_t i = 0; i < 4; ++i) {
    CHECK(test::difference(out.select(0, i),
                           test::dense_copy(source.view().select(0, wanted[i]))) == "");
  }
}

TEST_CASE("cpu_index_kernel: scatters, serially where writes may meet", "[kernel]") {
  // counts[index] += 1, ten thousand of them into seven places.
  WEFT_RANDOM(random);
  const Tensor counts = Tensor::zeros({7}, ScalarType::i64);
  const Tensor ones = Tensor::full({10'000}, ScalarType::i64, 1);
  const Memory indexes(ScalarType::i64, test::fit({{10'000}, {1}}));
  std::int64_t wanted[7] = {};
  for (std::int64_t i = 0; i < 10'000; ++i) {
    const std::int64_t index = random.integer(-7, 6);
    test::store(indexes.data() + 8 * i, index);
    ++wanted[(index + 7) % 7];
  }
  TensorIteratorConfig config;
  const TensorView target = counts.select(0, 0).expand({10'000});
  config.add_output(target).add_owned_input(ones).add_owned_input(
      Tensor::share(nullptr, indexes.view()));
  const auto iter = config.set_check_mem_overlap(false).resize_outputs(false).build();
  test::in_arena(4, [&] {
    weft::cpu_index_kernel(
        iter, {7}, {8},
        [](char* dst, char* src, std::int64_t offset) {
          test::store(dst + offset,
                      test::load<std::int64_t>(dst + offset) + test::load<std::int64_t>(src));
        },
        true);
  });
  for (std::int64_t i = 0; i < 7; ++i)
    CHECK(counts.at<std::int64_t>({i}) == wanted[i]);
}

TEST_CASE("cpu_index_kernel: an index out of range", "[kernel]") {
  const Tensor source = Tensor::full({5, 6}, ScalarType::f32, 1);
  const auto origin = source.select(0, 0).select(0, 0);
  const Tensor zeros = Tensor::zeros({4}, ScalarType::i64);
  for (const std::int64_t wrong :
       {std::int64_t{5}, std::int64_t{-6}, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    const auto bad = Tensor::of<std::int64_t>({4}, {0, 1, wrong, 2});
    const Tensor out = Tensor::zeros({4}, ScalarType::f32);
    CHECK_ERROR(axis, ("input 1", std::to_string(wrong), "axis 0", "extent 5"),
                weft::cpu_index_kernel(index_iterator(out, origin, {bad, zeros}), {5, 6}, {24, 4},
                                       read_at));
    CHECK_ERROR(axis, ("input 2", std::to_string(wrong), "axis 1", "extent 5"),
                weft::cpu_index_kernel(index_iterator(out, origin, {zeros, bad}), {6, 5}, {24, 4},
                                       read_at));
  }
}

TEST_CASE("cpu_index_kernel: operands that do not fit", "[kernel]") {
  const Tensor out = Tensor::full({4}, ScalarType::f32, 7);
  const Tensor source = Tensor::full({5}, ScalarType::f32, 1);
  const Tensor i64 = Tensor::zeros({4}, ScalarType::i64);
  const Tensor i32 = Tensor::zeros({4}, ScalarType::i32);
  const auto origin = source.select(0, 0);
  const auto run = [&](const std::vector<TensorView>& indexes, const Dims& extents,
                       const Dims& strides) {
    weft::cpu_index_kernel(index_iterator(out, origin, indexes), extents, strides, read_at);
  };
  CHECK_ERROR(dtype, ("input 1", "i32", "i64"), run({i32}, {5}, {4}));
  CHECK_ERROR(dtype, ("input 2", "i32", "i64"), run({i64, i32}, {5, 5}, {4, 4}));
  CHECK_ERROR(invalid_argument, ("2 extents", "1 strides"), run({i64}, {5, 5}, {4}));
  CHECK_ERROR(invalid_argument, ("3 operands"), run({i64}, {5, 5}, {4, 4}));
  CHECK_ERROR(invalid_argument, ("4 operands"), run({i64, i64}, {5}, {4}));
  CHECK(test::difference(out, test::dense_copy(Tensor::full({4}, ScalarType::f32, 7))) == "");
}
