// SPDX-License-Identifier: Apache-2.0
#include <weft/base/checked.hpp>
#include <weft/base/error.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/dispatch_types.hpp>
#include <weft/core/print.hpp>

#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>

namespace weft {
inline namespace v0 {
namespace {

constexpr int max_digits = 17;

/// NaN is without a sign, which says nothing of it.
void append_number(std::string& to, double number, int digits) {
  if (std::isnan(number)) return void(to += "nan");
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::general, digits);
  to.append(buffer, end.ptr);
}

template <class T>
void append_element(std::string& to, T value, int digits) {
  if constexpr (std::is_same_v<T, bool>) {
    to += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    to += std::to_string(value);
  } else if constexpr (is_complex_type<T>) {
    append_number(to, value.real(), digits);
    if (!std::signbit(value.imag()) || std::isnan(value.imag())) to += '+';
    append_number(to, value.imag(), digits);
    to += 'j';
  } else {
    append_number(to, static_cast<double>(value), digits);
  }
}

/// The nested lists of a view.
class Printer {
 public:
  Printer(const TensorView& view, const PrintOptions& options)
      : view_(view), options_(options), shortens_(view.numel() > options.max_elements) {
    index_.resize(view.shape().size());
  }

  std::string text() {
    if (has_many_empty_lists()) return "[...]";
    // Twice: the first time for the width of the columns.
    each(
        0, [&](std::string&& element) { width_ = std::max(width_, element.size()); }, nullptr);
    std::string made;
    each(
        0,
        [&](std::string&& element) {
          made.append(width_ - std::min(width_, element.size()), ' ');
          made += element;
        },
        &made);
    return made;
  }

 private:
  /// Without elements, lists may be more than memory holds: extents are what anybody says.
  bool has_many_empty_lists() const {
    std::int64_t lists = 1;
    for (const std::int64_t extent : view_.shape()) {
      if (extent == 0) return lists > options_.max_elements;
      if (!checked_mul(lists, extent, lists)) lists = std::numeric_limits<std::int64_t>::max();
    }
    return false;
  }
  /// Goes over axis `axis` and all further ones of the elements at index_: f(text) for each that
  /// is written, brackets and commas to `to` unless that is null.
  template <class F>
  void each(std::size_t axis, F&& f, std::string* to) {
    if (axis == index_.size()) return f(element());
    const std::int64_t extent = view_.shape()[axis];
    const bool is_row = axis + 1 == index_.size();
    const bool leaves_out = shortens_ && extent - 1 - options_.edge > options_.edge;
    if (to != nullptr) *to += '[';
    for (std::int64_t i = 0; i < extent; ++i) {
      if (to != nullptr && i > 0) separate(*to, axis, is_row);
      if (leaves_out && i == options_.edge) {
        if (to != nullptr) *to += "...";
        i = extent - options_.edge - 1;
        continue;
      }
      index_[axis] = i;
      each(axis + 1, f, to);
    }
    if (to != nullptr) *to += ']';
  }

  /// Between two elements of a row, or two rows or more.
  void separate(std::string& to, std::size_t axis, bool is_row) const {
    if (is_row) {
      to += ", ";
      return;
    }
    to += ',';
    to.append(index_.size() - axis - 1, '\n');
    to.append(axis + 1, ' ');
  }

  std::string element() const {
    std::string made;
    dispatch_all_types(view_.dtype(), [&]<class T>() {
      append_element(made, view_.at<T>(IntSpan(index_)), options_.digits);
    });
    return made;
  }

  const TensorView& view_;
  const PrintOptions& options_;
  bool shortens_;
  std::size_t width_ = 0;
  DimVector index_;
};

}  // namespace

std::string to_text(const TensorView& view, const PrintOptions& options) {
  if (options.max_elements < 0 || options.edge < 0) {
    fail(ErrorCode::invalid_argument,
         text("to_text: expected max_elements and edge of 0 or more, got ", options.max_elements,
              " and ", options.edge));
  }
  if (options.digits < 1 || options.digits > max_digits) {
    fail(ErrorCode::invalid_argument,
         text("to_text: expected 1 to ", max_digits, " digits, got ", options.digits));
  }
  if (!view.defined()) return "undefined";
  return text(name(view.dtype()), to_string(view.shape()), "\n", Printer(view, options).text());
}

std::ostream& operator<<(std::ostream& out, const TensorView& view) { return out << to_text(view); }

}  // namespace v0
}  // namespace weft
