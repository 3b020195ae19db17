// SPDX-License-Identifier: Apache-2.0
#include "cli/case_file.hpp"

#include <weft/base/error.hpp>
#include <weft/base/limits.hpp>

#include "cli/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::cli {
namespace {

constexpr std::string_view white_space = " \t\r\v\f";

/// Takes the first word off `text`; empty at the end.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(white_space), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(white_space));
  text.remove_prefix(word.size());
  return word;
}

[[noreturn]] void fail_word(std::string_view word, const std::string& why) {
  fail(ErrorCode::parse, fmt::format("word '{}': {}", word, why));
}

DimVector parse_list(std::string_view word, std::string_view list, std::string_view what) {
  DimVector values;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    const std::optional<std::int64_t> value = parse_integer(item);
    if (!value)
      fail_word(word, fmt::format("expected an integer among its {}, got '{}'", what, item));
    if (values.size() == max_rank)
      fail_word(word, fmt::format("has more than {} {}", max_rank, what));
    values.push_back(*value);
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
    if (list.empty())
      fail_word(word, fmt::format("expected an integer after the last comma of its {}", what));
  }
  return values;
}

/// Takes `open ... close` off the front of `rest` and returns what is between.
std::string_view take_bracket(std::string_view word, std::string_view& rest, char open,
                              char close) {
  const std::size_t end = rest.find(close);
  if (rest.empty() || rest[0] != open || end == std::string_view::npos) {
    fail_word(word,
              fmt::format("expected {}...{} in DTYPE[SHAPE] or DTYPE[SHAPE]{{STRIDES}}, got '{}'",
                          open, close, rest));
  }
  const std::string_view inside = rest.substr(1, end - 1);
  rest.remove_prefix(end + 1);
  return inside;
}

/// What `read` returns; an Error of the library gets the word in front.
template <class Read>
auto for_word(std::string_view word, Read read) {
  try {
    return read();
  } catch (const Error& e) {
    fail_word(word, e.what());
  }
}

/// `tensor` is `word` without "out:".
TensorSpec parse_tensor(std::string_view word, std::string_view tensor) {
  TensorSpec spec;
  const std::string_view type = tensor.substr(0, tensor.find('['));
  std::string_view rest = tensor.substr(type.size());
  const std::string_view shape = take_bracket(word, rest, '[', ']');
  spec.type = for_word(word, [&] { return parse_scalar_type(type); });
  spec.shape = parse_list(word, shape, "extents");
  for_word(word, [&] { return numel(spec.shape); });
  if (rest.empty()) {
    spec.strides = for_word(word, [&] { return contiguous_strides(spec.shape); });
    return spec;
  }
  spec.strides = parse_list(word, take_bracket(word, rest, '{', '}'), "strides");
  if (!rest.empty())
    fail_word(word, fmt::format("expected nothing after the strides, got '{}'", rest));
  if (spec.strides.size() != spec.shape.size()) {
    fail_word(word, fmt::format("expected one stride per extent, got {} for {}",
                                spec.strides.size(), spec.shape.size()));
  }
  return spec;
}

Scalar parse_number_word(std::string_view word, std::string_view number) {
  const std::optional<Scalar> value = parse_number(number);
  if (!value) fail_word(word, fmt::format("expected a number, got '{}'", number));
  return *value;
}

/// Reads KEY=VALUE into the case.
class Keys {
 public:
  explicit Keys(Case& c) : case_(c) {}

  void read(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(equals + 1);
    if (std::ranges::find(seen_, key) != seen_.end())
      fail_word(word, fmt::format("key '{}' twice", key));
    seen_.push_back(key);
    if (key == "fill") {
      case_.fill = fill(word, value);
    } else if (key == "dim") {
      case_.axes = parse_list(word, value, "axes");
      if (case_.axes.empty()) fail_word(word, "expected an axis; leave it out to name none");
    } else if (key == "keepdim") {
      if (value != "0" && value != "1") fail_word(word, "expected keepdim=0 or keepdim=1");
      case_.keepdim = value == "1";
    } else if (key == "n") {
      case_.numbers = parse_list(word, value, "numbers");
      if (case_.numbers.empty()) fail_word(word, "expected a number");
    } else if (key == "min") {
      case_.min = parse_number_word(word, value);
    } else if (key == "max") {
      case_.max = parse_number_word(word, value);
    } else {
      fail_word(word,
                fmt::format("unknown key '{}', expected fill, dim, keepdim, n, min or max", key));
    }
  }

 private:
  static Fill fill(std::string_view word, std::string_view value) {
    if (value == "sym") return Fill::sym;
    if (value == "pos") return Fill::pos;
    if (value == "nz") return Fill::nz;
    fail_word(word, "expected fill=sym, fill=pos or fill=nz");
  }

  Case& case_;
  std::vector<std::string_view> seen_;
};

/// Reads OPERAND... [KEY=VALUE...].
void read_operands(std::string_view words, Case& c) {
  Keys keys(c);
  bool had_key = false;
  for (std::string_view word = take_word(words); !word.empty(); word = take_word(words)) {
    if (word.find('=') != std::string_view::npos) {
      keys.read(word);
      had_key = true;
      continue;
    }
    if (had_key) fail_word(word, "operands come before KEY=VALUE");
    constexpr std::string_view out = "out:";
    if (word.starts_with(out)) {
      if (!c.inputs.empty()) fail_word(word, "outputs come before inputs");
      c.outputs.push_back(parse_tensor(word, word.substr(out.size())));
    } else if (word.find_first_of("[]{}:") != std::string_view::npos) {
      c.inputs.emplace_back(parse_tensor(word, word));
    } else if (const std::optional<Scalar> number = parse_number(word)) {
      c.inputs.emplace_back(*number);
    } else {
      fail_word(word,
                "expected out:DTYPE[SHAPE]{STRIDES}, DTYPE[SHAPE]{STRIDES}, a number or KEY=VALUE");
    }
  }
}

void check_expression(const Case& c) {
  const auto refuse = [](const std::string& why) { fail(ErrorCode::parse, "expression: " + why); };
  if (c.outputs.size() != 1) refuse(fmt::format("expected one output, got {}", c.outputs.size()));
  if (c.inputs.size() > 26)
    refuse(fmt::format("expected at most 26 inputs, a to z, got {}", c.inputs.size()));
  if (!c.axes.empty() || c.keepdim || !c.numbers.empty() || c.min || c.max)
    refuse("expected no key but fill=");
}

/// Names become names of files and stand in JSON, so they have to be plain.
void check_name(std::string_view name) {
  const auto plain = [](char c) {
    return c > ' ' && c <= '~' && c != '/' && c != '\\' && c != '"';
  };
  if (name.empty() || name[0] == '.' || name.size() > 200 || !std::ranges::all_of(name, plain)) {
    fail_word(name.substr(0, 200),
              "a name is at most 200 printable ASCII characters without / \\ \" and does not begin "
              "with a dot");
  }
}

}  // namespace

std::vector<CaseLine> split_case_lines(std::string_view text) {
  std::vector<CaseLine> lines;
  for (int number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view name = take_word(line);
    if (!name.empty() && name[0] != '#') lines.push_back({number, name, line});
  }
  return lines;
}

std::string_view without_name(std::string_view line) {
  const auto is_operand = [](std::string_view word) {
    return word.find_first_of("[]{}:=") != std::string_view::npos || parse_number(word);
  };
  std::string_view rest = line;
  const std::string_view first = take_word(rest), behind = rest;
  const std::string_view second = take_word(rest);
  const bool has_expression = line.find(":=") != std::string_view::npos;
  const bool is_name = has_expression ? !is_operand(first) && first != ":="
                                      : !first.empty() && !second.empty() && !is_operand(second);
  return is_name ? behind : line;
}

Case parse_call(std::string_view call) {
  Case c;
  const std::size_t is = call.find(":=");
  if (is != std::string_view::npos) {
    c.expression = call.substr(is + 2);
    read_operands(call.substr(0, is), c);
    check_expression(c);
    return c;
  }
  c.op = take_word(call);
  if (c.op.empty())
    fail(ErrorCode::parse, "expected an operation, such as: add out:f32[4] f32[4] f32[4]");
  if (c.op.find_first_of("[=:") != std::string::npos)
    fail_word(c.op, "expected the name of an operation, or := and an expression behind operands");
  read_operands(call, c);
  return c;
}

Case parse_case(const CaseLine& line) {
  try {
    check_name(line.name);
    Case c = parse_call(line.call);
    c.name = line.name;
    return c;
  } catch (const Error& e) {
    fail(e.code(), fmt::format("line {}: {}", line.number, e.what()));
  }
}

}  // namespace weft::cli
