// SPDX-License-Identifier: BSD-3-Clause
// Sieve: neighbours of one stream merged two by two, at steps that grow from stage to stage, entry by entry. Each stage merges each two neighbours that
// come to it into one, where that would cover no more than its step, and lets the next stage have what comes of it. Not: how many stages it takes (condense).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "record/format/timeline.hpp"

namespace comity::record {

template <typename Entry>
class Sieve {
 public:
  explicit Sieve(std::size_t stages) : stages_(stages) {}

  template <typename Sink>
  void take(const Entry& entry, std::span<const std::int64_t> steps_ns, Sink&& sink) {
    pass(0, entry, steps_ns, sink);
  }

  // Nothing more comes.
  template <typename Sink>
  void end(std::span<const std::int64_t> steps_ns, Sink&& sink) {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (!std::exchange(stages_[i].is_waiting, false)) continue;
      ++stages_[i].passed;
      pass(i + 1, stages_[i].waiting, steps_ns, sink);
    }
  }

  [[nodiscard]] std::size_t passed(std::size_t stage) const { return stages_[stage].passed; }

 private:
  struct Stage {
    Entry waiting;  // for its neighbour
    bool is_waiting = false;
    std::size_t passed = 0;
  };

  template <typename Sink>
  void pass(std::size_t stage, Entry entry, std::span<const std::int64_t> steps_ns, Sink&& sink) {
    for (; stage < stages_.size(); ++stage) {
      Stage& here = stages_[stage];
      if (!std::exchange(here.is_waiting, true)) {
        here.waiting = entry;
        return;
      }
      const Entry both = merged(here.waiting, entry);
      if (distance_ns(both.first_ns, both.last_ns) > steps_ns[stage]) {
        std::swap(here.waiting, entry);
      } else {
        entry = both;
        here.is_waiting = false;
      }
      ++here.passed;
    }
    sink(entry);
  }

  std::vector<Stage> stages_;
};

}  // namespace comity::record
