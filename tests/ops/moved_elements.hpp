// SPDX-License-Identifier: Apache-2.0
/// @file
/// What the tests share of functions that move elements to other places.
#pragma once

#include <weft/core/promotion.hpp>
#include <weft/ops/argument.hpp>

#include "support/dense.hpp"

#include <functional>
#include <optional>
#include <string>

namespace test {

/// Mostly small, sometimes with an axis that is longer.
inline Dims random_extents(Random& random, int max_rank = 4) {
  Dims shape = random_shape(random, max_rank);
  if (!shape.empty() && random.chance(15)) shape.back() = random.integer(20, 70);
  if (!shape.empty() && random.chance(10)) shape.front() = random.integer(20, 70);
  return shape;
}

/// Elements of any value; a bool that is any byte would come out as another when it is converted.
inline Memory random_elements(Random& random, weft::ScalarType type, const Dims& shape) {
  const bool is_bool = type == weft::ScalarType::boolean;
  return random_memory(random, type, random_layout(random, shape),
                       is_bool ? Values::small : Values::any);
}

/// The element at each place of `shape` is the one of `a` that source(place) names, or `otherwise`
/// (zeros if null) where that is empty, although `a` has axes.
inline Dense moved(const weft::TensorView& a, const Dims& shape,
                   const std::function<std::optional<Dims>(const Dims&)>& source,
                   const void* otherwise = nullptr) {
  Dense result(a.dtype(), shape);
  const auto size = static_cast<std::size_t>(weft::element_size(a.dtype()));
  std::int64_t flat = 0;
  for_each_index(shape, [&](const Dims& place) {
    const std::optional<Dims> from = source(place);
    const void* const element = from ? element_at(a, *from) : otherwise;
    if (element != nullptr) std::memcpy(result.at(flat), element, size);
    ++flat;
  });
  return result;
}

/// The same elements as another type.
inline Dense converted(const Dense& dense, weft::ScalarType type) {
  Dense result(type, dense.shape);
  for (std::int64_t i = 0; i < product(dense.shape); ++i)
    convert_element(type, result.at(i), dense.type, dense.at(i));
  return result;
}

/// A type that a result of another can be written as.
inline weft::ScalarType random_wider_type(Random& random, weft::ScalarType type) {
  for (;;) {
    const weft::ScalarType other = random.pick(all_types());
    if (weft::can_cast(type, other)) return other;
  }
}

/// What a function gives in a new tensor, in one that is replaced, and in outputs with gaps, of the
/// result's type and of another one; expected(type) says what they should hold.
inline std::string wrong_results(Random& random, weft::ScalarType type,
                                 const std::function<Dense(weft::ScalarType)>& expected,
                                 const std::function<void(const weft::Output&)>& call) {
  const Dense own = expected(type);
  weft::Tensor fresh;
  call(fresh);
  std::string text = difference(fresh, own);
  weft::Tensor other = weft::Tensor::empty({7, 0}, type);
  call(other);
  text += difference(other, own);
  for (const weft::ScalarType written : {type, random_wider_type(random, type)}) {
    const Memory out = random_output(random, written, own.shape);
    const Watch watch(out);
    call(out.view());
    text += difference(out.view(), written == type ? own : expected(written));
    if (!watch.gaps_untouched()) text += "wrote between elements";
  }
  return text;
}
inline std::string wrong_result(Random& random, const Dense& expected,
                                const std::function<void(const weft::Output&)>& call) {
  return wrong_results(
      random, expected.type,
      [&](weft::ScalarType type) {
        return type == expected.type ? expected : converted(expected, type);
      },
      call);
}

}  // namespace test
