// SPDX-License-Identifier: Apache-2.0
/// @file
/// The steps of the demonstration: what a user of the library would write.
#pragma once

#include <weft/core/tensor.hpp>
#include <weft/iter/tensor_iterator.hpp>

namespace weft::cli {

/// Per channel, f32 [channels].
struct ChannelStatistics {
  Tensor mean;
  Tensor std;          ///< of the whole population (divided by the number of pixels)
  Tensor inverse_std;  ///< 1 / std, and 1 where a channel is the same everywhere
};

/// Statistics of a picture, u8 [height, width, channels], in two passes.
ChannelStatistics channel_statistics(const TensorView& picture);

/// The iteration that normalises: out f32 [channels, height, width] from the picture u8 [height,
/// width, channels], which is neither copied nor converted beforehand. Refers to the memory of all
/// three.
TensorIterator normalization(const TensorView& out, const TensorView& picture,
                             const ChannelStatistics& statistics);

/// The same by three nested loops over elements: what one writes without a library.
void normalize_by_loops(const TensorView& out, const TensorView& picture,
                        const ChannelStatistics& statistics);

}  // namespace weft::cli
