// SPDX-License-Identifier: Apache-2.0
/// @file
/// What a loop means, said as plainly as possible: the body is compiled and run for every trip on
/// copies of everything. The oracle for loops.
#pragma once

#include <weft/ops/copy.hpp>

#include "recurrent/loops.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace test {

class NaiveLoop {
 public:
  NaiveLoop(const LoopSpec& spec, const Graph& body, const std::vector<Tensor>& inputs)
      : spec_(spec), body_(body), inputs_(inputs) {}

  std::vector<Tensor> run() {
    std::vector<Tensor> states;
    for (const LoopState& state : spec_.states)
      states.push_back(state.sliced ? slice(*state.sliced, 0) : input(state.input).clone());
    std::vector<std::vector<Tensor>> results;  // by trip
    bool go = !spec_.first_condition || truth_of(input(*spec_.first_condition));
    std::int64_t trips = 0;
    for (; go && !at_limit(trips); ++trips) {
      const std::vector<Tensor> parameters = parameters_of(trips, states);
      if (spec_.head && !truth_of(evaluate(parameters, {*spec_.head})[0])) break;
      std::vector<int> all;
      for (std::size_t r = 0; r < body_.results().size(); ++r)
        all.push_back(static_cast<int>(r));
      results.push_back(evaluate(parameters, all));
      const std::vector<Tensor>& now = results.back();
      if (spec_.next_condition) go = truth_of(now[static_cast<std::size_t>(*spec_.next_condition)]);
      for (std::size_t j = 0; j < states.size(); ++j) {
        Tensor next = now[static_cast<std::size_t>(spec_.states[j].result)].clone();
        if (spec_.rows) end_rows(next, states[j], trips);
        states[j] = next;
      }
    }
    trips_ = trips;
    std::vector<Tensor> outputs;
    for (const LoopOutput& output : spec_.outputs)
      outputs.push_back(gather(output, states, results, go));
    return outputs;
  }
  std::int64_t trips() const { return trips_; }

 private:
  const Tensor& input(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
  static bool truth_of(const TensorView& view) { return doubles(view).at(0) != 0; }
  static std::int64_t integer(const TensorView& view) {
    return view.dtype() == ScalarType::i32 ? *view.data_as<std::int32_t>()
                                           : *view.data_as<std::int64_t>();
  }

  bool at_limit(std::int64_t i) const {
    if (spec_.most_trips && i >= *spec_.most_trips) return true;
    if (spec_.count) {
      const std::int64_t count = integer(input(*spec_.count));
      const bool no_limit = count < 0 && spec_.negative_count_is_endless;
      if (!no_limit && i >= count) return true;
    }
    if (spec_.rows && i >= longest_row()) return true;
    for (const LoopIterator& iterator : spec_.iterators) {
      if (iterator.limits_trips && !iterator.from_count && i >= slices(iterator).count) return true;
    }
    return false;
  }
  std::int64_t longest_row() const {
    double most = 0;
    for (const double length : doubles(input(spec_.rows->lengths)))
      most = std::max(most, length);
    return static_cast<std::int64_t>(most);
  }
  weft::recurrent::SliceRange slices(const LoopIterator& iterator) const {
    weft::recurrent::PortRange range = iterator.range;
    if (!iterator.keep_axis) range.part_size = 1;
    return slices_of(range, input(iterator.input).extent(iterator.axis));
  }
  Tensor slice(const LoopIterator& iterator, std::int64_t i) const {
    const Tensor& whole = input(iterator.input);
    if (iterator.from_count)
      return Tensor::copy_of(whole.select(iterator.axis, integer(input(*spec_.count)) - 1 - i));
    const auto range = slices(iterator);
    const std::int64_t first = range.first + i * range.step;
    const TensorView kept = whole.slice(iterator.axis, first, first + range.size);
    return Tensor::copy_of(iterator.keep_axis ? kept : kept.select(iterator.axis, 0));
  }
  std::vector<Tensor> parameters_of(std::int64_t i, const std::vector<Tensor>& states) const {
    std::vector<Tensor> out;
    for (const int node : body_.parameters()) {
      const ValueType& type = body_.node(node).type;
      out.push_back(type.shape.is_static() ? Tensor::zeros(type.shape.shape(), type.dtype)
                                           : Tensor());
    }
    const auto at = [&](int parameter) -> Tensor& {
      return out[static_cast<std::size_t>(parameter)];
    };
    for (const LoopIterator& iterator : spec_.iterators)
      at(iterator.parameter) = slice(iterator, i);
    for (std::size_t j = 0; j < states.size(); ++j)
      at(spec_.states[j].parameter) = states[j];
    for (const auto& invariant : spec_.invariants)
      at(invariant.parameter) = input(invariant.input);
    for (const int index : spec_.indexes) {
      Tensor& number = at(index);
      if (!number.defined()) number = Tensor::empty({1}, ScalarType::i64);
      number = tensor_of(number.dtype(), {number.shape().begin(), number.shape().end()},
                         {static_cast<double>(i)});
    }
    return out;
  }
  std::vector<Tensor> evaluate(const std::vector<Tensor>& parameters,
                               const std::vector<int>& results) const {
    Graph graph = body_;
    for (std::size_t p = 0; p < parameters.size(); ++p)
      graph.node(graph.parameters()[p]).type = type_of(parameters[p]);
    const Executable program(
        graph, {.operators = &weft::recurrent::operators(), .fold = false, .fuse = false});
    const std::vector<Tensor> all =
        program.run(std::vector<TensorView>(parameters.begin(), parameters.end()));
    std::vector<Tensor> out;
    for (const int result : results)
      out.push_back(all[static_cast<std::size_t>(result)]);
    return out;
  }
  void end_rows(Tensor& value, const TensorView& ended, std::int64_t trip) const {
    const std::vector<double> lengths = doubles(input(spec_.rows->lengths));
    for (std::size_t row = 0; row < lengths.size(); ++row) {
      if (static_cast<double>(trip) < lengths[row]) continue;
      const auto at = static_cast<std::int64_t>(row);
      weft::copy_out(value.select(spec_.rows->axis, at),
                     ended.rank() == 0 ? ended : ended.select(spec_.rows->axis, at));
    }
  }

  Tensor gather(const LoopOutput& output, const std::vector<Tensor>& states,
                const std::vector<std::vector<Tensor>>& results, bool go) const {
    using Kind = LoopOutputKind;
    if (output.kind == Kind::trips) return integers({}, {static_cast<double>(trips_)});
    if (output.kind == Kind::condition) return truth(go);
    if (output.kind == Kind::last_state) return states[static_cast<std::size_t>(output.state)];
    const auto r = static_cast<std::size_t>(output.result);
    if (output.kind == Kind::last_value) return results.back()[r];
    std::vector<Tensor> values;
    for (std::size_t i = 0; i < results.size(); ++i) {
      Tensor value = results[i][r].clone();
      if (spec_.rows)
        end_rows(value, Tensor::zeros({}, value.dtype()), static_cast<std::int64_t>(i));
      if (output.kind == Kind::stack || value.rank() == 0) {
        const TensorView with_axis = value.unsqueeze(value.rank() == 0 ? 0 : output.axis);
        value = Tensor::share(value.owner(), with_axis);
      }
      values.push_back(value);
    }
    if (values.empty()) return empty_output(output);
    if (output.backwards) std::reverse(values.begin(), values.end());
    std::vector<std::int64_t> shape(values[0].shape().begin(), values[0].shape().end());
    const auto axis =
        static_cast<std::size_t>(weft::normalize_axis(output.axis, static_cast<int>(shape.size())));
    shape[axis] = 0;
    for (const Tensor& value : values)
      shape[axis] += value.extent(static_cast<std::int64_t>(axis));
    if (output.length) shape[axis] = integer(input(*output.length));
    Tensor out = Tensor::zeros(shape, values[0].dtype());
    std::int64_t at = 0;
    for (const Tensor& value : values) {
      const std::int64_t extent = value.extent(static_cast<std::int64_t>(axis));
      weft::copy_out(out.slice(static_cast<std::int64_t>(axis), at, at + extent), value);
      at += extent;
    }
    return out;
  }
  /// Nothing was collected: what the body would give, of first values, says the shape.
  Tensor empty_output(const LoopOutput& output) const {
    Graph graph = body_;
    std::vector<Tensor> states;
    for (const LoopState& state : spec_.states)
      states.push_back(input(state.input));
    std::vector<Tensor> parameters;
    for (const int node : body_.parameters())
      parameters.push_back(
          Tensor::zeros(body_.node(node).type.shape.shape(), body_.node(node).type.dtype));
    const Tensor value = evaluate(parameters, {output.result})[0];
    std::vector<std::int64_t> shape(value.shape().begin(), value.shape().end());
    if (output.kind == LoopOutputKind::stack || shape.empty()) {
      const std::int64_t rank = static_cast<std::int64_t>(shape.size()) + 1;
      shape.insert(shape.begin() + (output.axis < 0 ? output.axis + rank : output.axis), 0);
    } else {
      shape[static_cast<std::size_t>(weft::normalize_axis(output.axis, value.rank()))] = 0;
    }
    if (output.length) {
      const std::int64_t rank = static_cast<std::int64_t>(shape.size());
      shape[static_cast<std::size_t>(output.axis < 0 ? output.axis + rank : output.axis)] =
          integer(input(*output.length));
    }
    return Tensor::zeros(shape, value.dtype());
  }

  const LoopSpec& spec_;
  const Graph& body_;
  const std::vector<Tensor>& inputs_;
  std::int64_t trips_ = 0;
};

}  // namespace test
