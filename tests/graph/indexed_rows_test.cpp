// SPDX-License-Identifier: Apache-2.0
// Gather and ScatterUpdate of rows of any length and type, against plain loops over bytes.
#include "graph/operator_run.hpp"
#include "support/seed.hpp"

#include <cstring>

namespace {

using test::Dims;
using test::OperatorRun;
using weft::ScalarType;
using weft::Tensor;

Tensor random_bytes(test::Random& random, const Dims& shape, ScalarType type) {
  const Tensor made = Tensor::empty(shape, type);
  for (std::int64_t i = 0; i < made.nbytes(); ++i)
    static_cast<unsigned char*>(made.data())[i] =
        static_cast<unsigned char>(random.integer(0, 255));
  return made;
}

/// A tensor of `type` with these integers, which fit it.
Tensor indexes(const Dims& shape, ScalarType type, const std::vector<std::int64_t>& values) {
  const Tensor made = Tensor::empty(shape, type);
  weft::cast_elements(made.data(), type, weft::element_size(type), values.data(), ScalarType::i64,
                      8, made.numel());
  return made;
}

/// [batch, before, extent, inner] with `count` indexes, axes of one element left out or not.
struct Rows {
  explicit Rows(test::Random& random) {
    const std::int64_t most[] = {1, 3, 9, 70};
    const auto some = [&] { return random.integer(1, most[random.integer(0, 3)]); };
    batch = random.integer(0, 2) == 0 ? random.integer(1, 4) : 1;
    before = some();
    extent = random.integer(1, 9);
    inner = some();
    count = random.integer(0, 4) == 0 ? random.integer(1, 400) : some();
    constexpr ScalarType types[] = {ScalarType::u8, ScalarType::f16, ScalarType::f32,
                                    ScalarType::f64, ScalarType::c128};
    type = types[random.integer(0, 4)];
    constexpr ScalarType index_types[] = {ScalarType::i32, ScalarType::i64, ScalarType::i8,
                                          ScalarType::u8, ScalarType::u64};
    index_type = index_types[random.integer(0, 4)];
    row_bytes = static_cast<std::size_t>(inner * weft::element_size(type));
  }
  /// Indexes; some are out of range, if `outside`.
  std::vector<std::int64_t> random_indexes(test::Random& random, std::int64_t n, bool outside) {
    const bool is_signed = !weft::is_unsigned_integer(index_type);
    const std::int64_t over = outside ? 1 : 0;
    std::vector<std::int64_t> list;
    for (std::int64_t i = 0; i < n; ++i)
      list.push_back(random.integer(is_signed ? -extent - over : 0, extent - 1 + over));
    return list;
  }
  /// The place of an index; -1 if it is out of range.
  std::int64_t place(std::int64_t index) const {
    if (index < -extent || index >= extent) return -1;
    return index < 0 ? index + extent : index;
  }

  std::int64_t batch, before, extent, inner, count;
  ScalarType type, index_type;
  std::size_t row_bytes;
};

}  // namespace

TEST_CASE("Gather: rows of any length", "[graph]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(300); ++round) {
    Rows rows(random);
    const std::vector<std::int64_t> list =
        rows.random_indexes(random, rows.batch * rows.count, random.integer(0, 2) == 0);
    const Tensor x =
        random_bytes(random, {rows.batch, rows.before, rows.extent, rows.inner}, rows.type);
    const Tensor indices = indexes({rows.batch, rows.count}, rows.index_type, list);
    const OperatorRun gather{.op = "Gather",
                             .attributes = {{"batch_dims", std::int64_t{1}}},
                             .opset = 8,
                             .first_constant = static_cast<std::size_t>(random.integer(1, 2))};
    INFO("batch " << rows.batch << ", before " << rows.before << ", extent " << rows.extent
                  << ", inner " << rows.inner << ", count " << rows.count << ", "
                  << weft::name(rows.type) << ", " << weft::name(rows.index_type));
    const Tensor out = gather({x, indices, test::integer(2)})[0];
    REQUIRE(out.shape()[2] == rows.count);
    bool right = true;
    for (std::int64_t line = 0; line < rows.batch * rows.before; ++line) {
      for (std::int64_t i = 0; i < rows.count; ++i) {
        const std::int64_t group = line / rows.before;
        const std::int64_t place =
            rows.place(list[static_cast<std::size_t>(group * rows.count + i)]);
        const std::vector<char> zeros(rows.row_bytes, 0);
        const auto* const from = static_cast<const char*>(x.data()) +
                                 (line * rows.extent + std::max<std::int64_t>(place, 0)) *
                                     static_cast<std::int64_t>(rows.row_bytes);
        const auto* const at = static_cast<const char*>(out.data()) +
                               (line * rows.count + i) * static_cast<std::int64_t>(rows.row_bytes);
        right = right && std::memcmp(at, place < 0 ? zeros.data() : from, rows.row_bytes) == 0;
      }
    }
    CHECK(right);
  }
}

TEST_CASE("ScatterUpdate: rows of any length, of equal indexes the last", "[graph]") {
  WEFT_RANDOM(random);
  for (int round = 0; round < test::rounds(300); ++round) {
    Rows rows(random);
    const std::vector<std::int64_t> list = rows.random_indexes(random, rows.count, false);
    const Tensor x = random_bytes(random, {rows.before, rows.extent, rows.inner}, rows.type);
    const Tensor updates = random_bytes(random, {rows.before, rows.count, rows.inner}, rows.type);
    const Tensor want = Tensor::copy_of(x);
    for (std::int64_t line = 0; line < rows.before; ++line) {
      for (std::int64_t i = 0; i < rows.count; ++i) {
        const std::int64_t place = rows.place(list[static_cast<std::size_t>(i)]);
        const auto bytes = static_cast<std::int64_t>(rows.row_bytes);
        std::memcpy(static_cast<char*>(want.data()) + (line * rows.extent + place) * bytes,
                    static_cast<const char*>(updates.data()) + (line * rows.count + i) * bytes,
                    rows.row_bytes);
      }
    }
    INFO("before " << rows.before << ", extent " << rows.extent << ", inner " << rows.inner
                   << ", count " << rows.count << ", " << weft::name(rows.type) << ", "
                   << weft::name(rows.index_type));
    const OperatorRun scatter{.op = "ScatterUpdate", .first_constant = 3};
    const Tensor out =
        scatter({x, indexes({rows.count}, rows.index_type, list), updates, test::integer(1)})[0];
    CHECK(std::memcmp(out.data(), want.data(), static_cast<std::size_t>(want.nbytes())) == 0);
  }
}
