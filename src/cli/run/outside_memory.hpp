// SPDX-License-Identifier: BSD-3-Clause
// The memory of processes of a run, looked at from outside ten times a second as `comity memory watch` does: their totals and peaks, and of a run into
// which nothing can be loaded what their maps were when they were last read. Not: what no process of this host has.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cli/memory/view.hpp"
#include "memory/component.hpp"

namespace comity::cli::launch {

// Whose memory: of the started process itself, or of the ranks below it.
enum class Whose : std::uint8_t { its_own, of_ranks_below };

class OutsideMemory {
 public:
  // Throws where the rules of components cannot be read.
  OutsideMemory(Whose whose, memory::Depth depth);
  OutsideMemory(const OutsideMemory&) = delete;
  OutsideMemory& operator=(const OutsideMemory&) = delete;

  // `started`: the process that was started. What cannot be looked at is left as it was.
  void look(pid_t started) noexcept;
  // For people; of what was seen.
  [[nodiscard]] std::string text() const;
  // The same of a run that ended without telling: what its ranks had at the last look, those first that had most. "": none was seen.
  [[nodiscard]] std::string last_text() const;

 private:
  void find_new_ones(pid_t started);

  Whose whose_;
  memory::Components components_;
  Views views_;
  std::optional<MemoryView> seen_;
  std::int64_t search_due_ns_ = 0;
  int searches_ = 0;
};

}  // namespace comity::cli::launch
