// SPDX-License-Identifier: BSD-3-Clause
#include "preload/last_page.hpp"

#include "base/utf8.hpp"
#include "memory/job/job.hpp"
#include "metrics/job/job_sums.hpp"
#include "metrics/job/text.hpp"
#include "record/format/content.hpp"

namespace comity::preload {

std::string last_page(const std::vector<record::Bytes>& ranks, MetricsToo metrics_too) {
  metrics::JobSums sums(metrics::Messages::untold);
  memory::Job memory;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    record::Content rank;
    (void)record::decode(ranks[i], rank);
    if (metrics_too == MetricsToo::yes) sums.add(rank);
    memory.add(static_cast<int>(i), rank);
  }
  const std::string of_calls = metrics_too == MetricsToo::yes ? metrics::text_of(sums.job()) : std::string();
  return visible_lines(of_calls + memory::page_of(memory));
}

}  // namespace comity::preload
