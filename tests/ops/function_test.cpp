// SPDX-License-Identifier: Apache-2.0
// Every function of the table, against oracles: all types, random layouts and broadcasts, outputs
// of all types, in place, numbers for operands.
#include <weft/core/scalar.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/function_list.hpp"
#include "support/naive_functions.hpp"

#include <set>

namespace {

using test::Dims;
using test::Function;
using test::Memory;
using test::Views;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// True for values that have tests of their own: those that are not exact.
bool covered(const Function& f, ScalarType common) {
  static const std::set<std::string> inexact = {"abs",        "sqrt", "rsqrt",
                                                "reciprocal", "div",  "addcdiv"};
  return !weft::is_complex(common) || (inexact.count(f.name()) == 0 && !f.inexact);
}

/// What the results of a function may differ by from the oracle's, which are rounded once: the
/// error of the function, and half a unit.
test::Tolerance tolerance(const Function& f, ScalarType common) {
  if (!f.inexact || !weft::is_floating(common)) return {};
  const double ulps = common == ScalarType::f32 ? 2 : common == ScalarType::f64 ? 2.5 : 1;
  return {ulps, common};
}

/// The type in which inputs with this common type are taken.
ScalarType computed_in(const Function& f, ScalarType common) {
  return f.info->result == weft::ResultRule::floating ? test::floating_type(common) : common;
}

test::Dense expected(const Function& f, ScalarType common, ScalarType out, const Dims& shape,
                     const Views& inputs) {
  const ScalarType type = computed_in(f, common);
  const ScalarType result = test::result_type(*f.info, type);
  return test::naive_map(out, shape, inputs, [&](const auto* in, void* to) {
    test::AnyElement converted[3], value;
    const void* elements[3];
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const bool condition = f.info->result == weft::ResultRule::chosen && k == 0;
      converted[k] =
          test::as_type(condition ? ScalarType::boolean : type, inputs[k].dtype(), in[k]);
      elements[k] = converted[k].bytes;
    }
    f.oracle(type, elements, value.bytes);
    test::convert_element(out, to, result, value.bytes);
  });
}

/// True if the function divides integers by an element that becomes 0.
bool divides_by_zero(const Function& f, ScalarType common, const Views& inputs) {
  static const std::set<std::string> divisions = {"floor_divide", "fmod", "remainder"};
  if (!weft::is_integer(common) || divisions.count(f.name()) == 0) return false;
  bool found = false;
  test::for_each_index(test::dims(inputs[1].shape()), [&](const Dims& index) {
    const auto divisor =
        test::as_type(common, inputs[1].dtype(), test::element_at(inputs[1], index));
    found = found || divisor.is_zero();
  });
  return found;
}

/// Calls a function into an output that is there. Empty if it throws when it should, only then.
std::string write(const Function& f, bool by_zero, const TensorView& out, const Views& inputs) {
  if (!by_zero) {
    f.write(out, inputs);
    return "";
  }
  return test::wrong_error(weft::ErrorCode::division, {f.name(), "input 1", "divided by 0"},
                           [&] { f.write(out, inputs); });
}

struct Operands {
  Dims shape;
  std::vector<ScalarType> types;
  std::vector<Memory> memories;
  Views views;
};

/// Operands with axes, one of which has the whole shape.
Operands random_operands(test::Random& random, const Function& f, ScalarType type, int round) {
  Operands result;
  result.shape = test::random_shape(random, 3, round % 4 == 0 ? 24 : 5);
  if (result.shape.empty()) result.shape = {random.integer(1, 300)};
  const std::int64_t whole = random.integer(0, f.info->inputs - 1);
  const bool mixed = random.chance(40);
  for (int k = 0; k < f.info->inputs; ++k) {
    ScalarType own = mixed && k > 0 ? random.pick(test::all_types()) : type;
    if (f.info->result == weft::ResultRule::chosen && k == 0) own = ScalarType::boolean;
    Dims shape = k == whole ? result.shape : test::random_operand_shape(random, result.shape);
    if (shape.empty()) shape = {1};
    const auto values = random.chance(30) ? test::Values::small : test::Values::any;
    result.memories.push_back(
        test::random_memory(random, own, test::random_layout(random, shape), values));
    result.types.push_back(own);
    result.views.push_back(result.memories.back().view());
  }
  return result;
}

auto about(const Function& f, const Views& inputs, const std::string& wrong) {
  return [&f, inputs, wrong](auto& text) {
    text << f.name();
    for (const TensorView& input : inputs)
      test::describe(text << " of ", input);
    text << ": " << wrong;
  };
}

}  // namespace

TEST_CASE("functions: all types and layouts, new results and given ones", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Function& f : test::all_functions()) {
    for (const ScalarType type : test::all_types()) {
      for (int round = 0; round < test::rounds(24); ++round) {
        const Operands in = random_operands(random, f, type, round);
        const ScalarType common = test::common_type(*f.info, in.types);
        const ScalarType result = test::result_type(*f.info, computed_in(f, common));
        const ScalarType out_type = random.chance(50) ? result : random.pick(test::all_types());
        const Memory out = test::random_output(random, out_type, in.shape);
        const test::Watch watch(out);
        const auto check = [&](const std::string& wrong) {
          tally.check(wrong.empty(), about(f, in.views, wrong));
        };
        if (!f.info->accepts(weft::kinds::of(common))) {
          const std::string message =
              f.name() + ": not defined for element type " + std::string(weft::name(common));
          Tensor none;
          check(test::wrong_error(weft::ErrorCode::dtype, {message},
                                  [&] { f.write(none, in.views); }));
          check(test::wrong_error(weft::ErrorCode::dtype, {message},
                                  [&] { f.write(out.view(), in.views); }));
          check(none.defined() || !watch.untouched() ? "wrote, then refused" : "");
          continue;
        }
        const bool by_zero = test::product(in.shape) > 0 && divides_by_zero(f, common, in.views);
        const bool exact = covered(f, common);
        if (!by_zero) {
          const Tensor made = f.make(in.views);
          check(made.dtype() == result ? "" : "made another type");
          if (exact) {
            check(test::difference(made, expected(f, common, result, in.shape, in.views),
                                   tolerance(f, computed_in(f, common))));
          }
        }
        if (!weft::can_cast(result, out_type)) {
          check(test::wrong_error(weft::ErrorCode::cast, {f.name(), "output 0"},
                                  [&] { f.write(out.view(), in.views); }));
          check(watch.untouched() ? "" : "wrote, then refused");
          continue;
        }
        check(write(f, by_zero, out.view(), in.views));
        if (exact)
          check(test::difference(out.view(), expected(f, common, out_type, in.shape, in.views),
                                 tolerance(f, computed_in(f, common))));
        check(watch.gaps_untouched() ? "" : "wrote between elements");
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("functions: in place of every input", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const Function& f : test::all_functions()) {
    for (const ScalarType type : test::all_types()) {
      if (!f.info->accepts(weft::kinds::of(type)) || !covered(f, computed_in(f, type))) continue;
      for (int place = 0; place < f.info->inputs; ++place) {
        for (int round = 0; round < test::rounds(4); ++round) {
          const Dims shape = test::random_shape(random, 3, 9);
          std::vector<Memory> memories;
          Views inputs;
          for (int k = 0; k < f.info->inputs; ++k) {
            const bool condition = f.info->result == weft::ResultRule::chosen && k == 0;
            const auto layout = test::random_layout(random, shape, {.zero = k != place});
            memories.push_back(
                test::random_memory(random, condition ? ScalarType::boolean : type, layout));
            inputs.push_back(memories.back().view());
          }
          const TensorView out = inputs[static_cast<std::size_t>(place)];
          const ScalarType result = test::result_type(*f.info, computed_in(f, type));
          if (!weft::can_cast(result, out.dtype())) continue;
          const bool by_zero = test::product(shape) > 0 && divides_by_zero(f, type, inputs);
          const test::Dense want = expected(f, type, out.dtype(), shape, inputs);
          std::string wrong = write(f, by_zero, out, inputs);
          if (wrong.empty())
            wrong = test::difference(out, want, tolerance(f, computed_in(f, type)));
          tally.check(wrong.empty(), about(f, inputs, wrong));
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("functions: numbers for operands", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  const weft::Scalar numbers[] = {true, 3, -2, 0.5, 1e300};
  for (const Function& f : test::all_functions()) {
    if (f.info->result == weft::ResultRule::chosen) continue;
    for (const ScalarType type : test::all_types()) {
      for (const weft::Scalar& number : numbers) {
        for (int place = 0; place < f.info->inputs; ++place) {
          const Dims shape = {random.integer(1, 12), random.integer(1, 12)};
          std::vector<Memory> memories;
          Views inputs;
          for (int k = 0; k < f.info->inputs; ++k) {
            memories.push_back(
                test::random_memory(random, type, test::random_layout(random, shape)));
            inputs.push_back(k == place ? number.view() : memories.back().view());
          }
          const bool alone = f.info->inputs == 1;
          const ScalarType common = !alone ? test::with_weaker(type, number.dtype(), true)
                                    : number.dtype() == ScalarType::f64 ? ScalarType::f32
                                                                        : number.dtype();
          const bool by_zero = divides_by_zero(f, common, inputs);
          if (!f.info->accepts(weft::kinds::of(common)) || !covered(f, computed_in(f, common)) ||
              by_zero) {
            continue;
          }
          const ScalarType result = test::result_type(*f.info, computed_in(f, common));
          const std::string wrong = test::difference(
              f.make(inputs), expected(f, common, result, alone ? Dims{} : shape, inputs),
              tolerance(f, computed_in(f, common)));
          tally.check(wrong.empty(), about(f, inputs, wrong));
        }
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("functions: what every one of them refuses", "[ops]") {
  const Tensor a = Tensor::full({10}, ScalarType::f32, 1);
  const Tensor c = Tensor::full({10}, ScalarType::boolean, 1);
  const Tensor z = Tensor::full({10}, ScalarType::c64, 1);
  const auto wrong_call = [](const Function& f, weft::ErrorCode code, const char* word,
                             const weft::Output& out, const Views& inputs) {
    INFO(f.name());
    CHECK(test::wrong_error(code, {f.name(), word}, [&] { f.write(out, inputs); }) == "");
  };
  for (const Function& f : test::all_functions()) {
    const auto inputs = [&](const TensorView& last) {
      const bool integral = !f.info->accepts(weft::kinds::floating);
      const bool only_complex = !f.info->accepts(weft::kinds::real);
      Views list(static_cast<std::size_t>(f.info->inputs), only_complex ? z : a);
      if (integral && !only_complex)
        list.assign(list.size(), Tensor::full({10}, ScalarType::i32, 1));
      if (f.info->result == weft::ResultRule::chosen) list[0] = c;
      if (last.defined()) {
        list.back() = TensorView(last.dtype() == list.back().dtype()
                                     ? last
                                     : Tensor::full(last.shape(), list.back().dtype(), 1));
      } else {
        list.back() = last;
      }
      return list;
    };
    Tensor none;
    wrong_call(f, weft::ErrorCode::undefined, "undefined", none, inputs(TensorView()));
    CHECK(!none.defined());
    if (f.info->inputs > 1) {
      wrong_call(f, weft::ErrorCode::shape, "axis 0", none,
                 inputs(Tensor::full({9}, ScalarType::f32, 1)));
      CHECK(!none.defined());
    }
    const Views fitting = inputs(a);
    const ScalarType result = test::result_type(*f.info, computed_in(f, fitting.back().dtype()));
    const Tensor out = Tensor::zeros({12}, result);
    wrong_call(f, weft::ErrorCode::shape, "output 0", out.slice(0, 0, 9), fitting);
    wrong_call(f, weft::ErrorCode::overlap, "output 0", out.as_strided({10}, {0}), fitting);
    CHECK(test::difference(out, test::dense_copy(Tensor::zeros({12}, result))) == "");
  }
}
