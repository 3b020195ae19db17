// SPDX-License-Identifier: Apache-2.0
// Kernels and structs that are none, each behind words of the one error that refuses it
// (check_refused.cmake).
#include <weft/expr/map.hpp>
#include <weft/expr/reduce_with.hpp>
#include <weft/kernel/cpu_kernel.hpp>
#include <weft/kernel/cumulative.hpp>
#include <weft/kernel/reduce.hpp>
#include <weft/operators.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

namespace {

// A reduction and a prefix operation as they should be: mistakes below hide one function of it.
struct Sum {
  float identity() const { return 0; }
  float accumulate(float h, float x) const { return h + x; }
  float combine(float a, float b) const { return a + b; }
  float project(float h) const { return h; }
};

}  // namespace

void kernels(const weft::TensorIterator& iter) {
  // refused: a kernel takes elements by value or const reference
  weft::cpu_kernel(iter, [](float& x) { return x; });
  // refused: a kernel's parameters are elements
  weft::cpu_kernel(iter, [](const float* x) { return *x; });
  // refused: a kernel's parameters are elements
  weft::cpu_kernel(iter, [](const std::string&) { return 1.0F; });
  // refused: a kernel's parameters are elements
  weft::cpu_kernel(iter, [](const std::string& x) { return x; });
  // refused: returns the element of its output
  weft::cpu_kernel(iter, [](float) {});
  // refused: cpu_kernel's kernel returns one element, cpu_kernel_multiple_outputs
  weft::cpu_kernel(iter, [](float x) { return std::tuple(x, x); });
  // refused: cpu_kernel's generic kernel returns one element
  weft::cpu_kernel<float>(iter, [](auto x) { return std::tuple(x, x); });
  // refused: no parameter of a fixed type beside those that are auto
  weft::cpu_kernel<float>(iter, [](auto x, int n) { return x * static_cast<decltype(x)>(n); });
  // refused: a generic kernel of several outputs returns a std::tuple
  weft::cpu_kernel_multiple_outputs<float>(iter, [](auto) {});
  // refused: a generic kernel of several outputs returns a std::tuple
  weft::cpu_kernel_multiple_outputs<float>(iter, [](auto x) { return std::pair(x, x); });
  // refused: a kernel of several outputs returns is a std::tuple of elements
  weft::cpu_kernel_multiple_outputs(iter, [](float x) { return std::pair(x, x); });
  // refused: a kernel of several outputs returns is a std::tuple of elements
  weft::cpu_kernel_multiple_outputs(iter, [](float x) { return std::array{x, x}; });
  // refused: a kernel of several outputs returns is a std::tuple of elements
  weft::cpu_serial_kernel(iter, [](float x) { return std::pair(x, x); });
  // refused: one function of fixed types
  weft::cpu_serial_kernel(iter, [](auto x) { return x; });
  // refused: it is no mutable lambda
  weft::cpu_kernel(iter, [n = 0](int x) mutable { return n += x; });
}

void reductions(const weft::TensorIterator& iter) {
  {
    struct Op {
      float accumulate(float h, float x) const { return h + x; }
      float combine(float a, float b) const { return a + b; }
      float project(float h) const { return h; }
    };
    // refused: a reduction struct has `Acc identity() const`
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op {
      float identity() const { return 0; }
      float combine(float a, float b) const { return a + b; }
      float project(float h) const { return h; }
    };
    // refused: a reduction struct has `Acc accumulate
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op {
      float identity() const { return 0; }
      float accumulate(float h, float x) const { return h + x; }
      float project(float h) const { return h; }
    };
    // refused: a reduction struct has `Acc combine
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op {
      float identity() const { return 0; }
      float accumulate(float h, float x) const { return h + x; }
      float combine(float a, float b) const { return a + b; }
    };
    // refused: a reduction struct has `Out project
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      float accumulate(float h, float x) { return h + x; }
    };
    // refused: a reduction struct's accumulate() is const
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      float accumulate(float& h, float x) const { return h += x; }
    };
    // refused: and takes what it takes by value or const reference
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      float accumulate(float h, long double x) const { return h + static_cast<float>(x); }
    };
    // refused: accumulate takes an accumulator and elements
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      void accumulate(float, float) const {}
    };
    // refused: combine() return an accumulator
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      void combine(float, float) const {}
    };
    // refused: combine() return an accumulator
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      std::pair<float, float> project(float h) const { return {h, h}; }
    };
    // refused: project() returns an element, or a std::tuple
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      float accumulate(float h, float x, float index) const { return h + x * index; }
    };
    // refused: accumulate's last parameter is the index
    weft::cpu_reduce_indexed(iter, Op());
  }
  {
    struct Op : Sum {
      float accumulate = 0;
    };
    // refused: a reduction struct has `Acc accumulate
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      float accumulate() const { return 0; }
    };
    // refused: a reduction struct has `Acc accumulate
    weft::cpu_reduce(iter, Op());
  }
  {
    struct Op : Sum {
      float accumulate(float h, std::int64_t index) const { return h + static_cast<float>(index); }
    };
    // refused: std::int64_t behind them
    weft::cpu_reduce_indexed(iter, Op());
  }
  {
    struct Op {
      float identity() const { return 0; }
      float accumulate(float h, float x) const { return h + x; }
      float project(float h) const { return h; }
    };
    float sum = 0;
    // refused: a reduction struct has `Acc combine
    weft::cpu_partial(iter, weft::masked(Op()), &sum);
  }
  double other = 0;
  // refused: accumulators are of the type of accumulate's first parameter
  weft::cpu_partial(iter, Sum(), &other);
  // refused: accumulators are of the type of accumulate's first parameter
  weft::cpu_finalize(iter, weft::masked(Sum()), &other);
}

void expressions(const weft::Tensor& a) {
  using namespace weft::operators;
  // refused: a temporary view does not keep its memory
  weft::Tensor(a * a.transpose(0, 1));
  // The same for all functions, and told once.
  weft::Tensor(-a.transpose(0, 1));
  weft::maximum(weft::expr(a), a.transpose(0, 1));
  weft::where(weft::expr(a) > 0, a.transpose(0, 1), 0);
  // refused: no matching function for call to
  weft::map([](float x) { return x; }, a.transpose(0, 1));
}
