// SPDX-License-Identifier: BSD-3-Clause
// Lookout: of the threads of a rank that sleep in waits at once one looks for all: it asks also what the others wait for, and wakes
// those for whom it is over. Not: when it looks, and what wakes it (wait). Invariants: while any sleep here one looks, and hands that
// on when it is done itself; what a thread waits for is asked by one thread at a time. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace comity::coop {

class Lookout {
 public:
  // What one thread waits for: on its stack while it waits.
  class Seat {
   public:
    template <typename Test>
    explicit Seat(Test& test)
        : test_(const_cast<void*>(static_cast<const void*>(&test))),
          ask_([](void* of) { return static_cast<bool>((*static_cast<Test*>(of))()); }) {}
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

   private:
    friend class Lookout;
    enum State : std::uint32_t { kSleeps, kLooks, kOver };

    void* test_;
    bool (*ask_)(void* test);
    std::atomic<std::uint32_t> state_ = kSleeps;  // release by who looks, acquire by who sat down; a futex word
    Seat* next_ = nullptr;                        // of those that sleep
  };

  // From now on threads look for one another; before, each does for itself.
  void open() { is_open_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_open() const;

  // Whether this thread is the one that looks. Else it is to sleep, and who looks is to be rung first, so that there is a look after
  // this.
  [[nodiscard]] bool sit_down(Seat& seat);
  // Returns whether it is over; else this thread is to look.
  [[nodiscard]] bool sleep(Seat& seat);
  // After a look of its own, by who looks.
  void look_for_others(const Seat& me);
  // Its wait is over.
  void leave(const Seat& seat);
  // When the last thread sat down, on the clock of now_ns().
  [[nodiscard]] std::int64_t newest_ns() const { return newest_ns_.load(std::memory_order_relaxed); }

 private:
  void answer(Seat& seat);
  void put_back(Seat& seat);
  [[nodiscard]] bool take_out(const Seat& seat);
  [[nodiscard]] Seat* take_all();
  [[nodiscard]] bool takes_over(Seat& seat, std::uint64_t& seen);

  std::atomic<bool> is_open_{false};
  std::atomic<std::uint64_t> looks_{0};  // a thread that ended in a wait looks no more
  std::atomic<std::int64_t> newest_ns_{0};
  std::mutex mutex_;                          // never held while anything is asked
  std::atomic<const Seat*> looker_{nullptr};  // written under the lock
  std::atomic<Seat*> sleepers_{nullptr};      // a list, changed under the lock
};

}  // namespace comity::coop
