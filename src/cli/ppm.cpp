// SPDX-License-Identifier: Apache-2.0
#include "cli/ppm.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>

#include "base/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace weft::cli {
namespace {

/// Reads the words of a header.
class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> bytes, const Limits& limits)
      : bytes_(bytes.first(std::min(bytes.size(), static_cast<std::size_t>(std::max<std::int64_t>(
                                                      limits.max_header_bytes, 0))))),
        cut_(bytes_.size() < bytes.size()) {}

  std::size_t position() const noexcept { return at_; }

  void magic() {
    if (bytes_.size() < 2 || next() != 'P' || next() != '6') {
      fail(ErrorCode::parse, "ppm: not a binary PPM picture: it does not begin with P6");
    }
  }

  /// White space and comments, at least one character of white space in all, and a number in
  /// decimal.
  std::int64_t number(const char* what) {
    bool separated = false;
    while (is_space(peek()) || peek() == '#') {
      separated = true;
      if (next() != '#') continue;
      while (peek() != '\n' && peek() != '\r')
        next();
    }
    if (!separated) fail_here(fmt::format("white space before the {}", what));
    std::int64_t value = 0;
    if (!is_digit(peek())) fail_here(fmt::format("the {}", what));
    while (is_digit(peek())) {
      const int digit = next() - '0';
      if (!checked_mul(value, 10, value) || !checked_add(value, digit, value)) {
        fail(ErrorCode::parse, fmt::format("ppm: the {} exceeds 2^63-1", what));
      }
    }
    return value;
  }

  /// The one white space after the last number; what follows are samples.
  void end() {
    if (!is_space(peek())) fail_here("one white space after the maximum");
    next();
  }

 private:
  static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
  static bool is_digit(int c) { return c >= '0' && c <= '9'; }

  int peek() const {
    if (at_ < bytes_.size()) return std::to_integer<int>(bytes_[at_]);
    if (cut_)
      fail(ErrorCode::limit, fmt::format("ppm: header of more than {} bytes", bytes_.size()));
    fail(ErrorCode::parse,
         fmt::format("ppm: ends after {} bytes, within the header", bytes_.size()));
  }
  int next() {
    const int c = peek();
    ++at_;
    return c;
  }
  [[noreturn]] void fail_here(const std::string& wanted) const {
    fail(ErrorCode::parse,
         fmt::format("ppm: expected {} at byte {}, got byte {}", wanted, at_, peek()));
  }

  std::span<const std::byte> bytes_;
  bool cut_;
  std::size_t at_ = 0;
};

}  // namespace

Tensor parse_ppm(std::span<const std::byte> bytes, const Limits& limits) {
  HeaderReader header(bytes, limits);
  header.magic();
  const std::int64_t width = header.number("width");
  const std::int64_t height = header.number("height");
  const std::int64_t maximum = header.number("maximum");
  header.end();
  if (width < 1 || height < 1)
    fail(ErrorCode::parse,
         fmt::format("ppm: width {} and height {}, expected 1 or more", width, height));
  if (maximum < 1 || maximum > 255) {
    fail(ErrorCode::parse,
         fmt::format("ppm: maximum {}, expected 1 to 255: one byte a sample", maximum));
  }
  std::int64_t count = 0;
  if (!checked_mul(width, height, count) || !checked_mul(count, 3, count) ||
      count > std::min(limits.max_elements, limits.max_bytes)) {
    fail(ErrorCode::limit,
         fmt::format("ppm: {} x {} pixels of 3 samples, allowed are {} samples", width, height,
                     std::min(limits.max_elements, limits.max_bytes)));
  }
  const std::span<const std::byte> samples = bytes.subspan(header.position());
  if (samples.size() != static_cast<std::size_t>(count)) {
    fail(ErrorCode::parse, fmt::format("ppm: expected {} bytes for {} x {} pixels, got {}", count,
                                       width, height, samples.size()));
  }
  if (std::ranges::max(samples) > static_cast<std::byte>(maximum)) {
    fail(ErrorCode::parse, fmt::format("ppm: a sample above the maximum of {}", maximum));
  }
  Tensor picture = Tensor::empty({height, width, 3}, ScalarType::u8);
  std::memcpy(picture.data(), samples.data(), samples.size());
  return picture;
}

Tensor load_ppm(const std::string& path, const Limits& limits) {
  std::int64_t most = 0;
  if (!checked_add(limits.max_bytes, limits.max_header_bytes, most)) most = limits.max_bytes;
  const std::vector<std::byte> bytes = File(path, "rb").read_rest(most);
  try {
    return parse_ppm(bytes, limits);
  } catch (const Error& e) {
    fail(e.code(), fmt::format("'{}': {}", path, e.what()));
  }
}

}  // namespace weft::cli
