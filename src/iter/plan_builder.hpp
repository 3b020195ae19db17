// SPDX-License-Identifier: Apache-2.0
/// @file
/// The chain of stages behind TensorIteratorConfig::build().
#pragma once

#include <weft/iter/config.hpp>
#include <weft/iter/order.hpp>

namespace weft {
inline namespace v0 {

/// Fills one TensorIterator from one config, stage by stage. Each stage relies on those before it;
/// the order is that of run(). Nothing is allocated before every check has passed, and nothing is
/// assigned while anything can fail.
class PlanBuilder {
 public:
  PlanBuilder(const TensorIteratorConfig& config, TensorIterator& iter)
      : config_(config), iter_(iter) {}

  void run();

 private:
  using Entry = TensorIteratorConfig::Entry;

  bool build_dense();
  bool is_uniform() const;
  const TensorView* dense_operand(bool& one_type) const;
  bool may_overlap() const;
  void add_operands();
  bool one_type_suffices(ScalarType type) const;
  void take_type(ScalarType type);
  void check_rules() const;
  void collect_operands();
  void mark_read_write(const Operand& in);
  void find_shape();
  void check_output_shapes();
  void find_types();
  void lay_out_strides();
  void check_reach() const;
  void check_overlap();
  void check_pair(std::size_t output, std::size_t other);
  void choose_order();
  void lay_out_new_outputs();
  void allocate_outputs();
  void assign_outputs() noexcept;
  Tensor* wanted_output(int operand) const noexcept;
  void keep_owned();
  void squash();
  void finish();
  void flip_backwards();

  bool is_squashed(int axis) const;
  TensorView touched(const TensorView& view) const;
  bool is_repeated(const TensorView& view) const;
  const TensorView& touched(std::size_t operand) const {
    return touched_.empty() ? iter_.operands_[operand].view : touched_[operand];
  }
  bool has_nothing_to_walk(const Operand& op) const;
  IntSpan declared_or_own_shape(const TensorView& view) const;
  void copy_before_use(std::size_t input);
  DimVector dense_strides(const Permutation& perm) const;
  bool is_new(std::size_t operand) const { return (new_ >> operand & 1) != 0; }
  std::string operand_label(std::size_t operand) const;

  const TensorIteratorConfig& config_;
  TensorIterator& iter_;
  std::uint32_t new_ = 0;   // bit k: operand k is an output that build() allocates
  std::uint32_t copy_ = 0;  // bit k: operand k is an input to be read from a copy
  SmallVector<TensorView, inline_operands> touched_;  // only with a declared shape
  DimVector new_strides_;                             // in elements, of every output to allocate
  SmallVector<Tensor, 2> given_;  // outputs as callers get them, in the order of kept_
};

}  // namespace v0
}  // namespace weft
