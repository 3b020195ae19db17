// SPDX-License-Identifier: Apache-2.0
#include <weft/core/cast.hpp>

#include "graph/operators/checks.hpp"
#include "graph/operators/families.hpp"

#include <cmath>
#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// One number of any real type.
double number_of(const TensorView& view) {
  double value = 0;
  cast_elements(&value, ScalarType::f64, 8, view.data(), view.dtype(), element_size(view.dtype()),
                1);
  return value;
}

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
    std::optional<double> numbers[3];
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
      numbers[i] = number_of(*value);
    }
    const ScalarType type = context.attributes().scalar_type("output_type", context.input(0).dtype);
    if (is_integer(type)) {
      for (std::optional<double>& number : numbers) {
        if (number) number = std::trunc(*number);
      }
    }
    if (!numbers[0] || !numbers[1] || !numbers[2]) {
      context.set_output(0, type, {PartialShape::unknown});
      return;
    }
    context.set_output(0, type, {count(*numbers[0], *numbers[1], *numbers[2])});
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<RangeRun>(context);
  }

 private:
  static std::int64_t count(double start, double stop, double step) {
    if (!(step != 0) || !std::isfinite(start) || !std::isfinite(stop) || !std::isfinite(step)) {
      fail(ErrorCode::invalid_argument,
           text("expected finite numbers and a step that is not 0, got ", start, ", ", stop, ", ",
                step));
    }
    const double steps = std::ceil((stop - start) / step);
    if (steps > 0x1p53)
      fail(ErrorCode::overflow, text("expected less than 2^53 elements, got ", steps));
    return steps > 0 ? static_cast<std::int64_t>(steps) : 0;
  }
};

}  // namespace

void add_range_operator(OperatorRegistry& registry) { registry.add(std::make_shared<Range>()); }

}  // namespace graph
}  // namespace v0
}  // namespace weft
