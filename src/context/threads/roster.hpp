// SPDX-License-Identifier: BSD-3-Clause
// Roster: the threads of this process that a push reaches, with their masks, and the helpers (progress threads of MPI,
// PMIx and UCX) that it leaves alone. While no thread is born or ends, looking costs one call for the count and one a
// thread, which both reads its mask and proves it alive. Not: moving them (process_binder).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/cpu_set.hpp"
#include "os/threads/threads.hpp"

namespace comity::context {

class Roster {
 public:
  struct Thread {
    pid_t id;
    CpuSet mask;
    std::uintptr_t begins_in = 0;  // that object, as os::ThreadOrigins tells; 0: not known, or not asked yet
  };

  // Those that begin in the MPI library are helpers, and those that sleep in poll now, but for threads that begin in the program
  // itself, unless MPI is linked into that; the calling and the main thread never are. One that a library began, but no OpenMP
  // runtime, may be at work just now: it is waited for, once, until it has worked for two milliseconds.
  void note_helpers();
  [[nodiscard]] const std::vector<pid_t>& helpers() const { return helpers_; }  // ascending

  // Reads all anew. True: threads were born or have ended since the last look.
  bool look();
  // As of the last look, ascending by id, without helpers.
  [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }
  [[nodiscard]] const Thread* find(pid_t id) const;
  // Asks where they begin, until all have told: one that is just being born tells later. Who never does, for somebody who
  // stands before pthread_create, is asked kMostAsks times a listing.
  void learn_origins();

  // Whether this process has no threads but the helpers and `alive` others. False also where the kernel does not tell.
  [[nodiscard]] bool has_only(std::size_t alive) const noexcept;

 private:
  [[nodiscard]] bool unchanged();
  [[nodiscard]] std::size_t living_helpers() const noexcept;
  [[nodiscard]] bool is_helper(pid_t thread) const;
  [[nodiscard]] bool polls_soon(pid_t thread, bool may_help);
  void list();

  std::vector<Thread> threads_;
  std::vector<pid_t> helpers_;  // ascending
  std::vector<pid_t> busy_;     // ascending: waited for in vain, for they work on
  std::vector<pid_t> ids_;      // of all threads, ascending, as of the last listing
  static constexpr int kMostAsks = 8;
  int asks_left_ = kMostAsks;  // where threads_ begin
  os::ThreadCount count_;
};

}  // namespace comity::context
