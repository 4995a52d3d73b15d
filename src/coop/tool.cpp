// SPDX-License-Identifier: BSD-3-Clause
#include "coop/tool.hpp"

#include "base/clock.hpp"
#include "coop/attendant.hpp"
#include "coop/blocking_calls.hpp"
#include "coop/cooperation.hpp"
#include "coop/library/library_wait.hpp"
#include "coop/wait.hpp"

namespace comity::coop {

bool is_at_work() { return at_work() != nullptr; }

bool spins_in(std::string_view function) {
  const Waits waits = waits_in(function);
  const Cooperation* const here = at_work();
  if (here == nullptr) return waits != Waits::never;
  if (waits == Waits::as_started && here->starts_collectives) return false;
  if (waits == Waits::on_one_node && here->party.is_whole && here->peers.all_are_here()) return false;
  const bool may_spin = waits == Waits::in_library || waits == Waits::on_one_node || waits == Waits::behind_barrier ||
                        waits == Waits::as_started;
  return may_spin && !sleeps_in_the_library();
}

bool wait_for_question(int (*over)(void*), void* question, std::int64_t deadline_ns) {
  Cooperation* const here = at_work();
  if (here == nullptr) return false;
  const auto is_over = [&] {
    if (over(question) != 0) return true;
    here->progress();
    return over(question) != 0 || now_ns() >= deadline_ns;
  };
  wait_until(here->peers, is_over, Nanoseconds(0), node::Hears::everything, AskedBy::own_thread);
  return true;
}

void ring_everybody() {
  if (Cooperation* const here = at_work(); here != nullptr) here->peers.ring_everybody();
}

void hear_of_rests(const RestListener& listener) {
  tell_rests(listener);
  keep_own_cores(listener.begins != nullptr);
}

}  // namespace comity::coop
