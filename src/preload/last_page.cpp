// SPDX-License-Identifier: BSD-3-Clause
#include "preload/last_page.hpp"

#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "metrics/job/text.hpp"
#include "record/format/content.hpp"

namespace comity::preload {

LastPage::LastPage(const std::vector<record::Bytes>& ranks, MetricsToo metrics_too, metrics::Messages messages) {
  metrics::JobSums sums(messages);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    record::Content rank;
    (void)record::decode(ranks[i], rank);
    if (metrics_too == MetricsToo::yes) sums.add(rank);
    memory_.add(static_cast<int>(i), rank);
  }
  if (metrics_too == MetricsToo::yes) job_ = sums.job();
}

std::string LastPage::text() const {
  return visible_lines((job_ ? metrics::text_of(*job_) : std::string()) + memory::page_of(memory_));
}

std::string LastPage::json(const std::map<std::string, std::string>& facts) const {
  using Json = nlohmann::ordered_json;
  const Json all = {{"run", {{"ranks", job_->ranks.size()}, {"facts", facts}}}, {"metrics", metrics::json_of(*job_)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace comity::preload
