// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/far_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace comity::os {
namespace {

long membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0); }

}  // namespace

bool join_far_fences() { return membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0; }

void far_fence() { (void)membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED); }

}  // namespace comity::os
