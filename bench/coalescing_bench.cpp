// SPDX-License-Identifier: Apache-2.0
// What is coalescing worth? The same 32768 sums, as 1 to 6 dims: such that all become one; with
// gaps between the rows, so that two stay; and with all kept separate by an operand that the loop
// does not look at, which leaves memory as it is.
#include <weft/iter/config.hpp>

#include "plain_loops.hpp"
#include "study.hpp"

#include <algorithm>

namespace bench {
namespace {

using List = std::vector<std::int64_t>;

constexpr std::int64_t elements = 32768;

/// `rank` extents with `elements` in all: the innermost as given, the others powers of two.
List shape_of(int rank, std::int64_t inner) {
  List shape(static_cast<std::size_t>(rank), 1);
  shape.back() = inner;
  std::size_t axis = 0;
  for (std::int64_t left = elements / inner; left > 1; left /= 2) {
    shape[axis] *= 2;
    axis = (axis + 1) % (shape.size() - 1);
  }
  return shape;
}

/// Row-major, with rows at a stride of `pitch` elements.
List strides_of(const List& shape, std::int64_t pitch) {
  List strides(shape.size(), 1);
  std::int64_t stride = pitch;
  for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

/// An operand of extent 1 along every other axis. Neighbouring dims, of which it moves along one
/// and stands still along the other, cannot become one.
List every_other(List shape) {
  for (std::size_t axis = 1; axis < shape.size(); axis += 2)
    shape[axis] = 1;
  return shape;
}

struct Sum {
  Sum(const List& shape, std::int64_t pitch)
      : out(output(ScalarType::f32, shape, strides_of(shape, pitch))),
        a(input(1, ScalarType::f32, shape, strides_of(shape, pitch))),
        b(input(2, ScalarType::f32, shape, strides_of(shape, pitch))) {}

  weft::TensorIterator build(int dims) const {
    return with_dims(dims, weft::TensorIteratorConfig().add_output(out).add_input(a).add_input(b));
  }
  weft::TensorIterator build_separate(int dims) const {
    const List shape = every_other(List(out.shape().begin(), out.shape().end()));
    const TensorView every = input(3, ScalarType::f32, shape, weft::contiguous_strides(shape));
    return with_dims(
        dims,
        weft::TensorIteratorConfig().add_output(out).add_input(a).add_input(b).add_input(every));
  }

  Work work(std::function<void()> run) const {
    return {.run = std::move(run),
            .check = [*this] { expect<float>(std::plus(), out, a, b); },
            .out = out,
            .bytes = bytes_of(out, a, b)};
  }

  TensorView out, a, b;

 private:
  static weft::TensorIterator with_dims(int dims, const weft::TensorIteratorConfig& config) {
    weft::TensorIterator iter = config.build();
    if (iter.ndim() != dims) die("the plan has " + std::to_string(iter.ndim()) + " dims");
    return iter;
  }
};

std::function<void()> for_each(const weft::TensorIterator& iter) {
  return [iter, loop = add_loop.at(weft::current_level())] { iter.for_each(*loop); };
}

void add_cases(int rank, std::int64_t inner) {
  const std::string at = "/inner:" + std::to_string(inner) + "/rank:" + std::to_string(rank);
  const List shape = shape_of(rank, inner);
  // A cache line, so that rows are aligned alike, but no more than what the row itself takes: all
  // has to stay in L2.
  const std::int64_t pitch = inner + std::min<std::int64_t>(inner, 16);
  add_case("for_each, coalesced" + at, [=] {
    const Sum t(shape, inner);
    return t.work(for_each(t.build(1)));
  });
  add_case("for_each, gaps between rows" + at, [=] {
    const Sum t(shape, pitch);
    return t.work(for_each(t.build(2)));
  });
  add_case("for_each, kept separate" + at, [=] {
    const Sum t(shape, inner);
    return t.work(for_each(t.build_separate(rank)));
  });
  add_case("cpu_kernel, coalesced" + at, [=] {
    const Sum t(shape, inner);
    return t.work([iter = t.build(1)] { add_kernel(iter); });
  });
  add_case("cpu_kernel, gaps between rows" + at, [=] {
    const Sum t(shape, pitch);
    return t.work([iter = t.build(2)] { add_kernel(iter); });
  });
}

/// Nothing to coalesce: what everything else is measured against.
void add_one_dim() {
  const std::string at = "/inner:" + std::to_string(elements) + "/rank:1";
  add_case("for_each, coalesced" + at, [] {
    const Sum t({elements}, elements);
    return t.work(for_each(t.build(1)));
  });
  add_case("cpu_kernel, coalesced" + at, [] {
    const Sum t({elements}, elements);
    return t.work([iter = t.build(1)] { add_kernel(iter); });
  });
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
  bench::add_one_dim();
  for (const std::int64_t inner : {4, 16, 64}) {
    for (int rank = 2; rank <= 6; ++rank)
      bench::add_cases(rank, inner);
  }
  return bench::run_cases(argc, argv, "0.05");
}
