// SPDX-License-Identifier: BSD-3-Clause
// Loops over a range of indices as tasks. A hart that works through its part leaves half of the rest to others whenever they
// have taken what it left before, so parts become small only where somebody wants them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "sched/group.hpp"

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

template <typename Body>
void for_range(Stealing& scheduler, Stealing::Tasks& mine, Range range, std::int64_t grain, const Body& body) {
  std::optional<Group> others;
  while (range.size() > grain) {
    if (!mine.deque.empty_for_owner()) {
      body(range.cut(grain));
      continue;
    }
    if (!others) others.emplace(scheduler);
    others->run([&scheduler, &body, grain, upper = range.split()] {
      for_range(scheduler, scheduler.tasks_of(*Hart::current()), upper, grain, body);
    });
  }
  body(range);
  if (others) others->wait();
}

template <typename T, typename Body, typename Combine>
T reduce_range(Stealing& scheduler, Stealing::Tasks& mine, Range range, std::int64_t grain, const T& neutral,
               const Body& body, const Combine& combine) {
  T sum = neutral;
  while (range.size() > grain) {
    if (!mine.deque.empty_for_owner()) {
      sum = combine(std::move(sum), body(range.cut(grain)));
      continue;
    }
    T upper_sum = neutral;
    Group others(scheduler);
    others.run([&, upper = range.split()] {
      upper_sum = reduce_range(scheduler, scheduler.tasks_of(*Hart::current()), upper, grain, neutral, body, combine);
    });
    sum = combine(std::move(sum), reduce_range(scheduler, mine, range, grain, neutral, body, combine));
    others.wait();
    return combine(std::move(sum), std::move(upper_sum));
  }
  return combine(std::move(sum), body(range));
}

}  // namespace detail

// body(range) for disjoint ranges that make up the whole, each of `grain` indices at most; 0: chosen here. From a fiber or task
// of that scheduler. Throws what the body threw first, when all that had begun has ended.
template <typename Body>
void parallel_for(Stealing& scheduler, Range range, std::int64_t grain, const Body& body) {
  if (range.size() <= 0) return;
  detail::for_range(scheduler, scheduler.tasks_of(*Hart::current()), range, detail::grain_of(grain, range.size()),
                    body);
}

// combine(.., body(range)) over such ranges, in their order, from the left; combine must be associative.
template <typename T, typename Body, typename Combine>
T parallel_reduce(Stealing& scheduler, Range range, std::int64_t grain, const T& neutral, const Body& body,
                  const Combine& combine) {
  if (range.size() <= 0) return neutral;
  return detail::reduce_range(scheduler, scheduler.tasks_of(*Hart::current()), range,
                              detail::grain_of(grain, range.size()), neutral, body, combine);
}

}  // namespace comity::sched
