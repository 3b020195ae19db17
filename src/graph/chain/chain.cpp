// SPDX-License-Identifier: Apache-2.0
#include "graph/chain/chain.hpp"

#include <weft/iter/config.hpp>
#include <weft/machine/cpu_info.hpp>

#include "engine/copy/copy_kernel.hpp"
#include "engine/elementwise/tile_estimate.hpp"
#include "engine/footprint.hpp"
#include "engine/grain.hpp"
#include "graph/chain/chain_body.hpp"

#include <algorithm>
#include <optional>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// A chain and the iterator that it runs over: a kernel of the engine like any other.
class ChainKernel final : public PreparedChain {
 public:
  ChainKernel(const Chain& chain, std::span<const TensorView> outputs,
              std::span<const TensorView> inputs)
      : body_(chain), terms_(operands_of(chain)), iter_(iterator_over(chain, outputs, inputs)) {
    make_kernel(chain);
    make_direct_calls(chain);
  }

  void run(const KernelArguments& arguments) override;
  std::span<const DirectCall> direct_calls() const noexcept override { return direct_; }
  void run_by_direct_calls() noexcept override { is_direct_ = true; }
  std::vector<Explanation::Run> explain() const override;

 private:
  /// The context of a chain's SpanKernel.
  struct Call {
    const ChainBody* body;
    bool* by_zero;
  };
  static void run_body(const void* context, char* const* data, const std::int64_t* row_bytes,
                       std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const Call& call = *static_cast<const Call*>(context);
    call.body->run(data, row_bytes, n, rows, broadcast, call.by_zero);
  }

  static bool is_single_step(const Chain& chain) { return chain.steps.size() == 1; }
  static SmallVector<int, inline_operands> operands_of(const Chain& chain);
  TensorIterator iterator_over(const Chain& chain, std::span<const TensorView> outputs,
                               std::span<const TensorView> inputs) const;
  void make_kernel(const Chain& chain);
  bool is_one_chunk(const Chain& chain) const;
  void make_direct_calls(const Chain& chain);
  RunOptions options() const { return {.grain = grain_}; }
  Explanation::Run explain_direct_calls() const;

  ChainBody body_;
  /// Terms of the chain that are the iterator's operands.
  SmallVector<int, inline_operands> terms_;
  TensorIterator iter_;
  SpanKernel kernel_;
  std::int64_t grain_ = 0;
  std::optional<CopyKernel> copy_;  // instead, of a chain that is nothing else
  bool divides_ = false;
  std::vector<DirectCall> direct_;
  Tensor buffers_;          // of direct calls
  bool is_direct_ = false;  // these are made, and run() is not called
};

/// Outputs and inputs of the chain; of a single step the terms that it takes, numbers too: it is
/// run as it is.
SmallVector<int, inline_operands> ChainKernel::operands_of(const Chain& chain) {
  SmallVector<int, inline_operands> terms;
  if (is_single_step(chain)) {
    for (const int term : chain.steps[0].terms)
      terms.push_back(term);
    return terms;
  }
  terms.resize(static_cast<std::size_t>(chain.noutputs + chain.ninputs), -1);
  for (std::size_t t = 0; t < chain.terms.size(); ++t) {
    const Chain::Term& term = chain.terms[t];
    if (term.kind == Chain::Kind::input) {
      terms[static_cast<std::size_t>(chain.noutputs + term.input)] = static_cast<int>(t);
    } else if (term.output >= 0) {
      terms[static_cast<std::size_t>(term.output)] = static_cast<int>(t);
    }
  }
  return terms;
}

TensorIterator ChainKernel::iterator_over(const Chain& chain, std::span<const TensorView> outputs,
                                          std::span<const TensorView> inputs) const {
  TensorIteratorConfig config;
  config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false);
  std::vector<TensorView> numbers;  // that the config refers to
  numbers.reserve(terms_.size());
  for (const int t : terms_) {
    const Chain::Term& term = chain.terms[static_cast<std::size_t>(t)];
    if (term.kind == Chain::Kind::input) {
      config.add_input(inputs[static_cast<std::size_t>(term.input)]);
    } else if (term.kind == Chain::Kind::number) {
      numbers.push_back(TensorView::trusted(body_.place(t).value, term.dtype, IntSpan()));
      config.add_input(numbers.back());
    } else {
      config.add_output(outputs[static_cast<std::size_t>(term.output)]);
    }
  }
  return config.build();
}

/// Least elements for a thread: those of the frame's last call are awake still, so half the time is
/// worth one of them that is worth waking one. Times are of steps whose operands are in no nearer
/// cache than the second level.
std::int64_t grain_of(float cost) {
  constexpr double awake = 2, ns_of_cost = 0.1, ns_of_memory = 0.2;
  return least_elements_a_thread(awake * (ns_of_memory + ns_of_cost * static_cast<double>(cost)));
}

void ChainKernel::make_kernel(const Chain& chain) {
  grain_ = grain_of(body_.cost());
  if (grain_ >= body_.chunk()) grain_ = grain_ / body_.chunk() * body_.chunk();  // whole chunks
  const ElementwiseStep& first = chain.steps[0];
  divides_ = std::ranges::any_of(chain.steps, &ElementwiseStep::divides);
  if (is_single_step(chain) && first.kernel != nullptr) {
    kernel_ = *first.kernel;
    return;
  }
  if (is_single_step(chain)) {
    copy_.emplace(iter_.dtype(0), iter_.dtype(1));
    return;
  }
  kernel_.run = run_body;
  kernel_.noutputs = chain.noutputs;
  kernel_.ninputs = chain.ninputs;
  kernel_.broadcastable = body_.broadcastable();
  kernel_.cost = body_.cost();
  for (std::size_t k = 0; k < terms_.size(); ++k)
    kernel_.types[k] = chain.terms[static_cast<std::size_t>(terms_[k])].dtype;
}

/// Whether all elements are one chunk of rows, where every operand lies as the steps want it.
bool ChainKernel::is_one_chunk(const Chain& chain) const {
  const Geometry& geometry = iter_.geometry();
  if (!body_.is_plain() || geometry.ndim() > 2 || iter_.numel() == 0) return false;
  const std::int64_t n = geometry.ndim() > 0 ? geometry.extent(0) : 1;
  if (n > body_.chunk() || iter_.numel() > body_.chunk() / n * n) return false;
  if (n == 1) return true;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const Chain::Term& term = chain.terms[static_cast<std::size_t>(terms_[k])];
    const std::int64_t stride = geometry.stride(0, static_cast<int>(k));
    const bool value = stride == 0 && term.kind != Chain::Kind::local &&
                       (term.kind == Chain::Kind::number ||
                        (body_.broadcastable() >> (chain.noutputs + term.input) & 1) != 0);
    if (!value && stride != element_size(term.dtype)) return false;
  }
  return true;
}

void ChainKernel::make_direct_calls(const Chain& chain) {
  if (!is_one_chunk(chain)) return;
  const Geometry& geometry = iter_.geometry();
  const std::int64_t n = geometry.ndim() > 0 ? geometry.extent(0) : 1;
  const std::int64_t rows = geometry.ndim() > 1 ? geometry.extent(1) : 1;
  const std::int64_t room = (n * rows + 63) / 64 * 64;
  if (body_.element_bytes() > 0)
    buffers_ = Tensor::zeros({room * body_.element_bytes()}, ScalarType::u8);
  // Where among the iterator's operands each of the chain's is.
  SmallVector<int, inline_operands> found(static_cast<std::size_t>(chain.noutputs + chain.ninputs),
                                          -1);
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const ChainBody::Place& place = body_.place(terms_[k]);
    if (place.kind == ChainBody::Place::Kind::operand)
      found[static_cast<std::size_t>(place.operand)] = static_cast<int>(k);
  }
  for (const ChainBody::Step& step : body_.steps()) {
    DirectCall call{step.run, step.context, n, rows, step.numbers, {}, {}};
    for (std::size_t k = 0; k < step.places.size(); ++k) {
      const ChainBody::Place& place = body_.place(step.places[k]);
      DirectCall::Operand operand{-1, 0, nullptr};
      std::int64_t row = 0;
      switch (place.kind) {
        case ChainBody::Place::Kind::operand: {
          const int at = found[static_cast<std::size_t>(place.operand)];
          operand.operand = place.operand;
          operand.offset = iter_.operand(at).origin_offset_bytes;
          row = rows > 1 ? geometry.stride(1, at) : 0;
          if (n > 1 && geometry.stride(0, at) == 0) call.broadcast |= 1U << k;
          break;
        }
        case ChainBody::Place::Kind::number:
          operand.fixed =
              const_cast<char*>(place.value);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
          break;
        case ChainBody::Place::Kind::scratch:
          operand.fixed = static_cast<char*>(buffers_.data()) + place.offset * room;
          row = n * place.size;
          break;
      }
      call.operands.push_back(operand);
      call.row_bytes.push_back(row);
    }
    direct_.push_back(std::move(call));
  }
}

void ChainKernel::run(const KernelArguments& arguments) {
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const ChainBody::Place& place = body_.place(terms_[k]);
    if (place.kind != ChainBody::Place::Kind::operand) continue;
    const int input = place.operand - iter_.noutputs();
    const void* origin = input < 0 ? arguments.outputs[place.operand] : arguments.inputs[input];
    // Inputs are only read.
    iter_.bind(static_cast<int>(k),
               const_cast<void*>(origin));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  }
  if (copy_) return copy_->run(iter_);
  bool by_zero = false;
  const Call call{&body_, &by_zero};
  SpanKernel kernel = kernel_;
  if (kernel.run == run_body) {
    kernel.context = &call;
  } else if (divides_) {
    kernel.context = &by_zero;
  }
  run_spans(iter_, kernel, options());
  if (by_zero) fail(ErrorCode::division, "input 1: an integer divided by 0");
}

std::vector<Explanation::Run> ChainKernel::explain() const {
  if (is_direct_) return {explain_direct_calls()};
  return {copy_ ? copy_->explain(iter_).run : explain_run(iter_, kernel_, options()).run};
}

/// All elements are one block, over which each step is one call.
Explanation::Run ChainKernel::explain_direct_calls() const {
  const DirectCall& call = direct_.front();
  Explanation::Run run;
  run.instruction_set = weft::name(current_level());
  run.strategy = call.rows > 1 ? Strategy::rows : Strategy::line;
  run.why = "all elements are in one block";
  const std::int64_t ps =
      estimate_ps(SimpleRun{.strategy = run.strategy}, iter_, kernel_, tuning());
  run.candidates = {{run.strategy, static_cast<double>(ps) / 1000}};
  run.span = run.tile[0] = call.n;
  run.tile[1] = call.rows;
  run.blocks = 1;
  run.bytes_moved = bytes_touched(iter_);
  return run;
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
