// SPDX-License-Identifier: Apache-2.0
// Operands whose elements lie beside each other in memory, as the channels of pixels do: they are
// moved between there and their buffers together.
#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/ops/binary.hpp>

#include "support/dense.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <vector>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::TensorView;

/// Pixels of some channels in an order of their own, each with elements beside that are nobody's.
template <class T>
class Pixels {
 public:
  Pixels(test::Random& random, const Dims& shape, std::size_t channels) : shape_(shape) {
    const std::int64_t gap = random.chance(60) ? 0 : random.integer(1, 3);
    const auto step = static_cast<std::int64_t>(channels) + gap;
    std::int64_t all = step;
    strides_.resize(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      strides_[axis] = all;
      all *= shape[axis];
      if (random.chance(20)) all += step * random.integer(1, 3);
    }
    memory_.resize(static_cast<std::size_t>(all));
    for (T& value : memory_)
      value = static_cast<T>(random.integer(0, 50));
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (!random.chance(15)) continue;
      start_ += strides_[axis] * (shape[axis] - 1);
      strides_[axis] = -strides_[axis];
    }
    order_ = random.permutation(static_cast<std::int64_t>(channels));
    if (random.chance(60)) std::ranges::sort(order_);
  }

  TensorView channel(std::size_t c) {
    T* const first = memory_.data() + start_ + order_[c];
    return TensorView::trusted(static_cast<void*>(first), weft::scalar_type_of<T>, shape_,
                               strides_);
  }
  /// The place of an element in what bytes() are.
  std::size_t place(std::size_t c, const Dims& index) const {
    std::int64_t at = start_ + order_[c];
    for (std::size_t axis = 0; axis < index.size(); ++axis)
      at += index[axis] * strides_[axis];
    return static_cast<std::size_t>(at);
  }
  std::vector<T>& elements() { return memory_; }

 private:
  Dims shape_, strides_;
  std::int64_t start_ = 0;
  std::vector<std::int64_t> order_;
  std::vector<T> memory_;
};

/// Channel c of what `nout` channels are made of the inputs' numbers.
template <class C, std::size_t nin>
C mixed(std::size_t c, const std::array<C, nin>& in) {
  C sum = static_cast<C>(c);
  for (std::size_t i = 0; i < nin; ++i)
    sum = static_cast<C>(sum + in[i] * static_cast<C>((i + c) % 3));
  return sum;
}

template <class C, std::size_t nout, std::size_t nin>
auto kernel_of() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return [](decltype(C(I))... in) {
      const std::array<C, nin> all{in...};
      return [&]<std::size_t... O>(std::index_sequence<O...>) {
        return std::make_tuple(mixed<C, nin>(O, all)...);
      }(std::make_index_sequence<nout>());
    };
  }(std::make_index_sequence<nin>());
}

/// A kernel on numbers of C from pixels of In to pixels of Out.
template <class C, class In, class Out, std::size_t nout, std::size_t nin>
void check_pixels(test::Random& random, test::Tally& tally) {
  for (int round = 0; round < test::rounds(6); ++round) {
    Dims shape(static_cast<std::size_t>(random.integer(1, 3)));
    for (std::int64_t& extent : shape)
      extent = random.integer(1, shape.size() == 1 ? 3000 : shape.size() == 2 ? 150 : 20);
    Pixels<In> from(random, shape, nin);
    Pixels<Out> to(random, shape, nout);
    const std::vector<Out> start = to.elements();
    std::vector<Out> want = start;
    test::for_each_index(shape, [&](const Dims& index) {
      std::array<C, nin> in;
      for (std::size_t c = 0; c < nin; ++c)
        in[c] = static_cast<C>(from.elements()[from.place(c, index)]);
      for (std::size_t c = 0; c < nout; ++c)
        want[to.place(c, index)] = static_cast<Out>(mixed<C, nin>(c, in));
    });
    std::vector<TensorView> views;
    for (std::size_t c = 0; c < nout; ++c)
      views.push_back(to.channel(c));
    for (std::size_t c = 0; c < nin; ++c)
      views.push_back(from.channel(c));
    weft::TensorIteratorConfig config;
    for (std::size_t k = 0; k < nout + nin; ++k)
      k < nout ? config.add_output(views[k]) : config.add_input(views[k]);
    config.check_all_same_dtype(false).resize_outputs(false);
    const weft::TensorIterator iter = config.build();
    test::for_thread_counts([&](int threads) {
      for (const std::int64_t grain : {0, 1}) {
        to.elements() = start;  // where it was
        weft::cpu_kernel_multiple_outputs(iter, kernel_of<C, nout, nin>(), grain);
        const bool same =
            std::memcmp(to.elements().data(), want.data(), want.size() * sizeof(Out)) == 0;
        tally.check(same, [&](auto& text) {
          test::describe(text << nin << " channels ", views[nout]) << " to " << nout << " of ";
          test::describe(text, views[0]) << ", " << threads << " threads, grain " << grain;
        });
      }
    });
  }
}

template <class C, class In = C, class Out = C>
void check_counts(test::Random& random, test::Tally& tally) {
  check_pixels<C, In, Out, 2, 2>(random, tally);
  check_pixels<C, In, Out, 3, 3>(random, tally);
  check_pixels<C, In, Out, 1, 4>(random, tally);
  check_pixels<C, In, Out, 4, 1>(random, tally);
  check_pixels<C, In, Out, 5, 2>(random, tally);
}

/// How operands are had, of three channels to three.
std::vector<std::string> accesses(const TensorView& to, const TensorView& from) {
  std::vector<TensorView> views;
  for (const TensorView* pixels : {&to, &from}) {
    for (std::int64_t c = 0; c < 3; ++c)
      views.push_back(pixels->select(1, c));
  }
  weft::TensorIteratorConfig config;
  for (std::size_t k = 0; k < views.size(); ++k)
    k < 3 ? config.add_output(views[k]) : config.add_input(views[k]);
  const weft::TensorIterator iter = config.resize_outputs(false).build();
  const auto kernel = weft::typed_span_kernel(kernel_of<float, 3, 3>());
  std::vector<std::string> found;
  for (const auto& operand : weft::explain_run(iter, kernel).operands)
    found.push_back(operand.access);
  return found;
}

}  // namespace

TEST_CASE("alternating operands: the same as of each alone", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  check_counts<std::uint8_t>(random, tally);
  check_counts<std::int16_t>(random, tally);
  check_counts<float>(random, tally);
  check_counts<double>(random, tally);
  check_counts<float, std::uint8_t, float>(random, tally);
  check_counts<std::int16_t, std::int8_t, float>(random, tally);
  CHECK_TALLY(tally);
}

TEST_CASE("alternating operands: of types that differ, each is converted as it is", "[layouts]") {
  // Members of structs, as many bytes each.
  struct Pair {
    float x;
    std::int32_t k;
  };
  for (const std::int64_t n : {100, 300, 10'000}) {
    std::vector<Pair> pairs(static_cast<std::size_t>(n));
    std::vector<std::uint8_t> bytes(2 * static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i] = {static_cast<float>(i), static_cast<std::int32_t>(3 * i)};
      bytes[2 * i] = static_cast<std::uint8_t>(i);
      bytes[2 * i + 1] = static_cast<std::uint8_t>(200 - i);
    }
    const Dims shape = {n}, strides = {2};
    const auto member = [&](void* at, ScalarType type) {
      return TensorView::trusted(at, type, shape, strides);
    };
    const TensorView x = member(&pairs[0].x, ScalarType::f32),
                     k = member(&pairs[0].k, ScalarType::i32),
                     a = member(bytes.data(), ScalarType::u8),
                     b = member(bytes.data() + 1, ScalarType::i8);
    const weft::Tensor sums = weft::add(x, k), both = weft::add(a, b);
    test::Tally tally;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int byte = bytes[2 * at] + static_cast<std::int8_t>(bytes[2 * at + 1]);
      tally.check(
          sums.at<float>(i) == static_cast<float>(4 * i) && both.at<std::int16_t>(i) == byte,
          [&](auto& text) { text << n << ", " << i; });
    }
    CHECK_TALLY(tally);
    // And back: an int and a float of a kernel of ints.
    weft::TensorIteratorConfig config;
    config.add_output(k).add_output(x).add_input(both).check_all_same_dtype(false);
    const weft::TensorIterator iter = config.resize_outputs(false).build();
    weft::cpu_kernel_multiple_outputs(iter, [](std::int16_t value) {
      return std::make_tuple(std::int32_t{value}, std::int32_t{value + 1});
    });
    const std::int16_t last = both.at<std::int16_t>(n - 1);
    CHECK(pairs.back().k == last);
    CHECK(pairs.back().x == static_cast<float>(last + 1));
  }
}

TEST_CASE("alternating operands: pixels are changed in place", "[layouts]") {
  constexpr std::int64_t n = 5000;
  std::vector<std::uint8_t> pixels(3 * n), want(3 * n);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(i * 7 + i / 50);
  for (std::size_t i = 0; i < pixels.size(); i += 3) {
    for (std::size_t c = 0; c < 3; ++c)
      want[i + c] = mixed<std::uint8_t, 3>(c, {pixels[i], pixels[i + 1], pixels[i + 2]});
  }
  const TensorView all(pixels, {n, 3});
  const TensorView r = all.select(1, 0), g = all.select(1, 1), b = all.select(1, 2);
  const weft::TensorIterator iter = weft::TensorIteratorConfig()
                                        .add_output(r)
                                        .add_output(g)
                                        .add_output(b)
                                        .add_input(r)
                                        .add_input(g)
                                        .add_input(b)
                                        .resize_outputs(false)
                                        .build();
  weft::cpu_kernel_multiple_outputs(iter, kernel_of<std::uint8_t, 3, 3>());
  CHECK(pixels == want);
}

TEST_CASE("alternating operands: are moved together", "[layouts]") {
  const weft::Tensor from = weft::Tensor::zeros({10000, 3}, ScalarType::f32),
                     to = weft::Tensor::zeros({10000, 3}, ScalarType::f32);
  CHECK(accesses(to, from) ==
        std::vector<std::string>{"staged: packed", "staged: packed with output 0",
                                 "staged: packed with output 1", "staged: packed",
                                 "staged: packed with input 0", "staged: packed with input 1"});
}
