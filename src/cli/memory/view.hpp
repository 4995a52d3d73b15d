// SPDX-License-Identifier: BSD-3-Clause
// View: what is known of the watched processes at one moment. Not: how it is shown (table).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "memory/component.hpp"
#include "memory/nearness.hpp"
#include "memory/watcher.hpp"
#include "os/memory/totals.hpp"

namespace comity::cli {

struct ProcessView {
  pid_t process = 0;
  std::optional<int> rank;  // as its launcher told it
  std::string command;
  memory::Seen seen;
  memory::Nearness nearness;  // of its memory to the CPUs that its threads may run on
  std::string cpus;           // those CPUs, as a list
  double mappings_age_s = 0;  // how long ago its mappings were read

  [[nodiscard]] bool told() const { return seen.told.has_value(); }
  [[nodiscard]] const memory::Attribution& attribution() const { return *seen.told; }
};

struct MemoryView {
  std::string host;
  double time_s = 0;  // since the watch began
  std::vector<ProcessView> processes;
  os::NodeTotals node;
  const memory::Components* components = nullptr;
};

// The watched processes, looked at together again and again.
class Views {
 public:
  // Throws where a process is not there.
  Views(const std::vector<pid_t>& processes, const memory::Components& components, memory::Depth depth);

  // Another one, as the constructor does.
  void add(pid_t process);
  [[nodiscard]] bool has(pid_t process) const;
  // For peaks and ends between two views.
  void glance();
  // Throws where a process may not be looked at.
  [[nodiscard]] MemoryView look();
  [[nodiscard]] bool all_have_ended() const;

 private:
  struct Watched {
    ProcessView view;  // as it was last looked at
    memory::Watcher watcher;
  };
  void look_at(Watched& watched) const;

  const memory::Components& components_;
  memory::Depth depth_;
  memory::NodeCpus nodes_;
  std::int64_t begin_ns_;
  std::vector<Watched> watched_;
};

}  // namespace comity::cli
