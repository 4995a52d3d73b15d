// SPDX-License-Identifier: BSD-3-Clause
// What collective and one-sided calls move, and those of files; and who is around a rank. Not: messages (traffic).
#pragma once

#include "interpose/arguments.hpp"
#include "interpose/requests/members.hpp"

namespace comity::interpose {

// Into the event, by the rule of the call's row; of any other rule nothing. members: null where the call has neither a communicator nor a
// window.
void count_of_group(const AnyArguments& call, const Members* members, Event& event);

}  // namespace comity::interpose
