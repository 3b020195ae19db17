// SPDX-License-Identifier: Apache-2.0
/// @file
/// The steps of a chain over spans of its operands.
#pragma once

#include <weft/kernel/span_kernel.hpp>

#include "engine/copy/copy_kernel.hpp"
#include "graph/chain/chain.hpp"

#include <cstdint>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

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
    int operand = -1;
    std::int64_t size = 0;         ///< bytes of an element
    std::int64_t offset = 0;       ///< of the buffer, in bytes for each element of a chunk
    alignas(16) char value[16]{};  ///< of a number
  };
  struct Step {
    SpanKernel::Run run;
    const void* context;
    bool divides;                ///< the context is where a division by zero is noted
    std::uint32_t numbers = 0;   ///< bits of terms that are numbers, as `broadcast` of SpanKernel
    SmallVector<int, 4> places;  ///< output first
  };

  /// Throws Error(limit) if steps pass on too many terms at a time.
  explicit ChainBody(const Chain& chain);
  ChainBody(const ChainBody&) = delete;
  ChainBody& operator=(const ChainBody&) = delete;

  /// Arguments as of SpanKernel::Run. Allocates nothing; 16 KiB of stack.
  void run(char* const* data, const std::int64_t* row_bytes, std::int64_t n, std::int64_t rows,
           std::uint32_t broadcast, bool* by_zero) const;

  /// Inputs that may come as one value, a bit each: bit k is operand k.
  std::uint32_t broadcastable() const noexcept { return broadcastable_; }
  /// Of all steps together, as in SpanKernel.
  float cost() const noexcept { return cost_; }

  // ---- For calls of the steps one by one, over all elements at once

  const std::vector<Step>& steps() const noexcept { return steps_; }
  const Place& place(int place) const { return places_[static_cast<std::size_t>(place)]; }
  /// Most elements of a chunk.
  std::int64_t chunk() const noexcept { return chunk_; }
  /// Bytes of all buffers, for each element of a chunk.
  std::int64_t element_bytes() const noexcept { return element_bytes_; }
  /// Whether the steps are all there is to do: nothing is to be filled before or noted by them.
  bool is_plain() const noexcept { return is_plain_; }

 private:
  struct Chunk;

  void make_places(const Chain& chain);
  void make_steps(const Chain& chain);
  void share_buffers();
  int filled(int number);
  void run_chunk(const Chunk& chunk) const;

  int noutputs_;
  std::vector<std::int64_t> sizes_;  // bytes of an element, by operand
  std::vector<Place> places_;
  std::vector<int> filled_;  // places that hold a number all along a chunk
  std::vector<Step> steps_;
  std::vector<Conversion> conversions_;
  std::uint32_t broadcastable_ = 0;
  float cost_ = 0;
  std::int64_t element_bytes_ = 0;
  std::int64_t chunk_ = 0;
  bool is_plain_ = true;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
