// SPDX-License-Identifier: Apache-2.0
// What is left of weft where functions are compiled for some element types (WEFT_TYPES): these, and
// an error that says so for the others. Where they are compiled for all, there is no such error.
#include <weft/graph/executable.hpp>
#include <weft/linalg/packed_matrix.hpp>
#include <weft/ops/copy.hpp>
#include <weft/ops/cumulative.hpp>
#include <weft/ops/indexing.hpp>
#include <weft/ops/matmul.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/softmax.hpp>

#include "core/compiled_types.hpp"
#include "support/errors.hpp"
#include "support/function_list.hpp"
#include "support/tally.hpp"

#include <functional>
#include <string>
#include <vector>

namespace {

using weft::ErrorCode;
using weft::is_compiled;
using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

std::vector<ScalarType> all_types() {
  std::vector<ScalarType> types;
  for (int i = 0; i < weft::scalar_type_count; ++i)
    types.push_back(static_cast<ScalarType>(i));
  return types;
}

/// The type that a function computes in, of operands of a type.
ScalarType computed_in(const weft::FunctionInfo& function, ScalarType type) {
  const bool is_whole = (weft::kinds::of(type) & weft::kinds::integral) != 0;
  return function.result == weft::ResultRule::floating && is_whole ? ScalarType::f32 : type;
}

/// Calls f, which computes in a type: it gives something, or says what weft was not compiled for.
void check_call(test::Tally& tally, const std::string& name, ScalarType type,
                const std::function<void()>& f) {
  std::string complaint;
  try {
    f();
  } catch (const weft::Error& error) {
    complaint = error.what();
    const bool is_refused = error.code() == ErrorCode::dtype &&
                            complaint.find(weft::name(type)) != std::string::npos &&
                            complaint.find("WEFT_TYPES") != std::string::npos;
    if (!is_compiled(type) && is_refused) complaint.clear();
    if (complaint.empty()) {
      tally.check(true, [](auto&) {});
      return;
    }
  }
  tally.check(is_compiled(type) && complaint.empty(), [&](auto& text) {
    text << name << " in " << weft::name(type) << ": "
         << (complaint.empty() ? "not refused" : complaint);
  });
}

}  // namespace

TEST_CASE("types: elementwise functions compute in those that are compiled", "[types]") {
  test::Tally tally;
  for (const test::Function& function : test::all_functions()) {
    for (const ScalarType type : all_types()) {
      if (!function.info->accepts(weft::kinds::of(type))) continue;
      const Tensor ones = Tensor::full({3}, type, 1);
      std::vector<TensorView> inputs(static_cast<std::size_t>(function.info->inputs), ones);
      const Tensor yes = Tensor::full({3}, ScalarType::boolean, 1);
      if (function.info->result == weft::ResultRule::chosen) inputs[0] = yes;
      const ScalarType computed = computed_in(*function.info, type);
      check_call(tally, function.name(), computed, [&] { function.make(inputs); });
      // One that is refused leaves its output alone.
      Tensor out = Tensor::full({5}, ScalarType::c128, 7);
      try {
        function.write(out, inputs);
      } catch (const weft::Error&) {
        const bool is_as_it_was =
            out.numel() == 5 && out.at<std::complex<double>>({4}) == std::complex<double>(7);
        tally.check(is_as_it_was, [&](auto& text) { text << function.name() << ": output"; });
      }
    }
  }
  CHECK_TALLY(tally);
}

TEST_CASE("types: reductions and the like compute in those that are compiled", "[types]") {
  test::Tally tally;
  for (const ScalarType type : all_types()) {
    const Tensor a = Tensor::full({4, 4}, type, 1);
    const Tensor index = Tensor::zeros({4, 4}, ScalarType::i64);
    const bool is_floating = weft::is_floating(type);
    check_call(tally, "sum", type, [&] { weft::sum(a); });
    check_call(tally, "any", type, [&] { weft::any(a, {0}); });
    if (weft::is_complex(type)) continue;
    check_call(tally, "amax", type, [&] { weft::amax(a, {1}); });
    check_call(tally, "argmin", type, [&] { weft::argmin(a, 1); });
    check_call(tally, "cummax", type, [&] { weft::cummax(a, 1); });
    check_call(tally, "matmul", type, [&] { weft::matmul(a, a); });
    check_call(tally, "scatter_add", type, [&] { weft::scatter_add(a, 0, index, a); });
    if (type != ScalarType::boolean) check_call(tally, "prod", type, [&] { weft::prod(a, {0}); });
    if (!is_floating) continue;
    check_call(tally, "var", type, [&] { weft::var(a, {0}); });
    check_call(tally, "norm", type, [&] { weft::norm(a); });
    check_call(tally, "logsumexp", type, [&] { weft::logsumexp(a, {1}); });
    check_call(tally, "cumsum", type, [&] { weft::cumsum(a, 0); });
    check_call(tally, "softmax", type, [&] { weft::softmax(a, 1); });
    check_call(tally, "PackedMatrix", type, [&] { weft::PackedMatrix{a}; });
  }
  CHECK_TALLY(tally);
}

TEST_CASE("types: memory of any type is moved and converted", "[types]") {
  for (const ScalarType from : all_types()) {
    const Tensor a = Tensor::full({3, 2}, from, 1);
    for (const ScalarType to : all_types()) {
      const Tensor made = weft::contiguous(a.transpose(0, 1), to);
      const TensorView last = made.select(0, 1).select(0, 2);
      INFO(weft::name(from) << " to " << weft::name(to));
      CHECK(weft::contiguous(last, ScalarType::f64).at<double>({}) == 1);
    }
  }
}

TEST_CASE("types: a graph names the node that computes in one that is not compiled", "[types]") {
  for (const ScalarType type : all_types()) {
    weft::graph::Graph graph;
    const auto x = graph.add_parameter({type, {2}});
    graph.add_result(graph.add("Add", {x, x}));
    const Tensor ones = Tensor::full({2}, type, 1);
    const auto run = [&] {
      const weft::graph::Executable program(graph);
      return program.run(std::vector<TensorView>{ones})[0];
    };
    INFO(weft::name(type));
    if (is_compiled(type)) {
      CHECK(run().dtype() == type);
    } else {
      CHECK_ERROR(dtype, ("Add", "WEFT_TYPES"), run());
    }
  }
}
