// SPDX-License-Identifier: BSD-3-Clause
// CPU affinity of single threads. Not: which threads a binding reaches (context).
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include "base/cpu_set.hpp"

namespace comity::os {

// The mask of a thread of this node, 0 for the calling one; throws Status::system, errno ESRCH when it is gone.
[[nodiscard]] CpuSet affinity(pid_t thread);

// As above without a throw: 0 or the errno (ESRCH: gone).
[[nodiscard]] int read_affinity(pid_t thread, CpuSet& mask) noexcept;

// As above; false when the thread is gone.
[[nodiscard]] bool affinity_if_alive(pid_t thread, CpuSet& mask);

// Sets the mask; 0 or the errno (ESRCH: gone; EINVAL: no CPU of the mask is allowed; EPERM: not ours).
[[nodiscard]] int set_affinity(pid_t thread, const CpuSet& mask) noexcept;

// The same for a thread of this process that may not have run yet.
[[nodiscard]] int set_affinity_of(pthread_t thread, const CpuSet& mask) noexcept;

// The CPU that the calling thread runs on at this moment.
[[nodiscard]] int current_cpu() noexcept;

}  // namespace comity::os
