// SPDX-License-Identifier: Apache-2.0
#include "user_plain.hpp"

namespace bench {

void user_case_by_plain_loops(UserCase which, const UserOperands& operands) {
  run_plainly(which, operands);
}

}  // namespace bench
