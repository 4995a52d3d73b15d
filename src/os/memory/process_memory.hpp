// SPDX-License-Identifier: BSD-3-Clause
// ProcessMemory: a process whose memory is looked at, through its folder in /proc, which this holds: a later process of
// the same number is never taken for it. Not: what the texts mean (areas, totals, node_pages).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "os/files/descriptor.hpp"
#include "os/memory/areas.hpp"
#include "os/memory/node_pages.hpp"
#include "os/memory/totals.hpp"

namespace comity::os {

class ProcessMemory {
 public:
  // Throws Status::not_found where there is no such process.
  explicit ProcessMemory(pid_t process, const std::string& proc = "/proc");

  [[nodiscard]] pid_t process() const { return process_; }

  // Each reads a file. None: the process has ended. They throw Status::system where the kernel refuses to tell, and
  // Status::unsupported where it has no such file, or the process no memory of its own.
  [[nodiscard]] std::optional<Totals> totals() const;  // anybody may
  [[nodiscard]] std::optional<std::vector<Area>> areas()
      const;  // with figures; who may trace the process may, as for those below
  [[nodiscard]] std::optional<std::vector<Area>> bare_areas() const;  // without figures, which cost most
  [[nodiscard]] std::optional<PageUse> rollup() const;
  struct Mapped {
    std::vector<Area> areas;
    PageUse rollup;
    std::string text;  // its pages are among those told: who counts pages of areas of this process keeps it meanwhile
  };
  // Both of nearly one moment: the first text is looked into behind the second, and from the second time on finds its
  // memory ready. Who looks at himself would else see what looking takes.
  [[nodiscard]] std::optional<Mapped> areas_and_rollup() const;
  // By area; empty where the kernel knows no nodes.
  [[nodiscard]] std::optional<std::vector<AreaNodes>> node_pages() const;

 private:
  struct Text {
    std::string text;
    int problem = 0;  // an errno
  };
  // `expected`: so many bytes of it have their place before.
  [[nodiscard]] Text read(const char* file, std::size_t expected = 0) const;
  // None: it has ended.
  [[nodiscard]] std::optional<std::string> read_or_throw(const char* file, std::size_t expected = 0) const;
  enum class Life : std::uint8_t { lives, ended, of_kernel };
  [[nodiscard]] Life life() const;
  [[noreturn]] void reject_kernel_thread() const;
  [[nodiscard]] std::string what(std::string_view file) const;

  pid_t process_;
  Descriptor folder_;
  mutable std::size_t smaps_bytes_ = 0;  // of the text, last time
};

}  // namespace comity::os
