// SPDX-License-Identifier: Apache-2.0
/// @file
/// What all elementwise functions share: an iterator and the kernel to run over it. Private to the
/// compiled part.
#pragma once

#include <weft/iter/config.hpp>
#include <weft/kernel/span_kernel.hpp>
#include <weft/ops/argument.hpp>

#include <string_view>

namespace weft::inline v0 {

/// An elementwise function about to run.
struct Elementwise {
  // A constructor, because compilers clear an aggregate of this size before they fill it.
  explicit Elementwise(const TensorIteratorConfig& config) : iter(config.build()) {}

  TensorIterator iter;
  const SpanKernel* kernel = nullptr;

  void run() const { run_spans(iter, *kernel); }
  Explanation explain() const { return explain_run(iter, *kernel); }
};

inline TensorIteratorConfig& add_output(TensorIteratorConfig& config, const Output& out) {
  return out.tensor() != nullptr ? config.add_output(*out.tensor()) : config.add_output(out.view());
}

/// The type in which an operation on `type` computes: f32 for the 16-bit floating types.
inline ScalarType compute_type(ScalarType type) noexcept {
  return is_floating(type) && element_size(type) == 2 ? ScalarType::f32 : type;
}

/// Throws Error(dtype): `operation` has no kernel for `type`.
[[noreturn]] void fail_no_kernel(std::string_view operation, ScalarType type);

}  // namespace weft::inline v0
