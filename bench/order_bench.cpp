// SPDX-License-Identifier: Apache-2.0
// Which order? Dims ordered by weft's cost over all operands, and as PyTorch orders them, on
// layouts where the two differ: through a raw loop, which is handed operands as they are, and
// through cpu_kernel. A case's label is the order: its axes, innermost first.
#include <weft/iter/config.hpp>

#include "plain_loops.hpp"
#include "study.hpp"

namespace bench {
namespace {

using weft::TensorIterator;
using weft::TensorIteratorConfig;

/// Two or three inputs, and an output, or none if the plan is to lay one out.
struct Layout {
  std::string name;
  std::function<std::vector<TensorView>()> inputs;
  std::function<TensorView()> out;  ///< may be empty
};

TensorIterator build(const std::vector<TensorView>& inputs, const TensorView& out,
                     bool pytorch_order) {
  TensorIteratorConfig config;
  config.pytorch_order(pytorch_order);
  out.defined() ? config.add_output(out) : config.add_output();
  for (const TensorView& view : inputs)
    config.add_input(view);
  return config.build();
}

Work work(const Layout& layout, bool pytorch_order, bool raw) {
  const std::vector<TensorView> inputs = layout.inputs();
  const TensorView given = layout.out ? layout.out() : TensorView();
  const TensorIterator iter = build(inputs, given, pytorch_order);
  const TensorView out = given.defined() ? given : iter.allocated_output();
  const bool three = inputs.size() == 3;
  const auto loop = (three ? add3_loop : add_loop).at(weft::current_level());
  const auto kernel = (three ? add3_kernel : add_kernel).at(weft::current_level());
  std::int64_t bytes = out.nbytes();
  for (const TensorView& view : inputs)
    bytes += view.nbytes();

  Work result;
  // The iterator keeps the memory of an output that it allocated.
  result.run = raw ? std::function<void()>([iter, loop] { iter.for_each(*loop); })
                   : std::function<void()>([iter, kernel] { kernel(iter); });
  result.check = [=] {
    if (three) {
      expect<float>([](float a, float b, float c) { return a + b + c; }, out, inputs[0], inputs[1],
                    inputs[2]);
    } else {
      expect<float>(std::plus(), out, inputs[0], inputs[1]);
    }
  };
  result.out = out;
  result.bytes = bytes;
  for (const std::uint8_t axis : iter.perm()) {
    if (!result.label.empty()) result.label += ' ';
    result.label += std::to_string(axis);
  }
  return result;
}

TensorView f32(int number, IntSpan shape, IntSpan strides) {
  return number == 0 ? output(ScalarType::f32, shape, strides)
                     : input(number, ScalarType::f32, shape, strides);
}

/// Dense row-major.
TensorView rows(int number, IntSpan shape) {
  return f32(number, shape, weft::contiguous_strides(shape));
}

/// [first, ..., last] seen from the other end.
TensorView turned(const TensorView& view) {
  std::vector<std::int64_t> axes;
  for (int axis = view.rank(); axis-- > 0;)
    axes.push_back(axis);
  return view.permute(axes);
}

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      // Nothing to decide.
      {"agree",
       [] {
         return std::vector{rows(1, {1024, 1024}), rows(2, {1024, 1024})};
       },
       [] {
         return rows(0, {1024, 1024});
       }},
      // Pictures, channels last and channels first. PyTorch follows whoever comes first.
      {"mixed-channels",
       [] {
         return std::vector{rows(1, {16, 32, 32, 64}).permute({0, 3, 1, 2}),
                            rows(2, {16, 64, 32, 32})};
       },
       {}},
      // A small column-major operand that is repeated along the last axis, before a large one.
      {"broadcast-first",
       [] {
         return std::vector{f32(1, {256, 512, 1}, {1, 256, 1}), rows(2, {256, 512, 8})};
       },
       {}},
      // The output against three inputs. PyTorch follows the output.
      {"transposed-inputs",
       [] {
         return std::vector{turned(rows(1, {1024, 1024})), turned(rows(2, {1024, 1024})),
                            turned(rows(3, {1024, 1024}))};
       },
       [] {
         return rows(0, {1024, 1024});
       }},
      {"permuted-4d",
       [] {
         return std::vector{turned(rows(1, {32, 32, 32, 32})), turned(rows(2, {32, 32, 32, 32})),
                            turned(rows(3, {32, 32, 32, 32}))};
       },
       [] {
         return rows(0, {32, 32, 32, 32});
       }},
      // The last row first. PyTorch's rule compares strides with their signs, as it may: its
      // tensors have no negative ones.
      {"backwards",
       [] {
         return std::vector{rows(1, {1024, 1024}).flip(0), rows(2, {1024, 1024}).flip(0)};
       },
       {}},
  };
  return all;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  for (const auto& layout : bench::layouts()) {
    for (const bool raw : {true, false}) {
      for (const bool pytorch_order : {false, true}) {
        const std::string series = std::string(raw ? "for_each" : "cpu_kernel") +
                                   (pytorch_order ? ", PyTorch's order" : ", weft's order");
        bench::add_case(series + "/layout:" + layout.name,
                        [=, &layout] { return bench::work(layout, pytorch_order, raw); });
      }
    }
  }
  return bench::run_cases(argc, argv, "0.2");
}
