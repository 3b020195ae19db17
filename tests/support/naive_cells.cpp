// SPDX-License-Identifier: Apache-2.0
#include "support/naive_cells.hpp"

#include <weft/core/dispatch_types.hpp>

#include "support/naive_product.hpp"

#include <algorithm>
#include <cmath>

namespace test {

namespace {

using weft::ScalarType;
using weft::Tensor;

double activated(const std::string& name, double x) {
  if (name == "sigmoid") return 1 / (1 + std::exp(-x));
  if (name == "tanh") return std::tanh(x);
  if (name == "relu") return std::max(x, 0.0);
  return std::min(1.0, std::max(0.0, 0.3 * x + 0.4));
}

/// The product of two rows of `count` numbers.
double dot(const std::vector<double>& a, std::int64_t row_a, const std::vector<double>& b,
           std::int64_t row_b, std::int64_t count) {
  double sum = 0;
  for (std::int64_t k = 0; k < count; ++k)
    sum += a[static_cast<std::size_t>(row_a * count + k)] *
           b[static_cast<std::size_t>(row_b * count + k)];
  return sum;
}

/// 0 of what is left out.
double at(const std::vector<double>& a, std::int64_t i) {
  return a.empty() ? 0 : a[static_cast<std::size_t>(i)];
}

/// f.operator()<T>() for one of the types that cells have.
template <class F>
decltype(auto) with_type(ScalarType type, F&& f) {
  return weft::dispatch_types<float, double, weft::float16, weft::bfloat16>(type,
                                                                            std::forward<F>(f));
}

}  // namespace

double NaiveCell::gate(std::size_t activation, double sum) const {
  return activated(activations[activation], clip > 0 ? std::min(clip, std::max(-clip, sum)) : sum);
}

std::vector<std::vector<double>> NaiveCell::step() const {
  if (kind == NaiveCellKind::lstm) return lstm();
  return {kind == NaiveCellKind::gru ? gru() : rnn()};
}

std::vector<std::vector<double>> NaiveCell::lstm() const {
  std::vector<double> hidden, cell;
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t j = 0; j < h; ++j) {
      const auto sum = [&](char gate) {
        const std::int64_t k = static_cast<std::int64_t>(format.find(gate)) * h + j;
        return dot(in[0], row, in[3], k, i) + dot(in[1], row, in[4], k, h) + at(in[5], k);
      };
      const double before = in[2][static_cast<std::size_t>(row * h + j)];
      const double input = gate(0, sum('i') + at(in[6], h + j) * before);
      const double forget = input_forget ? 1 - input : gate(0, sum('f') + at(in[6], j) * before);
      const double next = forget * before + input * gate(1, sum('c'));
      const double output = gate(0, sum('o') + at(in[6], 2 * h + j) * next);
      hidden.push_back(output * activated(activations[2], next));
      cell.push_back(next);
    }
  }
  return {hidden, cell};
}

std::vector<double> NaiveCell::gru() const {
  std::vector<double> hidden;
  const auto x_part = [&](std::int64_t row, std::int64_t k) {
    return dot(in[0], row, in[2], k, i) + at(in[4], k);
  };
  for (std::int64_t row = 0; row < n; ++row) {
    std::vector<double> reset_hidden;
    for (std::int64_t j = 0; j < h; ++j) {
      const double r = gate(0, x_part(row, h + j) + dot(in[1], row, in[3], h + j, h));
      reset_hidden.push_back(r * in[1][static_cast<std::size_t>(row * h + j)]);
    }
    for (std::int64_t j = 0; j < h; ++j) {
      const double z = gate(0, x_part(row, j) + dot(in[1], row, in[3], j, h));
      const double before = in[1][static_cast<std::size_t>(row * h + j)];
      double sum = x_part(row, 2 * h + j);
      if (linear_before_reset) {
        const double r = gate(0, x_part(row, h + j) + dot(in[1], row, in[3], h + j, h));
        sum += r * (dot(in[1], row, in[3], 2 * h + j, h) + at(in[4], 3 * h + j));
      } else {
        sum += dot(reset_hidden, 0, in[3], 2 * h + j, h);
      }
      hidden.push_back((1 - z) * gate(1, sum) + z * before);
    }
  }
  return hidden;
}

std::vector<double> NaiveCell::rnn() const {
  std::vector<double> hidden;
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t j = 0; j < h; ++j) {
      hidden.push_back(
          gate(0, dot(in[0], row, in[2], j, i) + dot(in[1], row, in[3], j, h) + at(in[4], j)));
    }
  }
  return hidden;
}

double rounded_to(ScalarType type, double value) {
  return with_type(type, [&]<class T>() {
    return static_cast<double>(static_cast<Sum<T>>(T(static_cast<Sum<T>>(value))));
  });
}

std::pair<Tensor, std::vector<double>> small_numbers(Random& random, ScalarType type,
                                                     const Dims& shape, double most) {
  Tensor tensor = Tensor::empty(shape, type);
  std::vector<double> values;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const double value = static_cast<double>(random.integer(-1000, 1000)) / 1024 * most;
    values.push_back(rounded_to(type, value));
    with_type(type, [&]<class T>() {
      static_cast<T*>(tensor.data())[i] = T(static_cast<Sum<T>>(value));
    });
  }
  return {tensor, values};
}

double worst_difference(const weft::TensorView& got, const std::vector<double>& wanted) {
  const Tensor dense = Tensor::copy_of(got);
  double worst = dense.numel() == static_cast<std::int64_t>(wanted.size()) ? 0 : 1e300;
  for (std::int64_t i = 0; i < dense.numel() && worst < 1e300; ++i) {
    const double value = with_type(dense.dtype(), [&]<class T>() {
      return static_cast<double>(static_cast<Sum<T>>(static_cast<T*>(dense.data())[i]));
    });
    const double difference = std::fabs(value - wanted[static_cast<std::size_t>(i)]);
    worst = std::isnan(difference) ? 1e300 : std::max(worst, difference);
  }
  return worst;
}

double cell_tolerance(ScalarType type) {
  if (type == ScalarType::f64) return 1e-13;
  if (type == ScalarType::f32) return 5e-6;
  return type == ScalarType::f16 ? 4e-3 : 4e-2;
}

}  // namespace test
