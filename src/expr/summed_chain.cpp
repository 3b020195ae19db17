// SPDX-License-Identifier: Apache-2.0
#include "expr/summed_chain.hpp"

#include <weft/core/shape.hpp>

#include "expr/computed_dim.hpp"

#include <cmath>
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

/// Whether a reduction is a sum or mean.
bool is_sum(const ReductionKernel& kernel) {
  const auto is = [&](ReduceOp op) {
    const ReductionKernel* const sum = reduce_kernel(op, kernel.types[kernel.noutputs]);
    return sum != nullptr && kernel.reduce_spans == sum->reduce_spans;
  };
  return is(ReduceOp::sum) || is(ReduceOp::mean);
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

std::unique_ptr<SummedChain> SummedChain::make(const Chain& chain, IntSpan shape,
                                               std::span<const DimVector> strides,
                                               const ReduceCall& call) {
  const ReductionKernel& sum = *call.kernel;
  const ScalarType type = sum.types[sum.noutputs];
  // What is converted before it is summed goes by way of memory.
  if (!is_sum(sum) || type != call.iter.operand(sum.noutputs).storage || call.iter.ndim() == 0 ||
      call.iter.numel() == 0)
    return nullptr;
  const ChainInputs inputs{chain, shape, strides, call.iter};
  const std::int64_t row = call.iter.geometry().extent(0);
  std::unique_ptr<SummedChain> made(new SummedChain);
  made->kernel_ = sum;
  made->kernel_.reduce_column_blocks = nullptr;
  // Accumulators are those of the call's kernel, whose context is a number.
  made->sums_.sums = {call.number, sum.reduce_spans, sum.reduce_columns};
  made->kernel_.context = &made->sums_;
  if (made->select(inputs, masked_sums(type), row * element_size(type))) return made;
  if (made->compute(inputs, type, row)) return made;
  return nullptr;
}

/// What a mask selects, in rows of so many bytes.
bool SummedChain::select(const ChainInputs& inputs, ReduceSpans reduce_spans, std::int64_t bytes) {
  if (reduce_spans == nullptr || !sums_masked_rows(bytes) || !selects(inputs.chain)) return false;
  const auto& terms = inputs.chain.steps[0].terms;
  kernel_.reduce_spans = reduce_spans;
  kernel_.reduce_columns = nullptr;
  return set_operands(inputs, {terms[2], terms[1]}) && sums_.broadcast == 0;
}

/// What a program makes, in rows of so many elements.
bool SummedChain::compute(const ChainInputs& inputs, ScalarType type, std::int64_t row) {
  const bool is_kept = inputs.iter.geometry().stride(0, 0) != 0;  // dim 0
  kernel_.reduce_spans = !is_kept && sums_programs(type, row) ? fused_sums(type) : nullptr;
  kernel_.reduce_columns =
      is_kept && sums_columns_of_programs(row) ? fused_column_sums(type) : nullptr;
  if (kernel_.reduce_spans == nullptr && kernel_.reduce_columns == nullptr) return false;
  const std::optional<FusedSteps> steps = fuse_whole(inputs.chain);
  // Exp and its like alone are quicker in the loop that they have for themselves.
  if (!steps || (inputs.chain.steps.size() == 1 && steps->has_functions())) return false;
  sums_.program = steps->program;
  return set_operands(inputs, {steps->terms.begin() + 1, steps->terms.end()});
}

bool SummedChain::set_operands(const ChainInputs& inputs, const std::vector<int>& terms) {
  const int noutputs = inputs.iter.noutputs(), ndim = inputs.iter.ndim();
  kernel_.ninputs = static_cast<int>(terms.size());
  if (noutputs + kernel_.ninputs > max_operands) return false;
  operands_.clear();
  strides_.clear();
  sums_.broadcast = 0;
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
      sums_.broadcast |= 1U << (1 + k);
    else if (along[0] != element_size(term.dtype))
      return false;
  }
  return true;
}

void SummedChain::run(KeptReduction& reduction, const ComputeBlock& compute,
                      const void* const* inputs) const {
  char* data[max_operands];
  for (std::size_t k = 0; k < operands_.size(); ++k)
    data[k] = operands_[k].at(inputs);
  const ComputingKernel rows{kernel_, strides_, data};
  reduction.run(&compute, &rows);
}

}  // namespace v0
}  // namespace weft
