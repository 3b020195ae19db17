// SPDX-License-Identifier: Apache-2.0
#include "ops/left_out.hpp"

#include <weft/core/cast.hpp>

#include "ops/function.hpp"

#include <limits>

namespace weft {
inline namespace v0 {
namespace {

template <class From>
void put(char* to, ScalarType type, From number, ScalarType from) {
  cast_elements(to, type, 0, &number, from, 0, 1);
}

void put_end(char* to, ScalarType type, bool largest) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (type == ScalarType::boolean) return put(to, type, std::uint8_t{largest}, ScalarType::u8);
  if (!is_integer(type)) return put(to, type, largest ? infinity : -infinity, ScalarType::f64);
  const auto unused = static_cast<int>(64 - 8 * element_size(type));
  if (is_unsigned_integer(type)) {
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() >> unused;
    return put(to, type, largest ? most : std::uint64_t{0}, ScalarType::u64);
  }
  using Limits = std::numeric_limits<std::int64_t>;
  put(to, type, (largest ? Limits::max() : Limits::min()) >> unused, ScalarType::i64);
}

}  // namespace

LeftOut::LeftOut(ScalarType type, Neutral number)
    : where_(function_of<TernaryOp::where>.kernel(type)) {
  switch (number) {
    case Neutral::zero:
    case Neutral::one:
      put(number_, type, std::uint8_t{number == Neutral::one}, ScalarType::u8);
      break;
    case Neutral::least:
    case Neutral::largest: put_end(number_, type, number == Neutral::largest); break;
  }
}

void LeftOut::fill(char* to, std::int64_t to_row, const char* from, std::int64_t from_row,
                   const char* flags, std::int64_t flags_row, std::int64_t n,
                   std::int64_t rows) const {
  constexpr std::uint32_t one_value = 1U << 3;
  // Kernels take all operands by one kind of pointer, and write to outputs only.
  // NOLINTBEGIN(cppcoreguidelines-pro-type-const-cast)
  char* const data[] = {to, const_cast<char*>(flags), const_cast<char*>(from),
                        const_cast<char*>(number_)};
  // NOLINTEND(cppcoreguidelines-pro-type-const-cast)
  const std::int64_t row_bytes[] = {to_row, flags_row, from_row, 0};
  where_->run(where_->context, data, row_bytes, n, rows, one_value);
}

}  // namespace v0
}  // namespace weft
