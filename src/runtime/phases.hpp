// SPDX-License-Identifier: BSD-3-Clause
// Phases: the wide phases of contexts, told to the tool that is preloaded, if one is. Not: what a phase does (context), nor what is made of
// them (memory). Invariant: of each phase that was open the tool is told the end, whatever failed in between.
#pragma once

#include "context/context.hpp"

namespace comity::runtime {

// As the members of the context, whose failures pass.
[[nodiscard]] bool enter_phase(context::Context& context, context::ObjectType type, int per, int width);
void leave_phase(context::Context& context);
// Before the context is closed, which ends those that are open.
void forget_phases(const context::Context& context) noexcept;

}  // namespace comity::runtime
