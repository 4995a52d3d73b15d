// SPDX-License-Identifier: BSD-3-Clause
// A create that a death must end.
#pragma once

#include <comity/comity_mpi.h>

#include <string>

#include "mpi/death_watch.hpp"
#include "mpi/survivors.hpp"

namespace comity::testing {

// "", or what is wrong with how it ends.
inline std::string fault_of_lost_create(MPI_Comm ranks, int victim, pid_t process) {
  const DeathWatch death(process);
  const ToldInTime told;
  comity_context* context = nullptr;
  const comity_status status = comity_context_create(ranks, &context);
  const std::int64_t after_ns = told.after_ns(death.died_ns());
  if (status != COMITY_ERR_PEER_LOST || context != nullptr) return comity_status_name(status);
  if (after_ns >= kTellWithin_ns) return "told only after " + std::to_string(after_ns / 1'000'000) + " ms";
  return last_error_names(victim) ? "" : "the sentence does not name the dead";
}

}  // namespace comity::testing
