// SPDX-License-Identifier: Apache-2.0
#include "cli/channels.hpp"

#include <weft/iter/config.hpp>
#include <weft/ops/binary.hpp>
#include <weft/ops/compare.hpp>
#include <weft/ops/reduce.hpp>
#include <weft/ops/ternary.hpp>
#include <weft/ops/unary.hpp>

namespace weft::cli {

ChannelStatistics channel_statistics(const TensorView& picture) {
  const std::int64_t pixels = picture.extent(0) * picture.extent(1);
  ChannelStatistics s;
  // Bytes add up in i64: the sum is exact.
  s.mean = div(sum(picture, {0, 1}), pixels);
  // u8 [height, width, 3] - f32 [3]: broadcast and promoted on the way.
  const Tensor centred = sub(picture, s.mean);
  s.std = sqrt(div(sum(mul(centred, centred), {0, 1}), pixels));
  s.inverse_std = div(1.0, where(gt(s.std, 0.0), s.std, 1.0));
  return s;
}

TensorIterator normalization(const TensorView& out, const TensorView& picture,
                             const ChannelStatistics& statistics) {
  // Views only: channels first, and one value a channel.
  const TensorView planes = picture.permute({2, 0, 1});
  const TensorView mean = statistics.mean.unsqueeze(1).unsqueeze(2);
  const TensorView inverse_std = statistics.inverse_std.unsqueeze(1).unsqueeze(2);
  return TensorIteratorConfig()
      .add_output(out)
      .add_const_input(planes)
      .add_const_input(mean)
      .add_const_input(inverse_std)
      .check_all_same_dtype(false)
      .build();
}

void normalize_by_loops(const TensorView& out, const TensorView& picture,
                        const ChannelStatistics& statistics) {
  const std::int64_t height = picture.extent(0);
  const std::int64_t width = picture.extent(1);
  const std::int64_t channels = picture.extent(2);
  const auto* from = picture.data_as<std::uint8_t>();
  const auto* mean = statistics.mean.data_as<float>();
  const auto* inverse_std = statistics.inverse_std.data_as<float>();
  auto* to = out.data_as<float>();
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const float value = from[(y * width + x) * channels + c];
        to[(c * height + y) * width + x] = (value - mean[c]) * inverse_std[c];
      }
    }
  }
}

}  // namespace weft::cli
