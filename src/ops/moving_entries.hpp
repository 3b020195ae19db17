// SPDX-License-Identifier: Apache-2.0
/// @file
/// Functions that move, order and count elements, as operations by name.
#pragma once

#include <weft/ops/arrange.hpp>
#include <weft/ops/counting.hpp>
#include <weft/ops/difference.hpp>
#include <weft/ops/join.hpp>
#include <weft/ops/registry.hpp>
#include <weft/ops/searching.hpp>
#include <weft/ops/sorting.hpp>
#include <weft/ops/triangle.hpp>

#include "base/text.hpp"
#include "ops/explain_counting.hpp"
#include "ops/explain_moves.hpp"
#include "ops/prepare_sort.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft {
inline namespace v0 {
namespace by_name {

// The axis and the numbers that a function takes.

inline std::optional<std::int64_t> one_axis(std::string_view operation, const OpArguments& args) {
  if (args.axes.size() > 1) {
    fail(ErrorCode::axis, text(operation, ": expected one axis, got ", to_string(args.axes)));
  }
  return args.axes.empty() ? std::nullopt : std::optional(args.axes[0]);
}
inline std::int64_t axis_or(std::string_view operation, const OpArguments& args,
                            std::int64_t otherwise) {
  return one_axis(operation, args).value_or(otherwise);
}
[[noreturn]] inline void fail_numbers(std::string_view operation, const OpArguments& args,
                                      const char* expected) {
  fail(ErrorCode::invalid_argument,
       text(operation, ": numbers (n=): expected ", expected, ", got ", to_string(args.numbers)));
}
inline std::int64_t number_or(std::string_view operation, const OpArguments& args,
                              std::int64_t otherwise) {
  if (args.numbers.size() > 1) fail_numbers(operation, args, "one");
  return args.numbers.empty() ? otherwise : args.numbers[0];
}
inline std::int64_t number(std::string_view operation, const OpArguments& args) {
  if (args.numbers.size() != 1) fail_numbers(operation, args, "one");
  return args.numbers[0];
}
/// Of flip: all, if none is named.
inline DimVector axes_or_all(const OpArguments& args) {
  DimVector axes = args.axes;
  for (std::int64_t axis = 0; args.axes.empty() && axis < args.inputs[0].rank(); ++axis)
    axes.push_back(axis);
  return axes;
}
inline SmallVector<AxisPadding, inline_rank> widths(const OpArguments& args) {
  if (args.numbers.size() != 2 * args.inputs[0].shape().size())
    fail_numbers("pad", args, "two for each axis");
  SmallVector<AxisPadding, inline_rank> list;
  for (std::size_t i = 0; i < args.numbers.size(); i += 2)
    list.push_back({args.numbers[i], args.numbers[i + 1]});
  return list;
}
inline BinRange bin_range(const OpArguments& args) {
  if (args.numbers.size() != 2) fail_numbers("histogram", args, "the two ends of the range");
  return {static_cast<double>(args.numbers[0]), static_cast<double>(args.numbers[1])};
}

using Run = void (*)(const OpArguments& args);
using Explain = Explanation (*)(const OpArguments& args);
constexpr OpEntry moving(std::string_view name, int inputs, const char* numbers, bool takes_axes,
                         Run run, Explain explain, int outputs = 1) {
  OpEntry made;
  made.name = name;
  made.inputs = inputs;
  made.run = run;
  made.explain = explain;
  made.takes_axes = takes_axes;
  made.numbers = numbers;
  made.outputs = outputs;
  return made;
}

/// Like a prefix operation: the result has the shape of what it is made of.

template <bool positions>
constexpr OpEntry sort_entry(std::string_view name) {
  OpEntry made;
  made.name = name;
  made.inputs = 1;
  made.run = [](const OpArguments& args) {
    positions ? argsort_out(args.outputs[0], args.inputs[0],
                            axis_or(positions ? "argsort" : "sort", args, -1))
              : sort_out(args.outputs[0], args.inputs[0],
                         axis_or(positions ? "argsort" : "sort", args, -1));
  };
  made.explain = [](const OpArguments& args) {
    return explain_sort(args.outputs[0], args.inputs[0],
                        axis_or(positions ? "argsort" : "sort", args, -1), positions);
  };
  made.takes_axes = true;
  return made;
}
template <bool upper>
constexpr OpEntry triangle_entry(std::string_view name) {
  return moving(
      name, 1, "the diagonal", false,
      [](const OpArguments& args) {
        upper
            ? triu_out(args.outputs[0], args.inputs[0], number_or(upper ? "triu" : "tril", args, 0))
            : tril_out(args.outputs[0], args.inputs[0],
                       number_or(upper ? "triu" : "tril", args, 0));
      },
      [](const OpArguments& args) {
        return explain_triangle(args.outputs[0], args.inputs[0], upper,
                                number_or(upper ? "triu" : "tril", args, 0));
      });
}

constexpr OpEntry median_entry() {
  OpEntry made = moving(
      "median", 1, "", true,
      [](const OpArguments& args) {
        median_out(args.outputs[0], args.inputs[0], axis_or("median", args, -1), args.keepdim);
      },
      [](const OpArguments& args) {
        return explain_median(args.outputs[0], args.inputs[0], axis_or("median", args, -1),
                              args.keepdim);
      });
  made.takes_keepdim = true;
  return made;
}

inline constexpr std::array moving_entries = {
    moving(
        "concat", OpEntry::any_number, "", true,
        [](const OpArguments& args) {
          concat_out(args.outputs[0], args.inputs, axis_or("concat", args, 0));
        },
        [](const OpArguments& args) {
          return explain_concat(args.outputs[0], args.inputs, axis_or("concat", args, 0));
        }),
    moving(
        "stack", OpEntry::any_number, "", true,
        [](const OpArguments& args) {
          stack_out(args.outputs[0], args.inputs, axis_or("stack", args, 0));
        },
        [](const OpArguments& args) {
          return explain_stack(args.outputs[0], args.inputs, axis_or("stack", args, 0));
        }),
    moving(
        "flip", 1, "", true,
        [](const OpArguments& args) {
          flip_out(args.outputs[0], args.inputs[0], axes_or_all(args));
        },
        [](const OpArguments& args) {
          return explain_flip(args.outputs[0], args.inputs[0], axes_or_all(args));
        }),
    moving(
        "roll", 1, "a shift for each axis", true,
        [](const OpArguments& args) {
          roll_out(args.outputs[0], args.inputs[0], args.numbers, args.axes);
        },
        [](const OpArguments& args) {
          return explain_roll(args.outputs[0], args.inputs[0], args.numbers, args.axes);
        }),
    moving(
        "tile", 1, "how often each axis is repeated", false,
        [](const OpArguments& args) { tile_out(args.outputs[0], args.inputs[0], args.numbers); },
        [](const OpArguments& args) {
          return explain_tile(args.outputs[0], args.inputs[0], args.numbers);
        }),
    moving(
        "repeat", 1, "how often each element is repeated", true,
        [](const OpArguments& args) {
          repeat_out(args.outputs[0], args.inputs[0], number("repeat", args),
                     axis_or("repeat", args, 0));
        },
        [](const OpArguments& args) {
          return explain_repeat(args.outputs[0], args.inputs[0], number("repeat", args),
                                axis_or("repeat", args, 0));
        }),
    moving(
        "pad", 1, "a width in front of and one behind each axis", false,
        [](const OpArguments& args) {
          pad_out(args.outputs[0], args.inputs[0], widths(args), PadMode::constant, false);
        },
        [](const OpArguments& args) {
          return explain_pad(args.outputs[0], args.inputs[0], widths(args), PadMode::constant,
                             false);
        }),
    moving(
        "diff", 1, "how many times", true,
        [](const OpArguments& args) {
          diff_out(args.outputs[0], args.inputs[0], axis_or("diff", args, -1),
                   number_or("diff", args, 1));
        },
        [](const OpArguments& args) {
          return explain_diff(args.outputs[0], args.inputs[0], axis_or("diff", args, -1),
                              number_or("diff", args, 1));
        }),
    triangle_entry<false>("tril"),
    triangle_entry<true>("triu"),
    sort_entry<false>("sort"),
    sort_entry<true>("argsort"),
    moving(
        "topk", 1, "k", true,
        [](const OpArguments& args) {
          topk_out(args.outputs[0], args.outputs[1], args.inputs[0], number("topk", args),
                   axis_or("topk", args, -1));
        },
        [](const OpArguments& args) {
          return explain_topk(args.outputs[0], args.outputs[1], args.inputs[0],
                              number("topk", args), axis_or("topk", args, -1));
        },
        2),
    moving(
        "partition", 1, "k", true,
        [](const OpArguments& args) {
          partition_out(args.outputs[0], args.inputs[0], number("partition", args),
                        axis_or("partition", args, -1));
        },
        [](const OpArguments& args) {
          return explain_partition(args.outputs[0], args.inputs[0], number("partition", args),
                                   axis_or("partition", args, -1));
        }),
    median_entry(),
    moving(
        "searchsorted", 2, "", false,
        [](const OpArguments& args) {
          searchsorted_out(args.outputs[0], args.inputs[0], args.inputs[1]);
        },
        [](const OpArguments& args) {
          return explain_searchsorted(args.outputs[0], args.inputs[0], args.inputs[1]);
        }),
    moving(
        "bincount", 1, "", false,
        [](const OpArguments& args) {
          bincount_out(args.outputs[0], args.inputs[0], TensorView(), args.outputs[0].numel());
        },
        [](const OpArguments& args) { return explain_bincount(args.outputs[0], args.inputs[0]); }),
    moving(
        "histogram", 1, "the two ends of the range", false,
        [](const OpArguments& args) {
          histogram_out(args.outputs[0], args.inputs[0], args.outputs[0].numel(), bin_range(args));
        },
        [](const OpArguments& args) {
          return explain_histogram(args.outputs[0], args.inputs[0], bin_range(args));
        }),
};

}  // namespace by_name

using by_name::moving_entries;

}  // namespace v0
}  // namespace weft
