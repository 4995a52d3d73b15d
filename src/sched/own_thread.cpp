// SPDX-License-Identifier: BSD-3-Clause
#include "sched/own_thread.hpp"

#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "sched/harts/hart.hpp"
#include "sched/harts/held_harts.hpp"
#include "sched/harts/openmp_team.hpp"
#include "sched/substrate.hpp"

namespace comity::sched {
namespace {

// It runs where its maker is bound: on the CPU of the hart.
std::thread begin(HeldHart& hart, bool one_member_teams, const std::function<void()>& work,
                  std::exception_ptr& thrown) {
  try {
    return std::thread([&hart, one_member_teams, &work, &thrown] {
      std::optional<OneMemberTeams> teams;
      if (one_member_teams) teams.emplace();
      HeldHart::stand_for(&hart);
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
      HeldHart::stand_for(nullptr);
      hart.release();
    });
  } catch (const std::system_error& error) {
    throw system_error("start a thread for foreign code", error.code().value(),
                       "raise the limit of processes (ulimit -u)");
  }
}

}  // namespace

void on_own_thread(const std::function<void()>& work) {
  Hart& hart = *Hart::current();
  HeldHart held(hart);
  std::exception_ptr thrown;
  std::thread thread = begin(held, hart.substrate().options().one_member_teams, work, thrown);
  // Once the thread has its hart back no fiber of it runs: those that can go on do so before.
  Fiber& self = hart.fiber();
  const bool was_last = std::exchange(self.goes_last, true);
  held.hold();
  self.goes_last = was_last;
  thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace comity::sched
