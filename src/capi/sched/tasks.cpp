// SPDX-License-Identifier: BSD-3-Clause
// Tasks, groups and loops.
#include <comity/sched_tasks.h>

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "capi/sched/guard.hpp"
#include "capi/sched/library.hpp"
#include "capi/sched/placed_group.hpp"
#include "sched/harts/openmp_team.hpp"
#include "sched/tasks/parallel.hpp"

namespace comity::capi::sched {
namespace {

using comity::sched::Group;
using comity::sched::Hart;
using comity::sched::Range;
using comity::sched::Schedule;
using comity::sched::Scheduler;

[[noreturn, gnu::cold, gnu::noinline]] void refuse_first_fiber() {
  throw Error(
      Status::order,
      "begin a group of tasks: the caller is the program's first fiber, which stands above all schedulers; do it "
      "inside comity_sched_run");
}

Scheduler& tasks_scheduler() {
  const Hart& hart = Library::fiber_hart();
  if (hart.scheduler().parent() == nullptr) [[unlikely]]
    refuse_first_fiber();
  return hart.scheduler();
}

// What a caller gives for a closure; ended here where no task takes it.
struct GivenClosure {
  GivenClosure(const comity_sched_closure& what, const void* from, std::size_t count)
      : how(what), bytes(from), byte_count(count) {}
  GivenClosure(const GivenClosure&) = delete;
  GivenClosure& operator=(const GivenClosure&) = delete;
  ~GivenClosure() {
    if (!is_taken && how.end != nullptr) [[unlikely]]
      how.end(const_cast<void*>(bytes));
  }

  const comity_sched_closure& how;
  const void* const bytes;
  const std::size_t byte_count;
  bool is_taken = false;
};

// The bytes of a closure and what becomes of them; ended once, wherever the task does.
class Closure {
 public:
  explicit Closure(GivenClosure& given) : Closure((given.is_taken = true, given.how), given.bytes, given.byte_count) {}
  Closure(const comity_sched_closure& how, const void* bytes, std::size_t count)
      : how_(reinterpret_cast<std::uintptr_t>(&how) | (count > sizeof(bytes_) ? 1U : 0U)) {
    if (count == 0) return;
    if (!is_far()) {
      copy_near(bytes, count);
      return;
    }
    auto* const far = new (std::nothrow) std::byte[count];
    if (far == nullptr) {
      if (how.end != nullptr) how.end(const_cast<void*>(bytes));
      throw std::bad_alloc();
    }
    std::memcpy(far, bytes, count);
    std::memcpy(bytes_, &far, sizeof far);
  }
  Closure(Closure&& other) noexcept : how_(std::exchange(other.how_, 0)) {
    std::memcpy(bytes_, other.bytes_, sizeof bytes_);
  }
  Closure(const Closure&) = delete;
  Closure& operator=(const Closure&) = delete;
  Closure& operator=(Closure&&) = delete;
  ~Closure() {
    if (how_ == 0) return;
    if (how().end != nullptr) how().end(address());
    if (is_far()) delete[] far();
  }

  void operator()(Group& group) { succeed(how().run(address(), static_cast<PlacedGroup&>(group).place())); }

 private:
  // Without a call, and word by word: so they were written just now, and a read of two at once would wait until both have left the
  // processor's queue of writes.
  void copy_near(const void* bytes, std::size_t count) noexcept {
    const auto* const from = static_cast<const std::byte*>(bytes);
    std::size_t at = 0;
    for (; at + sizeof(std::uint64_t) <= count; at += sizeof(std::uint64_t)) copy<std::uint64_t>(from, at);
    if (at + sizeof(std::uint32_t) <= count) {
      copy<std::uint32_t>(from, at);
      at += sizeof(std::uint32_t);
    }
    if (at < count) std::memcpy(bytes_ + at, from + at, count - at);
  }
  template <typename Word>
  void copy(const std::byte* from, std::size_t at) noexcept {
    Word word = 0;
    std::memcpy(&word, from + at, sizeof word);
    asm volatile("" : "+r"(word));  // else two are put together again
    std::memcpy(bytes_ + at, &word, sizeof word);
  }
  [[nodiscard]] bool is_far() const noexcept { return (how_ & 1) != 0; }
  [[nodiscard]] const comity_sched_closure& how() const noexcept {
    return *reinterpret_cast<const comity_sched_closure*>(how_ & ~std::uintptr_t{1});
  }
  [[nodiscard]] std::byte* far() const noexcept {
    std::byte* address = nullptr;
    std::memcpy(&address, bytes_, sizeof address);
    return address;
  }
  [[nodiscard]] void* address() noexcept { return is_far() ? far() : bytes_; }

  std::uintptr_t how_;  // with 1 added where the bytes are on the heap; 0: moved away
  alignas(8) std::byte bytes_[24];
};

[[noreturn, gnu::cold, gnu::noinline]] void refuse_closure(std::size_t bytes, std::size_t most) {
  throw Error(Status::range, "a task with a closure of " + std::to_string(bytes) + " bytes: give " +
                                 std::to_string(most) + " at most, or a pointer to what is larger");
}

[[gnu::always_inline]] inline void require_closure(const comity_sched_closure* how, const void* closure,
                                                   std::size_t bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  (void)required(required(how, "how").run, "how->run");
  if (bytes > 0) (void)required(static_cast<const char*>(closure), "closure");
  if (bytes > kMost) [[unlikely]]
    refuse_closure(bytes, kMost);
}

Schedule schedule_of(std::int32_t named) {
  switch (named) {
    case COMITY_SCHED_ADAPTIVE:
      return Schedule::adaptive;
    case COMITY_SCHED_STATIC:
      return Schedule::fixed;
    case COMITY_SCHED_DYNAMIC:
      return Schedule::dynamic;
    case COMITY_SCHED_GUIDED:
      return Schedule::guided;
    default:
      throw Error(Status::argument,
                  "a loop: there is no schedule " + std::to_string(named) + "; see comity_sched_schedule");
  }
}

Range indices_of(const comity_sched_range& range) {
  if (range.grain < 0) {
    throw Error(Status::range, "a loop in parts of " + std::to_string(range.grain) + " indices; give 0 or more");
  }
  return {range.first, range.last};
}

}  // namespace
}  // namespace comity::capi::sched

using namespace comity;
using capi::sched::Closure;
using capi::sched::GivenClosure;
using capi::sched::guard;
using capi::sched::guard_wait;
using capi::sched::Place;
using capi::sched::PlacedGroup;
using capi::sched::required;
using capi::sched::succeed;

comity_status comity_sched_group_begin(comity_sched_group* group) {
  return guard([&] {
    (void)required(group, "group");
    sched::Scheduler& scheduler = capi::sched::tasks_scheduler();
    Place::begin(group, "group", scheduler, group, sched::Hart::current()->fiber());
  });
}

comity_status comity_sched_task(comity_sched_group* group, comity_sched_work work, void* argument) {
  return guard([&] {
    PlacedGroup& to = Place::at(group, "group");
    (void)required(work, "work");
    to.require_member("add a task");
    to.run([work, argument] { succeed(work(argument)); });
  });
}

comity_status comity_sched_task_closure(comity_sched_group* group, const comity_sched_closure* how, const void* closure,
                                        size_t closure_bytes, int32_t priority) {
  return guard([&] {
    PlacedGroup& to = Place::at(group, "group");
    capi::sched::require_closure(how, closure, closure_bytes);
    to.require_member("add a task");
    GivenClosure given(*how, closure, closure_bytes);
    to.run_made<Closure>(given, priority);
  });
}

comity_status comity_sched_task_on(comity_sched_group* group, int32_t node, const comity_sched_closure* how,
                                   const void* closure, size_t closure_bytes) {
  return guard([&] {
    PlacedGroup& to = Place::at(group, "group");
    capi::sched::require_closure(how, closure, closure_bytes);
    to.require_member("add a task");
    to.require_node(node);
    to.run_on(node, Closure(*how, closure, closure_bytes));
  });
}

comity_status comity_sched_task_movable(comity_sched_group* group, const comity_sched_closure* how, const void* closure,
                                        size_t closure_bytes) {
  return guard([&] {
    PlacedGroup& to = Place::at(group, "group");
    capi::sched::require_closure(how, closure, closure_bytes);
    to.require_member("add a task");
    to.run_movable(Closure(*how, closure, closure_bytes));
  });
}

comity_status comity_sched_task_after(comity_sched_group* group, const comity_sched_access* accesses, int32_t count,
                                      const comity_sched_closure* how, const void* closure, size_t closure_bytes) {
  return guard([&] {
    PlacedGroup& to = Place::at(group, "group");
    capi::sched::require_closure(how, closure, closure_bytes);
    to.require_maker("add a task with dependences");
    if (count < 0) throw Error(Status::range, "a task with " + std::to_string(count) + " accesses; give 0 or more");
    if (count > 0) (void)required(accesses, "accesses");
    Closure mine(*how, closure, closure_bytes);
    std::vector<sched::Access> touched;
    touched.reserve(static_cast<std::size_t>(count));
    for (std::int32_t i = 0; i < count; ++i) touched.push_back({accesses[i].address, accesses[i].writes != 0});
    to.dependences().run(touched, std::move(mine));
  });
}

comity_status comity_sched_group_wait(comity_sched_group* group) {
  return guard_wait(__builtin_return_address(0), [&] {
    PlacedGroup& waited = Place::at(group, "group");
    waited.require_maker("wait for a group");
    waited.wait_for_tasks();
  });
}

comity_status comity_sched_group_end(comity_sched_group* group) {
  const void* const from = __builtin_return_address(0);
  return guard([&] {
    PlacedGroup& ended = Place::at(group, "group");
    ended.require_maker("end a group");
    const bool waits = !ended.is_as_new();  // mostly it does not
    const comity_status status = waits ? guard_wait(from, [&] { ended.wait_for_tasks(); }) : COMITY_OK;
    Place::end(group, ended);
    succeed(status);
  });
}

comity_status comity_sched_group_cancel(comity_sched_group* group) {
  return guard([&] { Place::at(group, "group").cancel(); });
}

comity_status comity_sched_group_cancelled(const comity_sched_group* group, int32_t* cancelled) {
  return guard([&] {
    const PlacedGroup& asked = Place::at(const_cast<comity_sched_group*>(group), "group");
    required(cancelled, "cancelled") = asked.is_cancelled() ? 1 : 0;
  });
}

comity_status comity_sched_for(const comity_sched_range* range, comity_sched_loop body, void* argument) {
  return guard_wait(__builtin_return_address(0), [&] {
    const comity_sched_range& given = required(range, "range");
    (void)required(body, "body");
    sched::Scheduler& scheduler = capi::sched::tasks_scheduler();
    const sched::Schedule schedule = capi::sched::schedule_of(given.schedule);
    sched::look_for_runtimes();
    sched::parallel_for(scheduler, capi::sched::indices_of(given), schedule, given.grain,
                        [&](sched::Range part) { succeed(body(argument, part.begin, part.end)); });
  });
}

comity_status comity_sched_reduce(const comity_sched_range* range, const comity_sched_reduction* reduction,
                                  void* argument, void* value) {
  return guard_wait(__builtin_return_address(0), [&] {
    constexpr std::size_t kMostBytes = 4096;
    const comity_sched_range& given = required(range, "range");
    const comity_sched_reduction& how = required(reduction, "reduction");
    (void)required(how.add, "reduction->add");
    (void)required(how.combine, "reduction->combine");
    const auto* const neutral = &required(static_cast<const std::byte*>(how.neutral), "reduction->neutral");
    auto* const result = &required(static_cast<std::byte*>(value), "value");
    if (how.bytes < 1 || how.bytes > kMostBytes) {
      throw Error(Status::range, "a reduction of values of " + std::to_string(how.bytes) + " bytes; give 1 to " +
                                     std::to_string(kMostBytes));
    }
    const sched::Schedule schedule = capi::sched::schedule_of(given.schedule);
    using Value = std::vector<std::byte>;
    sched::look_for_runtimes();
    const Value sum = sched::parallel_reduce(
        capi::sched::tasks_scheduler(), capi::sched::indices_of(given), schedule, given.grain,
        Value(neutral, neutral + how.bytes),
        [&](sched::Range part) {
          Value mine(neutral, neutral + how.bytes);
          succeed(how.add(argument, part.begin, part.end, mine.data()));
          return mine;
        },
        [&](Value left, const Value& right) {
          how.combine(argument, left.data(), right.data());
          return left;
        });
    std::memcpy(result, sum.data(), how.bytes);
  });
}
