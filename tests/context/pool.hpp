// SPDX-License-Identifier: BSD-3-Clause
// The least pool of std::thread, whose members take a core each of the pushed binding.
#pragma once

#include <comity/comity.hpp>

#include <sched.h>

#include <barrier>
#include <thread>
#include <vector>

#include "context/masks.hpp"

namespace comity::testing {

// What a pool's member does on its way into a region: onto its own core of the pushed binding.
inline void place(const Context& context, int member) {
  const std::vector<Cpus> cores = pushed_cores(context);
  bind_this_thread(cores[static_cast<std::size_t>(member) % cores.size()]);
}

// The least pool: members that meet at a barrier before and after each region. Member 0 is the caller.
class Pool {
 public:
  explicit Pool(int members) : meeting_(members), cpus_(static_cast<std::size_t>(members), -1) {
    for (int member = 1; member < members; ++member) threads_.emplace_back([this, member] { serve(member); });
  }
  ~Pool() {
    ends_ = true;
    meeting_.arrive_and_wait();
    for (std::thread& thread : threads_) thread.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Where the members were in one region; `context`: they place themselves first.
  const std::vector<int>& run(const Context* context) {
    context_ = context;
    meeting_.arrive_and_wait();
    work(0);
    meeting_.arrive_and_wait();
    return cpus_;
  }

 private:
  void serve(int member) {
    while (true) {
      meeting_.arrive_and_wait();
      if (ends_) return;
      work(member);
      meeting_.arrive_and_wait();
    }
  }
  void work(int member) {
    if (context_ != nullptr) place(*context_, member);
    cpus_[static_cast<std::size_t>(member)] = sched_getcpu();
  }

  std::barrier<> meeting_;
  bool ends_ = false;  // written before the barrier that members read it after, as all here
  const Context* context_ = nullptr;
  std::vector<int> cpus_;
  std::vector<std::thread> threads_;
};

}  // namespace comity::testing
