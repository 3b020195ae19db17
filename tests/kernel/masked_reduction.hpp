// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random reductions with a mask, and structs that are told by a bool what to leave out: their bits
/// are those of structs in masked().
#pragma once

#include <weft/iter/config.hpp>
#include <weft/kernel/reduce.hpp>

#include "support/dense.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <cstdint>
#include <cstring>
#include <vector>

namespace test {

inline weft::TensorIterator reduction(const std::vector<weft::TensorView>& outs,
                                      const std::vector<weft::TensorView>& ins) {
  weft::TensorIteratorConfig config;
  for (const weft::TensorView& out : outs)
    config.add_output(out);
  for (const weft::TensorView& in : ins)
    config.add_input(in);
  return config.check_all_same_dtype(false).resize_outputs(false).is_reduction(true).build();
}

template <class T>
struct Dot {
  T identity() const { return 0; }
  T accumulate(T sum, T x, T w) const { return sum + x * w; }
  T combine(T a, T b) const { return a + b; }
  T project(T sum) const { return sum; }
};

/// Operands of a random call: numbers, weights, and a mask of any layout.
struct Operands {
  Operands(Random& random, weft::ScalarType type, int round)
      : shape(round % 10 == 0 ? Dims{random.integer(1, 4), random.integer(2000, 20000)}
              : round % 10 == 5
                  ? Dims{random.integer(100, 3000), random.integer(1, 20)}
                  : Dims{random.integer(1, 6), random.integer(1, 9), random.integer(1, 90)}),
        kept(shape),
        x(random_memory(random, type, random_layout(random, shape), Values::small)),
        w(random_memory(random, type, random_layout(random, random.chance(50) ? shape : Dims{}),
                        Values::small)),
        mask(random_memory(
            random, weft::ScalarType::boolean,
            random_layout(random,
                          random.chance(60) ? shape : random_operand_shape(random, shape)))) {
    const int percent = random.pick(std::vector<int>{0, 10, 50, 99, 100});
    for (std::int64_t i = 0; i < mask.size_bytes(); ++i)
      mask.data()[i] = std::byte(random.chance(percent) ? random.integer(1, 255) : 0);
    if (random.chance(70)) {
      kept[random.chance(50) ? 0 : shape.size() - 1] = 1;
    } else {
      kept.assign(shape.size(), 1);
    }
  }
  /// Empty if the element does not count.
  template <class F>
  void for_each(const F& f) const {
    for_each_index(shape, [&](const Dims& index) {
      const bool is = std::to_integer<int>(*element_at(mask.view(), index)) != 0;
      f(index, is);
    });
  }

  Dims shape, kept;
  Memory x, w, mask;
};

template <class Told, class Op, class Result>
void check_bits(Tally& tally, const char* name, const Operands& of, const Told& told, const Op& op,
                const std::vector<weft::TensorView>& inputs, const Result& results) {
  const std::vector<weft::Tensor> want = results();
  const auto views = [](const std::vector<weft::Tensor>& list) {
    return std::vector<weft::TensorView>(list.begin(), list.end());
  };
  weft::cpu_reduce(reduction(views(want), inputs), told);
  for_thread_counts([&](int threads) {
    const std::vector<weft::Tensor> got = results();
    weft::cpu_reduce(reduction(views(got), inputs), weft::masked(op), threads == 3 ? 100 : 0);
    for (std::size_t k = 0; k < got.size(); ++k) {
      const bool same = std::memcmp(got[k].data(), want[k].data(),
                                    static_cast<std::size_t>(got[k].nbytes())) == 0;
      tally.check(same, [&](auto& text) {
        text << name << ", " << threads << " threads: " << weft::to_string(of.shape) << " to "
             << weft::to_string(of.kept);
      });
    }
  });
}

}  // namespace test
