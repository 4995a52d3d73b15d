// SPDX-License-Identifier: BSD-3-Clause
// Foreign code on a kernel thread of its own: what it keeps for its thread no fiber shares. The thread stands for the hart of the
// fiber that asks, so that no more run than harts; where it waits for one of our objects the hart runs others meanwhile.
#pragma once

#include <functional>

namespace comity::sched {

// Calls work() there, and returns when it has ended; what it throws is passed on. From a fiber that does not move. Throws
// Status::system where the kernel refuses a thread.
void on_own_thread(const std::function<void()>& work);

}  // namespace comity::sched
