// SPDX-License-Identifier: Apache-2.0
// A static object whose constructor and destructor call weft. What the destructor calls first of
// all is made after the object, and would be gone before it.
#include "calls.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

/// Ends the process with an exit code of its own if something is wrong.
void require(bool right, const char* where) {
  if (right) return;
  std::fprintf(stderr, "wrong in %s\n", where);
  std::_Exit(3);
}

struct Object {
  Object() { require(test::calls_are_right(), "a static object's constructor"); }
  ~Object() {
    require(test::graph_is_right() && test::calls_are_right(), "a static object's destructor");
  }
};

const Object object;

}  // namespace
