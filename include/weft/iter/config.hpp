// SPDX-License-Identifier: Apache-2.0
/// @file
/// What to iterate over: operands and rules, turned into a TensorIterator by build().
#pragma once

#include <weft/base/export.hpp>
#include <weft/base/limits.hpp>
#include <weft/core/tensor.hpp>
#include <weft/iter/overlap.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/iter/types.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace weft {
inline namespace v0 {

/// Collects operands, outputs first, and rules. Setters may come in any order and may be repeated;
/// what does not fit together is reported by build(). A config may be built any number of times.
///
/// Operands given by reference are borrowed until build() returns; the iterator keeps copies of the
/// views, not of the memory. The add_owned_ forms keep the tensor's memory alive as well.
///
///     auto iter = weft::TensorIteratorConfig().add_output(out).add_input(a).add_input(b).build();
class WEFT_API TensorIteratorConfig {
 public:
  // Not defaulted: `TensorIteratorConfig()` would then zero the room for operands first.
  TensorIteratorConfig() noexcept {}  // NOLINT(modernize-use-equals-default)

  // ---- Operands ---------------------------------------------------------------------------------

  /// An output to allocate: afterwards iterator.allocated_output(i).
  TensorIteratorConfig& add_output() { return add_output_entry(nullptr, nullptr); }
  /// An output of fixed geometry.
  TensorIteratorConfig& add_output(const TensorView& view) {
    return add_output_entry(&view, nullptr);
  }
  /// An output that build() assigns if it is undefined, or of the wrong shape and resizing is on.
  TensorIteratorConfig& add_output(Tensor& tensor) { return add_output_entry(&tensor, &tensor); }
  TensorIteratorConfig& add_output(const TensorView&& temporary) = delete;
  TensorIteratorConfig& add_borrowed_output(const TensorView& view) { return add_output(view); }
  TensorIteratorConfig& add_borrowed_output(Tensor& tensor) { return add_output(tensor); }
  TensorIteratorConfig& add_borrowed_output(const TensorView&& temporary) = delete;
  TensorIteratorConfig& add_owned_output(Tensor tensor);

  TensorIteratorConfig& add_input(const TensorView& view) { return add_operand(&view, false); }
  TensorIteratorConfig& add_input(const TensorView&& temporary) = delete;
  TensorIteratorConfig& add_borrowed_input(const TensorView& view) { return add_input(view); }
  TensorIteratorConfig& add_borrowed_input(const TensorView&& temporary) = delete;
  TensorIteratorConfig& add_owned_input(Tensor tensor);
  /// An input that no loop may write to.
  TensorIteratorConfig& add_const_input(const TensorView& view) { return add_operand(&view, true); }
  TensorIteratorConfig& add_const_input(const TensorView&& temporary) = delete;
  TensorIteratorConfig& add_borrowed_const_input(const TensorView& view) {
    return add_const_input(view);
  }
  TensorIteratorConfig& add_borrowed_const_input(const TensorView&& temporary) = delete;
  TensorIteratorConfig& add_owned_const_input(Tensor tensor);

  // ---- Rules; the default in brackets -----------------------------------------------------------

  /// [true] Outputs are checked for overlap with themselves, with inputs and with each other. False
  /// is OverlapPolicy::ignore.
  TensorIteratorConfig& set_check_mem_overlap(bool check);
  /// [error] What to do about overlap. An output that overlaps itself or another output is refused
  /// under `copy` too. Where the search cannot decide within its work limit, `copy` copies the
  /// input and `error` refuses.
  TensorIteratorConfig& set_overlap_policy(OverlapPolicy policy);
  /// [true] All operands have one type. Without effect where types are promoted or cast.
  TensorIteratorConfig& check_all_same_dtype(bool check);
  /// [false] Inputs are read as their common type (promotion.hpp).
  TensorIteratorConfig& promote_inputs_to_common_dtype(bool promote) {
    types_.promote_inputs = promote;
    return update_type_check();
  }
  /// [false] With promotion: an integer or bool common type becomes the default floating type.
  TensorIteratorConfig& promote_integer_inputs_to_float(bool promote) {
    types_.integers_to_float = promote;
    return *this;
  }
  /// [f32] The default floating type: f16, bf16, f32 or f64.
  TensorIteratorConfig& default_float_type(ScalarType type);
  /// [false] Outputs of another type are computed in the common type and converted.
  TensorIteratorConfig& cast_common_dtype_to_outputs(bool cast) {
    types_.cast_to_outputs = cast;
    return update_type_check();
  }
  /// [false] Refuse outputs that cannot hold the kind of the common type.
  TensorIteratorConfig& enforce_safe_casting_to_output(bool enforce) {
    types_.safe_casting = enforce;
    return *this;
  }
  /// [false] Visit elements in C order of the common shape.
  TensorIteratorConfig& enforce_linear_iteration(bool enforce = true);
  /// [false] Outputs may have extent 1 where the inputs have more.
  TensorIteratorConfig& is_reduction(bool reduction);
  /// [true] A `Tensor` output of the wrong shape is replaced, and outputs do not take part in the
  /// common shape.
  TensorIteratorConfig& resize_outputs(bool resize);
  /// Type of outputs to allocate. Needs check_all_same_dtype(false) or promotion.
  TensorIteratorConfig& declare_static_dtype(ScalarType type);
  /// The common shape; operands' own shapes are not looked at, their strides are taken as if they
  /// had this one (an operand of lower rank at the trailing axes). Reach is checked against each
  /// operand's memory. Needs resize_outputs(false).
  TensorIteratorConfig& declare_static_shape(IntSpan shape);
  /// As above; then the listed axes get extent 1: the kernel walks them itself.
  TensorIteratorConfig& declare_static_shape(IntSpan shape, IntSpan squash_axes);
  /// [false] Order dims and lay out new outputs exactly as PyTorch does.
  TensorIteratorConfig& pytorch_order(bool enable = true);

  /// Names the operation: messages of build() start with it. The text must outlive the config.
  TensorIteratorConfig& set_operation(const char* name) {
    operation_ = name;
    return *this;
  }

  /// Plans the iteration and allocates outputs. Throws Error before anything is written or
  /// allocated: invalid_argument (outputs after inputs, rules that contradict), undefined, shape,
  /// rank, axis, dtype, cast, overlap, bounds, overflow. Time: about 50 ns for three dense operands
  /// of one type; otherwise O(operands * rank^2), plus the overlap search where address ranges
  /// meet.
  TensorIterator build() const;

 private:
  friend class PlanBuilder;

  struct Entry {
    const TensorView* view;  ///< null: an output to allocate
    Tensor* tensor;          ///< where to put an allocated output, or null
    bool is_output;
    bool is_const;
  };

  TensorIteratorConfig& add_operand(const TensorView* view, bool is_const) {
    entries_.push_back({view, nullptr, false, is_const});
    return *this;
  }
  TensorIteratorConfig& add_output_entry(const TensorView* view, Tensor* tensor) {
    // Remembered rather than thrown here, so that every mistake of a config is reported in one
    // place.
    output_after_input_ = output_after_input_ || (!entries_.empty() && !entries_.back().is_output);
    entries_.push_back({view, tensor, true, false});
    return *this;
  }
  /// An explicit wish holds; without one, types are compared unless they are promoted or cast.
  TensorIteratorConfig& update_type_check() {
    const bool converts = types_.promote_inputs || types_.cast_to_outputs;
    types_.check_all_same = check_all_same_.value_or(!converts) && !converts;
    return *this;
  }

  SmallVector<Entry, inline_operands> entries_;
  std::vector<std::shared_ptr<Tensor>> owned_;
  TypeRules types_;
  const char* operation_ = nullptr;
  OverlapPolicy overlap_ = OverlapPolicy::error;
  std::optional<bool> check_all_same_;
  bool linear_ = false;
  bool reduction_ = false;
  bool resize_outputs_ = true;
  bool pytorch_order_ = false;
  bool output_after_input_ = false;
  bool has_static_shape_ = false;
  DimVector static_shape_;
  DimVector squash_axes_;
};

}  // namespace v0
}  // namespace weft
