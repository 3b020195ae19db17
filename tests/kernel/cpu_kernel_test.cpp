// SPDX-License-Identifier: Apache-2.0
// cpu_kernel and its kin over operands of every form: values against plain loops over indexes.
#include <weft/kernel/cpu_kernel.hpp>

#include "support/dense.hpp"
#include "support/mix.hpp"

#include <functional>

namespace {

using test::Dims;
using test::iterator;
using test::Memory;
using test::mix;
using weft::ScalarType;
using weft::TensorIterator;
using weft::TensorView;

/// Random operands of one type; `run` applies a kernel, which gives the mix of all inputs.
template <class T>
void check_mix(test::Random& random, test::Tally& tally, const Dims& shape,
               const std::vector<Dims>& inputs,
               const std::function<void(const TensorIterator&)>& run) {
  constexpr ScalarType type = weft::scalar_type_of<T>;
  const Memory out = test::random_output(random, type, shape);
  std::vector<Memory> memories;
  std::vector<TensorView> views;
  for (const Dims& input : inputs) {
    memories.push_back(test::random_memory(random, type, test::random_layout(random, input)));
    views.push_back(memories.back().view());
  }
  const test::Watch watch(out);
  run(iterator(out.view(), views));
  const test::Dense want = test::naive_map(type, shape, views, [&](const auto* in, void* to) {
    T value{};
    for (std::size_t k = 0; k < views.size(); ++k)
      value = mix(value, test::load<T>(in[k]));
    test::store(to, value);
  });
  const std::string wrong = test::difference(out.view(), want);
  tally.check(wrong.empty() && watch.gaps_untouched(), [&](auto& text) {
    text << views.size() << " inputs, ";
    test::describe(text, out.view());
    for (const TensorView& view : views)
      test::describe(text << ", ", view);
    text << ": " << (wrong.empty() ? "wrote between elements" : wrong);
  });
}

template <class T>
void run_mix(const TensorIterator& iter) {
  switch (iter.ninputs()) {
    case 1: return weft::cpu_kernel(iter, [](T a) { return mix(T{}, a); });
    case 2: return weft::cpu_kernel(iter, [](T a, T b) { return mix(mix(T{}, a), b); });
    case 3:
      return weft::cpu_kernel(iter, [](T a, T b, T c) { return mix(mix(mix(T{}, a), b), c); });
    default:
      return weft::cpu_kernel(
          iter, [](T a, T b, T c, T d) { return mix(mix(mix(mix(T{}, a), b), c), d); });
  }
}

}  // namespace

TEMPLATE_TEST_CASE("cpu_kernel: one to four inputs of any layout", "[kernel]", bool, std::uint8_t,
                   std::int16_t, std::uint32_t, std::int64_t, weft::float16, weft::bfloat16, float,
                   double, std::complex<float>, std::complex<double>) {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(400); ++round) {
    const Dims shape = test::random_shape(random, 4, 7);
    std::vector<Dims> inputs(static_cast<std::size_t>(random.integer(1, 4)));
    for (Dims& input : inputs)
      input = test::random_operand_shape(random, shape);
    check_mix<TestType>(random, tally, shape, inputs, run_mix<TestType>);
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_kernel: every pattern of broadcast inputs", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  // Short rows, which are gathered; rows that are spans of their own; more than one tile.
  for (const Dims& shape : {Dims{3, 5}, Dims{4, 40}, Dims{3, 1300}, Dims{150, 7}}) {
    const Dims forms[] = {shape, {shape[1]}, {shape[0], 1}, {}};
    for (int inputs = 1; inputs <= 4; ++inputs) {
      const int patterns = 1 << 2 * inputs;
      // 256 patterns of four inputs are more than it takes.
      for (int pattern = 0; pattern < patterns; pattern += inputs == 4 ? 5 : 1) {
        std::vector<Dims> shapes;
        for (int k = 0; k < inputs; ++k)
          shapes.push_back(forms[pattern >> 2 * k & 3]);
        check_mix<float>(random, tally, shape, shapes, run_mix<float>);
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("cpu_kernel: no inputs", "[kernel]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < 50; ++round) {
    const Memory out = test::random_output(random, ScalarType::i32, test::random_shape(random, 4));
    const test::Watch watch(out);
    weft::cpu_kernel(TensorIterator::nullary_op(out.view()), [] { return std::int32_t{7}; });
    const auto seven = test::naive_map(ScalarType::i32, out.layout().shape, {},
                                       [](auto, void* to) { test::store(to, std::int32_t{7}); });
    CHECK(test::difference(out.view(), seven) == "");
    CHECK(watch.gaps_untouched());
  }
}

TEST_CASE("cpu_kernel: operands of other types than the lambda's are converted", "[kernel]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const auto& types = test::all_types();
  for (int round = 0; round < test::rounds(1500); ++round) {
    const Dims shape = test::random_shape(random, 3, round % 10 == 0 ? 60 : 6);
    // Real numbers into a lambda of doubles, and its result into anything that holds the kind.
    const ScalarType a_type = types[static_cast<std::size_t>(random.integer(0, 12))];
    const ScalarType b_type = types[static_cast<std::size_t>(random.integer(0, 12))];
    const ScalarType out_type = types[static_cast<std::size_t>(random.integer(9, 14))];
    const Memory a = test::random_input(random, a_type, shape);
    const Memory b = test::random_input(random, b_type, shape);
    const Memory out = test::random_output(random, out_type, shape);
    const test::Watch watch(out);
    weft::cpu_kernel(iterator(out.view(), {a.view(), b.view()}),
                     [](double x, double y) { return mix(x, y); });
    const test::Dense want =
        test::naive_map(out_type, shape, {a.view(), b.view()}, [&](const auto* in, void* to) {
          double x = 0, y = 0;
          test::convert_element(ScalarType::f64, &x, a_type, in[0]);
          test::convert_element(ScalarType::f64, &y, b_type, in[1]);
          const double value = mix(x, y);
          test::convert_element(out_type, to, ScalarType::f64, &value);
        });
    const std::string wrong = test::difference(out.view(), want);
    tally.check(wrong.empty() && watch.gaps_untouched(), [&](auto& text) {
      for (const Memory* m : {&out, &a, &b})
        test::describe(text, m->view()) << ", ";
      text << wrong;
    });
  }
  CHECK_TALLY(tally);
}
