// SPDX-License-Identifier: Apache-2.0
#include "engine/elementwise/simple_run.hpp"

#include <weft/parallel/parallel.hpp>

#include "engine/block.hpp"
#include "engine/elementwise/converted_line.hpp"
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
/// The bits of n operands, at least one and at most max_operands.
constexpr std::uint32_t bits(int n) { return ~0U >> (max_operands - n); }
static_assert(max_operands == std::numeric_limits<std::uint32_t>::digits);

/// Operands that are one value along dim 0, and may be.
std::uint32_t broadcast_in_rows(const SmallRows& layout, const SpanKernel& kernel) {
  return layout.still & ~layout.unit & kernel.broadcastable;
}
/// Whether the others are next to each other there.
bool is_in_place(const SmallRows& layout, const SpanKernel& kernel, int noperands) {
  return (layout.unit | broadcast_in_rows(layout, kernel)) == bits(noperands);
}

/// Sets which operands a span over all elements takes through buffers; true if these have room.
/// `cast`: operands of other types than the kernel's. Nothing is set before.
bool set_span(const SmallSpans& layout, std::int64_t numel, const SpanKernel& kernel,
              const Tuning& t, std::uint32_t cast, SimpleRun& run) {
  const int operands = kernel.noutputs + kernel.ninputs;
  const std::uint32_t scattered = numel == 1 ? 0 : bits(operands) & ~layout.dense;
  run.broadcast = scattered & layout.value & kernel.broadcastable;
  run.packed = scattered & ~run.broadcast;
  run.cast = cast;
  std::int64_t bytes = 0, largest = 0;
  for (std::uint32_t left = run.buffered(); left != 0; left &= left - 1) {
    const ScalarType type = kernel.types[std::countr_zero(left)];
    const std::int64_t buffer = whole_lines(numel * element_size(type));
    largest = std::max(largest, buffer);
    bytes += buffer;
  }
  return largest <= t.few_buffer_bytes && bytes <= max_buffers_bytes;
}

/// Sets how a few elements of the kernel's types are run, by what it is estimated to cost; nothing
/// if that is tiles. Not inline, or lines would get its frame. Precondition: ndim > 0.
[[gnu::noinline]] void choose_cheapest(const Geometry& geometry, const SpanKernel& kernel,
                                       const Tuning& t, const std::int64_t* sizes, SimpleRun& run) {
  const SmallRows layout(geometry, sizes);
  const bool in_rows = is_in_place(layout, kernel, geometry.noperands);
  run.broadcast = in_rows ? broadcast_in_rows(layout, kernel) : 0;
  if (in_rows && geometry.ndim() == 1) {  // one row: nothing costs less
    run.strategy = Strategy::rows;
    return;
  }
  const SmallEstimate estimate(geometry, layout, sizes, kernel, t);
  Strategy in_place = Strategy::automatic;
  std::int64_t ps = std::numeric_limits<std::int64_t>::max();
  const auto consider = [&](Strategy way, std::int64_t way_ps) {
    if (way_ps < ps) in_place = way, ps = way_ps;
  };
  if (in_rows) consider(Strategy::rows, estimate.rows());
  if (!in_rows && may_stride(geometry, kernel))
    consider(Strategy::strided_rows, estimate.strided_rows());
  if (!in_rows && kernel.cost <= plain_cost) consider(Strategy::elements, estimate.elements());
  if (!estimate.is_below_any_span(ps)) {
    SimpleRun span;
    const SmallSpans spans(geometry, layout, sizes);
    const bool fits = set_span(spans, layout.numel(), kernel, t, 0, span);
    const std::int64_t span_ps = estimate.span(span.packed, spans.transposed, ps);
    // Where buffers do not hold it all, tiles do the same in several parts.
    if (fits ? span_ps <= ps : span_ps + t.tiles_ps <= ps) {
      run = span;
      if (fits) run.strategy = Strategy::span;
      return;
    }
  }
  run.strategy = in_place;
}

/// Sets how a few elements are run, if they are few enough. `cast`: operands of other types than
/// the kernel's, whose elements in memory have sizes[k] bytes.
void set_small(const Geometry& geometry, const SpanKernel& kernel, const Tuning& t,
               std::uint32_t cast, const std::int64_t* sizes, SimpleRun& run) {
  const std::int64_t numel = geometry.numel();
  run.broadcast = 0;
  if (numel > (kernel.cost < high_cost ? t.few_elements : t.min_thread_elements)) return;
  if (cast == 0 && geometry.ndim() > 0) return choose_cheapest(geometry, kernel, t, sizes, run);
  if (cast != 0 && numel > t.few_cast) return;
  const SmallSpans spans(geometry, SmallRows(geometry, sizes), sizes);
  if (set_span(spans, numel, kernel, t, cast, run)) run.strategy = Strategy::span;
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
  const auto repeat = [&](std::int64_t times, const std::int64_t* step_bytes, auto&& call) {
    for (;;) {
      call();
      if (--times == 0) return;
      for (int k = 0; k < geometry.noperands; ++k)
        data[k] += step_bytes[k];
    }
  };
  const std::int64_t* const element_bytes = geometry.strides(0);
  if (run.strategy == Strategy::strided_rows) {
    repeat(rows, row_bytes, [&] { kernel.run_strided(kernel.context, data, element_bytes, row); });
  } else if (row >= rows) {
    repeat(rows, row_bytes, [&] { kernel.run(kernel.context, data, element_bytes, 1, row, 0); });
  } else {
    repeat(row, element_bytes, [&] { kernel.run(kernel.context, data, row_bytes, 1, rows, 0); });
  }
}

/// Planes of dim 0 and the dim of rows, one after the other.
void run_planes(const SimpleRun& run, const Geometry& geometry, const SpanKernel& kernel,
                char* const* at) {
  const int along = dim_of_rows(run.strategy, geometry, tuning());
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

/// Moves the elements of operand k, of `size` bytes, from memory to a dense buffer or back.
template <bool to_buffer>
void move_operand(const Geometry& geometry, int k, std::int64_t size, char* memory, char* buffer) {
  BlockDim dims[max_rank + 2];
  const int ndims = block_of(geometry, k, geometry.shape.data(), dims);
  if constexpr (to_buffer) {
    pack(copy_block_kernel(size), buffer, memory, size, dims, ndims);
  } else {
    unpack(copy_block_kernel(size), memory, buffer, size, dims, ndims);
  }
}

/// A span of which some operands go through buffers. Not inline, or all calls would get its frame.
[[gnu::noinline]] void run_packed(const SimpleRun& run, const Geometry& geometry,
                                  const SpanKernel& kernel, char* const* memory) {
  const std::int64_t numel = geometry.numel();
  const auto buffer_bytes = [&](int k) {
    return whole_lines(numel * element_size(kernel.types[k]));
  };
  char* data[max_operands];
  std::int64_t bytes = 0;
  for (int k = 0; k < geometry.noperands; ++k) {
    data[k] = memory[k];
    bytes += (run.packed >> k & 1) != 0 ? buffer_bytes(k) : 0;
  }
  SmallScratch buffers(bytes);
  char* free = buffers.data();
  for (std::uint32_t left = run.packed; left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    data[k] = free;
    free += buffer_bytes(k);
    if (k >= kernel.noutputs)
      move_operand<true>(geometry, k, element_size(kernel.types[k]), memory[k], data[k]);
  }
  kernel.run(kernel.context, data, nullptr, numel, 1, run.broadcast);
  for (int k = 0; k < kernel.noutputs; ++k) {
    if ((run.packed >> k & 1) != 0)
      move_operand<false>(geometry, k, element_size(kernel.types[k]), memory[k], data[k]);
  }
}

/// Elements of one operand between memory and the span that the kernel sees, converted.
class ConvertedSpan {
 public:
  /// `between`: bytes_between() of room.
  ConvertedSpan(const SimpleRun& run, const Geometry& geometry, int k, const Operand& op,
                ScalarType type, std::int64_t numel, char* between)
      : geometry_(geometry),
        k_(k),
        change_(op, type),
        is_packed_((run.packed >> k & 1) != 0),
        count_((run.broadcast >> k & 1) != 0 ? 1 : numel),
        between_(between) {}

  /// Bytes of two buffers for so many elements of any type.
  static std::int64_t bytes_between(std::int64_t numel) {
    return 2 * whole_lines(numel * max_element_bytes);
  }

  void load(char* span, char* memory) const {
    if (!change_.converts())
      return move_operand<true>(geometry_, k_, change_.memory_size, memory, span);
    if (is_packed_) move_operand<true>(geometry_, k_, change_.memory_size, memory, between_);
    change_.convert(span, is_packed_ ? between_ : memory, via(), count_);
  }
  void store(char* memory, char* span) const {
    if (!change_.converts())
      return move_operand<false>(geometry_, k_, change_.memory_size, memory, span);
    change_.convert(is_packed_ ? between_ : memory, span, via(), count_);
    if (is_packed_) move_operand<false>(geometry_, k_, change_.memory_size, memory, between_);
  }
  /// Bytes of the span's elements, up to the next cache line.
  std::int64_t bytes() const { return whole_lines(count_ * change_.kernel_size); }

 private:
  char* via() const { return between_ + bytes_between(count_) / 2; }

  const Geometry& geometry_;
  int k_;
  TypeChange change_;
  bool is_packed_;
  std::int64_t count_;
  char* between_;
};

/// A span of operands of which some are cast. Not inline, as above.
[[gnu::noinline]] void run_converted(const SimpleRun& run, const TensorIterator& iter,
                                     const SpanKernel& kernel, char* const* memory) {
  const Geometry& geometry = iter.geometry();
  char* data[max_operands];
  std::copy_n(memory, geometry.noperands, data);
  const std::int64_t numel = geometry.numel();
  const std::int64_t between_bytes = ConvertedSpan::bytes_between(numel);
  std::int64_t bytes = between_bytes;
  for (std::uint32_t left = run.buffered(); left != 0; left &= left - 1)
    bytes += whole_lines(numel * element_size(kernel.types[std::countr_zero(left)]));
  SmallScratch buffers(bytes);
  char* free = buffers.data();
  const auto span_of = [&](int k) {
    return ConvertedSpan(run, geometry, k, iter.operand(k), kernel.types[k], numel,
                         buffers.data() + bytes - between_bytes);
  };
  for (std::uint32_t left = run.buffered(); left != 0; left &= left - 1) {
    const int k = std::countr_zero(left);
    const ConvertedSpan span = span_of(k);
    data[k] = free;
    free += span.bytes();
    if (k >= kernel.noutputs) span.load(data[k], memory[k]);
  }
  kernel.run(kernel.context, data, nullptr, numel, 1, run.broadcast);
  for (int k = 0; k < kernel.noutputs; ++k) {
    if ((run.buffered() & bit(k)) != 0) span_of(k).store(memory[k], data[k]);
  }
}

/// A line of which some operands are cast. Not inline, as above.
[[gnu::noinline]] void run_converted_line(const SimpleRun& run, const TensorIterator& iter,
                                          const SpanKernel& kernel, char* const* data) {
  const auto changes = changes_of(iter, kernel);
  ConvertedLine(kernel, changes, run.broadcast).run(data, iter.numel());
}

void run_line(const SimpleRun& run, const TensorIterator& iter, const SpanKernel& kernel,
              const RunOptions& options, char* const* data) {
  const std::int64_t n = iter.numel();
  if (run.cast != 0) return run_converted_line(run, iter, kernel, data);
  if (!run.is_shared) {
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
  set_small(geometry, kernel, tuning, 0, sizes, run);
  return run;
}

SimpleRun choose_simple(const TensorIterator& iter, const SpanKernel& kernel,
                        const Tuning& tuning) {
  SimpleRun run;  // what all paths return, so that it is made where the caller has it
  std::int64_t sizes[max_operands];
  std::uint32_t cast = 0;
  const std::int64_t numel = iter.numel();
  const Geometry& geometry = iter.geometry();
  bool in_line = iter.ndim() <= 1;
  const std::int64_t* const steps = in_line && numel != 1 ? geometry.strides(0) : nullptr;
  for (int k = 0; k < iter.ntensors(); ++k) {
    const Operand& op = iter.operand(k);
    sizes[k] = element_size(op.storage);
    const bool is_cast = op.storage != kernel.types[k] || op.dtype != kernel.types[k];
    cast |= static_cast<std::uint32_t>(is_cast) << k;
    if (steps == nullptr || steps[k] == sizes[k]) continue;
    if (steps[k] == 0 && (kernel.broadcastable >> k & 1) != 0) {
      run.broadcast |= bit(k);
    } else {
      in_line = false;
    }
  }
  if (in_line && cast != 0 && numel <= tuning.min_thread_elements) {
    run.strategy = Strategy::line;
    run.cast = cast;
    return run;
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
  }
  set_small(geometry, kernel, tuning, cast, sizes, run);
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
    const SmallSpans spans(geometry, SmallRows(geometry, sizes), sizes);
    if (few && set_span(spans, iter.numel(), kernel, tuning, cast, run)) run.strategy = wanted;
    return run;
  }
  if (cast != 0 && wanted != Strategy::line) return run;
  run.cast = cast;
  if (iter.ndim() == 0) {
    if (wanted == Strategy::line) run.strategy = wanted;
    return run;
  }
  const SmallRows layout(geometry, sizes);
  const bool in_place = is_in_place(layout, kernel, geometry.noperands);
  bool can = false;
  switch (wanted) {
    case Strategy::line:
      can = iter.ndim() == 1 && in_place;
      run.is_shared = cast == 0 && iter.numel() > tuning.min_thread_elements;
      break;
    case Strategy::rows: can = in_place; break;
    case Strategy::strided_rows: can = may_stride(geometry, kernel); break;
    case Strategy::elements: can = iter.numel() <= tuning.few_elements; break;
    default: break;
  }
  if (!can) return run;
  const bool in_spans = wanted == Strategy::line || wanted == Strategy::rows;
  if (in_spans) run.broadcast = broadcast_in_rows(layout, kernel);
  run.strategy = wanted;
  return run;
}

void run_simple(const SimpleRun& run, const Geometry& geometry, const SpanKernel& kernel,
                char* const* data) {
  if (run.strategy != Strategy::span) {
    run_planes(run, geometry, kernel, data);
  } else if (run.packed == 0) {
    kernel.run(kernel.context, data, nullptr, geometry.numel(), 1, run.broadcast);
  } else {
    run_packed(run, geometry, kernel, data);
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
    run_converted(run, iter, kernel, data);
  }
}

}  // namespace v0
}  // namespace weft
