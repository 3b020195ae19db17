// SPDX-License-Identifier: Apache-2.0
/// @file
/// From a lambda over single elements to a SpanKernel: the loops that the compiler vectorises.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/dispatch_types.hpp>
#include <weft/kernel/detail/generic_parameters.hpp>
#include <weft/kernel/detail/held.hpp>
#include <weft/kernel/detail/span_element.hpp>
#include <weft/kernel/detail/streaming_loop.hpp>
#include <weft/kernel/detail/strided_loop.hpp>
#include <weft/kernel/detail/unfused_loops.hpp>
#include <weft/kernel/detail/wide_loops.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/machine/level.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

WEFT_REQUESTED_LOOPS_BEGIN
namespace weft {
inline namespace v0 {
inline namespace WEFT_INLINE_LEVEL_NAMESPACE {

/// Specialised for kernels that also accept Vectorized<T> in vectorized.hpp.
template <class F, class T>
struct VectorizedSpans;

/// Parameter and result types of a lambda, function object or function: those of the values, where
/// they are references.
template <class F>
struct Signature {};  // overloaded or generic: not one signature
template <class F>
  requires requires { typename std::void_t<decltype(&F::operator())>; }
struct Signature<F> : Signature<decltype(&F::operator())> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const> {
  using Result = std::remove_cvref_t<R>;
  using Params = std::tuple<std::remove_cvref_t<Args>...>;
};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...)> : Signature<R (C::*)(Args...) const> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const noexcept> : Signature<R (C::*)(Args...) const> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) noexcept> : Signature<R (C::*)(Args...) const> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const&> : Signature<R (C::*)(Args...) const> {};
template <class C, class R, class... Args>
struct Signature<R (C::*)(Args...) const & noexcept> : Signature<R (C::*)(Args...) const> {};
template <class R, class... Args>
struct Signature<R(Args...)> : Signature<R (std::tuple<>::*)(Args...) const> {};
template <class R, class... Args>
struct Signature<R (*)(Args...)> : Signature<R (std::tuple<>::*)(Args...) const> {};
template <class R, class... Args>
struct Signature<R(Args...) noexcept> : Signature<R(Args...)> {};
template <class R, class... Args>
struct Signature<R (*)(Args...) noexcept> : Signature<R(Args...)> {};

/// A function as a pointer to it, which can be referred to like any object; all else as it is.
template <class F>
constexpr decltype(auto) as_object(F& op) noexcept {
  if constexpr (std::is_function_v<F>) {
    return &op;
  } else {
    return (op);
  }
}

/// True for callables of one fixed signature; false for generic lambdas.
template <class F>
concept TypedCallable = requires { typename Signature<F>::Params; };

/// What a kernel returns, as a list of output types, and whether it is a std::tuple of them.
template <class R>
struct Outputs {
  using Types = std::tuple<R>;
  static constexpr bool is_tuple = false;
};
template <>
struct Outputs<void> {
  using Types = std::tuple<>;
  static constexpr bool is_tuple = false;
};
template <class... R>
struct Outputs<std::tuple<R...>> {
  using Types = std::tuple<std::remove_cvref_t<R>...>;
  static constexpr bool is_tuple = true;
};

/// Whether a function returns a std::tuple, maybe of one, for arguments of the types in a list.
template <class F, class Ins>
inline constexpr bool returns_tuple = false;
template <class F, class... In>
inline constexpr bool returns_tuple<F, std::tuple<In...>> =
    Outputs<std::remove_cvref_t<std::invoke_result_t<F&, In...>>>::is_tuple;

/// Whether all types of a list are elements.
template <class List>
inline constexpr bool are_elements = false;
template <class... T>
inline constexpr bool are_elements<std::tuple<T...>> = (Element<T> && ...);

/// Whether what a function returns is elements of outputs, one at least.
template <class R>
inline constexpr bool has_output_elements =
    are_elements<typename Outputs<R>::Types> && std::tuple_size_v<typename Outputs<R>::Types> > 0;

/// What loops may make of a callable.
enum class Calls : std::uint8_t {
  formula,      ///< it gives the same of the same, however often it is called
  independent,  ///< once for each element, in any order, and no call sees what another one did
  in_order,     ///< one after the other: a call may change what the next one finds
};

/// The loop over one span, for inputs of which those in Mask (bit k: input k) are one value.
template <std::uint32_t Mask, Calls calls, class F, class... Out, class... In, std::size_t... O,
          std::size_t... I>
WEFT_ALWAYS_INLINE void span_loop(F& op, char* const* data, std::int64_t n, std::tuple<Out...>*,
                                  std::tuple<In...>*, std::index_sequence<O...>,
                                  std::index_sequence<I...>) {
  constexpr std::size_t nout = sizeof...(Out);
  constexpr bool is_one = nout == 1 && !returns_tuple<F, std::tuple<In...>>;
  const std::tuple<SpanReader<In, (Mask >> I & 1) != 0>...> in{
      SpanReader<In, (Mask >> I & 1) != 0>{data[nout + I]}...};
  if constexpr (nout == 0) {
    for (std::int64_t i = 0; i < n; ++i)
      op(std::get<I>(in)[i]...);
  } else if constexpr (is_one && calls == Calls::in_order) {
    for (std::int64_t i = 0; i < n; ++i)
      (store_element<Out>(data[0], i, static_cast<Out>(op(std::get<I>(in)[i]...))), ...);
  } else if constexpr (calls != Calls::in_order &&
                       may_separate(static_cast<std::tuple<Out...>*>(nullptr))) {
    char* const to[] = {data[O]...};
    store_separately(static_cast<std::tuple<Out...>*>(nullptr), to, 0, n,
                     [&](std::int64_t i) WEFT_INLINE_LAMBDA {
                       return std::tuple<Out...>(op(std::get<I>(in)[i]...));
                     });
  } else if constexpr (is_one) {
    char* out = data[0];
    WEFT_INDEPENDENT_ITERATIONS
    for (std::int64_t i = 0; i < n; ++i)
      (store_element<Out>(out, i, static_cast<Out>(op(std::get<I>(in)[i]...))), ...);
  } else {
    char* const out[] = {data[O]...};
    const auto element = [&](std::int64_t i) WEFT_INLINE_LAMBDA {
      const std::tuple<Out...> values = op(std::get<I>(in)[i]...);
      (store_element<Out>(out[O], i, std::get<O>(values)), ...);
    };
    if constexpr (calls == Calls::in_order) {
      for (std::int64_t i = 0; i < n; ++i)
        element(i);
    } else {
      WEFT_INDEPENDENT_ITERATIONS
      for (std::int64_t i = 0; i < n; ++i)
        element(i);
    }
  }
}

/// All loops of one kernel, and which to take.
template <class F, class Outs, class Ins, Calls calls = Calls::independent>
struct SpanLoops {
  static constexpr bool is_formula = calls == Calls::formula;
  static constexpr std::size_t nout = std::tuple_size_v<Outs>;
  static constexpr std::size_t nin = std::tuple_size_v<Ins>;
  static constexpr std::size_t patterns = nin <= max_pattern_inputs ? std::size_t{1} << nin : 1;
  static constexpr std::uint32_t broadcastable = static_cast<std::uint32_t>(patterns - 1) << nout;
  using Elements = decltype(std::tuple_cat(Outs(), Ins()));
  /// Bytes of the widest element.
  static constexpr std::int64_t widest = []<class... T>(std::tuple<T...>*) {
    std::int64_t most = 1;
    ((most = static_cast<std::int64_t>(sizeof(T)) > most ? static_cast<std::int64_t>(sizeof(T))
                                                         : most),
     ...);
    return most;
  }(static_cast<Elements*>(nullptr));
  /// Whether none is narrower than a word.
  static constexpr bool are_words = []<class... T>(std::tuple<T...>*) {
    return ((sizeof(T) >= 4) && ...);
  }(static_cast<Elements*>(nullptr));

  /// Whether compilers may fuse what is next to each other in a result, and whether the loops are
  /// to be no wide ones, and no vectors in a file that has FMA, for that.
  static constexpr bool has_pairs = may_fuse(static_cast<Outs*>(nullptr));
  static constexpr bool is_unfused =
      has_pairs && (calls == Calls::in_order || !may_separate(static_cast<Outs*>(nullptr)));

  /// Whether there is a loop for strided elements: for what users write, unless elements are so
  /// narrow that single instructions bring many together. What the library has, it chooses itself.
#if defined(WEFT_BUILDING)
  static constexpr bool steps = false;
#else
  static constexpr bool steps =
      calls == Calls::independent && nout > 0 && nin > 0 && !has_pairs && are_words;
#endif

  /// Whether rows of which all inputs are one value are computed once.
  static constexpr bool repeats = is_formula && nout == 1 && nin > 0 && broadcastable != 0;
  /// Whether the loop of which the second input is one value serves for the first as well.
  static constexpr bool commutes = nin == 2 && nout == 1 && CommutingFormula<F>;

  template <std::uint32_t Mask>
  static WEFT_ALWAYS_INLINE void row_loop(F& object, char* const* data,
                                          const std::int64_t* row_bytes, std::int64_t n,
                                          std::int64_t rows) {
    std::conditional_t<calls == Calls::in_order, F&, Called<F, Ins>> op = object;
    for_each_row<nout + nin>(data, row_bytes, rows, [&](char* const* row) WEFT_INLINE_LAMBDA {
      span_loop<Mask, calls>(op, row, n, static_cast<Outs*>(nullptr), static_cast<Ins*>(nullptr),
                             std::make_index_sequence<nout>(), std::make_index_sequence<nin>());
    });
  }
  template <std::uint32_t Mask>
  WEFT_SPAN_LOOP static void loop(F& op, char* const* data, const std::int64_t* row_bytes,
                                  std::int64_t n, std::int64_t rows) {
    run_loops<is_unfused>([&]()
                              WEFT_INLINE_LAMBDA { row_loop<Mask>(op, data, row_bytes, n, rows); });
  }
#if defined(WEFT_WIDE_LOOPS)
  template <std::uint32_t Mask>
  WEFT_WIDE_LOOPS static void wide_loop(F& op, char* const* data, const std::int64_t* row_bytes,
                                        std::int64_t n, std::int64_t rows) {
    row_loop<Mask>(op, data, row_bytes, n, rows);
  }
#endif

  /// Rows of which all inputs are one value. Out of line, so that run() is as quick as without it.
  template <std::size_t... I>
  [[gnu::noinline]] static void one_value(F& op, char* const* data, const std::int64_t* row_bytes,
                                          std::int64_t n, std::int64_t rows,
                                          std::index_sequence<I...>) {
    using Out = std::tuple_element_t<0, Outs>;
    for_each_row<nout + nin>(data, row_bytes, rows, [&](char* const* row) WEFT_INLINE_LAMBDA {
      const Out value = op(SpanReader<std::tuple_element_t<I, Ins>, false>{row[nout + I]}[0]...);
      repeat_element<Out>(row[0], n, value);
    });
  }

  /// The loop for rows whose inputs in `pattern` (bit k: input k) are one value.
  template <std::uint32_t pattern, bool wide>
  static WEFT_ALWAYS_INLINE void run_pattern(const void* context, char* const* data,
                                             const std::int64_t* row_bytes, std::int64_t n,
                                             std::int64_t rows) {
    F& op = *const_cast<F*>(static_cast<const F*>(context));
    if constexpr (commutes && pattern == 1) {
      run_swapped<&SpanLoops::run>(context, data, row_bytes, n, rows, pattern << nout);
    } else if constexpr (repeats && pattern == patterns - 1) {
      one_value(op, data, row_bytes, n, rows, std::make_index_sequence<nin>());
#if defined(WEFT_WIDE_LOOPS)
    } else if constexpr (wide) {
      wide_loop<pattern>(op, data, row_bytes, n, rows);
#endif
    } else {
      loop<pattern>(op, data, row_bytes, n, rows);
    }
  }
  template <bool wide, std::size_t... M>
  static WEFT_ALWAYS_INLINE void run_patterns(const void* context, char* const* data,
                                              const std::int64_t* row_bytes, std::int64_t n,
                                              std::int64_t rows, std::size_t pattern,
                                              std::index_sequence<M...>) {
    (void)((pattern == M &&
            (run_pattern<static_cast<std::uint32_t>(M), wide>(context, data, row_bytes, n, rows),
             true)) ||
           ...);
  }

  WEFT_VECTORISED static void run(const void* context, char* const* data,
                                  const std::int64_t* row_bytes, std::int64_t n, std::int64_t rows,
                                  std::uint32_t broadcast) {
    const std::size_t pattern = broadcast >> nout;
    constexpr auto all = std::make_index_sequence<patterns>();
#if defined(WEFT_WIDE_LOOPS)
    if constexpr (!is_unfused) {
      if (takes_wide_loops(n, rows, widest))
        return run_patterns<true>(context, data, row_bytes, n, rows, pattern, all);
    }
#endif
    run_patterns<false>(context, data, row_bytes, n, rows, pattern, all);
  }

  template <std::size_t... O, std::size_t... I>
  static constexpr SpanKernel kernel(const F& op, std::index_sequence<O...>,
                                     std::index_sequence<I...>) {
    SpanKernel kernel;
    kernel.run = &run;
    if constexpr (nout == 1 && !returns_tuple<F, Ins> && calls != Calls::in_order && !has_pairs &&
                  (!is_formula || has_formula_line_loops))
      kernel.run_streamed = &LineLoop<F, Outs, Ins>::run;
    if constexpr (steps) {
      kernel.run_strided = &StridedLoop<F, Outs, Ins, true>::run;
      kernel.strides_outputs = true;
    }
    kernel.context = &op;
    kernel.noutputs = static_cast<int>(nout);
    kernel.ninputs = static_cast<int>(nin);
    kernel.broadcastable = broadcastable;
    if constexpr (requires { op.kernel_cost(); }) kernel.cost = op.kernel_cost();
    ((kernel.types[O] = scalar_type_of<std::tuple_element_t<O, Outs>>), ...);
    ((kernel.types[nout + I] = scalar_type_of<std::tuple_element_t<I, Ins>>), ...);
    return kernel;
  }
};

/// The SpanKernel of a callable with a fixed signature; refers to op.
template <Calls calls = Calls::independent, class F>
constexpr SpanKernel typed_span_kernel(const F& op) {
  using S = Signature<F>;
  using Loops =
      SpanLoops<F, typename Outputs<typename S::Result>::Types, typename S::Params, calls>;
  return Loops::kernel(op, std::make_index_sequence<Loops::nout>(),
                       std::make_index_sequence<Loops::nin>());
}

/// How many outputs a generic callable writes, of type T each: those of a std::tuple, or one. If it
/// is no kernel, one line says why, and there are none.
template <class Result, class T, bool one_output>
constexpr std::size_t outputs_of() {
  if constexpr (one_output) {
    constexpr bool is_element = std::is_convertible_v<Result, T>;
    static_assert(is_element,
                  "cpu_kernel's generic kernel returns one element of the type of its parameters; "
                  "cpu_kernel_multiple_outputs takes a std::tuple of several");
    return is_element ? 1 : 0;
  } else {
    constexpr bool are_elements = []<class... R>(std::tuple<R...>*) {
      return sizeof...(R) > 0 && (std::is_convertible_v<R, T> && ...);
    }(static_cast<typename Outputs<std::remove_cvref_t<Result>>::Types*>(nullptr));
    static_assert(are_elements,
                  "a generic kernel of several outputs returns a std::tuple of elements of the "
                  "type of its parameters");
    return are_elements ? std::tuple_size_v<typename Outputs<std::remove_cvref_t<Result>>::Types>
                        : 0;
  }
}

/// The SpanKernel of a generic callable whose operands are all of type T.
template <class T, class F, std::size_t... O, std::size_t... I>
SpanKernel generic_span_kernel(const F& op, std::index_sequence<O...> outputs,
                               std::index_sequence<I...> inputs) {
  constexpr std::size_t nout = sizeof...(O), nin = sizeof...(I);
  using Loops = SpanLoops<F, std::tuple<Repeat<O, T>...>, std::tuple<Repeat<I, T>...>>;
  SpanKernel kernel = Loops::kernel(op, outputs, inputs);
  if constexpr (requires { &VectorizedSpans<F, T>::template run<nin, nout>; }) {
    if constexpr (VectorizedSpans<F, T>::template accepts<nin, nout>) {
      kernel.replace_loops(&VectorizedSpans<F, T>::template run<nin, nout>);
      kernel.broadcastable = ((1u << nin) - 1) << nout;
    }
  }
  return kernel;
}

/// Most inputs of a generic lambda: a neighbourhood of 3 x 3.
inline constexpr int max_generic_inputs = 9;

/// Finds how many parameters a generic callable takes and runs it with operands of type T. Kernel:
/// SpanKernel or MaskedSpanKernel.
template <class Kernel, class T, bool one_output, std::size_t nin, class F>
void run_generic_arity(const TensorIterator& iter, const F& op, const RunOptions& options) {
  constexpr auto inputs = std::make_index_sequence<nin>();
  constexpr bool invocable = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::is_invocable_v<const F&, Repeat<I, T>...>;
  }(inputs);
  if constexpr (invocable) {
    constexpr bool is_generic = takes_only<F, T, nin>(inputs);
    static_assert(is_generic,
                  "a generic kernel has no parameter of a fixed type beside those that are auto: "
                  "all operands come in one type; give every parameter a type where they differ");
    constexpr std::size_t nout = []<std::size_t... I>(std::index_sequence<I...>) {
      return outputs_of<std::invoke_result_t<const F&, Repeat<I, T>...>, T, one_output>();
    }(inputs);
    if constexpr (is_generic && nout > 0) {
      run_spans(iter, Kernel{generic_span_kernel<T>(op, std::make_index_sequence<nout>(), inputs)},
                options);
    }
  } else {
    static_assert(nin < std::size_t{max_generic_inputs},
                  "a generic kernel takes one to nine parameters");
    run_generic_arity<Kernel, T, one_output, nin + 1>(iter, op, options);
  }
}

/// Chooses among Types by the iterator's output type.
template <class Kernel, bool one_output, class... Types, class F>
void run_generic(const TensorIterator& iter, const F& op, const RunOptions& options) {
  const ScalarType given = iter.dtype(0);
  const ScalarType type = element_size(given) == 2 && is_floating(given) ? ScalarType::f32 : given;
  if (((type != scalar_type_of<Types>)&&...)) fail_generic_type(given, {scalar_type_of<Types>...});
  dispatch_types<Types...>(
      type, [&]<class T>() { run_generic_arity<Kernel, T, one_output, 1>(iter, op, options); });
}

}  // namespace WEFT_INLINE_LEVEL_NAMESPACE
}  // namespace v0
}  // namespace weft
WEFT_REQUESTED_LOOPS_END
