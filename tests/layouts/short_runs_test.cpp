// SPDX-License-Identifier: Apache-2.0
// Reductions of short rows, of which few follow each other: kept dims change places then.
#include <weft/core/shape.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/dense.hpp"

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Small integers, of which sums and products are exact in any order.
Tensor numbers(test::Random& random, const Dims& shape, ScalarType type) {
  const Tensor wide = Tensor::empty(shape, ScalarType::i64);
  for (std::int64_t i = 0; i < wide.numel(); ++i)
    wide.data_as<std::int64_t>()[i] = random.integer(-9, 9);
  const Tensor made = Tensor::empty(shape, type);
  weft::copy_out(made, wide);
  return made;
}

}  // namespace

TEST_CASE("short runs: kept dims in any order, with gaps and backwards", "[layouts]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(150); ++round) {
    const std::int64_t rows = random.integer(1, 700), few = random.integer(1, 5),
                       n = random.integer(1, 20), more = random.integer(1, 3);
    const ScalarType type = random.pick(std::vector<ScalarType>{ScalarType::f32, ScalarType::f64,
                                                                ScalarType::i64, ScalarType::f16});
    const Tensor all = numbers(random, {more, rows, few + 1, n}, type);
    // A part of the third axis, or that axis backwards; axes in another order.
    TensorView view = all.slice(2, 0, few);
    if (random.chance(50)) view = view.flip(2);
    if (random.chance(30)) view = view.transpose(0, 1);
    if (random.chance(30)) view = view.transpose(1, 2);
    const Tensor dense = Tensor::copy_of(view);
    Dims kept(view.shape().begin(), view.shape().end() - 1);
    // An output in another order, too.
    const Tensor turned = Tensor::empty({kept[2], kept[1], kept[0]}, type);
    const Tensor straight = Tensor::empty(kept, type);
    const Tensor sums = weft::sum(dense, {-1}), most = weft::amax(dense, {-1});
    INFO(weft::to_string(view.shape()) << weft::to_string(view.strides()) << weft::name(type));
    test::in_arena(3, [&] {
      for (const int threads : {1, 3}) {
        weft::set_num_threads(threads);
        for (const TensorView& out : {TensorView(straight), turned.transpose(0, 2)}) {
          weft::sum_out(out, view, {-1});
          CHECK(test::difference(out, test::dense_copy(sums)) == "");
          weft::amax_out(out, view, {-1});
          CHECK(test::difference(out, test::dense_copy(most)) == "");
        }
      }
      weft::set_num_threads(0);
    });
  }
}
