// SPDX-License-Identifier: BSD-3-Clause
// WaitsOfSessions: tells of a program of sessions alone that its waits are not cooperative, where the user asked for that by name.
#pragma once

#include "preload/sessions_alone.hpp"

namespace comity::preload {

class WaitsOfSessions final : public interpose::Subscriber {
 public:
  explicit WaitsOfSessions(const char* what) : sessions_(what) {}
  virtual ~WaitsOfSessions() = default;
  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override {
    const bool counts = facts.kind == interpose::Kind::begin || SessionsAlone::looks_at(facts);
    return counts ? interpose::Depth::calls : interpose::Depth::none;
  }
  void after(const interpose::Event& event) noexcept override { sessions_.after(event); }

 private:
  SessionsAlone sessions_;
};

}  // namespace comity::preload
