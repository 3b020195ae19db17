// SPDX-License-Identifier: Apache-2.0
// What explain_run() says is what a kernel sees: a probe notes every call.
#include <weft/iter/config.hpp>
#include <weft/kernel/span_kernel.hpp>

#include "support/catch.hpp"
#include "support/errors.hpp"
#include "support/seed.hpp"
#include "support/tally.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

using weft::Explanation;
using weft::ScalarType;
using weft::SpanKernel;
using weft::Strategy;
using weft::TensorView;

/// What the calls of a run had in common.
struct Probe {
  struct Operand {
    const char* begin = nullptr;  ///< of its memory
    const char* end = nullptr;
    bool inside = true, outside = true;  ///< in all calls
    bool one_value = true;               ///< in all calls of more than one element
  };
  std::vector<Operand> operands;
  std::int64_t calls = 0, elements = 0, longest = 0;
  bool strided = false;

  void note(char* const* data, std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    ++calls;
    elements += n * rows;
    longest = std::max(longest, n);
    for (std::size_t k = 0; k < operands.size(); ++k) {
      Operand& o = operands[k];
      const bool inside = data[k] >= o.begin && data[k] < o.end;
      o.inside = o.inside && inside;
      o.outside = o.outside && !inside;
      if (n > 1) o.one_value = o.one_value && (broadcast >> k & 1) != 0;
    }
  }
};

Probe& probe_of(const void* context) {
  return *const_cast<Probe*>(static_cast<const Probe*>(context));
}
void note_spans(const void* context, char* const* data, const std::int64_t*, std::int64_t n,
                std::int64_t rows, std::uint32_t broadcast) {
  probe_of(context).note(data, n, rows, broadcast);
}
void note_strided(const void* context, char* const* data, const std::int64_t* strides,
                  std::int64_t n) {
  Probe& probe = probe_of(context);
  std::uint32_t broadcast = 0;
  for (std::size_t k = 0; k < probe.operands.size(); ++k)
    broadcast |= strides[k] == 0 ? 1U << k : 0;
  probe.strided = true;
  probe.note(data, n, 1, broadcast);
}

/// Operands of any layout in memory that all cases share.
class Case {
 public:
  Case(std::mt19937_64& random, std::vector<std::vector<char>>& memory) {
    const auto below = [&](std::int64_t n) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    const ScalarType types[] = {ScalarType::f32, ScalarType::f64, ScalarType::u8,
                                ScalarType::f16, ScalarType::i32, ScalarType::c128};
    const auto type = [&] { return types[below(std::size(types))]; };
    const std::int64_t rank = 1 + below(4);
    // Some so large that small caches do not hold them.
    std::int64_t room = std::int64_t{1} << (below(40) == 0 ? 19 : below(15));
    weft::DimVector shape;
    for (std::int64_t d = 0; d < rank; ++d) {
      shape.push_back(1 + below(std::max<std::int64_t>(
                              d + 1 == rank ? room : std::min<std::int64_t>(room, 80), 1)));
      room = std::max<std::int64_t>(room / shape.back(), 1);
    }
    kernel.noutputs = 1;
    kernel.ninputs = 1 + static_cast<int>(below(3));
    kernel.run = note_spans;
    if (below(2) == 0) kernel.run_streamed = note_spans;
    if (below(2) == 0) kernel.run_strided = note_strided;
    kernel.strides_outputs = below(2) == 0;
    kernel.broadcastable = below(3) == 0 ? 0 : ((1U << kernel.ninputs) - 1) << 1;
    kernel.cost = std::vector<float>{1, 1, 2.5F, 8}[static_cast<std::size_t>(below(4))];
    const ScalarType common = type();
    for (int k = 0; k <= kernel.ninputs; ++k) {
      const ScalarType in_memory = below(5) == 0 ? type() : common;
      kernel.types[k] = in_memory;
      if (below(5) == 0)
        kernel.types[k] = weft::is_floating(in_memory) ? ScalarType::f64 : in_memory;
      if (k == 0 && kernel.types[k] != in_memory) kernel.types[k] = in_memory;
      std::vector<std::size_t> order(shape.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      if (below(2) == 0) std::shuffle(order.begin(), order.end(), random);
      const bool padded = below(3) == 0, reversed = below(5) == 0;
      weft::DimVector strides(shape.size(), 0);
      std::int64_t step = below(6) == 0 ? 1 + below(3) : 1, first = 0, last = 0;
      for (const std::size_t axis : order) {
        if (k > 0 && below(6) == 0) continue;
        strides[axis] = reversed && below(2) == 0 ? -step : step;
        (strides[axis] < 0 ? first : last) += (shape[axis] - 1) * strides[axis];
        step = step * shape[axis] + (padded ? below(20) : 0);
      }
      const std::int64_t size = weft::element_size(in_memory);
      std::vector<char>& bytes = memory[static_cast<std::size_t>(k)];
      const auto needed = static_cast<std::size_t>((last - first + 1) * size + 64);
      if (bytes.size() < needed) bytes.resize(needed);
      char* const begin = bytes.data() + below(2) * 16;
      probe.operands.push_back({begin, begin + (last - first + 1) * size});
      views.push_back(
          TensorView::trusted(static_cast<void*>(begin - first * size), in_memory, shape, strides));
    }
    kernel.context = &probe;
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  weft::TensorIterator iterator() const {
    weft::TensorIteratorConfig config;
    config.set_check_mem_overlap(false).check_all_same_dtype(false).resize_outputs(false);
    config.add_output(views[0]);
    for (std::size_t k = 1; k < views.size(); ++k)
      config.add_input(views[k]);
    return config.build();
  }

  /// Forgets what was seen.
  void clear() {
    probe.calls = probe.elements = probe.longest = 0;
    probe.strided = false;
    for (Probe::Operand& o : probe.operands)
      o = {o.begin, o.end};
  }

  Probe probe;
  SpanKernel kernel;
  std::vector<TensorView> views;
};

/// Empty if what is said is what was seen.
std::string difference(const Explanation& e, const Probe& seen) {
  const auto starts = [](const std::string& text, const char* with) {
    return text.rfind(with, 0) == 0;
  };
  if (seen.elements != e.numel) return "elements";
  if (seen.calls < e.run.blocks) return "blocks";
  // What is streamed is cut where cache lines begin and end, and into whole blocks of them.
  const bool streamed = e.operands[0].access.find("streamed") != std::string::npos;
  const std::int64_t cut = streamed ? 64 + SpanKernel::streamed_bytes : 1;
  if (seen.longest > e.run.span || e.run.span - seen.longest >= cut) return "length of spans";
  bool strided = false;
  for (std::size_t k = 0; k < seen.operands.size(); ++k) {
    const Probe::Operand& o = seen.operands[k];
    const std::string& access = e.operands[k].access;
    const bool in_place = starts(access, "direct") || access == "broadcast";
    if (in_place && !o.inside) return "operand " + std::to_string(k) + " is not in place";
    if (!in_place && !o.outside) return "operand " + std::to_string(k) + " is in place";
    if (starts(access, "broadcast") && e.run.span > 1 && !o.one_value)
      return "operand " + std::to_string(k) + " is not one value";
    strided = strided || access == "direct: strided";
  }
  return strided == seen.strided ? "" : "strided loop";
}

bool is_candidate(const Explanation& e, Strategy strategy) {
  return std::ranges::find(e.run.candidates, strategy, &weft::StrategyCandidate::strategy) !=
         e.run.candidates.end();
}

}  // namespace

TEST_CASE("explained: what a kernel sees of any layout", "[layouts]") {
  std::mt19937_64 random(test::seed());
  test::Tally tally;
  int chosen_elements = 0;
  std::vector<std::vector<char>> memory(4, std::vector<char>(1 << 22));
  // Runs it as the strategy says, or as the engine chooses; returns the explanation.
  const auto check = [&](Case& one, const weft::TensorIterator& iter, Strategy wanted) {
    const weft::RunOptions options{.serial = true, .strategy = wanted};
    const Explanation e = weft::explain_run(iter, one.kernel, options);
    one.clear();
    weft::run_spans(iter, one.kernel, options);
    std::string wrong = difference(e, one.probe);
    if (wanted != Strategy::automatic && e.run.strategy != wanted) wrong = "strategy";
    if (!is_candidate(e, e.run.strategy)) wrong = "the strategy is no candidate";
    for (const weft::StrategyCandidate& candidate : e.run.candidates)
      if (candidate.estimated_ns <= 0) wrong = "a candidate without an estimate";
    if (e.run.why.empty()) wrong = "no reason";
    tally.check(wrong.empty(), [&](auto& out) {
      out << wrong << " (" << name(wanted) << "): " << one.probe.calls << " calls, longest "
          << one.probe.longest << "\n"
          << e.to_text();
    });
    return e;
  };
  for (int i = 0; i < test::rounds(10'000); ++i) {
    Case one(random, memory);
    const weft::TensorIterator iter = one.iterator();
    const Explanation e = check(one, iter, Strategy::automatic);
    // Rows of one element each are for kernels to which a row is little.
    const bool one_by_one = e.run.strategy == Strategy::elements;
    tally.check(!one_by_one || one.kernel.cost <= 1, [&](auto& out) { out << e.to_text(); });
    chosen_elements += static_cast<int>(one_by_one);
    // Every strategy that can run it now and then, the others refuse.
    if (i % 8 != 0 || e.numel > (1 << 16)) continue;
    for (const weft::StrategyCandidate& candidate : e.run.candidates)
      check(one, iter, candidate.strategy);
    for (int s = 1; s < weft::strategy_count; ++s) {
      const auto other = static_cast<Strategy>(s);
      if (is_candidate(e, other)) continue;
      one.clear();
      const std::string wrong = test::wrong_error(
          weft::ErrorCode::invalid_argument, test::words(std::string(name(other)), "these can"),
          [&] { weft::run_spans(iter, one.kernel, {.serial = true, .strategy = other}); });
      tally.check(wrong.empty() && one.probe.calls == 0, [&](auto& out) {
        out << wrong << ": " << name(other) << "\n" << e.to_text();
      });
    }
  }
  INFO("seed " << test::seed());
  CHECK_TALLY(tally);
  CHECK(chosen_elements > test::rounds(20));
}
