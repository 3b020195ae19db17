// SPDX-License-Identifier: Apache-2.0
#include "recurrent/operator/loop_data.hpp"

#include "recurrent/body/cell_products.hpp"
#include "recurrent/spec/loop_types.hpp"

#include <algorithm>

namespace weft {
inline namespace v0 {
namespace recurrent {

namespace {

/// Different types that a loop is remembered for; a batch of changing size is not to fill the
/// memory.
constexpr std::size_t max_remembered = 8;

template <class T>
void remember(std::vector<T>& list, T entry) {
  if (list.size() == max_remembered) list.erase(list.begin());
  list.push_back(std::move(entry));
}

}  // namespace

LoopRuntime::LoopRuntime(std::shared_ptr<const LoopBody> of) : body(std::move(of)) {
  const auto make = [](std::optional<graph::Frame>& frame, const Stage& stage) {
    if (stage.program) frame.emplace(*stage.program);
  };
  make(once, body->once);
  make(block, body->block);
  make(head, body->head);
  make(trip, body->trip);
}

std::int64_t LoopRuntime::bytes_held() const noexcept {
  std::int64_t bytes = 0;
  const auto add = [&](const std::vector<Buffer>& buffers) {
    for (const Buffer& buffer : buffers)
      bytes += buffer.size();
  };
  add(starts);
  add(fixed_states);
  add(rings);
  add(staged);
  add(blocks);
  std::ranges::for_each(chunks, add);
  return bytes;
}

std::shared_ptr<const TypedGraph> LoopData::typed_body(
    const graph::Graph& body, const std::vector<graph::ValueType>& first,
    const graph::OperatorRegistry& operators) const {
  Operators used;
  used.reserve(body.nodes().size());
  for (const graph::Node& node : body.nodes()) {
    if (node.kind == graph::NodeKind::operation)
      used.push_back(operators.find(node.op, node.opset));
  }
  {
    const std::scoped_lock lock(mutex_);
    for (const Typed& known : typed_) {
      if (known.first == first && known.operators == used) return known.typed;
    }
  }
  auto typed = infer_body(spec, body, first, operators);
  const std::scoped_lock lock(mutex_);
  remember(typed_, Typed{first, std::move(used), typed});
  return typed;
}

std::shared_ptr<const LoopBody> LoopData::body(const graph::Graph& body,
                                               const std::vector<graph::ValueType>& first,
                                               const graph::OperatorRegistry& operators,
                                               bool first_is_true, bool block) const {
  const auto typed = typed_body(body, first, operators);
  {
    const std::scoped_lock lock(mutex_);
    for (const Divided& known : divided_) {
      if (known.typed == typed && known.first_is_true == first_is_true && known.block == block) {
        return known.body;
      }
    }
  }
  auto divided = typed;
  if (block) {
    graph::Graph separate = typed->graph();
    if (separate_input_products(separate, spec) > 0)
      divided = infer_body(spec, separate, first, operators);
  }
  auto made = std::make_shared<const LoopBody>(
      divide_body(spec, divided, operators, first_is_true, {.once = true, .block = block}));
  const std::scoped_lock lock(mutex_);
  remember(divided_, Divided{typed, first_is_true, block, made});
  return made;
}

std::unique_ptr<LoopRuntime> LoopData::take(const std::shared_ptr<const LoopBody>& body) const {
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(idle_, body, &LoopRuntime::body);
    if (found != idle_.end()) {
      auto runtime = std::move(*found);
      idle_.erase(found);
      return runtime;
    }
  }
  return std::make_unique<LoopRuntime>(body);
}

void LoopData::give_back(std::unique_ptr<LoopRuntime> runtime) const noexcept {
  if (runtime == nullptr) return;
  try {
    const std::scoped_lock lock(mutex_);
    remember(idle_, std::move(runtime));
  } catch (...) {  // then it is made anew
  }
}

void LoopData::set_report(const LoopReport& report,
                          const std::shared_ptr<const std::vector<graph::PlanNote>>& notes) const {
  const std::scoped_lock lock(mutex_);
  const std::int64_t runs = report_.runs;
  report_ = report;
  report_.runs = runs + 1;
  trip_notes_ = notes;
}

LoopReport LoopData::report() const {
  const std::scoped_lock lock(mutex_);
  LoopReport report = report_;
  if (trip_notes_ != nullptr) report.in_trips = *trip_notes_;
  return report;
}

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
