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

/// A function of Nin complex numbers: `compute` in registers, and whether all of its results count;
/// `ask_library` for one element where they do not.
template <class Part, std::size_t Nin>
struct ComplexFunction {
  bool (*compute)(ComplexBlock& out, double* plain, const ComplexBlock* in, std::int64_t count);
  void (*ask_library)(char* to, std::int64_t i, const std::complex<Part>* arguments);
};

/// The same of `ComplexResult Function::operator()(ComplexLanes...)`: one for c64 and c128.
template <class Function, std::size_t Nin>
bool compute_block(ComplexBlock& out, double* plain, const ComplexBlock* in, std::int64_t count) {
  bool all_plain = true;
  for (std::int64_t i = 0; i < count; i += Register<double>::lanes) {
    const ComplexResult result = [&]<std::size_t... I>(std::index_sequence<I...>)
                                     WEFT_INLINE_LAMBDA {
                                       return Function()(in[I].load(i)...);
                                     }(std::make_index_sequence<Nin>());
    result.value.re.store(out.re + i);
    result.value.im.store(out.im + i);
    select(result.plain, Register<double>(1.0), Register<double>(0.0)).store(plain + i);
    all_plain = all_plain && !any(!result.plain);
  }
  return all_plain;
}
/// Element by element of the C library.
template <class Scalar, class Part, std::size_t Nin>
void ask_library(char* to, std::int64_t i, const std::complex<Part>* arguments) {
  store_element<typename Signature<Scalar>::Result>(
      to, i, [&]<std::size_t... I>(std::index_sequence<I...>) {
        return Scalar()(arguments[I]...);
      }(std::make_index_sequence<Nin>()));
}

/// Spans of a ComplexFunction, which is the context, with Nin inputs of type complex<Part>. One
/// text for all functions.
template <class Part, class Result, std::size_t Nin>
class ComplexSpans {
  using T = std::complex<Part>;
  using Function = ComplexFunction<Part, Nin>;

 public:
  static void run(const void* context, char* const* data, const std::int64_t* row_bytes,
                  std::int64_t n, std::int64_t rows, std::uint32_t broadcast) {
    const auto& function = *static_cast<const Function*>(context);
    for_each_row<1 + Nin>(data, row_bytes, rows, [&](char* const* row) {
      ComplexBlock in[Nin];
      for (std::int64_t start = 0; start < n; start += ComplexBlock::size) {
        const std::int64_t count = n - start < ComplexBlock::size ? n - start : ComplexBlock::size;
        for (std::size_t k = 0; k < Nin; ++k) {
          if ((broadcast >> (1 + k) & 1) == 0) {
            fill(in[k], row[1 + k] + start * static_cast<std::int64_t>(sizeof(T)), count, 1);
          } else if (start == 0) {
            fill(in[k], row[1 + k], count, 0);
          }
        }
        compute(function, row[0] + start * static_cast<std::int64_t>(sizeof(Result)), in, count);
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

  static void compute(const Function& function, char* to, const ComplexBlock (&in)[Nin],
                      std::int64_t count) {
    ComplexBlock out;
    alignas(64) double plain[ComplexBlock::size];
    const bool all_plain = function.compute(out, plain, in, count);
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (is_complex_type<Result>) {
        store_element<Result>(to, i, T(static_cast<Part>(out.re[i]), static_cast<Part>(out.im[i])));
      } else {
        store_element<Result>(to, i, static_cast<Part>(out.re[i]));
      }
    }
    for (std::int64_t i = 0; i < count && !all_plain; ++i) {
      if (plain[i] != 0) continue;
      T arguments[Nin];
      for (std::size_t k = 0; k < Nin; ++k)
        arguments[k] = T(static_cast<Part>(in[k].re[i]), static_cast<Part>(in[k].im[i]));
      function.ask_library(to, i, arguments);
    }
  }
};

/// The context of such spans, by its two parts.
template <class Function, class Scalar, class Part, std::size_t Nin>
inline constexpr ComplexFunction<Part, Nin> complex_function = {&compute_block<Function, Nin>,
                                                                &ask_library<Scalar, Part, Nin>};

/// The SpanKernel of such a function; COST in adds per element. Scalar is the same of the C library
/// and says by its result whether there is an imaginary part.
template <class Function, class Scalar>
constexpr SpanKernel complex_span_kernel(const Scalar& scalar, float cost) {
  using S = Signature<Scalar>;
  constexpr std::size_t nin = std::tuple_size_v<typename S::Params>;
  using Part = typename std::tuple_element_t<0, typename S::Params>::value_type;
  SpanKernel kernel = typed_span_kernel(scalar);
  kernel.replace_loops(&ComplexSpans<Part, typename S::Result, nin>::run);
  kernel.context = &complex_function<Function, Scalar, Part, nin>;
  kernel.cost = cost;
  return kernel;
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
