// SPDX-License-Identifier: Apache-2.0
#include <weft/base/small_vector.hpp>

#include "support/allocation_counter.hpp"
#include "support/catch.hpp"
#include "support/seed.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace {

/// Knows how many of its kind live, and holds memory of its own, so that a copy too few or a
/// destructor too many shows.
struct Counted {
  static inline int alive = 0;
  std::string text;

  Counted(const char* from = "") : text(from) { ++alive; }
  explicit Counted(std::string from) : text(std::move(from)) { ++alive; }
  Counted(const Counted& other) : text(other.text) { ++alive; }
  Counted(Counted&& other) noexcept : text(std::move(other.text)) { ++alive; }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) = default;
  ~Counted() { --alive; }
  friend bool operator==(const Counted& a, const Counted& b) { return a.text == b.text; }
};

using Vector = weft::SmallVector<Counted, 3>;
using Model = std::vector<Counted>;

bool same(const Vector& v, const Model& model) {
  return v.size() == model.size() && v.empty() == model.empty() &&
         std::equal(v.begin(), v.end(), model.begin(), model.end());
}

/// Long enough not to live inside std::string.
std::string name_of(std::int64_t i) { return "element number " + std::to_string(i); }

Vector numbered(int count) {
  Vector v;
  for (int i = 0; i < count; ++i)
    v.push_back(Counted(name_of(i)));
  return v;
}

}  // namespace

TEST_CASE("small_vector: construction", "[base]") {
  CHECK(weft::SmallVector<int, 4>().empty());
  CHECK(weft::SmallVector<int, 4>(6, 7) == weft::SmallVector<int, 4>{7, 7, 7, 7, 7, 7});
  CHECK(weft::SmallVector<int, 4>(3) == weft::SmallVector<int, 4>{0, 0, 0});
  const std::vector<int> from = {1, 2, 3, 4, 5};
  CHECK(weft::SmallVector<int, 4>(from.begin(), from.end()) ==
        weft::SmallVector<int, 4>{1, 2, 3, 4, 5});
  CHECK_FALSE(weft::SmallVector<int, 4>{1, 2} == weft::SmallVector<int, 4>{1, 2, 3});
  CHECK_FALSE(weft::SmallVector<int, 4>{1, 2} == weft::SmallVector<int, 4>{1, 3});
}

TEST_CASE("small_vector: behaves as std::vector does under random operations", "[base]") {
  WEFT_RANDOM(random);
  Vector v;
  Model model;
  for (int step = 0; step < test::rounds(20'000); ++step) {
    const std::int64_t what = random.integer(0, 10);
    CAPTURE(step, what, model.size());
    const Counted fresh(name_of(step));
    if (what <= 3) {
      v.push_back(fresh);
      model.push_back(fresh);
    } else if (what == 4 && !model.empty()) {
      v.pop_back();
      model.pop_back();
    } else if (what == 5 && !model.empty()) {
      const auto i = random.integer(0, static_cast<std::int64_t>(model.size()) - 1);
      v.erase(static_cast<std::size_t>(i));
      model.erase(model.begin() + i);
    } else if (what == 6) {
      const auto size = static_cast<std::size_t>(random.integer(0, 7));
      v.resize(size, fresh);
      model.resize(size, fresh);
    } else if (what == 7) {
      const Model more(static_cast<std::size_t>(random.integer(0, 3)), fresh);
      v.append(more.begin(), more.end());
      model.insert(model.end(), more.begin(), more.end());
    } else if (what == 8) {
      Vector copy(v);
      Vector assigned = numbered(static_cast<int>(random.integer(0, 5)));
      assigned = copy;
      v = std::move(assigned);
    } else if (what == 9) {
      Vector moved(std::move(v));
      v = numbered(2);
      v = std::move(moved);
    } else if (random.chance(20)) {
      v.clear();
      model.clear();
    }
    if (!same(v, model)) FAIL("contents differ");
    if (!model.empty() && !(v.back() == model.back() && v[0] == model[0])) FAIL("ends differ");
  }
  model.clear();
  v.clear();
  CHECK(Counted::alive == 0);
}

TEST_CASE("small_vector: a moved-from vector is empty and usable", "[base]") {
  for (const int count : {0, 2, 3, 4, 9}) {  // inline, full, on the heap
    CAPTURE(count);
    Vector from = numbered(count);
    Vector to(std::move(from));
    CHECK(same(to, Model(to.begin(), to.end())));
    CHECK(to.size() == static_cast<std::size_t>(count));
    CHECK(from.empty());
    from.push_back(Counted("again"));
    CHECK(from.size() == 1);
    to = std::move(from);
    CHECK(to.size() == 1);
    CHECK(to[0] == Counted("again"));
  }
  CHECK(Counted::alive == 0);
}

TEST_CASE("small_vector: assignment to itself changes nothing", "[base]") {
  for (const int count : {2, 9}) {
    CAPTURE(count);
    Vector v = numbered(count);
    Vector& alias = v;
    v = alias;
    CHECK(v == numbered(count));
    v = std::move(alias);
    CHECK(v == numbered(count));
  }
}

TEST_CASE("small_vector: arguments may be elements of the vector itself", "[base]") {
  for (const int count : {3, 6}) {  // exactly full, inside and on the heap
    CAPTURE(count);
    Vector v = numbered(count);
    v.push_back(v[0]);
    CHECK(v.back() == Counted(name_of(0)));
    Vector w = numbered(count);
    w.resize(40, w[1]);
    CHECK(w[39] == Counted(name_of(1)));
  }
}

TEST_CASE("small_vector: up to N elements need no heap", "[base]") {
  weft::SmallVector<std::int64_t, 8> v;
  CHECK(test::allocations([&] {
          for (int i = 0; i < 8; ++i)
            v.push_back(i);
          const weft::SmallVector<std::int64_t, 8> copy(v);
          v = copy;
          v.clear();
          v.resize_for_overwrite(8);
        }) == 0);
  CHECK(test::allocations([&] { v.push_back(8); }) == 1);
  // Moving what is on the heap takes it along.
  CHECK(test::allocations([&] {
          weft::SmallVector<std::int64_t, 8> other(std::move(v));
          v = std::move(other);
        }) == 0);
  CHECK(test::allocations([&] { weft::SmallVector<int, 2>().reserve(100); }) == 1);
}

TEST_CASE("small_vector: converts to a span of its elements", "[base]") {
  const weft::SmallVector<int, 2> v = {5, 6, 7};
  const std::span<const int> view = v;
  CHECK(view.data() == v.data());
  CHECK(view.size() == 3);
}

TEST_CASE("small_vector: a copy that runs out of memory leaves the old elements", "[base]") {
  const weft::SmallVector<int, 2> large{1, 2, 3, 4, 5};
  weft::SmallVector<int, 2> small{7};
  const auto copy = [&] { small = large; };
  const long failures =
      test::fail_each_allocation(copy, [&] { CHECK(small == weft::SmallVector<int, 2>{7}); });
  CHECK(failures == 1);
  CHECK(small == large);
}
