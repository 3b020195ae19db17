// SPDX-License-Identifier: Apache-2.0
#include "ops/result.hpp"

#include <weft/base/error.hpp>
#include <weft/iter/overlap.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <utility>

namespace weft {
inline namespace v0 {

Result::Result(const Output& out, IntSpan shape, ScalarType type,
               std::span<const TensorView* const> inputs)
    : out_(&out) {
  const TensorView& view = out.view();
  if (!view.defined() || !std::ranges::equal(view.shape(), shape)) {
    if (out.tensor() == nullptr) {
      if (!view.defined()) fail(ErrorCode::undefined, "output 0: undefined tensor");
      fail(ErrorCode::shape,
           text("output 0: expected shape ", to_string(shape), ", got ", to_string(view.shape())));
    }
    replaced_ = std::exchange(*out.tensor(), Tensor::empty(shape, result_type(out, type)));
    return;
  }
  if (view.read_only()) fail(ErrorCode::invalid_argument, "output 0: the tensor is read-only");
  if (internal_overlap(view) != Overlap::none)
    fail(ErrorCode::overlap, "output 0: its elements share memory with each other");
  int number = 0;
  for (const TensorView* input : inputs) {
    if (input->defined() && overlap(view, *input) != Overlap::none)
      fail(ErrorCode::overlap, text("output 0: it shares memory with input ", number));
    ++number;
  }
}

}  // namespace v0
}  // namespace weft
