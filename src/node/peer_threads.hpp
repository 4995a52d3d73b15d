// SPDX-License-Identifier: BSD-3-Clause
// PeerThreads: the threads of other processes, with their masks. While none is born or ends there, a look costs one call for
// their number and one a thread. Not: which of them count (node).
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::node {

class PeerThreads {
 public:
  using See = std::function<void(pid_t thread, const CpuSet& mask)>;

  // Of all threads of a process of this pid namespace, but for those that are `left_out` (ascending). False where it is gone, or
  // its threads cannot be listed. Call from any thread.
  [[nodiscard]] bool look(pid_t process, const std::vector<pid_t>& left_out, const See& see);

 private:
  std::mutex mutex_;
  std::map<pid_t, std::vector<pid_t>> known_;  // all threads of a process, as of the last listing
};

}  // namespace comity::node
