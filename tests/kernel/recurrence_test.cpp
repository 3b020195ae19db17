// SPDX-License-Identifier: Apache-2.0
// cpu_cumulative of several inputs, outputs and starts, and along lines that threads share.
#include <weft/kernel/cumulative.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_reduce.hpp"
#include "support/threads.hpp"

#include <array>
#include <cstring>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

std::int64_t product_and_sum(std::int64_t a, std::int64_t b, std::int64_t c) {
  using Word = std::uint64_t;  // wraps
  return static_cast<std::int64_t>(static_cast<Word>(a) * static_cast<Word>(b) +
                                   static_cast<Word>(c));
}

/// h = a * h + b from h = 5 x + y, or 7; h, and a third of it.
struct Recurrence {
  std::int64_t identity() const { return 7; }
  std::int64_t start(std::int32_t x, std::int16_t y) const { return product_and_sum(x, 5, y); }
  std::int64_t accumulate(std::int64_t h, std::int32_t a, std::int16_t b) const {
    return product_and_sum(h, a, b);
  }
  std::tuple<std::int64_t, std::int16_t> project(std::int64_t h) const {
    return {h, static_cast<std::int16_t>(h / 3)};
  }
};

/// Steps h = a * h + b as one: h = a h0 + b. Exact, and it counts how often totals were combined.
struct Composition {
  struct Acc {
    std::int64_t a, b, joined;
  };
  Acc identity() const { return {1, 0, 0}; }
  Acc start(std::int64_t h) const { return {1, h, 1000}; }
  Acc accumulate(const Acc& acc, std::int32_t a, std::int32_t b) const {
    return {product_and_sum(a, acc.a, 0), product_and_sum(a, acc.b, b), acc.joined};
  }
  Acc combine(const Acc& before, const Acc& after) const {
    return {product_and_sum(after.a, before.a, 0), product_and_sum(after.a, before.b, after.b),
            before.joined + after.joined + 1};
  }
  std::tuple<std::int64_t, std::int32_t> project(const Acc& acc) const {
    return {acc.b, static_cast<std::int32_t>(acc.joined)};
  }
};

/// Without an identity, and an accumulator that is an element.
struct Decay {
  float accumulate(float h, float x) const { return h * 0.5F + x; }
  float project(float h) const { return h; }
};

// Structs of which each member is an array of its own while columns are taken.

/// The largest so far, and its place.
struct Largest {
  struct Acc {
    std::int16_t value;
    std::int32_t place, next;
  };
  Acc identity() const { return {-32768, -1, 0}; }
  Acc accumulate(Acc acc, std::int16_t x) const {
    return x > acc.value ? Acc{x, acc.next, acc.next + 1} : Acc{acc.value, acc.place, acc.next + 1};
  }
  std::tuple<std::int16_t, std::int32_t> project(Acc acc) const { return {acc.value, acc.place}; }
};
/// The mean so far, and whether it was ever below -1000. Nothing that a compiler could fuse.
struct Mean {
  struct Acc {
    double mean;
    std::int64_t count;
    bool was_low;
  };
  Acc identity() const { return {0, 0, false}; }
  Acc accumulate(Acc acc, std::int16_t x) const {
    const double mean = acc.mean + (x - acc.mean) / static_cast<double>(acc.count + 1);
    return {mean, acc.count + 1, acc.was_low || mean < -1000};
  }
  std::tuple<double, bool> project(Acc acc) const { return {acc.mean, acc.was_low}; }
};
/// The two last ones: a result of each step is what the step before the last left.
struct Delay {
  struct Acc {
    float last, before;
  };
  Acc identity() const { return {0, 0}; }
  Acc accumulate(Acc acc, std::int16_t x) const { return {static_cast<float>(x), acc.last}; }
  std::tuple<float, float> project(Acc acc) const { return {acc.before, acc.last}; }
};

/// Along columns, a tensor whose lines are the same, and by a loop.
template <class Op>
void check_members(test::Tally& tally, test::Random& random, const char* what) {
  using Outs = typename weft::CumulativeTypes<Op>::Outs;
  using First = std::tuple_element_t<0, Outs>;
  using Second = std::tuple_element_t<1, Outs>;
  const std::int64_t rows = random.integer(1, 40);
  const std::int64_t columns = random.chance(70) ? random.integer(1, 70) : random.integer(1, 1500);
  const Tensor in = Tensor::empty({rows, columns}, ScalarType::i16);
  const Tensor lines = Tensor::empty({columns, rows}, ScalarType::i16);
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const auto x = static_cast<std::int16_t>(random.integer(-32768, 32767));
    in.data_as<std::int16_t>()[i] = x;
    lines.data_as<std::int16_t>()[i % columns * rows + i / columns] = x;
  }
  const auto empty = [&]<class T>(T) {
    return Tensor::empty({rows, columns}, weft::scalar_type_of<T>);
  };
  const Tensor first = empty(First()), second = empty(Second());
  weft::cpu_cumulative({first, second}, {in}, 0, Op());
  const Tensor first_of_lines = Tensor::empty({columns, rows}, first.dtype());
  const Tensor second_of_lines = Tensor::empty({columns, rows}, second.dtype());
  weft::cpu_cumulative({first_of_lines, second_of_lines}, {lines}, 1, Op());
  test::Dense want[] = {test::Dense(first.dtype(), {rows, columns}),
                        test::Dense(second.dtype(), {rows, columns})};
  const Op op;
  for (std::int64_t j = 0; j < columns; ++j) {
    auto acc = op.identity();
    for (std::int64_t i = j; i < rows * columns; i += columns) {
      acc = op.accumulate(acc, in.data_as<std::int16_t>()[i]);
      const auto [a, b] = op.project(acc);
      std::memcpy(want[0].at(i), &a, sizeof a);
      std::memcpy(want[1].at(i), &b, sizeof b);
    }
  }
  std::string wrong = test::difference(first, want[0]);
  if (wrong.empty()) wrong = test::difference(second, want[1]);
  if (wrong.empty()) wrong = test::difference(first_of_lines.transpose(0, 1), want[0]);
  if (wrong.empty()) wrong = test::difference(second_of_lines.transpose(0, 1), want[1]);
  tally.check(wrong.empty(), [&](auto& text) {
    text << what << " of " << rows << " x " << columns << ": " << wrong;
  });
}

template <class T>
T element(const TensorView& view, const Dims& index) {
  T value{};
  test::convert_element(weft::scalar_type_of<T>, &value, view.dtype(),
                        test::element_at(view, index));
  return value;
}

/// What Op makes of two inputs of X and Y, one element after the other.
template <class Op, class X, class Y, class Begin>
std::array<test::Dense, 2> naive(const std::array<TensorView, 2>& in, const Dims& shape,
                                 std::size_t axis, const std::array<ScalarType, 2>& types,
                                 Begin&& begin) {
  using Outs = typename weft::CumulativeTypes<Op>::Outs;
  using First = std::tuple_element_t<0, Outs>;
  using Second = std::tuple_element_t<1, Outs>;
  const Op op;
  const Dims columns =
      shape.empty() ? shape : test::reduced_shape(shape, 1u << static_cast<unsigned>(axis));
  std::vector<typename weft::CumulativeTypes<Op>::Acc> accumulators(
      static_cast<std::size_t>(test::product(columns)));
  std::array<test::Dense, 2> results{test::Dense(types[0], shape), test::Dense(types[1], shape)};
  std::int64_t flat = 0;
  test::for_each_index(shape, [&](const Dims& index) {
    auto& acc = accumulators[test::flat_index(columns, index)];
    if (shape.empty() || index[axis] == 0) acc = begin(index);
    acc = op.accumulate(acc, element<X>(in[0], index), element<Y>(in[1], index));
    const auto [first, second] = op.project(acc);
    test::convert_element(types[0], results[0].at(flat), weft::scalar_type_of<First>, &first);
    test::convert_element(types[1], results[1].at(flat), weft::scalar_type_of<Second>, &second);
    ++flat;
  });
  return results;
}

}  // namespace

TEST_CASE("recurrences: several inputs, outputs and starts of any layout", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(600); ++round) {
    Dims shape = test::random_shape(random, 4, round % 8 == 0 ? 20 : 6);
    if (!shape.empty() && random.chance(20)) {
      const auto last = static_cast<std::int64_t>(shape.size()) - 1;
      shape[static_cast<std::size_t>(random.integer(0, last))] = random.integer(100, 700);
    }
    const auto rank = static_cast<std::int64_t>(shape.size());
    const std::int64_t axis = rank == 0 ? 0 : random.integer(0, rank - 1);
    const auto along = static_cast<std::size_t>(axis);
    // Dense ones have a way of their own, if they are few.
    const bool dense = random.chance(40);
    const auto layout = [&](const Dims& of) {
      return test::random_layout(random, of, {!dense, !dense, !dense, !dense});
    };
    const auto input = [&](ScalarType type, const Dims& of) {
      return dense ? test::random_memory(random, type, layout(of))
                   : test::random_input(random, type, of);
    };
    const auto output = [&](ScalarType type) {
      return dense ? test::random_memory(random, type, layout(shape))
                   : test::random_output(random, type, shape);
    };
    // One input has the whole shape.
    const bool swapped = random.chance(50);
    const ScalarType other = random.chance(30) ? ScalarType::i8 : ScalarType::i16;
    const Memory whole =
        test::random_memory(random, swapped ? other : ScalarType::i32, layout(shape));
    const Memory part = input(swapped ? ScalarType::i32 : other, shape);
    const std::array in = {swapped ? part.view() : whole.view(),
                           swapped ? whole.view() : part.view()};
    const std::array types = {random.chance(30) ? ScalarType::i32 : ScalarType::i64,
                              random.chance(30) ? ScalarType::f64 : ScalarType::i16};
    const Memory first = output(types[0]);
    const Memory second = output(types[1]);
    Dims of_starts = shape;
    if (rank > 0) of_starts[along] = 1;
    const Memory x = input(ScalarType::i32, of_starts);
    const Memory y = input(dense ? ScalarType::i16 : ScalarType::u8, of_starts);
    const bool starts = random.chance(60);

    const auto expected =
        naive<Recurrence, std::int32_t, std::int16_t>(in, shape, along, types, [&](Dims index) {
          if (!starts) return Recurrence().identity();
          if (rank > 0) index[along] = 0;
          return Recurrence().start(element<std::int32_t>(x.view(), index),
                                    element<std::int16_t>(y.view(), index));
        });
    const test::Watch gaps[] = {test::Watch(first), test::Watch(second)};
    const std::int64_t given = random.chance(50) ? axis - std::max<std::int64_t>(rank, 1) : axis;
    if (starts) {
      weft::cpu_cumulative({first.view(), second.view()}, {in[0], in[1]}, given, Recurrence(),
                           {x.view(), y.view()});
    } else {
      weft::cpu_cumulative({first.view(), second.view()}, {in[0], in[1]}, given, Recurrence());
    }
    std::string wrong = test::difference(first.view(), expected[0]);
    if (wrong.empty()) wrong = test::difference(second.view(), expected[1]);
    if (wrong.empty() && !(gaps[0].gaps_untouched() && gaps[1].gaps_untouched()))
      wrong = "wrote between elements";
    tally.check(wrong.empty(), [&](auto& text) {
      for (const TensorView& view : {in[0], in[1], x.view(), y.view()})
        test::describe(text, view) << ", ";
      test::describe(test::describe(text << "to ", first.view()) << " and ", second.view())
          << " along " << axis << (starts ? " with starts: " : ": ") << wrong;
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("recurrences: accumulators by member", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(100); ++round) {
    check_members<Largest>(tally, random, "largest");
    check_members<Mean>(tally, random, "mean");
    check_members<Delay>(tally, random, "delay");
  }
  CHECK_TALLY(tally);
}

TEST_CASE("recurrences: the same for any threads and grain", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const Dims shape = {60, 90, 70};
  const std::array types = {ScalarType::i64, ScalarType::i16};
  const Memory a = test::random_memory(random, ScalarType::i32, test::fit({shape, {70, 4200, 1}}));
  const Memory b = test::random_memory(random, ScalarType::i16, test::fit({{90, 1}, {1, 1}}));
  const Memory h = test::random_memory(random, ScalarType::i64, test::fit({shape, {6300, 70, 1}}));
  const Memory third =
      test::random_memory(random, ScalarType::i16, test::fit({shape, {6300, 1, 90}}));
  const Recurrence op;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto expected = naive<Recurrence, std::int32_t, std::int16_t>(
        {a.view(), b.view()}, shape, axis, types, [&](const Dims&) { return op.identity(); });
    const TensorView outputs[] = {h.view(), third.view()}, inputs[] = {a.view(), b.view()};
    test::for_thread_counts([&](int threads) {
      for (const std::int64_t grain : {0, 1, 10'000}) {
        weft::run_cumulative({outputs, inputs}, static_cast<std::int64_t>(axis),
                             weft::cumulative_kernel(op), {.grain = grain});
        const bool same = test::difference(outputs[0], expected[0]).empty() &&
                          test::difference(outputs[1], expected[1]).empty();
        tally.check(same, [&](auto& text) {
          text << "axis " << axis << ", " << threads << " threads, grain " << grain;
        });
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("recurrences: long lines are shared in blocks of a fixed length", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  constexpr std::int64_t long_line = 262'144, block = 8208;  // as documented
  const auto check = [&](const Dims& shape, std::size_t axis, const test::Layout& layout,
                         bool with_start, bool in_place) {
    const Memory a = test::random_memory(random, ScalarType::i32, layout);
    const Memory b = test::random_input(random, ScalarType::i32, shape);
    const Memory h = test::random_memory(random, ScalarType::i64, layout);
    const Memory joined = test::random_output(random, ScalarType::i32, shape);
    const Memory start = test::random_memory(random, ScalarType::i64, test::fit({{}, {}}));
    const bool shared = shape[axis] >= long_line && test::product(shape) <= 2 * shape[axis];
    auto expected = naive<Composition, std::int32_t, std::int32_t>(
        {a.view(), b.view()}, shape, axis, {ScalarType::i64, ScalarType::i32}, [&](const Dims&) {
          return with_start ? Composition().start(element<std::int64_t>(start.view(), {}))
                            : Composition().identity();
        });
    std::int64_t flat = 0;
    test::for_each_index(shape, [&](const Dims& index) {
      const std::int64_t joins = shared ? std::max<std::int64_t>(index[axis] / block - 1, 0) : 0;
      const auto count = static_cast<std::int32_t>(joins + (with_start ? 1000 : 0));
      std::memcpy(expected[1].at(flat++), &count, sizeof(count));
    });
    const TensorView to = in_place ? a.view() : joined.view();
    const TensorView outputs[] = {h.view(), to}, inputs[] = {a.view(), b.view()};
    const TensorView starts[] = {start.view()};
    const Composition op;
    const auto kernel = weft::cumulative_kernel(op);
    const test::Dense before = test::dense_copy(a.view());
    const auto run = [&](const weft::RunOptions& options, const char* what) {
      for (std::size_t i = 0; in_place && i < before.bytes.size(); i += 4)
        std::memcpy(a.data() + i, before.bytes.data() + i, 4);  // dense and row-major then
      weft::run_cumulative({outputs, inputs, std::span(starts).first(with_start ? 1 : 0)},
                           static_cast<std::int64_t>(axis), kernel, options);
      std::string wrong = test::difference(outputs[0], expected[0]);
      if (wrong.empty()) wrong = test::difference(outputs[1], expected[1]);
      tally.check(wrong.empty(), [&](auto& text) {
        test::describe(text, a.view()) << " along " << axis << ", " << what << ": " << wrong;
      });
    };
    test::for_thread_counts([&](int threads) {
      if (threads == 4) return;
      run({}, "grain 0");
      run({.grain = 1}, "grain 1");
    });
    run({.serial = true}, "serial");
    const std::string form =
        weft::explain_cumulative({outputs, inputs}, static_cast<std::int64_t>(axis), kernel)
            .run.form;
    tally.check(form.starts_with("shared-") == shared, [&](auto& text) { text << form; });
  };
  check({long_line}, 0, test::fit({{long_line}, {1}}), true, true);
  check({long_line - 1}, 0, test::fit({{long_line - 1}, {1}}), true, false);
  check({long_line + 77, 1, 2}, 0, test::fit({{long_line + 77, 1, 2}, {2, 5, 1}}), false, false);
  check({2, 33 * block}, 1, test::fit({{2, 33 * block}, {-1, -2}}), true, false);
  check({3, long_line}, 1, test::fit({{3, long_line}, {long_line, 1}}), false, true);
  CHECK_TALLY(tally);
}

TEST_CASE("recurrences: what does not fit is refused before anything is written", "[kernel]") {
  const Tensor a = Tensor::full({3, 4}, ScalarType::i32, 1);
  const Tensor b = Tensor::full({4}, ScalarType::i16, 1);
  const Tensor h = Tensor::full({3, 4}, ScalarType::i64, 7);
  const Tensor third = Tensor::full({3, 4}, ScalarType::i16, 7);
  const Tensor x = Tensor::full({4}, ScalarType::i32, 1), y = Tensor::full({1}, ScalarType::i16, 1);
  const Recurrence op;
  CHECK_ERROR(invalid_argument, ("i32, i16 -> i64, i16", "outputs: 2", "got 1 and 2"),
              weft::cpu_cumulative({h}, {a, b}, 0, op));
  CHECK_ERROR(invalid_argument, ("inputs: 2", "got 2 and 1"),
              weft::cpu_cumulative({h, third}, {a}, 0, op));
  CHECK_ERROR(invalid_argument, ("starts: expected 2, got 1"),
              weft::cpu_cumulative({h, third}, {a, b}, 0, op, {x}));
  CHECK_ERROR(shape, ("start 1", "[1, 4]", "[3, 1]"),
              weft::cpu_cumulative({h, third}, {a, b}, 0, op,
                                   {x, Tensor::full({3, 1}, ScalarType::i16, 1)}));
  CHECK_ERROR(undefined, ("start 1"),
              weft::cpu_cumulative({h, third}, {a, b}, 0, op, {x, TensorView()}));
  CHECK_ERROR(
      cast, ("start 0", "f32", "i32"),
      weft::cpu_cumulative({h, third}, {a, b}, 0, op, {Tensor::full({4}, ScalarType::f32, 1), y}));
  CHECK_ERROR(shape, ("input 1", "[3, 4]", "[5]"),
              weft::cpu_cumulative({h, third}, {a, Tensor::full({5}, ScalarType::i16, 1)}, 0, op));
  CHECK_ERROR(shape, ("output 1", "[3, 4]", "[4]"), weft::cpu_cumulative({h, x}, {a, b}, 0, op));
  CHECK_ERROR(overlap, ("output 1", "output 0"),
              weft::cpu_cumulative({h, h}, {a, b}, 0, op, {x, y}));
  CHECK_ERROR(overlap, ("output 1"), weft::cpu_cumulative({h, third}, {a, third.flip(1)}, 0, op));
  const Tensor out = Tensor::full({3, 4}, ScalarType::f32, 7);
  CHECK_ERROR(invalid_argument, ("start 0", "identity()"),
              weft::cpu_cumulative(out, Tensor::full({3, 4}, ScalarType::f32, 1), 0, Decay()));
  CHECK_ERROR(overlap, ("output 0", "start 0"),
              weft::cpu_cumulative(out, a, 0, Decay(), out.slice(0, 0, 1)));
  for (const Tensor* t : {&h, &third, &out})
    CHECK(test::difference(*t, test::dense_copy(Tensor::full(t->shape(), t->dtype(), 7))) == "");

  // Parts of which no two meet, of lines that do.
  const Tensor line = Tensor::full({600'000}, ScalarType::i64, 7);
  const Tensor joined = Tensor::empty({500'000}, ScalarType::i32);
  CHECK_ERROR(overlap, ("output 0", "input 0"),
              weft::cpu_cumulative({line.slice(0, 0, 500'000), joined},
                                   {line.slice(0, 100'000, 600'000), joined}, 0, Composition()));
}
