// SPDX-License-Identifier: BSD-3-Clause
// What stands in the place of library/ucx_progress in a library for tests, so that an MPICH on UCX waits as one on anything else does,
// whatever its level of threads: it never calls us from its waits.
#include "coop/library/library_wait.hpp"

namespace comity::coop {

bool may_call_back() { return false; }

bool hook_into_progress() { return true; }

bool sleeps_in_the_library() { return false; }

}  // namespace comity::coop
