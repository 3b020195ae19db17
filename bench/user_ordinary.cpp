// SPDX-License-Identifier: Apache-2.0
#include "user_forms.hpp"

namespace bench {

void user_case_in_ordinary_file(UserCase which, bool plain, const UserOperands& operands) {
  plain ? user_case_by_plain_loops(which, operands) : run_in_weft(which, operands);
}

}  // namespace bench
