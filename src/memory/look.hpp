// SPDX-License-Identifier: BSD-3-Clause
// Look: the memory of a process as it is now, by component. Reads the kernel's files and attributes what they tell.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "memory/attribution.hpp"
#include "memory/component.hpp"
#include "os/memory/process_memory.hpp"
#include "os/memory/totals.hpp"

namespace comity::memory {

// On which nodes pages lie costs as much again as how many there are.
enum class NodePages : std::uint8_t { read, left_out };

// A process whose memory is looked at again and again. What it costs: half a millisecond, and some ten for each resident
// 100 MiB of small pages; as long nobody in the process can map or unmap memory.
class Looker {
 public:
  // Throws Status::not_found where there is no such process. `components` must outlive this.
  Looker(pid_t process, const Components& components, NodePages node_pages = NodePages::read);

  [[nodiscard]] pid_t process() const { return memory_.process(); }

  // None: the process has ended. Throws where it may not be looked at, with what to do.
  [[nodiscard]] std::optional<os::Totals> totals() const { return memory_.totals(); }  // ten microseconds
  // What all mappings have: exact where a kernel's totals are late; a part of what a look costs. The same.
  [[nodiscard]] std::optional<os::PageUse> mapped() const { return memory_.rollup(); }
  [[nodiscard]] std::optional<Attribution> attribution(const Ownership* ownership = nullptr);
  // Where memory lies that nobody is recorded to have asked for: a fraction of a millisecond, however much is resident.
  [[nodiscard]] std::vector<UnaskedRange> unasked(const Ownership& ownership);

 private:
  [[nodiscard]] std::optional<std::uint64_t> span_of(const os::Area& first);

  using FileKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
  os::ProcessMemory memory_;
  const Components& components_;
  NodePages node_pages_;
  std::map<FileKey, std::optional<std::uint64_t>> spans_;  // of objects, for files are read once
};

}  // namespace comity::memory
