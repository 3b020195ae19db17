// SPDX-License-Identifier: Apache-2.0
#include "expr/chain_body.hpp"

#include <weft/core/cast.hpp>

#include "base/text.hpp"
#include "machine/scratch_memory.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace weft {
inline namespace v0 {
namespace {

/// Most bytes of all buffers of a chunk: with the operands' part of it, they stay in the
/// first-level cache.
constexpr std::int64_t max_scratch_bytes = 16 << 10;
/// The maximum of a chunk's elements: more do not make calls of steps noticeably cheaper.
constexpr std::int64_t max_chunk = 4096;

}  // namespace

ChainBody::ChainBody(const Chain& chain) {
  kernel_.run = [](const void* context, char* const* data, const std::int64_t* row_bytes,
                   std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    static_cast<const ChainBody*>(context)->run(data, row_bytes, n, rows, broadcast);
  };
  kernel_.context = this;
  kernel_.noutputs = static_cast<int>(chain.outputs.size());
  kernel_.ninputs = chain.ninputs;
  kernel_.cost = 0;
  make_places(chain);
  make_steps(chain);
  share_buffers();
  const std::int64_t most = element_bytes_ == 0 ? max_chunk : max_scratch_bytes / element_bytes_;
  if (most == 0) {
    fail(ErrorCode::limit,
         text("a formula with ", element_bytes_, " bytes of terms an element, expected at most ",
              max_scratch_bytes));
  }
  // A power of two, so that shares of threads and rows are whole chunks more often than not.
  chunk_ = std::min(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most))),
                    max_chunk);
}

void ChainBody::make_places(const Chain& chain) {
  operands_.assign(chain.outputs);
  operands_.resize(chain.outputs.size() + static_cast<std::size_t>(chain.ninputs));
  for (const Chain::Term& term : chain.terms) {
    Place place;
    place.dtype = term.dtype;
    place.size = element_size(term.dtype);
    if (term.kind == Chain::Kind::number) {
      place.kind = Place::Kind::number;
      cast_elements(place.value, term.dtype, 0, &term.number, ScalarType::f64, 0, 1);
    } else if (term.kind == Chain::Kind::input) {
      operands_[kernel_.noutputs + term.input] = static_cast<int>(places_.size());
    }
    places_.push_back(place);
  }
  for (int k = 0; k < static_cast<int>(operands_.size()); ++k) {
    Place& place = places_[static_cast<std::size_t>(operands_[k])];
    place.kind = Place::Kind::operand;
    place.operand = k;
    if (k >= kernel_.noutputs) kernel_.broadcastable |= 1U << k;
  }
}

/// A buffer with a number all along, for steps that take no single value.
int ChainBody::filled_buffer(int number) {
  Place filled = place(number);
  filled.kind = Place::Kind::scratch;
  filled.offset = std::exchange(element_bytes_, element_bytes_ + filled.size);
  filled_.push_back(static_cast<int>(places_.size()));
  places_.push_back(filled);
  return filled_.back();
}

void ChainBody::make_steps(const Chain& chain) {
  // Steps point at their conversions and programs, which stay where they are.
  conversions_.reserve(chain.steps.size());
  programs_.reserve(chain.steps.size() / 2);
  for (const StepGroup& group : group_steps(chain)) {
    for (const int s : group)
      divides_ = divides_ || chain.steps[static_cast<std::size_t>(s)].divides;
    if (group.size() == 1)
      add_step(chain.steps[static_cast<std::size_t>(group[0])]);
    else
      add_fused(chain, group);
  }
}

void ChainBody::add_step(const FormulaStep& from) {
  SpanKernel kernel;
  if (from.kernel != nullptr) {
    kernel = *from.kernel;
  } else {
    kernel.run = convert_spans;
    kernel.context =
        &conversions_.emplace_back(place(from.terms[0]).dtype, place(from.terms[1]).dtype);
  }
  kernel_.cost += kernel.cost;
  Step step{kernel.run, from.divides ? &by_zero_ : kernel.context, {}};
  for (std::size_t k = 0; k < from.terms.size(); ++k) {
    int at = from.terms[k];
    if ((kernel.broadcastable >> k & 1) == 0) {
      if (place(at).kind == Place::Kind::operand)
        kernel_.broadcastable &= ~(1U << place(at).operand);
      if (place(at).kind == Place::Kind::number) at = filled_buffer(at);
    }
    step.places.push_back(at);
  }
  steps_.push_back(std::move(step));
}

void ChainBody::add_fused(const Chain& chain, const StepGroup& group) {
  const FusedSteps fused = fuse(chain, group);
  for (const int s : group)
    kernel_.cost += chain.steps[static_cast<std::size_t>(s)].kernel->cost;
  const FusedProgram& program = programs_.emplace_back(fused.program);
  // The first step of a group is none of bools: its operands have the type of the registers.
  steps_.push_back(
      {fused_loop(place(chain.steps[static_cast<std::size_t>(group[0])].terms.back()).dtype),
       &program,
       {fused.terms.begin(), fused.terms.end()},
       program.noutputs});
}

/// Buffers for what passes from step to step: one is used again when its last reader has read it,
/// be it by the step that reads it last.
void ChainBody::share_buffers() {
  std::vector<std::size_t> last_use(places_.size(), 0);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    for (const int p : steps_[s].places)
      last_use[static_cast<std::size_t>(p)] = s;
  }
  const std::size_t never = steps_.size();
  for (const int p : filled_)
    last_use[static_cast<std::size_t>(p)] = never;
  std::vector<const Place*> free;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const auto& places = steps_[s].places;
    const auto noutputs = static_cast<std::size_t>(steps_[s].noutputs);
    for (std::size_t k = noutputs; k < places.size(); ++k) {
      const Place& in = place(places[k]);
      std::size_t& last = last_use[static_cast<std::size_t>(places[k])];
      if (in.kind != Place::Kind::scratch || last != s) continue;
      free.push_back(&in);
      last = never;  // once, if the step reads it twice
    }
    for (std::size_t k = 0; k < noutputs; ++k) {
      Place& out = places_[static_cast<std::size_t>(places[k])];
      if (out.kind != Place::Kind::scratch) continue;
      const auto found = std::ranges::find(free, out.size, &Place::size);
      if (found != free.end()) {
        out.offset = (*found)->offset;
        free.erase(found);
      } else {
        out.offset = std::exchange(element_bytes_, element_bytes_ + out.size);
      }
    }
  }
}

bool ChainBody::overwrites(int written, int read) const {
  bool is_written = false;
  for (const Step& step : steps_) {
    const auto inputs = step.places.begin() + step.noutputs;
    const auto is = [&](int operand) {
      return [this, operand](int at) { return place(at).operand == operand; };
    };
    if (is_written && std::any_of(inputs, step.places.end(), is(read))) return true;
    is_written = is_written || std::any_of(step.places.begin(), inputs, is(written));
  }
  return false;
}

void ChainBody::run(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                    std::int64_t rows, std::uint32_t broadcast) const {
  // Without buffers there is nothing to keep in the cache.
  const std::int64_t max_elements = element_bytes_ == 0 ? n * rows : chunk_;
  const std::int64_t max_n = std::min(n, max_elements);
  const std::int64_t max_rows = std::clamp<std::int64_t>(max_elements / n, 1, rows);
  std::int64_t room = max_n * max_rows;
  if (room < chunk_) room = std::min(chunk_, room_for(room));
  SmallScratch memory(element_bytes_ * room);
  char* const scratch = memory.data();
  for (const int p : filled_) {
    const Place& at = place(p);
    copy_block_kernel(at.size)(scratch + at.offset * room, at.size, 0, at.value, 0, 0,
                               max_n * max_rows, 1);
  }
  Spans chunk;
  chunk.broadcast = broadcast;
  if (rows > 1) std::copy_n(row_bytes, operands_.size(), chunk.row_bytes);
  for (std::int64_t r = 0; r < rows; r += max_rows) {
    chunk.rows = std::min(max_rows, rows - r);
    for (std::int64_t start = 0; start < n; start += max_n) {
      chunk.n = std::min(max_n, n - start);
      for (std::size_t k = 0; k < operands_.size(); ++k) {
        chunk.data[k] = data[k] + (r == 0 ? 0 : r * row_bytes[k]) +
                        ((broadcast >> k & 1) != 0 ? 0 : start * place(operands_[k]).size);
      }
      for (const Step& step : steps_) {
        const Spans at = operands_of(step, chunk, scratch, room);
        step.run(step.context, at.data, at.row_bytes, at.n, at.rows, at.broadcast);
      }
    }
  }
}

ChainBody::Spans ChainBody::operands_of(const Step& step, const Spans& chunk, char* buffers,
                                        std::int64_t room) const {
  Spans spans;
  spans.n = chunk.n;
  spans.rows = chunk.rows;
  spans.broadcast = 0;
  for (std::size_t k = 0; k < step.places.size(); ++k) {
    const Place& at = place(step.places[k]);
    spans.row_bytes[k] = 0;
    if (at.kind == Place::Kind::operand) {
      spans.data[k] = chunk.data[at.operand];
      if (chunk.rows > 1) spans.row_bytes[k] = chunk.row_bytes[at.operand];
      spans.broadcast |= (chunk.broadcast >> at.operand & 1) << k;
    } else if (at.kind == Place::Kind::scratch) {
      spans.data[k] = buffers + at.offset * room;
      spans.row_bytes[k] = chunk.n * at.size;
    } else {
      // Numbers are inputs, which are only read.
      spans.data[k] = const_cast<char*>(at.value);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
      spans.broadcast |= 1U << k;
    }
  }
  return spans;
}

}  // namespace v0
}  // namespace weft
