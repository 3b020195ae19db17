// SPDX-License-Identifier: Apache-2.0
// parallel_reduce and foreach_reduced_elt: the raw forms of reducing.
#include <weft/iter/config.hpp>
#include <weft/parallel/parallel.hpp>

#include "support/arena.hpp"
#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

#include <cstring>
#include <map>
#include <mutex>

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

template <class T>
void add_into(char** data, const std::int64_t* strides, std::int64_t n0, std::int64_t n1) {
  for (std::int64_t j = 0; j < n1; ++j) {
    for (std::int64_t i = 0; i < n0; ++i) {
      *reinterpret_cast<T*>(data[0] + i * strides[0] + j * strides[2]) +=
          *reinterpret_cast<T*>(data[1] + i * strides[1] + j * strides[3]);
    }
  }
}

Tensor random_input(test::Random& random, const Dims& shape) {
  Tensor a = Tensor::empty(shape, ScalarType::f32);
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    a.data_as<float>()[i] = static_cast<float>(random.integer(-1000000, 1000000)) * 1e-3f;
  }
  return a;
}

/// All ways of reducing some axes of a shape.
std::vector<Dims> reduced_shapes(const Dims& shape) {
  std::vector<Dims> all;
  for (unsigned mask = 0; mask < 1u << shape.size(); ++mask) {
    Dims out = shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if ((mask >> axis & 1) != 0) out[axis] = 1;
    }
    all.push_back(out);
  }
  return all;
}

}  // namespace

TEST_CASE("parallel_reduce: sums of integers are exact, for every set of axes", "[parallel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Dims& shape : {Dims{5, 4, 3}, Dims{3, 150, 100}, Dims{70000}, Dims{40000, 2},
                            Dims{2, 40000}, Dims{4, 0, 3}, Dims{}}) {
    Tensor a = Tensor::empty(shape, ScalarType::i64);
    for (std::int64_t i = 0; i < a.numel(); ++i)
      a.data_as<std::int64_t>()[i] = random.integer(-99, 99);
    for (const Dims& out_shape : reduced_shapes(shape)) {
      const Tensor wanted = Tensor::full(out_shape, ScalarType::i64, 1000);
      const test::NaiveOperand out_layout{out_shape, test::row_major(out_shape), 1};
      std::int64_t flat = 0;
      test::for_each_index(shape, [&](const Dims& index) {
        wanted.data_as<std::int64_t>()[test::naive_offset(out_layout, index)] +=
            a.data_as<std::int64_t>()[flat++];
      });
      for (const int threads : {1, 3, 8}) {
        test::in_arena(threads, [&] {
          const Tensor out = Tensor::full(out_shape, ScalarType::i64, 1000);
          TensorIterator::reduce_op(out, a).parallel_reduce(add_into<std::int64_t>);
          // Every output began as 1000; pieces that start from a copy of it count it again.
          const bool one = out.numel() == 1 && a.numel() > weft::default_grain;
          const std::int64_t pieces =
              one ? (a.numel() + weft::default_grain - 1) / weft::default_grain : 0;
          bool right = true;
          for (std::int64_t i = 0; i < out.numel(); ++i) {
            right = right && out.data_as<std::int64_t>()[i] ==
                                 wanted.data_as<std::int64_t>()[i] + 1000 * pieces;
          }
          tally.check(right, [&](auto& text) {
            text << weft::to_string(shape) << " to " << weft::to_string(out_shape) << " on "
                 << threads;
          });
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("parallel_reduce: the same bits for any number of threads", "[parallel]") {
  WEFT_RANDOM(random);
  for (const Dims& shape : {Dims{200000}, Dims{3, 70000}, Dims{70000, 3}, Dims{40, 50, 60}}) {
    const Tensor a = random_input(random, shape);
    for (const Dims& out_shape : reduced_shapes(shape)) {
      CAPTURE(weft::to_string(shape), weft::to_string(out_shape));
      std::vector<std::vector<float>> results;
      for (const int threads : {1, 2, 3, 4, 8}) {
        test::in_arena(threads, [&] {
          const Tensor out = Tensor::zeros(out_shape, ScalarType::f32);
          TensorIterator::reduce_op(out, a).parallel_reduce(add_into<float>);
          results.emplace_back(out.data_as<float>(), out.data_as<float>() + out.numel());
        });
      }
      for (const auto& result : results) {
        if (result != results[0]) FAIL_CHECK("results differ");
      }
    }
  }
}

TEST_CASE("parallel_reduce: takes one output and one input", "[parallel]") {
  const Tensor a = Tensor::zeros({3}, ScalarType::f32);
  const Tensor out = Tensor::zeros({1}, ScalarType::f32);
  const Tensor other = Tensor::zeros({1}, ScalarType::f32);
  CHECK_ERROR(invalid_argument, ("parallel_reduce", "2 and 1"),
              TensorIterator::reduce_op(out, other, a).parallel_reduce(add_into<float>));
  CHECK_ERROR(invalid_argument, ("0 and 1"),
              TensorIteratorConfig().add_input(a).build().parallel_reduce(add_into<float>));
}

TEST_CASE("foreach_reduced_elt: once per output element, over what belongs to it", "[parallel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(60); ++round) {
    const Dims shape = test::random_shape(random, 4, 4);
    const test::Memory in(ScalarType::i32, test::random_layout(random, shape));
    const Dims out_shape = random.pick(reduced_shapes(shape));
    const test::Memory out(ScalarType::i32,
                           test::random_layout(random, out_shape, {.zero = false}));
    // Input offsets that belong to each output offset.
    std::map<std::int64_t, std::vector<std::int64_t>> wanted;
    test::for_each_index(shape, [&](const Dims& index) {
      wanted[test::naive_offset(out.naive(), index)].push_back(
          test::naive_offset(in.naive(), index));
    });
    for (auto& [at, list] : wanted)
      std::sort(list.begin(), list.end());
    const TensorView views[] = {out.view(), in.view()};
    const TensorIterator iter = TensorIterator::reduce_op(views[0], views[1]);
    for (const bool parallelize : {false, true}) {
      std::map<std::int64_t, std::vector<std::int64_t>> got;
      std::mutex mutex;
      bool once = true;
      test::in_arena(3, [&] {
        iter.foreach_reduced_elt(
            [&](TensorIterator& part) {
              std::vector<std::int64_t> list;
              for (const Dims& tuple : test::visited(part))
                list.push_back(tuple[1]);
              std::sort(list.begin(), list.end());
              const std::lock_guard lock(mutex);
              const std::int64_t at =
                  static_cast<char*>(part.data_ptr(0)) - static_cast<char*>(views[0].data());
              once = once && got.count(at) == 0;
              got[at] = list;
            },
            parallelize);
      });
      tally.check(once && got == wanted, [&](auto& text) {
        text << weft::to_string(shape) << " to " << weft::to_string(out_shape);
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("foreach_reduced_elt: the part stands still along its outputs", "[parallel]") {
  const Tensor a = Tensor::zeros({3, 4, 5}, ScalarType::f32);
  const Tensor out = Tensor::zeros({3, 1, 5}, ScalarType::f32);
  const Tensor count = Tensor::zeros({3, 1, 5}, ScalarType::f32);
  int calls = 0;
  TensorIterator::reduce_op(out, count, a)
      .foreach_reduced_elt(
          [&](TensorIterator& part) {
            ++calls;
            CHECK(part.numel() == 4);
            for (int d = 0; d < part.ndim(); ++d) {
              const auto at = static_cast<std::size_t>(d);
              const bool still = part.strides(0)[at] == 0 && part.strides(1)[at] == 0;
              CHECK((still || part.shape()[at] == 1));
            }
          },
          false);
  CHECK(calls == 15);
  CHECK_ERROR(
      invalid_argument, ("foreach_reduced_elt", "0 and 1"),
      TensorIteratorConfig().add_input(a).build().foreach_reduced_elt([](TensorIterator&) {}));
}
