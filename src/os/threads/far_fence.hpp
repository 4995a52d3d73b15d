// SPDX-License-Identifier: BSD-3-Clause
// A fence that one process makes for others too, so that those who pass often need none of their own: membarrier(2).
#pragma once

namespace comity::os {

// From now on far_fence() of any process counts for all threads of this one. False: this kernel has no such fence.
[[nodiscard]] bool join_far_fences();

// Sequentially consistent here, and on every processor where a thread of a process that has joined runs. About a
// microsecond, and some more where others run.
void far_fence();

}  // namespace comity::os
