// SPDX-License-Identifier: BSD-3-Clause
// What the rule of older tools gave over time, and which of that cannot be.
#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/seconds.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

std::string first_impossible_text_of(const RankMemory& rank) {
  if (!rank.delta) return {};
  const auto& all = rank.delta->over_time;
  const auto first = std::find_if(all.begin(), all.end(), [](const DeltaStretch& one) { return one.is_impossible; });
  if (first == all.end()) return {};
  std::array<char, 200> text{};
  std::snprintf(
      text.data(), text.size(),
      "  the first of these %.3f s after MPI_Init: %.2f MiB, of %.2f that there were (--csv=memory-delta marks "
      "each)\n",
      rank.after_init_s(first->first_ns).value_or(0),
      static_cast<double>(first->least < 0 ? first->least : first->most) / kMiB,
      static_cast<double>(first->total_most) / kMiB);
  return text.data();
}

// Those that cannot be, for all of a job with many ranks would be too much: the table has them.
Json impossible_json_of(const RankMemory& rank) {
  constexpr std::size_t kMost = 100;
  Json rows = Json::array();
  if (!rank.delta) return rows;
  for (const DeltaStretch& one : rank.delta->over_time) {
    if (!one.is_impossible || rows.size() == kMost) continue;
    rows.push_back({{"at_s", seconds_json(rank.after_init_s(one.first_ns))},
                    {"until_s", seconds_json(rank.after_init_s(one.last_ns))},
                    {"least_bytes", one.least},
                    {"most_bytes", one.most},
                    {"total_most_bytes", one.total_most}});
  }
  return rows;
}

std::string delta_rows_of(const Job& job) {
  std::string text = "rank,at_s,until_s,least_bytes,most_bytes,total_most_bytes,impossible\n";
  for (const RankMemory& rank : job.ranks) {
    if (!rank.delta) continue;
    for (const DeltaStretch& one : rank.delta->over_time) {
      text += std::to_string(rank.rank) + ',' + seconds_field(rank.after_init_s(one.first_ns)) + ',' +
              seconds_field(rank.after_init_s(one.last_ns)) + ',' + std::to_string(one.least) + ',' +
              std::to_string(one.most) + ',' + std::to_string(one.total_most) + (one.is_impossible ? ",1\n" : ",0\n");
    }
  }
  return text;
}

}  // namespace comity::memory
