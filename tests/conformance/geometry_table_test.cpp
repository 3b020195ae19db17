// SPDX-License-Identifier: Apache-2.0
// Plans that PyTorch's TensorIterator makes, row by row: order of axes, coalesced shape, byte
// strides and strides of outputs that it allocates. Derived from its published algorithm; here
// under pytorch_order(). Elements have 4 bytes unless a row says otherwise.
#include <weft/iter/config.hpp>

#include "support/errors.hpp"
#include "support/random_layout.hpp"
#include "support/visit.hpp"

#include <list>

namespace {

using test::dims;
using test::Dims;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorIterator;
using weft::TensorIteratorConfig;
using weft::TensorView;

/// Row-major where no strides are given.
struct In {
  Dims shape;
  Dims strides = {};
  ScalarType type = ScalarType::f32;
};

/// Operands with memory of their own, and the config over them.
class Case {
 public:
  Case&& output(const In& out) && {
    outputs_.push_back(view(out));
    return std::move(*this);
  }
  Case&& input(const In& in) && {
    inputs_.push_back(view(in));
    return std::move(*this);
  }
  template <class Rule>
  Case&& with(Rule rule) && {
    rule(config_);
    return std::move(*this);
  }

  /// One output to allocate unless some are given.
  TensorIterator build() && {
    if (outputs_.empty()) config_.add_output();
    for (const TensorView& out : outputs_)
      config_.add_output(out);
    for (const TensorView& in : inputs_)
      config_.add_input(in);
    return config_.pytorch_order().build();
  }

 private:
  TensorView view(const In& in) {
    const Dims strides = in.strides.empty() ? test::row_major(in.shape) : in.strides;
    memory_.emplace_back(in.type, test::fit({in.shape, strides}));
    return memory_.back().view();
  }

  std::list<test::Memory> memory_;
  std::list<TensorView> outputs_, inputs_;
  TensorIteratorConfig config_;
};

Case unary(const In& in) { return Case().input(in); }
Case binary(const In& a, const In& b) { return Case().input(a).input(b); }
Case reduction(const In& out, const In& in) {
  return Case().output(out).input(in).with(
      [](auto& config) { config.is_reduction(true).resize_outputs(false); });
}

/// What a row of the table says. An empty perm is not looked at: PyTorch takes a shortcut there.
struct Row {
  Dims perm;
  Dims shape;
  std::vector<Dims> strides_bytes;
  Dims new_strides = {};
};

void check(const TensorIterator& iter, const Row& row) {
  if (!row.perm.empty()) CHECK(test::perm_of(iter) == row.perm);
  CHECK(dims(iter.shape()) == row.shape);
  REQUIRE(iter.ntensors() == static_cast<int>(row.strides_bytes.size()));
  for (int k = 0; k < iter.ntensors(); ++k) {
    CAPTURE(k);
    CHECK(dims(iter.strides(k)) == row.strides_bytes[static_cast<std::size_t>(k)]);
  }
  if (iter.operand(0).allocated) {
    CHECK(dims(iter.allocated_output().strides()) == row.new_strides);
  } else {
    CHECK(row.new_strides.empty());
  }
}
void check(Case&& c, const Row& row) { check(std::move(c).build(), row); }

const Dims channels_last = {60, 1, 15, 3};  // of [2, 3, 4, 5]

}  // namespace

TEST_CASE("geometry table: operands of one shape", "[conformance]") {
  check(binary({{2, 3, 4}}, {{2, 3, 4}}), {{}, {24}, {{4}, {4}, {4}}, {12, 4, 1}});
  check(binary({{}}, {{}}), {{}, {}, {{}, {}, {}}, {}});
  check(binary({{4, 3}, {1, 4}}, {{4, 3}, {1, 4}}), {{}, {12}, {{4}, {4}, {4}}, {1, 4}});
  check(binary({{4, 1, 5}, {5, 77, 1}}, {{4, 1, 5}, {5, 77, 1}}),
        {{}, {20}, {{4}, {4}, {4}}, {5, 5, 1}});
  check(unary({{2, 3, 1, 1}, {3, 1, 3, 3}}), {{}, {6}, {{4}, {4}}, {3, 1, 1, 1}});
}

TEST_CASE("geometry table: broadcasting", "[conformance]") {
  check(binary({{3, 1}}, {{1, 4}}), {{1, 0}, {4, 3}, {{4, 16}, {0, 4}, {4, 0}}, {4, 1}});
  check(binary({{2, 3, 4}}, {{3, 4}}),
        {{2, 1, 0}, {12, 2}, {{4, 48}, {4, 48}, {4, 0}}, {12, 4, 1}});
  check(binary({{2, 3, 4}}, {{4}}), {{2, 1, 0}, {4, 6}, {{4, 16}, {4, 16}, {4, 0}}, {12, 4, 1}});
  check(binary({{2, 3, 4}}, {{2, 1, 4}}),
        {{2, 1, 0}, {4, 3, 2}, {{4, 16, 48}, {4, 16, 48}, {4, 0, 16}}, {12, 4, 1}});
  check(binary({{2, 3, 4}}, {{}}), {{2, 1, 0}, {24}, {{4}, {4}, {0}}, {12, 4, 1}});
  check(binary({{1}}, {{5}}), {{0}, {5}, {{4}, {0}, {4}}, {1}});
  check(binary({{1, 1, 5}}, {{4, 1, 5}}),
        {{2, 1, 0}, {5, 4}, {{4, 20}, {4, 0}, {4, 20}}, {5, 5, 1}});
  check(binary({{0, 3}}, {{1, 3}}), {{1, 0}, {3, 0}, {{4, 12}, {4, 12}, {4, 0}}, {3, 1}});
  check(binary({{3, 4}, {0, 1}}, {{3, 4}}), {{1, 0}, {4, 3}, {{4, 16}, {4, 0}, {4, 16}}, {4, 1}});
  check(unary({{3, 4}, {0, 0}}), {{1, 0}, {12}, {{4}, {0}}, {4, 1}});
}

TEST_CASE("geometry table: where, over three types", "[conformance]") {
  check(Case()
            .input({{4, 5}, {}, ScalarType::boolean})
            .input({{4, 1}})
            .input({{5}})
            .with([](auto& config) {
              config.check_all_same_dtype(false).declare_static_dtype(ScalarType::f32);
            }),
        {{1, 0}, {5, 4}, {{4, 20}, {1, 5}, {0, 4}, {4, 0}}, {5, 1}});
}

TEST_CASE("geometry table: the first operand decides", "[conformance]") {
  const In a = {{4, 2, 3}, {6, 1, 2}};
  const In b = {{4, 2, 3}};
  check(binary(a, b), {{1, 2, 0}, {2, 3, 4}, {{4, 8, 24}, {4, 8, 24}, {12, 4, 24}}, {6, 1, 2}});
  check(binary(b, a), {{2, 1, 0}, {3, 2, 4}, {{4, 12, 24}, {4, 12, 24}, {8, 4, 24}}, {6, 3, 1}});
}

TEST_CASE("geometry table: pitched and sliced operands", "[conformance]") {
  check(unary({{6, 4}, {8, 1}}), {{1, 0}, {4, 6}, {{4, 16}, {4, 32}}, {4, 1}});
  check(unary({{2, 3, 4}, {24, 8, 2}}), {{2, 1, 0}, {24}, {{4}, {8}}, {12, 4, 1}});
  // Permuted in any way: one dim, and an equally permuted dense output.
  Dims order = {0, 1, 2};
  int permutations = 0;
  do {
    CAPTURE(weft::to_string(order));
    const Dims extents = {2, 3, 4};
    const Dims sliced = {24, 8, 2};
    const Dims dense = {12, 4, 1};
    In in;
    Row row{{}, {24}, {{4}, {8}}, {}};
    for (const std::int64_t axis : order) {
      in.shape.push_back(extents[static_cast<std::size_t>(axis)]);
      in.strides.push_back(sliced[static_cast<std::size_t>(axis)]);
      row.new_strides.push_back(dense[static_cast<std::size_t>(axis)]);
    }
    check(unary(in), row);
    ++permutations;
  } while (std::next_permutation(order.begin(), order.end()));
  CHECK(permutations == 6);
}

TEST_CASE("geometry table: channels last", "[conformance]") {
  const In last = {{2, 3, 4, 5}, channels_last};
  const In first = {{2, 3, 4, 5}};
  check(unary(last), {{}, {120}, {{4}, {4}}, channels_last});
  check(binary(last, first),
        {{1, 3, 2, 0}, {3, 20, 2}, {{4, 12, 240}, {4, 12, 240}, {80, 4, 240}}, channels_last});
  check(binary(first, last),
        {{3, 2, 1, 0}, {20, 3, 2}, {{4, 80, 240}, {4, 80, 240}, {12, 4, 240}}, {60, 20, 5, 1}});
  const In bias = {{3, 1, 1}};
  check(binary(last, bias), {{1, 3, 2, 0}, {3, 40}, {{4, 12}, {4, 12}, {4, 0}}, channels_last});
  check(binary(bias, last), {{1, 3, 2, 0}, {3, 40}, {{4, 12}, {4, 0}, {4, 12}}, channels_last});
}

TEST_CASE("geometry table: in C order", "[conformance]") {
  const auto linear = [](auto& config) { config.enforce_linear_iteration(); };
  check(unary({{4, 3}, {1, 4}}).with(linear), {{1, 0}, {3, 4}, {{4, 12}, {16, 4}}, {3, 1}});
  check(unary({{2, 3, 4}}).with(linear), {{}, {24}, {{4}, {4}}, {12, 4, 1}});
}

TEST_CASE("geometry table: given outputs", "[conformance]") {
  check(Case().output({{3, 4}, {1, 3}}).input({{3, 4}}).input({{3, 4}}),
        {{0, 1}, {3, 4}, {{4, 12}, {16, 4}, {16, 4}}});
  check(Case().output({{64, 128}}).input({{64, 128}, {1, 64}}),
        {{1, 0}, {128, 64}, {{4, 512}, {256, 4}}});
  // A tensor of the wrong shape is replaced.
  Tensor out = Tensor::zeros({7}, ScalarType::f32);
  const Tensor in = Tensor::zeros({3, 4}, ScalarType::f32);
  check(TensorIteratorConfig().add_output(out).add_input(in).pytorch_order().build(),
        {{}, {12}, {{4}, {4}}, {4, 1}});
  CHECK(dims(out.shape()) == Dims{3, 4});
}

TEST_CASE("geometry table: reductions", "[conformance]") {
  check(reduction({{3, 1}}, {{3, 4}}), {{1, 0}, {4, 3}, {{0, 4}, {4, 16}}});
  check(reduction({{1, 4}}, {{3, 4}}), {{0, 1}, {3, 4}, {{0, 4}, {16, 4}}});
  check(reduction({{2, 1, 4}}, {{2, 3, 4}}), {{1, 2, 0}, {3, 4, 2}, {{0, 4, 16}, {16, 4, 48}}});
  check(reduction({{1, 3, 1}}, {{2, 3, 4}}), {{2, 0, 1}, {4, 2, 3}, {{0, 0, 4}, {4, 48, 16}}});
  check(reduction({{2, 1, 1}}, {{2, 3, 4}}), {{2, 1, 0}, {12, 2}, {{0, 4}, {4, 48}}});
  check(reduction({{1, 1, 1}}, {{2, 3, 4}}), {{2, 1, 0}, {24}, {{0}, {4}}});
  check(reduction({{4, 1, 5}}, {{4, 1, 5}}), {{2, 1, 0}, {20}, {{4}, {4}}});
  check(reduction({{2, 3, 1, 1}}, {{2, 3, 4, 5}, channels_last}),
        {{3, 2, 1, 0}, {20, 3, 2}, {{0, 4, 12}, {12, 4, 240}}});
  check(Case().output({{2, 3, 1}}).output({{2, 3, 1}}).input({{2, 3, 4}}).with([](auto& config) {
    config.is_reduction(true).resize_outputs(false);
  }),
        {{2, 1, 0}, {4, 6}, {{0, 4}, {0, 4}, {4, 16}}});
}

TEST_CASE("geometry table: a squashed dim, as for cumsum", "[conformance]") {
  check(Case().output({{2, 3, 4}}).input({{2, 3, 4}}).with([](auto& config) {
    config.resize_outputs(false).declare_static_shape({2, 3, 4}, {1});
  }),
        {{2, 1, 0}, {4, 2}, {{4, 48}, {4, 48}}});
}

TEST_CASE("geometry table: errors", "[conformance]") {
  CHECK_ERROR(shape, ("3 and 4", "axis 1"), binary({{2, 3}}, {{2, 4}}).build());
  CHECK_ERROR(shape, ("output 0", "[1, 4]", "doesn't match the broadcast shape", "[3, 4]"),
              Case()
                  .output({{1, 4}})
                  .input({{3, 4}})
                  .with([](auto& config) { config.resize_outputs(false); })
                  .build());
}
