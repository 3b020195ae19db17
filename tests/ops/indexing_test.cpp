// SPDX-License-Identifier: Apache-2.0
// index_select, take, gather, scatter and scatter_add against their definitions: all types, any
// layouts, negative and repeated indices; and what they refuse, with nothing written.
#include <weft/ops/indexing.hpp>

#include "support/dense.hpp"
#include "support/errors.hpp"
#include "support/naive_ops.hpp"
#include "support/naive_reduce.hpp"
#include "support/threads.hpp"

#include <functional>
#include <utility>

namespace {

using test::Dims;
using test::Memory;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

/// Indices of an axis, some counted from the end where the type has signs.
Memory random_index(test::Random& random, const Dims& shape, std::int64_t extent) {
  static const std::vector<ScalarType> types = {ScalarType::i64, ScalarType::i64, ScalarType::i32,
                                                ScalarType::i32, ScalarType::u8,  ScalarType::i8,
                                                ScalarType::u16, ScalarType::u64};
  const ScalarType type = random.pick(types);
  Memory memory(type, test::random_layout(random, shape));
  const std::int64_t least = weft::is_unsigned_integer(type) ? 0 : -extent;
  for (std::int64_t i = 0; i < memory.layout().size; ++i) {
    const std::int64_t index = extent == 0 ? 0 : random.integer(least, extent - 1);
    test::convert_element(type, memory.data() + i * weft::element_size(type), ScalarType::i64,
                          &index);
  }
  return memory;
}

std::int64_t index_at(const TensorView& index, const Dims& place, std::int64_t extent) {
  std::int64_t i = 0;
  test::convert_element(ScalarType::i64, &i, index.dtype(), test::element_at(index, place));
  return i < 0 ? i + extent : i;
}

/// out[place] = a[source(place)].
test::Dense chosen(const TensorView& a, const Dims& shape,
                   const std::function<Dims(Dims)>& source) {
  test::Dense result(a.dtype(), shape);
  std::int64_t flat = 0;
  test::for_each_index(shape, [&](const Dims& place) {
    std::memcpy(result.at(flat++), test::element_at(a, source(place)),
                static_cast<std::size_t>(weft::element_size(a.dtype())));
  });
  return result;
}

/// What a function gives in a new tensor, and in an output with gaps.
std::string wrong(test::Random& random, const test::Dense& expected,
                  const std::function<void(const weft::Output&)>& call) {
  Tensor fresh;
  call(fresh);
  std::string text = test::difference(fresh, expected);
  const Memory out = test::random_output(random, expected.type, expected.shape);
  const test::Watch watch(out);
  call(out.view());
  text += test::difference(out.view(), expected);
  return text + (watch.gaps_untouched() ? "" : "wrote between elements");
}

/// Mostly small, sometimes with rows that are copied whole or lines of many indices.
Dims random_extents(test::Random& random, int min_rank = 1) {
  Dims shape;
  do {
    shape = test::random_shape(random, 4);
  } while (static_cast<int>(shape.size()) < min_rank);
  if (!shape.empty() && random.chance(15)) shape.back() = random.integer(30, 90);
  if (!shape.empty() && random.chance(15)) shape.front() = random.integer(30, 90);
  return shape;
}

/// Indices along an axis: mostly few, sometimes more than are turned into offsets at a time (256).
std::int64_t random_count(test::Random& random) {
  if (random.chance(5)) return 300;
  return random.chance(20) ? 70 : random.integer(0, 6);
}

constexpr const char* names[] = {"index_select", "take", "gather"};

}  // namespace

TEST_CASE("index_select, take and gather: all types, layouts and axes", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(90); ++round) {
      const Memory memory =
          test::random_memory(random, type, test::random_layout(random, random_extents(random)));
      const TensorView a = memory.view();
      const int which = round % 3;
      const std::int64_t axis = random.integer(0, a.rank() - 1);
      const auto at = static_cast<std::size_t>(axis);
      const std::int64_t given_axis = random.chance(50) ? axis : axis - a.rank();
      const std::int64_t extent = which == 1 ? a.numel() : a.extent(axis);
      Dims shape = memory.layout().shape;
      if (which == 0) shape = {random_count(random)};
      if (which == 1) shape = test::random_shape(random, 3);
      if (which == 1 && random.chance(5)) shape = {random_count(random)};
      if (which == 2) {
        for (std::int64_t& length : shape)
          length = random.integer(0, length);
        shape[at] = random_count(random);
      }
      if (extent == 0 && test::product(shape) > 0) continue;
      const Memory places = random_index(random, shape, extent);
      const TensorView index = places.view();
      Dims result = shape;
      if (which == 0) {
        result = memory.layout().shape;
        result[at] = shape[0];
      }
      const auto expected = chosen(a, result, [&](Dims place) {
        if (which == 1) {
          std::int64_t flat = index_at(index, place, extent);
          Dims source(memory.layout().shape.size());
          for (std::size_t i = source.size(); i-- > 0; flat /= memory.layout().shape[i])
            source[i] = flat % memory.layout().shape[i];
          return source;
        }
        place[at] = index_at(index, which == 0 ? Dims{place[at]} : place, extent);
        return place;
      });
      const std::string difference = wrong(random, expected, [&](const weft::Output& out) {
        if (which == 0) weft::index_select_out(out, a, given_axis, index);
        if (which == 1) weft::take_out(out, a, index);
        if (which == 2) weft::gather_out(out, a, given_axis, index);
      });
      tally.check(difference.empty(), [&](auto& text) {
        test::describe(text << names[which] << ' ', a) << " axis " << axis << ' ';
        test::describe(text, index) << ": " << difference;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("scatter and scatter_add: the last stays, sums in order", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const ScalarType type : test::all_types()) {
    for (int round = 0; round < test::rounds(60); ++round) {
      const bool adds = round % 2 == 1;
      // A bool that is any byte becomes 1 when it is copied.
      const auto values = type == ScalarType::boolean ? test::Values::small : test::Values::any;
      const Memory memory = test::random_memory(
          random, type, test::random_layout(random, random_extents(random)), values);
      const TensorView a = memory.view();
      const std::int64_t axis = random.integer(0, a.rank() - 1);
      const auto at = static_cast<std::size_t>(axis);
      const std::int64_t extent = a.extent(axis);
      Dims shape = memory.layout().shape;
      for (std::int64_t& length : shape)
        length = random.integer(0, length);
      shape[at] = random_count(random);
      if (extent == 0 && test::product(shape) > 0) continue;
      const Memory places = random_index(random, shape, extent);
      Dims source_shape = shape;
      for (std::int64_t& length : source_shape)
        length += random.chance(20) ? random.integer(1, 3) : 0;
      const Memory terms = test::random_memory(
          random, type, test::random_layout(random, source_shape), test::Values::small);
      const bool number = random.chance(20);

      test::Dense expected = test::dense_copy(a);
      test::for_each_index(shape, [&](const Dims& place) {
        Dims to = place;
        to[at] = index_at(places.view(), place, extent);
        std::byte* element =
            expected.at(static_cast<std::int64_t>(test::flat_index(memory.layout().shape, to)));
        const std::int64_t one = 1;
        const test::AnyElement term =
            number ? test::as_type(type, ScalarType::i64, &one)
                   : test::as_type(type, type, test::element_at(terms.view(), place));
        if (adds) {
          test::naive_binary(test::Binary::add, type, element, term.bytes, element);
        } else {
          std::memcpy(element, term.bytes, static_cast<std::size_t>(weft::element_size(type)));
        }
      });
      const weft::Scalar one = type == ScalarType::boolean ? weft::Scalar(true) : weft::Scalar(1);
      const auto call = [&](const weft::Output& out, const TensorView& from) {
        if (adds && number) weft::scatter_add_out(out, from, axis - a.rank(), places.view(), one);
        if (adds && !number) weft::scatter_add_out(out, from, axis, places.view(), terms.view());
        if (!adds && number) weft::scatter_out(out, from, axis, places.view(), one);
        if (!adds && !number)
          weft::scatter_out(out, from, axis - a.rank(), places.view(), terms.view());
      };
      std::string difference =
          wrong(random, expected, [&](const weft::Output& out) { call(out, a); });
      const Tensor in_place = Tensor::copy_of(a);
      call(TensorView(in_place), in_place);
      difference += test::difference(in_place, expected);
      tally.check(difference.empty(), [&](auto& text) {
        test::describe(text << (adds ? "scatter_add " : "scatter "), a) << " axis " << axis << ' ';
        test::describe(text, places.view()) << ": " << difference;
      });
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("indexing: the same for any number of threads", "[ops]") {
  WEFT_RANDOM(random);
  const Memory a = test::random_memory(random, ScalarType::f32, test::fit({{300, 400}, {400, 1}}));
  const Memory rows = random_index(random, {500}, 300);
  const Memory places = random_index(random, {300, 900}, 400);
  const Memory terms =
      test::random_memory(random, ScalarType::f32, test::fit({{300, 900}, {1, 300}}));
  std::vector<Tensor> first;
  test::for_thread_counts([&](int threads) {
    const std::vector<Tensor> now = {weft::index_select(a.view(), 0, rows.view()),
                                     weft::gather(a.view(), 1, places.view()),
                                     weft::scatter(a.view(), 1, places.view(), terms.view()),
                                     weft::scatter_add(a.view(), 1, places.view(), terms.view())};
    if (threads == 1) first = now;
    for (std::size_t i = 0; i < now.size(); ++i)
      CHECK(test::difference(now[i], test::dense_copy(first[i])) == "");
  });
}

TEST_CASE("scatter: far more indices than elements, and one of them outside", "[ops]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(60); ++round) {
    const bool few_lines = random.chance(70);
    const std::int64_t axis = random.integer(0, 1), extent = random.integer(1, few_lines ? 20 : 2),
                       others = few_lines ? random.integer(1, 3) : random.integer(2000, 3000),
                       many = few_lines ? random.integer(2000, 20'000) : random.integer(60, 80);
    const Dims bins = axis == 0 ? Dims{extent, others} : Dims{others, extent};
    const Dims shape = axis == 0 ? Dims{many, others} : Dims{others, many};
    const ScalarType type =
        random.pick(std::vector{ScalarType::u8, ScalarType::i32, ScalarType::f64});
    const Memory a = test::random_memory(random, type, test::random_layout(random, bins));
    const test::LayoutKinds kinds{.zero = false};
    const Memory out = test::random_memory(random, type, test::random_layout(random, bins, kinds));
    const Memory index = random_index(random, shape, extent);
    const Tensor terms = Tensor::full(shape, type, 3);
    const weft::Input source = random.chance(50) ? weft::Input(terms) : weft::Input(3);
    const bool in_place = random.chance(50), adds = random.chance(50);
    const TensorView from = in_place ? out.view() : a.view();
    const auto call = [&](const weft::Output& to) {
      adds ? weft::scatter_add_out(to, from, axis, index.view(), source)
           : weft::scatter_out(to, from, axis, index.view(), source);
    };
    const auto says = [&](const char* what) {
      return [&shape, what, axis, type](auto& to) {
        to << what << ": " << name(type) << weft::to_string(shape) << " along " << axis;
      };
    };
    Tensor expected;  // new memory: indices are checked first
    call(expected);
    const test::Dense before = test::dense_copy(out.view());
    const Dims place{random.integer(0, shape[0] - 1), random.integer(0, shape[1] - 1)};
    const ScalarType its = index.view().dtype();
    std::byte* const at = test::element_at(index.view(), place);
    const auto bytes = static_cast<std::size_t>(weft::element_size(its));
    std::byte inside[8];
    std::memcpy(inside, at, bytes);
    const std::int64_t outside =
        weft::is_unsigned_integer(its) || random.chance(50) ? extent : -extent - 1;
    test::convert_element(its, at, ScalarType::i64, &outside);
    test::for_thread_counts([&](int) {
      CHECK_ERROR(axis, ("scatter", "input 1", "is outside axis"), call(out.view()));
      tally.check(test::difference(out.view(), before) == "", says("put back"));
    });
    std::memcpy(at, inside, bytes);
    call(out.view());
    tally.check(test::difference(out.view(), test::dense_copy(expected)) == "", says("result"));
  }
  CHECK_TALLY(tally);
}

TEST_CASE("indexing: points take part as if they had one axis", "[ops]") {
  const Tensor point = Tensor::of<int>({}, {7});
  const Tensor zero = Tensor::of<std::int64_t>({}, {0});
  const Tensor line = Tensor::of<int>({3}, {1, 2, 3});
  CHECK(weft::gather(point, 0, zero).at<int>({}) == 7);
  CHECK(weft::index_select(point, -1, zero).at<int>({}) == 7);
  CHECK(weft::take(line, zero).rank() == 0);
  CHECK(weft::index_select(line, 0, Tensor::of<std::int64_t>({}, {-1})).at<int>({0}) == 3);
  CHECK(weft::scatter(point, 0, zero, 9).at<int>({}) == 9);
}

TEST_CASE("indexing: an output that is the input, and is replaced", "[ops]") {
  Tensor t = Tensor::of<int>({3}, {1, 2, 3});
  weft::take_out(t, t, Tensor::of<std::int64_t>({2, 2}, {2, 1, 0, -1}));
  CHECK(test::difference(t, test::dense_copy(Tensor::of<int>({2, 2}, {3, 2, 1, 3}))) == "");
  weft::index_select_out(t, t, 1, Tensor::of<std::int64_t>({3}, {1, 1, 0}));
  CHECK(test::difference(t, test::dense_copy(Tensor::of<int>({2, 3}, {2, 2, 3, 3, 3, 1}))) == "");
}

TEST_CASE("indexing: strides of axes of one element do not matter", "[ops]") {
  const Tensor memory = Tensor::full({1, 4}, ScalarType::f32, 1);
  const TensorView out = TensorView::trusted(memory.data(), ScalarType::f32, {1, 4}, {99, 1});
  weft::scatter_out(out, memory, 1, Tensor::of<std::int64_t>({1, 1}, {2}), 5);
  CHECK(memory.at<float>(0, 2) == 5);
  CHECK(memory.at<float>(0, 1) == 1);
}

TEST_CASE("indexing: what is refused, with nothing written", "[ops]") {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto index = [](std::initializer_list<std::int64_t> values) {
    return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
  };
  const Tensor out = Tensor::zeros({2, 3}, ScalarType::f32);
  const test::Dense before = test::dense_copy(out);
  const Tensor bad = Tensor::of<std::int64_t>({2, 3}, {0, 1, 2, 0, -4, 5});
  CHECK_ERROR(axis, ("gather", "input 1", "index -4", "[1, 1]", "axis 1", "extent 3"),
              weft::gather_out(TensorView(out), a, 1, bad));
  CHECK_ERROR(axis, ("scatter", "index -4", "[1, 1]", "axis 1"),
              weft::scatter_out(TensorView(out), a, -1, bad, a));
  CHECK_ERROR(axis, ("index_select", "index 3", "[2]", "axis 1", "extent 3"),
              weft::index_select_out(TensorView(out), a, 1, index({0, 1, 3})));
  CHECK_ERROR(axis, ("take", "index 6", "[0]", "6 elements"), weft::take(a, index({6})));
  CHECK_ERROR(axis, ("index"), weft::take(a, index({std::numeric_limits<std::int64_t>::min()})));
  CHECK_ERROR(axis, ("index"), weft::take(a, index({std::numeric_limits<std::int64_t>::max()})));
  const std::uint64_t most = ~std::uint64_t{0};
  CHECK_ERROR(axis, ("take", "index 18446744073709551615", "[1]"),
              weft::take(a, Tensor::of<std::uint64_t>({2}, {0, most})));
  CHECK_ERROR(axis, ("index_select", "index 9223372036854775808", "[0]"),
              weft::index_select(a, 0, Tensor::of<std::uint64_t>({1}, {most / 2 + 1})));
  CHECK_ERROR(axis, ("extent 0"),
              weft::index_select(Tensor::zeros({0}, ScalarType::f32), 0, index({0})));
  CHECK(test::difference(out, before) == "");

  CHECK_ERROR(axis, ("gather", "axis 2"), weft::gather(a, 2, bad));
  CHECK_ERROR(dtype, ("take", "input 1", "f32"), weft::take(a, a));
  CHECK_ERROR(dtype, ("take", "input 1", "bool"),
              weft::take(a, Tensor::zeros({1}, ScalarType::boolean)));
  CHECK_ERROR(dtype, ("gather", "output 0", "expected f32", "f64"),
              weft::gather_out(Tensor::zeros({2, 3}, ScalarType::f64), a, 1, bad));
  CHECK_ERROR(rank, ("gather", "input 1", "rank 2", "got 1"), weft::gather(a, 1, index({0})));
  CHECK_ERROR(rank, ("index_select", "[2, 3]"), weft::index_select(a, 1, bad));
  CHECK_ERROR(shape, ("gather", "input 1", "at most 2", "axis 0", "got 3"),
              weft::gather(a, 1, Tensor::zeros({3, 1}, ScalarType::i64)));
  CHECK_ERROR(shape, ("take", "output 0", "[2]", "[2, 3]"),
              weft::take_out(TensorView(out), a, index({0, 1})));
  CHECK_ERROR(shape, ("scatter", "input 2", "at least 3", "axis 1", "got 2"),
              weft::scatter(a, 1, Tensor::zeros({2, 3}, ScalarType::i64), a.slice(1, 0, 2)));
  CHECK_ERROR(dtype, ("scatter_add", "input 2", "expected f32", "i32"),
              weft::scatter_add(a, 1, bad, Tensor::zeros({2, 3}, ScalarType::i32)));
  CHECK_ERROR(cast, ("scatter", "input 2", "f64", "i64"), weft::scatter(bad, 1, bad, 2.5));
  CHECK_ERROR(overlap, ("gather", "output 0", "input 0"),
              weft::gather_out(TensorView(a), a, 1, Tensor::zeros({2, 3}, ScalarType::i64)));
  CHECK_ERROR(overlap, ("scatter", "output 0", "input 2"),
              weft::scatter_out(TensorView(a), out, 1, Tensor::zeros({2, 3}, ScalarType::i64), a));
  CHECK_ERROR(undefined, ("take", "input 0"), weft::take(TensorView(), index({0})));
  CHECK_ERROR(undefined, ("take", "input 1"), weft::take(a, TensorView()));
  CHECK_ERROR(undefined, ("take", "output 0"), weft::take_out(TensorView(), a, index({0})));
}
