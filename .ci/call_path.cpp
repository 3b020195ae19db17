// SPDX-License-Identifier: Apache-2.0
//
// The call that .ci/call-path follows: prints the address of each function when it is first
// entered, and that of its caller. Linked with objects that GCC has made with
// -finstrument-functions, which call the two functions at the top; this file is compiled without.
#include <weft/core/tensor.hpp>
#include <weft/ops/binary.hpp>
#include <weft/parallel/parallel.hpp>

#include <cstdio>
#include <unordered_set>
#include <vector>

namespace {

bool follows = false;
std::vector<void*> stack;        // NOLINT: one thread
std::unordered_set<void*> seen;  // NOLINT

}  // namespace

extern "C" void __cyg_profile_func_enter(void* function, void* /*from*/) {
  if (!follows) return;
  if (seen.insert(function).second)
    std::printf("%p %p\n", function, stack.empty() ? nullptr : stack.back());
  stack.push_back(function);
}

extern "C" void __cyg_profile_func_exit(void* /*function*/, void* /*from*/) {
  if (follows && !stack.empty()) stack.pop_back();
}

int main() {
  weft::set_num_threads(1);
  const auto a = weft::Tensor::full({300, 300}, weft::ScalarType::f32, 1.0);
  const auto dense = weft::Tensor::full({300, 300}, weft::ScalarType::f32, 2.0);
  const auto b = dense.transpose(0, 1);
  weft::add(a, b);  // what is looked up once, as the machine's caches are, is no part of a call
  follows = true;
  const auto sum = weft::add(a, b);
  follows = false;
  return sum.at<float>({299, 299}) == 3.0F ? 0 : 1;
}
