// SPDX-License-Identifier: BSD-3-Clause
#include "capi/sched/library.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/options.hpp"
#include "capi/sched/guard.hpp"
#include "os/environment.hpp"
#include "sched/round_robin.hpp"
#include "sched/tasks/stealing.hpp"

namespace comity::capi::sched {
namespace {

using comity::sched::Entered;
using comity::sched::Hart;
using comity::sched::Scheduler;

std::atomic<Library*> the_library{nullptr};

comity_sched_kind by_option() {
  const Options options([](std::string_view name) { return os::environment(name); });
  return options.text(OptionId::sched_scheduler) == "round-robin" ? COMITY_SCHED_ROUND_ROBIN : COMITY_SCHED_STEALING;
}

comity_sched_kind kind_of(std::int32_t named) {
  switch (named) {
    case COMITY_SCHED_BY_OPTION:
      return by_option();
    case COMITY_SCHED_STEALING:
    case COMITY_SCHED_ROUND_ROBIN:
      return static_cast<comity_sched_kind>(named);
    default:
      throw Error(Status::argument,
                  "start harts: there is no scheduler of kind " + std::to_string(named) + "; see comity_sched_kind");
  }
}

comity::sched::SubstrateOptions with_defaults(const comity_sched_options& given) {
  comity::sched::SubstrateOptions options;
  options.one_member_teams = true;
  if (given.harts < 0 || given.stack_bytes < 0 || given.spin_ns < -1) {
    throw Error(Status::range, "start harts: " + std::to_string(given.harts) + " harts, stacks of " +
                                   std::to_string(given.stack_bytes) + " bytes, " + std::to_string(given.spin_ns) +
                                   " ns of spinning; 0 is the usual value of each, and none is below it but -1 ns");
  }
  options.harts = static_cast<std::size_t>(given.harts);
  if (given.stack_bytes > 0) options.stack_bytes = static_cast<std::size_t>(given.stack_bytes);
  if (given.on_deadlock != nullptr) {
    options.on_deadlock = [told = given.on_deadlock, with = given.told_with](const std::string& text) {
      told(text.c_str(), with);
    };
  }
  if (given.spin_ns != 0) options.spin = Nanoseconds(std::max<std::int64_t>(given.spin_ns, 0));
  return options;
}

std::unique_ptr<Scheduler> usual_below(Scheduler& root, comity_sched_kind kind) {
  if (kind == COMITY_SCHED_ROUND_ROBIN) return std::make_unique<Entered<comity::sched::RoundRobin>>(root);
  return std::make_unique<Entered<comity::sched::Stealing>>(root);
}

}  // namespace

bool Library::is_running() noexcept { return the_library.load(std::memory_order_acquire) != nullptr; }

Library& Library::running() {
  Library* const library = the_library.load(std::memory_order_acquire);
  if (library == nullptr) throw Error(Status::order, "there are no harts; call comity_sched_start first");
  return *library;
}

void Library::refuse_thread() {
  throw Error(Status::order,
              is_running()
                  ? "the caller is a plain thread, not a fiber; call this inside comity_sched_run or a spawned fiber"
                  : "there are no harts; call comity_sched_start first");
}

Library::Library(const comity_sched_options& options, comity_sched_kind kind)
    : substrate_(cpus_, with_defaults(options)),
      main_(&Hart::current()->fiber()),
      usual_(usual_below(substrate_.root(), kind)) {}

void Library::start(const comity_sched_options& options) {
  const comity_sched_kind kind = kind_of(options.scheduler);
  the_library.store(new Library(options, kind), std::memory_order_release);
}

void Library::stop() {
  Library& library = running();
  const Hart* const hart = Hart::current();
  if (hart == nullptr || &hart->fiber() != library.main_) {
    throw Error(Status::order, "stop harts: the caller is not what called comity_sched_start; let that stop them");
  }
  {
    const std::lock_guard lock(library.mutex_);
    if (!library.entered_.empty()) {
      throw Error(Status::order, "stop harts: " + std::to_string(library.entered_.size()) +
                                     " schedulers that were entered have not been left; call comity_sched_leave");
    }
  }
  library.usual_.reset();
  the_library.store(nullptr, std::memory_order_release);
  delete &library;
}

const Hart& Library::hart(std::int32_t number) {
  const auto harts = static_cast<std::int32_t>(substrate_.harts());
  if (number < 0 || number >= harts) {
    throw Error(Status::range, "hart " + std::to_string(number) + ": this process has harts 0 to " +
                                   std::to_string(harts - 1) + "; name one of these");
  }
  return substrate_.hart(static_cast<std::size_t>(number));
}

comity_sched_scheduler* Library::keep(std::unique_ptr<Scheduler> entered) {
  const std::lock_guard lock(mutex_);
  entered_.push_back({++numbers_, std::move(entered), &Hart::current()->fiber()});
  return reinterpret_cast<comity_sched_scheduler*>(numbers_);
}

std::vector<Library::One>::iterator Library::find(comity_sched_scheduler* scheduler) {
  const auto number = reinterpret_cast<std::uintptr_t>(scheduler);
  const auto one =
      std::find_if(entered_.begin(), entered_.end(), [&](const One& each) { return each.number == number; });
  if (one == entered_.end()) throw Error(Status::handle, "that scheduler has been left, or was never entered");
  return one;
}

Scheduler& Library::at(comity_sched_scheduler* scheduler) {
  const std::lock_guard lock(mutex_);
  return *find(scheduler)->scheduler;
}

void Library::leave(comity_sched_scheduler* scheduler) {
  const Hart& hart = fiber_hart();
  std::unique_ptr<Scheduler> ended;
  {
    const std::lock_guard lock(mutex_);
    const auto one = find(scheduler);
    const Scheduler& leaving = *one->scheduler;
    if (one->by != &hart.fiber()) {
      throw Error(Status::order, "leave a scheduler: another fiber entered it; let that one leave it");
    }
    if (std::any_of(entered_.begin(), entered_.end(),
                    [&](const One& each) { return each.scheduler->parent() == &leaving; })) {
      throw Error(Status::order, "leave a scheduler: one below it has not been left; leave that first");
    }
    ended = std::move(one->scheduler);
    entered_.erase(one);
  }
  // Waits for its fibers, which may still ask for it: without the lock.
  ended.reset();
}

}  // namespace comity::capi::sched
