// SPDX-License-Identifier: BSD-3-Clause
#include "sched/harts/openmp_team.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/cpu_set.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/openmp.hpp"
#include "sched/harts/hart.hpp"
#include "sched/harts/held_harts.hpp"
#include "sched/substrate.hpp"

namespace comity::sched {
namespace {

constexpr Nanoseconds kPatience{200'000};  // until a hart that sleeps has come

thread_local constinit OneMemberTeams* of_this_thread = nullptr;

bool inside_a_region() {
  const auto& runtimes = os::OpenMp::loaded();
  return std::any_of(runtimes.begin(), runtimes.end(), [](const os::OpenMp& runtime) { return runtime.in_parallel(); });
}

// Member i stands for the held hart i - 1 and runs on its CPU; the caller is member 0.
void place_members(const os::OpenMp& runtime, HeldHarts& held) {
  const auto size = static_cast<int>(held.count()) + 1;
  runtime.set_threads(size);
  runtime.run_team(size, [&](int member) {
    if (member == 0) return;
    HeldHart& mine = held.at(static_cast<std::size_t>(member) - 1);
    HeldHart::stand_for(&mine);
    (void)os::set_affinity(0, CpuSet{mine.cpu()});
  });
}

// They stand for nothing any more, and sleep or end before the harts run again.
void dismiss_members(const os::OpenMp& runtime, const HeldHarts& held) {
  runtime.run_team(static_cast<int>(held.count()) + 1, [](int) { HeldHart::stand_for(nullptr); });
  runtime.rest_team();
  runtime.set_threads(1);
}

// Teams of all runtimes on harts that are held, until the end of the scope.
class Teams {
 public:
  Teams(Scheduler& scheduler, std::size_t most) : held_(scheduler) {
    held_.take(most - 1, kPatience);
    if (held_.count() == 0) return;
    was_last_ = std::exchange(Hart::current()->fiber().goes_last, true);
    for (const os::OpenMp& runtime : runtimes_) place_members(runtime, held_);
  }
  ~Teams() {
    if (held_.count() > 0) {
      for (const os::OpenMp& runtime : runtimes_) dismiss_members(runtime, held_);
      Hart::current()->fiber().goes_last = was_last_;
    }
    held_.give_back();
  }
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  [[nodiscard]] std::size_t harts() const noexcept { return held_.count() + 1; }

 private:
  Entered<HeldHarts> held_;
  const std::vector<os::OpenMp>& runtimes_ =
      os::OpenMp::loaded();  // not those that the body loads: they have no members here
  bool was_last_ = false;
};

// Also at the end: what the body has loaded is told to all harts before whatever it makes known.
struct LooksAround {
  LooksAround() noexcept { look_for_runtimes(); }
  ~LooksAround() { look_for_runtimes(); }
  LooksAround(const LooksAround&) = delete;
  LooksAround& operator=(const LooksAround&) = delete;
};

}  // namespace

OneMemberTeams::OneMemberTeams() noexcept {
  of_this_thread = this;
  tell_new();
}

// Runtimes that nobody has seen yet were not told; the list only grows.
OneMemberTeams::~OneMemberTeams() {
  of_this_thread = nullptr;
  const auto& runtimes = os::OpenMp::loaded();
  for (std::size_t i = 0; i < std::min(before_.size(), runtimes.size()); ++i) runtimes[i].set_threads(before_[i]);
}

// Without memory for it a runtime is left as it is, until somebody looks again.
void OneMemberTeams::tell_new() noexcept {
  try {
    const auto& runtimes = os::OpenMp::loaded();
    for (std::size_t i = before_.size(); i < runtimes.size(); ++i) {
      before_.push_back(runtimes[i].max_threads());
      runtimes[i].set_threads(1);
    }
  } catch (const std::exception&) {
    return;
  }
}

void OneMemberTeams::tell_loaded_since() noexcept {
  OneMemberTeams* const mine = of_this_thread;
  if (mine != nullptr && mine->before_.size() < runtimes_seen.load(std::memory_order_relaxed)) mine->tell_new();
}

void look_for_runtimes() noexcept {
  try {
    const std::size_t now = os::OpenMp::loaded().size();
    std::size_t seen = runtimes_seen.load(std::memory_order_relaxed);
    while (seen < now && !runtimes_seen.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
  } catch (const std::exception&) {
    return;
  }
  OneMemberTeams::tell_loaded_since();
}

void with_openmp_team(std::size_t most, const std::function<void(std::size_t harts)>& body) {
  const LooksAround looks;
  const Hart& hart = *Hart::current();
  const std::size_t harts = std::min(most, hart.substrate().harts());
  if (harts <= 1 || os::OpenMp::loaded().empty() || inside_a_region()) {
    body(1);
    return;
  }
  const Teams teams(hart.scheduler(), harts);
  body(teams.harts());
}

}  // namespace comity::sched
