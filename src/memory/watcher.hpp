// SPDX-License-Identifier: BSD-3-Clause
// Watcher: the memory of a process that runs, again and again, spaced so that being looked at costs it little: while its
// mappings are read nobody in it can map or unmap memory, so they are read for at most a hundredth of the time; totals
// cost it nothing. Not: how it is shown (cli/memory).
#pragma once

#include <cstdint>
#include <optional>

#include "memory/look.hpp"

namespace comity::memory {

enum class Depth : std::uint8_t { totals, mappings };

struct Seen {
  bool ended = false;
  os::Totals totals;                // as it was last seen
  std::uint64_t peak_bytes = 0;     // resident, the most that it ever had
  std::optional<Attribution> told;  // none: only totals were asked for
  std::int64_t told_at_ns = 0;      // by base/clock
  std::int64_t cost_ns = 0;         // how long reading that took
};

// Whether so much time has passed since mappings were read that reading them again as long is a hundredth of it.
[[nodiscard]] bool is_time_again(std::int64_t now_ns, std::int64_t read_at_ns, std::int64_t cost_ns);

class Watcher {
 public:
  // Throws Status::not_found where there is no such process. `components` must outlive this.
  Watcher(pid_t process, const Components& components, Depth depth, NodePages node_pages);

  [[nodiscard]] const Seen& seen() const { return seen_; }

  // Totals, for peaks and for the end. Throws where the kernel refuses.
  void glance();
  // The same, and mappings where it is time again. Throws where the process may not be looked at.
  void look();

 private:
  Looker looker_;
  Depth depth_;
  Seen seen_;
};

}  // namespace comity::memory
