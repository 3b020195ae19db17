// SPDX-License-Identifier: Apache-2.0
#include "graph/chain/chain_body.hpp"

#include <weft/core/cast.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <bit>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Bytes of all buffers of a chunk: with the operands' part of it, they stay in the first-level
/// cache.
constexpr std::int64_t scratch_bytes = 16 << 10;
/// Most elements of a chunk: more do not make calls of steps noticeably cheaper.
constexpr std::int64_t max_chunk = 4096;
/// Buffers have room for a multiple of so many elements, if they can, so that they begin on a cache
/// line.
constexpr std::int64_t whole_chunk = 64;

}  // namespace

/// Part of the spans that the body is run on.
struct ChainBody::Chunk {
  char* data[max_operands];  ///< first element of each operand
  const std::int64_t* row_bytes;
  std::int64_t n, rows;
  std::uint32_t broadcast;
  char* scratch;
  std::int64_t room;  ///< elements of a buffer
  bool* by_zero;
};

ChainBody::ChainBody(const Chain& chain) : noutputs_(chain.noutputs) {
  make_places(chain);
  make_steps(chain);
  share_buffers();
  const std::int64_t most = element_bytes_ == 0 ? max_chunk : scratch_bytes / element_bytes_;
  if (most == 0) {
    fail(ErrorCode::limit, text("a formula with ", element_bytes_,
                                " bytes of terms an element, expected at most ", scratch_bytes));
  }
  // A power of two, so that shares of threads and rows are whole chunks more often than not.
  chunk_ = std::min(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(most))),
                    max_chunk);
}

void ChainBody::make_places(const Chain& chain) {
  sizes_.resize(static_cast<std::size_t>(chain.noutputs + chain.ninputs), 0);
  for (const Chain::Term& term : chain.terms) {
    Place place;
    place.size = element_size(term.dtype);
    if (term.kind == Chain::Kind::number) {
      place.kind = Place::Kind::number;
      cast_elements(place.value, term.dtype, 0, &term.number, ScalarType::f64, 0, 1);
    } else if (term.kind == Chain::Kind::input || term.output >= 0) {
      place.kind = Place::Kind::operand;
      place.operand = term.kind == Chain::Kind::input ? noutputs_ + term.input : term.output;
      sizes_[static_cast<std::size_t>(place.operand)] = place.size;
    }
    places_.push_back(place);
  }
}

/// A buffer with a number all along, for steps that take no single value.
int ChainBody::filled(int number) {
  Place full = place(number);
  full.kind = Place::Kind::scratch;
  full.offset = element_bytes_;
  element_bytes_ += full.size;
  places_.push_back(full);
  filled_.push_back(static_cast<int>(places_.size()) - 1);
  is_plain_ = false;
  return filled_.back();
}

void ChainBody::make_steps(const Chain& chain) {
  // Steps point at their conversions, which stay where they are.
  conversions_.reserve(chain.steps.size());
  for (int i = 0; i < chain.ninputs; ++i)
    broadcastable_ |= 1U << (noutputs_ + i);
  for (const ElementwiseStep& from : chain.steps) {
    Step step{};
    std::uint32_t takes_values = 0;
    if (from.kernel != nullptr) {
      step.run = from.kernel->run;
      step.context = from.kernel->context;
      takes_values = from.kernel->broadcastable;
      cost_ += from.kernel->cost;
    } else {
      const auto type_of = [&](int k) {
        return chain.terms[static_cast<std::size_t>(from.terms[static_cast<std::size_t>(k)])].dtype;
      };
      conversions_.emplace_back(type_of(0), type_of(1));
      step.run = convert_spans;
      step.context = &conversions_.back();
      cost_ += 1;
    }
    step.divides = from.divides;
    is_plain_ = is_plain_ && !from.divides;
    for (std::size_t k = 0; k < from.terms.size(); ++k) {
      int at = from.terms[k];
      const bool takes_value = (takes_values >> k & 1) != 0;
      if (place(at).kind == Place::Kind::number) {
        if (takes_value) {
          step.numbers |= 1U << k;
        } else {
          at = filled(at);
        }
      } else if (place(at).kind == Place::Kind::operand && !takes_value) {
        broadcastable_ &= ~(1U << place(at).operand);
      }
      step.places.push_back(at);
    }
    steps_.push_back(std::move(step));
  }
}

/// Buffers for what passes from step to step: one is used again when its last reader has read it,
/// be it by the step that reads it last.
void ChainBody::share_buffers() {
  struct Slot {
    std::int64_t offset, size;
  };
  std::vector<Slot> free;
  const auto take = [&](Place& place) {
    const auto found = std::ranges::find(free, place.size, &Slot::size);
    if (found != free.end()) {
      place.offset = found->offset;
      free.erase(found);
      return;
    }
    place.offset = element_bytes_;
    element_bytes_ += place.size;
  };
  std::vector<std::size_t> last_use(places_.size(), 0);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    for (const int p : steps_[s].places)
      last_use[static_cast<std::size_t>(p)] = s;
  }
  for (const int p : filled_)
    last_use[static_cast<std::size_t>(p)] = steps_.size();
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const auto& places = steps_[s].places;
    for (auto at = places.begin() + 1; at != places.end(); ++at) {
      const auto p = static_cast<std::size_t>(*at);
      const bool first = std::find(places.begin() + 1, at, *at) == at;
      if (places_[p].kind == Place::Kind::scratch && last_use[p] == s && first)
        free.push_back({places_[p].offset, places_[p].size});
    }
    Place& out = places_[static_cast<std::size_t>(places[0])];
    if (out.kind == Place::Kind::scratch) take(out);
  }
}

void ChainBody::run(char* const* data, const std::int64_t* row_bytes, std::int64_t n,
                    std::int64_t rows, std::uint32_t broadcast, bool* by_zero) const {
  alignas(64) char scratch[scratch_bytes];
  Chunk chunk;
  chunk.row_bytes = row_bytes;
  chunk.broadcast = broadcast;
  chunk.scratch = scratch;
  chunk.by_zero = by_zero;
  // Without buffers there is nothing to keep in the cache.
  const std::int64_t most = element_bytes_ == 0 ? n * rows : chunk_;
  const std::int64_t most_n = std::min(n, most);
  const std::int64_t most_rows = std::clamp<std::int64_t>(most / n, 1, rows);
  chunk.room = most_n * most_rows;
  if (chunk.room % whole_chunk != 0 && chunk.room < chunk_)
    chunk.room = std::min(chunk_, (chunk.room + whole_chunk - 1) / whole_chunk * whole_chunk);
  for (const int p : filled_) {
    const Place& at = place(p);
    copy_block_kernel(at.size)(scratch + at.offset * chunk.room, at.size, 0, at.value, 0, 0,
                               most_n * most_rows, 1);
  }
  for (std::int64_t r = 0; r < rows; r += most_rows) {
    chunk.rows = std::min(most_rows, rows - r);
    for (std::int64_t start = 0; start < n; start += most_n) {
      chunk.n = std::min(most_n, n - start);
      for (std::size_t k = 0; k < sizes_.size(); ++k) {
        chunk.data[k] = data[k] + (r == 0 ? 0 : r * row_bytes[k]) +
                        ((broadcast >> k & 1) != 0 ? 0 : start * sizes_[k]);
      }
      run_chunk(chunk);
    }
  }
}

void ChainBody::run_chunk(const Chunk& chunk) const {
  char* data[max_operands];
  std::int64_t row_bytes[max_operands];
  for (const Step& step : steps_) {
    std::uint32_t broadcast = step.numbers;
    for (std::size_t k = 0; k < step.places.size(); ++k) {
      const Place& at = place(step.places[k]);
      switch (at.kind) {
        case Place::Kind::operand:
          data[k] = chunk.data[at.operand];
          row_bytes[k] = chunk.rows == 1 ? 0 : chunk.row_bytes[at.operand];
          broadcast |= (chunk.broadcast >> at.operand & 1) << k;
          break;
        case Place::Kind::scratch:
          data[k] = chunk.scratch + at.offset * chunk.room;
          row_bytes[k] = chunk.n * at.size;
          break;
        case Place::Kind::number:
          // Numbers are inputs, which are only read.
          data[k] = const_cast<char*>(at.value);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
          row_bytes[k] = 0;
          break;
      }
    }
    step.run(step.divides ? chunk.by_zero : step.context, data, row_bytes, chunk.n, chunk.rows,
             broadcast);
  }
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
