// SPDX-License-Identifier: BSD-3-Clause
// C++ over sched_tasks.h: tasks and loops as lambdas. What one throws comes out of the wait for it, and cancels the others.
#pragma once

#include <comity/sched_tasks.h>

#include <atomic>
#include <comity/failure.hpp>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace comity::sched {
namespace detail {

// One number that a function of C gives.
template <typename Function>
int ask(Function&& function) {
  std::int32_t answer = 0;
  check(function(&answer));
  return answer;
}

// What the first of several calls at once threw.
struct FirstException {
  std::atomic<bool> taken{false};
  std::exception_ptr exception;

  void keep(std::exception_ptr thrown) noexcept {
    if (!taken.exchange(true)) exception = std::move(thrown);
  }
  void rethrow() {
    if (!taken.exchange(false)) return;
    std::rethrow_exception(std::exchange(exception, nullptr));
  }
};

// A lambda of C++ behind a callback of C.
template <typename Work>
class Call {
 public:
  explicit Call(Work& work) : work_(work) {}

  template <typename... Arguments>
  comity_status with(Arguments... arguments) noexcept {
    try {
      work_(arguments...);
      return COMITY_OK;
    } catch (...) {
      first_.keep(std::current_exception());
      return COMITY_ERR_INTERNAL;
    }
  }
  void finish(comity_status status) {
    first_.rethrow();
    check(status);
  }

 private:
  Work& work_;
  FirstException first_;
};

}  // namespace detail

template <typename T>
[[nodiscard]] comity_sched_access reads(const T& data) {
  return {&data, 0};
}
template <typename T>
[[nodiscard]] comity_sched_access writes(const T& data) {  // also what it reads there
  return {&data, 1};
}

// Tasks that are waited for together, by the fiber or task that made the group.
class Group {
 public:
  Group() { check(comity_sched_group_begin(&state_.group)); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { (void)comity_sched_group_end(&state_.group); }

  // Some hart calls work(); those of higher priority first, 0 is the usual one. Schedulers of fibers leave it out.
  template <typename Work>
  void run(Work&& work, int priority = 0) {
    hand_over(std::forward<Work>(work), [&](const comity_sched_closure& how, const void* closure, std::size_t bytes) {
      return comity_sched_task_closure(&state_.group, &how, closure, bytes, priority);
    });
  }
  // Harts of that NUMA node call it before others; these when they find nothing else.
  template <typename Work>
  void run_on(int node, Work&& work) {
    hand_over(std::forward<Work>(work), [&](const comity_sched_closure& how, const void* closure, std::size_t bytes) {
      return comity_sched_task_on(&state_.group, node, &how, closure, bytes);
    });
  }
  // Work that is free of thread-local state: any hart may go on with it after a wait.
  template <typename Work>
  void run_movable(Work&& work) {
    hand_over(std::forward<Work>(work), [&](const comity_sched_closure& how, const void* closure, std::size_t bytes) {
      return comity_sched_task_movable(&state_.group, &how, closure, bytes);
    });
  }
  // As run(), once those have ended that were added so before and touch the same data: run_after({reads(a), writes(b)}, ...).
  template <typename Work>
  void run_after(std::initializer_list<comity_sched_access> accesses, Work&& work) {
    hand_over(std::forward<Work>(work), [&](const comity_sched_closure& how, const void* closure, std::size_t bytes) {
      return comity_sched_task_after(&state_.group, accesses.begin(), static_cast<std::int32_t>(accesses.size()), &how,
                                     closure, bytes);
    });
  }

  // Until all have ended; throws what the first of them threw, and the group is as new.
  void wait() {
    const comity_status status = comity_sched_group_wait(&state_.group);
    state_.first.rethrow();
    check(status);
  }
  void cancel() { check(comity_sched_group_cancel(&state_.group)); }
  [[nodiscard]] bool is_cancelled() const {
    std::int32_t cancelled = 0;
    check(comity_sched_group_cancelled(&state_.group, &cancelled));
    return cancelled != 0;
  }
  [[nodiscard]] comity_sched_group* handle() { return &state_.group; }

 private:
  struct State {
    comity_sched_group group;  // first: a task is told of it
    detail::FirstException first;
  };
  static_assert(std::is_standard_layout_v<State>);

  template <typename Work>
  static comity_status call(Work& work, comity_sched_group* group) noexcept {
    try {
      work();
      return COMITY_OK;
    } catch (...) {
      reinterpret_cast<State*>(group)->first.keep(std::current_exception());
      return COMITY_ERR_INTERNAL;
    }
  }

  // Closures that can be moved as bytes go as such, the others by a pointer.
  template <typename Work, typename Add>
  void hand_over(Work&& work, const Add& add) {
    using Plain = std::decay_t<Work>;
    if constexpr (std::is_trivially_copyable_v<Plain> && std::is_trivially_destructible_v<Plain> &&
                  alignof(Plain) <= 8) {
      static constexpr comity_sched_closure how = {
          [](void* closure, comity_sched_group* group) { return call(*static_cast<Plain*>(closure), group); }, nullptr};
      const Plain& bytes = work;
      check(add(how, &bytes, sizeof bytes));
    } else {
      static constexpr comity_sched_closure how = {
          [](void* closure, comity_sched_group* group) { return call(**static_cast<Plain**>(closure), group); },
          [](void* closure) { delete *static_cast<Plain**>(closure); }};
      auto mine = std::make_unique<Plain>(std::forward<Work>(work));
      Plain* const bytes = mine.get();
      const comity_status status = add(how, &bytes, sizeof bytes);
      // Where there was no memory or no stack it has been ended; refused for another reason it is still ours.
      if (status == COMITY_OK || status == COMITY_ERR_MEMORY || status == COMITY_ERR_SYSTEM) (void)mine.release();
      check(status);
    }
  }

  State state_;
};

enum class Schedule : int {
  adaptive = COMITY_SCHED_ADAPTIVE,
  fixed = COMITY_SCHED_STATIC,
  dynamic = COMITY_SCHED_DYNAMIC,
  guided = COMITY_SCHED_GUIDED
};

// How a loop is cut; grain 0: as the library likes.
struct Cut {
  Schedule schedule = Schedule::adaptive;
  std::int64_t grain = 0;  // [indices]
};

// body(first, last) for disjoint parts first .. last-1 that make up the whole.
template <typename Body>
void parallel_for_parts(std::int64_t first, std::int64_t last, const Body& body, Cut cut = {}) {
  const comity_sched_range range = {first, last, cut.grain, static_cast<std::int32_t>(cut.schedule)};
  detail::Call<const Body> call(body);
  call.finish(comity_sched_for(
      &range,
      [](void* argument, std::int64_t from, std::int64_t to) {
        return static_cast<detail::Call<const Body>*>(argument)->with(from, to);
      },
      &call));
}

// body(i) for each index.
template <typename Body>
void parallel_for(std::int64_t first, std::int64_t last, const Body& body, Cut cut = {}) {
  const auto part = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) body(i);
  };
  parallel_for_parts(first, last, part, cut);
}

// combine(.., part(first, last)) over such parts, in their order, from `neutral`; combine is associative. With any schedule.
template <typename T, typename Part, typename Combine>
[[nodiscard]] T parallel_reduce(std::int64_t first, std::int64_t last, T neutral, const Part& part,
                                const Combine& combine, Cut cut = {}) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 4096 && alignof(T) <= 16, "values go as bytes");
  struct Reduction {
    const Part& part;
    const Combine& combine;
    detail::FirstException first;
  };
  Reduction both{part, combine, {}};
  const comity_sched_range range = {first, last, cut.grain, static_cast<std::int32_t>(cut.schedule)};
  const comity_sched_reduction reduction = {sizeof(T), &neutral,
                                            [](void* argument, std::int64_t from, std::int64_t to, void* value) {
                                              Reduction& mine = *static_cast<Reduction*>(argument);
                                              try {
                                                T& sum = *static_cast<T*>(value);
                                                sum = mine.combine(sum, mine.part(from, to));
                                                return COMITY_OK;
                                              } catch (...) {
                                                mine.first.keep(std::current_exception());
                                                return COMITY_ERR_INTERNAL;
                                              }
                                            },
                                            [](void* argument, void* left, const void* right) {
                                              T& sum = *static_cast<T*>(left);
                                              sum = static_cast<Reduction*>(argument)->combine(
                                                  sum, *static_cast<const T*>(right));
                                            }};
  T result = neutral;
  const comity_status status = comity_sched_reduce(&range, &reduction, &both, &result);
  both.first.rethrow();
  check(status);
  return result;
}

}  // namespace comity::sched
