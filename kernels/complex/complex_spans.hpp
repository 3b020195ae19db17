// SPDX-License-Identifier: Apache-2.0
/// @file
/// Span kernels of functions of complex numbers on registers of f64, for c64 and c128. Rare
/// arguments are left to the C library.
#pragma once

#include <weft/kernel/detail/vectorized_register.hpp>

#include "kernels/complex/complex_library.hpp"

namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Real and imaginary parts, lane by lane.
struct ComplexLanes {
  Register<double> re, im;
};

/// What a function gives, and where the result counts: elsewhere, as for infinities, NaN and
/// numbers whose square is out of range, the C library is asked.
struct ComplexResult {
  ComplexLanes value;
  RegisterMask<double> plain;
};

/// As many elements as are computed together, real and imaginary parts in arrays of their own.
struct ComplexBlock {
  static constexpr std::int64_t size = 64;
  alignas(64) double re[size];
  alignas(64) double im[size];

  WEFT_ALWAYS_INLINE ComplexLanes load(std::int64_t i) const noexcept {
    return {Register<double>::load(re + i), Register<double>::load(im + i)};
  }
};

/// Spans of `ComplexResult Function::operator()(ComplexLanes...)` with Nin inputs of type
/// complex<Part>; Scalar is the same of the C library, element by element, and says by its result
/// whether there is an imaginary part.
template <class Function, class Scalar, class Part, std::size_t Nin>
class ComplexSpans {
  using T = std::complex<Part>;
  using Result = typename Signature<Scalar>::Result;
  static constexpr std::int64_t size = sizeof(T);

 public:
  static void run(const void* /*context*/, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    for_each_row<1 + Nin>(data, row_bytes, rows, [&](char* const* row) {
      ComplexBlock in[Nin];
      for (std::int64_t start = 0; start < n; start += ComplexBlock::size) {
        const std::int64_t count = n - start < ComplexBlock::size ? n - start : ComplexBlock::size;
        for (std::size_t k = 0; k < Nin; ++k) {
          if ((broadcast >> (1 + k) & 1) == 0) {
            fill(in[k], row[1 + k] + start * size, count, 1);
          } else if (start == 0) {
            fill(in[k], row[1 + k], count, 0);
          }
        }
        compute(row[0] + start * static_cast<std::int64_t>(sizeof(Result)), in, count);
      }
    });
  }

 private:
  static WEFT_ALWAYS_INLINE void fill(ComplexBlock& block, const char* from, std::int64_t count,
                                      std::int64_t step) {
    const SpanReader<Part, false> parts{from};
    for (std::int64_t i = 0; i < count; ++i) {
      block.re[i] = parts[2 * i * step];
      block.im[i] = parts[2 * i * step + 1];
    }
    // Lanes beyond the end repeat an element that is there.
    constexpr std::int64_t lanes = Register<double>::lanes;
    for (std::int64_t i = count; i % lanes != 0; ++i) {
      block.re[i] = block.re[0];
      block.im[i] = block.im[0];
    }
  }

  static void compute(char* to, const ComplexBlock (&in)[Nin], std::int64_t count) {
    constexpr std::int64_t lanes = Register<double>::lanes;
    ComplexBlock out;
    alignas(64) double plain[ComplexBlock::size];
    bool all_plain = true;
    for (std::int64_t i = 0; i < count; i += lanes) {
      const ComplexResult result = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Function()(in[I].load(i)...);
      }(std::make_index_sequence<Nin>());
      result.value.re.store(out.re + i);
      result.value.im.store(out.im + i);
      select(result.plain, Register<double>(1.0), Register<double>(0.0)).store(plain + i);
      all_plain = all_plain && !any(!result.plain);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (is_complex_type<Result>) {
        store_element<Result>(to, i, T(static_cast<Part>(out.re[i]), static_cast<Part>(out.im[i])));
      } else {
        store_element<Result>(to, i, static_cast<Part>(out.re[i]));
      }
    }
    if (all_plain) return;
    for (std::int64_t i = 0; i < count; ++i) {
      if (plain[i] != 0) continue;
      store_element<Result>(to, i, [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Scalar()(T(static_cast<Part>(in[I].re[i]), static_cast<Part>(in[I].im[i]))...);
      }(std::make_index_sequence<Nin>()));
    }
  }
};

/// The SpanKernel of such a function; COST in adds per element.
template <class Function, class Scalar>
constexpr SpanKernel complex_span_kernel(const Scalar& scalar, float cost) {
  constexpr std::size_t nin = std::tuple_size_v<typename Signature<Scalar>::Params>;
  using Part = typename std::tuple_element_t<0, typename Signature<Scalar>::Params>::value_type;
  SpanKernel kernel = typed_span_kernel(scalar);
  kernel.replace_loops(&ComplexSpans<Function, Scalar, Part, nin>::run);
  kernel.cost = cost;
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
