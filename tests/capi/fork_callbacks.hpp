// SPDX-License-Identifier: BSD-3-Clause
// A node::Bootstrap (forked ranks, or one that stands before them) as the callbacks of the C interface.
#pragma once

#include <comity/bootstrap.h>

#include <cstddef>
#include <cstdint>

#include "node/bootstrap.hpp"

namespace comity::testing {

inline comity_bootstrap callbacks(node::Bootstrap& job) {
  return {&job,
          job.job_rank(),
          job.job_size(),
          job.candidate_rank(),
          job.candidate_size(),
          [](void* self, const void* mine, void* all, std::size_t bytes) {
            try {
              static_cast<node::Bootstrap*>(self)->candidate_gather(mine, all, bytes);
              return COMITY_OK;
            } catch (...) {
              return COMITY_ERR_MPI;
            }
          },
          [](void* self, std::int64_t mine, std::int64_t* largest) {
            *largest = static_cast<node::Bootstrap*>(self)->job_max(mine);
            return COMITY_OK;
          },
          [](void* self, std::int64_t mine, std::int64_t* sum) {
            *sum = static_cast<node::Bootstrap*>(self)->job_sum(mine);
            return COMITY_OK;
          }};
}

}  // namespace comity::testing
