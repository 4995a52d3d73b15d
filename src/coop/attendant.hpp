// SPDX-License-Identifier: BSD-3-Clause
// Attendant: a thread of this process that sleeps until ranks of its node begin or end to wait for long, and then gives this rank's
// threads the room which that leaves them: their cores, and whether idle members of GNU's teams may look for work before they sleep.
// The program's thread cannot see to it, for it computes. Not: who waits for long (long_waits), what room there is (shares).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "coop/decision/shares.hpp"
#include "node/node.hpp"
#include "os/threads/gnu_spin.hpp"

namespace comity::coop {

struct Duties {
  std::shared_ptr<node::Node> node;
  Neighbours neighbours;           // by participant
  std::vector<os::GnuSpin> spins;  // of this process; told to sleep at once, as nobody waits for long yet
  CpuSet launched;                 // where this rank could run at first
  std::vector<pid_t> left_alone;   // ascending: threads that stay where they are
};

// Until the process ends; once. Returns whether the system gave a thread.
bool start_attendant(Duties duties);

// From the return of the call on this rank's threads have its own cores and keep them, or no longer do so: others move them. Any thread.
void keep_own_cores(bool keep);

}  // namespace comity::coop
