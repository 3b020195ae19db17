// SPDX-License-Identifier: Apache-2.0
// The ranges for which PyTorch's block sequences are known. Its sequence is not reproduced; that
// the blocks cover exactly the range is.
#include <weft/iter/config.hpp>

#include "support/random_layout.hpp"
#include "support/visit.hpp"

namespace {

using test::Dims;
using weft::TensorIterator;
using weft::TensorIteratorConfig;

struct Block {
  std::int64_t at;  // flat position of its first element
  std::int64_t n0, n1;
};

/// Positions, dim 0 fastest, that a range is walked as; `shape` innermost first.
std::vector<Block> blocks(const Dims& shape, weft::Range range) {
  // Rows that are longer than what is taken of them keep the dims separate; so offsets tell places.
  test::Layout layout;
  std::int64_t step = 1;
  for (const std::int64_t extent : shape) {
    layout.shape.insert(layout.shape.begin(), extent);
    layout.strides.insert(layout.strides.begin(), step);
    step *= extent + 1;
  }
  const test::Memory memory(weft::ScalarType::u8, test::fit(layout));
  const weft::TensorView view = memory.view();
  const TensorIterator iter = TensorIteratorConfig().add_input(view).build();
  REQUIRE(test::dims(iter.shape()) == shape);
  std::vector<Block> seen;
  iter.serial_for_each(
      [&](char** data, const std::int64_t*, std::int64_t n0, std::int64_t n1) {
        std::int64_t offset = data[0] - static_cast<char*>(iter.data_ptr(0));
        std::int64_t flat = 0;
        std::int64_t of_dim = 1;
        for (const std::int64_t extent : shape) {
          flat += offset % (extent + 1) * of_dim;
          offset /= extent + 1;
          of_dim *= extent;
        }
        seen.push_back({flat, n0, n1});
      },
      range);
  return seen;
}

/// The blocks cover [begin, end) in order, each a part of one row or some whole rows of one plane.
void check_cover(const Dims& shape, weft::Range range) {
  CAPTURE(weft::to_string(shape), range.begin, range.end);
  std::int64_t at = range.begin;
  for (const Block& block : blocks(shape, range)) {
    CHECK(block.at == at);
    CHECK(block.n0 >= 1);
    CHECK(at % shape[0] + block.n0 <= shape[0]);
    if (block.n1 > 1) {
      CHECK(block.n0 == shape[0]);
      CHECK(at / shape[0] % shape[1] + block.n1 <= shape[1]);
    }
    at += block.n0 * block.n1;
  }
  CHECK(at == range.end);
}

}  // namespace

TEST_CASE("blocks: PyTorch's example ranges are covered exactly", "[conformance]") {
  check_cover({4, 3, 2}, {0, 24});
  check_cover({4, 3, 2}, {5, 19});
  check_cover({10, 100}, {0, 1000});
  check_cover({10, 100}, {995, 1000});
  check_cover({4, 3}, {3, 9});
  check_cover({3, 2, 5}, {4, 25});
}

TEST_CASE("blocks: a whole plane is one block", "[conformance]") {
  CHECK(blocks({10, 100}, {0, 1000}).size() == 1);
  CHECK(blocks({4, 3, 2}, {0, 24}).size() == 2);
}
