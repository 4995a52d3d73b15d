// SPDX-License-Identifier: BSD-3-Clause
// LastPage: what the figures of a run's ranks come to when it ends, as a page for people and as JSON. Not: how they come together
// (watched_run).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "memory/job/job.hpp"
#include "metrics/job/job.hpp"
#include "metrics/job/job_sums.hpp"
#include "record/format/bytes.hpp"

namespace comity::preload {

enum class MetricsToo : std::uint8_t { no, yes };  // no: whose the memory was alone

class LastPage {
 public:
  // Of the figures of each rank, encoded, in their order. Messages are in JSON alone.
  LastPage(const std::vector<record::Bytes>& ranks, MetricsToo metrics_too, metrics::Messages messages);

  [[nodiscard]] std::string text() const;
  // As `comity report --json` has them, as far as a run without a record knows; metrics too. `facts`: of the first rank.
  [[nodiscard]] std::string json(const std::map<std::string, std::string>& facts) const;

 private:
  std::optional<metrics::Job> job_;
  memory::Job memory_;
};

}  // namespace comity::preload
