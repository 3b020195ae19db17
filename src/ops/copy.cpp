// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/copy.hpp>

#include "engine/elementwise/run_small.hpp"
#include "ops/copy_call.hpp"

namespace weft {
inline namespace v0 {
namespace {

TensorIterator copy_iterator(const Output& to, const TensorView& from) {
  TensorIteratorConfig config;
  config.set_operation("copy");
  add_output(config, to, "copy").add_input(from).check_all_same_dtype(false).resize_outputs(false);
  return config.build();
}

}  // namespace

CopyCall::CopyCall(const Output& to, const TensorView& from)
    : iter_(copy_iterator(to, from)), kernel_(iter_.dtype(0), iter_.dtype(1)) {}

void copy_out(const Output& to, const Input& from) {
  if (!copy_small(to.view(), from.view())) CopyCall(to, from.view()).run();
}

Tensor contiguous(const Input& from, std::optional<ScalarType> type) {
  Tensor to = Tensor::empty(from.view().shape(), type.value_or(from.view().dtype()));
  CopyCall(to, from.view()).run();
  return to;
}

}  // namespace v0
}  // namespace weft
