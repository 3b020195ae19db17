// SPDX-License-Identifier: Apache-2.0
#include "engine/check_kernel.hpp"

#include <weft/base/error.hpp>
#include <weft/core/promotion.hpp>

#include "base/text.hpp"
#include "iter/operand_name.hpp"

namespace weft {
inline namespace v0 {

[[gnu::cold]] std::string signature_text(int noutputs, int ninputs, const ScalarType* types) {
  std::string inputs, outputs;
  for (int k = 0; k < noutputs + ninputs; ++k) {
    std::string& side = k < noutputs ? outputs : inputs;
    side += (side.empty() ? "" : ", ") + std::string(name(types[k]));
  }
  return inputs + " -> " + outputs;
}

void check_grain(const RunOptions& options) {
  if (options.grain >= 0) return;
  fail(ErrorCode::invalid_argument, text("grain: expected 0 or more, got ", options.grain));
}

void fail_options(const RunOptions& options) {
  check_grain(options);
  name(options.strategy);
}

void check_elementwise(const TensorIterator& iter) {
  if (iter.is_reduction()) {
    fail(ErrorCode::invalid_argument,
         "output 0: a kernel of single elements on an iterator of a reduction, expected one that "
         "writes each element of the output once; cpu_reduce() reduces");
  }
}

[[gnu::cold]] void fail_generic_type(ScalarType given, std::initializer_list<ScalarType> compiled) {
  std::string list;
  for (const ScalarType type : compiled)
    list += (list.empty() ? "" : ", ") + std::string(name(type));
  fail(ErrorCode::dtype, text("output 0: ", name(given), ", expected ", list,
                              ": the types that the generic kernel is compiled for; "
                              "cpu_kernel<T, ...>() names others"));
}

void check_counts(const TensorIterator& iter, int noutputs, int ninputs, const ScalarType* types) {
  if (noutputs != iter.noutputs() || ninputs != iter.ninputs()) {
    fail(ErrorCode::invalid_argument,
         text("the kernel (", signature_text(noutputs, ninputs, types), ") has ", noutputs,
              noutputs == 1 ? " output and " : " outputs and ", ninputs,
              ninputs == 1 ? " input, the iterator " : " inputs, the iterator ", iter.noutputs(),
              " and ", iter.ninputs()));
  }
}

void check_kernel(const TensorIterator& iter, int noutputs, int ninputs, const ScalarType* types) {
  check_counts(iter, noutputs, ninputs, types);
  check_types(iter, iter.ntensors(), types);
}

void check_types(const TensorIterator& iter, int operands, const ScalarType* types) {
  for (int k = 0; k < operands; ++k) {
    const ScalarType type = types[k];
    const ScalarType dtype = iter.operand(k).dtype;
    if (type == dtype) continue;
    const ScalarType from = k < iter.noutputs() ? type : dtype;
    const ScalarType to = k < iter.noutputs() ? dtype : type;
    if (can_cast(from, to)) continue;
    fail(ErrorCode::cast,
         text(operand_name(k, iter.noutputs()), ": the kernel works on ", name(type),
              ", the operand is ", name(dtype), "; ", name(from), " can't be cast to ", name(to)));
  }
}

}  // namespace v0
}  // namespace weft
