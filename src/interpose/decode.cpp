// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/decode.hpp"

namespace comity::interpose {

Shown::Shown(const Watch& watch, unsigned function, void* const* at)
    : call_({function}, at),
      objects_(function, at),
      under_way_(call_, watch),
      before_{&kFacts[function], watch.now_ns(), call_.level()} {
  keep_status(call_, watch, own_status_);
  if (call_.row.kind != Kind::local) sign_.emplace(function, before_.begin_ns);
  watch.before(before_);
}

Shown::~Shown() = default;

void Shown::after(const Watch& watch, int code) {
  Event event = event_of(kFacts[call_.number], before_, watch, code == MPI_SUCCESS || call_.row.kind == Kind::local);
  tell_traffic(call_, watch, event, kNothingHeld);
  event.requests = under_way_.change(watch, event.succeeded);
  watch.after(event);
  objects_.tell(call_.number, watch, code, false);
}

}  // namespace comity::interpose
