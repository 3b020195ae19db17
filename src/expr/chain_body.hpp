// SPDX-License-Identifier: Apache-2.0
/// @file
/// The steps of a chain over spans of its operands.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "engine/copy/copy_kernel.hpp"
#include "expr/chain.hpp"
#include "expr/fused_steps.hpp"

#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {

/// What a chain does with one span of each operand. Spans are cut into chunks, so that what passes
/// from step to step stays in the first-level cache. Steps refer to their body, so it stays where
/// it was made.
class ChainBody {
 public:
  /// Where a step finds the elements of a term.
  struct Place {
    enum class Kind : std::uint8_t {
      operand,  ///< the chain's, outputs first
      scratch,  ///< a buffer of a chunk
      number,   ///< one value
    };
    Kind kind = Kind::scratch;
    ScalarType dtype = ScalarType::f32;
    int operand = -1;
    std::int64_t size = 0;         ///< bytes of an element
    std::int64_t offset = 0;       ///< of the buffer, in bytes for each element of a chunk
    alignas(16) char value[16]{};  ///< of a number
  };
  struct Step {
    SpanKernel::Run run;
    const void* context;
    SmallVector<int, 4> places;  ///< outputs first
    int noutputs = 1;
  };
  /// Spans of the operands of a chain or of a step: the arguments of SpanKernel::Run.
  struct Spans {
    char* data[max_operands];
    std::int64_t row_bytes[max_operands];
    std::int64_t n, rows;
    std::uint32_t broadcast;
  };

  /// Throws Error(limit) if steps pass on too many terms at a time.
  explicit ChainBody(const Chain& chain);
  ChainBody(const ChainBody&) = delete;
  ChainBody& operator=(const ChainBody&) = delete;

  /// All steps as one kernel over the operands of the chain, whose types are for the caller to set.
  /// Its buffers are at most 16 KiB of the thread's scratch memory.
  const SpanKernel& kernel() const noexcept { return kernel_; }
  /// Where steps note a division by zero. Set to false before a run.
  bool& by_zero() noexcept { return by_zero_; }

  // ---- For calls of the steps one by one, over all elements at once

  const std::vector<Step>& steps() const noexcept { return steps_; }
  const Place& place(int place) const { return places_[static_cast<std::size_t>(place)]; }
  /// Terms of the chain that are its operands, outputs first.
  const SmallVector<int, 4>& operands() const noexcept { return operands_; }
  /// The operands of a step for a chunk of those of the chain. Buffers have room for so many
  /// elements each.
  Spans operands_of(const Step& step, const Spans& chunk, char* buffers, std::int64_t room) const;
  /// The maximum of a chunk's elements.
  std::int64_t chunk() const noexcept { return chunk_; }
  /// Whether an operand is written before a step that reads another one.
  bool overwrites(int written, int read) const;
  /// Bytes of all buffers, for each element of a chunk.
  std::int64_t element_bytes() const noexcept { return element_bytes_; }
  /// Elements that a buffer has room for: a multiple, so that buffers begin on a cache line.
  static std::int64_t room_for(std::int64_t elements) { return (elements + 63) / 64 * 64; }
  /// Whether the steps are all there is to do: nothing is to be filled before or noted by them.
  bool is_plain() const noexcept { return filled_.empty() && !divides_; }

 private:
  void make_places(const Chain& chain);
  void make_steps(const Chain& chain);
  void add_step(const FormulaStep& from);
  void add_fused(const Chain& chain, const StepGroup& group);
  void share_buffers();
  int filled_buffer(int number);
  void run(char* const* data, const std::int64_t* row_bytes, std::int64_t n, std::int64_t rows,
           std::uint32_t broadcast) const;

  SpanKernel kernel_;
  SmallVector<int, 4> operands_;
  std::vector<Place> places_;
  std::vector<int> filled_;  // places that hold a number all along a chunk
  std::vector<Step> steps_;
  std::vector<Conversion> conversions_;
  std::vector<FusedProgram> programs_;
  std::int64_t element_bytes_ = 0;
  std::int64_t chunk_ = 0;
  bool divides_ = false;
  bool by_zero_ = false;
};

}  // namespace v0
}  // namespace weft
