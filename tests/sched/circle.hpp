// SPDX-License-Identifier: BSD-3-Clause
// Two fibers that wait for one another for ever, "left" and "right". On a hart of libcomity_sched.
#pragma once

#include <array>
#include <comity/sched.hpp>
#include <cstddef>
#include <mutex>

inline void wait_in_a_circle() {
  namespace sched = comity::sched;
  std::array<sched::Mutex, 2> mutexes;
  sched::Barrier both(2);
  const auto lock = [&](std::size_t first) {
    const std::lock_guard<sched::Mutex> one(mutexes[first]);
    both.wait();
    const std::lock_guard<sched::Mutex> other(mutexes[1 - first]);
  };
  sched::Fiber left([&] { lock(0); }, "left");
  const sched::Fiber right([&] { lock(1); }, "right");
  left.join();
}
