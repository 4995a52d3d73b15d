// SPDX-License-Identifier: BSD-3-Clause
// LLVM's OpenMP runtime has a file in shared memory for as long as its process lives. A child that ends by _exit, as those
// of tests do, leaves it there; nothing of Comity is in it.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <string>

namespace comity::testing {

inline void remove_what_llvm_left(pid_t child) {
  (void)::unlink(("/dev/shm/__KMP_REGISTERED_LIB_" + std::to_string(child) + "_" + std::to_string(::getuid())).c_str());
}

}  // namespace comity::testing
