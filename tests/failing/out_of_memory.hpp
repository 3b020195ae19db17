// SPDX-License-Identifier: Apache-2.0
/// @file
/// Running something with every one of its allocations failing in turn.
#pragma once

#include <weft/core/tensor.hpp>

#include <functional>
#include <string>
#include <utility>

namespace test {

/// Something that takes memory. Its functions share what it works on.
struct Attempt {
  /// What is tried; may be called again after it failed and after it did not.
  std::function<void()> run;
  /// After a run that has ended: whether it gave what it should.
  std::function<bool()> is_right;
  /// After a run that failed: whether outputs are as they were before any run.
  std::function<bool()> is_untouched = {};
};

/// Whether a call is tried on one thread, or on four as well, any of which may run out of memory.
enum class On { one_thread, four_threads };

/// Makes an attempt of its own for each allocation, which fails: once, and then, of the first
/// hundred and every seventh further one, also all that come after it. A run may end by
/// std::bad_alloc or weft::Error, or do without the memory. It leaves nothing allocated when the
/// attempt is gone; the same run after it, and the next one, are right. Goes on until no allocation
/// is left to fail; an attempt that makes none is an error of the test.
void check_out_of_memory(const std::string& name, const std::function<Attempt()>& make,
                         On threads = On::one_thread);

/// The same for a call that gives a tensor, which is to have the same bits each time, and leaves
/// its operands alone.
void check_out_of_memory(const std::string& name, const std::function<weft::Tensor()>& call,
                         On threads = On::one_thread);

/// The same for a call that writes into a tensor of these contents, or replaces it; a call that
/// fails leaves it as it was.
void check_out_of_memory_into(const std::string& name, const weft::Tensor& output,
                              const std::function<void(weft::Tensor&)>& call,
                              On threads = On::one_thread);

/// Equal in type, shape and every bit.
bool same_elements(const weft::TensorView& a, const weft::TensorView& b);

}  // namespace test
