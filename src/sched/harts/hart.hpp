// SPDX-License-Identifier: BSD-3-Clause
// Hart: a kernel thread on a CPU of its own that runs fibers, one at a time, as schedulers decide. Not: what they decide.
// Invariants: only the thread itself touches what is not atomic; a hart that has parked is woken by whoever posts to it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "base/spin.hpp"
#include "sched/fibers/fiber.hpp"
#include "sched/fibers/stack_pool.hpp"
#include "sched/harts/hart_source.hpp"
#include "sched/harts/idle_harts.hpp"
#include "sched/harts/openmp_team.hpp"
#include "sched/scheduler.hpp"

namespace comity::sched {

class Substrate;

class alignas(64) Hart {
 public:
  Hart(Substrate& substrate, std::size_t number, std::size_t cpu, const HartSource& source)
      : substrate_(substrate), number_(number), cpu_(cpu), node_(source.node_of(cpu)), speed_(source.speed_of(cpu)) {}
  Hart(const Hart&) = delete;
  Hart& operator=(const Hart&) = delete;

  // That of the calling thread; null: it is none.
#ifdef __x86_64__
  [[nodiscard]] static Hart* current() noexcept { return this_hart_; }
#else
  // Called: inlined, the address of the thread would be kept over a wait, after which a fiber may be on another.
  [[nodiscard]] static Hart* current() noexcept;
#endif

  [[nodiscard]] std::size_t number() const noexcept { return number_; }
  [[nodiscard]] std::size_t cpu() const noexcept { return cpu_; }
  [[nodiscard]] int node() const noexcept { return node_; }    // of NUMA
  [[nodiscard]] int speed() const noexcept { return speed_; }  // beside the others
  [[nodiscard]] Substrate& substrate() const noexcept { return substrate_; }
  [[nodiscard]] Scheduler& scheduler() const noexcept { return *lane_->scheduler; }
  [[nodiscard]] Fiber& fiber() const noexcept { return *fiber_; }  // that calls

  // From the fiber that runs here.
  // A fiber for a scheduler's own use: it counts as none of its fibers, and ends with it.
  Fiber& make_worker(Scheduler& scheduler, Fiber::Entry entry, void* argument);
  void yield() noexcept;
  // The fiber rests until unblock(); who will call that knows of it already. One that may move may be elsewhere then.
  void block() noexcept;
  // As block(), without a word to the scheduler, which has it in a list of its own.
  void rest() noexcept { switch_from(*fiber_); }
  // Of a fiber that is about to rest: looks for a moment whether it need not, where this hart would only look for work.
  template <typename Happened>
  void watch(const Happened& happened) noexcept {
    for (int looks = 0; looks < kLooksOfAMoment && !happened() && has_nothing_else(); ++looks) spin_pause();
  }
  // Whether a fiber that could go on for ever should let others run.
  [[nodiscard]] bool should_switch() noexcept {
    return !lane_->ready.empty() || posted_.load(std::memory_order_relaxed) != nullptr || is_called_away();
  }
  // This hart finds nothing to do. Before the last look, so that who offers something afterwards knows of it.
  void tell_idle() noexcept;
  // Whether it could do anything else than run the fiber that calls.
  [[nodiscard]] bool has_other_work() const noexcept;
  // For a fiber that will keep this hart while it waits for others: those that can go on here alone do so before.
  void let_others_go_first() noexcept {
    while (has_ready()) yield();
  }
  // Before what begins here: OpenMP runtimes that were seen since have teams of one on this thread too.
  void tell_new_runtimes() noexcept {
    if (runtimes_told_ != runtimes_seen.load(std::memory_order_relaxed)) [[unlikely]]
      tell_runtimes();
  }
  void recycle(Fiber& ended) noexcept { stacks().give(shelf_, ended); }
  void recycle_from_elsewhere(Fiber& ended) noexcept { stacks().give_from_elsewhere(shelf_, ended); }

  // The fiber of this hart can go on. Any thread.
  static void unblock(Fiber& fiber) noexcept;
  // The same of one that may move.
  static void unblock_mover(Fiber& fiber) noexcept;

 private:
  friend class Substrate;
  friend class Scheduler;

  static constexpr int kLooksOfAMoment = 64;            // a microsecond or two, where a pause is one
  static constexpr unsigned kLooksPerYield = 256;       // without anything to run
  static constexpr std::uint8_t kSwitchesPerLook = 64;  // after so many a hart sees whether other schedulers need it

  // The thread's life.
  void come(Scheduler& first) noexcept;  // this thread is the hart now
  void loop() noexcept;                  // until the substrate stops
  static void begin_loop() noexcept;
  static void begin_fiber() noexcept;

  // Between fibers.
  void decide() noexcept;
  void run(Fiber& first) noexcept;  // and those that come to this hart right after
  void go_to(Fiber& fiber) noexcept;
  void enter(const Next& next) noexcept;
  void leave() noexcept;
  [[nodiscard]] bool linger() noexcept;             // whether there may be something in this scheduler again
  [[nodiscard]] Fiber* part_and_linger() noexcept;  // what came meanwhile
  struct Lingered {
    Fiber* fiber;     // to be run; null: none
    bool look_again;  // there may be something
  };
  [[nodiscard]] std::uint64_t begin_to_linger(Scheduler& here) noexcept;
  [[nodiscard]] Lingered look_while_lingering(Scheduler& here, std::uint64_t lingering) noexcept;
  void idle() noexcept;
  void park() noexcept;
  void sleep(bool is_last) noexcept;
  [[nodiscard]] bool has_reason_to_stay() const noexcept;
  [[nodiscard]] bool may_look_a_moment() const noexcept;
  [[nodiscard]] bool is_needed_elsewhere() const noexcept;  // but for fibers of this scheduler that any hart may begin
  [[nodiscard]] bool has_nothing_else() const noexcept { return may_look_a_moment() && !has_other_work(); }

  // On the stack of a fiber.
  [[nodiscard]] Fiber* next() noexcept;
  [[nodiscard]] bool is_called_away() noexcept {
    if (++switches_ % kSwitchesPerLook == 0 && others_wait()) recalled_ = true;
    return recalled_;
  }
  [[nodiscard]] bool others_wait() const noexcept;
  [[nodiscard]] bool has_ready() const noexcept;
  void switch_from(Fiber& self) noexcept;
  [[gnu::noinline]] void leave_to_move(Fiber& self) noexcept;
  // Inlined into begin_fiber(): nobody returns from it, which the processor would go on to expect.
  [[noreturn, gnu::always_inline]] inline void finish(Fiber& self) noexcept;
  void settle() noexcept {
    if (parting_ != nullptr) [[unlikely]]
      part();
  }
  void part() noexcept;  // who has just left for good, or may move now, is told of

  [[gnu::noinline]] void tell_runtimes() noexcept;

  static void show(Fiber& fiber) noexcept;  // to all harts: one that may move
  void post(Fiber& fiber) noexcept;         // from other threads
  bool wake() noexcept;                     // whether it slept
  void take_posted() noexcept;
  void make_ready(Fiber& fiber) noexcept;
  static void mark_due(Lane& lane) noexcept;
  static void unmark_due(Lane& lane) noexcept;
  [[nodiscard]] StackPool& stacks() const noexcept;

  // One pointer in the block of thread-local memory that every thread has from its start, as libgomp has: a read costs one
  // instruction, where a library's own block costs a call.
  static thread_local constinit Hart* this_hart_ __attribute__((tls_model("initial-exec")));

  Fiber* fiber_ = nullptr;
  Lane* lane_ = nullptr;  // of the scheduler that it is in
  Fiber* parting_ = nullptr;
  ThreadState thread_{};
  StackShelf shelf_;
  bool elsewhere_ready_ = false;  // a fiber can go on here, in another scheduler than this hart is in
  bool recalled_ = false;         // on its way to the root, to see to that
  bool claimed_ = false;          // it came because its scheduler had asked for one
  bool has_lingered_ = false;     // in vain, since it last ran
  unsigned looks_in_vain_ = 0;    // for something to run, since it last ran
  bool told_idle_ = false;
  std::uint8_t switches_ = 0;
  std::size_t runtimes_told_ = 0;
  Execution loop_;
  Substrate& substrate_;
  const std::size_t number_;
  const std::size_t cpu_;
  const int node_;
  const int speed_;

  alignas(64) std::atomic<Fiber*> posted_{nullptr};  // that can go on; the last one first
  IdleHarts<>::Flag parked_{0};
};

}  // namespace comity::sched
