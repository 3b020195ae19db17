// SPDX-License-Identifier: Apache-2.0
// PyTorch's setters depend on their order in three places, and report it as internal errors. Here
// every order of the same setters gives the same plan, or the same error.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

#include <functional>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

using Setter = std::function<void(TensorIteratorConfig&)>;

/// What comes of a config: its plan in words, or its error.
std::string outcome(const TensorIteratorConfig& config) {
  try {
    const TensorIterator iter = config.build();
    std::string text = weft::to_string(iter.shape());
    for (int k = 0; k < iter.ntensors(); ++k) {
      text += std::string(" ") + std::string(weft::name(iter.storage_dtype(k))) + ">" +
              std::string(weft::name(iter.dtype(k))) + weft::to_string(iter.strides(k));
    }
    return text;
  } catch (const weft::Error& error) {
    return std::string(weft::name(error.code())) + ": " + error.what();
  }
}

/// One outcome for all orders of the setters, operands added first or last.
std::string same_in_every_order(const std::vector<Setter>& setters,
                                const std::function<void(TensorIteratorConfig&)>& operands) {
  std::vector<std::size_t> order(setters.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::string first;
  test::Tally tally;
  do {
    for (const bool operands_first : {true, false}) {
      TensorIteratorConfig config;
      if (operands_first) operands(config);
      for (const std::size_t i : order)
        setters[i](config);
      if (!operands_first) operands(config);
      const std::string got = outcome(config);
      if (first.empty()) first = got;
      tally.check(got == first, [&](auto& out) { out << got << " instead of " << first; });
    }
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK_TALLY(tally);
  return first;
}

const Setter promote = [](auto& c) { c.promote_inputs_to_common_dtype(true); };
const Setter to_float = [](auto& c) { c.promote_integer_inputs_to_float(true); };
const Setter cast = [](auto& c) { c.cast_common_dtype_to_outputs(true); };
const Setter safe = [](auto& c) { c.enforce_safe_casting_to_output(true); };
const Setter same_type = [](auto& c) { c.check_all_same_dtype(true); };
const Setter any_type = [](auto& c) { c.check_all_same_dtype(false); };
const Setter keep_outputs = [](auto& c) { c.resize_outputs(false); };

}  // namespace

TEST_CASE("setter order: promotion, floats, casts and checks", "[conformance]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::i32);
  const Tensor b = Tensor::zeros({4}, ScalarType::i64);
  const Tensor out = Tensor::zeros({3, 4}, ScalarType::f64);
  const Tensor small = Tensor::zeros({3, 4}, ScalarType::i16);
  const auto operands = [&](auto& c) { c.add_output(out).add_input(a).add_input(b); };
  CHECK(same_in_every_order({promote, to_float, cast, safe, same_type}, operands) ==
        "[4, 3] f64>f32[8, 32] i32>f32[4, 16] i64>f32[8, 0]");
  CHECK(same_in_every_order({promote, to_float}, operands).substr(0, 6) == "[4, 3]");
  CHECK(same_in_every_order({to_float, any_type}, operands).find("invalid_argument") == 0);
  const auto to_small = [&](auto& c) { c.add_output(small).add_input(a).add_input(b); };
  CHECK(same_in_every_order({promote, to_float, cast, safe}, to_small).find("cast: output 0") == 0);
}

TEST_CASE("setter order: a declared type", "[conformance]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::i32);
  const Setter declare = [](auto& c) { c.declare_static_dtype(ScalarType::u8); };
  const auto operands = [&](auto& c) { c.add_output().add_input(a); };
  CHECK(same_in_every_order({declare, any_type}, operands) == "[12] u8>u8[1] i32>i32[4]");
  CHECK(same_in_every_order({declare, promote}, operands) == "[12] u8>u8[1] i32>i32[4]");
  CHECK(same_in_every_order({declare, same_type}, operands).find("invalid_argument") == 0);
}

TEST_CASE("setter order: a declared shape", "[conformance]") {
  const Tensor a = Tensor::zeros({3, 4}, ScalarType::i32);
  const Setter declare = [](auto& c) { c.declare_static_shape({3, 4}, {1}); };
  const Setter linear = [](auto& c) { c.enforce_linear_iteration(); };
  const auto operands = [&](auto& c) { c.add_input(a); };
  CHECK(same_in_every_order({declare, keep_outputs, linear}, operands) == "[3] i32>i32[16]");
  CHECK(same_in_every_order({declare, linear}, operands).find("invalid_argument") == 0);
}

TEST_CASE("setter order: the last call of one setter holds", "[conformance]") {
  const Tensor a = Tensor::zeros({3}, ScalarType::i32);
  const Tensor b = Tensor::zeros({3}, ScalarType::f32);
  TensorIteratorConfig config;
  config.add_input(a).add_input(b);
  config.check_all_same_dtype(false).check_all_same_dtype(true);
  CHECK_ERROR(dtype, ("f32"), config.build());
  config.promote_inputs_to_common_dtype(true).promote_inputs_to_common_dtype(false);
  CHECK_ERROR(dtype, ("f32"), config.build());
  config.check_all_same_dtype(false);
  CHECK(config.build().dtype(0) == ScalarType::i32);
  config.declare_static_shape({2}).declare_static_shape({3}).resize_outputs(false);
  CHECK(config.build().numel() == 3);
  config.set_check_mem_overlap(false).set_check_mem_overlap(true);
  config.enforce_linear_iteration(true).enforce_linear_iteration(false);
  CHECK(config.build().numel() == 3);
}
