// SPDX-License-Identifier: BSD-3-Clause
// Library: the harts of this process as the C interface starts them, the scheduler of those who name none, and the schedulers
// that callers have entered. Not: what functions do with them. Invariant: there is one while harts run.
#pragma once

#include <comity/sched.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sched/scheduler.hpp"
#include "sched/substrate.hpp"

namespace comity::capi::sched {

class Library {
 public:
  // The one that runs; throws Status::order where there is none.
  static Library& running();
  [[nodiscard]] static bool is_running() noexcept;

  static void start(const comity_sched_options& options);
  static void stop();

  [[nodiscard]] comity::sched::Substrate& substrate() noexcept { return substrate_; }
  [[nodiscard]] comity::sched::OwnCpus& cpus() noexcept { return cpus_; }
  // By its number; throws Status::range where there is none.
  [[nodiscard]] const comity::sched::Hart& hart(std::int32_t number);
  [[nodiscard]] comity::sched::Scheduler& usual() noexcept { return *usual_; }

  // A scheduler below that of the calling fiber.
  template <typename Kind, typename... Arguments>
  comity_sched_scheduler* enter(Arguments&&... arguments) {
    comity::sched::Hart& hart = fiber_hart();
    return keep(
        std::make_unique<comity::sched::Entered<Kind>>(hart.scheduler(), std::forward<Arguments>(arguments)...));
  }
  void leave(comity_sched_scheduler* scheduler);
  // Throws Status::handle for one that is not here.
  comity::sched::Scheduler& at(comity_sched_scheduler* scheduler);

  // The hart of the calling fiber; throws Status::order for a plain thread.
  static comity::sched::Hart& fiber_hart() {
    comity::sched::Hart* const hart = comity::sched::Hart::current();
    if (hart == nullptr) [[unlikely]]
      refuse_thread();
    return *hart;
  }

 private:
  struct One {
    std::uintptr_t number;  // the handle: none is given twice
    std::unique_ptr<comity::sched::Scheduler> scheduler;
    const comity::sched::Fiber* by;
  };

  Library(const comity_sched_options& options, comity_sched_kind kind);
  [[noreturn, gnu::cold]] static void refuse_thread();
  [[nodiscard]] std::vector<One>::iterator find(comity_sched_scheduler* scheduler);
  comity_sched_scheduler* keep(std::unique_ptr<comity::sched::Scheduler> entered);

  comity::sched::OwnCpus cpus_;
  comity::sched::Substrate substrate_;
  const comity::sched::Fiber* const main_;
  std::unique_ptr<comity::sched::Scheduler> usual_;
  std::mutex mutex_;  // what follows
  std::vector<One> entered_;
  std::uintptr_t numbers_ = 0;
};

}  // namespace comity::capi::sched
