// SPDX-License-Identifier: Apache-2.0
// bincount against counting one element after the other: all integer types, any layouts, with and
// without weights, and what it refuses, with nothing written; of bincount and histogram, that
// threads and layouts do not show.
#include <weft/ops/copy.hpp>
#include <weft/ops/counting.hpp>

#include "counted_elements.hpp"
#include "support/errors.hpp"
#include "support/threads.hpp"

#include <algorithm>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

}  // namespace

TEST_CASE("bincount: all integer types, layouts and weights", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    if (!weft::is_integer(type)) continue;
    for (int round = 0; round < test::rounds(60); ++round) {
      const Dims shape = test::counted_extents(random);
      const Memory memory(type, test::random_layout(random, shape));
      const std::int64_t most = random.pick(Dims{0, 1, 3, 9, 100, 127});
      std::int64_t largest = -1;
      for (std::int64_t i = 0; i < memory.layout().size; ++i) {
        const std::int64_t value = random.integer(0, most);
        test::convert_element(type, memory.data() + i * weft::element_size(type), ScalarType::i64,
                              &value);
      }
      const TensorView a = memory.view();
      const auto bin = [&](const Dims& place) {
        return static_cast<std::int64_t>(test::double_at(a, place));
      };
      test::for_each_index(shape, [&](const Dims& at) { largest = std::max(largest, bin(at)); });
      const test::Weights weights(random, shape);
      const std::int64_t minlength = random.pick(Dims{0, 0, 5, 2000});
      const auto expected =
          test::naive_counts(a, weights.view, std::max(largest + 1, minlength), bin);
      const std::string difference = test::wrong_counts(
          random, expected,
          [&](const weft::Output& out) { weft::bincount_out(out, a, weights.view, minlength); });
      tally.check(difference.empty(), [&](auto& text) {
        test::describe_counted(text, "bincount", a, weights.view) << ": " << difference;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("bincount: of nothing, and of a point", "[ops]") {
  CHECK(weft::bincount(Tensor::empty({3, 0}, ScalarType::u8)).numel() == 0);
  CHECK(test::counts_of(weft::bincount(Tensor::empty({0}, ScalarType::i64), {}, 2)) ==
        test::Counts{0, 0});
  CHECK(test::counts_of(weft::bincount(Tensor::of<std::uint8_t>({}, {2}))) ==
        test::Counts{0, 0, 1});
}

TEST_CASE("counting: many bytes, whose values are counted first", "[ops]") {
  WEFT_RANDOM(random);
  for (const ScalarType type : {ScalarType::u8, ScalarType::i8, ScalarType::boolean}) {
    for (const std::int64_t n : {1023, 1024, 5000, 300'000}) {
      const auto layout = random.chance(50) ? test::fit({{2, n / 2}, {n / 2 + 1, 1}})
                                            : test::fit({{2, n / 2}, {1, -2}});
      const Memory memory = test::random_memory(random, type, layout);
      const TensorView a = memory.view();
      const Tensor wide = weft::contiguous(a, ScalarType::i32);
      CHECK(test::counts_of(weft::histogram(a, 300, {-130, 257})) ==
            test::counts_of(weft::histogram(wide, 300, {-130, 257})));
      const Tensor edges = Tensor::of<double>({4}, {-100, 0, 1, 200});
      CHECK(test::counts_of(weft::histogram(a, edges)) ==
            test::counts_of(weft::histogram(wide, edges)));
      if (type == ScalarType::u8) {
        CHECK(test::counts_of(weft::bincount(a, {}, 7)) ==
              test::counts_of(weft::bincount(wide, {}, 7)));
      }
    }
  }
  // In a layout that is not dense, and a name for the first that is no bin.
  Tensor a = Tensor::full({1200, 2}, ScalarType::i8, 5);
  a.data_as<std::int8_t>()[3] = -2;
  CHECK(test::counts_of(weft::bincount(a.select(1, 0))) == test::Counts{0, 0, 0, 0, 0, 1200});
  CHECK_ERROR(invalid_argument, ("got -2 at [1, 1]"), weft::bincount(a));
}

TEST_CASE("counting: the same for any number of threads, any layout", "[ops]") {
  WEFT_RANDOM(random);
  const std::int64_t n = 400'000;
  const Memory a = test::random_memory(random, ScalarType::i16, test::fit({{n}, {1}}));
  const Memory weights = test::random_memory(random, ScalarType::f32, test::fit({{n}, {1}}));
  for (std::int64_t i = 0; i < n; ++i) {
    std::byte* const at = a.data() + 2 * i;
    test::store(at, static_cast<std::int16_t>(random.integer(0, 30000)));
    std::byte* const weight = weights.data() + 4 * i;
    test::store(weight, static_cast<float>(random.integer(-1000, 1000)) / 7.0F);
  }
  const Tensor few = Tensor::empty({n}, ScalarType::i64);
  for (std::int64_t i = 0; i < n; ++i)
    static_cast<std::int64_t*>(few.data())[i] = random.integer(0, 40);
  const TensorView turned = a.view().as_strided({400, 1000}, {1, 400});
  const Tensor dense = Tensor::copy_of(turned);
  const TensorView turned_weights = weights.view().as_strided({400, 1000}, {1, 400});
  std::vector<test::Dense> first;
  test::for_thread_counts([&](int threads) {
    const std::vector<Tensor> now = {
        weft::bincount(a.view()),
        weft::bincount(few),
        weft::bincount(few, weights.view()),
        weft::bincount(a.view(), weights.view()),
        weft::histogram(a.view(), 50, {-5, 20000}),
        weft::histogram(a.view(), 50, {-5, 20000}, weights.view()),
        weft::histogram(turned, 7, {0, 30000}, turned_weights),
    };
    if (threads == 1) {
      for (const Tensor& one : now)
        first.push_back(test::dense_copy(one));
    }
    for (std::size_t i = 0; i < now.size(); ++i)
      CHECK(test::difference(now[i], first[i]) == "");
    CHECK(test::difference(weft::histogram(dense, 7, {0, 30000}, Tensor::copy_of(turned_weights)),
                           first.back()) == "");
  });
  for (const std::size_t i : {0, 1}) {
    const TensorView counted = i == 0 ? a.view() : TensorView(few);
    const auto expected =
        test::naive_counts(counted, TensorView(), first[i].shape[0], [&](const Dims& place) {
          return static_cast<std::int64_t>(test::double_at(counted, place));
        });
    CHECK(first[i].bytes == expected.bytes);
  }
}

TEST_CASE("counting: an output that is an input, and is replaced", "[ops]") {
  Tensor t = Tensor::of<std::int64_t>({4}, {1, 2, 1, 5});
  weft::bincount_out(t, t);
  CHECK(test::counts_of(t) == test::Counts{0, 2, 1, 0, 0, 1});
  weft::histogram_out(t, Tensor::of<int>({2}, {0, 1}), t.slice(0, 2, 4).flip(0));
  CHECK(test::counts_of(t) == test::Counts{2});
}

TEST_CASE("bincount: what is refused, with nothing written", "[ops]") {
  const Tensor a = Tensor::of<std::int64_t>({2, 2}, {0, 1, 2, -3});
  const Tensor good = Tensor::of<std::int64_t>({2, 2}, {0, 1, 2, 3});
  const Tensor out = Tensor::full({4}, ScalarType::i64, 7);
  const Tensor sums = Tensor::full({4}, ScalarType::f64, 7);
  const test::Dense before = test::dense_copy(out);
  const TensorView to = out;
  const TensorView none;
  CHECK_ERROR(invalid_argument, ("bincount", "input 0", "-3", "[1, 1]"), weft::bincount_out(to, a));
  const Tensor huge = Tensor::of<std::uint64_t>({2}, {1, ~std::uint64_t{0}});
  CHECK_ERROR(limit, ("bincount", "18446744073709551615", "[1]", "2^31 - 1"),
              weft::bincount_out(to, huge));
  CHECK_ERROR(limit, ("bincount", "2147483647", "[0]"),
              weft::bincount_out(to, Tensor::of<std::int64_t>({1}, {0x7FFF'FFFF})));
  CHECK_ERROR(limit, ("bincount", "minlength"), weft::bincount(good, none, std::int64_t{1} << 40));
  CHECK_ERROR(invalid_argument, ("bincount", "minlength", "-1"), weft::bincount(good, none, -1));
  CHECK_ERROR(dtype, ("bincount", "input 0", "f32"),
              weft::bincount_out(to, Tensor::zeros({2}, ScalarType::f32)));
  CHECK_ERROR(dtype, ("bincount", "input 0", "bool"),
              weft::bincount_out(to, Tensor::zeros({2}, ScalarType::boolean)));
  CHECK_ERROR(dtype, ("bincount", "output 0", "expected i64", "f64"),
              weft::bincount_out(TensorView(sums), good));
  CHECK_ERROR(dtype, ("bincount", "output 0", "expected f64", "i64"),
              weft::bincount_out(to, good, good));
  CHECK_ERROR(dtype, ("bincount", "input 1", "c64"),
              weft::bincount(good, Tensor::zeros({2, 2}, ScalarType::c64)));
  CHECK_ERROR(shape, ("bincount", "input 1", "[2, 2]", "[4]"),
              weft::bincount_out(TensorView(sums), good, sums));
  CHECK_ERROR(shape, ("bincount", "output 0", "[5]", "[4]"), weft::bincount_out(to, good, none, 5));
  CHECK_ERROR(overlap, ("bincount", "output 0", "input 0"),
              weft::bincount_out(TensorView(good.as_strided({4}, {1})), good));
  CHECK_ERROR(undefined, ("bincount", "input 0"), weft::bincount_out(to, none));
  CHECK(test::difference(out, before) == "");
}
