// SPDX-License-Identifier: Apache-2.0
// The whole of build(), and walking what it built: over random operands, every iterator visits
// exactly the offset tuples that broadcasting by definition gives.
#include <weft/iter/config.hpp>

#include "support/arena.hpp"
#include "support/random_layout.hpp"
#include "support/tally.hpp"
#include "support/visit.hpp"

#include <list>

namespace {

using test::Dims;
using weft::ScalarType;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// Random operands that broadcast to one shape, and the rules to build with.
struct Sample {
  Dims common;
  int outputs = 0;
  std::list<test::Memory> memory;  // a list: views refer to the elements
  std::vector<TensorView> views;
  bool allocate = false;
  bool linear = false;
  bool pytorch = false;

  explicit Sample(test::Random& random) {
    const Dims wanted = test::random_shape(random, 4, 4);
    outputs = static_cast<int>(random.integer(0, 2));
    allocate = random.chance(40);
    linear = random.chance(20);
    pytorch = random.chance(25);
    std::vector<Dims> shapes;
    for (std::int64_t inputs = random.integer(outputs == 0 ? 1 : 0, 4 - outputs); inputs > 0;
         --inputs) {
      shapes.push_back(test::random_operand_shape(random, wanted));
    }
    // Without inputs the outputs say what the shape is.
    common = shapes.empty() ? wanted : *test::naive_broadcast(shapes);
    if (shapes.empty()) allocate = false;
    for (int k = 0; k < outputs && !allocate; ++k) {
      add(random, common, {.zero = false});
    }
    for (const Dims& shape : shapes)
      add(random, shape, {});
    for (const test::Memory& m : memory)
      views.push_back(m.view());
  }

  void add(test::Random& random, const Dims& shape, test::LayoutKinds kinds) {
    const auto type = random.pick<ScalarType>({ScalarType::u8, ScalarType::f32, ScalarType::c128});
    memory.emplace_back(type, test::random_layout(random, shape, kinds));
  }

  TensorIterator build() const {
    TensorIteratorConfig config;
    for (int k = 0; k < outputs && allocate; ++k)
      config.add_output();
    const std::size_t given = allocate ? 0 : static_cast<std::size_t>(outputs);
    for (std::size_t k = 0; k < given; ++k)
      config.add_output(views[k]);
    for (std::size_t k = given; k < views.size(); ++k)
      config.add_input(views[k]);
    config.check_all_same_dtype(false).declare_static_dtype(ScalarType::i16);
    config.enforce_linear_iteration(linear).pytorch_order(pytorch);
    return config.build();
  }

  /// Of an iterator built from this: what to expect of its operands, allocated ones included.
  std::vector<test::NaiveOperand> naive(const TensorIterator& iter) const {
    std::vector<test::NaiveOperand> all;
    for (int k = 0; k < outputs && allocate; ++k) {
      all.push_back({common, test::dims(iter.tensor(k).strides()), 2});
    }
    for (const test::Memory& m : memory)
      all.push_back(m.naive());
    return all;
  }

  void describe(std::ostream& out) const {
    out << outputs << (allocate ? " new" : " given") << " outputs" << (linear ? ", linear" : "")
        << (pytorch ? ", as PyTorch:" : ":");
    for (const TensorView& view : views) {
      out << ' ' << weft::to_string(view.shape()) << weft::to_string(view.strides())
          << weft::name(view.dtype());
    }
  }
};

/// All bytes of a dense tensor, each once.
bool is_dense(const TensorView& view) {
  std::vector<std::int64_t> offsets;
  const test::NaiveOperand naive{test::dims(view.shape()), test::dims(view.strides()), 1};
  test::for_each_index(naive.shape,
                       [&](const Dims& i) { offsets.push_back(test::naive_offset(naive, i)); });
  std::sort(offsets.begin(), offsets.end());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("build: visits what broadcasting says, in one dim after the other", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(20000); ++round) {
    const Sample sample(random);
    const TensorIterator iter = sample.build();
    const std::vector<Dims> wanted = test::naive_offsets(sample.common, sample.naive(iter));
    const std::vector<Dims> got = test::visited(iter);
    bool right = test::sorted(got) == test::sorted(wanted);
    // Linear: in C order, element by element.
    if (sample.linear) right = right && got == wanted;
    right = right && iter.numel() == static_cast<std::int64_t>(wanted.size());
    right = right && test::dims(iter.common_shape()) == sample.common;
    right = right && iter.numel() == test::product(test::dims(iter.shape()));
    Dims axes = test::perm_of(iter);
    std::sort(axes.begin(), axes.end());
    for (std::size_t d = 0; d < axes.size(); ++d)
      right = right && axes[d] == static_cast<std::int64_t>(d);
    right = right && axes.size() == sample.common.size();
    for (int k = 0; k < sample.outputs && sample.allocate; ++k) {
      right = right && is_dense(iter.tensor(k)) && iter.operand(k).allocated;
      right = right && iter.dtype(k) == ScalarType::i16;
    }
    tally.check(right, [&](auto& out) { sample.describe(out); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("build: parts of the range are parts of the walk", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(6000); ++round) {
    const Sample sample(random);
    const TensorIterator iter = sample.build();
    const std::vector<Dims> all = test::visited(iter);
    std::vector<Dims> parts;
    for (std::int64_t begin = 0; begin < iter.numel();) {
      const std::int64_t end = random.integer(begin + 1, std::min(iter.numel(), begin + 40));
      const std::vector<Dims> part = test::visited(iter, {begin, end});
      parts.insert(parts.end(), part.begin(), part.end());
      begin = end;
    }
    tally.check(parts == all, [&](auto& out) { sample.describe(out); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("build: threads share the walk without gap or repeat", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (const int threads : {1, 2, 3, 4, 8}) {
    test::in_arena(threads, [&] {
      for (int round = 0; round < test::rounds(600); ++round) {
        const Sample sample(random);
        const TensorIterator iter = sample.build();
        const std::vector<Dims> wanted =
            test::sorted(test::naive_offsets(sample.common, sample.naive(iter)));
        for (const std::int64_t grain :
             {std::int64_t{1}, random.integer(2, 20), std::int64_t{100}}) {
          test::Recorder recorder(iter);
          iter.for_each(recorder, grain);
          tally.check(test::sorted(recorder.tuples()) == wanted, [&](auto& out) {
            out << threads << " threads, grain " << grain << ", ";
            sample.describe(out);
          });
        }
      }
    });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("build: cutting an iterator again and again loses nothing", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(4000); ++round) {
    const Sample sample(random);
    const TensorIterator whole = sample.build();
    std::vector<TensorIterator> parts = {whole};
    for (int cut = 0; cut < 6; ++cut) {
      auto& part = parts[static_cast<std::size_t>(
          random.integer(0, static_cast<std::int64_t>(parts.size()) - 1))];
      if (part.ndim() == 0) continue;
      const auto dim = static_cast<int>(random.integer(0, part.ndim() - 1));
      if (part.shape()[static_cast<std::size_t>(dim)] < 2) continue;
      const TensorIterator first = part.split(dim);
      parts.push_back(first);
    }
    std::vector<Dims> got;
    for (const TensorIterator& part : parts) {
      const std::vector<Dims> own = test::visited(part);
      got.insert(got.end(), own.begin(), own.end());
    }
    tally.check(test::sorted(got) == test::sorted(test::visited(whole)),
                [&](auto& out) { sample.describe(out); });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("build: a + b and b + a are walked and laid out alike", "[properties]") {
  WEFT_RANDOM(random);
  test::Tally tally;
  for (int round = 0; round < test::rounds(10000); ++round) {
    const Dims common = test::random_shape(random, 4);
    const auto operand = [&] {
      return test::Memory(ScalarType::f32,
                          test::random_layout(random, test::random_operand_shape(random, common)));
    };
    const test::Memory a = operand();
    const test::Memory b = operand();
    const TensorView views[] = {a.view(), b.view()};
    const TensorIterator ab =
        TensorIteratorConfig().add_output().add_input(views[0]).add_input(views[1]).build();
    const TensorIterator ba =
        TensorIteratorConfig().add_output().add_input(views[1]).add_input(views[0]).build();
    bool right = test::perm_of(ab) == test::perm_of(ba);
    right = right && test::dims(ab.shape()) == test::dims(ba.shape());
    right = right && test::dims(ab.tensor(0).strides()) == test::dims(ba.tensor(0).strides());
    right = right && test::dims(ab.strides(0)) == test::dims(ba.strides(0));
    right = right && test::dims(ab.strides(1)) == test::dims(ba.strides(2));
    right = right && test::dims(ab.strides(2)) == test::dims(ba.strides(1));
    tally.check(right, [&](auto& out) {
      for (const TensorView& v : views) {
        out << weft::to_string(v.shape()) << weft::to_string(v.strides()) << ' ';
      }
    });
  }
  CHECK_TALLY(tally);
}
