// SPDX-License-Identifier: BSD-3-Clause
// C++ over sched.h: harts, fibers and schedulers as objects, work as lambdas, exceptions carried to who waits. Header-only; every
// rule of the C headers holds. Tasks and loops: sched_tasks.hpp; what fibers wait with: sched_sync.hpp; this includes both.
#pragma once

#include <comity/sched.h>

#include <atomic>
#include <comity/failure.hpp>
#include <comity/sched_sync.hpp>
#include <comity/sched_tasks.hpp>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace comity::sched {

enum class Kind : int { stealing = COMITY_SCHED_STEALING, round_robin = COMITY_SCHED_ROUND_ROBIN };

[[nodiscard]] inline int harts() { return detail::ask(comity_sched_harts); }
[[nodiscard]] inline int hart() { return detail::ask(comity_sched_hart); }  // that runs the caller; -1: a plain thread
[[nodiscard]] inline int node_of(int hart) {
  return detail::ask([hart](std::int32_t* node) { return comity_sched_node_of(hart, node); });
}
[[nodiscard]] inline int cpu_of(int hart) {
  return detail::ask([hart](std::int32_t* cpu) { return comity_sched_cpu_of(hart, cpu); });
}
// Somebody else has work for that CPU, or has it no longer: an idle hart there sleeps at once (comity_sched_want). It counts.
inline void want(int cpu) { check(comity_sched_want(cpu, 1)); }
inline void want_no_more(int cpu) { check(comity_sched_want(cpu, 0)); }
[[nodiscard]] inline comity_sched_stack_count stacks() {
  comity_sched_stack_count count{};
  check(comity_sched_stacks(&count));
  return count;
}
[[nodiscard]] inline int harts_given() { return detail::ask(comity_sched_given); }
inline void request(int count) { check(comity_sched_request(count)); }
inline void yield() { check(comity_sched_yield()); }

// Runs body(member) for each member of a team, and waits; throws what the first of them threw.
template <typename Body>
void team(int members, Body&& body) {
  detail::Call<std::remove_reference_t<Body>> call(body);
  call.finish(comity_sched_team(
      members, [](void* argument, std::int32_t member) { return static_cast<decltype(call)*>(argument)->with(member); },
      &call));
}

// Runs work(), whose OpenMP regions have teams of up to `harts` members, each on a hart; throws what it throws.
template <typename Work>
void openmp(int harts, Work&& work) {
  detail::Call<std::remove_reference_t<Work>> call(work);
  call.finish(comity_sched_openmp(
      harts, [](void* argument) { return static_cast<decltype(call)*>(argument)->with(); }, &call));
}

// Runs work(), foreign code, on a kernel thread of its own in place of the caller's hart; throws what it throws.
template <typename Work>
void on_own_thread(Work&& work) {
  detail::Call<std::remove_reference_t<Work>> call(work);
  call.finish(
      comity_sched_own_thread([](void* argument) { return static_cast<decltype(call)*>(argument)->with(); }, &call));
}

// The harts of this process, from here to the end of the scope.
class Harts {
 public:
  explicit Harts(const comity_sched_options& options = {}) { check(comity_sched_start(&options)); }
  Harts(const Harts&) = delete;
  Harts& operator=(const Harts&) = delete;
  ~Harts() { (void)comity_sched_stop(); }

  // What work() gives, from a fiber in which tasks can be made; throws what it throws.
  template <typename Work>
  auto run(Work&& work) {
    using Result = std::invoke_result_t<Work&>;
    if constexpr (std::is_void_v<Result>) {
      run_here(work);
    } else {
      std::optional<Result> result;
      auto keep = [&] { result.emplace(work()); };
      run_here(keep);
      return std::move(*result);
    }
  }

 private:
  template <typename Work>
  static void run_here(Work& work) {
    detail::Call<Work> call(work);
    call.finish(
        comity_sched_run([](void* argument) { return static_cast<detail::Call<Work>*>(argument)->with(); }, &call));
  }
};

// Whether another hart may go on with a fiber after a wait: its work keeps nothing thread-local over one (comity_sched_spawn_movable).
enum class Moves : bool { never, in_waits };

// A fiber that has begun; joined where it is destroyed, as a std::jthread.
class [[nodiscard]] Fiber {
 public:
  // Of the scheduler of the calling fiber, or one that was entered. The name is for messages.
  template <typename Work>
  explicit Fiber(Work work, const char* name = nullptr, comity_sched_scheduler* scheduler = nullptr,
                 Moves moves = Moves::never)
      : state_(std::make_unique<StateOf<Work>>(std::move(work))) {
    const auto spawn = moves == Moves::never ? comity_sched_spawn : comity_sched_spawn_movable;
    check(spawn(
        scheduler, [](void* argument) { static_cast<State*>(argument)->run(); }, state_.get(), name, &fiber_));
  }
  Fiber(Fiber&& other) noexcept : fiber_(std::exchange(other.fiber_, {})), state_(std::move(other.state_)) {}
  Fiber& operator=(Fiber&&) = delete;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() {
    if (state_) (void)comity_sched_join(&fiber_);
  }

  // Waits for its end, once; throws what it threw.
  void join() {
    check(comity_sched_join(&fiber_));
    const std::unique_ptr<State> ended = std::move(state_);
    if (ended->exception) std::rethrow_exception(ended->exception);
  }

 private:
  struct State {
    virtual ~State() = default;
    virtual void work() = 0;
    void run() noexcept {
      try {
        work();
      } catch (...) {
        exception = std::current_exception();
      }
    }
    std::exception_ptr exception;
  };
  template <typename Work>
  struct StateOf final : State {
    explicit StateOf(Work given) : what(std::move(given)) {}
    void work() override { what(); }
    Work what;
  };

  comity_sched_fiber fiber_{};
  std::unique_ptr<State> state_;
};

// work() in a fiber of its own that nobody joins; what it gives or throws comes out of the future.
template <typename Work>
auto async(Work work, const char* name = nullptr) {
  using Result = std::invoke_result_t<Work&>;
  struct Begun {
    Work work;
    Promise<Result> promise;
  };
  auto begun = std::make_unique<Begun>(Begun{std::move(work), {}});
  Future<Result> future = begun->promise.future();
  check(comity_sched_spawn(
      nullptr,
      [](void* argument) {
        const std::unique_ptr<Begun> mine(static_cast<Begun*>(argument));
        mine->promise.set_from(mine->work);
      },
      begun.get(), name, nullptr));
  (void)begun.release();
  return future;
}

// A scheduler of the library below that of the calling fiber, until the end of the scope.
class Below {
 public:
  explicit Below(Kind kind) { check(comity_sched_enter(static_cast<comity_sched_kind>(kind), &scheduler_)); }
  Below(const Below&) = delete;
  Below& operator=(const Below&) = delete;
  ~Below() { (void)comity_sched_leave(&scheduler_); }

  [[nodiscard]] comity_sched_scheduler* handle() const { return scheduler_; }
  void request(int count) { check(comity_sched_request_for(scheduler_, count)); }

 private:
  comity_sched_scheduler* scheduler_ = nullptr;
};

using Runnable = comity_sched_runnable*;
using Child = comity_sched_child*;  // a scheduler right below one's own

// Which one a scheduler that was entered is to the one above it; how many harts it asks for that have not come.
[[nodiscard]] inline Child child_of(comity_sched_scheduler* scheduler) {
  Child child = nullptr;
  check(comity_sched_child_of(scheduler, &child));
  return child;
}
[[nodiscard]] inline int wanted_by(const comity_sched_child* child) { return comity_sched_child_wants(child); }

// What a hart that is free does first; each eighth time the other one has its turn.
enum class Turn : int {
  own = COMITY_SCHED_TURN_OWN,
  children = COMITY_SCHED_TURN_CHILDREN,
  either = COMITY_SCHED_TURN_EITHER
};

// To be derived from: which fiber a hart runs next. Several harts call at once; see comity_sched_callbacks. Enter it with Entered.
class Scheduler {
 public:
  Scheduler() = default;
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;
  virtual ~Scheduler() = default;

  [[nodiscard]] comity_sched_scheduler* handle() const { return handle_; }
  void request(int count) { (void)comity_sched_request_for(handle_, count); }

 protected:
  virtual void made(int hart, Runnable fiber) noexcept = 0;   // has not run, or may move: any hart may run it
  virtual void ready(int hart, Runnable fiber) noexcept = 0;  // can go on, on this hart alone
  virtual void yielded(int hart, Runnable fiber) noexcept { ready(hart, fiber); }
  virtual Runnable next(int hart) noexcept = 0;              // to run on this hart; null: none
  [[nodiscard]] virtual int waiting(int hart) noexcept = 0;  // how many this hart could run
  virtual void blocked(int /*hart*/, Runnable /*fiber*/) noexcept {}
  virtual void finished(int /*hart*/, Runnable /*fiber*/) noexcept {}
  // A hart has come, or is free; `first` may be set to the child that gets it before others where children have their turn.
  [[nodiscard]] virtual Turn granted(int /*hart*/, Child& /*first*/) noexcept { return Turn::either; }
  virtual void requested(Child /*child*/, int /*harts*/) noexcept {}  // negative: no longer
  virtual void returned(int /*hart*/, Child /*child*/) noexcept {}
  virtual void child_entered(Child /*child*/) noexcept {}
  virtual void child_exited(Child /*child*/) noexcept {}

 private:
  template <typename>
  friend class Entered;
  void enter() {
    static const comity_sched_callbacks callbacks = {
        [](void* self, std::int32_t hart, Runnable fiber) { of(self).made(hart, fiber); },
        [](void* self, std::int32_t hart, Runnable fiber, std::int32_t yielded) {
          yielded != 0 ? of(self).yielded(hart, fiber) : of(self).ready(hart, fiber);
        },
        [](void* self, std::int32_t hart) { return of(self).next(hart); },
        [](void* self, std::int32_t hart) -> std::int32_t { return of(self).waiting(hart); },
        [](void* self, std::int32_t hart, Runnable fiber) { of(self).blocked(hart, fiber); },
        [](void* self, std::int32_t hart, Runnable fiber) { of(self).finished(hart, fiber); },
        [](void* self, std::int32_t hart, Child* first) {
          return static_cast<comity_sched_turn>(of(self).granted(hart, *first));
        },
        [](void* self, Child child, std::int32_t harts) { of(self).requested(child, harts); },
        [](void* self, std::int32_t hart, Child child) { of(self).returned(hart, child); },
        [](void* self, Child child, std::int32_t entered) {
          entered != 0 ? of(self).child_entered(child) : of(self).child_exited(child);
        }};
    check(comity_sched_enter_own(&callbacks, this, &handle_));
  }
  static Scheduler& of(void* self) { return *static_cast<Scheduler*>(self); }

  comity_sched_scheduler* handle_ = nullptr;
};

// A scheduler of one's own at work, below that of the calling fiber, until the end of the scope.
template <typename Own>
class Entered final : public Own {
 public:
  template <typename... Arguments>
  explicit Entered(Arguments&&... arguments) : Own(std::forward<Arguments>(arguments)...) {
    this->enter();
  }
  ~Entered() override { (void)comity_sched_leave(&this->handle_); }
};

}  // namespace comity::sched
