// SPDX-License-Identifier: BSD-3-Clause
// What /proc says of processes: bindings of their threads, parents, ranks, node segments. Processes end while they are
// looked at, and some are not ours: both are ordinary answers here. Not: which of them form a job (job.hpp).
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::cli {

struct ThreadBinding {
  pid_t id = 0;
  std::string name;
  CpuSet cpus;
};

struct ProcessBinding {
  pid_t id = 0;
  std::string command;
  std::optional<int> rank;             // as its launcher told it; none: not told, or its environment may not be read
  std::vector<ThreadBinding> threads;  // at least one; the main thread first

  [[nodiscard]] const CpuSet& cpus() const { return threads.front().cpus; }
};

// The node segments that a process maps, each as the kernel names its file: device and inode.
struct Segments {
  bool readable = false;  // false: not ours, or gone
  std::vector<std::string> files;
};

class ProcessTable {
 public:
  explicit ProcessTable(std::string proc = "/proc") : proc_(std::move(proc)) {}

  [[nodiscard]] std::vector<pid_t> all() const;  // ascending
  [[nodiscard]] std::optional<pid_t> parent(pid_t process) const;
  [[nodiscard]] Segments segments(pid_t process) const;
  [[nodiscard]] std::optional<int> rank(pid_t process) const;
  // "program argument argument"; `fallback` where it has no words: a kernel thread, or gone.
  [[nodiscard]] std::string command(pid_t process, std::string_view fallback) const;
  // None: there is no such process, or it is a zombie.
  [[nodiscard]] std::optional<ProcessBinding> binding(pid_t process) const;

 private:
  [[nodiscard]] std::string path(pid_t process, const std::string& file) const;
  [[nodiscard]] std::optional<ThreadBinding> thread(pid_t process, pid_t thread) const;

  std::string proc_;
};

// "A, B, C": the variables that launchers give a rank its number in.
[[nodiscard]] std::string rank_variables();

}  // namespace comity::cli
