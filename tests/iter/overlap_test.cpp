// SPDX-License-Identifier: Apache-2.0
// Cases by name. All small shapes against brute force: properties/overlap_test.cpp.
#include <weft/iter/overlap.hpp>

#include "support/catch.hpp"
#include "support/naive.hpp"

#include <vector>

namespace {

using test::Dims;
using weft::Overlap;
using weft::ScalarType;
using weft::TensorView;

/// Answers print as words.
std::string text(Overlap answer) {
  const char* const words[] = {"none", "full", "partial", "too_hard"};
  return words[static_cast<int>(answer)];
}

/// A view at an offset, in elements, from a common origin. Nothing is ever read.
TensorView view(const Dims& shape, const Dims& strides, std::int64_t offset = 0,
                ScalarType type = ScalarType::f32) {
  const std::uintptr_t origin = std::uintptr_t{1} << 40;
  const auto at = static_cast<std::int64_t>(origin) + offset * weft::element_size(type);
  return TensorView::trusted(reinterpret_cast<void*>(at), type, shape, strides);
}

std::string inside(const Dims& shape, const Dims& strides) {
  return text(weft::internal_overlap(view(shape, strides)));
}
std::string between(const TensorView& a, const TensorView& b) {
  const std::string answer = text(weft::overlap(a, b));
  CHECK(text(weft::overlap(b, a)) == answer);
  return answer;
}

}  // namespace

TEST_CASE("internal overlap: dense tensors, in any order of axes", "[iter]") {
  CHECK(inside({}, {}) == "none");
  CHECK(inside({2, 3, 4}, {12, 4, 1}) == "none");
  CHECK(inside({2, 3, 4}, {1, 8, 2}) == "none");
  CHECK(inside({2, 3, 4}, {-12, 4, -1}) == "none");
  CHECK(inside({0, 3}, {0, 0}) == "none");
  CHECK(inside({1, 3}, {0, 1}) == "none");
}

TEST_CASE("internal overlap: a stride of 0 along an extent above 1", "[iter]") {
  CHECK(inside({2}, {0}) == "partial");
  CHECK(inside({4, 2, 3}, {0, 3, 1}) == "partial");
  CHECK(inside({1, 2, 3}, {0, 3, 1}) == "none");
}

TEST_CASE("internal overlap: windows that share elements", "[iter]") {
  CHECK(inside({2, 2}, {1, 1}) == "partial");   // as_strided((2, 2), (1, 1))
  CHECK(inside({8, 3}, {1, 1}) == "partial");   // a sliding window
  CHECK(inside({4, 3}, {2, 1}) == "partial");   // windows of 3 with step 2
  CHECK(inside({4, 2}, {2, 1}) == "none");      // windows of 2 with step 2
  CHECK(inside({3, 2}, {2, 3}) == "none");      // 0 2 4 and 3 5 7
  CHECK(inside({4, 3}, {2, 3}) == "partial");   // 0 + 6 and 6 + 0
  CHECK(inside({2, 2}, {1, -1}) == "partial");  // 1 - 1
}

TEST_CASE("internal overlap: elements that share only some bytes", "[iter]") {
  // Strides of a view count elements, so a part of an element is shared only by views of different
  // types; within one view the distance of neighbours is a number of elements.
  CHECK(text(weft::internal_overlap(view({3, 5}, {5, 1}, 0, ScalarType::c128))) == "none");
}

TEST_CASE("internal overlap: many axes, none shared", "[iter]") {
  // 2 x 2 x ... with strides 1, 2, 4, ... in a shuffled order: a binary number for each element.
  Dims shape(40, 2);
  Dims strides;
  for (int i = 0; i < 40; ++i)
    strides.push_back(std::int64_t{1} << ((i * 7) % 40));
  CHECK(inside(shape, strides) == "none");
  strides[3] = strides[4] + strides[5];
  CHECK(inside(shape, strides) == "partial");
}

TEST_CASE("overlap: PyTorch's unary cases", "[iter]") {
  const std::int64_t n = 10;
  CHECK(between(view({n}, {1}), view({n}, {1})) == "full");
  CHECK(between(view({n}, {1}), view({n}, {1}, n)) == "none");
  CHECK(between(view({n}, {1}), view({n}, {1}, 1)) == "partial");
  CHECK(between(view({n}, {1}), view({n}, {-1}, n - 1)) == "partial");
}

TEST_CASE("overlap: cases that PyTorch lets pass", "[iter]") {
  CHECK(between(view({8, 8}, {8, 1}), view({8, 8}, {1, 8})) == "partial");  // a += a.T
  // 3-D slices of one tensor, shifted by one along the middle axis.
  CHECK(between(view({2, 4, 3}, {15, 3, 1}, 3), view({2, 4, 3}, {15, 3, 1})) == "partial");
}

TEST_CASE("overlap: interleaved views do not overlap", "[iter]") {
  CHECK(between(view({5}, {2}), view({5}, {2}, 1)) == "none");  // x[::2], x[1::2]
  CHECK(between(view({4, 3}, {8, 1}), view({4, 5}, {8, 1}, 3)) ==
        "none");                                                   // left and right columns
  CHECK(between(view({5}, {2}), view({4}, {3}, 1)) == "partial");  // 4 = 2 * 2 = 1 + 3
  CHECK(between(view({5}, {4}), view({5}, {6}, 1)) == "none");     // even and odd
  // Channels of pixels, the same ones upside down and in another order, and some behind others.
  CHECK(between(view({9, 5}, {15, 3}), view({9, 5}, {15, 3}, 2)) == "none");
  CHECK(between(view({9, 5}, {-15, 3}, 120), view({5, 9}, {3, 15}, 1)) == "none");
  CHECK(between(view({9, 5}, {15, 3}, 1), view({9}, {15}, -2)) == "partial");
  // Bytes beside elements of four, and within them.
  CHECK(between(view({4}, {3}), view({4}, {12}, 3, ScalarType::u8)) == "partial");
  CHECK(between(view({4}, {3}), view({4}, {12}, 4, ScalarType::u8)) == "none");
  CHECK(between(view({4}, {12}, 4, ScalarType::u8), view({4}, {3}, 1)) == "partial");
}

TEST_CASE("overlap: full needs the same element at every index", "[iter]") {
  CHECK(between(view({2, 3}, {3, 1}), view({2, 3}, {3, 1})) == "full");
  CHECK(between(view({2, 3}, {3, 1}), view({6}, {1})) == "partial");
  CHECK(between(view({1, 3}, {99, 1}), view({3}, {1})) == "full");  // broadcast alike
  CHECK(between(view({4, 3}, {0, 1}), view({3}, {1})) == "full");
  CHECK(between(view({4, 3}, {3, 1}), view({3}, {1})) == "partial");
  CHECK(between(view({2}, {1}), view({3}, {1})) == "partial");
  CHECK(between(view({4}, {1}, 0, ScalarType::i32), view({4}, {1})) == "full");
  CHECK(between(view({4}, {1}, 0, ScalarType::i16), view({4}, {1})) == "partial");
  CHECK(between(view({}, {}), view({1, 1}, {7, 7})) == "full");
}

TEST_CASE("overlap: by the byte", "[iter]") {
  CHECK(between(view({1}, {1}, 0, ScalarType::f64), view({1}, {1}, 7, ScalarType::u8)) ==
        "partial");
  CHECK(between(view({1}, {1}, 0, ScalarType::f64), view({1}, {1}, 8, ScalarType::u8)) == "none");
  // Every second f32, and the bytes of those in between.
  CHECK(between(view({3}, {2}), view({2}, {8}, 4, ScalarType::u8)) == "none");
  CHECK(between(view({3}, {2}), view({2}, {8}, 3, ScalarType::u8)) == "partial");
}

TEST_CASE("overlap: nothing shares with nothing", "[iter]") {
  CHECK(between(view({0}, {1}), view({0}, {1})) == "none");
  CHECK(between(view({3, 0}, {1, 1}), view({9}, {1})) == "none");
  CHECK(between(TensorView(), view({3}, {1})) == "none");
}

TEST_CASE("overlap: gives up after its work limit, and says so", "[iter]") {
  // Sums of twenty numbers without structure: only a search can tell.
  Dims shape, a, b;
  for (int i = 0; i < 20; ++i) {
    shape.push_back(2);
    a.push_back(1'000'000 + 7919 * i * i + 31 * i);
    b.push_back(1'000'003 + 6007 * i * i + 17 * i);
  }
  CHECK(text(weft::overlap(view(shape, a), view(shape, b, 501), 0)) == "too_hard");
  CHECK(text(weft::overlap(view(shape, a), view(shape, b, 501), 10)) == "too_hard");
  // However little work is allowed, ranges that do not meet are no question.
  CHECK(text(weft::overlap(view({4}, {1}), view({4}, {1}, 4), 0)) == "none");
  CHECK(text(weft::overlap(view({4}, {1}), view({4}, {1}), 0)) == "full");
  CHECK(text(weft::internal_overlap(view({4, 3}, {3, 1}), 0)) == "none");
}

TEST_CASE("overlap: reaches beyond any memory always count as an overlap", "[iter]") {
  const std::int64_t far = std::int64_t{1} << 61;
  const TensorView twice = view({2, 2, 2}, {far, far / 2, far / 2}, 0, ScalarType::u8);
  CHECK(text(weft::internal_overlap(twice)) != "none");
  CHECK(text(weft::overlap(twice, view({1}, {1}, far / 2, ScalarType::u8))) != "none");
}
