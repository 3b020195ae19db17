// SPDX-License-Identifier: Apache-2.0
/// @file
/// The cases of user_cases.hpp as plain nested loops over memory. Each file that includes this has
/// a copy of its own. Where weft's function is compared with, there is none.
#pragma once

#include "user_cases.hpp"

namespace bench {
namespace {

/// Extents are read as any loop reads them that is not written for one size.
template <class T>
struct Plain {
  T* data;
  std::int64_t strides[3];  // in elements, of the last three axes

  explicit Plain(const weft::TensorView& view) : data(static_cast<T*>(view.data())), strides{} {
    for (int axis = 0; axis < view.rank(); ++axis)
      strides[3 - view.rank() + axis] = view.stride(axis);
  }
};

template <class W>
void weighted_squares(const UserOperands& o) {
  const weft::TensorView& a = o.views[1];
  const auto out = Plain<float>(o.views[0]);
  const auto w = Plain<const W>(o.views[3]);
  const auto *x = static_cast<const float*>(a.data()),
             *y = static_cast<const float*>(o.views[2].data());
  const std::int64_t ni = a.extent(0), nj = a.extent(1), nk = a.extent(2);
  static double sums[4096];
  for (std::int64_t i = 0; i < ni; ++i) {
    for (std::int64_t k = 0; k < nk; ++k)
      sums[k] = 0;
    for (std::int64_t j = 0; j < nj; ++j) {
      const std::int64_t row = (i * nj + j) * nk;
      const W* weight = w.data + i * w.strides[0] + j * w.strides[1];
      if (w.strides[2] == 1) {
        for (std::int64_t k = 0; k < nk; ++k) {
          const float d = x[row + k] - y[row + k];
          sums[k] += static_cast<double>(d * d * static_cast<float>(weight[k]));
        }
      } else if (w.strides[2] == 0) {
        const auto value = static_cast<float>(*weight);
        for (std::int64_t k = 0; k < nk; ++k) {
          const float d = x[row + k] - y[row + k];
          sums[k] += static_cast<double>(d * d * value);
        }
      } else {
        for (std::int64_t k = 0; k < nk; ++k) {
          const float d = x[row + k] - y[row + k];
          sums[k] += static_cast<double>(d * d * static_cast<float>(weight[k * w.strides[2]]));
        }
      }
    }
    for (std::int64_t k = 0; k < nk; ++k)
      out.data[i * nk + k] = static_cast<float>(sums[k]);
  }
}

/// False where there is no plain loop.
bool run_plainly(UserCase which, const UserOperands& o) {
  auto* out = static_cast<float*>(o.views[0].data());
  const auto* x = static_cast<const float*>(o.views[1].data());
  const std::int64_t n = o.views[1].numel();
  switch (which) {
    case UserCase::scaled:
      for (std::int64_t i = 0; i < n; ++i)
        out[i] = x[i] * 2 + 1;
      return true;
    case UserCase::weighted:
      o.views[3].dtype() == weft::ScalarType::i8 ? weighted_squares<std::int8_t>(o)
                                                 : weighted_squares<float>(o);
      return true;
    case UserCase::deviations: {
      const float mean = *static_cast<const float*>(o.views[2].data());
      double sum = 0;
      for (std::int64_t i = 0; i < n; ++i)
        sum += static_cast<double>((x[i] - mean) * (x[i] - mean));
      out[0] = static_cast<float>(sum);
      return true;
    }
    case UserCase::greatest: {
      auto* places = static_cast<std::int32_t*>(o.views[0].data());
      const std::int64_t rows = o.views[1].extent(0), columns = o.views[1].extent(1);
      for (std::int64_t r = 0; r < rows; ++r) {
        float best = -__builtin_inff();
        std::int32_t place = 0;
        for (std::int64_t j = 0; j < columns; ++j) {
          if (x[r * columns + j] > best) {
            best = x[r * columns + j];
            place = static_cast<std::int32_t>(j);
          }
        }
        places[r] = place;
      }
      return true;
    }
    case UserCase::picture: {
      const auto* bytes = static_cast<const std::uint8_t*>(o.views[1].data());
      const auto* mean = static_cast<const float*>(o.views[2].data());
      const auto* bias = static_cast<const std::int16_t*>(o.views[3].data());
      const std::int64_t planes = o.views[1].extent(0), size = n / planes;
      for (std::int64_t c = 0; c < planes; ++c) {
        for (std::int64_t i = 0; i < size; ++i)
          out[c * size + i] = (static_cast<float>(bytes[c * size + i]) - mean[c]) * 0.5F +
                              static_cast<float>(bias[c]);
      }
      return true;
    }
    case UserCase::box: {
      const std::int64_t rows = o.views[0].extent(0), columns = o.views[0].extent(1);
      const std::int64_t width = o.views[1].stride(0);
      for (std::int64_t r = 0; r < rows; ++r) {
        const float *p = x + r * width, *q = p + width, *s = q + width;
        for (std::int64_t j = 0; j < columns; ++j)
          out[r * columns + j] = ((p[j] + p[j + 1] + p[j + 2]) + (q[j] + q[j + 1] + q[j + 2]) +
                                  (s[j] + s[j + 1] + s[j + 2])) *
                                 0.111F;
      }
      return true;
    }
    case UserCase::windows: {
      const auto* w = static_cast<const float*>(o.views[2].data());
      const std::int64_t windows = o.views[0].numel();
      const float w0 = w[0], w1 = w[1], w2 = w[2];
      for (std::int64_t i = 0; i < windows; ++i)
        out[i] = x[i] * w0 + x[i + 1] * w1 + x[i + 2] * w2;
      return true;
    }
    case UserCase::recurrence: {
      const auto* b = static_cast<const float*>(o.views[2].data());
      const std::int64_t rows = o.views[0].extent(0), columns = o.views[0].extent(1);
      for (std::int64_t j = 0; j < columns; ++j)
        out[j] = b[j];
      for (std::int64_t at = columns; at < rows * columns; at += columns) {
        for (std::int64_t j = 0; j < columns; ++j)
          out[at + j] = x[at + j] * out[at - columns + j] + b[at + j];
      }
      return true;
    }
    default: return false;
  }
}

}  // namespace
}  // namespace bench
