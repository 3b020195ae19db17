// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random loops: any number of iterators, states, invariants and outputs around a random body.
#pragma once

#include "recurrent/loops.hpp"
#include "support/seed.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace test {

using Dims = std::vector<std::int64_t>;

struct RandomLoop {
  LoopSpec spec;
  Graph body{"body"};
  std::vector<Tensor> inputs;
  std::int64_t trips = 0;  ///< that it has if nothing ends it before
  Dims shape;              ///< of the states
};

/// What a loop is to be made with.
struct RandomLoopOptions {
  bool conditions = true;  ///< it may end by a head or a condition
  bool lengths = true;     ///< outputs may be longer than the loop
  bool last_values = true;
  bool plain_iterators = false;  ///< every element of an axis, forwards, the axis dropped
  bool joins = true;
  bool index = true;   ///< the body sees the number of the trip
  bool counts = true;  ///< there may be a count besides iterators
  std::optional<Dims> shape = {};
  bool by_rows = false;  ///< axis 0 of the shape is one of rows, which do not meet
  int least_trips = 0;
};

class RandomLoopMaker {
 public:
  RandomLoopMaker(Random& random, RandomLoopOptions options = {})
      : random_(random), options_(options) {}

  RandomLoop make() {
    type_ = random_.pick(std::vector<ScalarType>{ScalarType::f32, ScalarType::f64, ScalarType::i32,
                                                 ScalarType::i64, ScalarType::u8, ScalarType::f16});
    loop_ = {};
    pool_.clear();
    loop_.spec.name = "random";
    loop_.trips = random_.integer(options_.least_trips, random_.chance(10) ? 300 : 9);
    const std::int64_t rank = random_.integer(0, 3);
    for (std::int64_t a = 0; a < rank; ++a)
      loop_.shape.push_back(random_.chance(10) ? 17 : random_.integer(1, 4));
    if (options_.shape) loop_.shape = *options_.shape;
    add_parameters();
    for (std::int64_t i = random_.integer(1, 8); i > 0; --i)
      add_operation();
    set_states();
    set_limit();
    add_outputs();
    return std::move(loop_);
  }

 private:
  struct Pooled {
    Value value;
    Dims shape;
  };
  Graph& body() { return loop_.body; }
  int next_parameter() { return static_cast<int>(body().parameters().size()); }

  /// A tensor of small numbers, sometimes with its axes in another order in memory.
  Tensor tensor(const Dims& shape, ScalarType type) {
    const std::vector<std::int64_t> order =
        random_.chance(50) ? random_.permutation(static_cast<std::int64_t>(shape.size()))
                           : identity(shape.size());
    Dims stored;
    for (const std::int64_t axis : order)
      stored.push_back(shape[static_cast<std::size_t>(axis)]);
    std::vector<double> values;
    for (std::int64_t i = weft::numel(stored); i > 0; --i)
      values.push_back(static_cast<double>(random_.integer(-8, 8)) / 4);
    const Tensor out = tensor_of(type, stored, values);
    std::vector<std::int64_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    return Tensor::share(out.owner(), out.permute(back));
  }
  static std::vector<std::int64_t> identity(std::size_t n) {
    std::vector<std::int64_t> out(n);
    for (std::size_t i = 0; i < n; ++i)
      out[i] = static_cast<std::int64_t>(i);
    return out;
  }
  int add_input(const Tensor& tensor) {
    loop_.inputs.push_back(tensor);
    return static_cast<int>(loop_.inputs.size()) - 1;
  }
  Value add_parameter(const Dims& shape, const std::string& name) {
    const Value value = body().add_parameter({type_, PartialShape(shape)}, name);
    pool_.push_back({value, shape});
    return value;
  }
  /// A shape that broadcasts to the states'.
  Dims smaller_shape() {
    Dims shape = loop_.shape;
    if (options_.by_rows) return {shape.begin() + 1, shape.end()};
    for (std::int64_t& extent : shape) {
      if (random_.chance(20)) extent = 1;
    }
    while (!shape.empty() && random_.chance(15))
      shape.erase(shape.begin());
    return shape;
  }

  void add_iterator(std::size_t number) {
    LoopIterator it{.parameter = next_parameter()};
    const bool whole_shape = options_.by_rows || random_.chance(60);
    Dims element = whole_shape ? loop_.shape : smaller_shape();
    Dims whole = element;
    const auto rank = static_cast<std::int64_t>(element.size());
    it.keep_axis = !options_.plain_iterators && rank > 0 && random_.chance(40);
    std::size_t axis;
    std::int64_t size = 1;
    if (it.keep_axis) {
      axis = static_cast<std::size_t>(random_.integer(0, rank - 1));
      size = element[axis];
    } else {
      axis = static_cast<std::size_t>(random_.integer(0, rank));
      whole.insert(whole.begin() + static_cast<std::ptrdiff_t>(axis), 0);
    }
    const bool plain = options_.plain_iterators;
    const std::int64_t stride = plain || random_.chance(60) ? size : random_.integer(1, 3);
    const std::int64_t before = !plain && random_.chance(30) ? random_.integer(0, 2) : 0;
    const std::int64_t after = !plain && random_.chance(30) ? random_.integer(0, 2) : 0;
    const std::int64_t length = loop_.trips == 0 ? 0 : (loop_.trips - 1) * stride + size;
    const std::int64_t extent = before + length + after;
    const auto position = [&](std::int64_t at) {
      return random_.chance(50) ? at : at - extent - 1;
    };
    whole[axis] = extent;
    it.range = {position(before), position(before + length), stride, size};
    if (!plain && random_.chance(40)) {
      std::swap(it.range.start, it.range.end);
      it.range.stride = -stride;
    }
    if (plain) it.range = {};
    const auto whole_rank = static_cast<std::int64_t>(whole.size());
    it.axis = static_cast<std::int64_t>(axis) - (random_.chance(30) ? whole_rank : 0);
    it.input = add_input(tensor(whole, type_));
    add_parameter(element, "x" + std::to_string(number));
    loop_.spec.iterators.push_back(it);
  }
  void add_parameters() {
    const std::int64_t niterators = random_.integer(options_.counts ? 0 : 1, 3);
    for (std::int64_t i = 0; i < niterators; ++i)
      add_iterator(static_cast<std::size_t>(i));
    for (std::int64_t j = random_.integer(1, 3); j > 0; --j) {
      loop_.spec.states.push_back({.parameter = next_parameter()});
      loop_.spec.states.back().input = add_input(tensor(loop_.shape, type_));
      add_parameter(loop_.shape, "s" + std::to_string(j));
    }
    for (std::int64_t i = random_.integer(0, 2); i > 0; --i) {
      const Dims shape = smaller_shape();
      loop_.spec.invariants.push_back(
          {.input = add_input(tensor(shape, type_)), .parameter = next_parameter()});
      add_parameter(shape, "c" + std::to_string(i));
    }
    if (!options_.index) return;
    index_type_ = random_.chance(50) ? ScalarType::i32 : ScalarType::i64;
    loop_.spec.indexes.push_back(next_parameter());
    index_ = body().add_parameter({index_type_, {}}, "i");
    if (random_.chance(50)) {
      pool_.push_back(
          {body().add("Convert", {index_}, {{"destination_type", std::string(name(type_))}}), {}});
    }
  }

  Value combine(const char* op, const Pooled& a, const Pooled& b) {
    const Value value = body().add(op, {a.value, b.value});
    const weft::DimVector shape =
        weft::broadcast_shapes(weft::IntSpan(a.shape), weft::IntSpan(b.shape));
    pool_.push_back({value, {shape.begin(), shape.end()}});
    return value;
  }
  void add_operation() {
    const Pooled a = random_.pick(pool_), b = random_.pick(pool_);
    const std::int64_t kind = random_.integer(0, 7);
    const bool has_products = type_ == ScalarType::f32 || type_ == ScalarType::f64;
    if (kind == 7 && has_products && !a.shape.empty()) {
      // Of slices alone, it is done for many trips at a time.
      const std::int64_t width = a.shape.back();
      const Value matrix = body().add_constant(Tensor::copy_of(tensor({width, width}, type_)));
      const bool turned = random_.chance(50);
      pool_.push_back(
          {body().add("MatMul", {a.value, matrix}, {{"transpose_b", turned}}), a.shape});
    } else if (kind >= 6) {
      pool_.push_back({body().add("Relu", {a.value}), a.shape});
      if (type_ == ScalarType::u8) pool_.pop_back();
    } else {
      const char* ops[] = {"Add", "Subtract", "Multiply", "Maximum", "Minimum", "Add"};
      combine(ops[kind], a, b);
    }
  }
  /// A value of the states' shape.
  Value state_like() {
    for (int tries = 0; tries < 4; ++tries) {
      const Pooled& drawn = random_.pick(pool_);
      if (drawn.shape == loop_.shape) return drawn.value;
    }
    const int state = loop_.spec.states[0].parameter;
    const Value own{body().parameters()[static_cast<std::size_t>(state)], 0};
    return combine("Subtract", {own, loop_.shape}, random_.pick(pool_));
  }
  void set_states() {
    for (LoopState& state : loop_.spec.states)
      state.result = body().add_result(state_like());
  }

  void set_limit() {
    LoopSpec& spec = loop_.spec;
    const bool counted = options_.counts && (spec.iterators.empty() || random_.chance(40));
    if (counted) {
      const bool narrow = random_.chance(50);
      spec.count = add_input(tensor_of(narrow ? ScalarType::i32 : ScalarType::i64,
                                       random_.chance(50) ? Dims{} : Dims{1},
                                       {static_cast<double>(loop_.trips)}));
      for (LoopIterator& it : spec.iterators)
        it.limits_trips = random_.chance(50);
    }
    if (!options_.conditions) return;
    const auto below = [&](std::int64_t limit) {
      const Value most =
          body().add_constant(tensor_of(index_type_, {}, {static_cast<double>(limit)}));
      return body().add_result(body().add("Less", {index_, most}));
    };
    if (random_.chance(25)) spec.next_condition = below(random_.integer(0, 10));
    if (random_.chance(25)) spec.head = below(random_.integer(0, 10));
    if (random_.chance(20)) spec.first_condition = add_input(truth(random_.chance(80)));
  }

  void add_outputs() {
    using Kind = LoopOutputKind;
    LoopSpec& spec = loop_.spec;
    const bool ends_early = spec.next_condition || spec.head || spec.first_condition;
    for (std::int64_t o = random_.integer(1, 5); o > 0; --o) {
      LoopOutput out;
      const Pooled value = random_.pick(pool_);
      const auto rank = static_cast<std::int64_t>(value.shape.size());
      const std::int64_t kind = random_.integer(0, 9);
      if (kind < 2) {
        out.kind = Kind::last_state;
        out.state =
            static_cast<int>(random_.integer(0, static_cast<std::int64_t>(spec.states.size()) - 1));
      } else if (kind == 2 && options_.last_values && !ends_early && loop_.trips > 0) {
        out.kind = Kind::last_value;
        out.result = body().add_result(value.value);
      } else if (kind == 3 && options_.joins) {
        out.kind = spec.next_condition ? Kind::condition : Kind::trips;
      } else {
        out.kind = kind < 7 || !options_.joins ? Kind::stack : Kind::join;
        out.result = body().add_result(value.value);
        const std::int64_t axes =
            out.kind == Kind::stack ? rank + 1 : std::max<std::int64_t>(rank, 1);
        out.axis = random_.integer(-axes, axes - 1);
        out.backwards = random_.chance(40);
        if (out.kind == Kind::stack && options_.lengths && random_.chance(20)) {
          out.length =
              add_input(integers({}, {static_cast<double>(loop_.trips + random_.integer(0, 3))}));
        }
      }
      spec.outputs.push_back(out);
    }
  }

  Random& random_;
  RandomLoopOptions options_;
  RandomLoop loop_;
  ScalarType type_ = ScalarType::f32;
  std::vector<Pooled> pool_;
  Value index_;
  ScalarType index_type_ = ScalarType::i64;
};

/// Lines that describe a loop, for a failing test.
inline std::string describe(const RandomLoop& loop) {
  std::string out =
      "trips " + std::to_string(loop.trips) + ", states " + to_string(weft::IntSpan(loop.shape));
  for (const LoopIterator& it : loop.spec.iterators) {
    out += "\niterator of " + to_string(loop.inputs[static_cast<std::size_t>(it.input)].shape()) +
           " axis " + std::to_string(it.axis) + " start " + std::to_string(it.range.start) +
           " end " + std::to_string(it.range.end) + " stride " + std::to_string(it.range.stride) +
           " size " + std::to_string(it.range.part_size.value_or(0)) +
           (it.keep_axis ? " keep" : " drop") + (it.limits_trips ? " limits" : "");
  }
  for (const auto& node : loop.body.nodes()) {
    out += "\n" + describe(node) + " of";
    for (const Value input : node.inputs)
      out += " " + std::to_string(input.node);
  }
  for (const auto& result : loop.body.results())
    out += "\nresult " + std::to_string(result.value.node);
  for (const LoopState& state : loop.spec.states)
    out += "\nstate: parameter " + std::to_string(state.parameter) + " result " +
           std::to_string(state.result);
  for (const LoopOutput& output : loop.spec.outputs) {
    out += "\noutput kind " + std::to_string(static_cast<int>(output.kind)) + " state " +
           std::to_string(output.state) + " result " + std::to_string(output.result) + " axis " +
           std::to_string(output.axis) + (output.backwards ? " backwards" : "") +
           (output.length ? " length" : "");
  }
  if (loop.spec.head) out += "\nhead " + std::to_string(*loop.spec.head);
  if (loop.spec.next_condition) out += "\ncondition " + std::to_string(*loop.spec.next_condition);
  return out;
}

}  // namespace test
