// SPDX-License-Identifier: Apache-2.0
#include <weft/core/promotion.hpp>

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace {

enum Kind { kind_bool, kind_integer, kind_floating, kind_complex };

Kind kind(ScalarType type) noexcept {
  if (type == ScalarType::boolean) return kind_bool;
  if (is_integer(type)) return kind_integer;
  return is_floating(type) ? kind_floating : kind_complex;
}

ScalarType signed_of_size(std::int64_t bytes) noexcept {
  switch (bytes) {
    case 1: return ScalarType::i8;
    case 2: return ScalarType::i16;
    case 4: return ScalarType::i32;
    default: return ScalarType::i64;
  }
}

ScalarType promote_integers(ScalarType a, ScalarType b) noexcept {
  const bool a_unsigned = is_unsigned_integer(a);
  const bool b_unsigned = is_unsigned_integer(b);
  if (a_unsigned == b_unsigned) return element_size(a) >= element_size(b) ? a : b;
  const std::int64_t unsigned_size = element_size(a_unsigned ? a : b);
  const std::int64_t signed_size = element_size(a_unsigned ? b : a);
  if (unsigned_size == 8)
    return ScalarType::f64;  // no integer type holds u64 and a negative number
  return signed_of_size(std::max(signed_size, 2 * unsigned_size));
}

ScalarType promote_floating(ScalarType a, ScalarType b) noexcept {
  if (a == b) return a;
  if (element_size(a) == 2 && element_size(b) == 2) return ScalarType::f32;
  return element_size(a) > element_size(b) ? a : b;
}

ScalarType complex_of(ScalarType floating) noexcept {
  return floating == ScalarType::f64 ? ScalarType::c128 : ScalarType::c64;
}

using Optional = std::optional<ScalarType>;

/// The stronger operands' type with that of the weaker ones.
Optional combine(Optional strong, Optional weak) noexcept {
  if (!strong) return weak;
  if (!weak) return strong;
  const Kind s = kind(*strong);
  const Kind w = kind(*weak);
  if (w <= s && s != kind_bool) return strong;
  if (w == kind_complex && s == kind_floating) return complex_of(*strong);
  if (w == kind_complex) return weak;
  return promote_types(*strong, *weak);
}

}  // namespace

ScalarType promote_types(ScalarType a, ScalarType b) noexcept {
  if (a == b) return a;
  const Kind ka = kind(a);
  const Kind kb = kind(b);
  if (ka == kind_bool) return b;
  if (kb == kind_bool) return a;
  if (ka == kind_integer && kb == kind_integer) return promote_integers(a, b);
  if (ka == kind_floating && kb == kind_floating) return promote_floating(a, b);
  if (ka == kind_complex || kb == kind_complex) {
    const bool wide = a == ScalarType::c128 || b == ScalarType::c128 || a == ScalarType::f64 ||
                      b == ScalarType::f64;
    return wide ? ScalarType::c128 : ScalarType::c64;
  }
  return ka == kind_floating ? a : b;
}

bool can_cast(ScalarType from, ScalarType to) noexcept {
  if (is_complex(from) && !is_complex(to)) return false;
  if (is_floating(from) && (is_integer(to) || to == ScalarType::boolean)) return false;
  return from == ScalarType::boolean || to != ScalarType::boolean;
}

void ResultType::add(ScalarType type, int rank, bool weak) noexcept {
  if (weak) {
    if (is_floating(type)) type = default_float_;
    if (is_complex(type)) type = complex_of(default_float_);
  }
  Optional& bucket = weak ? weak_ : rank > 0 ? with_axes_ : without_axes_;
  bucket = bucket ? promote_types(*bucket, type) : type;
}

Optional ResultType::get() const noexcept {
  return combine(with_axes_, combine(without_axes_, weak_));
}

}  // namespace v0
}  // namespace weft
