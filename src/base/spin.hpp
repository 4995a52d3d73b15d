// SPDX-License-Identifier: BSD-3-Clause
// What a loop that polls says to the core between two looks.
#pragma once

namespace comity {

inline void spin_pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

}  // namespace comity
