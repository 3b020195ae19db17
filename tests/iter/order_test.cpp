// SPDX-License-Identifier: Apache-2.0
#include <weft/iter/order.hpp>

#include "support/catch.hpp"
#include "support/geometries.hpp"

namespace {

using test::Dims;
using Roles = std::vector<weft::OrderOperand>;

constexpr weft::OrderOperand output{true, true};
constexpr weft::OrderOperand new_output{true, false};
constexpr weft::OrderOperand input{false, true};

Dims dims(const weft::Permutation& perm) { return Dims(perm.begin(), perm.end()); }

Dims by_cost(const Dims& shape, const std::vector<Dims>& strides, const Roles& roles) {
  return dims(weft::order_by_cost(test::geometry(shape, strides), roles));
}
Dims as_pytorch(const Dims& shape, const std::vector<Dims>& strides, const Roles& roles,
                bool reduction = false) {
  return dims(weft::order_as_pytorch(test::geometry(shape, strides), roles, reduction));
}

}  // namespace

TEST_CASE("order by cost: one operand is walked as it lies", "[iter]") {
  CHECK(by_cost({2, 3, 4}, {{48, 16, 4}}, {input}) == Dims{2, 1, 0});
  CHECK(by_cost({2, 3, 4}, {{4, 8, 24}}, {input}) == Dims{0, 1, 2});
  CHECK(by_cost({4, 2, 3}, {{24, 4, 8}}, {input}) == Dims{1, 2, 0});
  CHECK(by_cost({}, {{}}, {input}) == Dims{});
}

TEST_CASE("order by cost: strides count by magnitude", "[iter]") {
  CHECK(by_cost({3, 4}, {{-16, 4}}, {input}) == Dims{1, 0});
  CHECK(by_cost({3, 4}, {{-16, -4}}, {input}) == Dims{1, 0});
  CHECK(by_cost({3, 4}, {{4, -12}}, {input}) == Dims{0, 1});
}

TEST_CASE("order by cost: an output counts twice", "[iter]") {
  CHECK(by_cost({8, 8}, {{4, 32}, {32, 4}}, {output, input}) == Dims{0, 1});
  CHECK(by_cost({8, 8}, {{32, 4}, {4, 32}}, {output, input}) == Dims{1, 0});
  // Two inputs weigh as much as one output; then the later axis goes inside.
  CHECK(by_cost({8, 8}, {{4, 32}, {32, 4}, {32, 4}}, {output, input, input}) == Dims{1, 0});
}

TEST_CASE("order by cost: beyond a cache line each doubling costs four bytes", "[iter]") {
  // 64 + 4 * 6 bytes against 64 + 4 for the second operand outweigh 4 against 24 for the first ...
  CHECK(by_cost({8, 8}, {{4, 24}, {2048, 64}}, {input, input}) == Dims{1, 0});
  // ... but not 4 against 40.
  CHECK(by_cost({8, 8}, {{4, 40}, {2048, 64}}, {input, input}) == Dims{0, 1});
  // Equal costs: by the sum of the strides.
  CHECK(by_cost({8, 8}, {{100, 80}}, {input}) == Dims{1, 0});
  CHECK(by_cost({8, 8}, {{4096, 64}}, {input}) == Dims{1, 0});
  CHECK(by_cost({8, 8}, {{64, 4096}}, {input}) == Dims{0, 1});
}

TEST_CASE("order by cost: a repeated operand costs nothing", "[iter]") {
  CHECK(by_cost({4, 8}, {{0, 4}, {4, 0}, {32, 4}}, {input, input, output}) == Dims{1, 0});
  CHECK(by_cost({4, 8}, {{0, 0}}, {input}) == Dims{1, 0});
}

TEST_CASE("order by cost: far away costs more than one operand's short step", "[iter]") {
  // A bias for each channel: the batch is not walked inside the channels to spare its 4 bytes.
  CHECK(by_cost({32, 64, 3136}, {{802816, 12544, 4}, {802816, 12544, 4}, {0, 4, 0}},
                {output, input, input}) == Dims{2, 1, 0});
}

TEST_CASE("order by cost: axes that coalesce stay together", "[iter]") {
  // Channels last and channels first: rows and columns are one dim, which the channels would cut.
  CHECK(by_cost({16, 64, 32, 32}, {{262144, 4096, 128, 4}, {262144, 4, 8192, 256}},
                {output, input}) == Dims{3, 2, 1, 0});
  // So they are for the output alone, which counts twice; not against two inputs.
  const Dims last = {262144, 4, 8196, 256};
  CHECK(by_cost({16, 64, 32, 32}, {{262144, 4096, 128, 4}, last}, {output, input}) ==
        Dims{3, 2, 1, 0});
  CHECK(by_cost({16, 64, 32, 32}, {{262144, 4096, 128, 4}, last, last}, {output, input, input}) ==
        Dims{3, 1, 2, 0});
}

TEST_CASE("order by cost: a narrow axis goes inside where most bytes have it so", "[iter]") {
  const Dims pixels = {12, 4}, planes = {4, 4000};
  // Channels inside, as the output has them: only what is read in planes has to be joined.
  CHECK(by_cost({1000, 3}, {pixels, pixels, planes}, {output, input, input}) == Dims{1, 0});
  CHECK(by_cost({1000, 3}, {pixels, planes}, {output, input}) == Dims{1, 0});
  // Two inputs are more than an output, but an output and an input more than another input.
  CHECK(by_cost({1000, 3}, {planes, pixels, pixels}, {output, input, input}) == Dims{1, 0});
  CHECK(by_cost({1000, 3}, {planes, planes, pixels}, {output, input, input}) == Dims{0, 1});
  CHECK(by_cost({1000, 3}, {planes, pixels}, {output, input}) == Dims{0, 1});
  // Elements count by their bytes: planes of one, pixels of eight.
  CHECK(by_cost({1000, 3}, {{1, 1000}, {24, 8}}, {output, input}) == Dims{1, 0});
  CHECK(by_cost({1000, 3}, {{3, 1}, {8, 8000}}, {output, input}) == Dims{0, 1});
  // What repeats along either has no say.
  CHECK(by_cost({1000, 3}, {pixels, planes, {0, 4}, {4, 0}}, {output, input, input, input}) ==
        Dims{1, 0});
  // Rows and columns stay together behind it.
  CHECK(by_cost({50, 20, 3}, {{240, 12, 4}, {240, 12, 4}, {80, 4, 4000}}, {output, input, input}) ==
        Dims{2, 1, 0});
  // Of an image that is turned besides, all has to be moved in either order.
  CHECK(by_cost({100, 200, 3}, {{2400, 12, 4}, {4, 400, 80000}}, {output, input}) == Dims{2, 1, 0});
  // Not where another operand has another narrow axis inside, or pixels have gaps between them.
  CHECK(by_cost({8, 387, 4}, {{1548, 4, 1}, {1548, 4, 1}, {1, 8, 3096}}, {output, input, input}) ==
        Dims{1, 0, 2});
  CHECK(by_cost({1000, 3}, {{16, 4}, {16, 4}, planes}, {output, input, input}) == Dims{0, 1});
  // Not if it is longer than half a line, there are few elements, or nothing is written where it
  // is known, as in a reduction.
  CHECK(by_cost({1000000, 9}, {{36, 4}, {36, 4}, {4, 4000000}}, {output, input, input}) ==
        Dims{0, 1});
  CHECK(by_cost({80, 3}, {pixels, {12, 4}, {4, 320}}, {output, input, input}) == Dims{0, 1});
  CHECK(by_cost({1000, 3}, {{0, 0}, pixels, pixels, planes}, {new_output, input, input, input}) ==
        Dims{0, 1});
}

TEST_CASE("order by cost: extents of 1 go outermost", "[iter]") {
  CHECK(by_cost({3, 1, 4}, {{16, 1, 4}}, {input}) == Dims{2, 0, 1});
  CHECK(by_cost({1, 1, 1}, {{4, 4, 4}}, {input}) == Dims{2, 1, 0});
}

TEST_CASE("order by cost: operands that are still to be laid out have no say", "[iter]") {
  CHECK(by_cost({3, 4}, {{4, 400}, {16, 4}}, {new_output, input}) == Dims{1, 0});
}

TEST_CASE("order as PyTorch: the first operand with two different strides decides", "[iter]") {
  CHECK(as_pytorch({8, 8}, {{32, 4}, {4, 32}, {4, 32}}, {output, input, input}) == Dims{1, 0});
  CHECK(as_pytorch({8, 8}, {{32, 4}, {4, 32}, {32, 4}}, {new_output, input, input}) == Dims{0, 1});
  CHECK(as_pytorch({8, 8}, {{0, 4}, {4, 32}}, {input, input}) == Dims{0, 1});
}

TEST_CASE("order as PyTorch: strides are compared with their sign", "[iter]") {
  CHECK(as_pytorch({3, 4}, {{-16, 4}}, {input}) == Dims{0, 1});
  CHECK(as_pytorch({3, 4}, {{-16, -4}}, {input}) == Dims{0, 1});
}

TEST_CASE("order as PyTorch: equal strides go by the extents, in one direction only", "[iter]") {
  CHECK(as_pytorch({2, 5}, {{4, 4}}, {input}) == Dims{0, 1});
  CHECK(as_pytorch({5, 2}, {{4, 4}}, {input}) == Dims{1, 0});
  CHECK(as_pytorch({3, 3}, {{4, 4}}, {input}) == Dims{1, 0});
}

TEST_CASE("order as PyTorch: reduced dims go inside", "[iter]") {
  CHECK(as_pytorch({3, 4}, {{0, 4}, {16, 4}}, {output, input}, true) == Dims{0, 1});
  CHECK(as_pytorch({3, 4}, {{4, 0}, {16, 4}}, {output, input}, true) == Dims{1, 0});
  CHECK(as_pytorch({3, 4}, {{0, 4}, {16, 4}}, {output, input}, false) == Dims{1, 0});
}

TEST_CASE("order linear: the last axis inside", "[iter]") {
  CHECK(dims(weft::order_linear(0)) == Dims{});
  CHECK(dims(weft::order_linear(4)) == Dims{3, 2, 1, 0});
}

TEST_CASE("permute_dims: dim d becomes what axis perm[d] was", "[iter]") {
  weft::Geometry g = test::geometry({2, 3, 4}, {{48, 16, 4}, {1, 2, 3}});
  weft::permute_dims(g, {1, 2, 0});
  CHECK(test::shape_of(g) == Dims{3, 4, 2});
  CHECK(test::strides_of(g, 0) == Dims{16, 4, 48});
  CHECK(test::strides_of(g, 1) == Dims{2, 3, 1});
}

TEST_CASE("all_agree: strides that never fall along the order", "[iter]") {
  const auto agree = [](const Dims& shape, const std::vector<Dims>& strides, const Roles& roles) {
    return weft::all_agree(test::geometry(shape, strides), roles,
                           weft::order_linear(static_cast<int>(shape.size())));
  };
  CHECK(agree({2, 3}, {{12, 4}, {40, -8}}, {input, input}));
  CHECK_FALSE(agree({2, 3}, {{12, 4}, {4, 8}}, {input, input}));
  CHECK(agree({2, 3}, {{12, 4}, {4, 8}}, {input, new_output}));
  CHECK(agree({2, 3}, {{0, 4}, {4, 0}}, {input, input}));  // zeros aside
  CHECK(agree({2, 1, 3}, {{12, 1, 4}}, {input}));          // extents of 1 aside
  CHECK(agree({3, 3}, {{4, 4}}, {input}));
}

TEST_CASE("flip: turns dims that run backwards, and says how far", "[iter]") {
  weft::Geometry g = test::geometry({3, 4, 5}, {{-4, 12, 0}, {-8, -24, -96}, {0, 0, -4}});
  std::vector<std::int64_t> offsets = {100, 0, 7};
  CHECK(weft::flip_backward_dims(g, offsets) == 0b101);
  CHECK(test::strides_of(g, 0) == Dims{4, 12, 0});
  CHECK(test::strides_of(g, 1) == Dims{8, -24, 96});
  CHECK(test::strides_of(g, 2) == Dims{0, 0, 4});
  CHECK(offsets == std::vector<std::int64_t>{100 - 8, -16 - 384, 7 - 16});
}

TEST_CASE("flip: leaves alone what it is told to, and what moves nowhere", "[iter]") {
  weft::Geometry g = test::geometry({3, 4, 1, 2}, {{-4, -12, -9, 0}});
  std::vector<std::int64_t> offsets = {0};
  CHECK(weft::flip_backward_dims(g, offsets, 0b1) == 0b10);
  CHECK(test::strides_of(g, 0) == Dims{-4, 12, -9, 0});
  CHECK(offsets == std::vector<std::int64_t>{-36});
}
