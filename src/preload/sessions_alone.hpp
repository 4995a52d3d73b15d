// SPDX-License-Identifier: BSD-3-Clause
// SessionsAlone: tells of a program of sessions alone, once a job, what it goes without: it has no MPI_COMM_WORLD over which its ranks
// could come together. Said when its last session ends, for until then MPI_Init may still come.
#pragma once

#include <atomic>

#include "interpose/subscriber.hpp"

namespace comity::preload {

class SessionsAlone {
 public:
  // What it says.
  constexpr explicit SessionsAlone(const char* what) : what_(what) {}
  [[nodiscard]] static bool looks_at(const interpose::Facts& facts) noexcept {
    return facts.name == "MPI_Session_init" || facts.name == "MPI_Session_finalize";
  }
  // Of every call; those that begin or end something count.
  void after(const interpose::Event& event) noexcept {
    const interpose::Kind kind = event.facts->kind;
    if ((kind == interpose::Kind::begin || kind == interpose::Kind::end) && event.succeeded) note(*event.facts);
  }

 private:
  void note(const interpose::Facts& facts) noexcept;

  const char* what_;
  std::atomic<int> sessions_{0};  // that are open
  std::atomic<bool> has_run_{false};
  std::atomic<bool> is_told_{false};
};

}  // namespace comity::preload
