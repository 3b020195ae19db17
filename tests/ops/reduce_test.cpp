// SPDX-License-Identifier: Apache-2.0
// sum, amax, argmax: all types, every set of axes of random layouts, against plain loops.
#include <weft/ops/reduce.hpp>

#include "support/errors.hpp"
#include "support/naive_ops.hpp"
#include "support/naive_reduce.hpp"

namespace {

using test::Dims;
using test::Memory;
using test::Values;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// The axes of a bit mask as a caller may list them: in any order, from either end.
Dims axis_list(test::Random& random, unsigned axes, std::size_t rank) {
  Dims list;
  for (const std::int64_t axis : random.permutation(static_cast<std::int64_t>(rank))) {
    if ((axes >> axis & 1) == 0) continue;
    list.push_back(random.chance(50) ? axis : axis - static_cast<std::int64_t>(rank));
  }
  return list;
}

/// A shape without the axes of a bit mask.
Dims without(const Dims& shape, unsigned axes) {
  Dims left;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if ((axes >> axis & 1) == 0) left.push_back(shape[axis]);
  }
  return left;
}

/// One random reduction: its input, which axes go, and the shapes that may come out.
struct Case {
  Memory in;
  Dims shape;
  Dims axes;
  Dims kept;     ///< the reduced axes as extent 1
  Dims dropped;  ///< without them
};

/// Calls check(case) for every set of axes of random shapes. An empty list means all axes, so no
/// axis at all cannot be asked for.
template <class Check>
void for_random_cases(test::Random& random, int rounds, ScalarType type, Values values,
                      Check&& check) {
  for (int round = 0; round < test::rounds(rounds); ++round) {
    Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 16 : 5);
    if (!shape.empty() && random.chance(10)) shape.back() = random.integer(60, 400);
    if (!shape.empty() && random.chance(10)) shape.front() = random.integer(60, 400);
    if (test::product(shape) > 20'000) continue;
    const unsigned all = (1u << shape.size()) - 1;
    for (unsigned axes = shape.empty() ? 0 : 1; axes <= all; ++axes) {
      check(Case{test::random_memory(random, type, test::random_layout(random, shape), values),
                 shape,
                 axes == all && random.chance(50) ? Dims{} : axis_list(random, axes, shape.size()),
                 test::reduced_shape(shape, axes), without(shape, axes)});
    }
  }
}

auto about(const char* what, const Case& c, const std::string& wrong) {
  return [what, &c, wrong](auto& text) {
    test::describe(text << what << " of ", c.in.view())
        << " over " << weft::to_string(c.axes) << ": " << wrong;
  };
}

/// The same elements under another shape of as many.
test::Dense reshaped(test::Dense dense, const Dims& shape) {
  dense.shape = shape;
  return dense;
}

ScalarType sum_result(ScalarType type) { return test::kind_of(type) < 2 ? ScalarType::i64 : type; }

/// Sums one after the other in i64, f64 or c128, converted once.
test::Dense naive_sum(const Case& c, ScalarType out) {
  const ScalarType wide = test::kind_of(c.in.view().dtype()) < 2   ? ScalarType::i64
                          : test::kind_of(c.in.view().dtype()) < 3 ? ScalarType::f64
                                                                   : ScalarType::c128;
  const auto sums = test::naive_reduce(
      c.shape, c.kept, {c.in.view()}, test::AnyElement{},
      [&](test::AnyElement& acc, const auto* in, std::int64_t) {
        const auto x = test::as_type(wide, c.in.view().dtype(), in[0]);
        test::naive_binary(test::Binary::add, wide, acc.bytes, x.bytes, acc.bytes);
      });
  test::Dense result(out, c.kept);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    test::convert_element(out, result.at(static_cast<std::int64_t>(i)), wide, sums[i].bytes);
  }
  return result;
}

}  // namespace

TEST_CASE("sum: all types and sets of axes", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    // Integers of any size wrap; other sums are of integral values, which are exact.
    const Values values = test::kind_of(type) < 2 ? Values::any : Values::small;
    for_random_cases(random, 40, type, values, [&](const Case& c) {
      const test::Dense want = naive_sum(c, sum_result(type));
      std::string wrong =
          test::difference(weft::sum(c.in.view(), c.axes), reshaped(want, c.dropped));
      tally.check(wrong.empty(), about("sum", c, wrong));
      wrong = test::difference(weft::sum(c.in.view(), c.axes, {.keepdim = true}), want);
      tally.check(wrong.empty(), about("sum, axes kept,", c, wrong));

      const ScalarType out_type = random.pick(test::all_types());
      // A sum of bools is a number.
      if (!weft::can_cast(sum_result(type), out_type)) return;
      const bool kept = random.chance(50);
      const Memory out = test::random_output(random, out_type, kept ? c.kept : c.dropped);
      const test::Watch watch(out);
      weft::sum_out(out.view(), c.in.view(), c.axes, {.keepdim = random.chance(50)});
      wrong =
          test::difference(out.view(), reshaped(naive_sum(c, out_type), kept ? c.kept : c.dropped));
      if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
      tally.check(wrong.empty(), about("sum into an output", c, wrong));

      const Tensor given = weft::sum(c.in.view(), c.axes, {.keepdim = kept, .dtype = out_type});
      wrong = test::difference(given, reshaped(naive_sum(c, out_type), kept ? c.kept : c.dropped));
      tally.check(wrong.empty(), about("sum of a given type", c, wrong));
    });
  }
  CHECK_TALLY(tally);
}

namespace {

/// Largest element and its position, NaN before everything, the first of several.
template <class T>
struct Best {
  T value{};
  std::int64_t at = -1;

  void take(T x, std::int64_t position) {
    const bool better = at < 0 || (test::is_nan(x) && !test::is_nan(value)) || x > value;
    if (!better) return;
    value = x;
    at = position;
  }
};

template <class T>
void check_largest(test::Random& random, test::Tally& tally) {
  using Real = std::conditional_t<weft::is_half_type<T>, float, T>;
  constexpr ScalarType type = weft::scalar_type_of<T>;
  for (const Values values : {Values::any, Values::small}) {
    for_random_cases(random, 50, type, values, [&](const Case& c) {
      const auto best =
          test::naive_reduce(c.shape, c.kept, {c.in.view()}, Best<Real>{},
                             [](Best<Real>& b, const auto* in, std::int64_t position) {
                               b.take(static_cast<Real>(test::load<T>(in[0])), position);
                             });
      // A reduced axis of extent 0 is refused, even if there would be no results.
      bool nothing = false;
      for (std::size_t axis = 0; axis < c.shape.size(); ++axis) {
        nothing = nothing || (c.shape[axis] == 0 && c.kept[axis] == 1);
      }
      if (nothing) {
        std::string wrong = test::wrong_error(weft::ErrorCode::shape, {"amax", "extent 0"},
                                              [&] { weft::amax(c.in.view(), c.axes); });
        tally.check(wrong.empty(), about("amax", c, wrong));
        return;
      }
      // Equal values may differ in the sign of zero, and NaN in its bits.
      const Tensor got = weft::amax(c.in.view(), c.axes, {.keepdim = true});
      tally.check(test::dims(got.shape()) == c.kept && got.dtype() == type,
                  about("amax", c, "form"));
      std::size_t i = 0;
      test::for_each_index(c.kept, [&](const Dims& index) {
        const auto is = static_cast<Real>(test::load<T>(test::element_at(got, index)));
        const Real wanted = best[i++].value;
        const bool right = is == wanted || (test::is_nan(is) && test::is_nan(wanted));
        tally.check(right, about("amax", c, weft::to_string(index)));
      });
      tally.check(test::dims(weft::amax(c.in.view(), c.axes).shape()) == c.dropped,
                  about("amax", c, "shape"));

      // argmax takes one axis, or all.
      if (c.axes.size() > 1) return;
      std::optional<std::int64_t> axis;
      if (!c.axes.empty()) axis = c.axes[0];
      const auto positions =
          test::projected<std::int64_t>(c.kept, best, [](const auto& b) { return b.at; });
      std::string wrong = test::difference(weft::argmax(c.in.view(), axis, true), positions);
      tally.check(wrong.empty(), about("argmax", c, wrong));
      const Memory out = test::random_output(random, ScalarType::i64, c.dropped);
      weft::argmax_out(out.view(), c.in.view(), axis);
      wrong = test::difference(out.view(), reshaped(positions, c.dropped));
      tally.check(wrong.empty(), about("argmax into an output", c, wrong));
    });
  }
}

}  // namespace

TEMPLATE_TEST_CASE("amax and argmax: all types and sets of axes", "[ops]", bool, std::uint8_t,
                   std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                   std::uint64_t, std::int64_t, weft::float16, weft::bfloat16, float, double) {
  WEFT_RANDOM(random);
  test::Tally tally;
  check_largest<TestType>(random, tally);
  CHECK_TALLY(tally);
}
