// SPDX-License-Identifier: Apache-2.0
#include "graph/frame/call_list.hpp"

#include "base/text.hpp"
#include "graph/compile/program.hpp"

#include <utility>

namespace weft {
inline namespace v0 {
namespace graph {

std::size_t CallList::add_pointer(char* at) {
  pointers_.push_back(at);
  return pointers_.size() - 1;
}

FrameStep& CallList::add_step(FrameStep step, int node) {
  auto made = std::make_unique<FrameStep>(std::move(step));
  calls_.push_back({run_step, made.get(), nullptr, nullptr, 0, 0, 0, node, 0});
  steps_.push_back(std::move(made));
  return *steps_.back();
}

void CallList::add_call(const DirectCall& call, std::size_t first, int node) {
  row_bytes_.resize(pointers_.size(), 0);
  call_of_.resize(pointers_.size(), -1);
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    row_bytes_[first + k] = call.operands[k].row_bytes;
    call_of_[first + k] = next_call();
  }
  calls_.push_back(
      {call.run, call.context, nullptr, nullptr, call.n, call.rows, call.broadcast, node, first});
}

FrameStep& CallList::keep(std::unique_ptr<Kernel> kernel) {
  auto keeper = std::make_unique<FrameStep>();
  keeper->kernel = std::move(kernel);
  steps_.push_back(std::move(keeper));
  return *steps_.back();
}

void CallList::connect(StepMemory& memory) {
  char** const table = pointers_.data();
  row_bytes_.resize(pointers_.size(), 0);
  call_of_.resize(pointers_.size(), -1);
  for (FlatCall& call : calls_) {
    call.data = table + call.first_data;
    call.row_bytes = row_bytes_.data() + call.first_data;
  }
  for (const auto& step : steps_) {
    step->arguments = {
        const_cast<const void* const*>(reinterpret_cast<void**>(table + step->inputs)),
        reinterpret_cast<void**>(table + step->outputs), &memory};
    step->memory = &memory;
  }
}

void CallList::run_step(const void* context, char* const*, const std::int64_t*, std::int64_t,
                        std::int64_t, std::uint32_t) {
  const auto& step = *static_cast<const FrameStep*>(context);
  if (step.first_value >= 0) step.memory->first_value = step.first_value;
  step.kernel->run(step.arguments);
}

void CallList::refuse(const Node& node, const Error& error) {
  fail(error.code(), text(describe(node), ": ", without_name(node, error.what())));
}

bool CallList::takes_rows(char* const* where, const RowForm& form, std::int64_t row_bytes) const {
  const std::size_t pointer = number_of(where);
  if (call_of_[pointer] < 0) return false;
  const FlatCall& call = calls_[static_cast<std::size_t>(call_of_[pointer])];
  return call.n == form.row_elements && call.rows == form.rows && row_bytes_[pointer] == row_bytes;
}

}  // namespace graph
}  // namespace v0
}  // namespace weft
