// SPDX-License-Identifier: Apache-2.0
// Shapes that would have an operand walked outside its memory: declared ones, and those of outputs
// that a reduction writes to.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/untouched.hpp"
#include "support/visit.hpp"

#include <limits>

namespace {

using test::dims;
using test::Dims;
using test::far;
using test::Untouched;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("bad input: a negative extent", "[iter]") {
  Untouched out;
  TensorIteratorConfig config;
  config.add_output(out.tensor).resize_outputs(false).declare_static_shape({3, -4});
  CHECK_ERROR(shape, ("axis 1", "[3, -4]", "negative"), config.build());
  CHECK(out.holds());
}

TEST_CASE("bad input: more axes than the declared shape", "[iter]") {
  Untouched out;
  TensorIteratorConfig config;
  config.add_output(out.tensor).resize_outputs(false).declare_static_shape({12});
  CHECK_ERROR(rank, ("output 0", "rank 2", "[12]"), config.build());
  CHECK(out.holds());
}

TEST_CASE("bad input: a declared shape that leaves an operand's memory", "[iter]") {
  // Exhaustive over small shapes and strides, in memory of exactly the size, at every offset.
  test::Tally tally;
  const test::Memory memory(ScalarType::i16, test::fit({{6}, {1}}));
  for (std::int64_t code = 0; code < 6 * 4 * 4 * 7 * 7; ++code) {
    std::int64_t left = code;
    const auto draw = [&](std::int64_t count) {
      const std::int64_t drawn = left % count;
      left /= count;
      return drawn;
    };
    const std::int64_t origin = draw(6);
    const Dims shape = {draw(4), draw(4)};
    const Dims strides = {draw(7) - 3, draw(7) - 3};
    bool inside = true;
    test::for_each_index(shape, [&](const Dims& i) {
      const std::int64_t at = origin + i[0] * strides[0] + i[1] * strides[1];
      inside = inside && at >= 0 && at < 6;
    });
    const TensorView element = memory.view().as_strided({1, 1}, strides, origin);
    TensorIteratorConfig config;
    config.add_input(element).resize_outputs(false).declare_static_shape(shape);
    std::string problem;
    try {
      const TensorIterator iter = config.build();
      if (!inside) problem = "accepted";
      std::int64_t elements = 0;
      iter.serial_for_each([&](char** data, const std::int64_t* s, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          data[0][i * s[0]] = data[0][i * s[0] + 1] = 1;
        elements += n;
      });
      if (elements != test::product(shape)) problem = "elements";
    } catch (const weft::Error& error) {
      const bool named = std::string(error.what()).find("input 0") != std::string::npos;
      if (inside || error.code() != weft::ErrorCode::bounds || !named) problem = error.what();
    }
    tally.check(problem.empty(), [&](auto& out) {
      out << origin << ' ' << weft::to_string(shape) << weft::to_string(strides) << problem;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("bad input: a declared shape over memory of unknown size", "[iter]") {
  std::vector<float> values(6);
  const TensorView view = TensorView::trusted(values.data(), ScalarType::f32, {2, 3});
  const auto build = [&](const Dims& shape) {
    return TensorIteratorConfig()
        .add_input(view)
        .resize_outputs(false)
        .declare_static_shape(shape)
        .build();
  };
  CHECK(build({2, 3}).numel() == 6);
  CHECK(build({1, 3}).numel() == 3);
  // No more than the view itself reaches is known to be there.
  CHECK_ERROR(bounds, ("input 0", "[3, 3]", "0 to 36", "0 to 24"), build({3, 3}));
}

TEST_CASE("bad input: a squashed axis without elements", "[iter]") {
  // A kernel that sums along axis 1 finds nothing to sum, and writes as many results as there are.
  const Tensor sums = Tensor::zeros({3, 1}, ScalarType::f32);
  const TensorView nothing(std::span<float>(), {3, 0}, {1, 1});
  const auto build = [&](const TensorView& out, const Dims& shape) {
    return TensorIteratorConfig()
        .add_output(out)
        .add_input(nothing)
        .resize_outputs(false)
        .declare_static_shape(shape, {1})
        .build();
  };
  int rows = 0;
  build(sums, {3, 0})
      .serial_for_each([&](char** data, const std::int64_t* strides, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          *reinterpret_cast<float*>(data[0] + i * strides[0]) = 1;
        CHECK(data[1] == nullptr);
        CHECK(strides[1] == 0);
        rows += static_cast<int>(n);
      });
  CHECK(rows == 3);
  // The output's rows are walked and have to be there, although the declared shape has no element.
  CHECK_ERROR(bounds, ("output 0", "[5, 0]"), build(sums, {5, 0}));
  CHECK(build(sums, {0, 0}).numel() == 0);
  // An axis of nothing that is not squashed is walked, as far as the declared shape says.
  const TensorView no_rows(std::span<float>(), {0, 3});
  CHECK_ERROR(bounds, ("input 0"),
              TensorIteratorConfig()
                  .add_input(no_rows)
                  .resize_outputs(false)
                  .declare_static_shape({2, 3}, {1})
                  .build());
}

TEST_CASE("bad input: huge strides under a declared shape", "[iter]") {
  const TensorView huge = far({1, 1}, {most / 10, 1});
  const auto build = [&](const Dims& shape) {
    return TensorIteratorConfig()
        .add_input(huge)
        .resize_outputs(false)
        .declare_static_shape(shape)
        .build();
  };
  CHECK_ERROR(overflow, ("input 0", "[4, 1]", "2^63-1"), build({4, 1}));
  CHECK_ERROR(bounds, ("input 0", "[2, 1]"), build({2, 1}));
  CHECK(build({1, 1}).numel() == 1);  // never stepped over
  CHECK(build({0, 9}).numel() == 0);
}

TEST_CASE("bad input: an output of a reduction that does not fit its input", "[iter]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::f32);
  const std::vector<Dims> shapes = {{2}, {5}, {3}, {3, 2}, {2, 4}, {2, 3, 4}, {4, 3}, {1, 1, 5}};
  for (const bool resize : {false, true}) {
    for (const Dims& shape : shapes) {
      CAPTURE(resize, weft::to_string(shape));
      Tensor out = Tensor::full(shape, ScalarType::f32, 7.25);
      TensorIteratorConfig config;
      config.add_output(out).add_input(a).is_reduction(true).resize_outputs(resize);
      std::string what;
      try {
        const TensorIterator iter = config.build();
        // Accepted only if the input is repeated along an axis of the output's.
        CHECK_FALSE(resize);
        CHECK(test::naive_broadcast({shape, {3, 4}}) == dims(iter.common_shape()));
      } catch (const weft::Error& error) {
        const bool shape_or_rank =
            error.code() == weft::ErrorCode::shape || error.code() == weft::ErrorCode::rank;
        CHECK(shape_or_rank);
        what = error.what();
        CHECK(what.find(weft::to_string(shape)) != std::string::npos);
      }
    }
  }
}
