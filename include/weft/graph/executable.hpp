// SPDX-License-Identifier: Apache-2.0
/// @file
/// Graphs made ready to run.
#pragma once

#include <weft/base/export.hpp>
#include <weft/core/tensor.hpp>
#include <weft/graph/explanation.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/operator_registry.hpp>
#include <weft/graph/variables.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft {
inline namespace v0 {
namespace graph {

struct Program;
class Frame;

/// How to compile.
struct CompileOptions {
  const OperatorRegistry* operators = nullptr;  ///< null: standard_operators()
  bool fold = true;                             ///< compute what depends on constants only, once
  bool fuse = true;  ///< run neighbouring elementwise operations block by block
  /// Where the graph comes from, such as a file: comes first in the message of an Error that
  /// planning or running throws.
  std::string origin = {};
};

/// A checked graph, its operators found, constants folded, dead nodes left out, types inferred as
/// far as parameters' types tell. Immutable; copies share it, and any number of Frames run it at
/// the same time.
class WEFT_API Executable {
 public:
  /// Throws Error as Graph::topological_order(), OperatorRegistry::at() and the operators' infer()
  /// do, with the layer in the message. Constants are shared, not copied.
  explicit Executable(const Graph& graph, const CompileOptions& options = {});

  const std::string& name() const noexcept;
  int nparameters() const noexcept;
  int nresults() const noexcept;
  const std::string& parameter_name(int i) const;
  const std::string& result_name(int i) const;
  /// As declared.
  const ValueType& parameter_type(int i) const;
  /// As far as it follows from the parameters' types.
  const ValueType& result_type(int i) const;
  /// False for a parameter on whose value no result depends.
  bool parameter_is_used(int i) const;
  const OperatorRegistry& operators() const noexcept;

  /// Runs once on new memory: checks inputs against parameters, plans, runs, and gives row-major
  /// results that share nothing with the inputs. For repeated runs make a Frame.
  std::vector<Tensor> run(std::span<const TensorView> inputs) const;

  /// Of a program that the library has made itself.
  explicit Executable(std::shared_ptr<const Program> program) noexcept
      : program_(std::move(program)) {}
  const Program& program() const noexcept { return *program_; }

 private:
  std::shared_ptr<const Program> program_;
};

/// Where a result is to be written.
struct ResultPlace {
  /// False: the frame decides, and result() tells where. True: at the address of bind_result().
  bool external = false;
  /// Strides in elements of the external memory; empty: row-major. plan() throws Error(rank) unless
  /// there is one for each extent, and Error(overlap) where elements would share memory.
  DimVector strides = {};
};

/// What frames count, for tests and for explain().
struct FrameCounters {
  std::int64_t plans = 0;  ///< times that something was planned
  std::int64_t runs = 0;
  std::int64_t bytes_copied =
      0;  ///< by copies that the graph did not ask for: to make operands dense,
          ///< and results that are views into external places
  std::int64_t allocations = 0;  ///< of memory for values
  std::int64_t arena_bytes = 0;  ///< memory held for values now
};

/// An executable with the memory to run it. Planned once for a geometry of the parameters; then
/// only pointers are bound, and run() allocates nothing, unless shapes depend on the data.
///
///     Frame frame(executable);
///     frame.plan(views, {});                  // shapes and strides of the parameters
///     for (...) {
///       frame.bind_parameter(0, x + t * step);
///       frame.run();
///       use(frame.result(0));
///     }
///
/// Not for two threads at a time.
class WEFT_API Frame {
 public:
  explicit Frame(Executable executable);
  Frame(Frame&&) noexcept;
  Frame& operator=(Frame&&) noexcept;
  ~Frame();

  /// Plans for parameters of this geometry, and binds their addresses. Does little if geometry and
  /// places are those of the last plan. `places`: one per result, or none for the default. Throws
  /// Error(shape), Error(dtype) naming the parameter if it does not have the type declared;
  /// Error(invalid_argument) for other counts; and what operators throw.
  void plan(std::span<const TensorView> parameters, std::span<const ResultPlace> places = {});

  // What follows throws Error(invalid_argument) for a parameter or result that there is not, for
  // one that is not external where it has to be, and of a frame that was moved from; and before
  // plan(), where it needs an address or a place.

  /// The address of a parameter's element (0, 0, ...). The memory is read during run() only.
  /// O(uses).
  void bind_parameter(int i, const void* origin);
  /// Says that a parameter keeps its elements from run to run until this is called for it again.
  /// Kernels that read it may keep what they make of them, if the frame is planned again, too.
  /// O(steps).
  void hold_parameter(int i);
  /// Where to write an external result; has to be bound before run(). An address that the frame
  /// reads during the same run must not meet it, nor may two external results.
  void bind_result(int i, void* origin);

  /// Whether a parameter, or an external result, that is planned as dense rows with gaps between
  /// them may have its rows any other number of bytes from each other: all that reads or writes it
  /// are calls that take the rows.
  bool can_step_parameter(int i) const;
  bool can_step_result(int i) const;
  /// Bytes from row to row from now on, until the next plan(). Only where can_step_...() said so
  /// after it.
  void step_parameter(int i, std::int64_t bytes);
  void step_result(int i, std::int64_t bytes);

  /// Runs. Throws what kernels throw; results are then undefined. Throws Error(undefined), before
  /// anything runs, for an external result that was not bound, and a parameter that was bound to
  /// null.
  void run();

  /// Geometry of a result and, after run(), where it is: its external place, or memory of the frame
  /// that lasts until the next run() or plan(), or a parameter or constant that it is a view of.
  /// Undefined before run() if its shape depends on data. Throws Error(undefined) for an external
  /// result that is not bound.
  TensorView result(int i) const;
  /// The address of result(i) alone.
  void* result_data(int i) const;
  /// The first result that is the same value as result i; i itself if there is none before it.
  /// Where both are external, both are bound, and the second is a copy.
  int same_result(int i) const;
  /// The parameter that result i is, or is a view of; -1 if it is computed.
  int result_parameter(int i) const;
  /// True if the shapes of all values are known before run().
  bool is_static() const;

  const Executable& executable() const;
  /// What ReadValue and Assign nodes keep from run to run.
  Variables& variables();
  const FrameCounters& counters() const;
  /// What was decided, as far as planned.
  FrameExplanation explain() const;

 private:
  class Impl;
  Impl& impl() const;  // throws if there is none
  std::unique_ptr<Impl> impl_;
};

}  // namespace graph
}  // namespace v0
}  // namespace weft
