// SPDX-License-Identifier: Apache-2.0
#include <weft/core/cast.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

__extension__ using Wide = __int128;

/// One number of any real type, as it is and as the integer that it is converted to.
struct Number {
  explicit Number(const TensorView& view) : real(to<double>(view)) {
    integer = view.dtype() == ScalarType::u64 ? Wide{to<std::uint64_t>(view)}
                                              : Wide{to<std::int64_t>(view)};
  }

  double real;
  Wide integer;

 private:
  template <class T>
  static T to(const TensorView& view) {
    T value{};
    cast_elements(&value, scalar_type_of<T>, 8, view.data(), view.dtype(),
                  element_size(view.dtype()), 1);
    return value;
  }
};

class RangeRun final : public Kernel {
 public:
  explicit RangeRun(const PrepareContext& context)
      : out_(context.output(0)), start_(context.input(0)), step_(context.input(2)) {}

  void run(const KernelArguments& arguments) override {
    const ScalarType type = out_.dtype();
    const std::int64_t size = element_size(type);
    auto* to = static_cast<char*>(arguments.outputs[0]);
    if (is_integer(type)) {  // numbers lose their fractions first
      const std::int64_t start = read<std::int64_t>(arguments.inputs[0], start_.dtype());
      const std::int64_t step = read<std::int64_t>(arguments.inputs[2], step_.dtype());
      for (std::int64_t i = 0; i < out_.numel(); ++i)
        write(to + i * size, static_cast<std::int64_t>(static_cast<std::uint64_t>(start) +
                                                       static_cast<std::uint64_t>(i) *
                                                           static_cast<std::uint64_t>(step)));
      return;
    }
    const auto start = read<double>(arguments.inputs[0], start_.dtype());
    const auto step = read<double>(arguments.inputs[2], step_.dtype());
    for (std::int64_t i = 0; i < out_.numel(); ++i)
      write(to + i * size, start + static_cast<double>(i) * step);
  }

 private:
  template <class T>
  static T read(const void* from, ScalarType type) {
    T value{};
    cast_elements(&value, scalar_type_of<T>, 8, from, type, element_size(type), 1);
    return value;
  }
  template <class T>
  void write(char* to, T value) const {
    const ScalarType type = out_.dtype();
    cast_elements(to, type, element_size(type), &value, scalar_type_of<T>, 8, 1);
  }

  TensorView out_, start_, step_;
};

/// start, start + step, ... before stop, of attribute output_type (without it, of the inputs'
/// type). Where that is an integer type, the inputs are converted first: by their fractions there
/// would be more or fewer elements.
class Range final : public Operator {
 public:
  Range() : Operator({.name = "Range"}) {}

  void infer(InferContext& context) const override {
    expect_inputs(context, 3, 3);
    constexpr const char* meanings[] = {"start", "stop", "step"};
    std::optional<Number> numbers[3];
    for (int i = 0; i < 3; ++i) {
      if (is_complex(context.input(i).dtype)) {
        fail(ErrorCode::dtype, text("input ", i, " (", meanings[i], "): expected a real type, got ",
                                    weft::name(context.input(i).dtype)));
      }
      const TensorView* value = context.value(i);
      if (value == nullptr) continue;
      if (value->numel() != 1) {
        fail(ErrorCode::shape,
             text("input ", i, " (", meanings[i], "): expected one number, got ", value->numel()));
      }
      numbers[i].emplace(*value);
    }
    const ScalarType type = context.attributes().scalar_type("output_type", context.input(0).dtype);
    if (!numbers[0] || !numbers[1] || !numbers[2]) {
      context.set_output(0, type, {PartialShape::unknown});
      return;
    }
    context.set_output(0, type, {count(*numbers[0], *numbers[1], *numbers[2], is_integer(type))});
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<RangeRun>(context);
  }

 private:
  static std::int64_t count(const Number& start, const Number& stop, const Number& step,
                            bool integers) {
    const bool still = integers ? step.integer == 0 : !(step.real != 0);
    if (still || !std::isfinite(start.real) || !std::isfinite(stop.real) ||
        !std::isfinite(step.real)) {
      fail(ErrorCode::invalid_argument,
           text("expected finite numbers and a step that is not 0, got ", start.real, ", ",
                stop.real, ", ", step.real));
    }
    double steps = std::ceil((stop.real - start.real) / step.real);
    if (integers) {
      const Wide distance = stop.integer - start.integer;
      const Wide whole = distance / step.integer;
      const bool ends_inside = distance % step.integer != 0 && (distance < 0) == (step.integer < 0);
      if (whole <= max_elements)
        return static_cast<std::int64_t>(std::max<Wide>(whole + (ends_inside ? 1 : 0), 0));
      steps = static_cast<double>(whole);
    }
    if (steps > max_elements)
      fail(ErrorCode::overflow, text("expected less than 2^53 elements, got ", steps));
    return steps > 0 ? static_cast<std::int64_t>(steps) : 0;
  }
  static constexpr std::int64_t max_elements = std::int64_t{1} << 53;
};

}  // namespace

void add_range_operator(OperatorRegistry& registry) { registry.add(std::make_shared<Range>()); }

}  // namespace graph
}  // namespace v0
}  // namespace weft
