// SPDX-License-Identifier: Apache-2.0
// Values that last from run to run.
#include "base/text.hpp"
#include "graph/operators/families.hpp"

#include <algorithm>
#include <cstring>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Copies what the variable holds, else the first input, else zeros.
class ReadKernel final : public Kernel {
 public:
  explicit ReadKernel(const PrepareContext& context)
      : id_(context.attributes().text("variable_id")),
        variables_(context.variables()),
        output_(context.output(0)),
        has_first_(context.has_input(0)) {}

  void run(const KernelArguments& arguments) override {
    const auto bytes = static_cast<std::size_t>(output_.nbytes());
    const void* from = has_first_ ? arguments.inputs[0] : nullptr;
    if (const Tensor* value = variables_.find(id_)) {
      if (value->dtype() != output_.dtype() ||
          !std::ranges::equal(value->shape(), output_.shape())) {
        fail(ErrorCode::shape,
             text("variable '", id_, "' holds ",
                  to_string(ValueType{value->dtype(), value->shape()}), ", expected ",
                  to_string(ValueType{output_.dtype(), output_.shape()})));
      }
      from = value->data();
    }
    if (bytes == 0) return;
    if (from != nullptr) {
      std::memcpy(arguments.outputs[0], from, bytes);
    } else {
      std::memset(arguments.outputs[0], 0, bytes);
    }
  }

 private:
  std::string id_;
  const Variables& variables_;
  TensorView output_;
  bool has_first_;
};

/// The value of a variable as the run before left it; before that the input, or zeros of the type
/// in attributes variable_type and variable_shape.
class ReadValue final : public Operator {
 public:
  ReadValue() : Operator({.name = "ReadValue", .first_opset = 3}) {}

  void infer(InferContext& context) const override {
    const Attributes& attributes = context.attributes();
    static_cast<void>(attributes.text("variable_id"));
    if (context.has_input(0)) {
      context.set_output(0, context.input(0));
      return;
    }
    const std::vector<std::int64_t> shape = attributes.integers("variable_shape");
    context.set_output(0, attributes.scalar_type("variable_type"), IntSpan(shape));
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    return std::make_unique<ReadKernel>(context);
  }
  bool is_pure() const noexcept override { return false; }
};

/// Sets a variable for the runs to come, and gives the value on.
class Assign final : public Operator {
 public:
  Assign() : Operator({.name = "Assign", .first_opset = 3}) {}

  void infer(InferContext& context) const override {
    static_cast<void>(context.attributes().text("variable_id"));
    context.set_output(0, context.input(0));
  }
  std::unique_ptr<Kernel> prepare(const PrepareContext& context) const override {
    struct Set final : Kernel {
      explicit Set(const PrepareContext& from)
          : id(from.attributes().text("variable_id")),
            variables(from.variables()),
            value(from.input(0)) {}
      void run(const KernelArguments& arguments) override {
        const auto bytes = static_cast<std::size_t>(value.nbytes());
        const TensorView next = variables.prepare_next(id, value.dtype(), value.shape());
        if (bytes == 0) return;
        std::memcpy(next.data(), arguments.inputs[0], bytes);
        std::memcpy(arguments.outputs[0], arguments.inputs[0], bytes);
      }
      std::string id;
      Variables& variables;
      TensorView value;
    };
    return std::make_unique<Set>(context);
  }
  bool is_pure() const noexcept override { return false; }
};

}  // namespace

void add_variable_operators(OperatorRegistry& registry) {
  registry.add(std::make_shared<ReadValue>());
  registry.add(std::make_shared<Assign>());
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
