// SPDX-License-Identifier: Apache-2.0
/// @file
/// Tensors as arguments of {fmt} and of std::format: `fmt::print("{}\n", tensor)` writes
/// to_text(tensor) (weft/core/print.hpp). For whichever of the two is there; {fmt} is linked by who
/// uses it.
#pragma once

#include <weft/core/print.hpp>
#include <weft/core/tensor.hpp>

#include <version>

#if __has_include(<fmt/format.h>)
#include <fmt/format.h>

template <>
struct fmt::formatter<weft::TensorView> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(const weft::TensorView& view, Context& context) const {
    return fmt::formatter<fmt::string_view>::format(weft::to_text(view), context);
  }
};
template <>
struct fmt::formatter<weft::Tensor> : fmt::formatter<weft::TensorView> {};
#endif

#if defined(__cpp_lib_format)
#include <format>

template <>
struct std::formatter<weft::TensorView> : std::formatter<std::string_view> {
  template <class Context>
  auto format(const weft::TensorView& view, Context& context) const {
    return std::formatter<std::string_view>::format(weft::to_text(view), context);
  }
};
template <>
struct std::formatter<weft::Tensor> : std::formatter<weft::TensorView> {};
#endif
