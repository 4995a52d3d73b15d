// SPDX-License-Identifier: BSD-3-Clause
// Shares: what a collective call among neighbours moves between this rank and each of those around it, as a message each. Not: its
// sums (group_traffic).
#pragma once

#include <vector>

#include "interpose/arguments.hpp"
#include "interpose/requests/members.hpp"

namespace comity::interpose {

using Shares = std::vector<Message>;

// Those of this call, now. members: of its communicator.
void tell_shares(const AnyArguments& call, const Members& members);
// The same of a call whose request persists, for each time that it is started.
[[nodiscard]] Shares shares_of(const AnyArguments& call, const Members& members);

}  // namespace comity::interpose
