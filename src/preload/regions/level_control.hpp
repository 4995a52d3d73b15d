// SPDX-License-Identifier: BSD-3-Clause
// LevelControl: takes the level from the program's calls of MPI_Pcontrol. What else they say is for other tools.
#pragma once

#include "interpose/subscriber.hpp"
#include "metrics/rank/collector.hpp"
#include "preload/watched_run.hpp"

namespace comity::preload {

class LevelControl final : public interpose::Subscriber {
 public:
  LevelControl(metrics::Collector& collector, WatchedRun& run) : collector_(collector), run_(run) {}
  virtual ~LevelControl() = default;

  [[nodiscard]] interpose::Depth depth(const interpose::Facts& facts) const noexcept override;
  [[nodiscard]] bool announces(const interpose::Facts& facts) const noexcept override;
  void before(const interpose::Call& call) noexcept override;

 private:
  metrics::Collector& collector_;
  WatchedRun& run_;
};

}  // namespace comity::preload
