// SPDX-License-Identifier: Apache-2.0
// Arithmetic on inputs of mixed types. Block by block: inputs that are not of the result's type are
// converted, by the rules of cast(), into a buffer of a few registers' length, and the loop over
// the block follows while they are at hand. What memory delivers is the limit then, as where
// nothing has to be converted.
#include "kernels/binary/widening.hpp"

#include "core/compiled_types.hpp"
#include "kernels/complex/complex_quotient.hpp"
#include "kernels/half/half_blocks.hpp"
#include "kernels/loops/block_spans.hpp"
#include "kernels/scalar/arithmetic.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Elements: enough for the choice of a conversion to cost nothing.
constexpr int block = 64;

template <class... S>
struct Sources {
  static constexpr bool has(ScalarType type) { return ((scalar_type_of<S> == type) || ...); }
};
/// The types that are converted to T in registers, T itself among them.
template <class T>
struct SourcesOf;
template <>
struct SourcesOf<float> {
  using Type = Sources<float, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                       std::int32_t, float16, bfloat16>;
};
template <>
struct SourcesOf<double> {
  using Type = Sources<double, bool, std::int8_t, std::uint8_t, std::int16_t, std::int32_t, float>;
};
template <>
struct SourcesOf<std::int32_t> {
  using Type = Sources<std::int32_t, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t>;
};
template <>
struct SourcesOf<std::int64_t> {
  using Type = Sources<std::int64_t, bool, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                       std::int32_t, std::uint32_t>;
};

template <class T, class S>
WEFT_ALWAYS_INLINE void convert_block(T* to, const char* from) {
  if constexpr (is_half_type<S>) {
    for (int i = 0; i < block; i += half_block)
      widen_block<S>(to + i, from + i * static_cast<int>(sizeof(S)));
  } else {
    const SpanReader<S, false> in{from};
    WEFT_INDEPENDENT_ITERATIONS
    for (int i = 0; i < block; ++i)
      to[i] = cast<T>(in[i]);
  }
}

/// A block as elements of type T: in place, or converted into `buffer`.
template <class T, class... S>
WEFT_ALWAYS_INLINE const char* block_as(T* buffer, const char* from, ScalarType type,
                                        Sources<T, S...>) {
  if (type == scalar_type_of<T>) return from;
  (void)((type == scalar_type_of<S> && (convert_block<T, S>(buffer, from), true)) || ...);
  return reinterpret_cast<const char*>(buffer);
}

/// SpanKernel::Run of `op`.
template <class T, T (*op)(T, T) noexcept>
void run_widening(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
  const WideningInputs inputs = *static_cast<const WideningInputs*>(context);
  const std::int64_t sizes[] = {sizeof(T), element_size(inputs.types[0]),
                                element_size(inputs.types[1])};
  for_each_row<3>(data, row_bytes, rows, [&](char* const* row) {
    BlockSpan<block, 2, sizeof(T)>::run(
        [&](char* to, const char* const* from) {
          alignas(64) T buffers[2][block];
          const char* values[2];
          WEFT_KEPT_LOOP
          for (int k = 0; k < 2; ++k) {
            values[k] =
                block_as(buffers[k], from[k], inputs.types[k], typename SourcesOf<T>::Type());
          }
          const SpanReader<T, false> a{values[0]};
          const SpanReader<T, false> b{values[1]};
          WEFT_INDEPENDENT_ITERATIONS
          for (int i = 0; i < block; ++i)
            store_element<T>(to, i, op(a[i], b[i]));
        },
        row, n, broadcast >> 1, sizes);
  });
}

template <class T, T (*op)(T, T) noexcept>
struct WideningKernel {
  static constexpr SpanKernel value = [] {
    SpanKernel kernel;
    kernel.run = &run_widening<T, op>;
    kernel.noutputs = 1;
    kernel.ninputs = 2;
    kernel.broadcastable = 6;
    kernel.cost = 3;  // as other kernels of blocks: short rows are better gathered
    kernel.types[0] = scalar_type_of<T>;
    return kernel;
  }();
};

/// The kernel of `op` on T, if inputs of these types are taken.
template <class T, T (*op)(T, T) noexcept>
const SpanKernel* kernel_for(WideningInputs inputs) {
  using All = typename SourcesOf<T>::Type;
  if constexpr (is_compiled(scalar_type_of<T>)) {
    if (All::has(inputs.types[0]) && All::has(inputs.types[1]))
      return &WideningKernel<T, op>::value;
  }
  return nullptr;
}

}  // namespace

#define WEFT_CASE(TYPE, FUNCTION) \
  case scalar_type_of<TYPE>: return kernel_for<TYPE, &FUNCTION<TYPE>>(inputs);
#define WEFT_DEFINE_WIDENING(NAME, FUNCTION)                                                      \
  const SpanKernel* WEFT_KERNEL(NAME##_widening_kernel)(ScalarType type, WideningInputs inputs) { \
    switch (type) {                                                                               \
      WEFT_CASE(float, FUNCTION)                                                                  \
      WEFT_CASE(double, FUNCTION)                                                                 \
      WEFT_CASE(std::int32_t, FUNCTION)                                                           \
      WEFT_CASE(std::int64_t, FUNCTION)                                                           \
      default: return nullptr;                                                                    \
    }                                                                                             \
  }
WEFT_DEFINE_WIDENING(add, plus)
WEFT_DEFINE_WIDENING(sub, minus)
WEFT_DEFINE_WIDENING(mul, times)
#undef WEFT_DEFINE_WIDENING

const SpanKernel* WEFT_KERNEL(div_widening_kernel)(ScalarType type, WideningInputs inputs) {
  switch (type) {
    WEFT_CASE(float, quotient)
    WEFT_CASE(double, quotient)
    default: return nullptr;
  }
}
#undef WEFT_CASE

}  // namespace v0
}  // namespace weft
