// SPDX-License-Identifier: BSD-3-Clause
#include "sched/substrate.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "os/cpus/affinity.hpp"
#include "os/cpus/cpu_nodes.hpp"
#include "os/cpus/cpu_speeds.hpp"
#include "os/threads/far_fence.hpp"
#include "os/threads/threads.hpp"
#include "sched/waiter.hpp"
#include "sched/waiting/deadlock.hpp"

namespace comity::sched {
namespace {

std::atomic<bool> one_is_there{false};

// That of the calling thread first.
std::vector<std::size_t> in_order(const CpuSet& cpus) {
  std::vector<std::size_t> order;
  cpus.for_each([&](std::size_t cpu) { order.push_back(cpu); });
  const auto here = std::find(order.begin(), order.end(), static_cast<std::size_t>(os::current_cpu()));
  if (here != order.end()) std::rotate(order.begin(), here, here + 1);
  return order;
}

void pin(std::size_t cpu) {
  const int error = os::set_affinity(0, CpuSet{cpu});
  if (error != 0) throw system_error("bind a hart to CPU " + std::to_string(cpu), error);
}

// While it lives, no hart that wakes goes on.
class Look {
 public:
  explicit Look(IdleHarts<>& idle) noexcept : idle_(idle) { idle_.begin_look(); }
  ~Look() { idle_.end_look(); }
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

 private:
  IdleHarts<>& idle_;
};

}  // namespace

OwnCpus::OwnCpus() : cpus_(os::affinity(0)), nodes_(os::nodes_of_cpus()), speeds_(os::speeds_of_cpus(cpus_)) {}

// Runs the fiber of the program itself, and lends harts to the schedulers that stand on it.
class Substrate::RootScheduler final : public Scheduler {
 public:
  explicit RootScheduler(Substrate& substrate) : Scheduler(substrate) {}

 private:
  void fiber_made(Lane& lane, Fiber& fiber) noexcept override { keep(lane, fiber); }
};

Substrate::Substrate(HartSource& source, const SubstrateOptions& options)
    : source_(source),
      options_(options),
      has_far_fences_(options.far_fences && os::join_far_fences()),
      stacks_(options.guards ? StackPool(options.stack_bytes, *options.guards) : StackPool(options.stack_bytes)) {
  if (one_is_there.exchange(true)) {
    throw Error(Status::order, "start harts: this process has them already; stop those first");
  }
  try {
    overflow_message_.emplace(stacks_);
    signal_stack_.emplace();
    mask_before_ = os::affinity(0);
    const std::vector<std::size_t> cpus = in_order(source.cpus());
    if (cpus.empty()) throw Error(Status::range, "start harts: there is no CPU for them; widen the binding");
    const std::size_t count = options.harts == 0 ? cpus.size() : std::min(options.harts, cpus.size());
    for (std::size_t i = 0; i < count; ++i) harts_.push_back(std::make_unique<Hart>(*this, i, cpus[i], source));
    root_ = std::make_unique<RootScheduler>(*this);
    root_->given_ = static_cast<int>(count);
    start_threads();
  } catch (...) {
    stop_threads();
    one_is_there = false;
    throw;
  }
}

void Substrate::start_threads() {
  Hart& first = *harts_[0];
  pin(first.cpu());
  source_.taken(first.cpu());
  first.come(*root_);
  main_.set_name("main program");
  note_own_stack(main_.notes);
  main_.home = &first;
  main_.scheduler = root_.get();
  first.fiber_ = &main_;
  if (options_.one_member_teams) teams_.emplace();
  loop_stack_ = &stacks_.take(first.shelf_, &Hart::begin_loop);
  Execution& begins = *loop_stack_;
  first.loop_ = begins;
  for (std::size_t i = 1; i < harts_.size(); ++i) {
    try {
      threads_.emplace_back([this, &hart = *harts_[i]] {
        const os::SignalStack handlers;
        std::optional<OneMemberTeams> teams;
        if (options_.one_member_teams) teams.emplace();
        (void)os::set_affinity(0, CpuSet{hart.cpu()});
        source_.taken(hart.cpu());
        note_own_stack(hart.loop_.notes);
        hart.come(*root_);
        hart.loop();
        stacks_.empty(hart.shelf_);
        source_.returned(hart.cpu());
      });
      // It is made on the CPU of this thread, and would come to its own only after a turn here: milliseconds later.
      (void)os::set_affinity_of(threads_.back().native_handle(), CpuSet{harts_[i]->cpu()});
    } catch (const std::system_error& error) {
      throw system_error("start the thread of a hart", error.code().value(),
                         "raise the limit of processes (ulimit -u)");
    }
  }
}

void Substrate::stop_threads() noexcept {
  (void)stopping_.exchange(true);  // as in IdleHarts
  for (const auto& hart : harts_) (void)hart->wake();
  for (std::thread& thread : threads_) thread.join();
  if (Hart::current() == nullptr) return;
  if (loop_stack_ != nullptr) stacks_.give(harts_[0]->shelf_, *loop_stack_);
  stacks_.empty(harts_[0]->shelf_);
  teams_.reset();
  Hart::this_hart_ = nullptr;
  source_.returned(harts_[0]->cpu());
  (void)os::set_affinity(0, mask_before_);
}

Substrate::~Substrate() {
  stop_threads();
  one_is_there = false;
}

bool Substrate::all_parked(const Hart* looking) const {
  return idle_.parked_now() == static_cast<int>(harts_.size()) - (looking != nullptr ? 1 : 0);
}

bool Substrate::is_stuck(const Hart* looking) const {
  const std::uint64_t unparked = idle_.times_unparked();
  if (!all_parked(looking) || stopping_.load(std::memory_order_seq_cst)) return false;
  // Threads that are no harts could wake somebody, unless all of them wait for one of ours; none fell asleep meanwhile.
  const std::uint64_t asleep = Waiter::threads_asleep();
  std::vector<pid_t> threads;
  os::list_threads(threads);
  if (Waiter::threads_asleep() != asleep) return false;
  if (threads.size() != harts_.size() + Waiter::count_of(asleep)) return false;
  // Then nobody posts any more. What was posted before is there still, or its hart has come and gone.
  if (root_->demand_.wanted_now() > 0) return false;
  for (const auto& hart : harts_) {
    if (hart->posted_.load(std::memory_order_seq_cst) != nullptr) return false;
  }
  return idle_.times_unparked() == unparked && all_parked(looking);
}

std::string Substrate::find_deadlock(const Hart* looking) {
  const Look look(idle_);
  const std::uint64_t unparked = idle_.times_unparked();
  if (!all_parked(looking)) return "";
  deadlock_looks_.fetch_add(1, std::memory_order_relaxed);
  const bool all = is_stuck(looking);
  // A hart that is woken waits for the end of the look, which may be long where there are many fibers. One that was about to wake
  // at its beginning is counted as parked for a moment more; and it may be this one, where two look at once.
  const auto& own_sleep = Hart::current()->parked_;
  const auto goes_on = [&] {
    return all || (idle_.times_unparked() == unparked && all_parked(looking) &&
                   (looking != nullptr || own_sleep.load(std::memory_order_seq_cst) != 0));
  };
  std::vector<const Fiber*> waiting;
  const auto keep = [&](const Fiber& fiber) {
    if (!goes_on()) return;
    const Waiter* const waiter = fiber.waiting.load(std::memory_order_relaxed);
    if (waiter != nullptr && (all || could_be_in_circle(*waiter))) waiting.push_back(&fiber);
  };
  keep(main_);
  stacks_.for_each(keep);
  // Threads of others may wake any fiber, but for those that only fibers could wake which wait for them.
  if (!all) waiting = caught_in_circles(waiting, goes_on);
  if (waiting.empty() || !goes_on()) return "";
  return describe_deadlock(waiting, all ? Deadlocked::all : Deadlocked::in_circles);
}

// By a hart that is about to sleep: what it lacks for a look, memory or a descriptor, is no reason to end the process.
std::string Substrate::find_deadlock_if_possible(const Hart* looking) noexcept {
  try {
    return find_deadlock(looking);
  } catch (const std::exception&) {
    return "";
  }
}

bool Substrate::tell_deadlock(const Hart* looking) {
  const std::string text = find_deadlock_if_possible(looking);
  if (text.empty() || told_deadlock_.exchange(true)) return !text.empty();
  if (options_.on_deadlock) {
    options_.on_deadlock(text);
    return true;
  }
  std::fputs(text.c_str(), stderr);
  std::abort();
}

void Substrate::wake_for_requests() noexcept {
  int needed = idle_.to_wake([this] { return root_->demand_.wanted_now(); });
  const int first = wake_first_.load(std::memory_order_relaxed);
  for (const bool of_that_node : {true, false}) {
    for (std::size_t i = 0; i < harts_.size() && needed > 0; ++i) {
      if ((harts_[i]->node() == first) == of_that_node && harts_[i]->wake()) --needed;
    }
  }
}

}  // namespace comity::sched
