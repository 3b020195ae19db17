// SPDX-License-Identifier: Apache-2.0
#include "expr/prepared_chain.hpp"

#include <weft/iter/config.hpp>
#include <weft/machine/cpu_info.hpp>

#include "base/text.hpp"
#include "engine/copy/copy_kernel.hpp"
#include "engine/elementwise/run_estimate.hpp"
#include "engine/footprint.hpp"
#include "engine/wanted_strategy.hpp"

#include <algorithm>
#include <optional>

namespace weft {
inline namespace v0 {
namespace {

using Place = ChainBody::Place;

/// An iterator whose operands are these terms.
TensorIterator iterator_over(const ChainBody& body, std::span<const int> terms,
                             std::span<const TensorView> outputs,
                             std::span<const TensorView> inputs) {
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false);
  std::vector<TensorView> numbers;  // that the config refers to
  numbers.reserve(terms.size());
  for (const int t : terms) {
    const Place& place = body.place(t);
    const auto operand = static_cast<std::size_t>(place.operand);
    if (place.kind == Place::Kind::number) {
      numbers.push_back(TensorView::trusted(place.value, place.dtype, IntSpan()));
      config.add_input(numbers.back());
    } else if (operand < outputs.size()) {
      config.add_output(outputs[operand]);
    } else {
      config.add_input(inputs[operand - outputs.size()]);
    }
  }
  return config.build();
}

}  // namespace

PreparedChain::PreparedChain(const Chain& chain, std::span<const TensorView> outputs,
                             std::span<const TensorView> inputs, bool serial)
    : functions_(static_cast<int>(chain.steps.size())),
      division_(chain.division()),
      body_(chain),
      terms_(chain.steps.size() == 1 ? chain.steps[0].terms : body_.operands()),
      iter_(iterator_over(body_, terms_, outputs, inputs)),
      kernel_(body_.kernel()),
      serial_(serial) {
  for (std::size_t k = 0; k < terms_.size(); ++k)
    kernel_.types[k] = body_.place(terms_[k]).dtype;
  const FormulaStep& step = chain.steps[0];
  if (chain.steps.size() == 1 && step.kernel != nullptr) {
    kernel_ = *step.kernel;
    if (step.divides) kernel_.context = &body_.by_zero();
  } else if (chain.steps.size() == 1) {
    copy_.emplace(kernel_.types[0], kernel_.types[1]);
  }
  make_direct_calls();
}

/// Where all elements are one chunk of rows, and every operand lies as the steps want it.
void PreparedChain::make_direct_calls() {
  const Geometry& geometry = iter_.geometry();
  if (!body_.is_plain() || geometry.ndim() > 2 || iter_.numel() == 0) return;
  // The engine carries out a strategy that is asked for, or refuses it.
  if (tuning().strategy != Strategy::automatic) return;
  ChainBody::Spans chunk{};
  chunk.n = geometry.ndim() > 0 ? geometry.extent(0) : 1;
  chunk.rows = geometry.ndim() > 1 ? geometry.extent(1) : 1;
  if (chunk.n > body_.chunk() || chunk.rows > body_.chunk() / chunk.n) return;
  std::int64_t offsets[max_operands] = {};
  for (int k = 0; k < static_cast<int>(terms_.size()); ++k) {
    const Place& place = body_.place(terms_[k]);
    if (place.kind != Place::Kind::operand) continue;
    const std::uint32_t bit = 1U << place.operand;
    if (chunk.n > 1 && geometry.stride(0, k) == 0) {
      if ((body_.kernel().broadcastable & bit) == 0) return;
      chunk.broadcast |= bit;
    } else if (chunk.n > 1 && geometry.stride(0, k) != place.size) {
      return;
    }
    offsets[place.operand] = iter_.operand(k).origin_offset_bytes;
    if (chunk.rows > 1) chunk.row_bytes[place.operand] = geometry.stride(1, k);
  }
  const std::int64_t room = ChainBody::room_for(chunk.n * chunk.rows);
  if (body_.element_bytes() > 0)
    buffers_ = Tensor::zeros({room * body_.element_bytes()}, ScalarType::u8);
  for (const ChainBody::Step& step : body_.steps()) {
    const ChainBody::Spans at =
        body_.operands_of(step, chunk, static_cast<char*>(buffers_.data()), room);
    DirectCall call{step.run, step.context, at.n, at.rows, at.broadcast, {}};
    for (std::size_t k = 0; k < step.places.size(); ++k) {
      const int operand = body_.place(step.places[k]).operand;
      const std::int64_t offset = operand < 0 ? 0 : offsets[operand];
      call.operands.push_back({operand, offset, at.row_bytes[k], at.data[k]});
    }
    direct_.push_back(std::move(call));
  }
}

void PreparedChain::run_direct_calls(void* const* outputs, const void* const* inputs) const {
  const int noutputs = iter_.noutputs();
  for (const DirectCall& call : direct_) {
    char* data[max_operands];
    std::int64_t row_bytes[max_operands];
    for (std::size_t k = 0; k < call.operands.size(); ++k) {
      const DirectCall::Operand& at = call.operands[k];
      row_bytes[k] = at.row_bytes;
      if (at.operand < 0) {
        data[k] = at.fixed;
        continue;
      }
      const void* const origin =
          at.operand < noutputs ? outputs[at.operand] : inputs[at.operand - noutputs];
      // Inputs are only read.
      data[k] = static_cast<char*>(
                    const_cast<void*>(origin)) +  // NOLINT(cppcoreguidelines-pro-type-const-cast)
                at.offset;
    }
    call.run(call.context, data, row_bytes, call.n, call.rows, call.broadcast);
  }
}

bool PreparedChain::divides_by_zero(void* const* outputs, const void* const* inputs) {
  if (is_direct_) {
    run_direct_calls(outputs, inputs);
    return false;
  }
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const Place& place = body_.place(terms_[k]);
    if (place.kind != Place::Kind::operand) continue;
    const int input = place.operand - iter_.noutputs();
    const void* origin = input < 0 ? outputs[place.operand] : inputs[input];
    // Inputs are only read.
    iter_.bind(static_cast<int>(k),
               const_cast<void*>(origin));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  body_.by_zero() = false;
  copy_ ? copy_->run(iter_, options()) : run_spans(iter_, kernel_, options());
  return body_.by_zero();
}

void PreparedChain::fail_by_zero(const char* division) {
  fail(ErrorCode::division, text(division, ": input 1: an integer divided by 0"));
}

Explanation::Run PreparedChain::explain() const {
  if (is_direct_) return explain_direct_calls();
  return copy_ ? copy_->explain(iter_, options()).run : explain_run(iter_, kernel_, options()).run;
}

/// All elements are one block, over which each step is one call.
Explanation::Run PreparedChain::explain_direct_calls() const {
  const DirectCall& call = direct_.front();
  Explanation::Run run;
  run.instruction_set = weft::name(current_level());
  run.strategy = call.rows > 1 ? Strategy::rows : Strategy::line;
  run.why = "all elements are in one block";
  const std::int64_t ps =
      estimate_ps(SimpleRun{.strategy = run.strategy}, iter_, kernel_, tuning());
  run.candidates = {estimated(run.strategy, ps)};
  run.span = run.tile[0] = call.n;
  run.tile[1] = call.rows;
  run.blocks = 1;
  run.bytes_moved = bytes_touched(iter_);
  return run;
}

}  // namespace v0
}  // namespace weft
