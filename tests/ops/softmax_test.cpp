// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax against sums in long double, along every axis of random layouts.
#include <weft/ops/copy.hpp>
#include <weft/ops/softmax.hpp>

#include "support/errors.hpp"
#include "support/naive_cumulative.hpp"
#include "support/threads.hpp"

#include <limits>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The exact results, in f64.
test::Dense exact(const TensorView& a, std::size_t axis, bool log) {
  return test::naive_lines(
      a, axis, ScalarType::f64, [&](std::size_t n, const void* const* in, void* const* out) {
        std::vector<double> x(n);
        double most = -inf;
        for (std::size_t i = 0; i < n; ++i) {
          test::convert_element(ScalarType::f64, &x[i], a.dtype(), in[i]);
          most = std::max(most, x[i]);
        }
        long double sum = 0;
        for (const double value : x)
          sum += std::exp(static_cast<long double>(value) - most);
        for (std::size_t i = 0; i < n; ++i) {
          const long double moved = static_cast<long double>(x[i]) - most;
          test::store(out[i],
                      static_cast<double>(log ? moved - std::log(sum) : std::exp(moved) / sum));
        }
      });
}

/// Empty if each result is as near as the type allows: softmax relative, log_softmax to the larger
/// of the result and the element.
std::string wrong(const TensorView& got, const TensorView& a, std::size_t axis, bool log) {
  const test::Dense wanted = exact(a, axis, log);
  const ScalarType type = got.dtype();
  const double unit = type == ScalarType::f64   ? 0x1p-52
                      : type == ScalarType::f32 ? 0x1p-23
                      : type == ScalarType::f16 ? 0x1p-10
                                                : 0x1p-7;
  std::string text;
  std::int64_t flat = 0;
  test::for_each_index(test::dims(a.shape()), [&](const Dims& index) {
    double is = 0, x = 0;
    test::convert_element(ScalarType::f64, &is, type, test::element_at(got, index));
    test::convert_element(ScalarType::f64, &x, a.dtype(), test::element_at(a, index));
    const auto want = test::load<double>(wanted.at(flat++));
    // x - m is rounded, which counts the more the smaller the result.
    const double size = log ? std::fabs(want) + std::fabs(x) + 1 : want * (4 - 2 * std::log(want));
    const double least = type == ScalarType::f16 ? 0x1p-24 : type == ScalarType::f64 ? 0 : 0x1p-126;
    const bool right = is == want || std::fabs(is - want) <= 2 * unit * size + least ||
                       (is == 0 && want < 0x1p-126);
    if (!right && text.empty())
      text = std::to_string(is) + " at " + weft::to_string(index) + ", expected " +
             std::to_string(want);
  });
  return text;
}

}  // namespace

TEST_CASE("softmax: floating types, every axis of random layouts", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::f64, ScalarType::f16, ScalarType::bf16}) {
    for (int round = 0; round < test::rounds(40); ++round) {
      Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 20 : 6);
      if (!shape.empty() && random.chance(30)) {
        const auto last = static_cast<std::int64_t>(shape.size()) - 1;
        shape[static_cast<std::size_t>(random.integer(0, last))] = random.integer(50, 700);
      }
      if (test::product(shape) > 20'000) shape = {3, 1100};
      if (round == 1) shape = {2, 17'000};  // lines that no buffer holds
      Memory memory(type, test::random_layout(random, shape, {.zero = false}));
      const TensorView a = memory.view();
      const double spread = random.chance(50) ? 2 : 60;
      test::for_each_index(shape, [&](const Dims& index) {
        const double x = spread * static_cast<double>(random.integer(-1000, 1000)) / 1000;
        test::convert_element(type, test::element_at(a, index), ScalarType::f64, &x);
      });
      for (std::size_t axis = 0; axis < std::max<std::size_t>(shape.size(), 1); ++axis) {
        const bool log = random.chance(50);
        const auto along = static_cast<std::int64_t>(axis);
        const Tensor fresh = log ? weft::log_softmax(a, along) : weft::softmax(a, along);
        std::string text = fresh.dtype() == type ? wrong(fresh, a, axis, log) : "another type";
        const Memory out =
            test::random_output(random, random.chance(50) ? type : ScalarType::f32, shape);
        const test::Watch watch(out);
        log ? weft::log_softmax_out(out.view(), a, along) : weft::softmax_out(out.view(), a, along);
        text += wrong(out.view(), a, axis, log);
        if (!watch.gaps_untouched()) text += "wrote between elements";
        const Tensor same = Tensor::copy_of(a);
        const TensorView in_place = same;
        log ? weft::log_softmax_out(in_place, same, along)
            : weft::softmax_out(in_place, same, along);
        text += wrong(in_place, a, axis, log);
        tally.check(text.empty(), [&](auto& message) {
          test::describe(message << (log ? "log_softmax " : "softmax "), a)
              << " along " << axis << ": " << text;
        });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("softmax: long columns of another type, a few next to each other", "[ops]") {
  // They go through buffers block by block, and blocks of the output are dense.
  WEFT_RANDOM(random);
  const Dims shape = {5000, 20};
  const Tensor a = Tensor::empty(shape, ScalarType::i32);
  test::for_each_index(shape, [&](const Dims& index) {
    const auto x = static_cast<double>(random.integer(-10, 10));
    test::convert_element(ScalarType::i32, test::element_at(a, index), ScalarType::f64, &x);
  });
  const Tensor out = Tensor::full(shape, ScalarType::f32, 7);
  weft::softmax_out(TensorView(out), a, 0);
  CHECK(wrong(out, a, 0, false) == "");
  weft::log_softmax_out(TensorView(out), a, 0);
  CHECK(wrong(out, a, 0, true) == "");
}

TEST_CASE("softmax: infinities, NaN and terms that vanish", "[ops]") {
  // Along dense lines and along columns alike.
  for (const std::int64_t width : {1, 40}) {
    for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
      CAPTURE(width, weft::name(type));
      const auto results = [&](std::initializer_list<double> values, bool log = false) {
        const Tensor line = weft::contiguous(
            Tensor::of<double>({static_cast<std::int64_t>(values.size()), 1}, values), type);
        const Tensor a = weft::contiguous(line.expand({line.extent(0), width}));
        const Tensor out = log ? weft::log_softmax(a, 0) : weft::softmax(a, 0);
        const Tensor wide = weft::contiguous(out.select(1, width - 1), ScalarType::f64);
        const auto* first = static_cast<const double*>(wide.data());
        return std::vector<double>(first, first + wide.numel());
      };
      CHECK(results({0, -inf, 0}) == std::vector<double>{0.5, 0, 0.5});
      CHECK(results({1e4, 0, 1e4}) == std::vector<double>{0.5, 0, 0.5});
      CHECK(results({0, -inf, 0}, true)[1] == -inf);
      CHECK(results({1, -709, -2000}) == std::vector<double>{1, 0, 0});
      CHECK(results({1, -2000}, true) == std::vector<double>{0, -2001});
      CHECK(results({-1e30, -1e30}) == std::vector<double>{0.5, 0.5});
      for (const bool log : {false, true}) {
        const std::vector<double> lines[] = {
            {-inf, -inf, -inf}, {1, not_a_number, 2}, {-not_a_number, 1, 2}, {1, inf, 2}};
        for (const std::vector<double>& line : lines) {
          for (const double x : results({line[0], line[1], line[2]}, log))
            CHECK(std::isnan(x));
        }
      }
      CHECK(results({5}) == std::vector<double>{1});
      CHECK(results({5}, true) == std::vector<double>{0});
    }
  }
  const Tensor small = Tensor::of<double>({2}, {0, -707});
  CHECK(weft::softmax(small, 0).at<double>({1}) == Approx(std::exp(-707.0)).epsilon(1e-12));
  CHECK(weft::softmax(Tensor::zeros({0, 3}, ScalarType::f32), 0).numel() == 0);
  CHECK(weft::softmax(Tensor::zeros({4}, ScalarType::i32), 0).at<float>({2}) == 0.25F);
  CHECK(weft::softmax(Tensor::zeros({4}, ScalarType::f32), 0, ScalarType::f64).dtype() ==
        ScalarType::f64);
}

TEST_CASE("softmax: dense lines of every length, in place too", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  std::vector<std::int64_t> lengths = {511, 512, 513, 544, 1000, 2047, 4095, 4096, 4097};
  for (std::int64_t n = 1; n < 140; n += 1 + n / 40)
    lengths.push_back(n);
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64}) {
    for (const std::int64_t n : lengths) {
      const Dims shape = {n > 500 ? random.integer(1, 3) : random.integer(1, 35), n};
      const Memory memory = test::random_memory(
          random, type, test::fit({shape, test::row_major(shape)}), test::Values::small);
      const bool log = random.chance(50);
      const Tensor fresh =
          log ? weft::log_softmax(memory.view(), 1) : weft::softmax(memory.view(), 1);
      const Tensor same = Tensor::copy_of(memory.view());
      const TensorView in_place = same;
      log ? weft::log_softmax_out(in_place, same, 1) : weft::softmax_out(in_place, same, 1);
      const std::string text = wrong(fresh, memory.view(), 1, log);
      const bool alike = test::difference(fresh, test::dense_copy(in_place)).empty();
      tally.check(text.empty() && alike, [&](auto& message) {
        test::describe(message << (log ? "log_softmax " : "softmax "), memory.view())
            << ": " << text << (alike ? "" : ", other bits in place");
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("softmax: lines in several blocks, with infinities and NaN in some", "[ops]") {
  constexpr std::int64_t n = 20'000;
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::bf16}) {
    for (const bool log : {false, true}) {
      const auto make = [&](std::int64_t infinite, double last) {
        Tensor a = Tensor::empty({n}, ScalarType::f64);
        for (std::int64_t i = 0; i < n; ++i) {
          const double x = static_cast<double>(i % 37) / 4 + (i < n / 2 ? 0.0 : 3.0);
          a.data_as<double>()[i] = i < infinite ? -inf : i == n - 1 ? last : x;
        }
        return weft::contiguous(a, type);
      };
      const auto result = [&](const Tensor& a) {
        return log ? weft::log_softmax(a, 0) : weft::softmax(a, 0);
      };
      for (const std::int64_t infinite : {0, 9'000}) {
        CAPTURE(weft::name(type), log, infinite);
        const Tensor a = make(infinite, 20);
        CHECK(wrong(result(a), a, 0, log) == "");
        const Tensor same = Tensor::copy_of(a);
        log ? weft::log_softmax_out(TensorView(same), same, 0)
            : weft::softmax_out(TensorView(same), same, 0);
        CHECK(test::difference(same, test::dense_copy(result(a))) == "");
        for (const double bad : {inf, not_a_number}) {
          const Tensor spoilt = weft::contiguous(result(make(infinite, bad)), ScalarType::f32);
          CHECK(std::isnan(spoilt.at<float>({n - 1})));
          CHECK(std::isnan(spoilt.at<float>({n / 2})));
        }
      }
      const Tensor none = weft::contiguous(result(make(n, -inf)), ScalarType::f32);
      CHECK(std::isnan(none.at<float>({0})));
    }
  }
}

TEST_CASE("softmax: a few elements of every shape, in place too", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(200); ++round) {
    const Dims shape = test::random_shape(random, 3, 40);
    if (test::product(shape) == 0 || shape.empty()) continue;
    const ScalarType type = random.chance(50) ? ScalarType::f32 : ScalarType::f64;
    const Memory memory = test::random_memory(
        random, type, test::fit({shape, test::row_major(shape)}), test::Values::small);
    const auto axis = random.integer(0, static_cast<std::int64_t>(shape.size()) - 1);
    const bool log = random.chance(50);
    const TensorView a = memory.view();
    const Tensor fresh = log ? weft::log_softmax(a, axis) : weft::softmax(a, axis);
    const Tensor same = Tensor::copy_of(a);
    const std::int64_t back = axis - static_cast<std::int64_t>(shape.size());
    log ? weft::log_softmax_out(TensorView(same), same, back)
        : weft::softmax_out(TensorView(same), same, back);
    const std::string text = wrong(fresh, a, static_cast<std::size_t>(axis), log) +
                             test::difference(fresh, test::dense_copy(same));
    tally.check(text.empty(), [&](auto& message) {
      test::describe(message << (log ? "log_softmax " : "softmax "), a)
          << " along " << axis << ": " << text;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("softmax: infinities and NaN in long lines", "[ops]") {
  for (const std::int64_t n : {16, 17, 40, 700}) {
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      const auto line = [&](double value) {
        const Tensor a = Tensor::full({2, n}, ScalarType::f32, 1);
        a.data_as<float>()[n + at] = static_cast<float>(value);
        return a;
      };
      const auto count = static_cast<float>(n);
      for (const double bad : {inf, not_a_number}) {
        const Tensor out = weft::softmax(line(bad), 1);
        CHECK(out.at<float>({0, at}) == Approx(1 / count));
        CHECK(std::isnan(out.at<float>({1, 0})));
        CHECK(std::isnan(out.at<float>({1, n - 1})));
        CHECK(std::isnan(weft::log_softmax(line(bad), 1).at<float>({1, n / 2})));
      }
      const Tensor none = weft::softmax(line(-inf), 1);
      CHECK(none.at<float>({1, at}) == 0);
      CHECK(none.at<float>({1, at == 0 ? 1 : 0}) == Approx(1 / (count - 1)));
      CHECK(weft::log_softmax(line(-inf), 1).at<float>({1, at}) == -inf);
      CHECK(std::isnan(
          weft::softmax(Tensor::full({1, n}, ScalarType::f32, -inf), 1).at<float>({0, at})));
    }
  }
}

TEST_CASE("softmax: columns that no cache holds, block by block", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  struct Case {
    Dims shape;
    std::int64_t axis;
    ScalarType in, out;
    bool strided;  // columns
  };
  using enum ScalarType;
  const Case cases[] = {
      {{1100, 300}, 0, f32, f32, false},   {{37, 8000}, 0, f32, f32, false},
      {{2, 700, 250}, 1, f64, f64, false}, {{530, 1030}, 0, f32, f64, false},
      {{1000, 130}, 0, bf16, bf16, false}, {{3000, 100}, 0, f16, f32, false},
      {{20'000, 7}, 0, f32, f32, false},   {{9000, 5}, 0, f64, f64, false},
      {{300, 200}, 0, f32, bf16, true},    {{7000, 40}, 0, bf16, bf16, true},
  };
  for (const Case& c : cases) {
    Dims strides = test::row_major(c.shape);
    if (c.strided) {
      for (std::int64_t& stride : strides)
        stride *= 2;
    }
    const Memory memory(c.in, test::fit({c.shape, strides}));
    const TensorView a = memory.view();
    // From block to block the largest element changes in some columns; others begin with -infinity.
    const auto along = static_cast<std::size_t>(c.axis);
    test::for_each_index(c.shape, [&](const Dims& index) {
      const std::int64_t row = index[along], column = index.back();
      const double slope = static_cast<double>(column % 5 - 2) / 50;
      double x =
          slope * static_cast<double>(row) + static_cast<double>(random.integer(-99, 99)) / 50;
      if (column % 7 == 3 && row < 20) x = -inf;
      test::convert_element(c.in, test::element_at(a, index), f64, &x);
    });
    for (const bool log : {false, true}) {
      const Tensor out = Tensor::empty_strided(c.shape, strides, c.out);
      Tensor first;
      test::for_thread_counts([&](int threads) {
        log ? weft::log_softmax_out(out, a, c.axis) : weft::softmax_out(out, a, c.axis);
        if (threads == 1) first = Tensor::copy_of(out);
        std::string text = test::difference(out, test::dense_copy(first));
        if (threads == 1) text += wrong(out, a, along, log);
        tally.check(text.empty(), [&](auto& message) {
          test::describe(message << (log ? "log_softmax " : "softmax "), a)
              << " in " << weft::name(c.out) << ", " << threads << " threads: " << text;
        });
      });
      if (c.in != c.out) continue;
      const Tensor same = Tensor::empty_strided(c.shape, strides, c.in);
      weft::copy_out(same, a);
      log ? weft::log_softmax_out(same, same, c.axis) : weft::softmax_out(same, same, c.axis);
      tally.check(test::difference(same, test::dense_copy(first)).empty(),
                  [&](auto& message) { test::describe(message << "other bits in place, ", a); });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("softmax: infinities and NaN in some of many blocks", "[ops]") {
  constexpr std::int64_t rows = 40, columns = 9000;  // more than is worked on at once
  for (const ScalarType type : {ScalarType::f32, ScalarType::bf16}) {
    for (const bool log : {false, true}) {
      Tensor a = Tensor::full({rows, columns}, ScalarType::f32, 1);
      for (std::int64_t row = 0; row < rows; ++row)
        a.data_as<float>()[row * columns + 3] = -std::numeric_limits<float>::infinity();
      a.data_as<float>()[20 * columns + 5] = std::numeric_limits<float>::infinity();
      a.data_as<float>()[20 * columns + 6] = std::numeric_limits<float>::quiet_NaN();
      a = weft::contiguous(a, type);
      const Tensor out =
          weft::contiguous(log ? weft::log_softmax(a, 0) : weft::softmax(a, 0), ScalarType::f32);
      for (const std::int64_t row : {0, 20, 39}) {
        CAPTURE(weft::name(type), log, row);
        for (const std::int64_t column : {3, 5, 6})
          CHECK(std::isnan(out.at<float>({row, column})));
        const double want = log ? -std::log(40.0) : 1.0 / 40;
        CHECK(out.at<float>({row, 4}) == Approx(want).epsilon(0.01));
      }
    }
  }
}

TEST_CASE("softmax: the same bits for any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  for (const Dims& strides : {Dims{4200, 70, 1}, Dims{1, 50, 3000}}) {
    const Memory a = test::random_memory(random, ScalarType::f32,
                                         test::fit({{50, 60, 70}, strides}), test::Values::small);
    for (std::int64_t axis = 0; axis < 3; ++axis) {
      Tensor first;
      test::for_thread_counts([&](int threads) {
        const Tensor now = weft::softmax(a.view(), axis);
        if (threads == 1) first = now;
        CHECK(test::difference(now, test::dense_copy(first)) == "");
      });
    }
  }
}

TEST_CASE("softmax: what it refuses, with nothing written", "[ops]") {
  const Tensor a = Tensor::full({2, 3}, ScalarType::f32, 1);
  const Tensor out = Tensor::full({2, 3}, ScalarType::i32, 7);
  CHECK_ERROR(dtype, ("softmax", "c64"), weft::softmax(Tensor::zeros({2}, ScalarType::c64), 0));
  CHECK_ERROR(axis, ("log_softmax", "axis 2"), weft::log_softmax(a, 2));
  CHECK_ERROR(cast, ("softmax", "output 0", "f32", "i32"),
              weft::softmax_out(TensorView(out), a, 0));
  CHECK_ERROR(shape, ("softmax", "[2, 3]", "[3]"), weft::softmax_out(a.select(0, 0), a, 0));
  CHECK_ERROR(overlap, ("softmax", "output 0", "input 0"), weft::softmax_out(a, a.flip(0), 0));
  const Tensor line = Tensor::full({21}, ScalarType::f32, 1);
  CHECK_ERROR(overlap, ("softmax", "output 0", "input 0"),
              weft::softmax_out(line.slice(0, 1, 21), line.slice(0, 0, 20), 0));
  CHECK_ERROR(axis, ("softmax", "axis -2"), weft::softmax(line, -2));
  CHECK_ERROR(shape, ("softmax", "[21]", "[3, 7]"),
              weft::softmax_out(TensorView(Tensor::empty({3, 7}, ScalarType::f32)), line, 0));
  CHECK_ERROR(undefined, ("softmax", "input 0"), weft::softmax(TensorView(), 0));
  CHECK_ERROR(undefined, ("softmax", "output 0"), weft::softmax_out(TensorView(), a, 0));
  CHECK(test::difference(out, test::dense_copy(Tensor::full({2, 3}, ScalarType::i32, 7))) == "");
}
