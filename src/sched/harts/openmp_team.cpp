// SPDX-License-Identifier: BSD-3-Clause
#include "sched/harts/openmp_team.hpp"

#include <algorithm>
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
    for (const os::OpenMp& runtime : os::OpenMp::loaded()) place_members(runtime, held_);
  }
  ~Teams() {
    if (held_.count() > 0) {
      for (const os::OpenMp& runtime : os::OpenMp::loaded()) dismiss_members(runtime, held_);
      Hart::current()->fiber().goes_last = was_last_;
    }
    held_.give_back();
  }
  Teams(const Teams&) = delete;
  Teams& operator=(const Teams&) = delete;

  [[nodiscard]] std::size_t harts() const noexcept { return held_.count() + 1; }

 private:
  Entered<HeldHarts> held_;
  bool was_last_ = false;
};

}  // namespace

OneMemberTeams::OneMemberTeams() {
  for (const os::OpenMp& runtime : os::OpenMp::loaded()) {
    before_.push_back(runtime.max_threads());
    runtime.set_threads(1);
  }
}

// Runtimes that were loaded later were not told; the list only grows.
OneMemberTeams::~OneMemberTeams() {
  const auto& runtimes = os::OpenMp::loaded();
  for (std::size_t i = 0; i < std::min(before_.size(), runtimes.size()); ++i) runtimes[i].set_threads(before_[i]);
}

void with_openmp_team(std::size_t most, const std::function<void(std::size_t harts)>& body) {
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
