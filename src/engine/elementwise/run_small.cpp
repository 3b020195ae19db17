// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/run_small.hpp"

#include <weft/iter/broadcast.hpp>
#include <weft/iter/coalesce.hpp>
#include <weft/iter/order.hpp>

#include "engine/copy/run_copy.hpp"
#include "engine/elementwise/simple_run.hpp"
#include "machine/tuning.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft {
inline namespace v0 {
namespace {

constexpr int max_small_operands = 4;

/// Whether the inputs broadcast to the output's shape, and to nothing less.
bool broadcasts_to_output(const TensorView& out, std::span<const TensorView* const> inputs) {
  int rank = 0;
  for (const TensorView* in : inputs)
    rank = std::max(rank, in->rank());
  if (rank != out.rank()) return false;
  for (int axis = 0; axis < rank; ++axis) {
    const std::int64_t extent = out.shape()[static_cast<std::size_t>(axis)];
    bool reached = extent == 1;
    for (const TensorView* in : inputs) {
      const int at = axis - rank + in->rank();
      const std::int64_t own = at < 0 ? 1 : in->shape()[static_cast<std::size_t>(at)];
      if (own != 1 && own != extent) return false;
      reached = reached || own == extent;
    }
    if (!reached) return false;
  }
  return true;
}

bool same_elements(const TensorView& a, const TensorView& b) {
  return a.data() == b.data() && std::ranges::equal(a.shape(), b.shape()) &&
         std::ranges::equal(a.strides(), b.strides());
}

bool meet(const TensorView& a, const TensorView& b) {
  const char* from_a = static_cast<const char*>(a.data());
  const char* from_b = static_cast<const char*>(b.data());
  return from_a + a.first_byte() < from_b + b.end_byte() &&
         from_b + b.first_byte() < from_a + a.end_byte();
}

/// Whether no two elements of an output surely share memory: along dims by length of step,
/// each step leads past all that lies within. Dims are in any order.
bool has_distinct_elements(const Geometry& geometry, std::int64_t size) {
  for (int d = 0; d < geometry.ndim(); ++d) {
    if (geometry.extent(d) == 1) continue;
    const std::int64_t step = std::abs(geometry.stride(d, 0));
    std::int64_t within = size;
    for (int e = 0; e < geometry.ndim(); ++e) {
      if (e == d || geometry.extent(e) == 1) continue;
      const std::int64_t other = std::abs(geometry.stride(e, 0));
      if (other < step || (other == step && e < d)) within += (geometry.extent(e) - 1) * other;
    }
    if (step < within) return false;
  }
  return true;
}

/// The geometry of a few operands, output first, and each one's first element. data[k] is to be the
/// operand's origin, sizes[k] the bytes of its elements.
/// False if it is not as simple as run_small() says.
bool lay_out(Geometry& geometry, char** data, const std::int64_t* sizes, const TensorView& out,
             std::span<const TensorView* const> inputs) {
  if (!broadcasts_to_output(out, inputs)) return false;
  const std::size_t count = inputs.size() + 1;
  geometry.noperands = static_cast<int>(count);
  geometry.resize(out.rank());
  std::ranges::copy(out.shape(), geometry.shape.begin());
  broadcast_strides(geometry, 0, out.shape(), out.strides(), sizes[0]);
  if (!has_distinct_elements(geometry, sizes[0])) return false;
  bool backwards = out.first_byte() < 0;
  for (std::size_t k = 1; k < count; ++k) {
    const TensorView& in = *inputs[k - 1];
    broadcast_strides(geometry, static_cast<int>(k), in.shape(), in.strides(), sizes[k]);
    backwards = backwards || in.first_byte() < 0;
  }
  OrderOperand roles[max_small_operands];
  roles[0].is_output = true;
  if (out.rank() > 1) permute_dims(geometry, order_by_cost(geometry, {roles, count}));
  if (backwards) {
    std::int64_t offsets[max_small_operands] = {};
    flip_backward_dims(geometry, {offsets, count});
    for (std::size_t k = 0; k < count; ++k)
      data[k] += offsets[k];
  }
  coalesce_dims(geometry);
  return true;
}

/// An output that run_small() takes.
bool is_simple_output(const TensorView& out) {
  const Tuning& t = tuning();
  return out.defined() && !out.read_only() && out.numel() > 0 && out.numel() <= t.few_elements &&
         out.rank() <= inline_rank && t.strategy == Strategy::automatic;
}

}  // namespace

bool run_small(const SpanKernel& kernel, const TensorView& out,
               std::span<const TensorView* const> inputs) {
  if (!is_simple_output(out) || out.dtype() != kernel.types[0] ||
      inputs.size() != static_cast<std::size_t>(kernel.ninputs) ||
      inputs.size() >= max_small_operands) {
    return false;
  }
  for (std::size_t k = 0; k < inputs.size(); ++k)  // first, since it costs least
    if (inputs[k]->dtype() != kernel.types[k + 1] && !inputs[k]->is_weak_scalar()) return false;
  char* data[max_small_operands];
  std::int64_t sizes[max_small_operands];
  alignas(max_element_bytes) char numbers[max_small_operands][max_element_bytes];
  data[0] = static_cast<char*>(out.data());
  sizes[0] = element_size(out.dtype());
  for (std::size_t k = 1; k <= inputs.size(); ++k) {
    const TensorView& in = *inputs[k - 1];
    const ScalarType type = kernel.types[k];
    if (!in.defined()) return false;
    data[k] = static_cast<char*>(in.data());
    sizes[k] = element_size(type);
    if (in.is_weak_scalar()) {
      if (!take_number(in, type, numbers[k])) return false;
      data[k] = numbers[k];
    } else if (meet(out, in) && !same_elements(out, in)) {
      return false;
    }
  }
  Geometry geometry;
  if (!lay_out(geometry, data, sizes, out, inputs)) return false;
  const SimpleRun run = choose_small(geometry, kernel, tuning());
  if (run.strategy == Strategy::automatic) return false;
  run_simple(run, geometry, kernel, data);
  return true;
}

bool copy_small(const TensorView& to, const TensorView& from) {
  if (!is_simple_output(to) || !from.defined() || from.dtype() != to.dtype() || meet(to, from)) {
    return false;
  }
  const std::int64_t size = element_size(to.dtype());
  const std::int64_t sizes[] = {size, size};
  char* data[] = {static_cast<char*>(to.data()), static_cast<char*>(from.data())};
  const TensorView* const inputs[] = {&from};
  Geometry geometry;
  if (!lay_out(geometry, data, sizes, to, inputs)) return false;
  copy_planes(geometry, size, data[0], data[1]);
  return true;
}

}  // namespace v0
}  // namespace weft
