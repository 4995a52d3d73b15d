// SPDX-License-Identifier: BSD-3-Clause
// Watch: what a rank may sleep on beside its doorbell where its job has ranks on other nodes, which cannot ring it: the descriptors
// that the library itself asks the kernel about in its looks. Where it has found none of them ready, who sleeps on just these is told
// of all that its next look would have found there. Not: who sees it ask (library/descriptors). Invariants: one thread of the process
// at a time has the watch; what is slept on was asked about since the last sleep.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "os/files/poll.hpp"

namespace comity::coop {

class Watch {
 public:
  // On the stack of a thread that listens: from now on what it asks is noted, if nobody else has the watch.
  class Turn {
   public:
    explicit Turn(Watch& watch) : watch_(watch), has_it_(watch.take()) {}
    ~Turn() {
      if (has_it_) watch_.give_back();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // Something was ready in the last look, so the library may have more to do at once.
    [[nodiscard]] bool has_more() const { return has_it_ && watch_.any_is_ready_; }
    // To sleep on: the first one is left to the doorbell. Empty where there is nothing but that. Each look is taken once.
    [[nodiscard]] std::span<pollfd> take_idle() { return has_it_ ? watch_.take_idle() : std::span<pollfd>(); }

   private:
    Watch& watch_;
    const bool has_it_;
  };

  // Before any thread waits; most: descriptors at once. Until then nobody has the watch.
  void open(std::size_t most) { found_.resize(most + 1); }
  [[nodiscard]] bool is_open() const { return !found_.empty(); }

  // The three are nothing where this thread has no watch. A look of the library begins.
  static void begin_look() {
    if (mine_ != nullptr) mine_->is_new_look_ = true;
  }
  // What this thread has asked about, and whether any of it was ready. Safe in handlers of signals.
  static void note(std::span<const pollfd> asked, bool any_is_ready) {
    if (mine_ != nullptr) mine_->add(asked, any_is_ready);
  }
  static void note_set(int epoll, bool any_is_ready) {
    const pollfd one = os::to_read(epoll);
    note({&one, 1}, any_is_ready);
  }

 private:
  [[nodiscard]] bool take();
  void give_back();
  [[nodiscard]] bool begins_look(std::span<const pollfd> asked) const;
  void add(std::span<const pollfd> asked, bool any_is_ready);
  [[nodiscard]] std::span<pollfd> take_idle();

  static inline constinit thread_local Watch* mine_ __attribute__((tls_model("initial-exec"))) = nullptr;

  std::atomic<bool> is_taken_{false};
  // Of who has it:
  std::vector<pollfd> found_;  // the first one is the doorbell's
  std::size_t count_ = 0;      // that the last look asked about
  bool is_whole_ = true;       // there was room for all of them
  bool any_is_ready_ = false;
  bool is_new_look_ = true;  // begins with what is noted next
};

}  // namespace comity::coop
