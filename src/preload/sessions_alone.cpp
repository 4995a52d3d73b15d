// SPDX-License-Identifier: BSD-3-Clause
#include "preload/sessions_alone.hpp"

#include "base/log.hpp"
#include "interpose/loaded_mpi.hpp"

namespace comity::preload {

void SessionsAlone::note(const interpose::Facts& facts) noexcept {
  const bool is_of_session = looks_at(facts);
  if (facts.kind == interpose::Kind::begin) {
    if (is_of_session) ++sessions_;
    if (!is_of_session) has_run_ = true;
    return;
  }
  if (!is_of_session || --sessions_ > 0 || has_run_ || is_told_.exchange(true)) return;
  if (!interpose::may_speak_for_the_job()) return;
  log::warning("preload", what_);
}

}  // namespace comity::preload
