// SPDX-License-Identifier: Apache-2.0
#include "expr/reduced_chain.hpp"

#include <weft/core/shape.hpp>

#include "expr/computed_dim.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

namespace weft {
inline namespace v0 {
namespace {

/// The stride of an operand along a dim of the reduction's iterator. None if it has not one all
/// along.
std::optional<std::int64_t> stride_along(const TensorIterator& iter, int dim, IntSpan shape,
                                         const DimVector& strides) {
  const ComputedDim along(iter, dim);
  const DimVector dense = contiguous_strides(shape);
  std::optional<std::int64_t> stride;
  std::int64_t next = 0;
  for (std::size_t a = shape.size(); a-- > 0;) {
    if (shape[a] == 1 || !along.has(dense[a])) continue;
    if (!stride)
      stride = strides[a];
    else if (strides[a] != next)
      return std::nullopt;
    next = strides[a] * shape[a];
  }
  return stride;
}

/// Whether a reduction has the loops of one of these.
bool is_one_of(const ReductionKernel& kernel, std::initializer_list<ReduceOp> ops) {
  return std::ranges::any_of(ops, [&](ReduceOp op) {
    const ReductionKernel* const one = reduce_kernel(op, kernel.types[kernel.noutputs]);
    return one != nullptr && kernel.reduce_spans == one->reduce_spans;
  });
}
bool is_sum(const ReductionKernel& kernel) {
  return is_one_of(kernel, {ReduceOp::sum, ReduceOp::mean});
}
/// Whether it is for fused_columns().
bool takes_few_rows(const ReductionKernel& kernel) {
  return is_sum(kernel) || is_one_of(kernel, {ReduceOp::amax, ReduceOp::amin});
}

/// Whether a chain is where(mask, x, 0) of two inputs.
bool selects(const Chain& chain) {
  const auto term = [&](int k) {
    return chain.terms[static_cast<std::size_t>(chain.steps[0].terms[static_cast<std::size_t>(k)])];
  };
  return chain.steps.size() == 1 && chain.steps[0].function &&
         *chain.steps[0].function == FormulaFunction(TernaryOp::where) &&
         term(1).kind == Chain::Kind::input && term(2).kind == Chain::Kind::input &&
         term(3).kind == Chain::Kind::number && term(3).number == 0 &&
         !std::signbit(term(3).number);
}

}  // namespace

std::unique_ptr<ReducedChain> ReducedChain::make(const Chain& chain, IntSpan shape,
                                                 std::span<const DimVector> strides,
                                                 const ReduceCall& call) {
  const ReductionKernel& kernel = *call.kernel;
  // What is converted before it is reduced goes by way of memory, and so does what is reduced by a
  // kernel with a context of its own: that of a function is no more than a number.
  if (kernel.ninputs != 1 || kernel.context != nullptr || call.iter.ndim() == 0 ||
      call.iter.numel() == 0 ||
      kernel.types[kernel.noutputs] != call.iter.operand(kernel.noutputs).storage)
    return nullptr;
  const ChainInputs inputs{chain, shape, strides, call.iter};
  std::unique_ptr<ReducedChain> made(new ReducedChain);
  made->kernel_ = kernel;
  made->kernel_.reduce_column_blocks = nullptr;
  // Accumulators are those of the call's kernel.
  made->fused_.in_memory = {call.number, kernel.reduce_spans, kernel.reduce_columns, kernel.combine,
                            kernel.accumulator_bytes};
  made->kernel_.context = &made->fused_;
  if (made->select(inputs, kernel)) return made;
  if (made->compute(inputs, kernel)) return made;
  return nullptr;
}

/// What a mask selects.
bool ReducedChain::select(const ChainInputs& inputs, const ReductionKernel& kernel) {
  const ScalarType type = kernel.types[kernel.noutputs];
  kernel_.reduce_spans = is_sum(kernel) ? masked_sums(type) : nullptr;
  kernel_.reduce_columns = nullptr;
  const std::int64_t row_bytes = inputs.iter.geometry().extent(0) * element_size(type);
  if (kernel_.reduce_spans == nullptr || !sums_masked_rows(row_bytes) || !selects(inputs.chain))
    return false;
  const auto& terms = inputs.chain.steps[0].terms;
  return set_operands(inputs, {terms[2], terms[1]}) && fused_.broadcast == 0;
}

/// What a program makes.
bool ReducedChain::compute(const ChainInputs& inputs, const ReductionKernel& kernel) {
  const Geometry& geometry = inputs.iter.geometry();
  const ScalarType type = kernel.types[kernel.noutputs];
  const std::int64_t row = geometry.extent(0);
  const bool is_kept = geometry.stride(0, 0) != 0, sums = is_sum(kernel);  // dim 0
  kernel_.reduce_spans =
      !is_kept && reduces_programs(type, row, sums) ? fused_spans(type, sums) : nullptr;
  kernel_.reduce_columns = is_kept && reduces_columns_of_programs(row) && takes_few_rows(kernel)
                               ? fused_columns(type)
                               : nullptr;
  if (kernel_.reduce_spans == nullptr && kernel_.reduce_columns == nullptr) return false;
  const std::optional<FusedSteps> steps = fuse_whole(inputs.chain);
  // Exp and its like alone are quicker in the loop that they have for themselves.
  if (!steps || (inputs.chain.steps.size() == 1 && steps->has_functions())) return false;
  fused_.program = steps->program;
  return set_operands(inputs, {steps->terms.begin() + 1, steps->terms.end()});
}

bool ReducedChain::set_operands(const ChainInputs& inputs, const std::vector<int>& terms) {
  const int noutputs = inputs.iter.noutputs(), ndim = inputs.iter.ndim();
  kernel_.ninputs = static_cast<int>(terms.size());
  if (noutputs + kernel_.ninputs > max_operands) return false;
  operands_.clear();
  strides_.clear();
  fused_.broadcast = 0;
  for (int k = 0; k < kernel_.ninputs; ++k) {
    const Chain::Term& term =
        inputs.chain.terms[static_cast<std::size_t>(terms[static_cast<std::size_t>(k)])];
    kernel_.types[noutputs + k] = term.dtype;
    const FusedInput& operand = operands_.emplace_back(term);
    DimVector& along = strides_.emplace_back(static_cast<std::size_t>(ndim), 0);
    for (int d = 0; d < ndim && operand.input >= 0; ++d) {
      const auto stride = stride_along(inputs.iter, d, inputs.shape,
                                       inputs.strides[static_cast<std::size_t>(operand.input)]);
      if (!stride) return false;
      along[static_cast<std::size_t>(d)] = *stride;
    }
    if (along[0] == 0)
      fused_.broadcast |= 1U << (1 + k);
    else if (along[0] != element_size(term.dtype))
      return false;
  }
  return true;
}

void ReducedChain::run(KeptReduction& reduction, const ComputeBlock& compute,
                       const void* const* inputs) const {
  char* data[max_operands];
  for (std::size_t k = 0; k < operands_.size(); ++k)
    data[k] = operands_[k].at(inputs);
  const ComputingKernel rows{kernel_, strides_, data};
  reduction.run(&compute, &rows);
}

}  // namespace v0
}  // namespace weft
