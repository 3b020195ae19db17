// SPDX-License-Identifier: Apache-2.0
/// @file
/// Everything, layer by layer, lowest first. Including single headers compiles faster.
/// <weft/kernel/vectorized.hpp>, which needs xsimd, is not among them.
#pragma once

// clang-format off: it would sort the layers by name.

// base: errors, limits, small containers
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/base/export.hpp>
#include <weft/base/function_ref.hpp>
#include <weft/base/limits.hpp>
#include <weft/base/small_vector.hpp>
#include <weft/base/version.hpp>

// machine: the processor, and kernels for each of its instruction sets
#include <weft/machine/cpu_info.hpp>
#include <weft/machine/dispatch.hpp>
#include <weft/machine/level.hpp>
#include <weft/machine/strategy.hpp>

// core: element types, shapes, tensors
#include <weft/core/cast.hpp>
#include <weft/core/dispatch_types.hpp>
#include <weft/core/dlpack.hpp>
#include <weft/core/half.hpp>
#include <weft/core/kinds.hpp>
#include <weft/core/mdspan.hpp>
#include <weft/core/memory.hpp>
#include <weft/core/npy.hpp>
#include <weft/core/print.hpp>
#include <weft/core/promotion.hpp>
#include <weft/core/scalar.hpp>
#include <weft/core/scalar_type.hpp>
#include <weft/core/shape.hpp>
#include <weft/core/tensor.hpp>
#include <weft/core/tensor_view.hpp>
#include <weft/core/views.hpp>

// iter: the strided iterator
#include <weft/iter/broadcast.hpp>
#include <weft/iter/coalesce.hpp>
#include <weft/iter/config.hpp>
#include <weft/iter/explain.hpp>
#include <weft/iter/geometry.hpp>
#include <weft/iter/loop.hpp>
#include <weft/iter/operand.hpp>
#include <weft/iter/order.hpp>
#include <weft/iter/overlap.hpp>
#include <weft/iter/tensor_iterator.hpp>
#include <weft/iter/types.hpp>

// parallel: threads
#include <weft/parallel/parallel.hpp>

// kernel: writing kernels
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/cumulative_kernel.hpp>
#include <weft/kernel/index_kernel.hpp>
#include <weft/kernel/masked_op.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/kernel/reduction_kernel.hpp>
#include <weft/kernel/scalar_math.hpp>
#include <weft/kernel/span_kernel.hpp>

// An installed weft may have been built without the components from here on (WEFT_WITH_OPS, ...).
#if __has_include(<weft/ops/binary.hpp>)

// linalg: matrix products
#include <weft/linalg/packed_matrix.hpp>
#include <weft/linalg/product_provider.hpp>

// ops: the functions
#include <weft/ops/argument.hpp>
#include <weft/ops/arrange.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/counting.hpp>
#include <weft/ops/creation.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/difference.hpp>
#include <weft/ops/division.hpp>
#include <weft/ops/function_table.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/inputs.hpp>
#include <weft/ops/join.hpp>
#include <weft/ops/masked_lines.hpp>
#include <weft/ops/masked_positions.hpp>
#include <weft/ops/masking.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/reduction_table.hpp>
#include <weft/ops/registry.hpp>
#include <weft/ops/scaled.hpp>
#include <weft/ops/searching.hpp>
#include <weft/ops/softmax.hpp>
#include <weft/ops/sorting.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/triangle.hpp>
#include <weft/ops/unary.hpp>

// expr: expressions
#include <weft/expr/explain_expr.hpp>
#include <weft/expr/expr.hpp>
#include <weft/expr/formula.hpp>
#include <weft/expr/map.hpp>
#include <weft/expr/masked.hpp>
#include <weft/expr/parse_expr.hpp>
#include <weft/expr/reduce_with.hpp>
#include <weft/expr/where.hpp>

#endif
#if __has_include(<weft/graph/graph.hpp>)

// graph: graphs of operators
#include <weft/graph/attributes.hpp>
#include <weft/graph/elementwise_builder.hpp>
#include <weft/graph/executable.hpp>
#include <weft/graph/explanation.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/operator.hpp>
#include <weft/graph/operator_registry.hpp>
#include <weft/graph/partial_shape.hpp>
#include <weft/graph/variables.hpp>

// recurrent: loops and choices in graphs
#include <weft/recurrent/choice.hpp>
#include <weft/recurrent/loop.hpp>
#include <weft/recurrent/loop_spec.hpp>
#include <weft/recurrent/network.hpp>
#include <weft/recurrent/port_map.hpp>
#include <weft/recurrent/port_range.hpp>
#include <weft/recurrent/sequence.hpp>

#endif
#if __has_include(<weft/ir/model.hpp>)

// ir: OpenVINO models
#include <weft/ir/document.hpp>
#include <weft/ir/limits.hpp>
#include <weft/ir/model.hpp>
#include <weft/ir/read_document.hpp>

#endif
// clang-format on
