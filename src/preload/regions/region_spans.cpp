// SPDX-License-Identifier: BSD-3-Clause
#include "preload/regions/region_spans.hpp"

#include <algorithm>
#include <cstddef>

namespace comity::preload {
namespace {

using metrics::Nesting;

constexpr const char* kLane = "main";

}  // namespace

std::optional<RegionSpan> span_that_ends(const Nesting& nesting, std::int64_t now_ns) {
  if (nesting.in_none() || nesting.depth() > Nesting::kDeepest) return std::nullopt;
  const Nesting::Open open = nesting.open(nesting.depth());
  return RegionSpan{open.region, open.begin_ns, now_ns};
}

void RegionSpans::record(const RegionSpan& span, Recorder& recorder) {
  recorder.span(spans_of(span.region, recorder), span.begin_ns, span.end_ns);
}

void RegionSpans::end_all(const Nesting& nesting, std::int64_t now_ns, Recorder& recorder) {
  for (std::size_t depth = std::min(nesting.depth(), Nesting::kDeepest); depth > 0; --depth) {
    const Nesting::Open open = nesting.open(depth);
    record({open.region, open.begin_ns, now_ns}, recorder);
  }
}

record::SpansRef RegionSpans::spans_of(metrics::Region region, Recorder& recorder) {
  if (known_.size() <= region) known_.resize(region + std::size_t{1});
  record::SpansRef& spans = known_[region];
  if (spans.id == record::SpansRef{}.id) spans = recorder.spans(kLane, names_.path(region));
  return spans;
}

}  // namespace comity::preload
