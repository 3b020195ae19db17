// SPDX-License-Identifier: Apache-2.0
#include <weft/base/function_ref.hpp>

#include "support/catch.hpp"

#include <memory>
#include <string>

namespace {

int twice(int x) { return 2 * x; }

struct Counter {
  int calls = 0;
  int operator()(int x) { return x + ++calls; }
};

struct ConstAdder {
  int by;
  int operator()(int x) const { return x + by; }
};

int apply(weft::FunctionRef<int(int)> f, int x) { return f(x); }

}  // namespace

TEST_CASE("function_ref: calls what it refers to", "[base]") {
  int seen = 0;
  CHECK(apply([&](int x) { return seen = x + 1; }, 4) == 5);
  CHECK(seen == 5);
  const ConstAdder adder{10};
  CHECK(apply(adder, 1) == 11);
  int (*pointer)(int) = twice;
  CHECK(apply(pointer, 21) == 42);
  CHECK(apply(twice, 21) == 42);
  CHECK(apply([](long x) { return static_cast<short>(x); }, 7) == 7);
}

TEST_CASE("function_ref: does not copy the callable", "[base]") {
  Counter counter;
  const weft::FunctionRef<int(int)> f(counter);
  const weft::FunctionRef<int(int)> copy = f;
  CHECK(f(10) == 11);
  CHECK(copy(10) == 12);
  CHECK(counter.calls == 2);
}

TEST_CASE("function_ref: passes arguments on as they are", "[base]") {
  auto take = [](std::unique_ptr<int> p, std::string& text) -> std::string& {
    text += std::to_string(*p);
    return text;
  };
  const weft::FunctionRef<std::string&(std::unique_ptr<int>, std::string&)> f(take);
  std::string text = "n = ";
  std::string& result = f(std::make_unique<int>(3), text);
  CHECK(text == "n = 3");
  CHECK(&result == &text);
}

TEST_CASE("function_ref: a void signature drops the result", "[base]") {
  int calls = 0;
  auto counting = [&] { return ++calls; };
  const weft::FunctionRef<void()> f(counting);
  f();
  CHECK(calls == 1);
}

TEST_CASE("function_ref: takes only callables of its signature", "[base]") {
  using Ref = weft::FunctionRef<int(int)>;
  STATIC_REQUIRE(std::is_constructible_v<Ref, Counter&>);
  STATIC_REQUIRE(std::is_constructible_v<Ref, const ConstAdder&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Ref, const Counter&>);  // its call is not const
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Ref, std::string&>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Ref, int (*)(int, int)>);
  STATIC_REQUIRE(sizeof(Ref) == 2 * sizeof(void*));
  STATIC_REQUIRE(std::is_trivially_copyable_v<Ref>);
}
