// SPDX-License-Identifier: Apache-2.0
// Its static object is in another file.
#include "calls.hpp"

int main() { return test::graph_is_right() && test::calls_are_right() ? 0 : 1; }
