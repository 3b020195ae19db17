// SPDX-License-Identifier: Apache-2.0
#include "core/npy_header.hpp"

#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace weft {
inline namespace v0 {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// Elements start at a multiple of this, so that a mapped file can be used in place.
constexpr std::size_t data_alignment = 64;

constexpr char native_order = std::endian::native == std::endian::little ? '<' : '>';
constexpr char other_order = native_order == '<' ? '>' : '<';

/// NumPy's name of an element type, such as "<f4"; empty for bf16. One-byte types have no order.
std::string descr_of(ScalarType type) {
  if (type == ScalarType::bf16) return {};
  const std::int64_t size = element_size(type);
  const char kind = type == ScalarType::boolean ? 'b'
                    : is_complex(type)          ? 'c'
                    : is_floating(type)         ? 'f'
                    : is_unsigned_integer(type) ? 'u'
                                                : 'i';
  return text(size == 1 ? '|' : native_order, kind, size);
}

ScalarType type_of_descr(std::string_view descr) {
  std::string known;
  for (int i = 0; i < scalar_type_count; ++i) {
    const auto type = static_cast<ScalarType>(i);
    const std::string name = descr_of(type);
    if (name.empty()) continue;
    if (descr == name) return type;
    if (descr.size() == name.size() && descr[0] == other_order &&
        descr.substr(1) == name.substr(1)) {
      fail(ErrorCode::dtype,
           text("npy: element type '", descr, "' is ", other_order == '>' ? "big" : "little",
                "-endian, expected '", name, "'"));
    }
    known += (known.empty() ? "'" : ", '") + name + "'";
  }
  if (descr.find('O') != std::string_view::npos) {
    fail(ErrorCode::dtype, "npy: elements are pickled Python objects, expected numbers");
  }
  fail(ErrorCode::dtype, text("npy: element type '", descr, "', expected one of ", known));
}

/// Reads the few forms of Python literal that a header is made of.
class LiteralReader {
 public:
  explicit LiteralReader(std::string_view literal) : text_(literal) {}

  /// Skips white space; true, and past it, if `c` comes next.
  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail_here(text("'", c, "'"));
  }
  void expect_end() {
    skip_space();
    if (at_ != text_.size()) fail_here("nothing more");
  }

  /// A string of printable ASCII without escapes, in either kind of quotes.
  std::string_view string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail_here("a string");
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] < ' ' || text_[at_] > '~' || text_[at_] == '\\')
        fail_here("a printable character");
      ++at_;
    }
    if (at_ == text_.size()) fail_here("the closing quote of a string");
    return text_.substr(begin, at_++ - begin);
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    }
    fail_here("True or False");
  }

  /// A tuple of integers: (), (3,), (3, 4), (3, 4,).
  DimVector shape() {
    DimVector extents;
    expect('(');
    while (!accept(')')) {
      if (extents.size() == max_rank)
        fail(ErrorCode::rank, text("npy: rank of the array exceeds ", max_rank));
      extents.push_back(extent(extents.size()));
      // (3) is a number in Python, not a tuple.
      if (extents.size() == 1) {
        expect(',');
      } else if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return extents;
  }

  [[noreturn]] void fail_here(const std::string& wanted) const {
    std::string got = "the end";
    if (at_ < text_.size()) {
      const char c = text_[at_];
      got = c >= ' ' && c <= '~' ? text("'", c, "'")
                                 : text("byte ", static_cast<int>(static_cast<unsigned char>(c)));
    }
    fail(ErrorCode::parse,
         text("npy: expected ", wanted, " at byte ", at_, " of the header's dict, got ", got));
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r')))
      ++at_;
  }

  std::int64_t extent(std::size_t axis) {
    skip_space();
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    const std::size_t digits = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
      ++at_;
    // As in Python, 03 is no number.
    if (at_ == digits || (at_ - digits > 1 && text_[digits] == '0')) {
      at_ = digits;
      fail_here("an integer");
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + at_, value);
    if (error != std::errc()) {
      fail(ErrorCode::overflow,
           text("npy: extent ", text_.substr(begin, std::min<std::size_t>(at_ - begin, 40)),
                " of axis ", axis, " exceeds 2^63-1"));
    }
    if (value < 0)
      fail(ErrorCode::shape,
           text("npy: extent ", value, " of axis ", axis, ", expected 0 or more"));
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

DimVector fortran_strides(IntSpan shape) {
  DimVector reversed(shape.rbegin(), shape.rend());
  const DimVector strides = contiguous_strides(reversed);
  return DimVector(std::make_reverse_iterator(strides.end()),
                   std::make_reverse_iterator(strides.begin()));
}

}  // namespace

NpyPrefix parse_npy_prefix(std::span<const std::byte> start, const Limits& limits) {
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint32_t>(start[i]); };
  for (std::size_t i = 0; i < std::min(magic.size(), start.size()); ++i) {
    if (byte(i) != static_cast<unsigned char>(magic[i])) {
      fail(ErrorCode::parse, "npy: not a .npy file: it does not begin with \\x93NUMPY");
    }
  }
  constexpr std::size_t version_end = magic.size() + 2;
  if (start.size() < version_end)
    fail(ErrorCode::parse, text("npy: ends after ", start.size(), " bytes, within the header"));
  const std::uint32_t major = byte(magic.size());
  const std::uint32_t minor = byte(magic.size() + 1);
  if (major < 1 || major > 3 || minor != 0) {
    fail(ErrorCode::parse,
         text("npy: format version ", major, ".", minor, ", expected 1.0, 2.0 or 3.0"));
  }
  NpyPrefix prefix;
  const std::size_t length_size = major == 1 ? 2 : 4;
  prefix.dict_begin = version_end + length_size;
  if (start.size() < prefix.dict_begin) {
    fail(ErrorCode::parse, text("npy: ends after ", start.size(), " bytes, within the header"));
  }
  // Little-endian on every machine.
  for (std::size_t i = 0; i < length_size; ++i)
    prefix.dict_size |= std::size_t{byte(version_end + i)} << (8 * i);
  if (static_cast<std::int64_t>(prefix.data_begin()) > limits.max_header_bytes) {
    fail(ErrorCode::limit, text("npy: header of ", prefix.data_begin(), " bytes, allowed are ",
                                limits.max_header_bytes));
  }
  return prefix;
}

NpyHeader parse_npy_dict(std::string_view dict, const Limits& limits) {
  LiteralReader reader(dict);
  std::string_view descr;
  bool fortran_order = false;
  NpyHeader header;
  bool has_descr = false, has_order = false, has_shape = false;
  reader.expect('{');
  while (!reader.accept('}')) {
    const std::string_view key = reader.string();
    bool* seen = key == "descr"           ? &has_descr
                 : key == "fortran_order" ? &has_order
                 : key == "shape"         ? &has_shape
                                          : nullptr;
    if (seen == nullptr) {
      fail(ErrorCode::parse, text("npy: unknown key '", key.substr(0, 40),
                                  "' in the header, expected descr, fortran_order and shape"));
    }
    if (*seen) fail(ErrorCode::parse, text("npy: key '", key, "' twice in the header"));
    *seen = true;
    reader.expect(':');
    if (seen == &has_descr) {
      if (reader.accept('['))
        fail(ErrorCode::dtype, "npy: elements are records of several fields, expected numbers");
      descr = reader.string();
    } else if (seen == &has_order) {
      fortran_order = reader.boolean();
    } else {
      header.shape = reader.shape();
    }
    if (!reader.accept(',')) {
      reader.expect('}');
      break;
    }
  }
  reader.expect_end();
  if (!has_descr || !has_order || !has_shape) {
    fail(ErrorCode::parse, text("npy: no key '",
                                !has_descr   ? "descr"
                                : !has_order ? "fortran_order"
                                             : "shape",
                                "' in the header"));
  }
  header.type = type_of_descr(descr.substr(0, 40));
  const std::int64_t count = numel(header.shape);
  if (count > limits.max_elements) {
    fail(ErrorCode::limit, text("npy: ", count, " elements of shape ", to_string(header.shape),
                                ", allowed are ", limits.max_elements));
  }
  if (!checked_mul(count, element_size(header.type), header.nbytes)) {
    fail(ErrorCode::overflow, text("npy: bytes of shape ", to_string(header.shape), " of ",
                                   name(header.type), " exceed 2^63-1"));
  }
  if (header.nbytes > limits.max_bytes) {
    fail(ErrorCode::limit, text("npy: ", header.nbytes, " bytes of shape ", to_string(header.shape),
                                " of ", name(header.type), ", allowed are ", limits.max_bytes));
  }
  // Without elements, an order has no strides to tell, and those of the other might overflow.
  header.strides =
      fortran_order && count > 0 ? fortran_strides(header.shape) : contiguous_strides(header.shape);
  return header;
}

std::string format_npy_header(ScalarType type, IntSpan shape) {
  const std::string descr = descr_of(type);
  if (descr.empty())
    fail(ErrorCode::dtype,
         text("npy: NumPy has no element type ", name(type), "; convert to f32 first"));
  std::string dict = text("{'descr': '", descr, "', 'fortran_order': False, 'shape': (");
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    dict += text(axis == 0 ? "" : " ", shape[axis],
                 shape.size() == 1 || axis + 1 < shape.size() ? "," : "");
  dict += "), }";
  // 64 extents of 20 characters leave this far below the 65535 bytes of format 1.0.
  constexpr std::size_t dict_begin = magic.size() + 4;
  const std::size_t end = dict_begin + dict.size() + 1;
  dict.append((data_alignment - end % data_alignment) % data_alignment, ' ');
  dict += '\n';
  const auto size = dict.size();
  return text(magic, '\x01', '\0', static_cast<char>(size & 0xff), static_cast<char>(size >> 8),
              dict);
}

}  // namespace v0
}  // namespace weft
