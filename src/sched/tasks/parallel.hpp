// SPDX-License-Identifier: BSD-3-Clause
// Loops over a range of indices as tasks. A hart that works through its part leaves half of the rest to others whenever they
// have taken what it left before, so parts become small only where somebody wants them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "sched/substrate.hpp"
#include "sched/tasks/group.hpp"
#include "sched/waiting/spin_lock.hpp"

namespace comity::sched {

struct Range {
  std::int64_t begin;
  std::int64_t end;  // one after the last

  [[nodiscard]] std::int64_t size() const { return end - begin; }
  // The upper half; this keeps the lower one.
  [[nodiscard]] Range split() {
    const std::int64_t middle = begin + size() / 2;
    return {middle, std::exchange(end, middle)};
  }
  // The first `count` or fewer; this keeps the rest.
  [[nodiscard]] Range cut(std::int64_t count) {
    const std::int64_t middle = begin + std::min(count, size());
    return {std::exchange(begin, middle), middle};
  }
};

namespace detail {

// Of so many indices: looks at the other harts this often at least, and no more often than costs nothing.
inline std::int64_t grain_of(std::int64_t grain, std::int64_t size) {
  constexpr std::int64_t kPieces = 256;
  return grain > 0 ? grain : std::max<std::int64_t>(size / kPieces, 1);
}

// How many parts of at most `grain` make up `size`, both above 0; their sum may be no number any more.
inline std::int64_t parts_of(std::int64_t size, std::int64_t grain) { return (size - 1) / grain + 1; }

// `of`: the group that this is a task of; null: none. Where a part has failed those of its loop that have not begun are dropped.
template <typename Body>
void for_range(Stealing& scheduler, Stealing::Tasks& mine, Range range, std::int64_t grain, const Body& body,
               const Group* of = nullptr) {
  std::optional<Group> others;
  const auto goes_on = [&] { return (of == nullptr || !of->is_cancelled()) && (!others || !others->is_cancelled()); };
  try {
    while (range.size() > grain && goes_on()) {
      if (!mine.deque.empty_for_owner()) {
        body(range.cut(grain));
        continue;
      }
      if (!others) others.emplace(scheduler);
      // Small enough to have its place in the task.
      others->run([&body, grain, upper = range.split()](const Group& group) {
        auto& tasks = static_cast<Stealing&>(group.scheduler());
        for_range(tasks, tasks.tasks_of(*Hart::current()), upper, grain, body, &group);
      });
    }
    if (goes_on()) body(range);
  } catch (...) {
    if (others) others->cancel();
    throw;
  }
  if (!others) return;
  if (!goes_on()) others->cancel();
  others->wait();
}

// What the parts of a reduction share.
template <typename T, typename Body, typename Combine>
struct Reduction {
  const T& neutral;
  const Body& body;
  const Combine& combine;
  std::atomic<bool> failed{false};  // a part has: those that have not begun are dropped, for nobody gets the sum

  [[nodiscard]] T sum_of(T before, Range part) {
    if (failed.load(std::memory_order_relaxed)) [[unlikely]]
      return before;
    try {
      return combine(std::move(before), body(part));
    } catch (...) {
      failed.store(true, std::memory_order_relaxed);
      throw;
    }
  }
  [[nodiscard]] bool goes_on() const { return !failed.load(std::memory_order_relaxed); }
};

template <typename T, typename Body, typename Combine>
T reduce_range(Stealing& scheduler, Stealing::Tasks& mine, Range range, std::int64_t grain,
               Reduction<T, Body, Combine>& all) {
  T sum = all.neutral;
  while (range.size() > grain && all.goes_on()) {
    if (!mine.deque.empty_for_owner()) {
      sum = all.sum_of(std::move(sum), range.cut(grain));
      continue;
    }
    T upper_sum = all.neutral;
    Group others(scheduler);
    others.run([&, upper = range.split()] {
      upper_sum = reduce_range(scheduler, scheduler.tasks_of(*Hart::current()), upper, grain, all);
    });
    sum = all.combine(std::move(sum), reduce_range(scheduler, mine, range, grain, all));
    others.wait();
    return all.combine(std::move(sum), std::move(upper_sum));
  }
  return all.sum_of(std::move(sum), range);
}

// work(), in a fiber that stays on its hart: the caller's, or one that is waited for.
template <typename Work>
void on_one_hart(Stealing& scheduler, Work&& work) {
  if (!Hart::current()->fiber().may_move) [[likely]] {
    work();
    return;
  }
  Group one(scheduler);
  one.run([&work] { work(); });
  one.wait();
}

}  // namespace detail

// How a loop is cut: in halves where another hart has taken what was left to it; in equal parts at the start, or parts of the
// grain dealt in turn; the next `grain` indices to whoever is free; the same with parts that shrink with what is left.
enum class Schedule : std::uint8_t { adaptive, fixed, dynamic, guided };

namespace detail {

// What the members of a loop share, each a task that takes parts until there is none left.
template <typename Body>
class Parts {
 public:
  Parts(Range range, Schedule schedule, std::int64_t grain, std::int64_t members, const Body& body)
      : range_(range), schedule_(schedule), grain_(grain), members_(members), body_(body) {}

  void run(std::int64_t member, const Group& group) {
    if (schedule_ == Schedule::fixed) {
      run_fixed(member, group);
      return;
    }
    for (Range part = take(); part.size() > 0 && !group.is_cancelled(); part = take()) body_(part);
  }

 private:
  void run_fixed(std::int64_t member, const Group& group) {
    const std::int64_t size = range_.size();
    if (grain_ == 0) {
      const std::int64_t share = size / members_, more = size % members_;
      const std::int64_t first = range_.begin + member * share + std::min(member, more);
      const Range part{first, first + share + (member < more ? 1 : 0)};
      if (part.size() > 0 && !group.is_cancelled()) body_(part);
      return;
    }
    for (std::int64_t at = member; at < parts_of(size, grain_) && !group.is_cancelled(); at += members_) {
      body_(Range{range_.begin + at * grain_, range_.end}.cut(grain_));
    }
  }

  [[nodiscard]] Range take() noexcept {
    std::int64_t first = next_.load(std::memory_order_relaxed);
    std::int64_t count = 0;
    do {
      const std::int64_t left = range_.size() - first;
      if (left <= 0) return {0, 0};
      count = std::max<std::int64_t>(grain_, 1);
      if (schedule_ == Schedule::guided) count = std::max(count, left / (2 * members_));
      count = std::min(count, left);
    } while (!next_.compare_exchange_weak(first, first + count, std::memory_order_relaxed));
    return {range_.begin + first, range_.begin + first + count};
  }

  const Range range_;
  const Schedule schedule_;
  const std::int64_t grain_;
  const std::int64_t members_;
  const Body& body_;
  alignas(64) std::atomic<std::int64_t> next_{0};  // [indices] after the first
};

template <typename Body>
void for_parts(Scheduler& scheduler, Range range, Schedule schedule, std::int64_t grain, const Body& body) {
  const auto harts = static_cast<std::int64_t>(Hart::current()->substrate().harts());
  Parts<Body> parts(range, schedule, grain, harts, body);
  Group others(scheduler);
  for (std::int64_t member = 1; member < harts; ++member) {
    others.run([&parts, &others, member] { parts.run(member, others); });
  }
  try {
    parts.run(0, others);
  } catch (...) {
    others.cancel();
    throw;
  }
  others.wait();
}

}  // namespace detail

// body(range) for disjoint ranges that make up the whole, each of `grain` indices at most; 0: chosen here. From a fiber or task
// of that scheduler. Throws what the body threw first, when all that had begun has ended.
template <typename Body>
void parallel_for(Stealing& scheduler, Range range, std::int64_t grain, const Body& body) {
  if (range.size() <= 0) return;
  detail::on_one_hart(scheduler, [&] {
    detail::for_range(scheduler, scheduler.tasks_of(*Hart::current()), range, detail::grain_of(grain, range.size()),
                      body);
  });
}

// The same with any schedule, and with any scheduler; 0: the schedule's own grain.
template <typename Body>
void parallel_for(Scheduler& scheduler, Range range, Schedule schedule, std::int64_t grain, const Body& body) {
  if (range.size() <= 0) return;
  Stealing* const tasks = scheduler.stealing();
  if (schedule == Schedule::adaptive && tasks != nullptr) {
    parallel_for(*tasks, range, grain, body);
    return;
  }
  // Guided parts are no smaller than the grain, dynamic ones no larger.
  const Schedule instead = grain > 0 ? Schedule::dynamic : Schedule::guided;
  detail::for_parts(scheduler, range, schedule == Schedule::adaptive ? instead : schedule, grain, body);
}

namespace detail {

// Values of parts, put together as they come but in the order of their indices. Between two that do not touch there is a part that
// is under way, or was dealt to a member that has not come to it: so there are few, where parts are taken in their order.
template <typename T, typename Combine>
class InOrder {
 public:
  explicit InOrder(const Combine& combine) : combine_(combine) {}

  // Combined without the lock: a value and its neighbour are out of the list meanwhile.
  void add(Range range, T value) {
    while (std::optional<Run> near = take_near_or_keep(range, value)) {
      if (near->range.end == range.begin) {
        value = combine_(std::move(near->value), std::move(value));
        range.begin = near->range.begin;
      } else {
        value = combine_(std::move(value), std::move(near->value));
        range.end = near->range.end;
      }
    }
  }
  // When all have been added.
  [[nodiscard]] T take_all() { return std::move(runs_.begin()->second.value); }

 private:
  struct Run {
    Range range;
    T value;
  };

  std::optional<Run> take_near_or_keep(Range range, T& value) {
    const std::lock_guard lock(lock_);
    auto near = runs_.lower_bound(range.begin);
    if (near == runs_.end() || near->first != range.end) {
      if (near == runs_.begin() || std::prev(near)->second.range.end != range.begin) {
        runs_.emplace_hint(near, range.begin, Run{range, std::move(value)});
        return std::nullopt;
      }
      --near;
    }
    std::optional<Run> taken(std::move(near->second));
    runs_.erase(near);
    return taken;
  }

  const Combine& combine_;
  SpinLock lock_;                       // what follows
  std::map<std::int64_t, Run> runs_{};  // by their first index
};

}  // namespace detail

// combine(.., body(range)) over such ranges, in their order, from the left; combine must be associative. With any schedule, and
// with any scheduler. Throws what a part threw first.
template <typename T, typename Body, typename Combine>
T parallel_reduce(Scheduler& scheduler, Range range, Schedule schedule, std::int64_t grain, const T& neutral,
                  const Body& body, const Combine& combine) {
  if (range.size() <= 0) return neutral;
  Stealing* const tasks = scheduler.stealing();
  if (schedule == Schedule::adaptive && tasks != nullptr) {
    detail::Reduction<T, Body, Combine> all{neutral, body, combine};
    T sum = neutral;
    detail::on_one_hart(*tasks, [&] {
      sum = detail::reduce_range(*tasks, tasks->tasks_of(*Hart::current()), range,
                                 detail::grain_of(grain, range.size()), all);
    });
    return sum;
  }
  const bool adaptive = schedule == Schedule::adaptive;
  detail::InOrder<T, Combine> values(combine);
  detail::for_parts(scheduler, range, adaptive ? Schedule::dynamic : schedule,
                    adaptive ? detail::grain_of(grain, range.size()) : grain,
                    [&](Range part) { values.add(part, body(part)); });
  return combine(T(neutral), values.take_all());
}

template <typename T, typename Body, typename Combine>
T parallel_reduce(Scheduler& scheduler, Range range, std::int64_t grain, const T& neutral, const Body& body,
                  const Combine& combine) {
  return parallel_reduce(scheduler, range, Schedule::adaptive, grain, neutral, body, combine);
}

}  // namespace comity::sched
