// SPDX-License-Identifier: BSD-3-Clause
// Some calls of MPI in front of MPI's own: counts the communicators of this process, and refuses what a test asks for.
#pragma once

namespace comity::testing {

// Made and not freed yet, since the program began.
[[nodiscard]] long communicators();
// The next attribute that this process sets on a communicator is refused.
void refuse_next_attribute();

}  // namespace comity::testing
