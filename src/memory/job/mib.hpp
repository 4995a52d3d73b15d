// SPDX-License-Identifier: BSD-3-Clause
// Bytes in the tables of a job.
#pragma once

namespace comity::memory {

inline constexpr double kMiB = 1024.0 * 1024.0;

}  // namespace comity::memory
