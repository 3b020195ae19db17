// SPDX-License-Identifier: Apache-2.0
/// @file
/// Names of a loop's entries in messages.
#pragma once

#include <weft/graph/graph.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace weft {
inline namespace v0 {
namespace recurrent {

/// What a message is about, such as "iterator 1 (parameter 2 'x')". The text is put together only
/// where there is something to say: names are handed about whenever a loop is planned.
class EntryName {
 public:
  EntryName(const char* kind) : kind_(kind) {}
  EntryName(const char* kind, std::size_t number, const char* what = "")
      : kind_(kind), number_(number), what_(what) {}
  EntryName(const char* kind, std::optional<std::size_t> number, const graph::Graph& body,
            int parameter)
      : kind_(kind), number_(number), body_(&body), parameter_(parameter) {}

  std::string text() const;

 private:
  const char* kind_;
  std::optional<std::size_t> number_;
  const char* what_ = "";
  const graph::Graph* body_ = nullptr;
  int parameter_ = -1;
};

}  // namespace recurrent
}  // namespace v0
}  // namespace weft
