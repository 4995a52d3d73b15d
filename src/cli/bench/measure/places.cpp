// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/measure/places.hpp"

#include "cli/bench/measure/launch.hpp"
#include "cli/bench/show/progress.hpp"

namespace comity::cli::bench {
namespace {

constexpr std::chrono::seconds kPatience{180};

}  // namespace

void measure_places(std::string_view bench, std::vector<Place>& places, Nanoseconds limit) {
  const std::int64_t end_ns = deadline_after(limit);
  Progress progress(bench, limit);
  for (std::size_t round = 0; round < kMostLaunches; ++round) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (round > 0 && now_ns() > end_ns) return;
      add_case_line(places[i].cases, run_for_json_line(places[i].words, kPatience));
      progress.show("launch " + std::to_string(round * places.size() + i + 1) + " of " +
                    std::to_string(kMostLaunches * places.size()));
    }
  }
}

}  // namespace comity::cli::bench
