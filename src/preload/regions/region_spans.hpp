// SPDX-License-Identifier: BSD-3-Clause
// RegionSpans: when MPI's main thread was in which region of the program, as spans of the record: one a visit, while the budget
// lasts. Not: which regions a thread is in (metrics/nesting), what they cost (metrics).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/rank/nesting.hpp"
#include "metrics/rank/regions.hpp"
#include "preload/recorder.hpp"

namespace comity::preload {

struct RegionSpan {
  metrics::Region region;
  std::int64_t begin_ns;
  std::int64_t end_ns;
};

// Of the innermost region, before it ends; none in none, and for those too deep.
[[nodiscard]] std::optional<RegionSpan> span_that_ends(const metrics::Nesting& nesting, std::int64_t now_ns);

// Of that thread alone.
class RegionSpans {
 public:
  explicit RegionSpans(const metrics::Regions& names) : names_(names) {}

  void record(const RegionSpan& span, Recorder& recorder);
  // Before the recorder goes: what is open ends here.
  void end_all(const metrics::Nesting& nesting, std::int64_t now_ns, Recorder& recorder);

 private:
  record::SpansRef spans_of(metrics::Region region, Recorder& recorder);

  const metrics::Regions& names_;
  std::vector<record::SpansRef> known_;  // by region; a null one: not asked yet
};

}  // namespace comity::preload
