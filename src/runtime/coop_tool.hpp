// SPDX-License-Identifier: BSD-3-Clause
// CoopTool: the cooperative waits of MPI, where they are preloaded. A rank that rests here can rest there, where its messages
// wake it; and while it waits there its harts are idle here. Found by name, as for regions.
#pragma once

#include <cstdint>

#include "context/progress.hpp"
#include "node/group.hpp"

namespace comity::runtime {

// The rank rests, and lets messages go on meanwhile: by the tool where it is at work, else by that progress, every 1 to 10 ms.
class ProgressMeanwhile final : public node::Meanwhile {
 public:
  explicit ProgressMeanwhile(const context::Progress& progress) : progress_(progress) {}
  virtual ~ProgressMeanwhile() = default;

  void until(const std::function<bool()>& over, const std::function<void(std::int64_t)>& nap,
             std::int64_t deadline_ns) override;

 private:
  const context::Progress progress_;
};

// Whether waits in MPI are cooperative in this process, now.
[[nodiscard]] bool coop_is_at_work();
// Wakes who rests there: a barrier is over.
void ring_coop();
// The tool is to tell when the rank sleeps: then the harts of its segments are idle. Until the second call.
void hear_of_coop_rests();
void hear_of_coop_rests_no_more();

}  // namespace comity::runtime
