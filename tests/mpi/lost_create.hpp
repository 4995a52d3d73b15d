// SPDX-License-Identifier: BSD-3-Clause
// A create that a death must end.
#pragma once

#include <comity/comity_mpi.h>

#include <chrono>
#include <string>

#include "survivors.hpp"

namespace comity::testing {

// "", or what is wrong with how it ends. A wait looks four times a second, twice for each; a busy machine may take several
// times as long as that.
inline std::string fault_of_lost_create(MPI_Comm ranks, int victim) {
  using namespace std::chrono_literals;
  const auto start = std::chrono::steady_clock::now();
  comity_context* context = nullptr;
  const comity_status status = comity_context_create(ranks, &context);
  if (status != COMITY_ERR_PEER_LOST || context != nullptr) return comity_status_name(status);
  if (std::chrono::steady_clock::now() - start > 5s) return "told only after more than five seconds";
  return last_error_names(victim) ? "" : "the sentence does not name the dead";
}

}  // namespace comity::testing
