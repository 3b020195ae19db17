// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/simple_run.hpp"

#include <weft/parallel/parallel.hpp>

#include "engine/block.hpp"
#include "engine/elementwise/operand_access.hpp"
#include "engine/elementwise/small_estimate.hpp"
#include "engine/footprint.hpp"
#include "engine/grain.hpp"
#include "engine/type_change.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

/// Bytes of the buffers of all operands, at most.
constexpr std::int64_t max_buffers_bytes = 3 * tuning_maximum::few_buffer_bytes;

constexpr std::uint32_t bit(int k) { return 1U << k; }

/// Operands that are in place along dim 0 as one value; false if some operand is neither that nor
/// dense there.
bool is_in_place(const Geometry& geometry, const SpanKernel& kernel, std::uint32_t& broadcast) {
  broadcast = 0;
  if (geometry.ndim() == 0) return true;
  for (int k = 0; k < geometry.noperands; ++k) {
    const std::int64_t stride = geometry.stride(0, k);
    if (stride == 0 && (kernel.broadcastable >> k & 1) != 0) {
      broadcast |= bit(k);
    } else if (stride != element_size(kernel.types[k])) {
      return false;
    }
  }
  return true;
}

/// Sets which operands a span over all elements takes through buffers; true if these have room.
/// `cast`: operands of other types than the kernel's, whose elements in memory have sizes[k] bytes.
/// Nothing is set before.
bool set_span(const Geometry& geometry, const SpanKernel& kernel, const Tuning& t,
              std::uint32_t cast, const std::int64_t* sizes, SimpleRun& run) {
  const std::int64_t numel = geometry.numel();
  std::int64_t bytes = 0, largest = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    const RowLayout layout = row_layout(geometry, k, sizes[k], geometry.ndim());
    if (numel != 1 && !layout.dense) {
      if (layout.still && (kernel.broadcastable >> k & 1) != 0) {
        run.broadcast |= bit(k);
      } else {
        run.packed |= bit(k);
      }
    }
    if (((run.packed | cast) & bit(k)) == 0) continue;
    const std::int64_t buffer = whole_lines(numel * element_size(kernel.types[k]));
    largest = std::max(largest, buffer);
    bytes += buffer;
  }
  run.cast = cast;
  return largest <= t.few_buffer_bytes && bytes <= max_buffers_bytes;
}

/// Sets how a few elements of the kernel's types are run, by what it is estimated to cost; nothing
/// if that is tiles. Precondition: ndim > 0.
#if defined(__GNUC__)
__attribute__((noinline))  // or lines would get its frame
#endif
void choose_cheapest(const Geometry& geometry, const SpanKernel& kernel, const Tuning& t,
                     const std::int64_t* sizes, SimpleRun& run) {
  std::uint32_t broadcast = 0;
  const bool in_rows = is_in_place(geometry, kernel, broadcast);
  if (in_rows && geometry.ndim() == 1) {  // one row: nothing costs less
    run.broadcast = broadcast;
    run.strategy = Strategy::rows;
    return;
  }
  const SmallEstimate estimate(geometry, kernel, t);
  const bool may_step = !in_rows && may_stride(geometry, kernel);
  const std::int64_t ps = in_rows    ? estimate.rows()
                          : may_step ? estimate.strided_rows()
                                     : std::numeric_limits<std::int64_t>::max();
  if (ps > estimate.least_buffered()) {
    const bool fits = set_span(geometry, kernel, t, 0, sizes, run);
    const std::int64_t span_ps = estimate.span(run.packed, ps);
    // Where buffers do not hold it all, tiles do the same in several parts.
    if (fits ? span_ps <= ps : span_ps + t.tiles_ps <= ps) {
      if (fits) run.strategy = Strategy::span;
      return;
    }
  }
  run.broadcast = in_rows ? broadcast : 0;
  run.packed = 0;
  if (in_rows || may_step) run.strategy = in_rows ? Strategy::rows : Strategy::strided_rows;
}

/// Sets how a few elements are run, if they are few enough. `cast` and `sizes` as of set_span().
void choose_small(const Geometry& geometry, const SpanKernel& kernel, const Tuning& t,
                  std::uint32_t cast, const std::int64_t* sizes, SimpleRun& run) {
  const std::int64_t numel = geometry.numel();
  run.broadcast = 0;
  if (numel > (kernel.cost < high_cost ? t.few_elements : t.min_thread_elements)) return;
  if (cast == 0 && geometry.ndim() > 0) return choose_cheapest(geometry, kernel, t, sizes, run);
  if (cast != 0 && numel > t.few_cast) return;
  if (set_span(geometry, kernel, t, cast, sizes, run)) run.strategy = Strategy::span;
}

/// Rows of dim 0 along dim `along`, if there is that.
void run_plane(const SimpleRun& run, const Geometry& geometry, const SpanKernel& kernel,
               char* const* at, int along) {
  const bool many = geometry.ndim() > 1;
  const std::int64_t row = geometry.extent(0);
  const std::int64_t rows = many ? geometry.extent(along) : 1;
  const std::int64_t* const row_bytes = many ? geometry.strides(along) : nullptr;
  if (run.strategy == Strategy::rows) {
    kernel.run(kernel.context, at, row_bytes, row, rows, run.broadcast);
    return;
  }
  char* data[max_operands];
  std::copy_n(at, geometry.noperands, data);
  for (std::int64_t left = rows;;) {
    kernel.run_strided(kernel.context, data, geometry.strides(0), row);
    if (--left == 0) return;
    for (int k = 0; k < geometry.noperands; ++k)
      data[k] += row_bytes[k];
  }
}

/// Planes of dim 0 and the longest other one, one after the other.
void run_planes(const SimpleRun& run, const Geometry& geometry, const SpanKernel& kernel,
                char* const* at) {
  const int along = dim_of_rows(geometry);
  if (geometry.ndim() <= 2) return run_plane(run, geometry, kernel, at, along);
  char* data[max_operands];
  std::copy_n(at, geometry.noperands, data);
  std::int64_t index[max_rank];
  std::fill_n(index, geometry.ndim(), 0);
  for (;;) {
    run_plane(run, geometry, kernel, data, along);
    int d = 1;
    for (; d < geometry.ndim(); ++d) {
      if (d == along) continue;
      const bool more = ++index[d] < geometry.extent(d);
      const std::int64_t by = more ? 1 : 1 - geometry.extent(d);
      for (int k = 0; k < geometry.noperands; ++k)
        data[k] += by * geometry.stride(d, k);
      if (more) break;
      index[d] = 0;
    }
    if (d >= geometry.ndim()) return;
  }
}

/// Elements of one operand between memory and the span that the kernel sees.
class SpanBuffer {
 public:
  /// `op`: null if it is of the kernel's type. `between`: bytes_between() if it is not.
  SpanBuffer(const SimpleRun& run, const Geometry& geometry, int k, const Operand* op,
             ScalarType type, std::int64_t numel, char* between)
      : geometry_(geometry),
        k_(k),
        change_(op != nullptr ? TypeChange(*op, type) : TypeChange(type)),
        is_packed_((run.packed >> k & 1) != 0),
        count_((run.broadcast >> k & 1) != 0 ? 1 : numel),
        between_(between) {}

  /// Bytes of two buffers for so many elements of any type.
  static std::int64_t bytes_between(std::int64_t numel) {
    return 2 * whole_lines(numel * max_element_bytes);
  }

  void load(char* span, char* memory) const {
    if (!change_.converts()) return move<true>(memory, span);
    if (is_packed_) move<true>(memory, between_);
    change_.convert(span, is_packed_ ? between_ : memory, via(), count_);
  }
  void store(char* memory, char* span) const {
    if (!change_.converts()) return move<false>(memory, span);
    change_.convert(is_packed_ ? between_ : memory, span, via(), count_);
    if (is_packed_) move<false>(memory, between_);
  }
  /// Bytes of the span's elements, up to the next cache line.
  std::int64_t bytes() const { return whole_lines(count_ * change_.kernel_size); }

 private:
  char* via() const { return between_ + bytes_between(count_) / 2; }
  template <bool to_buffer>
  void move(char* memory, char* buffer) const {
    const std::int64_t size = change_.memory_size;
    BlockDim dims[max_rank + 2];
    int ndims = 0;
    for (int d = 0; d < geometry_.ndim(); ++d)
      append_dim(dims, ndims, {geometry_.extent(d), geometry_.stride(d, k_)});
    if constexpr (to_buffer) {
      pack(copy_block_kernel(size), buffer, memory, size, dims, ndims);
    } else {
      unpack(copy_block_kernel(size), memory, buffer, size, dims, ndims);
    }
  }

  const Geometry& geometry_;
  int k_;
  TypeChange change_;
  bool is_packed_;
  std::int64_t count_;
  char* between_;
};

/// `operands`: null if all are of the kernel's types.
#if defined(__GNUC__)
__attribute__((noinline))  // or all other calls would get its frame
#endif
void run_buffered(const SimpleRun& run, const Geometry& geometry, const SpanKernel& kernel,
                  char* const* memory, const Operand* operands) {
  char* data[max_operands];
  std::copy_n(memory, geometry.noperands, data);
  const std::int64_t numel = geometry.numel();
  const std::int64_t between_bytes = run.cast != 0 ? SpanBuffer::bytes_between(numel) : 0;
  std::int64_t bytes = between_bytes;
  for (std::uint32_t left = run.buffered(); left != 0; left &= left - 1)
    bytes += whole_lines(numel * element_size(kernel.types[std::countr_zero(left)]));
  SmallScratch buffers(bytes);
  char* free = buffers.data();
  const auto buffer_of = [&](int k) {
    return SpanBuffer(run, geometry, k, operands != nullptr ? operands + k : nullptr,
                      kernel.types[k], numel, buffers.data() + bytes - between_bytes);
  };
  for (std::uint32_t left = run.buffered(); left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    const SpanBuffer buffer = buffer_of(k);
    data[k] = free;
    free += buffer.bytes();
    if (k >= kernel.noutputs) buffer.load(data[k], memory[k]);
  }
  kernel.run(kernel.context, data, nullptr, numel, 1, run.broadcast);
  for (int k = 0; k < kernel.noutputs; ++k) {
    if ((run.buffered() & bit(k)) != 0) buffer_of(k).store(memory[k], data[k]);
  }
}

void run_line(const SimpleRun& run, const TensorIterator& iter, const SpanKernel& kernel,
              const RunOptions& options, char* const* data) {
  const std::int64_t n = iter.numel();
  if (!run.is_shared || options.serial) {
    kernel.run(kernel.context, data, nullptr, n, 1, run.broadcast);
    return;
  }
  const auto run_part = [&](std::int64_t begin, std::int64_t end) {
    char* part[max_operands];
    for (int k = 0; k < iter.ntensors(); ++k) {
      const bool is_value = (run.broadcast >> k & 1) != 0;
      part[k] = data[k] + (is_value ? 0 : begin * element_size(kernel.types[k]));
    }
    kernel.run(kernel.context, part, nullptr, end - begin, 1, run.broadcast);
  };
  parallel_for(n, estimate_grain(iter, kernel.cost, options, 0), run_part, line_align);
}

}  // namespace

SimpleRun choose_small(const Geometry& geometry, const SpanKernel& kernel, const Tuning& tuning) {
  std::int64_t sizes[max_operands];
  for (int k = 0; k < geometry.noperands; ++k)
    sizes[k] = element_size(kernel.types[k]);
  SimpleRun run;
  choose_small(geometry, kernel, tuning, 0, sizes, run);
  return run;
}

SimpleRun choose_simple(const TensorIterator& iter, const SpanKernel& kernel,
                        const Tuning& tuning) {
  SimpleRun run;  // what all paths return, so that it is made where the caller has it
  std::int64_t sizes[max_operands];
  std::uint32_t cast = 0;
  std::int64_t casts = 0;  // of `cast`: counting bits is a call without an instruction for it
  const std::int64_t numel = iter.numel();
  const Geometry& geometry = iter.geometry();
  bool in_line = iter.ndim() <= 1;
  const std::int64_t* const steps = in_line && numel != 1 ? geometry.strides(0) : nullptr;
  for (int k = 0; k < iter.ntensors(); ++k) {
    const Operand& op = iter.operand(k);
    sizes[k] = element_size(op.storage);
    const bool is_cast = op.storage != kernel.types[k] || op.dtype != kernel.types[k];
    cast |= static_cast<std::uint32_t>(is_cast) << k;
    casts += static_cast<std::int64_t>(is_cast);
    if (steps == nullptr || steps[k] == sizes[k]) continue;
    if (steps[k] == 0 && (kernel.broadcastable >> k & 1) != 0) {
      run.broadcast |= bit(k);
    } else {
      in_line = false;
    }
  }
  if (in_line && cast == 0) {
    bool streams = false;
    for (int k = 0; k < iter.noutputs() && numel > tuning.min_thread_elements; ++k)
      streams = streams || worth_streaming(iter, k, kernel.run_streamed != nullptr, tuning);
    if (!streams) {
      run.strategy = Strategy::line;
      run.is_shared = numel > tuning.min_thread_elements;
      return run;
    }
  } else if (in_line && numel * max_element_bytes * casts <= max_buffers_bytes &&
             numel <= tuning.few_cast) {
    run.strategy = Strategy::span;
    run.cast = cast;
    return run;
  }
  choose_small(geometry, kernel, tuning, cast, sizes, run);
  return run;
}

SimpleRun force_simple(const TensorIterator& iter, const SpanKernel& kernel, const Tuning& tuning,
                       Strategy wanted) {
  const Geometry& geometry = iter.geometry();
  std::int64_t sizes[max_operands];
  std::uint32_t cast = 0;
  for (int k = 0; k < iter.ntensors(); ++k) {
    const Operand& op = iter.operand(k);
    sizes[k] = element_size(op.storage);
    if (op.storage != kernel.types[k] || op.dtype != kernel.types[k]) cast |= bit(k);
  }
  SimpleRun run;
  if (wanted == Strategy::span) {
    const bool few = cast == 0 || iter.numel() <= tuning.few_cast;
    if (few && set_span(geometry, kernel, tuning, cast, sizes, run)) run.strategy = wanted;
    return run;
  }
  if (cast != 0) return run;
  bool can = false;
  switch (wanted) {
    case Strategy::line:
      can = iter.ndim() <= 1 && is_in_place(geometry, kernel, run.broadcast);
      run.is_shared = iter.numel() > tuning.min_thread_elements;
      break;
    case Strategy::rows:
      can = iter.ndim() > 0 && is_in_place(geometry, kernel, run.broadcast);
      break;
    case Strategy::strided_rows: can = iter.ndim() > 0 && may_stride(geometry, kernel); break;
    default: break;
  }
  if (can) run.strategy = wanted;
  return run;
}

void run_simple(const SimpleRun& run, const Geometry& geometry, const SpanKernel& kernel,
                char* const* data) {
  if (run.strategy != Strategy::span) {
    run_planes(run, geometry, kernel, data);
  } else if (run.packed == 0) {
    kernel.run(kernel.context, data, nullptr, geometry.numel(), 1, run.broadcast);
  } else {
    run_buffered(run, geometry, kernel, data, nullptr);
  }
}

void run_simple(const SimpleRun& run, const TensorIterator& iter, const SpanKernel& kernel,
                const RunOptions& options) {
  char* data[max_operands];
  for (int k = 0; k < iter.ntensors(); ++k)
    data[k] = iter.operand(k).data;
  if (run.strategy == Strategy::line) {
    run_line(run, iter, kernel, options, data);
  } else if (run.cast == 0) {
    run_simple(run, iter.geometry(), kernel, data);
  } else {
    run_buffered(run, iter.geometry(), kernel, data, &iter.operand(0));
  }
}

}  // namespace v0
}  // namespace weft
