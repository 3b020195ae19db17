// SPDX-License-Identifier: Apache-2.0
#include "engine/axis/along_axis.hpp"

#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>

#include "base/text.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {

AlongAxis::AlongAxis(const CumulativeOperands& operands, std::int64_t axis)
    : noutputs_(static_cast<int>(operands.outputs.size())),
      ninputs_(static_cast<int>(operands.inputs.size())) {
  for (const auto& list : {operands.outputs, operands.inputs, operands.starts}) {
    for (const TensorView& view : list)
      views_.push_back(&view);
  }
  for (int k = 0; k < size(); ++k)
    if (!views_[k]->defined()) fail(ErrorCode::undefined, text(name_of(k), ": undefined tensor"));

  DimVector shape;
  shape.assign(operands.inputs[0].shape());
  for (int k = noutputs_ + 1; k < noutputs_ + ninputs_; ++k) {
    if (same_list(views_[k]->shape(), shape)) continue;
    try {
      shape = broadcast_shapes(shape, views_[k]->shape());
    } catch (const Error& error) {
      fail(error.code(), text(name_of(k), ": ", error.what()));
    }
  }
  for (int k = 0; k < noutputs_; ++k) {
    if (same_list(views_[k]->shape(), shape)) continue;
    fail(ErrorCode::shape,
         text(name_of(k), ": expected shape ", to_string(shape),
              ninputs_ == 1 ? " as input 0, got " : " as the inputs have together, got ",
              to_string(views_[k]->shape())));
  }
  axis_ = normalize_axis(axis, static_cast<int>(shape.size()));

  std::size_t others = 0;
  for (int k = noutputs_; k < size(); ++k)
    others += same_list(views_[k]->shape(), shape) ? 0 : 1;
  expanded_.reserve(others);  // for views that stay where they are
  DimVector of_starts = shape;
  if (!shape.empty()) of_starts[axis_] = 1;
  for (int k = noutputs_; k < size(); ++k) {
    const IntSpan given = views_[k]->shape();
    if (k >= noutputs_ + ninputs_ && !broadcasts_to(given, of_starts)) {
      fail(ErrorCode::shape, text(name_of(k), ": expected shape ", to_string(of_starts),
                                  " or what broadcasts to it, got ", to_string(given)));
    }
    if (same_list(given, shape)) continue;
    views_[k] = &expanded_.emplace_back(views_[k]->expand(shape));
  }
}

std::string AlongAxis::name_of(int k) const {
  if (k < noutputs_) return text("output ", k);
  if (k < noutputs_ + ninputs_) return text("input ", k - noutputs_);
  return text("start ", k - noutputs_ - ninputs_);
}

TensorIterator plan_along_axis(const AlongAxis& operands, const ScalarType* types) {
  TensorIteratorConfig config;
  for (int k = 0; k < operands.size(); ++k) {
    const TensorView& view = operands[k];
    if (k >= operands.noutputs()) {
      if (!can_cast(view.dtype(), types[k])) {
        fail(ErrorCode::cast, text(operands.name_of(k), ": ", name(view.dtype()),
                                   " can't be cast to ", name(types[k])));
      }
      config.add_input(view);
    } else {
      if (!can_cast(types[k], view.dtype())) {
        fail(ErrorCode::cast, text(operands.name_of(k), ": result type ", name(types[k]),
                                   " can't be cast to the output's ", name(view.dtype())));
      }
      config.add_output(view);
    }
  }
  config.check_all_same_dtype(false).resize_outputs(false);
  if (!operands.shape().empty()) config.declare_static_shape(operands.shape(), {operands.axis()});
  try {
    return config.build();
  } catch (const Error& error) {
    // Starts are inputs of the iterator, but not for the caller.
    std::string words = error.what();
    for (int k = operands.size() - 1; k >= operands.noutputs() + operands.ninputs(); --k) {
      const std::string as_input = text("input ", k - operands.noutputs());
      const std::size_t at = words.find(as_input);
      if (at != std::string::npos) words.replace(at, as_input.size(), operands.name_of(k));
    }
    fail(error.code(), words);
  }
}

TensorIterator plan_along_axis(const TensorView& out, const TensorView& in, std::int64_t axis,
                               ScalarType out_type, ScalarType in_type) {
  const ScalarType types[] = {out_type, in_type};
  return plan_along_axis(AlongAxis(out, in, axis), types);
}

}  // namespace v0
}  // namespace weft
