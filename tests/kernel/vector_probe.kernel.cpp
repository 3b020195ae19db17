// SPDX-License-Identifier: Apache-2.0
#include "kernel/vector_probe.hpp"

#include <weft/kernel/vectorized_math.hpp>

namespace test {
namespace {

using weft::Mask;
using weft::ScalarType;
using weft::Vectorized;

template <class T>
const T* as(const void* memory) {
  return static_cast<const T*>(memory);
}

/// The ten types that vectors hold.
template <class F>
void with_type(ScalarType type, F f) {
  switch (type) {
    case ScalarType::u8: return f.template operator()<std::uint8_t>();
    case ScalarType::i8: return f.template operator()<std::int8_t>();
    case ScalarType::u16: return f.template operator()<std::uint16_t>();
    case ScalarType::i16: return f.template operator()<std::int16_t>();
    case ScalarType::u32: return f.template operator()<std::uint32_t>();
    case ScalarType::i32: return f.template operator()<std::int32_t>();
    case ScalarType::u64: return f.template operator()<std::uint64_t>();
    case ScalarType::i64: return f.template operator()<std::int64_t>();
    case ScalarType::f32: return f.template operator()<float>();
    case ScalarType::f64: return f.template operator()<double>();
    default: return;
  }
}

template <class T>
Vectorized<T> shown(const Mask<T>& mask) {
  return select(mask, Vectorized<T>(T(1)), Vectorized<T>(T(0)));
}

template <class T>
bool floating_op(VectorOp op, Vectorized<T>& v, const Vectorized<T>& a, const Vectorized<T>& b,
                 const Vectorized<T>& c) {
  switch (op) {
    case VectorOp::div: v = a / b; return true;
    case VectorOp::sqrt: v = sqrt(a); return true;
    case VectorOp::fma: v = fma(a, b, c); return true;
    case VectorOp::exp: v = exp(a); return true;
    default: return false;
  }
}

template <class T>
bool apply(VectorOp op, T* out, const T* pa, const T* pb, const T* pc) {
  const auto a = Vectorized<T>::load(pa);
  const auto b = Vectorized<T>::load(pb);
  const auto c = Vectorized<T>::load(pc);
  Vectorized<T> v = a;
  switch (op) {
    case VectorOp::add: v = a + b; break;
    case VectorOp::sub: v = a - b; break;
    case VectorOp::mul: v = a * b; break;
    case VectorOp::neg: v = -a; break;
    case VectorOp::add_assign: v += b; break;
    case VectorOp::sub_assign: v -= b; break;
    case VectorOp::mul_assign: v *= b; break;
    case VectorOp::eq: v = shown(a == b); break;
    case VectorOp::ne: v = shown(a != b); break;
    case VectorOp::lt: v = shown(a < b); break;
    case VectorOp::le: v = shown(a <= b); break;
    case VectorOp::gt: v = shown(a > b); break;
    case VectorOp::ge: v = shown(a >= b); break;
    case VectorOp::both: v = shown((a < b) & (b < c)); break;
    case VectorOp::either: v = shown((a < b) | (b < c)); break;
    case VectorOp::negated: v = shown(!(a < b)); break;
    case VectorOp::select: v = select(a < b, b, c); break;
    case VectorOp::max: v = max(a, b); break;
    case VectorOp::min: v = min(a, b); break;
    case VectorOp::abs: v = abs(a); break;
    case VectorOp::broadcast: v = Vectorized<T>(*pa); break;
    default:
      if constexpr (std::is_floating_point_v<T>) {
        if (floating_op(op, v, a, b, c)) break;
      }
      return false;
  }
  v.store(out);
  return true;
}

/// a - 2 * b, where integers wrap.
template <class T>
T skewed(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(a) - 2 * static_cast<std::uint64_t>(b));
  } else {
    return a - 2 * b;
  }
}

template <class T>
void exp_of(T* out, const T* from, std::int64_t count, T fill) {
  constexpr std::int64_t lanes = Vectorized<T>::lanes;
  for (std::int64_t i = 0; i < count; i += lanes) {
    const std::int64_t left = count - i;
    if (left >= lanes) {
      exp(Vectorized<T>::load(from + i)).store(out + i);
    } else {
      exp(Vectorized<T>::load(from + i, left, fill)).store(out + i, left);
    }
  }
}

}  // namespace

bool WEFT_KERNEL(vector_op)(VectorOp op, ScalarType type, void* out, const void* a, const void* b,
                            const void* c) {
  bool known = false;
  with_type(type, [&]<class T>() {
    known = apply<T>(op, static_cast<T*>(out), as<T>(a), as<T>(b), as<T>(c));
  });
  return known;
}

void WEFT_KERNEL(vector_load_part)(ScalarType type, void* out, const void* from, std::int64_t count,
                                   const void* fill) {
  with_type(type, [&]<class T>() {
    Vectorized<T>::load(as<T>(from), count, *as<T>(fill)).store(static_cast<T*>(out));
  });
}

void WEFT_KERNEL(vector_store_part)(ScalarType type, void* out, const void* from,
                                    std::int64_t count) {
  with_type(type, [&]<class T>() {
    Vectorized<T>::load(as<T>(from)).store(static_cast<T*>(out), count);
  });
}

void WEFT_KERNEL(vector_reduce)(ScalarType type, void* out, const void* from) {
  with_type(type, [&]<class T>() {
    *static_cast<T*>(out) =
        reduce_lanes(Vectorized<T>::load(as<T>(from)), [](T a, T b) { return skewed(a, b); });
  });
}

void WEFT_KERNEL(vector_exp)(ScalarType type, void* out, const void* from, std::int64_t count,
                             double fill) {
  with_type(type, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>) {
      exp_of(static_cast<T*>(out), as<T>(from), count, static_cast<T>(fill));
    }
  });
}

}  // namespace test
