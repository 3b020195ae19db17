// SPDX-License-Identifier: Apache-2.0
// Planning a frame again for parameters of other extents: where only kernels are concerned that can
// follow, everything else of the plan stays.
#include "graph/frame_impl.hpp"

#include <algorithm>

namespace weft::inline v0::graph {

/// Puts what is planned right for these parameters and returns true; or returns false, and has to be
/// planned anew.
bool Frame::Impl::resize(std::span<const TensorView> parameters) {
  if (!complete_ || !is_static_ || segments_.size() != 1) return false;
  changed_.assign(states_.size(), 0);
  for (int i = 0; i < nparameters(); ++i) {
    const TensorView& given = parameters[static_cast<std::size_t>(i)];
    bind(i, given.data());
    if (is_as_planned(i, given)) continue;
    TensorView& old = parameters_[static_cast<std::size_t>(i)];
    if (given.rank() != old.rank()) return false;
    old = given;
    if (!set_view(program().parameters[static_cast<std::size_t>(i)], given.shape(),
                  given.strides())) {
      return false;
    }
  }
  bool moved = false;
  for (std::size_t n = 0; n < program().nodes.size(); ++n) {
    const bool concerned = std::ranges::any_of(program().nodes[n].inputs, [&](int input) {
      return input >= 0 && changed_[static_cast<std::size_t>(input)] != 0;
    });
    if (concerned && !resize_node(n, moved)) return false;
  }
  if (!moved) return true;
  lay_out_arena();
  for (const Root& root : roots_) {
    if (root.kind != Root::Kind::arena) continue;
    for (const Patch& patch : root.patches)
      *patch.where = root.origin + patch.offset;
  }
  return true;
}

/// Another shape for a value that is there already. False if it goes to places that it was planned for.
bool Frame::Impl::set_view(int value, IntSpan shape, IntSpan strides) {
  for (const int result : results_of_[static_cast<std::size_t>(value)]) {
    const auto at = static_cast<std::size_t>(result);
    const bool copied = copied_results_[at].kind == ValueState::Kind::rooted;
    if (copied || !places_[at].strides.empty()) return false;
  }
  TensorView& view = state(value).view;
  view = TensorView::trusted(view.data(), view.dtype(), shape, strides);
  changed_[static_cast<std::size_t>(value)] = 1;
  return true;
}

/// `moved`: set if outputs have other sizes.
bool Frame::Impl::resize_node(std::size_t index, bool& moved) {
  FrameStep* const step = resizable_[index];
  if (step == nullptr) return false;
  const ProgramNode& node = program().nodes[index];
  resized_inputs_.clear();
  for (const int input : node.inputs)
    resized_inputs_.push_back(input < 0 ? nullptr : &state(input).view);
  resized_shapes_.resize(static_cast<std::size_t>(node.node.noutputs));
  for (std::size_t i = 0; i < resized_shapes_.size(); ++i)
    resized_shapes_[i].assign(state(node.first_output + static_cast<int>(i)).view.shape());
  try {
    if (!step->kernel->resize(resized_inputs_, resized_shapes_)) return false;
  } catch (const Error&) {
    return false;  // planning says what is wrong, and where
  }
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < resized_shapes_.size(); ++i) {
    const int value = node.first_output + static_cast<int>(i);
    const ValueState& at = state(value);
    if (!std::ranges::equal(at.view.shape(), resized_shapes_[i])) {
      if (!set_view(value, resized_shapes_[i], contiguous_strides(resized_shapes_[i])))
        return false;
      roots_[static_cast<std::size_t>(at.root)].bytes = at.view.nbytes();
      moved = true;
    }
    bytes += at.view.nbytes();
  }
  const int number = static_cast<int>(index);
  for (RawNote& note : segment().notes) {
    if (note.kind == PlanNote::Kind::kernel && note.nodes[0] == number) note.bytes = bytes;
  }
  return true;
}

}  // namespace weft::inline v0::graph
