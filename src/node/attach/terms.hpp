// SPDX-License-Identifier: BSD-3-Clause
// Terms: what each candidate was told, by its own environment, that candidates must have been told alike. Not: what
// they were told in vain (an unknown word fails before), nor versions and kernels (attach).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "node/attach/agreement.hpp"

namespace comity::node {

struct Terms {
  Report report;
  std::int32_t job_rank = 0;
  std::uint32_t leader = 0;             // the candidate that leads this one's node
  std::uint64_t source_hash = 0;        // of all of payload_source, which may be long
  std::array<char, 16> handover{};      // ends with 0
  std::array<char, 64> source_words{};  // of payload_source, its middle left out where it is long; ends with 0
};
static_assert(sizeof(Terms) == 352);

// Allocates nothing, so that a rank without memory can still tell its report.
void set_handover(Terms& terms, const std::string& handover);
void set_source(Terms& terms, const std::string& source);

// Throws the same on every candidate: Status::option where two differ in the way of handing over, which decides how
// many collective calls follow; Status::topology where two of one node differ in what its payload is made of, which one
// of them makes for all. It names the first two that differ and what each of them was told.
void require_same_terms(std::span<const Terms> all);

}  // namespace comity::node
