// SPDX-License-Identifier: BSD-3-Clause
// What cooperative waits offer to others of the process, who may have no MPI of their own.
#pragma once

#include <cstdint>
#include <string_view>

#include "coop/decision/rests.hpp"

namespace comity::coop {

[[nodiscard]] bool is_at_work();
// Whether a rank that waits in that function of MPI spins, as things stand now.
[[nodiscard]] bool spins_in(std::string_view function);
// Asks again and again, makes MPI go on meanwhile, and sleeps in between, until the answer is not 0 or the deadline on
// the clock of now_ns() has passed. False: waits are not cooperative here; nothing was done.
[[nodiscard]] bool wait_for_question(int (*over)(void*), void* question, std::int64_t deadline_ns);
void ring_everybody();
// As tell_rests; and as long as somebody is told, this rank's threads stay on its own cores, for who is told moves them.
void hear_of_rests(const RestListener& listener);

}  // namespace comity::coop
