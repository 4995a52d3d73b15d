// SPDX-License-Identifier: BSD-3-Clause
// KeptMachine: this machine as hwloc told it last, from the last free to the next create, most of whose time it would
// take to ask hwloc again. Kept by the process that asked, and only while what hwloc reads most is as it was: the
// cgroup's CPUs and memories, and which CPUs are online. A machine that the environment names is read each time.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/cpu_set.hpp"
#include "machine/image.hpp"

namespace comity::runtime {

class KeptMachine {
 public:
  // `root` stands before each path that is compared; "" but in tests.
  explicit KeptMachine(std::string root = "") : root_(std::move(root)) {}

  // For the ranks of a node to share (machine::load_for_node). Any thread; throws as the loader does.
  [[nodiscard]] machine::Image load();
  // The last context goes, and with it the segment that has this payload. Kept if load() told it here.
  void keep(std::span<const std::byte> payload) noexcept;

 private:
  struct Sources {
    std::optional<CpuSet> cgroup;  // none: it does not tell
    std::optional<std::string> online;
    std::string memories;

    bool operator==(const Sources&) const = default;
  };
  [[nodiscard]] Sources sources() const;

  std::string root_;
  std::mutex mutex_;
  std::optional<Sources> sources_;  // of what load() told last; none: another process did, or the environment names it
  machine::Image image_;            // empty: nothing is kept
};

}  // namespace comity::runtime
