// SPDX-License-Identifier: Apache-2.0
// Operations on long spans, which have loops of their own, around their least length and at any
// offset within a line: bit for bit what the same elements give in short pieces.
#include <weft/ops/copy.hpp>
#include <weft/ops/registry.hpp>

#include "support/dense.hpp"
#include "support/naive_functions.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

constexpr std::int64_t most = 2200;  // elements
constexpr std::int64_t piece = 150;  // few enough for the loops of short spans

/// Element `first` to `first` + n of a vector.
TensorView part(const TensorView& all, std::int64_t first, std::int64_t n) {
  return all.slice(0, first, first + n);
}

Tensor draw(test::Random& random, ScalarType type) {
  Tensor t = Tensor::empty({most + 8}, type);
  test::fill(type, t.data(), t.numel(), random, test::Values::any);
  // Integers are divided by.
  const auto size = static_cast<std::size_t>(weft::element_size(type));
  auto* const bytes = static_cast<std::uint8_t*>(t.data());
  for (std::size_t i = 0; weft::is_integer(type) && i < size * (most + 8); i += size) {
    if (std::all_of(bytes + i, bytes + i + size, [](std::uint8_t byte) { return byte == 0; }))
      bytes[i] = 1;
  }
  return t;
}

}  // namespace

TEST_CASE("long spans: every elementwise operation as in short pieces", "[layouts]") {
  using enum ScalarType;
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const weft::OpEntry& op : weft::all_ops()) {
    if (op.function == nullptr) continue;
    for (const ScalarType type : {f32, f64, f16, bf16, i8, u8, i16, i32, i64, boolean, c64}) {
      if (!op.function->accepts(weft::kinds::of(type))) continue;
      std::vector<Tensor> inputs;
      for (int k = 0; k < op.inputs; ++k) {
        const bool condition = k == 0 && op.function->result == weft::ResultRule::chosen;
        inputs.push_back(draw(random, condition ? boolean : type));
      }
      const ScalarType result = test::result_type(*op.function, type);
      const Tensor whole = Tensor::empty({most + 8}, result);
      const Tensor pieces = Tensor::empty({most}, result);
      const std::int64_t n =
          random.pick(std::vector<std::int64_t>{1023, 1024, 1025, 1039, 1087, most});
      const std::int64_t offset = random.integer(0, 7);
      const auto run = [&](const TensorView& to, std::int64_t first, std::int64_t count) {
        std::vector<TensorView> from;
        for (const Tensor& input : inputs)
          from.push_back(part(input, first, count));
        weft::OpArguments args;
        args.outputs = {&to, 1};
        args.inputs = from;
        op.run(args);
      };
      const TensorView to = part(whole, random.integer(0, 7), n);
      run(to, offset, n);
      for (std::int64_t at = 0; at < n; at += piece) {
        const std::int64_t count = std::min(piece, n - at);
        run(part(pieces, at, count), offset + at, count);
      }
      const std::string wrong = test::difference(to, test::dense_copy(part(pieces, 0, n)));
      tally.check(wrong.empty(), [&](auto& text) {
        text << op.name << " of " << n << ' ' << weft::name(type) << " from element " << offset
             << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("long spans: every conversion as in short pieces", "[layouts]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType from : test::all_types()) {
    const Tensor values = draw(random, from);
    for (const ScalarType to : test::all_types()) {
      const Tensor whole = Tensor::empty({most + 8}, to);
      const Tensor pieces = Tensor::empty({most}, to);
      const std::int64_t n = random.integer(1020, most);
      const std::int64_t offset = random.integer(0, 7);
      const TensorView all = part(whole, random.integer(0, 7), n);
      weft::copy_out(all, part(values, offset, n));
      for (std::int64_t at = 0; at < n; at += piece) {
        const std::int64_t count = std::min(piece, n - at);
        weft::copy_out(part(pieces, at, count), part(values, offset + at, count));
      }
      const std::string wrong = test::difference(all, test::dense_copy(part(pieces, 0, n)));
      tally.check(wrong.empty(), [&](auto& text) {
        text << n << ' ' << weft::name(from) << " to " << weft::name(to) << ": " << wrong;
      });
    }
  }
  CHECK_TALLY(tally);
}
