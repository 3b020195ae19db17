// SPDX-License-Identifier: Apache-2.0
// A few contiguous elements of an operation along an axis take no plan: the same bits as with one,
// which the same rows take where there is a gap between them.
#include <weft/ops/cumulative.hpp>
#include <weft/ops/masked_lines.hpp>
#include <weft/ops/softmax.hpp>

#include "support/dense.hpp"

#include <optional>

namespace {

using test::Dims;
using test::Memory;
using test::Random;
using weft::ScalarType;
using weft::TensorView;

struct Function {
  const char* name;
  void (*out)(const weft::Output& out, const weft::Input& a, std::int64_t axis);
};
constexpr Function functions[] = {
    {"softmax", &weft::softmax_out},     {"log_softmax", &weft::log_softmax_out},
    {"cumsum", &weft::cumsum_out},       {"cumprod", &weft::cumprod_out},
    {"nancumsum", &weft::nancumsum_out}, {"logcumsumexp", &weft::logcumsumexp_out},
    {"cummax", &weft::cummax_out},       {"cummin", &weft::cummin_out},
};

/// Rows of the shape, `gap` elements from the end of one to the next.
test::Layout rows(const Dims& shape, std::int64_t gap) {
  test::Layout layout{shape, Dims(shape.size())};
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    layout.strides[d] = stride;
    stride = stride * shape[d] + (d + 1 == shape.size() ? gap : 0);
  }
  return layout;
}

/// The results in rows with a gap, of an input that has one as well; none if the function is not
/// for these types.
std::optional<test::Dense> results(const Function& function, const TensorView& in, ScalarType type,
                                   std::int64_t gap, std::int64_t axis) {
  const Dims shape(in.shape().begin(), in.shape().end());
  const Memory from(in.dtype(), test::fit(rows(shape, gap)));
  weft::copy_out(from.view(), in);
  const Memory to(type, test::fit(rows(shape, gap)));
  std::memset(to.data(), 0, static_cast<std::size_t>(to.size_bytes()));
  try {
    function.out(to.view(), from.view(), axis);
  } catch (const weft::Error&) {
    return std::nullopt;
  }
  test::Dense dense = test::dense_copy(to.view());
  test::canonicalize(dense);
  return dense;
}

}  // namespace

TEST_CASE("few elements along an axis: the same bits as by way of a plan", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto types = test::all_types();
  for (int round = 0; round < test::rounds(1500); ++round) {
    const ScalarType type = types[static_cast<std::size_t>(round) % types.size()];
    const auto extent = [&](std::int64_t most) { return random.integer(1, most); };
    Dims shape = {extent(random.chance(50) ? 7 : 60), extent(random.chance(50) ? 20 : 64)};
    // Along the rows, of any leading dims; or from row to row, where these are all there is.
    const bool along = random.chance(60);
    if (along && random.chance(30)) shape.insert(shape.begin(), extent(3));
    if (along && random.chance(20)) shape.erase(shape.begin());
    const auto axis = static_cast<std::int64_t>(shape.size()) - (along ? 1 : 2);
    const Memory in = test::random_memory(random, type, test::fit(rows(shape, 0)));
    for (const Function& function : functions) {
      for (const ScalarType to : {type, ScalarType::f32, ScalarType::f64, ScalarType::i64}) {
        const auto few = results(function, in.view(), to, 0, axis);
        const auto planned = results(function, in.view(), to, 3, axis);
        const bool same = few.has_value() == planned.has_value() &&
                          (!few.has_value() || few->bytes == planned->bytes);
        tally.check(same, [&](auto& text) {
          test::describe(text << function.name << " of ", in.view())
              << " along " << axis << " as " << weft::name(to);
        });
      }
    }
  }
  INFO("seed " << test::seed());
  CHECK_TALLY(tally);
}

TEST_CASE("few elements along an axis: in place, and not over others", "[layouts]") {
  WEFT_RANDOM(random);
  const Memory memory = test::random_memory(random, ScalarType::f32, test::fit({{65}, {1}}));
  const TensorView all = memory.view(), first = all.slice(0, 0, 64), second = all.slice(0, 1, 65);
  for (const Function& function : functions) {
    INFO(function.name);
    const auto want = results(function, first, ScalarType::f32, 0, 0);
    const test::Dense before = test::dense_copy(all);
    CHECK_THROWS_AS(function.out(second, first, 0), weft::Error);
    CHECK_THROWS_AS(function.out(first, second, 0), weft::Error);
    CHECK_THROWS_AS(function.out(first, first, 1), weft::Error);
    CHECK(test::dense_copy(all).bytes == before.bytes);
    function.out(first, first, 0);
    test::Dense got = test::dense_copy(first);
    test::canonicalize(got);
    CHECK(got.bytes == want->bytes);
  }
}
