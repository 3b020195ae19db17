// SPDX-License-Identifier: Apache-2.0
/// @file
/// Very many small checks as one assertion of Catch, which takes a microsecond for each of its own.
#pragma once

#include "support/catch.hpp"

#include <sstream>
#include <string>

namespace test {

/// Counts checks, and remembers what the first failed one said.
///
///     Tally tally;
///     for (...) tally.check(got == wanted, [&](auto& out) { out << "x = " << x; });
///     CHECK_TALLY(tally);
class Tally {
 public:
  template <class Describe>
  void check(bool right, Describe&& describe) {
    ++done_;
    if (right) return;
    if (failed_++ == 0) {
      std::ostringstream out;
      describe(out);
      first_ = out.str();
    }
  }
  long done() const { return done_; }
  /// Empty if all were right, and there were any.
  std::string complaint() const {
    if (done_ == 0) return "nothing was checked";
    if (failed_ == 0) return "";
    std::ostringstream out;
    out << failed_ << " of " << done_ << " checks failed, the first: " << first_;
    return out.str();
  }

 private:
  long done_ = 0;
  long failed_ = 0;
  std::string first_;
};

}  // namespace test

#define CHECK_TALLY(TALLY) CHECK((TALLY).complaint() == "")
