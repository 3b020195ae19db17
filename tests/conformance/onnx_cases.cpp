// SPDX-License-Identifier: Apache-2.0
#include "onnx_cases.hpp"

#include <weft/core/cast.hpp>
#include <weft/ops/copy.hpp>

#include "support/catch.hpp"
#include "support/element.hpp"
#include "support/random_layout.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <stdexcept>

namespace test {
namespace {

using weft::ScalarType;
using weft::Tensor;
using weft::TensorView;

std::string read_file(const std::string& name) {
  std::ifstream in(WEFT_TESTS_DIR "/data/onnx-strided/" + name, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (bytes.empty()) throw std::runtime_error("cannot read " + name);
  return bytes;
}

ScalarType type_named(const std::string& name) {
  static const std::map<std::string, ScalarType> types = {
      {"bool", ScalarType::boolean}, {"uint8", ScalarType::u8},      {"int8", ScalarType::i8},
      {"uint16", ScalarType::u16},   {"int16", ScalarType::i16},     {"uint32", ScalarType::u32},
      {"int32", ScalarType::i32},    {"uint64", ScalarType::u64},    {"int64", ScalarType::i64},
      {"float16", ScalarType::f16},  {"bfloat16", ScalarType::bf16}, {"float32", ScalarType::f32},
      {"float64", ScalarType::f64}};
  return types.at(name);
}

Tensor read_tensor(const Json& json, const std::string& blob) {
  if (json.is(Json::Kind::null)) return {};
  const Dims shape = json["shape"].integers();
  Tensor tensor = Tensor::empty(shape, type_named(json["dtype"].string));
  const auto offset = static_cast<std::size_t>(json["offset"].integer);
  const auto bytes = static_cast<std::size_t>(tensor.nbytes());
  if (offset + bytes > blob.size()) throw std::runtime_error("tensor outside of tensors.bin");
  if (bytes > 0) std::memcpy(tensor.data(), blob.data() + offset, bytes);
  return tensor;
}

std::vector<OnnxCase> read_cases() {
  const std::string blob = read_file("tensors.bin");
  std::vector<OnnxCase> cases;
  const Json index = read_json("onnx-strided/index.json");
  for (const Json& json : index) {
    OnnxCase& c = cases.emplace_back();
    c.name = json["name"].string;
    c.category = json["category"].string;
    c.op = json["op"].string;
    c.opset = json["opset"].integer;
    c.rtol = json["rtol"].number;
    c.atol = json["atol"].number;
    c.attributes = json["attrs"];
    for (const Json& input : json["inputs"])
      c.inputs.push_back(read_tensor(input, blob));
    for (const Json& output : json["outputs"])
      c.outputs.push_back(read_tensor(output, blob));
  }
  return cases;
}

Dims dims(const TensorView& view) { return {view.shape().begin(), view.shape().end()}; }

const char* element(const TensorView& view, const Dims& index) {
  return static_cast<const char*>(view.data()) +
         view.element_offset(index) * weft::element_size(view.dtype());
}

/// True if all elements along the axis equal each other.
bool repeats(const Tensor& tensor, std::size_t axis) {
  bool same = true;
  for_each_index(dims(tensor), [&](Dims index) {
    const char* here = element(tensor, index);
    index[axis] = 0;
    same = same && same_element(tensor.dtype(), here, element(tensor, index));
  });
  return same;
}

enum class Form { row_major, transposed, padded, reversed, folded, broadcast };

Layout layout_of(const Tensor& tensor, Form form) {
  Layout layout{dims(tensor), {}};
  layout.strides.assign(layout.shape.size(), 0);
  std::int64_t step = form == Form::padded ? 2 : 1;
  for (std::size_t i = 0; i < layout.shape.size(); ++i) {
    const std::size_t axis = form == Form::transposed ? i : layout.shape.size() - 1 - i;
    if (form == Form::folded && layout.shape[axis] > 1 && repeats(tensor, axis)) continue;
    layout.strides[axis] = form == Form::reversed ? -step : step;
    step = step * std::max<std::int64_t>(layout.shape[axis], 1) + (form == Form::padded ? 3 : 0);
  }
  return fit(layout);
}

/// The inputs of a case in memory of their own.
class LaidOut {
 public:
  LaidOut(const OnnxCase& c, Form form) {
    int rank = 0;
    for (const Tensor& input : c.inputs)
      rank = std::max(rank, input.rank());
    for (const Tensor& input : c.inputs) {
      if (!input.defined()) {
        views_.emplace_back();
        continue;
      }
      memories_.emplace_back(input.dtype(), layout_of(input, form));
      weft::cast_tensor(memories_.back().view(), input);
      views_.push_back(memories_.back().view());
      if (form != Form::broadcast) continue;
      TensorView& view = views_.back();
      while (view.rank() < rank)
        view = view.unsqueeze(0);
      Dims wider{repeats_};
      wider.insert(wider.end(), view.shape().begin(), view.shape().end());
      view = view.expand(wider);
    }
  }

  static constexpr std::int64_t repeats_ = 3;
  const std::vector<TensorView>& views() const { return views_; }

 private:
  std::vector<Memory> memories_;
  std::vector<TensorView> views_;
};

double as_double(ScalarType type, const char* from) {
  double value = 0;
  weft::cast_elements(&value, ScalarType::f64, 0, from, type, 0, 1);
  return value;
}

/// Empty if `got` is what the case expects, else what is wrong.
std::string difference(const TensorView& got, const TensorView& wanted, const OnnxCase& c) {
  std::ostringstream text;
  if (!got.defined()) return "undefined";
  if (got.dtype() != wanted.dtype()) {
    text << "expected " << weft::name(wanted.dtype()) << ", got " << weft::name(got.dtype());
  } else if (!std::ranges::equal(got.shape(), wanted.shape())) {
    text << "expected shape " << weft::to_string(wanted.shape()) << ", got "
         << weft::to_string(got.shape());
  } else {
    for_each_index(dims(wanted), [&](const Dims& index) {
      const char* a = element(got, index);
      const char* b = element(wanted, index);
      if (same_element(wanted.dtype(), a, b) || !text.str().empty()) return;
      if (weft::is_floating(wanted.dtype())) {
        const double x = as_double(wanted.dtype(), a);
        const double y = as_double(wanted.dtype(), b);
        if (std::fabs(x - y) <= c.atol + c.rtol * std::fabs(y)) return;
      }
      text << "at " << weft::to_string(index) << ": expected ";
      print_element(text, wanted.dtype(), b);
      text << ", got ";
      print_element(text, wanted.dtype(), a);
    });
  }
  return text.str();
}

std::string run_case(const OnnxCase& c, const std::function<Tensors(const OnnxCall&)>& run,
                     Form form) {
  const LaidOut inputs(c, form);
  const Tensors results = run(OnnxCall(c, inputs.views()));
  if (results.size() != c.outputs.size()) return "another number of results";
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string output = "output " + std::to_string(i) + ": ";
    if (form != Form::broadcast) {
      const std::string wrong = difference(results[i], c.outputs[i], c);
      if (!wrong.empty()) return output + wrong;
      continue;
    }
    if (results[i].rank() != c.outputs[i].rank() + 1) return output + "not broadcast";
    for (std::int64_t copy = 0; copy < LaidOut::repeats_; ++copy) {
      const std::string wrong = difference(results[i].select(0, copy), c.outputs[i], c);
      if (!wrong.empty()) return output + wrong;
    }
  }
  return "";
}

}  // namespace

const std::vector<OnnxCase>& onnx_cases() {
  static const std::vector<OnnxCase> cases = read_cases();
  return cases;
}

std::vector<std::int64_t> OnnxCall::values(std::size_t i) const {
  const Tensor dense = weft::contiguous(in(i), ScalarType::i64);
  const auto* first = static_cast<const std::int64_t*>(dense.data());
  return {first, first + dense.numel()};
}

ScalarType OnnxCall::type(std::string_view name, ScalarType otherwise) const {
  static const std::map<std::int64_t, ScalarType> types = {
      {1, ScalarType::f32},  {2, ScalarType::u8},   {3, ScalarType::i8},   {4, ScalarType::u16},
      {5, ScalarType::i16},  {6, ScalarType::i32},  {7, ScalarType::i64},  {9, ScalarType::boolean},
      {10, ScalarType::f16}, {11, ScalarType::f64}, {12, ScalarType::u32}, {13, ScalarType::u64},
      {16, ScalarType::bf16}};
  const Json* number = attribute(name);
  return number == nullptr ? otherwise : types.at(number->integer);
}

void check_onnx_cases(const std::string& category, const OnnxOperators& operators,
                      const OnnxLeftOut& left_out, bool elementwise) {
  struct NamedForm {
    Form form;
    const char* name;
  };
  std::vector<NamedForm> forms = {{Form::row_major, "row-major"},
                                  {Form::transposed, "transposed"},
                                  {Form::padded, "padded"},
                                  {Form::reversed, "reversed"},
                                  {Form::folded, "folded"}};
  if (elementwise) forms.push_back({Form::broadcast, "broadcast"});

  std::set<std::string> used;
  int runs = 0;
  for (const OnnxCase& c : onnx_cases()) {
    if (c.category != category) continue;
    const auto by_name = left_out.find(c.name);
    const auto by_op = left_out.find(c.op);
    const auto out = by_name != left_out.end() ? by_name : by_op;
    if (out != left_out.end()) {
      used.insert(out->first);
      continue;
    }
    const auto found = operators.find(c.op);
    if (found == operators.end()) {
      FAIL_CHECK(c.name << " of " << c.op << " is neither run nor left out");
      continue;
    }
    used.insert(c.op);
    for (const NamedForm& form : forms) {
      std::string wrong;
      try {
        wrong = run_case(c, found->second, form.form);
      } catch (const std::exception& e) {
        wrong = std::string("exception: ") + e.what();
      }
      INFO(c.name << " of " << c.op << ", inputs " << form.name);
      CHECK(wrong == "");
      ++runs;
    }
  }
  CHECK(runs > 0);
  for (const auto& [name, reason] : left_out) {
    INFO("left out: " << name << ", " << reason);
    CHECK(used.count(name) == 1);
  }
  for (const auto& [name, run] : operators) {
    INFO("operator: " << name);
    CHECK(used.count(name) == 1);
  }
}

}  // namespace test
