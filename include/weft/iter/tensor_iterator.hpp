// SPDX-License-Identifier: Apache-2.0
/// @file
/// The strided iterator: an immutable plan over several operands, and the pointers bound to it.
#pragma once

#include <weft/base/error.hpp>
#include <weft/base/export.hpp>
#include <weft/base/limits.hpp>
#include <weft/core/cast.hpp>
#include <weft/core/scalar.hpp>
#include <weft/core/tensor.hpp>
#include <weft/iter/explain.hpp>
#include <weft/iter/geometry.hpp>
#include <weft/iter/loop.hpp>
#include <weft/iter/operand.hpp>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace weft {
inline namespace v0 {

class TensorIteratorConfig;

/// Walks any number of operands of any strides together. Made by TensorIteratorConfig::build() or
/// by one of the factories below. The geometry never changes while it runs; pointers can be bound
/// anew, so that a plan made once serves many calls. Running is const and may happen on many
/// threads at once.
///
/// Operands are numbered outputs first. Inside the iterator dim 0 is the innermost, and strides are
/// in **bytes**.
///
/// With up to 8 operands of up to 8 dims nothing here allocates, except outputs that build() makes,
/// split() and narrow() excepted too: they copy or change the iterator itself. The limits are 32
/// operands and 64 dims.
class WEFT_API TensorIterator {
 public:
  // ---- Ready-made configurations
  // ------------------------------------------------------------------------------------- Output
  // views are written as they are; a `Tensor` output that is undefined is allocated, and one of the
  // wrong shape is replaced by a new one (binary and unary operations, as in PyTorch). Operands are
  // copied as views: the memory must outlive the iterator, the view objects need not. All throw
  // Error as TensorIteratorConfig::build() does.

  /// a op b, types promoted, result converted to the output's type if that is a safe cast.
  static TensorIterator binary_op(Tensor& out, const TensorView& a, const TensorView& b);
  static TensorIterator binary_op(const TensorView& out, const TensorView& a, const TensorView& b);
  /// As binary_op, with integers and bools turned into the default floating type.
  static TensorIterator binary_float_op(Tensor& out, const TensorView& a, const TensorView& b);
  static TensorIterator binary_float_op(const TensorView& out, const TensorView& a,
                                        const TensorView& b);
  /// a op b giving a bool; inputs promoted. An output of another type receives 0 and 1.
  static TensorIterator comparison_op(Tensor& out, const TensorView& a, const TensorView& b);
  static TensorIterator comparison_op(const TensorView& out, const TensorView& a,
                                      const TensorView& b);
  /// One type throughout.
  static TensorIterator unary_op(Tensor& out, const TensorView& a);
  static TensorIterator unary_op(const TensorView& out, const TensorView& a);
  static TensorIterator unary_float_op(Tensor& out, const TensorView& a);
  static TensorIterator unary_float_op(const TensorView& out, const TensorView& a);
  /// Any input type, bool output.
  static TensorIterator unary_force_boolean_op(Tensor& out, const TensorView& a);
  static TensorIterator unary_force_boolean_op(const TensorView& out, const TensorView& a);
  static TensorIterator ternary_op(Tensor& out, const TensorView& a, const TensorView& b,
                                   const TensorView& c);
  static TensorIterator ternary_op(const TensorView& out, const TensorView& a, const TensorView& b,
                                   const TensorView& c);
  /// No input: filling.
  static TensorIterator nullary_op(const TensorView& out);
  /// `out` has extent 1 (or no axis, leading ones) where it reduces; it is not resized. Inputs
  /// promoted.
  static TensorIterator reduce_op(const TensorView& out, const TensorView& a);
  /// Two outputs of equal shape and strides; types as they are.
  static TensorIterator reduce_op(const TensorView& out0, const TensorView& out1,
                                  const TensorView& a);

  // ---- The plan ---------------------------------------------------------------------------------

  int ndim() const noexcept { return geometry_.ndim(); }
  /// Extents after ordering and coalescing, dim 0 innermost.
  IntSpan shape() const noexcept { return geometry_.shape; }
  std::int64_t numel() const noexcept { return numel_; }
  int ntensors() const noexcept { return static_cast<int>(operands_.size()); }
  int noutputs() const noexcept { return noutputs_; }
  int ninputs() const noexcept { return ntensors() - noutputs_; }

  /// Byte strides of an operand, one per dim.
  DimVector strides(int operand) const;
  /// Byte strides of all operands for one dim; zeros for a 0-d iterator.
  IntSpan get_dim_strides(int dim) const noexcept;
  IntSpan get_inner_strides() const noexcept { return get_dim_strides(0); }
  /// Dim-major [dim * ntensors() + operand], padded with zeros to two dims.
  StrideVector get_strides() const;
  const Geometry& geometry() const noexcept { return geometry_; }
  /// The common shape before ordering, outermost axis first.
  IntSpan common_shape() const noexcept { return common_shape_; }
  /// perm()[d] is the axis that became dim d, before coalescing.
  const Permutation& perm() const noexcept { return perm_; }

  /// Type that the kernel sees for an operand.
  ScalarType dtype(int operand = 0) const { return at(operand).dtype; }
  ScalarType input_dtype(int input = 0) const { return at(noutputs_ + input).dtype; }
  /// Type in memory. Where it differs from dtype(), kernels convert in blocks; a raw loop refuses
  /// to run (see for_each).
  ScalarType storage_dtype(int operand = 0) const { return at(operand).storage; }
  /// The promoted type. Throws Error(dtype) if the config did not ask for one.
  ScalarType common_dtype() const;
  std::int64_t element_size(int operand) const { return weft::element_size(dtype(operand)); }
  const TensorView& tensor(int operand) const { return at(operand).view; }
  const TensorView& output(int i = 0) const { return at(i).view; }
  const TensorView& input(int i = 0) const { return at(noutputs_ + i).view; }
  const Operand& operand(int i) const { return at(i); }
  /// An output that build() allocated, with its memory. Throws Error(undefined) if output i was
  /// given.
  Tensor allocated_output(int i = 0) const;

  /// True if numel is 1, or there is one dim and every operand is dense along it.
  bool is_contiguous() const noexcept;
  /// True if every operand is dense along dim 0.
  bool has_contiguous_first_dim() const noexcept;
  bool is_trivial_1d() const noexcept { return ndim() == 1; }
  /// True if the operand is one value for the whole iteration.
  bool is_scalar(int operand) const;
  bool is_cpu_scalar(int operand) const { return is_scalar(operand); }
  bool is_reduction() const noexcept { return is_reduction_; }
  /// Some output does not advance along dim (and its extent is above 1).
  bool is_dim_reduced(int dim) const noexcept;
  /// Number of dims along which output 0 stands still.
  int num_reduce_dims() const noexcept;
  /// Product of the extents along which output 0 advances.
  std::int64_t num_output_elements() const noexcept;

  /// Value of a scalar operand, converted to T by the rules of cast(). Throws Error(shape) if it is
  /// not one.
  template <Element T>
  T scalar_value(int operand) const {
    return original_scalar_value<T>(operand);
  }
  /// The same, of the value as it stands in memory, not as converted to dtype(): 70000 in an i32
  /// whose common type is f16 is 70000 here. (Operands are never converted ahead of the loop, so
  /// the two differ in name only.)
  template <Element T>
  T original_scalar_value(int operand) const {
    const Operand& op = scalar_operand(operand);
    T value;
    cast_elements(&value, scalar_type_of<T>, 0, op.data, op.storage, 0, 1);
    return value;
  }

  // ---- Pointers ---------------------------------------------------------------------------------

  /// Address of an operand's element at plan index (0, 0, ...).
  void* data_ptr(int operand) const { return at(operand).data; }
  SmallVector<char*, inline_operands> get_base_ptrs() const;
  /// Binds an operand to another tensor of the same geometry: `origin` is the address of its
  /// element (0, 0, ...). Costs a few instructions. The memory is trusted: neither its extent nor
  /// overlap is checked again.
  TensorIterator& bind(int operand, void* origin) {
    Operand& op = at(operand);
    op.data = static_cast<char*>(origin) + op.origin_offset_bytes;
    return *this;
  }
  void unsafe_replace_operand(int operand, void* data) {
    at(operand).data = static_cast<char*>(data);
  }
  /// Replaces an operand's byte strides, one per dim, unchecked.
  void unsafe_set_arg_strides(int operand, IntSpan strides_bytes);
  void unsafe_set_arg_data(int operand, void* data) { unsafe_replace_operand(operand, data); }
  /// Replaces extents and strides, unchecked: of as many operands, whose first elements stay.
  void unsafe_set_geometry(const Geometry& geometry);
  /// Drops an operand, such as a scalar that was folded into the kernel.
  void remove_operand(int operand);

  // ---- Running ----------------------------------------------------------------------------------
  // Loops get operands as they stand in memory. If an operand's dtype() is not its storage_dtype(),
  // they throw Error(dtype): use cpu_kernel, which converts block by block, or materialize_casts().

  /// Runs a loop over all elements, in parallel: the flat range [0, numel) is split into pieces of
  /// at least `grain` elements (0 counts as 1), each of which goes through serial_for_each. Where
  /// operands disagree about the order (a matrix and a transposed one), the pieces are tiles of 64
  /// x 64 elements along dim 0 and another dim instead, so that every cache line fetched is used
  /// up; not if linear iteration or PyTorch's order was asked for. In reductions, threads share the
  /// largest dim that output 0 keeps, so that each of its elements is met by one thread, in one
  /// order. Nothing happens for numel 0. A loop that throws ends the others soon; the first
  /// exception reaches the caller, outputs are then partly written.
  template <class F>
    requires(Loop1dCallable<F> || Loop2dCallable<F>)
  void for_each(F&& loop, std::int64_t grain = default_grain) const {
    if constexpr (Loop2dCallable<F>) {
      for_each_2d(loop, grain);
    } else {
      auto rows = as_loop2d(loop, ntensors());
      for_each_2d(rows, grain);
    }
  }
  /// Runs a loop over part of the flat element range, on this thread, as blocks of whole rows where
  /// possible. Pointers move incrementally from block to block.
  template <class F>
    requires(Loop1dCallable<F> || Loop2dCallable<F>)
  void serial_for_each(F&& loop, Range range) const {
    if constexpr (Loop2dCallable<F>) {
      serial_for_each_2d(loop, range);
    } else {
      auto rows = as_loop2d(loop, ntensors());
      serial_for_each_2d(rows, range);
    }
  }
  template <class F>
    requires(Loop1dCallable<F> || Loop2dCallable<F>)
  void serial_for_each(F&& loop) const {
    serial_for_each(std::forward<F>(loop), Range{0, numel_});
  }
  /// Reduces one input into one output by a loop that combines data[0] with data[1] into data[0].
  /// The caller has filled the output with the identity. One output element: the input is cut into
  /// pieces fixed by its size, each reduced into an element of its own that starts as a copy of the
  /// output, and then these into the output. More: threads share the outputs. Results do not depend
  /// on the number of threads. Throws Error(invalid_argument) for other operand counts.
  void parallel_reduce(Loop2d loop) const;
  /// Calls `loop` once per output element with an iterator over the reduced dims only (its outputs
  /// have stride 0, its pointers are those of that element; view_offsets() tell where it starts).
  /// One input or more, one output or more.
  void foreach_reduced_elt(FunctionRef<void(TensorIterator&)> loop, bool parallelize = true) const;

  // ---- Parts ------------------------------------------------------------------------------------

  /// Restricts dim to [start, start + size), size >= 1. If size is 1 and this is no reduction, dims
  /// coalesce again.
  void narrow(int dim, std::int64_t start, std::int64_t size);
  /// Fixes dims start_dim, start_dim + 1, ... at the given indices, leaving extent 1.
  void select_all_keeping_dim(int start_dim, IntSpan indices);
  /// Cuts dim in two: returns the first half (floor), keeps the rest. Needs an extent of at
  /// least 2. After a cut through a reduced dim the first half is not final and the rest
  /// accumulates onto it.
  TensorIterator split(int dim);
  /// The dim of largest reach in bytes over all operands. Throws Error(shape) for a 0-d iterator.
  int get_dim_to_split() const;
  /// numel and every operand's reach in bytes fit in 31 bits.
  bool can_use_32bit_indexing() const noexcept;
  /// This iterator, split until the above holds for each piece.
  std::vector<TensorIterator> with_32bit_indexing() const;
  bool should_accumulate() const noexcept { return accumulate_; }
  bool is_final_output() const noexcept { return final_output_; }
  /// What narrow() and split() added to the index of each dim; one entry for a 0-d iterator.
  IntSpan view_offsets() const noexcept { return view_offsets_; }

  // ---- Layout helpers, before coalescing --------------------------------------------------------

  /// Byte strides, dim by dim, of a dense tensor of the given element size in the iteration's
  /// order.
  DimVector compatible_stride(std::int64_t element_bytes) const;
  /// Values listed per dim, put back per axis.
  DimVector invert_perm(IntSpan per_dim) const;

  // ---- Conversion ahead of the loop -------------------------------------------------------------

  /// Replaces every operand whose memory has another type than dtype() by a converted, full-size
  /// copy, as PyTorch does on CPUs. For raw loops only. Afterwards storage_dtype() equals dtype();
  /// cast_outputs() writes outputs back.
  void materialize_casts();
  /// Converts outputs made by materialize_casts() into the caller's. Does nothing otherwise.
  void cast_outputs();

  /// What was decided and why; see Explanation.
  Explanation explain() const;

 private:
  friend class TensorIteratorConfig;
  friend class PlanBuilder;

  TensorIterator() noexcept {}  // NOLINT(modernize-use-equals-default): see TensorView
  const Operand& at(int operand) const {
    if (static_cast<unsigned>(operand) >= operands_.size()) fail_operand(operand);
    return operands_[static_cast<std::size_t>(operand)];
  }
  Operand& at(int operand) {
    if (static_cast<unsigned>(operand) >= operands_.size()) fail_operand(operand);
    return operands_[static_cast<std::size_t>(operand)];
  }
  [[noreturn]] void fail_operand(int operand) const;
  const Operand& scalar_operand(int operand) const;
  void require_uncast(const char* method) const;
  void check_dim(int dim) const;
  void coalesce();
  void move_origins(int dim, std::int64_t by);
  void for_each_2d(Loop2d loop, std::int64_t grain) const;
  void serial_for_each_2d(Loop2d loop, Range range) const;
  void for_each_kept(Loop2d loop, std::int64_t grain) const;
  void reduce_to_one(Loop2d loop) const;
  Geometry uncoalesced() const;
  std::vector<Explanation::Neighbours> explain_neighbours() const;

  /// A tensor that lives as long as the iterator: allocated, owned or temporary.
  struct Kept {
    int operand;
    Tensor tensor;
    std::optional<TensorView> write_back_to = {};
  };

  Geometry geometry_;
  std::int64_t numel_ = 0;
  int noutputs_ = 0;
  bool is_reduction_ = false;
  bool accumulate_ = false;
  bool final_output_ = true;
  bool pytorch_order_ = false;
  bool linear_ = false;  // elements are visited in C order
  std::optional<ScalarType> common_dtype_;
  bool has_declared_shape_ = false;
  std::uint64_t flipped_ = 0;   // bit per dim
  std::uint64_t squashed_ = 0;  // bit per axis
  DimVector common_shape_;
  DimVector view_offsets_;
  Permutation perm_;
  SmallVector<Operand, inline_operands> operands_;
  std::vector<Kept> kept_;
};

}  // namespace v0
}  // namespace weft
