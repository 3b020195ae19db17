// SPDX-License-Identifier: Apache-2.0
#include "user_forms.hpp"
#include "user_plain.hpp"

namespace bench {

void WEFT_KERNEL(user_case_in_kernel_file)(UserCase which, bool plain,
                                           const UserOperands& operands) {
  plain ? void(run_plainly(which, operands)) : run_in_weft(which, operands);
}

}  // namespace bench
