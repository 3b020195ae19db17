// SPDX-License-Identifier: Apache-2.0
#include "graph/compile/rewrite.hpp"

#include <weft/core/tensor.hpp>

#include "kernels/product/product.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {
namespace {

/// Elements of a part below which the calls that it takes cost more than a pass over memory.
constexpr std::int64_t min_part = 1024;

class Rewriter {
 public:
  explicit Rewriter(Program& program) : program_(program) {}

  bool run() {
    find_users();
    bool changed = false;
    for (std::size_t n = 0; n < program_.nodes.size(); ++n)
      changed = start_product(n) || changed;
    if (changed) drop_empty();
    for (std::size_t n = 0; n < program_.nodes.size(); ++n)
      changed = split_operands(n) || changed;
    return changed;
  }

 private:
  ProgramNode& node(std::size_t n) { return program_.nodes[n]; }
  const ProgramValue& value(int v) const { return program_.values[static_cast<std::size_t>(v)]; }
  const PartialShape& shape(int v) const { return value(v).type.shape; }
  static bool is(const ProgramNode& node, const char* op) { return node.op->name().name == op; }

  void find_users() {
    users_.assign(program_.values.size(), {});
    producer_.assign(program_.values.size(), -1);
    for (std::size_t n = 0; n < program_.nodes.size(); ++n) {
      for (const int input : node(n).inputs) {
        if (input >= 0) users_[static_cast<std::size_t>(input)].push_back(static_cast<int>(n));
      }
      for (int v = node(n).first_output; v < node(n).first_output + node(n).node.noutputs; ++v)
        producer_[static_cast<std::size_t>(v)] = static_cast<int>(n);
    }
    for (const int result : program_.results)
      users_[static_cast<std::size_t>(result)].push_back(-1);
  }
  static bool broadcasts_as_numpy(const ProgramNode& node) {
    return node.node.attributes.text("auto_broadcast", "numpy") == "numpy";
  }
  bool has_one_user(int v) const { return users_[static_cast<std::size_t>(v)].size() == 1; }

  /// Whether this value is a product that can be started with something.
  bool is_open_product(int v) const {
    const int n = producer_[static_cast<std::size_t>(v)];
    if (n < 0 || !has_one_user(v)) return false;
    const ProgramNode& product = program_.nodes[static_cast<std::size_t>(n)];
    if (!is(product, "MatMul")) return false;
    const ProgramValue& right = value(product.inputs[1]);
    const ScalarType type = right.type.dtype;
    if (!right.constant.defined() || right.constant.rank() != 2 ||
        (type != ScalarType::f32 && type != ScalarType::f64)) {
      return false;
    }
    const bool transposed = product.node.attributes.flag("transpose_b", false);
    const std::int64_t depth = right.constant.extent(transposed ? 1 : 0);
    return depth > 0 && depth <= product_run;
  }
  /// Add(a · b, c), or the other way round, becomes MatMulAdd(a, b, c).
  bool start_product(std::size_t n) {
    if (!is(node(n), "Add")) return false;
    const std::vector<int> terms = node(n).inputs;
    const PartialShape& sum = shape(node(n).first_output);
    if (!sum.is_static() || terms[0] == terms[1] || !broadcasts_as_numpy(node(n))) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      if (!is_open_product(terms[i]) || shape(terms[i]) != sum) continue;
      ProgramNode& product =
          node(static_cast<std::size_t>(producer_[static_cast<std::size_t>(terms[i])]));
      ProgramNode& add = node(n);
      add.inputs = {product.inputs[0], product.inputs[1], terms[1 - i]};
      add.node.attributes = product.node.attributes;
      add.node.op = "MatMulAdd";
      add.node.opset = 0;
      add.node.name = product.node.name;
      add.node.layer_id = product.node.layer_id;
      add.node.inputs.resize(3);
      add.op = program_.operators.at(add.node);
      add.formula = nullptr;
      product.op = nullptr;
      return true;
    }
    return false;
  }
  void drop_empty() {
    std::erase_if(program_.nodes, [](const ProgramNode& each) { return each.op == nullptr; });
    find_users();
  }

  /// Whether the parts that node n cuts a value into are to be computed one by one: the value is
  /// elementwise, would be a pass of its own, and all that reads its parts could run with it.
  bool is_cut_of_pass(std::size_t n) const {
    const ProgramNode& split = program_.nodes[n];
    if (!is(split, "Split") && !is(split, "VariadicSplit")) return false;
    const int whole = split.inputs[0];
    const int from = producer_[static_cast<std::size_t>(whole)];
    if (from < 0 || !has_one_user(whole)) return false;
    const ProgramNode& pass = program_.nodes[static_cast<std::size_t>(from)];
    if (pass.formula == nullptr || !broadcasts_as_numpy(pass) || is(pass, "ConvertLike"))
      return false;
    for (const int input : pass.inputs) {
      if (!shape(input).is_static()) return false;
      const int above = producer_[static_cast<std::size_t>(input)];
      if (above >= 0 && program_.nodes[static_cast<std::size_t>(above)].formula != nullptr)
        return false;
    }
    for (int v = split.first_output; v < split.first_output + split.node.noutputs; ++v) {
      const PartialShape& part = shape(v);
      if (!part.is_static() || numel(part.shape()) < min_part) return false;
      const std::vector<int>& users = users_[static_cast<std::size_t>(v)];
      const bool fuses = std::ranges::all_of(users, [&](int user) {
        return user >= 0 && program_.nodes[static_cast<std::size_t>(user)].formula != nullptr;
      });
      if (!fuses) return false;
    }
    return true;
  }
  /// The axis, counted from the end, along which parts differ from the whole; nothing if it is one
  /// part.
  std::optional<std::int64_t> axis_of(const ProgramNode& split) const {
    const IntSpan whole = shape(split.inputs[0]).shape(), part = shape(split.first_output).shape();
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
      if (whole[axis] != part[axis])
        return static_cast<std::int64_t>(axis) - static_cast<std::int64_t>(whole.size());
    }
    return {};
  }

  int add_value(ProgramValue made) {
    program_.values.push_back(std::move(made));
    return static_cast<int>(program_.values.size()) - 1;
  }
  /// Input `v` of the pass cut as `split` cuts the whole.
  ProgramNode cut_as(const ProgramNode& split, int v, std::int64_t axis) {
    ProgramNode made = split;
    made.inputs[0] = v;
    // Shapes are aligned at the last axis.
    ProgramValue last;  // a number
    last.type.dtype = ScalarType::i64;
    last.constant = Tensor::full({}, ScalarType::i64, static_cast<double>(axis));
    made.inputs[1] = add_value(std::move(last));
    made.first_output = static_cast<int>(program_.values.size());
    for (int i = 0; i < split.node.noutputs; ++i)
      add_value(ProgramValue());
    return made;
  }
  bool split_operands(std::size_t n) {
    if (!is_cut_of_pass(n)) return false;
    const ProgramNode split = node(n);
    const std::optional<std::int64_t> axis = axis_of(split);
    if (!axis || split.inputs.size() < 2) return false;
    const int from = producer_[static_cast<std::size_t>(split.inputs[0])];
    const ProgramNode pass = node(static_cast<std::size_t>(from));
    std::vector<ProgramNode> made;
    std::vector<int> first_part(pass.inputs.size(), -1);  // -1: broadcast along the axis
    for (std::size_t i = 0; i < pass.inputs.size(); ++i) {
      const PartialShape& operand = shape(pass.inputs[i]);
      if (-*axis > operand.rank() || operand.extent(static_cast<int>(*axis)) == 1) continue;
      made.push_back(cut_as(split, pass.inputs[i], *axis));
      first_part[i] = made.back().first_output;
    }
    // Each part of the whole keeps its number, and so its readers.
    for (int part = 0; part < split.node.noutputs; ++part) {
      ProgramNode each = pass;
      for (std::size_t i = 0; i < each.inputs.size(); ++i) {
        if (first_part[i] >= 0) each.inputs[i] = first_part[i] + part;
      }
      each.first_output = split.first_output + part;
      made.push_back(std::move(each));
    }
    node(static_cast<std::size_t>(from)).op = nullptr;
    program_.nodes.erase(program_.nodes.begin() + static_cast<std::ptrdiff_t>(n));
    program_.nodes.insert(program_.nodes.begin() + static_cast<std::ptrdiff_t>(n),
                          std::make_move_iterator(made.begin()),
                          std::make_move_iterator(made.end()));
    drop_empty();
    return true;
  }

  Program& program_;
  std::vector<std::vector<int>> users_;  // nodes by value; -1: a result
  std::vector<int> producer_;            // node by value, or -1
};

}  // namespace

bool rewrite(Program& program) { return Rewriter(program).run(); }

}  // namespace graph
}  // namespace v0
}  // namespace weft
