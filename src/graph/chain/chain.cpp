// SPDX-License-Identifier: Apache-2.0
#include "graph/chain/chain.hpp"

#include <weft/base/checked.hpp>
#include <weft/core/cast.hpp>
#include <weft/iter/config.hpp>
#include <weft/parallel/parallel.hpp>

#include "kernels/stage/stage.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Bytes of buffers that a block works in; with its operands in memory it stays in first-level cache.
constexpr std::int64_t scratch_bytes = 16 * 1024;

/// How a step finds the elements of a term in a block.
struct Place {
  enum class Kind : std::uint8_t {
    memory,  ///< an operand, in place
    scratch,
    staged,  ///< an operand, by way of a buffer
    number,
  };
  Kind kind = Kind::scratch;
  bool broadcast = false;        ///< one value along a row
  int operand = -1;              ///< of the iteration
  std::int64_t size = 0;         ///< of an element
  std::int64_t offset = 0;       ///< of the buffer, in bytes per element of a block
  alignas(16) char value[16]{};  ///< of a number
};

struct Step {
  SpanKernel::Run run = nullptr;
  ConvertFn convert = nullptr;
  const void* context = nullptr;
  float cost = 1;  ///< SpanKernel::cost
  bool divides = false;
  std::uint32_t broadcast = 0;
  SmallVector<int, 4> places;
};

/// Part of the iteration that is worked on at a time.
struct Block {
  std::int64_t n = 0;     ///< elements of a row, along dim 0
  std::int64_t rows = 1;  ///< along dim 1
};

/// Converts a few rows; the context is the function to convert by.
void run_convert(const void* context, char* const* data, const std::int64_t* row_bytes,
                 std::int64_t n, std::int64_t rows, std::uint32_t) {
  const ConvertFn convert = *static_cast<const ConvertFn*>(context);
  for (std::int64_t r = 0; r < rows; ++r)
    convert(data[0] + r * row_bytes[0], data[1] + r * row_bytes[1], n);
}

class ChainKernel final : public PreparedChain {
 public:
  ChainKernel(const Chain& chain, std::span<const TensorView> outputs,
              std::span<const TensorView> inputs);

  void run(const KernelArguments& arguments) override;
  std::span<const DirectCall> direct_calls() const noexcept override { return direct_; }

 private:
  void make_places(const Chain& chain);
  void make_steps(const Chain& chain);
  int filled(int place);
  void assign_buffers();
  void choose_block();
  void make_direct_calls();
  void run_block(char* const* base, const Block& block, char* scratch, bool* by_zero) const;
  void run_blocks(char* const* base, std::int64_t begin, std::int64_t end, bool* by_zero) const;
  std::int64_t stride(int dim, int operand) const {
    return dim < geometry_.ndim() ? geometry_.stride(dim, operand) : 0;
  }

  Geometry geometry_;
  int noutputs_;
  SmallVector<std::int64_t, inline_operands>
      origins_;  // bytes from an operand's origin to plan (0, 0)
  std::vector<Place> places_;
  std::vector<int> staged_inputs_;
  std::vector<int> staged_outputs_;
  std::vector<Step> steps_;
  std::int64_t buffer_element_bytes_ = 0;
  std::vector<DirectCall> direct_;
  Tensor buffers_;  // of direct calls
  Block block_;
  std::int64_t blocks0_ = 0, blocks1_ = 0, count_ = 0, grain_ = 1;
};

ChainKernel::ChainKernel(const Chain& chain, std::span<const TensorView> outputs,
                         std::span<const TensorView> inputs)
    : noutputs_(chain.noutputs) {
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false);
  for (const TensorView& view : outputs)
    config.add_output(view);
  for (const TensorView& view : inputs)
    config.add_input(view);
  const TensorIterator iter = config.build();
  geometry_ = iter.geometry();
  for (int k = 0; k < iter.ntensors(); ++k)
    origins_.push_back(iter.operand(k).origin_offset_bytes);
  make_places(chain);
  make_steps(chain);
  assign_buffers();
  choose_block();
  make_direct_calls();
}

void ChainKernel::make_places(const Chain& chain) {
  for (const Chain::Term& term : chain.terms) {
    Place place;
    place.size = element_size(term.dtype);
    if (term.kind == Chain::Kind::number) {
      place.kind = Place::Kind::number;
      place.broadcast = true;
      cast_elements(place.value, term.dtype, 0, &term.number, ScalarType::f64, 0, 1);
    } else if (term.kind == Chain::Kind::input || term.output >= 0) {
      place.operand = term.kind == Chain::Kind::input ? noutputs_ + term.input : term.output;
      const std::int64_t step = stride(0, place.operand);
      const bool one = geometry_.ndim() == 0 || geometry_.extent(0) == 1;
      place.kind = Place::Kind::memory;
      if (term.kind == Chain::Kind::input && step == 0 && !one) {
        place.broadcast = true;
      } else if (step != place.size && !one) {
        place.kind = Place::Kind::staged;
      }
    }
    places_.push_back(place);
  }
}

/// A place that holds a broadcast one as a full block.
int ChainKernel::filled(int place) {
  Place full = places_[static_cast<std::size_t>(place)];
  full.broadcast = false;
  full.kind = Place::Kind::staged;
  if (full.operand < 0) full.offset = place;  // the number to repeat, until buffers are assigned
  places_.push_back(full);
  return static_cast<int>(places_.size()) - 1;
}

void ChainKernel::make_steps(const Chain& chain) {
  for (const ElementwiseStep& from : chain.steps) {
    Step step;
    step.divides = from.divides;
    if (from.kernel != nullptr) {
      step.run = from.kernel->run;
      step.cost = from.kernel->cost;
      step.context = from.kernel->context;
    } else {
      step.convert = convert_kernel(chain.terms[static_cast<std::size_t>(from.terms[0])].dtype,
                                    chain.terms[static_cast<std::size_t>(from.terms[1])].dtype);
    }
    for (std::size_t k = 0; k < from.terms.size(); ++k) {
      int place = from.terms[k];
      if (places_[static_cast<std::size_t>(place)].broadcast) {
        if (from.kernel != nullptr && (from.kernel->broadcastable >> k & 1) != 0) {
          step.broadcast |= 1U << k;
        } else {
          place = filled(place);
        }
      }
      step.places.push_back(place);
    }
    steps_.push_back(std::move(step));
  }
}

/// Buffers for staged operands, and for what passes from step to step: a buffer is used again when
/// its last reader has read it, be it by the step that reads it last.
void ChainKernel::assign_buffers() {
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
    place.offset = buffer_element_bytes_;
    buffer_element_bytes_ += place.size;
  };
  for (std::size_t p = 0; p < places_.size(); ++p) {
    Place& place = places_[p];
    if (place.kind != Place::Kind::staged) continue;
    if (place.operand < 0) {
      std::copy_n(places_[static_cast<std::size_t>(place.offset)].value, 16, place.value);
    }
    const bool output = place.operand >= 0 && place.operand < noutputs_;
    (output ? staged_outputs_ : staged_inputs_).push_back(static_cast<int>(p));
    take(place);
  }
  std::vector<std::size_t> last_use(places_.size(), 0);
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    for (const int p : steps_[s].places)
      last_use[static_cast<std::size_t>(p)] = s;
  }
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    for (std::size_t k = 1; k < step.places.size(); ++k) {
      const auto p = static_cast<std::size_t>(step.places[k]);
      const Place& place = places_[p];
      const bool twice =
          std::find(step.places.begin() + 1, step.places.begin() + static_cast<std::ptrdiff_t>(k),
                    step.places[k]) != step.places.begin() + static_cast<std::ptrdiff_t>(k);
      if (place.kind == Place::Kind::scratch && last_use[p] == s && !twice) {
        free.push_back({place.offset, place.size});
      }
    }
    Place& out = places_[static_cast<std::size_t>(step.places[0])];
    if (out.kind == Place::Kind::scratch) take(out);
  }
}

void ChainKernel::make_direct_calls() {
  const bool simple = count_ == 1 && staged_inputs_.empty() && staged_outputs_.empty() &&
                      std::ranges::none_of(steps_, &Step::divides);
  if (!simple) return;
  const std::int64_t room = (block_.n * block_.rows + 63) / 64 * 64;
  if (buffer_element_bytes_ > 0) {
    buffers_ = Tensor::zeros({room * buffer_element_bytes_}, ScalarType::u8);
  }
  for (const Step& step : steps_) {
    DirectCall call{step.run, step.context, block_.n, block_.rows, step.broadcast, {}, {}};
    if (step.convert != nullptr) {
      call.run = run_convert;
      call.context = &step.convert;
    }
    for (const int p : step.places) {
      Place& place = places_[static_cast<std::size_t>(p)];
      DirectCall::Operand operand{-1, 0, nullptr};
      std::int64_t row = 0;
      if (place.kind == Place::Kind::memory) {
        operand.operand = place.operand;
        operand.offset = origins_[static_cast<std::size_t>(place.operand)];
        row = stride(1, place.operand);
      } else if (place.kind == Place::Kind::number) {
        operand.fixed = place.value;
      } else {
        operand.fixed = static_cast<char*>(buffers_.data()) + place.offset * room;
        row = block_.n * place.size;
      }
      call.operands.push_back(operand);
      call.row_bytes.push_back(row);
    }
    direct_.push_back(std::move(call));
  }
}

void ChainKernel::choose_block() {
  // A multiple of 64 elements, so that every buffer starts on a cache line.
  const std::int64_t fits =
      buffer_element_bytes_ == 0 ? 4096 : scratch_bytes / buffer_element_bytes_;
  const std::int64_t most = std::clamp<std::int64_t>(fits / 64 * 64, 64, 4096);
  const std::int64_t extent0 = geometry_.ndim() > 0 ? geometry_.extent(0) : 1;
  const std::int64_t extent1 = geometry_.ndim() > 1 ? geometry_.extent(1) : 1;
  block_.n = std::clamp<std::int64_t>(extent0, 1, most);
  block_.rows = std::clamp<std::int64_t>(most / block_.n, 1, std::max<std::int64_t>(extent1, 1));
  blocks0_ = ceil_div(extent0, block_.n);
  blocks1_ = ceil_div(extent1, block_.rows);
  count_ = blocks0_ * blocks1_;
  for (int dim = 2; dim < geometry_.ndim(); ++dim)
    count_ *= geometry_.extent(dim);
  // Pieces of ten microseconds or more, in units of 0.1 ns, with two for memory.
  double work = 2;
  for (const Step& step : steps_)
    work += step.cost;
  work *= static_cast<double>(block_.n * block_.rows);
  grain_ = std::max<std::int64_t>(1, static_cast<std::int64_t>(100'000 / std::max(work, 1.0)));
}

void ChainKernel::run_block(char* const* base, const Block& block, char* scratch,
                            bool* by_zero) const {
  // Rows of scratch follow each other without gaps; so do those of operands that go as one row.
  const std::int64_t room = block_.n * block_.rows;
  const std::int64_t aligned = (room + 63) / 64 * 64;
  const auto buffer = [&](const Place& place) { return scratch + place.offset * aligned; };
  for (const int p : staged_inputs_) {
    const Place& place = places_[static_cast<std::size_t>(p)];
    const bool number = place.operand < 0;
    copy_block_kernel(place.size)(buffer(place), place.size, block.n * place.size,
                                  number ? place.value : base[place.operand],
                                  number ? 0 : stride(0, place.operand),
                                  number ? 0 : stride(1, place.operand), block.n, block.rows);
  }
  char* data[max_operands];
  std::int64_t row_bytes[max_operands];
  for (const Step& step : steps_) {
    for (std::size_t k = 0; k < step.places.size(); ++k) {
      const Place& place = places_[static_cast<std::size_t>(step.places[k])];
      switch (place.kind) {
        case Place::Kind::memory:
          data[k] = base[place.operand];
          row_bytes[k] = stride(1, place.operand);
          break;
        case Place::Kind::number:
          data[k] = const_cast<char*>(place.value);
          row_bytes[k] = 0;
          break;
        case Place::Kind::scratch:
        case Place::Kind::staged:
          data[k] = buffer(place);
          row_bytes[k] = block.n * place.size;
          break;
      }
    }
    if (step.convert != nullptr) {
      run_convert(&step.convert, data, row_bytes, block.n, block.rows, 0);
    } else {
      step.run(step.divides ? by_zero : step.context, data, row_bytes, block.n, block.rows,
               step.broadcast);
    }
  }
  for (const int p : staged_outputs_) {
    const Place& place = places_[static_cast<std::size_t>(p)];
    copy_block_kernel(place.size)(base[place.operand], stride(0, place.operand),
                                  stride(1, place.operand), buffer(place), place.size,
                                  block.n * place.size, block.n, block.rows);
  }
}

void ChainKernel::run_blocks(char* const* base, std::int64_t begin, std::int64_t end,
                             bool* by_zero) const {
  // Room for rounding up, and for rows of the least block of 64 elements of 16 bytes.
  constexpr std::int64_t most_places = 64;
  alignas(64) char small[scratch_bytes + 64 * 16 * most_places];
  const std::int64_t aligned = (block_.n * block_.rows + 63) / 64 * 64;
  const std::int64_t needed = aligned * buffer_element_bytes_;
  std::vector<char> large;
  char* scratch = small;
  if (needed > static_cast<std::int64_t>(sizeof(small))) {
    large.resize(static_cast<std::size_t>(needed));
    scratch = large.data();
  }
  char* at[max_operands];
  const std::size_t operands = origins_.size();
  for (std::int64_t b = begin; b < end; ++b) {
    std::int64_t rest = b / blocks0_;
    const std::int64_t start0 = b % blocks0_ * block_.n;
    const std::int64_t start1 = rest % blocks1_ * block_.rows;
    rest /= blocks1_;
    for (std::size_t k = 0; k < operands; ++k) {
      const int operand = static_cast<int>(k);
      at[k] = base[k] + start0 * stride(0, operand) + start1 * stride(1, operand);
    }
    for (int dim = 2; dim < geometry_.ndim(); ++dim) {
      const std::int64_t index = rest % geometry_.extent(dim);
      rest /= geometry_.extent(dim);
      for (std::size_t k = 0; k < operands; ++k)
        at[k] += index * geometry_.stride(dim, static_cast<int>(k));
    }
    Block block = block_;
    if (geometry_.ndim() > 0) block.n = std::min(block.n, geometry_.extent(0) - start0);
    if (geometry_.ndim() > 1) block.rows = std::min(block.rows, geometry_.extent(1) - start1);
    run_block(at, block, scratch, by_zero);
  }
}

void ChainKernel::run(const KernelArguments& arguments) {
  if (count_ == 0) return;
  char* base[max_operands];
  for (std::size_t k = 0; k < origins_.size(); ++k) {
    const auto output = static_cast<std::size_t>(noutputs_);
    const void* origin = k < output ? arguments.outputs[k] : arguments.inputs[k - output];
    base[k] = static_cast<char*>(const_cast<void*>(origin)) + origins_[k];
  }
  bool by_zero = false;
  if (count_ <= grain_) {
    run_blocks(base, 0, count_, &by_zero);
  } else {
    parallel_for(count_, grain_, [&](std::int64_t begin, std::int64_t end) {
      run_blocks(base, begin, end, &by_zero);
    });
  }
  if (by_zero) fail(ErrorCode::division, "input 1: an integer divided by 0");
}

}  // namespace

int Chain::append(const ElementwiseFormula& formula, std::span<const int> input_terms) {
  using From = ElementwiseFormula::TermKind;
  std::vector<int> made;
  for (const ElementwiseFormula::TermInfo& term : formula.terms) {
    if (term.kind == From::input) {
      made.push_back(input_terms[made.size()]);
      continue;
    }
    made.push_back(static_cast<int>(terms.size()));
    terms.push_back(
        {term.kind == From::number ? Kind::number : Kind::local, term.dtype, -1, term.number, -1});
  }
  for (ElementwiseStep step : formula.steps) {
    for (int& term : step.terms)
      term = made[static_cast<std::size_t>(term)];
    steps.push_back(std::move(step));
  }
  const int result = made[static_cast<std::size_t>(formula.result)];
  const Term& value = terms[static_cast<std::size_t>(result)];
  const bool computed = formula.terms[static_cast<std::size_t>(formula.result)].kind == From::step;
  if (computed) return result;
  // The result is an input or a number as it stands: copied.
  terms.push_back({Kind::local, value.dtype, -1, 0, -1});
  const int copy = static_cast<int>(terms.size()) - 1;
  steps.push_back({nullptr, {copy, result}, false});
  return copy;
}

Chain Chain::copy(ScalarType type) {
  Chain chain;
  chain.terms = {{Kind::input, type, 0, 0, -1}, {Kind::local, type, -1, 0, 0}};
  chain.steps = {{nullptr, {1, 0}, false}};
  chain.ninputs = chain.noutputs = 1;
  return chain;
}

std::unique_ptr<PreparedChain> prepare_chain(const Chain& chain,
                                             std::span<const TensorView> outputs,
                                             std::span<const TensorView> inputs) {
  return std::make_unique<ChainKernel>(chain, outputs, inputs);
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
