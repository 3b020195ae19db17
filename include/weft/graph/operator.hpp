// SPDX-License-Identifier: Apache-2.0
/// @file
/// What an operator of a graph is: how types follow from types, and how it computes.
#pragma once

#include <weft/base/error.hpp>
#include <weft/base/export.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/graph/elementwise_builder.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/variables.hpp>
#include <weft/iter/explain.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

class OperatorRegistry;

/// What infer() is given: a node, the types of its inputs, and such values of inputs as are known.
/// infer() calls set_output() for each output.
class WEFT_API InferContext {
 public:
  /// `types[i]` is null where input i is left out; so is `values[i]` where its value is not known.
  InferContext(const Node& node, std::span<const ValueType* const> types,
               std::span<const TensorView* const> values, const OperatorRegistry& operators);

  const Node& node() const noexcept { return node_; }
  const Attributes& attributes() const noexcept { return node_.attributes; }
  /// The operators that bodies of this node are made of.
  const OperatorRegistry& operators() const noexcept { return operators_; }
  int ninputs() const noexcept { return static_cast<int>(types_.size()); }
  bool has_input(int i) const noexcept {
    return i >= 0 && i < ninputs() && types_[static_cast<std::size_t>(i)] != nullptr;
  }
  /// Throws Error(invalid_argument) if it is left out.
  const ValueType& input(int i) const;
  /// The value of an input on which the shape of the outputs depends, such as the target of a
  /// Reshape; null if it is not known yet. Then the outputs get as much of a shape as is certain,
  /// and infer() is called again, in each run, when the value is there.
  const TensorView* value(int i) const;
  /// The value of an input that tells more about the outputs if it is there already, and is not
  /// waited for; else null.
  const TensorView* value_if_known(int i) const noexcept;
  /// The same, as integers, of any integer type and any rank; false if it is not known. Throws
  /// Error(dtype) if it holds no integers.
  bool integers(int i, std::vector<std::int64_t>& out) const;
  /// Whether infer() has asked for the value of input i, or been told it.
  bool asked_for_value(int i) const noexcept;

  void set_output(int i, ValueType type);
  void set_output(int i, ScalarType dtype, PartialShape shape) {
    set_output(i, ValueType{dtype, std::move(shape)});
  }
  /// Throws Error(invalid_argument) if outputs are declared behind the last that was set: the
  /// operator has fewer. Whoever calls infer() asks this after it.
  void expect_all_outputs() const;
  /// Says what output i is, where that follows from types alone, as for ShapeOf: what depends on it
  /// can then be computed while planning. After set_output().
  void set_value(int i, Tensor value);
  const std::vector<ValueType>& outputs() const noexcept { return outputs_; }
  /// One per output; undefined where it was not said.
  const std::vector<Tensor>& output_values() const noexcept { return output_values_; }
  /// The same, for whoever has no more use for the context.
  std::vector<ValueType> take_outputs() noexcept { return std::move(outputs_); }
  std::vector<Tensor> take_output_values() noexcept { return std::move(output_values_); }

 private:
  const Node& node_;
  std::span<const ValueType* const> types_;
  std::span<const TensorView* const> values_;
  const OperatorRegistry& operators_;
  std::vector<ValueType> outputs_;
  std::vector<Tensor> output_values_;
  mutable std::uint64_t asked_ = 0;
  int set_ = 0;  ///< one more than the last output that was set
};

/// What a node is prepared for: the geometry of its inputs and outputs. The addresses of the views
/// are *placeholders*, which do not overlap and are good for planning
/// (TensorIteratorConfig::build()) but not for reading; only constants can be read now.
class WEFT_API PrepareContext {
 public:
  PrepareContext(const Node& node, std::span<const TensorView> inputs,
                 std::span<const TensorView> outputs, std::span<const TensorView* const> constants,
                 const OperatorRegistry& operators, Variables& variables)
      : node_(node),
        inputs_(inputs),
        outputs_(outputs),
        constants_(constants),
        operators_(operators),
        variables_(variables) {}

  const Node& node() const noexcept { return node_; }
  const Attributes& attributes() const noexcept { return node_.attributes; }
  const OperatorRegistry& operators() const noexcept { return operators_; }
  int ninputs() const noexcept { return static_cast<int>(inputs_.size()); }
  int noutputs() const noexcept { return static_cast<int>(outputs_.size()); }
  bool has_input(int i) const noexcept { return at(inputs_, i).defined(); }
  /// Undefined if it is left out, or there is none of that number.
  const TensorView& input(int i) const noexcept { return at(inputs_, i); }
  /// Undefined if its shape is not known before the node has run (see KernelArguments::allocate),
  /// or there is none of that number.
  const TensorView& output(int i) const noexcept { return at(outputs_, i); }
  /// What lasts from run to run of the frame; it outlives the kernel.
  Variables& variables() const noexcept { return variables_; }
  /// An input that never changes while the kernel lives, to be read, packed or kept; else null.
  const TensorView* constant(int i) const noexcept {
    return i >= 0 && i < ninputs() ? constants_[static_cast<std::size_t>(i)] : nullptr;
  }

 private:
  static const TensorView& at(std::span<const TensorView> views, int i) noexcept;

  const Node& node_;
  std::span<const TensorView> inputs_;
  std::span<const TensorView> outputs_;
  std::span<const TensorView* const> constants_;
  const OperatorRegistry& operators_;
  Variables& variables_;
};

/// Gives memory to outputs whose shape turns up while a node runs.
class WEFT_API OutputMemory {
 public:
  /// Row-major memory for output i, not initialised, aligned to 64 bytes. Every such output has to
  /// be given memory once in a run.
  virtual void* allocate(int output, IntSpan shape) = 0;

 protected:
  ~OutputMemory() = default;
};

/// Where the operands of one run are: the address of element (0, 0, ...) of each, with the geometry
/// that the kernel was prepared for.
struct KernelArguments {
  const void* const* inputs;  ///< null where left out
  void* const* outputs;       ///< null where the shape was not known
  OutputMemory* memory;

  void* allocate(int output, IntSpan shape) const { return memory->allocate(output, shape); }
};

/// A node prepared to run on operands of one geometry: plans, packed weights, compiled bodies,
/// buffers. One thread runs it at a time.
class WEFT_API Kernel {
 public:
  Kernel() = default;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  virtual ~Kernel();

  /// Inputs are read, and outputs written, at any address; an output meets no input. Should not
  /// allocate after the second run.
  virtual void run(const KernelArguments& arguments) = 0;

  /// From now on, and until hold() is called for it again, input i holds the same elements in every
  /// run: what is made of them, such as a packed matrix, can be kept. Inputs that this is never
  /// said of may change from run to run.
  virtual void hold(int input);

  /// The same as adapt(), for what a run of another length takes: only extents and strides of
  /// inputs have changed, constant inputs are the very same, and nothing but the shapes of outputs
  /// follows from them. Puts `outputs`, their shapes so far, right and returns true; or returns
  /// false, and the node is planned anew, as it is if this throws Error. Inputs that are left out
  /// are null; addresses mean nothing.
  virtual bool resize(std::span<const TensorView* const> inputs, std::span<DimVector> outputs);

  /// Makes this kernel what prepare() would make for other shapes of the same node, and returns
  /// true; or returns false, and a new one is made. Constant inputs are the very same as before, so
  /// that what was packed of them can be kept. Worth it where preparing is costly.
  virtual bool adapt(const PrepareContext& context);

  /// How run() goes about it: one entry for each pass over operands that the engine makes, planned
  /// by the functions that run() plans with. Empty where the engine has no part in it, or where it
  /// follows from values that are not known yet. Before the first run, operands are taken to begin
  /// on cache lines.
  virtual std::vector<Explanation::Run> explain() const;
};

/// Where an operator is found.
struct OperatorName {
  std::string name;                       ///< as in "Add"
  std::vector<std::string> aliases = {};  ///< other names for it
  int first_opset = 1;                    ///< the operation sets that have it in this meaning
  int last_opset = 1000;
};

/// An operator. Stateless: what belongs to a node is in the Node, what belongs to a run in its
/// Kernel.
///
/// It computes in one of three ways, which are asked for in this order: as a view of its input
/// (view()), as a formula over elements, which is fused with its neighbours (elementwise()), or as
/// a Kernel of its own (prepare()). Errors thrown by any of these get the node's description in
/// front.
class WEFT_API Operator {
 public:
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;
  virtual ~Operator();

  const OperatorName& name() const noexcept { return name_; }

  /// Checks inputs and attributes, and sets the type of every output as far as it follows. Throws
  /// Error: shape, dtype, axis, invalid_argument, ... Must not rely on declared types.
  virtual void infer(InferContext& context) const = 0;

  /// Writes the formula of output 0 and returns true, if this is an elementwise operator.
  virtual bool elementwise(ElementwiseBuilder& builder) const;

  /// Makes each output a view of the memory of input 0 and returns true, if that can be done for
  /// this geometry. `outputs` has one undefined view per output; what is put there must have the
  /// output's inferred shape.
  virtual bool view(const PrepareContext& context, std::span<TensorView> outputs) const;

  /// Prepares a run. The default says that there is none.
  virtual std::unique_ptr<Kernel> prepare(const PrepareContext& context) const;

  /// Whether prepare() can do with an input, or an output, of this geometry; if not, it is given a
  /// row-major copy. By default it has to be contiguous.
  virtual bool accepts_input(const Node& node, int input, const TensorView& view) const;
  virtual bool accepts_output(const Node& node, int output, const TensorView& view) const;

  /// False for what gives something else each time, or has an effect besides its outputs: it is not
  /// folded, hoisted or removed.
  virtual bool is_pure() const noexcept { return true; }

 protected:
  explicit Operator(OperatorName name) : name_(std::move(name)) {}

 private:
  OperatorName name_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
