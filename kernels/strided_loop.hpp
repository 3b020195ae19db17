// SPDX-License-Identifier: Apache-2.0
/// @file
/// The loop of a formula over elements that lie apart, one by one.
#pragma once

#include <weft/kernel/span_loop.hpp>

#include <cstdint>
#include <tuple>
#include <utility>

namespace weft::inline v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// SpanKernel::RunStrided of a function object of one result. Of elements of 8 bytes, a register holds so few that
/// putting them together costs more than it saves; and one loop over all operands asks memory for all at once.
template <class F>
class StridedLoop {
  using Result = typename Signature<F>::Result;
  using Params = typename Signature<F>::Params;
  static constexpr std::size_t nin = std::tuple_size_v<Params>;

  template <std::size_t... I>
  static WEFT_ALWAYS_INLINE void loop(const F& op, char* const* data,
                                      const std::int64_t* strides_bytes, std::int64_t n,
                                      std::index_sequence<I...>) {
    char* out = data[0];
    const char* in[] = {data[1 + I]...};
    const std::int64_t step = strides_bytes[0];
    const std::int64_t steps[] = {strides_bytes[1 + I]...};
    for (std::int64_t i = 0; i < n; ++i) {
      store_element<Result>(out, 0,
                            op(SpanReader<std::tuple_element_t<I, Params>, false>{in[I]}[0]...));
      out += step;
      ((in[I] += steps[I]), ...);
    }
  }

 public:
  static void run(const void* context, char* const* data, const std::int64_t* strides_bytes,
                  std::int64_t n) {
    loop(*static_cast<const F*>(context), data, strides_bytes, n, std::make_index_sequence<nin>());
  }
};

/// True for formulas that say so, which are of several inputs and one instruction of single elements. Quotients and
/// comparisons, of which compilers make more, were slower than packed ones; of a choice between two values they make
/// a jump, which is mispredicted for every other element (`maximum` of f64: 4.3 ns instead of 0.6). Not complex
/// ones with loops of their own: those keep compilers from fusing products and sums.
template <class F>
concept SteppingFormula =
    F::steps && TypedCallable<F> &&
    !(is_complex_type<typename Signature<F>::Result> && requires(const F& op) { F::kernel(op); });

/// The kernel of a formula, with a strided loop if that may be quicker than to bring operands together.
template <class F>
constexpr SpanKernel with_strided_loop(SpanKernel kernel) {
  if constexpr (SteppingFormula<F>) kernel.run_strided = &StridedLoop<F>::run;
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace weft::inline v0
