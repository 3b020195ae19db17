// SPDX-License-Identifier: Apache-2.0
/// @file
/// A kernel on two inputs of any layouts and types, compared with the plainest of loops for several
/// numbers of threads and grains.
#pragma once

#include <weft/iter/config.hpp>
#include <weft/kernel/cpu_kernel.hpp>

#include "support/dense.hpp"
#include "support/mix.hpp"
#include "support/threads.hpp"

#include <algorithm>
#include <vector>

namespace test {

/// Element types of the operands. `common`: they pass through the inputs' common type.
struct MixTypes {
  weft::ScalarType out, a, b;
  bool common = false;
};

/// 3a + b in type C.
template <class C>
class MixChecker {
 public:
  explicit MixChecker(Random& random) : random_(random) {}

  void check(const MixTypes& types, const Layout& out_layout, const Layout& a_layout,
             const Layout& b_layout) {
    const Memory out = random_memory(random_, types.out, out_layout);
    const Memory a = random_memory(random_, types.a, a_layout);
    const Memory b = random_memory(random_, types.b, b_layout);
    const weft::TensorView to = out.view();
    const weft::TensorView x = a.view();
    const weft::TensorView y = b.view();
    weft::TensorIteratorConfig config;
    config.add_output(to).add_input(x).add_input(y).resize_outputs(false);
    if (types.common) {
      config.promote_inputs_to_common_dtype(true).cast_common_dtype_to_outputs(true);
    } else {
      config.check_all_same_dtype(false);
    }
    const weft::TensorIterator iter = config.build();
    const auto want =
        naive_map(types.out, out_layout.shape, {x, y}, [&](const auto* in, void* element) {
          const C value =
              mix(brought(iter.dtype(1), types.a, in[0]), brought(iter.dtype(2), types.b, in[1]));
          Element dtype;
          convert_element(iter.dtype(0), &dtype, weft::scalar_type_of<C>, &value);
          convert_element(types.out, element, iter.dtype(0), &dtype);
        });
    const std::vector<std::byte> start(out.data(), out.data() + out.size_bytes());
    std::vector<std::byte> first;
    const Watch watch(out);
    const auto run = [&](int threads, std::int64_t grain) {
      std::copy(start.begin(), start.end(), out.data());
      weft::cpu_kernel(
          iter, [](C p, C q) { return mix(p, q); }, grain);
      std::string wrong;
      if (first.empty()) {
        first.assign(out.data(), out.data() + out.size_bytes());
        wrong = difference(to, want);
        if (wrong.empty() && !watch.gaps_untouched()) wrong = "wrote between elements";
      } else if (!std::equal(first.begin(), first.end(), out.data())) {
        wrong = "not what one thread gives";
      }
      tally_.check(wrong.empty(), [&](auto& text) {
        for (const weft::TensorView* view : {&to, &x, &y})
          describe(text, *view) << ", ";
        text << threads << " threads, grain " << grain << ": " << wrong;
      });
    };
    for_thread_counts([&](int threads) {
      for (const std::int64_t grain : {0, 1, 10'000})
        run(threads, grain);
    });
  }
  const Tally& tally() const { return tally_; }

 private:
  struct alignas(16) Element {
    unsigned char bytes[16];
  };

  /// An element of memory as the kernel sees it: by way of the operand's dtype.
  static C brought(weft::ScalarType dtype, weft::ScalarType storage, const void* element) {
    Element via;
    C value;
    convert_element(dtype, &via, storage, element);
    convert_element(weft::scalar_type_of<C>, &value, dtype, &via);
    return value;
  }

  Random& random_;
  Tally tally_;
};

}  // namespace test
