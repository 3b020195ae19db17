// SPDX-License-Identifier: Apache-2.0
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/cpu_info.hpp>
#include <weft/parallel/parallel.hpp>

#include "engine/elementwise/few_elements.hpp"
#include "engine/elementwise/few_spans.hpp"
#include "engine/elementwise/tile_plan.hpp"
#include "engine/elementwise/tile_runner.hpp"
#include "engine/footprint.hpp"
#include "engine/grain.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

/// Runs tiles [begin, end) with buffers on the stack.
template <std::int64_t bytes>
#if defined(__GNUC__)
__attribute__((noinline))  // or small calls would get the frame of large ones
#endif
void run_tiles(const TensorIterator& iter, const SpanKernel& kernel, const TilePlan& plan,
               std::int64_t begin, std::int64_t end) {
  // Room for rounding each buffer up to whole cache lines.
  alignas(64) char scratch[bytes + 3 * 64 * max_operands];
  TileRunner(iter, kernel, plan, scratch).run(begin, end);
}

/// Operands of one span in the kernel's own type, as far as that takes no tiles: in place, or, for
/// values and short spans of another type, converted into a small buffer.
class Span {
 public:
  /// Elements of a short span.
  static constexpr std::int64_t most = 512;

  /// False if some operand is not that simple.
  bool collect(const TensorIterator& iter, const SpanKernel& kernel) {
    const std::int64_t n = iter.numel();
    const IntSpan strides = iter.get_dim_strides(0);
    for (int k = 0; k < iter.ntensors(); ++k) {
      const Operand& op = iter.operand(k);
      const ScalarType type = kernel.types[k];
      const std::int64_t stride = n == 1 ? 0 : strides[static_cast<std::size_t>(k)];
      const bool one = stride == 0;
      if (one && n != 1) {
        if ((kernel.broadcastable >> k & 1) == 0) return false;
        broadcast |= 1u << k;
      }
      if (op.storage == type && op.dtype == type) {
        if (!one && stride != element_size(type)) return false;
        data[k] = op.data;
      } else {
        check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
        if (!convert(op, k, type, one ? 1 : n, stride)) return false;
      }
    }
    return true;
  }

  char* data[max_operands];
  std::uint32_t broadcast = 0;

 private:
  bool convert(const Operand& op, int k, ScalarType type, std::int64_t n, std::int64_t stride) {
    const std::int64_t bytes = n * element_size(type);
    const bool via = op.dtype != op.storage && op.dtype != type;
    if (op.is_output || n > most || used_ + bytes > static_cast<std::int64_t>(sizeof(buffer_)) ||
        (n > 1 && (via || stride != element_size(op.storage)))) {
      return false;
    }
    data[k] = buffer_ + used_;
    used_ += (bytes + 15) / 16 * 16;
    if (n > 1) {
      convert_kernel(type, op.storage)(data[k], op.data, n);
    } else {
      convert_value(data[k], type, op);
    }
    return true;
  }

  std::int64_t used_ = 0;
  alignas(64) char buffer_[4096];
};

/// One span, if every operand can be had so. False, with nothing done, if not.
bool run_in_place(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options) {
  Span span;
  if (!span.collect(iter, kernel)) return false;
  const std::int64_t n = iter.numel();
  constexpr std::int64_t surely_small = 1024;
  if (n <= surely_small || options.serial) {
    kernel.run(kernel.context, span.data, nullptr, n, 1, span.broadcast);
    return true;
  }
  for (int k = 0; k < iter.noutputs(); ++k) {
    if (worth_streaming(iter, k, kernel.run_streamed != nullptr)) return false;
  }
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    char* part[max_operands];
    for (int k = 0; k < iter.ntensors(); ++k) {
      part[k] = span.data[k] +
                ((span.broadcast >> k & 1) != 0 ? 0 : begin * element_size(kernel.types[k]));
    }
    kernel.run(kernel.context, part, nullptr, end - begin, 1, span.broadcast);
  };
  parallel_for(n, estimate_grain(iter, kernel.cost, options, 0), run, 64);
  return true;
}

/// A few elements that lie anyhow. False, with nothing done, if they can't be had one by one.
#if defined(__GNUC__)
__attribute__((noinline))  // or all other calls would get its frame
#endif
bool run_few(const TensorIterator& iter, const SpanKernel& kernel) {
  FewElements elements;
  if (!elements.collect(iter, kernel)) return false;
  elements.run(iter, kernel);
  return true;
}

/// One element, of other types than the kernel's.
void run_single(const TensorIterator& iter, const SpanKernel& kernel) {
  constexpr std::int64_t largest = 16;
  alignas(largest) char values[max_operands][largest];
  char* data[max_operands];
  for (int k = 0; k < iter.ntensors(); ++k) {
    data[k] = values[k];
    const Operand& op = iter.operand(k);
    if (!op.is_output) convert_value(values[k], kernel.types[k], op);
  }
  kernel.run(kernel.context, data, nullptr, 1, 1, 0);
  for (int k = 0; k < iter.noutputs(); ++k) {
    const Operand& op = iter.operand(k);
    alignas(largest) char via[largest];
    cast_elements(via, op.dtype, 0, values[k], kernel.types[k], 0, 1);
    cast_elements(op.data, op.storage, 0, via, op.dtype, 0, 1);
  }
}

}  // namespace

void run_spans(const TensorIterator& iter, const SpanKernel& kernel, const RunOptions& options) {
  check_elementwise(iter);
  if (iter.numel() == 0) {
    check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
    return;
  }
  check_counts(iter, kernel.noutputs, kernel.ninputs);
  if (iter.ndim() <= 1 && run_in_place(iter, kernel, options)) return;
  if (FewSpans few; few.collect(iter, kernel)) {
    few.run(iter.geometry(), kernel);
    return;
  }
  if (iter.numel() <= FewElements::most && iter.ndim() > 0 && run_few(iter, kernel)) return;
  check_kernel(iter, kernel.noutputs, kernel.ninputs, kernel.types);
  if (iter.numel() == 1) {
    run_single(iter, kernel);
    return;
  }
  const TilePlan plan = plan_tiles(iter, kernel, options);
  const bool large = plan.staged_bytes > (plan.in_pieces ? short_stage_bytes : stage_bytes);
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    if (large) {
      run_tiles<large_stage_bytes + pieces_bytes>(iter, kernel, plan, begin, end);
    } else {
      run_tiles<stage_bytes>(iter, kernel, plan, begin, end);
    }
  };
  if (options.serial) {
    run(0, plan.count);
  } else {
    parallel_for(plan.count, plan.grain, run);
  }
}

}  // namespace v0
}  // namespace weft
