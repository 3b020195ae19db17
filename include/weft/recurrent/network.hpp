// SPDX-License-Identifier: Apache-2.0
/// @file
/// Loops in TensorRT's terms: trip limits, iterators, recurrences and loop outputs among ordinary
/// operations. Which operations are inside a loop follows from what they read.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor.hpp>
#include <weft/graph/graph.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace recurrent {

class Network;

enum class TripLimit : std::uint8_t {
  count,       ///< kCOUNT: i32 or i64, one element, from outside the loop; below 0: no trips
  while_true,  ///< kWHILE: bool, one element, tested before every trip
};

enum class OutputForm : std::uint8_t {
  last_value,   ///< kLAST_VALUE: a recurrence after the last trip
  concatenate,  ///< kCONCATENATE: all trips along a new axis
  reverse,      ///< kREVERSE: the same, the last trip first
};

/// A loop of a Network: a handle, good as long as the network.
class WEFT_API NetworkLoop {
 public:
  /// What ends the loop: at least one, at most one of each kind; with both, whichever comes first.
  /// A condition may depend on recurrences of this loop and on values from outside it, not on
  /// iterators or outputs of loops: it is computed once more than there are trips.
  void add_trip_limit(graph::Value value, TripLimit kind);
  /// Trip i sees element i of `tensor` along `axis` (negative: from the end), or with `reverse`
  /// element M - 1 - i of M trips, which needs a count. The axis is gone.
  graph::Value add_iterator(graph::Value tensor, std::int64_t axis = 0, bool reverse = false);
  /// `initial`, from outside, in trip 0; what set_next() says of the trip before in the others.
  graph::Value add_recurrence(graph::Value initial);
  /// The only way back: `next` may depend on `recurrence`. Of the type and shape of the initial
  /// value.
  void set_next(graph::Value recurrence, graph::Value next);
  /// The only way out of a loop. Concatenated outputs have one axis more, at `axis`, and need a
  /// length.
  graph::Value add_loop_output(graph::Value value, OutputForm form, std::int64_t axis = 0);
  /// The extent of the new axis: i32 or i64, one element, from outside the loop. Zeros follow the
  /// last trip; fewer than there are trips is an error when it is run. An output of the last value
  /// becomes a concatenated one.
  void set_length(graph::Value output, graph::Value length);

 private:
  friend class Network;
  NetworkLoop(Network& network, int number) : network_(&network), number_(number) {}

  Network* network_;
  int number_;
};

/// A network under construction. build() turns it into a graph of nested loops.
///
///     Network net;                                        // for (i = 0; i < n; ++i) x = x + step
///     const auto n = net.add_input({ScalarType::i64, {}}, "n");
///     const auto x = net.add_input({ScalarType::f32, {4}}, "x");
///     const auto step = net.add_constant(Tensor::full({4}, ScalarType::f32, 0.5));
///     NetworkLoop loop = net.add_loop("count");
///     loop.add_trip_limit(n, TripLimit::count);
///     const auto now = loop.add_recurrence(x);
///     loop.set_next(now, net.add("Add", {now, step}));
///     net.mark_output(loop.add_loop_output(now, OutputForm::last_value), "last");
///     const graph::Graph graph = net.build();
///
/// Functions throw Error(invalid_argument) for values and loops that are not this network's.
class WEFT_API Network {
 public:
  explicit Network(std::string name = {}) : flat_(std::move(name)) {}
  Network(const Network&) = delete;  // loops refer to it
  Network& operator=(const Network&) = delete;

  graph::Value add_input(graph::ValueType type, std::string name = {}) {
    return flat_.add_parameter(std::move(type), std::move(name));
  }
  graph::Value add_constant(Tensor value, std::string name = {}) {
    return flat_.add_constant(std::move(value), std::move(name));
  }
  /// Output 0 of an operation, inside whichever loops its inputs are.
  graph::Value add(std::string op, std::vector<graph::Value> inputs,
                   graph::Attributes attributes = {});
  /// Any node; output i of it is Value{node, i}.
  int add_node(graph::Node node);
  NetworkLoop add_loop(std::string name = {});
  /// Throws in build() for a value inside a loop.
  void mark_output(graph::Value value, std::string name = {});

  /// The network as a graph with loop nodes (loop.hpp), to be compiled with operators(). A loop is
  /// inside another if it uses values of its inside. Loops without outputs vanish. Throws
  /// Error(invalid_argument) that names the loop or loops and the layer: no limit, or two of a
  /// kind; a condition that reads an iterator, an output of a loop or another loop's recurrence; an
  /// iterator that runs backwards without a count; a recurrence without a next value; a last value
  /// of what is no recurrence of the loop; a concatenated output without a length; a value that has
  /// to come from outside the loop and does not; an output inside a loop; loops that are not nested
  /// cleanly. Throws Error(limit) beyond 64 loops inside each other.
  graph::Graph build() const;

 private:
  friend class NetworkLoop;
  friend class NetworkNesting;

  enum class Layer : std::uint8_t { iterator, recurrence, output };
  /// A node of flat_ that stands at the boundary of a loop.
  struct Boundary {
    int loop;
    Layer layer;
    std::int64_t axis = 0;
    bool reverse = false;                      ///< of an iterator
    OutputForm form = OutputForm::last_value;  ///< of an output
    graph::Value next;                         ///< of a recurrence
    graph::Value length;                       ///< of an output
  };
  struct Limit {
    graph::Value value;
    TripLimit kind;
  };
  struct Loop {
    std::string name;
    std::vector<Limit> limits;
    std::vector<int> boundaries;  ///< nodes
  };

  void check_value(graph::Value value, const char* what) const;
  graph::Value add_boundary(graph::Value input, Boundary boundary);
  const Boundary* boundary(int node) const {
    const auto& found = boundaries_[static_cast<std::size_t>(node)];
    return found ? &*found : nullptr;
  }

  graph::Graph flat_;
  std::vector<std::optional<Boundary>> boundaries_;  // by node, as far as there are any
  std::vector<Loop> loops_;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
