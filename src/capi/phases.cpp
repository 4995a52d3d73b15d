// SPDX-License-Identifier: BSD-3-Clause
// Who works, and wide phases: each function calls the one member of the context that it names, phases past whom the runtime tells of them.
#include <comity/phases.h>

#include "capi/guard.hpp"
#include "capi/handle.hpp"
#include "runtime/phases.hpp"

using namespace comity;
using capi::guard;
using capi::object_type;
using capi::required;
using capi::unwrap;

namespace {

context::Rule rule_of(comity_rule rule) {
  if (rule == COMITY_RULE_FILL) return context::Rule::fill;
  if (rule == COMITY_RULE_ALGORITHM_1) return context::Rule::algorithm_1;
  if (rule == COMITY_RULE_QUO_1_4) return context::Rule::quo_1_4;
  throw Error(Status::argument, "there is no distribution rule " + std::to_string(static_cast<int>(rule)) +
                                    "; use COMITY_RULE_FILL, COMITY_RULE_ALGORITHM_1 or COMITY_RULE_QUO_1_4");
}

}  // namespace

comity_status comity_context_distribute(comity_context* context, comity_type type, int32_t max_per, comity_rule rule,
                                        comity_distribution* result) {
  return guard([&] {
    context::Context& target = unwrap(context);
    comity_distribution& out = required(result, "result");
    const context::Selection row = target.distribute(object_type(type), max_per, rule_of(rule));
    out = {row.mine.selected ? 1 : 0, row.mine.object,   row.mine.leader, row.mine.share,
           row.mine.share_count,      row.selected_count};
  });
}

comity_status comity_context_enter(comity_context* context, comity_type type, int32_t per, int32_t width,
                                   int32_t* selected) {
  return guard([&] {
    context::Context& target = unwrap(context);
    std::int32_t& out = required(selected, "selected");
    out = 0;  // also where the phase is open and this rank's push was refused: programs that ask no status rest then
    if (runtime::enter_phase(target, object_type(type), per, width)) out = 1;
  });
}

comity_status comity_context_leave(comity_context* context) {
  return guard([&] { runtime::leave_phase(unwrap(context)); });
}
