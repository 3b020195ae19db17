// SPDX-License-Identifier: Apache-2.0
// Gates of recurrent cells, vector by vector: all gates of some units of a row, and out with the
// results.
#include "kernels/cell/cell.hpp"

#include "kernels/cell/gate_functions.hpp"
#include "kernels/loops/by_type.hpp"

namespace weft {
inline namespace v0 {
namespace {

/// Some units of a row, from the first on: whole vectors, and a last one with fewer lanes.
template <class T>
struct Units {
  using V = Vectorized<T>;
  std::int64_t first;
  std::int64_t count;

  bool whole() const noexcept { return count == V::lanes; }
  WEFT_ALWAYS_INLINE V load(const char* row) const noexcept {
    const T* from = reinterpret_cast<const T*>(row) + first;
    return whole() ? V::load(from) : part(from);
  }
  /// May read past the row's end.
  static WEFT_ALWAYS_INLINE V load_beyond(const char* row, std::int64_t first) noexcept {
    return V::load(reinterpret_cast<const T*>(row) + first);
  }
  WEFT_ALWAYS_INLINE void store(char* row, const V& value) const noexcept {
    T* to = reinterpret_cast<T*>(row) + first;
    if (whole()) {
      value.store(to);
      return;
    }
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
      _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), value[0]);
    } else {
      _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1), value[0]);
    }
#else
    value.store(to, count);
#endif
  }

 private:
  WEFT_ALWAYS_INLINE V part(const T* from) const noexcept {
#if defined(__AVX512F__)
    V value;
    if constexpr (sizeof(T) == 4) {
      value[0] = _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1), from);
    } else {
      value[0] = _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1), from);
    }
    return value;
#else
    return V::load(from, count, T(0));
#endif
  }
};

/// f(units) for units from `begin` to `end`.
template <class T, class F>
WEFT_ALWAYS_INLINE void for_vectors(std::int64_t begin, std::int64_t end, F&& f) {
  constexpr std::int64_t lanes = Vectorized<T>::lanes;
  for (std::int64_t first = begin; first < end; first += lanes)
    f(Units<T>{first, end - first < lanes ? end - first : lanes});
}
/// f(row, units) for all units of all rows.
template <class T, class F>
WEFT_ALWAYS_INLINE void for_each_vector(std::int64_t rows, std::int64_t units, F&& f) {
  for (std::int64_t row = 0; row < rows; ++row)
    for_vectors<T>(0, units, [&](const Units<T>& some) WEFT_INLINE_LAMBDA { f(row, some); });
}

WEFT_ALWAYS_INLINE char* row_of(const GateRows& rows, std::int64_t row) noexcept {
  return rows.data + row * rows.row_step;
}

template <class T>
Vectorized<T> any_gate(const Activation& a, double clip, Vectorized<T> x) noexcept {
  using V = Vectorized<T>;
  if (clip > 0) x = kept_within(x, static_cast<T>(-clip), static_cast<T>(clip));
  switch (a.function) {
    case GateFunction::sigmoid: return gate_sigmoid(x);
    case GateFunction::tanh: return gate_tanh(x);
    case GateFunction::relu: return select(x < V(T(0)), V(T(0)), x);
    case GateFunction::hard_sigmoid: break;
  }
  return kept_within(V(static_cast<T>(a.alpha)) * x + V(static_cast<T>(a.beta)), T(0), T(1));
}

/// A gate of a cell whose functions are the usual ones, without clipping; or of any cell.
template <bool usual, GateFunction function, class T>
WEFT_ALWAYS_INLINE Vectorized<T> gate(const Activation& a, double clip,
                                      const Vectorized<T>& x) noexcept {
  if constexpr (!usual) {
    return any_gate(a, clip, x);
  } else if constexpr (function == GateFunction::sigmoid) {
    return gate_sigmoid(x);
  } else {
    return gate_tanh(x);
  }
}

template <class T>
void lstm_rows(const LstmGates& g) {
  using V = Vectorized<T>;
  for_each_vector<T>(
      g.rows, g.units, [&](std::int64_t row, const Units<T>& units) WEFT_INLINE_LAMBDA {
        const V cell = units.load(row_of(g.cell, row));
        V f_sum = Units<T>::load_beyond(row_of(g.forget, row), units.first);
        V i_sum = Units<T>::load_beyond(row_of(g.input, row), units.first);
        const V c_sum = Units<T>::load_beyond(row_of(g.candidate, row), units.first);
        V o_sum = Units<T>::load_beyond(row_of(g.output, row), units.first);
        if (g.peephole_forget != nullptr) {
          f_sum += units.load(g.peephole_forget) * cell;
          i_sum += units.load(g.peephole_input) * cell;
        }
        const V i = any_gate(g.activations[0], g.clip, i_sum);
        const V f = g.input_forget ? V(T(1)) - i : any_gate(g.activations[0], g.clip, f_sum);
        const V next = f * cell + i * any_gate(g.activations[1], g.clip, c_sum);
        if (g.peephole_output != nullptr) o_sum += units.load(g.peephole_output) * next;
        const V o = any_gate(g.activations[0], g.clip, o_sum);
        units.store(row_of(g.cell_out, row), next);
        units.store(row_of(g.hidden_out, row), o * any_gate(g.activations[2], 0, next));
      });
}

/// The usual functions, in three divisions instead of five: i c and o tanh(C') are one fraction
/// each. Where its divisor overflows they are 0; i or o is below 1.5e-30 (f32) and 1e-290 (f64)
/// then.
///
/// Of some vectors C' first, and then H': the chain of two functions, one after the other, is
/// longer than what a processor looks ahead.
template <class T>
void usual_lstm_rows(const LstmGates& g) {
  using V = Vectorized<T>;
  constexpr std::int64_t at_a_time = 8 * V::lanes;
  const V two(T(2));
  alignas(64) T next[at_a_time];
  for (std::int64_t row = 0; row < g.rows; ++row) {
    const auto sums = [&](const GateRows& gate, std::int64_t first) {
      return Units<T>::load_beyond(row_of(gate, row), first);
    };
    for (std::int64_t begin = 0; begin < g.units; begin += at_a_time) {
      const std::int64_t end = g.units - begin < at_a_time ? g.units : begin + at_a_time;
      for_vectors<T>(begin, end, [&](const Units<T>& units) WEFT_INLINE_LAMBDA {
        const V m = gate_doubled(sums(g.candidate, units.first));
        const V kept = units.load(row_of(g.cell, row)) / gate_divisor(sums(g.forget, units.first));
        const V value = kept + m / (gate_divisor(sums(g.input, units.first)) * (m + two));
        value.store(next + (units.first - begin));
        units.store(row_of(g.cell_out, row), value);
      });
      for_vectors<T>(begin, end, [&](const Units<T>& units) WEFT_INLINE_LAMBDA {
        const V n = gate_doubled(V::load(next + (units.first - begin)));
        units.store(row_of(g.hidden_out, row),
                    n / (gate_divisor(sums(g.output, units.first)) * (n + two)));
      });
    }
  }
}

template <class T>
void lstm(const LstmGates& g) {
  const bool usual = g.activations[0].function == GateFunction::sigmoid &&
                     g.activations[1].function == GateFunction::tanh &&
                     g.activations[2].function == GateFunction::tanh && !(g.clip > 0) &&
                     g.peephole_forget == nullptr && !g.input_forget;
  usual ? usual_lstm_rows<T>(g) : lstm_rows<T>(g);
}

bool is_usual(const Activation& gate, const Activation& candidate, double clip) noexcept {
  return gate.function == GateFunction::sigmoid && candidate.function == GateFunction::tanh &&
         !(clip > 0);
}

template <class T, bool usual>
void gru_reset_rows(const GruReset& g) {
  using V = Vectorized<T>;
  for_each_vector<T>(
      g.rows, g.units, [&](std::int64_t row, const Units<T>& units) WEFT_INLINE_LAMBDA {
        const V update = units.load(row_of(g.update, row));
        const V reset = units.load(row_of(g.reset, row));
        constexpr GateFunction sigmoid = GateFunction::sigmoid;
        const V r = gate<usual, sigmoid>(g.activation, g.clip, reset);
        units.store(row_of(g.update, row), gate<usual, sigmoid>(g.activation, g.clip, update));
        units.store(row_of(g.reset_hidden, row), r * units.load(row_of(g.hidden, row)));
      });
}
template <class T>
void gru_reset(const GruReset& g) {
  const bool usual = is_usual(g.activation, {GateFunction::tanh}, g.clip);
  usual ? gru_reset_rows<T, true>(g) : gru_reset_rows<T, false>(g);
}

template <class T, bool usual>
void gru_update_rows(const GruUpdate& g) {
  using V = Vectorized<T>;
  constexpr GateFunction sigmoid = GateFunction::sigmoid;
  for_each_vector<T>(
      g.rows, g.units, [&](std::int64_t row, const Units<T>& units) WEFT_INLINE_LAMBDA {
        V z = units.load(row_of(g.update, row));
        V sum = units.load(row_of(g.candidate, row));
        if (g.product.data != nullptr) {
          const V reset = units.load(row_of(g.reset, row)) + units.load(row_of(g.reset_input, row));
          z = gate<usual, sigmoid>(g.gate, g.clip, z + units.load(row_of(g.update_input, row)));
          sum += gate<usual, sigmoid>(g.gate, g.clip, reset) * units.load(row_of(g.product, row));
        }
        const V h = gate<usual, GateFunction::tanh>(g.activation, g.clip, sum);
        const V hidden = units.load(row_of(g.hidden, row));
        units.store(row_of(g.hidden_out, row), (V(T(1)) - z) * h + z * hidden);
      });
}
template <class T>
void gru_update(const GruUpdate& g) {
  const bool usual = is_usual(g.gate, g.activation, g.clip);
  usual ? gru_update_rows<T, true>(g) : gru_update_rows<T, false>(g);
}

template <class T>
void rnn(const RnnGate& g) {
  for_each_vector<T>(g.rows, g.units,
                     [&](std::int64_t row, const Units<T>& units) WEFT_INLINE_LAMBDA {
                       const Vectorized<T> sum = units.load(row_of(g.sums, row));
                       units.store(row_of(g.out, row), any_gate(g.activation, g.clip, sum));
                     });
}

template <class T>
constexpr CellKernels kernels{&lstm<T>, &gru_reset<T>, &gru_update<T>, &rnn<T>};

}  // namespace

const CellKernels* WEFT_KERNEL(cell_kernels)(ScalarType type) {
  return by_type(type, []<class T>() -> const CellKernels* {
    if constexpr (std::is_floating_point_v<T>) {
      return &kernels<T>;
    } else {
      return nullptr;
    }
  });
}

}  // namespace v0
}  // namespace weft
