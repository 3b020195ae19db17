// SPDX-License-Identifier: Apache-2.0
#include "between.hpp"

#include <weft/iter/config.hpp>
#include <weft/ops/reduce.hpp>

#include "doubled.hpp"

weft::Tensor doubled_sum(const weft::TensorView& a) {
  const weft::Tensor sum = weft::sum(a);
  weft::Tensor out;
  between::doubled(weft::TensorIteratorConfig().add_output(out).add_input(sum).build());
  return out;
}
